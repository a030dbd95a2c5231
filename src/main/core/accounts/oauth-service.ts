/**
 * Client for an office's sign-in service (OAuth 2): discovers its endpoints, and requests, refreshes and revokes
 * tokens. All answers are validated here: at most a megabyte, no endpoint on another origin, no token that can't be
 * sent. Throws only ServiceError, with no request sent to the signing service.
 */
import type { Configuration, ServerMetadata } from 'openid-client'
import { BodyTooLarge, drop, parseJson, readBody } from '../service/answer-body.ts'
import { ServiceError, type SignInTrouble } from '../service/errors.ts'
import type { Fetch } from '../service/exchange.ts'
import { readRetryAfter, TIME_LIMITS, watch } from '../service/limits.ts'
import { readNetworkFailure } from '../service/network-failure.ts'

/** An office's registration at its sign-in service. */
export interface OAuthClient {
  /** code: a person signs in with the browser. client: Countersign signs in with its own secret. */
  grant: 'code' | 'client'
  clientId: string
  secret?: string | undefined
  scope?: string | undefined
  /** Its address, from which the endpoints are discovered; or else the endpoints as typed. */
  issuer?: string | undefined
  authorizeUrl?: string | undefined
  tokenUrl?: string | undefined
  revokeUrl?: string | undefined
}

/** The sign-in service's addresses. */
export interface Endpoints {
  issuer: string
  authorize?: string | undefined
  token: string
  revoke?: string | undefined
  /** It accepts the client secret only in a header. */
  isBasic?: boolean | undefined
}

/** An access token, and the token to refresh it with. */
export interface Grant {
  access: string
  /** If missing, the known one stays valid. */
  refresh?: string
  /** The access token's lifetime in milliseconds; missing if the service doesn't say. */
  lifetime?: number
}

export interface OAuthDeps {
  fetch: Fetch
  now: () => number
}

export type OAuthService = Awaited<ReturnType<typeof openOAuthService>>

const OPERATION = 'OAuth'
const MOST_BYTES = 1024 * 1024
const LONGEST_TOKEN = 10_000
/** Maximum lifetime accepted for a token, in milliseconds. */
const LONGEST_LIFETIME = 365 * 24 * 60 * 60_000

/** Connects to a sign-in service. @throws ServiceError as described above. */
export async function openOAuthService(client: OAuthClient, deps: OAuthDeps, known?: Endpoints) {
  const openid = await import('openid-client')
  const endpoints = known ?? typedEndpoints(client) ?? (await discovered())

  /** Each call gets its own configuration, since it caches data from the last answer. */
  function configured(): Configuration {
    const { secret } = client
    const proof = !secret
      ? openid.None()
      : endpoints.isBasic
        ? openid.ClientSecretBasic(secret)
        : openid.ClientSecretPost(secret)
    const metadata: ServerMetadata = {
      issuer: endpoints.issuer,
      token_endpoint: endpoints.token,
      ...(endpoints.authorize !== undefined && { authorization_endpoint: endpoints.authorize }),
      ...(endpoints.revoke !== undefined && { revocation_endpoint: endpoints.revoke })
    }
    const config = new openid.Configuration(metadata, client.clientId, undefined, proof)
    config[openid.customFetch] = (url, init) => boundedFetch(url, init as RequestInit, deps)
    // Addresses are validated when typed or discovered: http is possible for this computer only.
    if (new URL(endpoints.token).protocol === 'http:') openid.allowInsecureRequests(config)
    return config
  }

  async function discovered(): Promise<Endpoints> {
    const issuer = new URL(client.issuer ?? '')
    const options = {
      [openid.customFetch]: (url: string, init: unknown) => boundedFetch(url, init as RequestInit, deps),
      ...(issuer.protocol === 'http:' && { execute: [openid.allowInsecureRequests] })
    }
    const ask = (algorithm: 'oidc' | 'oauth2') =>
      openid.discovery(issuer, client.clientId, undefined, undefined, { ...options, algorithm })
    const found = await translated(
      ask('oidc').catch((error: unknown) => {
        if (error instanceof ServiceError || causeOf(error) instanceof ServiceError) throw error
        return ask('oauth2')
      }),
      'not-found'
    )
    return endpointsOf(found.serverMetadata(), issuer)
  }

  const scope = client.scope ? { scope: client.scope } : undefined
  return {
    endpoints,

    /** Returns the sign-in page's address, and what to check its answer against. */
    async authorization(redirect: string) {
      const verifier = openid.randomPKCECodeVerifier()
      const state = openid.randomState()
      const address = openid.buildAuthorizationUrl(configured(), {
        redirect_uri: redirect,
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...scope
      })
      return { address: address.href, state, verifier }
    },

    /** Exchanges the browser's answer for tokens. */
    async exchange(returned: URL, checks: { state: string; verifier: string }): Promise<Grant> {
      const grant = openid.authorizationCodeGrant(configured(), returned, {
        expectedState: checks.state,
        pkceCodeVerifier: checks.verifier
      })
      return grantOf(await translated(grant, 'client'))
    },

    async refresh(token: string): Promise<Grant> {
      return grantOf(await translated(openid.refreshTokenGrant(configured(), token), 'client'))
    },

    /** Signs in with the client's own secret. */
    async clientCredentials(): Promise<Grant> {
      return grantOf(await translated(openid.clientCredentialsGrant(configured(), scope), 'client'))
    },

    /** Revokes a token. False if the service can't do that. */
    async revoke(token: string): Promise<boolean> {
      if (endpoints.revoke === undefined) return false
      await translated(openid.tokenRevocation(configured(), token), 'client')
      return true
    }
  }
}

