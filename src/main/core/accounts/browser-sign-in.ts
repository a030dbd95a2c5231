/**
 * Signing in with the system browser (RFC 8252): the user signs in at the office's own sign-in service, and the browser
 * returns to a loopback port opened just for that. Requests from other pages are rejected.
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { Fetch } from '../service/exchange.ts'
import {
  type AccountCredentials,
  type CredentialsChange,
  type OAuthCredentials,
  readCredentials
} from './credentials.ts'
import { openOAuthService } from './oauth-service.ts'
import { type Tokens, tokensOf } from './oauth-tokens.ts'

/** Time for signing in with the browser, in milliseconds. */
export const SIGN_IN_LIMIT = 5 * 60_000
/** How long the result of a sign-in may stay unused, in milliseconds. */
export const UNUSED_LIMIT = 30 * 60_000
const PATH = '/signed-in'

export interface BrowserSignInDeps {
  fetch: Fetch
  /** Opens an address in the system's browser. Rejects with AppFailure unless it is a plain web address. */
  openInBrowser: (address: string) => Promise<void>
  newId: () => string
  time: Pick<Time, 'now' | 'after'>
}

export type BrowserSignIn = ReturnType<typeof openBrowserSignIn>

/** What a screen sends: a sign-in's id instead of its tokens. */
export type TypedChange = CredentialsChange & { signIn?: string | undefined }

interface FinishedSignIn {
  signIn: OAuthCredentials
  cancelExpiry: () => void
}

export function openBrowserSignIn({ fetch, openInBrowser, newId, time }: BrowserSignInDeps) {
  const finished = new Map<string, FinishedSignIn>()
  let cancel: (() => void) | undefined

  /**
   * Lets the user sign in, and resolves with the tokens. Cancels a sign-in in progress.
   * @throws AppFailure `cancelled`, `timeout`, `unauthorised`, `unsafe-address`; and ServiceError of the sign-in
   * service.
   */
  async function signIn(typed: OAuthCredentials): Promise<OAuthCredentials> {
    cancel?.()
    const cancellation = Promise.withResolvers<never>()
    // It may be rejected before anyone awaits it.
    cancellation.promise.catch(() => undefined)
    const abort = (end: () => never) => {
      try {
        end()
      } catch (error) {
        cancellation.reject(error)
      }
    }
    const cancelThis = () => abort(() => fail('cancelled', CANCELLED))
    cancel = cancelThis
    const clearTimer = time.after(SIGN_IN_LIMIT, () => abort(() => fail('timeout', NOT_IN_TIME)))
    const listener = openRedirectListener()
    try {
      return await Promise.race([cancellation.promise, runSignIn(typed, listener)])
    } finally {
      clearTimer()
      listener.close()
      if (cancel === cancelThis) cancel = undefined
    }
  }

  async function runSignIn(
    typed: OAuthCredentials,
    listener: ReturnType<typeof openRedirectListener>
  ): Promise<OAuthCredentials> {
    const { tokens: _, endpoints: known, ...client } = typed
    const service = await openOAuthService(client, { fetch, now: time.now }, known)
    if (service.endpoints.authorize === undefined) fail('invalid', NO_PAGE, { fields: AT_ISSUER })
    const { address, ...checks } = await service.authorization(await listener.listen())
    listener.expectState(checks.state)
    if (listener.isClosed()) return fail('cancelled', CANCELLED)
    await openInBrowser(address)
    const grant = await service.exchange(await listener.redirect, checks)
    // Cancelled meanwhile: the grant will never be used, but would stay valid.
    if (listener.isClosed()) await service.revoke(grant.refresh ?? grant.access).catch(() => undefined)
    return { ...client, endpoints: service.endpoints, tokens: tokensOf(grant, time.now()) }
  }

  /** Revokes a sign-in that won't be stored: nobody would have its tokens, but they would stay valid. Never rejects. */
  async function abandon({ endpoints, tokens, ...client }: OAuthCredentials): Promise<void> {
    const token = tokens?.refresh ?? tokens?.access
    if (token === undefined) return
    try {
      await (await openOAuthService(client, { fetch, now: time.now }, endpoints)).revoke(token)
    } catch {
      // A sign-in service that is away can't be told.
    }
  }

  /** Abandons a sign-in unless it is used in time. */
  function startExpiry(id: string): () => void {
    return time.after(UNUSED_LIMIT, () => {
      const unused = finished.get(id)
      finished.delete(id)
      if (unused) void abandon(unused.signIn)
    })
  }

  return {
    signIn,
    abandon,

    /** As `signIn`, for typed credentials. Returns an id by which the account to be created refers to these tokens. */
    async begin(typed: CredentialsChange): Promise<string> {
      const credentials = readCredentials(typed)
      if (credentials.scheme !== 'oauth' || credentials.grant !== 'code')
        return fail('bad-input', 'This account doesn’t sign in with a browser.')
      const signedIn = await signIn(credentials)
      const id = newId()
      finished.set(id, { signIn: signedIn, cancelExpiry: startExpiry(id) })
      return id
    },

    /** Stops waiting for the browser. */
    cancel: (): void => cancel?.(),

    /** Adds the tokens of the sign-in to what was typed. @throws AppFailure `invalid` if nobody signed in with it. */
    withTokens({ signIn: id, ...typed }: TypedChange): CredentialsChange {
      if (typed.scheme !== 'oauth') return typed
      if (typed.grant === 'client' && id === undefined) return typed
      const found = id === undefined ? undefined : finished.get(id)
      const read = readCredentials(typed)
      if (!found || id === undefined || !isDeepStrictEqual(clientOf(read), clientOf(found.signIn)))
        return fail('invalid', SIGN_IN_AGAIN)
      // It mustn't expire while it is being stored.
      found.cancelExpiry()
      found.cancelExpiry = startExpiry(id)
      const { endpoints, tokens } = found.signIn
      return { ...typed, endpoints, tokens }
    },

    /** Stores tokens that were renewed during a test. */
    async storeRenewed(id: string | undefined, tokens: Tokens): Promise<void> {
      const found = finished.get(id ?? '')
      if (found) found.signIn = { ...found.signIn, tokens }
    },

    /** Forgets a sign-in that is now stored with an account. */
    discard(id: string | undefined): void {
      const found = finished.get(id ?? '')
      found?.cancelExpiry()
      finished.delete(id ?? '')
    }
  }
}

