/**
 * The only entry point for the screens. Every request has its sender checked, is decoded by the contract, handled, and
 * answered as data; there's no other way to register one, and none can opt out.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { z } from 'zod'
import {
  type AppError,
  type DecodedInput,
  handedOverRequestNames,
  personRequestNames,
  type RequestName,
  type Requests,
  type Result,
  requestNames,
  requests
} from '../../shared/contract/index.ts'
import { asAppError } from '../core/errors/app-error.ts'

/** A handler's result: the contract's reply, or nothing if that is null. */
type Answer<Name extends RequestName> = Requests[Name]['reply'] extends null | undefined
  ? Promise<void>
  : Promise<Exclude<Requests[Name]['reply'], undefined>>

/** office: the office's window. person: the window on the second display, where someone signs. */
export type Role = 'office' | 'person'

export interface RequestContext {
  /** Which of our pages sent the request. */
  from: Role
  /** Whether the requesting page still exists and may still ask for this; check again after each await on a user. */
  stillAsking(): boolean
}

type RequestHandler<Name extends RequestName> = (input: DecodedInput<Name>, context: RequestContext) => Answer<Name>

/** A handler for each request: a missing one is a compile error. */
export type RequestHandlers = { [Name in RequestName]: RequestHandler<Name> }

/** The handlers of whole domains, as in `HandlersOf<'drafts' | 'presets'>`. */
export type HandlersOf<Domain extends string> = Pick<RequestHandlers, Extract<RequestName, `${Domain}.${string}`>>

export interface Registration<Event> {
  /** `ipcMain.handle`, or a test's equivalent. */
  handle(channel: string, listener: (event: Event, ...args: unknown[]) => Promise<unknown>): void
  /** The event's sender; undefined unless it is the main frame of one of our windows while that shows our own page. */
  roleOf(event: Event): Role | undefined
  /** Whether a signer has the office's window, or it is locked. */
  isAway(): boolean
  /** Resolves once it is back with staff. */
  whenHandedBack(): Promise<void>
  /** Called before any handler. @throws AppFailure if the organisation has set what the request would change. */
  authorise(name: RequestName, input: unknown): void
  handlers: RequestHandlers
  log: { error(message: string, detail?: Record<string, unknown>): void }
}

/**
 * The account named by the request being handled, if any. Only set for the screens' requests: see `chosenId` and
 * `shownIds` in accounts.ts, and decision 48.
 */
export const namedAccount = new AsyncLocalStorage<string>()

/** A request's second argument: the account it is for, if not those that are shown. */
const AccountId = z.string().min(1).max(100).optional()

const ASKED_BY_PERSON: ReadonlySet<string> = new Set(personRequestNames)
const ASKED_WHILE_HANDED_OVER: ReadonlySet<string> = new Set(handedOverRequestNames)
const NOT_ALLOWED: AppError = { code: 'not-allowed', message: 'This screen isn’t allowed to do that.' }

/**
 * Registers a handler for each of the contract's requests.
 * @throws Error if a request has no handler: the application mustn't start incomplete.
 */
export function registerHandlers<Event>(registration: Registration<Event>): void {
  for (const name of requestNames) {
    if (typeof registration.handlers[name] !== 'function') throw new Error(`No handler for "${name}".`)
  }
  for (const name of requestNames) {
    registration.handle(name, (event, ...args) => handleRequest(registration, name, event, args))
  }
}

async function handleRequest<Event>(
  { roleOf, isAway, whenHandedBack, authorise, handlers, log }: Registration<Event>,
  name: RequestName,
  event: Event,
  args: unknown[]
): Promise<Result<unknown>> {
  const from = roleOf(event)
  if (!from || (from === 'person' && !ASKED_BY_PERSON.has(name))) {
    log.error('A request of a page that may not make it was refused.', { request: name })
    return { ok: false, error: NOT_ALLOWED }
  }
  const isThere = () => roleOf(event) === from
  const mayAsk = () => from === 'person' || ASKED_WHILE_HANDED_OVER.has(name) || !isAway()
  // While a signer has the window, or it is locked, the office's page stays behind and may still send requests; these
  // wait, so that it misses nothing.
  while (!mayAsk()) await whenHandedBack()
  if (!isThere()) return { ok: false, error: NOT_ALLOWED }
  const named = AccountId.safeParse(args[1])
  const hasValidShape = args.length <= 2 && named.success && (named.data === undefined || from === 'office')
  const decoded = hasValidShape ? requests[name].input.safeParse(args[0], { error: lengthInWords }) : undefined
  if (!decoded?.success) {
    const fields = decoded?.error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }))
    log.error('A request was not of its shape.', { request: name, fields: fields?.map(({ field }) => field) })
    return {
      ok: false,
      error: {
        code: 'bad-input',
        message: 'Something in this request isn’t valid, so nothing was done.',
        ...(fields && { fields: fields.slice(0, 20) })
      }
    }
  }
  const context = { from, stillAsking: () => isThere() && mayAsk() }
  const handler: RequestHandler<never> = async (input, context) => {
    authorise(name, input)
    const handle = () => (handlers[name] as RequestHandler<never>)(input, context)
    return named.data === undefined ? handle() : namedAccount.run(named.data, handle)
  }
  const result = await runHandler(handler, decoded.data, context, name, log)
  // The page may have gone or navigated while the handler ran: the answer isn't for its successor.
  return isThere() ? result : { ok: false, error: NOT_ALLOWED }
}

/** Explains a text's length error for the user; forms prevent all other errors. */
function lengthInWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_big' && issue.origin === 'string') return `Use at most ${issue.maximum} characters.`
  if (issue.code !== 'too_small' || issue.origin !== 'string') return undefined
  return issue.minimum === 1 ? 'This can’t be blank.' : `Use at least ${issue.minimum} characters.`
}

async function runHandler(
  handler: (input: never, context: RequestContext) => Promise<unknown>,
  input: unknown,
  context: RequestContext,
  name: RequestName,
  log: Registration<unknown>['log']
): Promise<Result<unknown>> {
  try {
    return { ok: true, value: (await handler(input as never, context)) ?? null }
  } catch (thrown) {
    const error = asAppError(thrown)
    // Only the error's class name is logged; its message could contain user input.
    if (error.code === 'internal') log.error('A request failed unexpectedly.', { request: name, error: kindOf(thrown) })
    return { ok: false, error }
  }
}

function kindOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.constructor.name : typeof thrown
}