function typedEndpoints({ authorizeUrl, tokenUrl, revokeUrl }: OAuthClient): Endpoints | undefined {
  if (tokenUrl === undefined) return undefined
  return { issuer: new URL(tokenUrl).origin, authorize: authorizeUrl, token: tokenUrl, revoke: revokeUrl }
}

/** Reads the service's metadata, rejecting endpoints elsewhere, which would receive the secret and every token. */
function endpointsOf(said: Readonly<ServerMetadata>, issuer: URL): Endpoints {
  const own = (address: unknown): string | undefined => {
    if (address === undefined) return undefined
    const url = typeof address === 'string' ? URL.parse(address) : null
    if (!url || url.origin !== issuer.origin || url.username || url.password) throw troubled('elsewhere')
    return url.href
  }
  const token = own(said.token_endpoint)
  if (token === undefined) throw troubled('not-found')
  const methods = said.token_endpoint_auth_methods_supported
  return {
    issuer: said.issuer,
    authorize: own(said.authorization_endpoint),
    token,
    revoke: own(said.revocation_endpoint),
    isBasic:
      Array.isArray(methods) && methods.includes('client_secret_basic') && !methods.includes('client_secret_post')
  }
}

/** Reduces an answer to what the library can read; everything else is dropped. */
async function boundedFetch(url: string, init: RequestInit, { fetch, now }: OAuthDeps): Promise<Response> {
  const watching = watch(TIME_LIMITS.read, undefined)
  try {
    const response = await watching.during(
      'answer',
      fetch(url, {
        ...{ method: init.method ?? 'GET', headers: new Headers(init.headers ?? {}), redirect: 'manual' },
        // The body is a form; other network stacks than Node's only accept it as text.
        ...(init.body !== undefined && init.body !== null && { body: String(init.body) }),
        ...{ signal: watching.signal, credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' }
      })
    )
    const { status } = response
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      drop(response)
      throw troubled('elsewhere')
    }
    if (status === 407 || status === 511) throw troubled(undefined, { code: status === 407 ? 'refused' : 'offline' })
    const bytes = await readBody(response, MOST_BYTES, watching)
    if (status === 429) {
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), now())
      throw troubled('answer', { code: 'rate-limited', retryAfterMs })
    }
    if (status >= 500) throw troubled('answer', { code: 'refused' })
    // Revocation has an empty answer.
    if (bytes.byteLength === 0) return new Response(null, { status })
    const read = await readable(bytes)
    if (read === undefined && response.ok && init.method === 'POST') return new Response(null, { status })
    return new Response(JSON.stringify(read ?? {}), { status, headers: { 'content-type': 'application/json' } })
  } catch (thrown) {
    if (thrown instanceof ServiceError) throw thrown
    if (thrown instanceof BodyTooLarge) throw troubled('answer')
    const ended = watching.ended()
    if (ended) throw troubled('away', { code: ended })
    const { code, reason, certificate } = readNetworkFailure(thrown)
    throw troubled('away', { code, reason, certificate })
  } finally {
    watching.finish()
  }
}