/** The client settings that a sign-in was made with; an API key next to them belongs to the signing service. */
function clientOf(credentials: AccountCredentials): unknown {
  if (credentials.scheme !== 'oauth') return undefined
  const { apiKey: _, endpoints: _endpoints, tokens: _tokens, ...client } = credentials
  return JSON.parse(JSON.stringify(client))
}

const CANCELLED = 'Sign-in was cancelled.'
const NOT_IN_TIME = 'Nobody signed in within 5 minutes.'
const NO_PAGE = 'This sign-in service doesn’t name a sign-in page. Enter its addresses.'
const AT_ISSUER = [{ field: 'authentication.issuer', message: NO_PAGE }]
const SIGN_IN_AGAIN = 'Sign in with your browser again.'

/** The loopback port to which the browser returns, once. */
function openRedirectListener() {
  const redirect = Promise.withResolvers<URL>()
  redirect.promise.catch(() => undefined)
  let state: string | undefined
  let isUsed = false
  let isClosed = false
  const server = createServer(
    { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 10_000 },
    (request, response) => {
      const { status, url } = checkRequest(request)
      respond(response, status)
      if (url) redirect.resolve(url)
    }
  )
  server.maxConnections = 16
  // The port mustn't keep the application running.
  server.unref()

  function checkRequest({ headers, method, url: path = '' }: IncomingMessage): { status: number; url?: URL } {
    const origin = serverOrigin()
    // Rejects foreign host names that resolve to this computer (DNS rebinding).
    if (`http://${headers.host}` !== origin) return { status: 421 }
    const url = URL.parse(path, origin)
    if (url?.origin !== origin || url.pathname !== PATH) return { status: 404 }
    if (method !== 'GET') return { status: 405 }
    if (state === undefined || !sameText(url.searchParams.get('state') ?? '', state)) return { status: 400 }
    if (isUsed) return { status: 410 }
    isUsed = true
    return { status: 200, url }
  }

  function serverOrigin(): string | undefined {
    const address = server.address() as AddressInfo | null
    return address ? `http://127.0.0.1:${address.port}` : undefined
  }

  return {
    /** Returns the redirect address. Rejects if no port is available. */
    async listen(): Promise<string> {
      if (isClosed) return fail('cancelled', CANCELLED)
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(0, '127.0.0.1', resolve)
      })
      return `${serverOrigin()}${PATH}`
    },
    expectState(expected: string): void {
      state = expected
    },
    redirect: redirect.promise,
    isClosed: () => isClosed,
    close(): void {
      isClosed = true
      server.close()
      // Responses in progress are completed.
      server.closeIdleConnections()
    }
  }
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function respond(response: ServerResponse, status: number): void {
  const text = status === 200 || status === 410 ? 'You can close this page and return to Countersign.' : UNRELATED_PAGE
  response
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close'
    })
    .end(
      `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Countersign</title><style>${STYLE}</style><h1>Countersign</h1><p>${text}</p></html>`
    )
}

const UNRELATED_PAGE = 'This page doesn’t belong to a sign-in that is under way. Start again in Countersign.'
const STYLE =
  'body{max-width:30em;margin:20vh auto;padding:0 1em;font:18px/1.5 system-ui,sans-serif}h1{font-size:1.3em}'
