/**
 * The practice service: all of the reference's section 4, its conventions and errors, and pages on which people really
 * sign, as one function from Request to Response over a given state. Callers needn't know that it isn't the real one.
 */
import { Hono } from 'hono'
import { type AuthScheme, createAuthentication } from './authentication.ts'
import { type Address, answer, PAGES, Refusal, readFormat, readPath } from './conventions.ts'
import { type Call, dialectsOf, type Env, type PracticeDeps } from './deps.ts'
import { type Conditions, hasOperation } from './dialects.ts'
import { DAY, expireAndPurge } from './life.ts'
import { createNotifier } from './notify.ts'
import { createOAuth } from './oauth.ts'
import { addOperations } from './operations.ts'
import { addMailbox } from './pages/mailbox.ts'
import { addSigningPages } from './pages/routes.ts'
import { type Clock, type RandomBytes, systemClock, systemRandom } from './sources.ts'
import type { PracticeState, SentPackage } from './state.ts'
import { runVolunteers } from './volunteers.ts'

export interface PracticeServiceOptions {
  state: PracticeState
  auth?: AuthScheme
  /**
   * Restricts paths to this base, in any case (`/web/v1.4`). If missing, whatever precedes an operation is its base.
   */
  basePath?: string
  clock?: Clock
  random?: RandomBytes
  /** Calls the NotifyUrls of sends. */
  notify?: typeof fetch
  /** Enables the page that lists all invitations with their links. Secret. If missing, there's no such page. */
  mailboxKey?: string
  /** Days that a document is retained after it ended. Default: 90. */
  retentionDays?: number
  /** Called after anything in the state may have changed. */
  stateChanged?: () => void
  /** Called with the kind of grant whenever the sign-in service gives an access token. */
  tokenIssued?: (grantType: string) => void
  /** Called with each sent package; the answer waits for it. */
  packageSent?: (sent: SentPackage) => Promise<void>
}

/** A request as read, before it was carried out, with exactly the fields that were sent. */
export interface RecordedRequest {
  operation: string
  at: number
  body: unknown
}

export type PracticeService = ReturnType<typeof createPracticeService>

const MAX_RECORDED = 1000

