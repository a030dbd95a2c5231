/**
 * Authenticates callers: none; an API key with HMAC headers and Referer; a bearer token, or both; user name and
 * password; headers required by a gateway; or a token of the office's sign-in service. The reference leaves this open
 * (section 5): public clients of the service use the first three.
 */

import { Refusal } from './conventions.ts'
import type { Clock } from './sources.ts'

interface ApiKey {
  key: string
  secret: string
  /** The access URL registered for the key, which every request must send as its Referer. */
  referer: string
  /** How far a request's date may differ from now, either way. Default: five minutes. */
  windowSeconds?: number
}

export interface OAuthOptions {
  clientId: string
  /** If missing, the client is identified by its id alone, and proves a code by PKCE. */
  secret?: string
  /** Lifetime of access tokens. Default: an hour. */
  lifetimeSeconds?: number
  /** Whether refresh tokens stay valid; then answers don't repeat them. */
  keepsRefreshToken?: boolean
}

export type AuthScheme =
  | { scheme: 'none' }
  | ({ scheme: 'hmac' } & ApiKey)
  | { scheme: 'bearer'; token: string }
  | ({ scheme: 'bearer-and-key'; token: string } & ApiKey)
  | { scheme: 'basic'; user: string; password: string }
  | { scheme: 'headers'; headers: Record<string, string> }
  | ({ scheme: 'oauth' } & OAuthOptions)

/** Returns if the caller is authenticated; otherwise throws a 401 refusal. */
export type Authenticate = (request: Request) => Promise<void>

/** Returns the check for a scheme. @param signIn the sign-in service of an office with `oauth`. */
export function createAuthentication(
  auth: AuthScheme,
  clock: Clock,
  signIn?: { isValidToken(token: string): boolean }
): Authenticate {
  switch (auth.scheme) {
    case 'none':
      return async () => {}
    case 'hmac':
      return hmac(auth, clock)
    case 'bearer':
      return bearer((given) => sameText(given, auth.token))
    case 'oauth':
      return bearer((given) => signIn?.isValidToken(given) ?? false)
    case 'bearer-and-key': {
      const [checkToken, checkKey] = [bearer((given) => sameText(given, auth.token)), hmac(auth, clock)]
      return async (request) => {
        await checkToken(request)
        await checkKey(request)
      }
    }
    case 'basic':
      return basic(auth)
    case 'headers':
      return async (request) => {
        for (const [name, value] of Object.entries(auth.headers))
          if (!sameText(request.headers.get(name) ?? '', value)) throw unauthorized('A header is missing or not valid.')
      }
  }
}

/** Basic authentication (RFC 7617), with UTF-8. */
function basic({ user, password }: { user: string; password: string }): Authenticate {
  const pair = btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)))
  return async (request) => {
    const given = /^Basic\s+(\S+)\s*$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (!given || !sameText(given, pair)) throw unauthorized('The user name or the password is not right.')
  }
}

function bearer(isValidToken: (token: string) => boolean): Authenticate {
  return async (request) => {
    const given = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (!given || !isValidToken(given)) throw unauthorized('The access token is missing or not valid.')
  }
}

function hmac(auth: ApiKey, clock: Clock): Authenticate {
  const window = (auth.windowSeconds ?? 300) * 1000
  const nonces = createNonces(clock, window * 2)
  return async (request) => {
    const header = (name: string) => request.headers.get(`x-custom-${name}`)?.trim() ?? ''
    const key = header('api-key')
    const date = header('date')
    const nonce = header('nonce')
    if (!sameText(key, auth.key)) throw unauthorized('Check the API key.')
    if (!sameAddress(request.headers.get('referer'), auth.referer)) {
      throw unauthorized('Check the API key: the request does not come from the access URL registered for it.')
    }
    if (!/^\d{1,12}(\.\d{1,9})?$/.test(date) || Math.abs(Number(date) * 1000 - clock.now()) > window) {
      throw unauthorized('Check the API key: the date of the request is too far from the time now.')
    }
    if (nonce.length < 8 || nonce.length > 128)
      throw unauthorized('Check the API key: the nonce is missing or too short.')
    const expected = await signatureOf(auth.secret, `${key}\n${date}\n${nonce}`)
    if (!sameText(header('signature'), expected)) throw unauthorized('Check the API key: the signature does not match.')
    // Checked last, so that only someone with the secret can use up a nonce.
    if (!nonces.use(nonce)) throw unauthorized('Check the API key: the nonce was used before.')
  }
}

/** Base64(HMAC-SHA256(secret, text)), both as UTF-8. */
async function signatureOf(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(signed)))
}

/** Remembers nonces for as long as their dates would be accepted. */
function createNonces(clock: Clock, keep: number) {
  const seen = new Map<string, number>()
  return {
    use(nonce: string): boolean {
      const now = clock.now()
      for (const [old, at] of seen) {
        if (at + keep >= now) break
        seen.delete(old)
      }
      if (seen.has(nonce)) return false
      seen.set(nonce, now)
      return true
    }
  }
}

/** Compares in constant time. */
export function sameText(given: string, expected: string): boolean {
  const encoder = new TextEncoder()
  const one = encoder.encode(given)
  const other = encoder.encode(expected)
  let difference = one.length ^ other.length
  for (let index = 0; index < other.length; index++) difference |= (one[index] ?? 0) ^ (other[index] ?? 0)
  return difference === 0
}

/** Compares addresses, ignoring a missing slash after a bare origin. */
function sameAddress(given: string | null, registered: string): boolean {
  if (!given) return false
  try {
    return new URL(given).href === new URL(registered).href
  } catch {
    return given === registered
  }
}

function unauthorized(message: string): Refusal {
  return new Refusal(401, 'Unauthorized', message)
}
