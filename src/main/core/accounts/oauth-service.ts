/**
 * Client for an office's sign-in service (OAuth 2): discovers its endpoints, and requests, refreshes and revokes
 * tokens. All answers are validated here: at most a megabyte, no endpoint on another origin, no token that can't be
 * sent. Throws only ServiceError, with no request sent to the signing service.
 */
import type { Configuration, ServerMetadata } from 'openid-client'
import { BodyTooLarge, discardBody, parseJson, readBody } from '../service/answer-body.ts'
import { ServiceError, type SignInTrouble } from '../service/errors.ts'
import type { Fetch } from '../service/exchange.ts'
import { startWatchdog, TIME_LIMITS } from '../service/limits.ts'
import { readNetworkFailure } from '../service/network-failure.ts'
import { retryAfterIn } from '../service/refusal.ts'

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
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_TOKEN_LENGTH = 10_000
/** Maximum lifetime accepted for a token, in milliseconds. */
const MAX_LIFETIME = 365 * 24 * 60 * 60_000

/** Connects to a sign-in service. @throws ServiceError as described above. */
export async function openOAuthService(client: OAuthClient, deps: OAuthDeps, known?: Endpoints) {
  const openid = await import('openid-client')
  const endpoints = known ?? typedEndpoints(client) ?? (await discover())

  /** Each call gets its own configuration, since it caches data from the last answer. */
  function newConfiguration(): Configuration {
    const { secret } = client
    const clientAuthentication = !secret
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
    const config = new openid.Configuration(metadata, client.clientId, undefined, clientAuthentication)
    config[openid.customFetch] = (url, init) => boundedFetch(url, init as RequestInit, deps)
    // Addresses are validated when typed or discovered: http is possible for this computer only.
    if (new URL(endpoints.token).protocol === 'http:') openid.allowInsecureRequests(config)
    return config
  }

  async function discover(): Promise<Endpoints> {
    const issuer = new URL(client.issuer ?? '')
    const options = {
      [openid.customFetch]: (url: string, init: unknown) => boundedFetch(url, init as RequestInit, deps),
      ...(issuer.protocol === 'http:' && { execute: [openid.allowInsecureRequests] })
    }
    const ask = (algorithm: 'oidc' | 'oauth2') =>
      openid.discovery(issuer, client.clientId, undefined, undefined, { ...options, algorithm })
    const found = await withServiceErrors(
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
      const address = openid.buildAuthorizationUrl(newConfiguration(), {
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
      const grant = openid.authorizationCodeGrant(newConfiguration(), returned, {
        expectedState: checks.state,
        pkceCodeVerifier: checks.verifier
      })
      return grantOf(await withServiceErrors(grant, 'client'))
    },

    async refresh(token: string): Promise<Grant> {
      return grantOf(await withServiceErrors(openid.refreshTokenGrant(newConfiguration(), token), 'client'))
    },

    /** Signs in with the client's own secret. */
    async clientCredentials(): Promise<Grant> {
      return grantOf(await withServiceErrors(openid.clientCredentialsGrant(newConfiguration(), scope), 'client'))
    },

    /** Revokes a token. False if the service can't do that. */
    async revoke(token: string): Promise<boolean> {
      if (endpoints.revoke === undefined) return false
      await withServiceErrors(openid.tokenRevocation(newConfiguration(), token), 'client')
      return true
    }
  }
}

function typedEndpoints({ authorizeUrl, tokenUrl, revokeUrl }: OAuthClient): Endpoints | undefined {
  if (tokenUrl === undefined) return undefined
  return { issuer: new URL(tokenUrl).origin, authorize: authorizeUrl, token: tokenUrl, revoke: revokeUrl }
}

/** Reads the service's metadata, rejecting endpoints elsewhere, which would receive the secret and every token. */
function endpointsOf(metadata: Readonly<ServerMetadata>, issuer: URL): Endpoints {
  const checkedAddress = (address: unknown): string | undefined => {
    if (address === undefined) return undefined
    const url = typeof address === 'string' ? URL.parse(address) : null
    if (!url || url.origin !== issuer.origin || url.username || url.password) throw signInError('elsewhere')
    return url.href
  }
  const token = checkedAddress(metadata.token_endpoint)
  if (token === undefined) throw signInError('not-found')
  const methods = metadata.token_endpoint_auth_methods_supported
  return {
    issuer: metadata.issuer,
    authorize: checkedAddress(metadata.authorization_endpoint),
    token,
    revoke: checkedAddress(metadata.revocation_endpoint),
    isBasic:
      Array.isArray(methods) && methods.includes('client_secret_basic') && !methods.includes('client_secret_post')
  }
}

/** Reduces an answer to what the library can read; everything else is dropped. */
async function boundedFetch(url: string, init: RequestInit, { fetch, now }: OAuthDeps): Promise<Response> {
  const watching = startWatchdog(TIME_LIMITS.read, undefined)
  try {
    const response = await watching.during(
      'answer',
      fetch(url, {
        method: init.method ?? 'GET',
        headers: new Headers(init.headers ?? {}),
        redirect: 'manual',
        // The body is a form; other network stacks than Node's only accept it as text.
        ...(init.body !== undefined && init.body !== null && { body: String(init.body) }),
        signal: watching.signal,
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer'
      })
    )
    const { status } = response
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      discardBody(response)
      throw signInError('elsewhere')
    }
    if (status === 407 || status === 511) throw signInError(undefined, { code: status === 407 ? 'refused' : 'offline' })
    const bytes = await readBody(response, MAX_ANSWER_BYTES, watching)
    if (status === 429) {
      const retryAfterMs = retryAfterIn(response.headers, now())
      throw signInError('answer', { code: 'rate-limited', retryAfterMs })
    }
    if (status >= 500) throw signInError('answer', { code: 'refused' })
    // Revocation has an empty answer.
    if (bytes.byteLength === 0) return new Response(null, { status })
    const read = await readJsonObject(bytes)
    if (read === undefined && response.ok && init.method === 'POST') return new Response(null, { status })
    return new Response(JSON.stringify(read ?? {}), { status, headers: { 'content-type': 'application/json' } })
  } catch (thrown) {
    if (thrown instanceof ServiceError) throw thrown
    if (thrown instanceof BodyTooLarge) throw signInError('answer')
    const ended = watching.endReason()
    if (ended) throw signInError('away', { code: ended })
    const { code, reason, certificate } = readNetworkFailure(thrown)
    throw signInError('away', { code, reason, certificate })
  } finally {
    watching.finish()
  }
}

async function readJsonObject(bytes: Uint8Array): Promise<object | undefined> {
  try {
    const read = await parseJson(bytes, undefined)
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? normaliseTokenAnswer(read) : undefined
  } catch {
    return undefined
  }
}

/** Drops unneeded members that services write in odd ways: the user's identity, an invalid lifetime. */
function normaliseTokenAnswer(answer: object): object {
  const { id_token: _, expires_in: lifetime, scope, ...read } = answer as Record<string, unknown>
  if (!('access_token' in read)) return answer
  const seconds = Number(lifetime)
  return {
    token_type: 'bearer',
    ...read,
    ...(typeof scope === 'string' && { scope }),
    ...(Number.isFinite(seconds) && seconds > 0 && { expires_in: seconds })
  }
}

interface TokenAnswer {
  access_token: string
  refresh_token?: string | undefined
  expires_in?: number | undefined
}

/** Tokens are sent in a header and in a form; text that can't be is not a token. */
function grantOf({ access_token: access, refresh_token: refresh, expires_in: seconds }: TokenAnswer): Grant {
  if (!isToken(access) || (refresh !== undefined && !isToken(refresh))) throw signInError('answer')
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(seconds !== undefined && { lifetime: Math.min(MAX_LIFETIME, seconds * 1000) })
  }
}

