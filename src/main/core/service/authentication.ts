/**
 * Signs requests: the only part that knows how callers authenticate. The reference leaves this open (section 5), so
 * schemes are values of one interface; another one can be added here without touching the operations.
 */
import { createHmac, randomBytes } from 'node:crypto'

/** A request about to be sent; signing adds to its headers. */
export interface OutgoingRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Headers
  body?: string | undefined
}

export interface Authentication {
  readonly scheme: string
  /**
   * Called for every attempt, so that dates and nonces are fresh. May throw if a credential can't be obtained or sent.
   */
  sign(request: OutgoingRequest): void | Promise<void>
  /**
   * Called after a 401 to this request. Returns whether a retry makes sense because there is a new credential. May
   * throw like `sign`.
   */
  renew?(request: Pick<OutgoingRequest, 'headers'>): Promise<boolean>
  /** Texts that must never be shown: they are redacted wherever the service repeats them. */
  readonly secrets: readonly string[]
}

interface ApiKey {
  key: string
  secret: string
  /** The access URL registered for the key; it goes out as Referer. */
  accessUrl: string
  /** E-mail address of the user on whose behalf documents are sent. */
  sender?: string | undefined
}

interface TokenSource {
  token: () => string | Promise<string>
  /** Called when the service rejects this token; returns whether there is another. Absent if there never is. */
  onRejected?: ((token: string) => Promise<boolean>) | undefined
}

export type Credentials =
  | { scheme: 'none' }
  | ({ scheme: 'api-key' } & ApiKey)
  /** `token` is called for every request, as it may have been refreshed since. */
  | ({ scheme: 'bearer'; apiKey?: ApiKey | undefined } & TokenSource)
  | { scheme: 'basic'; user: string; password: string }
  /** Headers required by a gateway in front of the service; their values are secrets. */
  | { scheme: 'headers'; headers: readonly { name: string; value: string }[] }

export interface SigningEffects {
  /** Milliseconds since 1970 UTC. */
  clock: () => number
  /** 32 characters, never the same twice. */
  nonce?: () => string
}

export function createAuthentication(credentials: Credentials, effects: SigningEffects): Authentication {
  switch (credentials.scheme) {
    case 'none':
      return { scheme: 'none', secrets: [], sign() {} }
    case 'api-key':
      return {
        scheme: 'api-key',
        secrets: [credentials.secret, credentials.key],
        sign: (request) => signWithKey(request, credentials, effects)
      }
    case 'bearer':
      return bearer(credentials, credentials.apiKey, effects)
    case 'basic': {
      // Both as UTF-8 (RFC 7617, section 2.1).
      const pair = Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')
      return {
        scheme: 'basic',
        secrets: [pair, credentials.password],
        sign: ({ headers }) => headers.set('Authorization', `Basic ${pair}`)
      }
    }
    case 'headers':
      return {
        scheme: 'headers',
        secrets: credentials.headers.map(({ value }) => value),
        sign(request) {
          for (const { name, value } of credentials.headers) request.headers.set(name, value)
        }
      }
  }
}

function bearer(
  { token, onRejected }: TokenSource,
  apiKey: ApiKey | undefined,
  effects: SigningEffects
): Authentication {
  // The last token is kept only to redact it from the service's messages.
  let last = ''
  return {
    scheme: 'bearer',
    get secrets() {
      return [last, apiKey?.secret ?? '', apiKey?.key ?? ''].filter(Boolean)
    },
    async sign(request) {
      if (apiKey) signWithKey(request, apiKey, effects)
      last = await token()
      request.headers.set('Authorization', `Bearer ${last}`)
    },
    ...(onRejected && {
      renew: ({ headers }: Pick<OutgoingRequest, 'headers'>) =>
        onRejected((headers.get('Authorization') ?? '').replace(/^Bearer /, ''))
    })
  }
}

/** Method, path and body aren't signed: that is the scheme as the service's public clients show it. */
function signWithKey(request: OutgoingRequest, apiKey: ApiKey, { clock, nonce = randomNonce }: SigningEffects): void {
  const date = String(Math.floor(clock() / 1000))
  const once = nonce()
  const signature = createHmac('sha256', apiKey.secret).update(`${apiKey.key}\n${date}\n${once}`).digest('base64')
  request.headers.set('X-CUSTOM-API-KEY', apiKey.key)
  request.headers.set('X-CUSTOM-DATE', date)
  request.headers.set('X-CUSTOM-NONCE', once)
  request.headers.set('X-CUSTOM-SIGNATURE', signature)
  if (apiKey.sender) request.headers.set('X-CUSTOM-SENDER', apiKey.sender)
  /* Set as a header, not by fetch's `referrer`: Node's fetch sends the header as it is, and Electron's net turns it
     into the request's referrer. Chromium would cut a referrer to its origin on cross-origin requests, and requests to
     the service always are; hence `referrerPolicy: 'unsafe-url'` in exchange.ts. */
  request.headers.set('Referer', referer(apiKey.accessUrl))
}

/** Spelled as Chromium sends it, so that Node and Electron send the same. */
function referer(accessUrl: string): string {
  const url = new URL(accessUrl)
  url.username = ''
  url.password = ''
  url.hash = ''
  return url.href
}

function randomNonce(): string {
  return randomBytes(16).toString('hex')
}