async function readable(bytes: Uint8Array): Promise<object | undefined> {
  try {
    const read = await parseJson(bytes, undefined)
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? withoutOddities(read) : undefined
  } catch {
    return undefined
  }
}

/** Drops unneeded members that services write in odd ways: the user's identity, an invalid lifetime. */
function withoutOddities(said: object): object {
  const { id_token: _, expires_in: lifetime, scope, ...read } = said as Record<string, unknown>
  if (!('access_token' in read)) return said
  const seconds = Number(lifetime)
  return {
    token_type: 'bearer',
    ...read,
    ...(typeof scope === 'string' && { scope }),
    ...(Number.isFinite(seconds) && seconds > 0 && { expires_in: seconds })
  }
}

interface Granted {
  access_token: string
  refresh_token?: string | undefined
  expires_in?: number | undefined
}

/** Tokens are sent in a header and in a form; text that can't be is not a token. */
function grantOf({ access_token: access, refresh_token: refresh, expires_in: seconds }: Granted): Grant {
  if (!isToken(access) || (refresh !== undefined && !isToken(refresh))) throw troubled('answer')
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(seconds !== undefined && { lifetime: Math.min(LONGEST_LIFETIME, seconds * 1000) })
  }
}

function isToken(text: string): boolean {
  return text.length <= LONGEST_TOKEN && /^[\x21-\x7e]+$/.test(text)
}

/** @param otherwise the meaning of a refusal without a reason. */
async function translated<Value>(call: Promise<Value>, otherwise: SignInTrouble): Promise<Value> {
  try {
    return await call
  } catch (thrown) {
    const cause = causeOf(thrown)
    if (thrown instanceof ServiceError) throw thrown
    if (cause instanceof ServiceError) throw cause
    const { error: said, status } = thrown as { error?: unknown; status?: unknown }
    if (said === 'invalid_grant') throw troubled('over')
    if (said === 'access_denied') throw troubled('denied')
    if (said === 'temporarily_unavailable' || said === 'server_error') throw troubled('answer', { code: 'refused' })
    if (said === 'invalid_client') throw troubled('secret')
    if (said === 'invalid_scope') throw troubled('scope')
    if (typeof said === 'string') throw troubled('client')
    throw troubled(typeof status === 'number' ? otherwise : otherwise === 'client' ? 'answer' : otherwise)
  }
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined
}

/** Some need someone to act; the others may work on a retry. */
const CODES: Record<SignInTrouble, 'unauthorised' | 'redirected' | 'refused' | 'not-json'> = {
  over: 'unauthorised',
  denied: 'unauthorised',
  secret: 'unauthorised',
  scope: 'unauthorised',
  client: 'unauthorised',
  elsewhere: 'redirected',
  'not-found': 'refused',
  answer: 'not-json',
  away: 'refused'
}

/** Creates an error for which nothing was sent to the signing service. */
export function troubled(
  signIn: SignInTrouble | undefined,
  more: Partial<Pick<ServiceError, 'code' | 'reason' | 'retryAfterMs' | 'certificate'>> = {}
): ServiceError {
  const code = signIn === undefined ? 'refused' : CODES[signIn]
  return new ServiceError({ code, operation: OPERATION, mayHaveArrived: false, signIn, ...more })
}