function isToken(text: string): boolean {
  return text.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(text)
}

/** @param fallback the meaning of a refusal without a reason. */
async function withServiceErrors<Value>(call: Promise<Value>, fallback: SignInTrouble): Promise<Value> {
  try {
    return await call
  } catch (thrown) {
    const cause = causeOf(thrown)
    if (thrown instanceof ServiceError) throw thrown
    if (cause instanceof ServiceError) throw cause
    const { error: oauthError, status } = thrown as { error?: unknown; status?: unknown }
    if (oauthError === 'invalid_grant') throw signInError('over')
    if (oauthError === 'access_denied') throw signInError('denied')
    if (oauthError === 'temporarily_unavailable' || oauthError === 'server_error')
      throw signInError('answer', { code: 'refused' })
    if (oauthError === 'invalid_client') throw signInError('secret')
    if (oauthError === 'invalid_scope') throw signInError('scope')
    if (typeof oauthError === 'string') throw signInError('client')
    throw signInError(typeof status === 'number' ? fallback : fallback === 'client' ? 'answer' : fallback)
  }
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined
}

/** Some need someone to act; the others may work on a retry. */
const ERROR_CODES: Record<SignInTrouble, 'unauthorised' | 'redirected' | 'refused' | 'not-json'> = {
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
export function signInError(
  signIn: SignInTrouble | undefined,
  more: Partial<Pick<ServiceError, 'code' | 'reason' | 'retryAfterMs' | 'certificate'>> = {}
): ServiceError {
  const code = signIn === undefined ? 'refused' : ERROR_CODES[signIn]
  return new ServiceError({ code, operation: OPERATION, mayHaveArrived: false, signIn, ...more })
}
