/**
 * Signs requests: the only part that knows how the service tells who is calling. The reference leaves this open
 * (section 5), so schemes are values of one interface; a further one is added here without touching the operations.
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
  /** Called for every attempt, so that dates and nonces are fresh. May throw where a credential can't be had or sent. */
  sign(request: OutgoingRequest): void | Promise<void>
  /**
   * The service answered 401 to this request: whether it is worth asking once more, as there is another credential by now. May
   * throw as `sign`.
   */
  renew?(request: Pick<OutgoingRequest, 'headers'>): Promise<boolean>
  /** Texts that must never be shown: they are struck out wherever the service repeats them. */
  readonly secrets: readonly string[]
}

/** An API key as an office has it. */
interface ApiKey {
  key: string
  secret: string
  /** The access URL registered for the key; it goes out as Referer. */
  accessUrl: string
  /** E-mail address of the user on whose behalf is sent. */
  sender?: string | undefined
}

interface TokenSource {
  token: () => string | Promise<string>
  /** The service took this token no longer: whether there is another. Absent where there never is. */
  refused?: ((token: string) => Promise<boolean>) | undefined
}

export type Credentials =
  | { scheme: 'none' }
  | ({ scheme: 'api-key' } & ApiKey)
  /** `token` is asked for at every request, as it may have been refreshed since. */
  | ({ scheme: 'bearer'; apiKey?: ApiKey | undefined } & TokenSource)
  | { scheme: 'basic'; user: string; password: string }
  /** What a gateway before the service asks for; their values are secrets. */
  | { scheme: 'headers'; headers: readonly { name: string; value: string }[] }

export interface SigningEffects {
  /** Milliseconds since 1970 UTC. */
  clock: () => number
  /** 32 characters, never the same twice. */
  nonce?: () => string
}

/** Makes the authentication that the credentials ask for. */
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

function bearer({ token, refused }: TokenSource, apiKey: ApiKey | undefined, effects: SigningEffects): Authentication {
  // The last token is kept only to strike it out of what the service says.
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
    ...(refused && {
      renew: ({ headers }: Pick<OutgoingRequest, 'headers'>) =>
        refused((headers.get('Authorization') ?? '').replace(/^Bearer /, ''))
    })
  }
}

/** Neither method, path nor body are signed: that is the scheme as public clients of the service show it. */
function signWithKey(request: OutgoingRequest, apiKey: ApiKey, { clock, nonce = randomNonce }: SigningEffects): void {
  const date = String(Math.floor(clock() / 1000))
  const once = nonce()
  const signature = createHmac('sha256', apiKey.secret).update(`${apiKey.key}\n${date}\n${once}`).digest('base64')
  request.headers.set('X-CUSTOM-API-KEY', apiKey.key)
  request.headers.set('X-CUSTOM-DATE', date)
  request.headers.set('X-CUSTOM-NONCE', once)
  request.headers.set('X-CUSTOM-SIGNATURE', signature)
  if (apiKey.sender) request.headers.set('X-CUSTOM-SENDER', apiKey.sender)
  /*
   * As a header, and not by fetch's `referrer`: Node's fetch sends the header as it is, and Electron's net takes it out
   * of the headers and makes it the referrer. There it would be cut to its origin for another origin than its own,
   * which the service always is; hence `referrerPolicy: 'unsafe-url'` in exchange.ts.
   */
  request.headers.set('Referer', referer(apiKey.accessUrl))
}

/** In the spelling in which Chromium sends it, so that Node and Electron send the same. */
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
