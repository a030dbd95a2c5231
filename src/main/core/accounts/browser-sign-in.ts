/**
 * Signing in with the system's browser (RFC 8252): a person signs in at the office's own sign-in service, and the browser comes
 * back to a port of this computer that listens for that alone. Nothing is believed that another page sends there.
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

/** So long a person has in the browser, in milliseconds. */
export const SIGN_IN_LIMIT = 5 * 60_000
/** So long what they came back with may wait to be used. */
const WAITING_LIMIT = 30 * 60_000
const PATH = '/signed-in'

export interface BrowserSignInDeps {
  fetch: Fetch
  /** Opens an address in the system's browser. Rejects with AppFailure for one that isn't a plain web address. */
  openInBrowser: (address: string) => Promise<void>
  newId: () => string
  time: Pick<Time, 'now' | 'after'>
}

export type BrowserSignIn = ReturnType<typeof openBrowserSignIn>

/** What a screen sends: with the id of a sign-in in place of its tokens. */
export type TypedChange = CredentialsChange & { signIn?: string | undefined }

interface Finished {
  signIn: OAuthCredentials
  forget: () => void
}

export function openBrowserSignIn({ fetch, openInBrowser, newId, time }: BrowserSignInDeps) {
  const finished = new Map<string, Finished>()
  let cancel: (() => void) | undefined

  /**
   * Lets a person sign in, and answers with the tokens. One that is under way is given up.
   * @throws AppFailure `cancelled`, `timeout`, `unauthorised`, `unsafe-address`; and ServiceError of the sign-in service.
   */
  async function signIn(typed: OAuthCredentials): Promise<OAuthCredentials> {
    cancel?.()
    const given = Promise.withResolvers<never>()
    // It may be given up before anyone waits for it.
    given.promise.catch(() => undefined)
    const giveUp = (end: () => never) => {
      try {
        end()
      } catch (error) {
        given.reject(error)
      }
    }
    const mine = () => giveUp(() => fail('cancelled', CANCELLED))
    cancel = mine
    const untime = time.after(SIGN_IN_LIMIT, () => giveUp(() => fail('timeout', NOT_IN_TIME)))
    const return_ = openReturn()
    try {
      return await Promise.race([given.promise, asked(typed, return_)])
    } finally {
      untime()
      return_.close()
      if (cancel === mine) cancel = undefined
    }
  }

  async function asked(typed: OAuthCredentials, back: ReturnType<typeof openReturn>): Promise<OAuthCredentials> {
    const { tokens: _, endpoints: known, ...client } = typed
    const service = await openOAuthService(client, { fetch, now: time.now }, known)
    if (service.endpoints.authorize === undefined) fail('invalid', NO_PAGE, { fields: AT_ISSUER })
    const { address, ...checks } = await service.authorization(await back.listen())
    back.expect(checks.state)
    if (back.isClosed()) return fail('cancelled', CANCELLED)
    await openInBrowser(address)
    const grant = await service.exchange(await back.came, checks)
    // Given up meanwhile: nobody would ever use it, and it would be good all the same.
    if (back.isClosed()) await service.revoke(grant.refresh ?? grant.access).catch(() => undefined)
    return { ...client, endpoints: service.endpoints, tokens: tokensOf(grant, time.now()) }
  }

  return {
    signIn,

    /** The same of what was typed. Answers the id by which the account that is made of it says whose tokens are meant. */
    async begin(typed: CredentialsChange): Promise<string> {
      const credentials = readCredentials(typed)
      if (credentials.scheme !== 'oauth' || credentials.grant !== 'code')
        return fail('bad-input', 'This account doesn’t sign in with a browser.')
      const signedIn = await signIn(credentials)
      const id = newId()
      const forget = time.after(WAITING_LIMIT, () => void finished.delete(id))
      finished.set(id, { signIn: signedIn, forget })
      return id
    },

    /** Gives up waiting for the browser. */
    cancel: (): void => cancel?.(),

    /** What was typed, with the tokens of its sign-in. @throws AppFailure `invalid` where nobody signed in by it. */
    withTokens({ signIn: id, ...typed }: TypedChange): CredentialsChange {
      if (typed.scheme !== 'oauth') return typed
      if (typed.grant === 'client' && id === undefined) return typed
      const found = id === undefined ? undefined : finished.get(id)
      const read = readCredentials(typed)
      if (!found || !isDeepStrictEqual(clientOf(read), clientOf(found.signIn))) return fail('invalid', AGAIN)
      const { endpoints, tokens } = found.signIn
      return { ...typed, endpoints, tokens }
    },

    /** What was renewed while it was tried. */
    async renewed(id: string | undefined, tokens: Tokens): Promise<void> {
      const found = finished.get(id ?? '')
      if (found) found.signIn = { ...found.signIn, tokens }
    },

    /** It is kept with an account by now. */
    used(id: string | undefined): void {
      const found = finished.get(id ?? '')
      found?.forget()
      finished.delete(id ?? '')
    }
  }
}