export function createPracticeService(options: PracticeServiceOptions) {
  // Until then, time changes nothing, so that a large office isn't scanned at each request.
  let quietUntil = 0
  const own = options.clock ?? systemClock
  const clock = { now: () => own.now() + (options.state.conditions?.clockAhead ?? 0) * 1000 }
  const deps: PracticeDeps = {
    state: options.state,
    clock,
    random: options.random ?? systemRandom,
    notifier: createNotifier(options.notify ?? fetch),
    stateChanged: () => {
      quietUntil = 0
      options.stateChanged?.()
    },
    packageSent: async (sent) => options.packageSent?.(sent)
  }
  const retention = (options.retentionDays ?? 90) * DAY
  const recorded: RecordedRequest[] = []
  const passTime = () => {
    const now = deps.clock.now()
    if (now < quietUntil) return
    const { expired, next } = expireAndPurge(deps.state, now, retention)
    const acted = runVolunteers(deps.state, now)
    for (const document of expired) deps.notifier.notify(document, ['Expired'])
    for (const { document, events } of acted.actions) deps.notifier.notify(document, events)
    if (expired.length + acted.actions.length > 0) deps.stateChanged()
    quietUntil = Math.min(next, acted.next)
  }
  const record = (operation: string, body: unknown) => {
    recorded.push({ operation, at: deps.clock.now(), body })
    if (recorded.length > MAX_RECORDED) recorded.shift()
  }

  /** The first two path segments of each operation; a base path ends before them. */
  const operations = new Set<string>()
  const addressOf = (url: string) => readPath(new URL(url).pathname, operations, options.basePath)
  const app = new Hono<Env>({ getPath: (request) => addressOf(request.url)?.route ?? '/' })
  app.use(async (call, next) => {
    const url = new URL(call.req.url)
    const address = addressOf(call.req.url)
    passTime()
    call.set('format', { kind: 'json' })
    call.set('address', address ?? { base: '', route: '/' })
    call.set('title', address?.route.split('/')[2] ?? 'Not found')
    if (address && isPage(address)) return next()
    call.set('format', readFormat(url, address?.suffix, call.req.header('accept') ?? null))
    await next()
  })
  const auth = options.auth ?? { scheme: 'none' }
  const signIn = auth.scheme === 'oauth' ? createOAuth(auth, deps.clock, deps.random, options.tokenIssued) : undefined
  const authenticate = createAuthentication(auth, deps.clock, signIn)
  app.use(async (call, next) => {
    if (!isPage(call.get('address'))) {
      const { refusal } = deps.state.conditions ?? {}
      if (refusal === 'maintenance') return maintenance()
      await authenticate(call.req.raw)
      if (refusal !== undefined) throw BAD_DAYS[refusal]()
      if (!hasOperation(dialectsOf(deps.state), call.get('address').route)) throw noSuchOperation(call)
    }
    await next()
    call.res.headers.set('Date', new Date(clock.now()).toUTCString())
  })
  addOperations(app, deps, record)
  for (const { path, method } of app.routes) {
    if (method !== 'ALL') operations.add(path.split('/').slice(1, 3).join('/'))
  }
  addSigningPages(app, deps)
  if (options.mailboxKey !== undefined) addMailbox(app, deps, options.mailboxKey)
  /** Answers a refusal with this service's body, status and date. */
  const refuse = (call: Call, refusal: Refusal): Response => {
    const format = call.get('format') ?? { kind: 'json' }
    const response = dialectsOf(deps.state).has('plain-bodies')
      ? new Response(refusal.message, { status: refusal.status, headers: { 'Content-Type': 'text/plain' } })
      : answer(refusal.body, format, refusal.code, refusal.status)
    if (refusal.status === 401) response.headers.set('WWW-Authenticate', 'Bearer')
    if (refusal.status === 429) response.headers.set('Retry-After', RETRY_AFTER)
    response.headers.set('Date', new Date(clock.now()).toUTCString())
    return response
  }
  app.notFound((call) => refuse(call, noSuchOperation(call)))
  app.onError((error, call) => {
    if (error instanceof Refusal) return refuse(call, error)
    return refuse(call, new Refusal(500, 'Error', 'The practice service failed on this request.'))
  })

  return {
    fetch: async (request: Request): Promise<Response> => (await signIn?.answer(request)) ?? app.fetch(request),
    /** The sign-in service of an office with `oauth`. */
    signIn,
    state: deps.state,
    /** Simulates these conditions until changed. */
    setConditions(conditions: Conditions): void {
      deps.state.conditions = conditions
      deps.stateChanged()
    },
    /** Readable POST requests, newest last; the last thousand are kept. */
    recorded: (): readonly RecordedRequest[] => recorded,
    /** Lets time pass: documents expire, or are removed after the retention period. Requests do this automatically. */
    passTime: passTime,
    /** Resolves once no NotifyUrl call is in flight. */
    whenNotified: () => deps.notifier.whenIdle()
  }
}

function isPage(address: Address): boolean {
  return PAGES.has(address.route.split('/')[1] ?? '')
}

/** 405 for a known operation with the wrong method; otherwise 404. */
function noSuchOperation(call: Call): Refusal {
  const steps = call.get('address').route.split('/').length
  if (steps < 3 || isPage(call.get('address'))) return new Refusal(404, 'NotFound', 'There is no such operation.')
  return new Refusal(405, 'MethodNotAllowed', `The operation can't be called by ${call.req.method} with this path.`)
}

/** Value of the Retry-After header, in seconds. */
const RETRY_AFTER = '5'

const BAD_DAYS = {
  '402': () => new Refusal(402, 'PaymentRequired', 'The account is on hold.'),
  '403': () => new Refusal(403, 'Forbidden', 'The account may not do this.'),
  '426': () => new Refusal(426, 'NotEnoughDocuments', 'The plan has no documents left.'),
  '429': () => new Refusal(429, 'TooManyRequests', 'Too many requests. Ask again later.'),
  '500': () => new Refusal(500, 'Error', 'The service failed on this request.')
}

/** A maintenance page for people, whatever was requested. */
function maintenance(): Response {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Retry-After': RETRY_AFTER }
  return new Response('<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>', {
    status: 503,
    headers
  })
}