/** What a person signed in by: a key beside it is the signing service's. */
function clientOf(credentials: AccountCredentials): unknown {
  if (credentials.scheme !== 'oauth') return undefined
  const { apiKey: _, endpoints: _endpoints, tokens: _tokens, ...client } = credentials
  return JSON.parse(JSON.stringify(client))
}

const CANCELLED = 'Sign-in was cancelled.'
const NOT_IN_TIME = 'Nobody signed in within 5 minutes.'
const NO_PAGE = 'This sign-in service has no page for people. Enter its addresses.'
const AT_ISSUER = [{ field: 'authentication.issuer', message: NO_PAGE }]
const AGAIN = 'Sign in with your browser again.'

/** The port of this computer to which the browser comes back, once. */
function openReturn() {
  const came = Promise.withResolvers<URL>()
  came.promise.catch(() => undefined)
  let state: string | undefined
  let isUsed = false
  let isClosed = false
  const server = createServer(
    { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 10_000 },
    (request, response) => {
      const { status, url } = judged(request)
      answer(response, status)
      if (url) came.resolve(url)
    }
  )
  server.maxConnections = 16
  // Nobody waits for a browser as the application ends.
  server.unref()

  function judged({ headers, method, url: path = '' }: IncomingMessage): { status: number; url?: URL } {
    const origin = originOf()
    // A name of the web that was made to point here.
    if (`http://${headers.host}` !== origin) return { status: 421 }
    const url = URL.parse(path, origin)
    if (url?.origin !== origin || url.pathname !== PATH) return { status: 404 }
    if (method !== 'GET') return { status: 405 }
    if (state === undefined || !sameText(url.searchParams.get('state') ?? '', state)) return { status: 400 }
    if (isUsed) return { status: 410 }
    isUsed = true
    return { status: 200, url }
  }

  function originOf(): string | undefined {
    const address = server.address() as AddressInfo | null
    return address ? `http://127.0.0.1:${address.port}` : undefined
  }

  return {
    /** The address to come back to. Rejects where there is no port. */
    async listen(): Promise<string> {
      if (isClosed) return fail('cancelled', CANCELLED)
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(0, '127.0.0.1', resolve)
      })
      return `${originOf()}${PATH}`
    },
    expect(expected: string): void {
      state = expected
    },
    came: came.promise,
    isClosed: () => isClosed,
    close(): void {
      isClosed = true
      server.close()
      // What is being answered is answered.
      server.closeIdleConnections()
    }
  }
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function answer(response: ServerResponse, status: number): void {
  const text = status === 200 || status === 410 ? 'You can close this page and return to Countersign.' : OTHER
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

const OTHER = 'This page doesn’t belong to a sign-in that is under way. Start again in Countersign.'
const STYLE =
  'body{max-width:30em;margin:20vh auto;padding:0 1em;font:18px/1.5 system-ui,sans-serif}h1{font-size:1.3em}'
