/**
 * Lets actions leave, one after another per account and in their order: at once where the line is up, else when it is back.
 * One that had to wait is compared with the document as it is by then; see still-fits.ts.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { AppFailure } from '../lib/failure.ts'
import { backoff } from '../lib/retry.ts'
import { type Action, mayWait } from './action-record.ts'
import type { ActionRecords } from './action-records.ts'
import { attempt, type Ending } from './attempt.ts'
import { beforeOf } from './before.ts'
import type { ActingClient, ActionEffects } from './effects.ts'
import { readAfresh } from './fresh-look.ts'
import { type Outgoing, outgoingOf, type Subject } from './outgoing.ts'
import { refuseChanged } from './still-fits.ts'

/** How long to wait after the first time that the line was found down, in milliseconds. */
const FIRST_WAIT = 5_000

export interface DepartureParts {
  effects: ActionEffects
  records: ActionRecords
  /** Writes down what came of an attempt. */
  ended: (action: Action, ending: Ending) => Promise<void>
  /** An action leaves now: what was seen before says nothing of this attempt. */
  left: (id: string) => void
  changed: (id: string) => void
}

interface Place {
  running?: Promise<void> | undefined
  failures: number
  cancel?: (() => void) | undefined
}

export function openDepartures({ effects, records, ended, left, changed }: DepartureParts) {
  const { clock, describe } = effects
  const places = new Map<string, Place>()
  /** Asked for just now, by a person who sees the document: those leave without another look. */
  const fresh = new Set<string>()
  let isClosed = false

  function placeOf(accountId: string): Place {
    const known = places.get(accountId)
    if (known) return known
    const place: Place = { failures: 0 }
    places.set(accountId, place)
    return place
  }

  /** Has what waits of an account leave now, or right after what is under way. Resolves once nothing more can. */
  function go(accountId: string): Promise<void> {
    const place = placeOf(accountId)
    place.cancel?.()
    place.cancel = undefined
    place.running ??= leaveAll(accountId)
      // What can't be written just now is tried again, as what can't leave is.
      .catch(() => later(accountId))
      .finally(() => {
        place.running = undefined
      })
    return place.running
  }

  async function leaveAll(accountId: string): Promise<void> {
    const passed = new Set<string>()
    let trouble: AppError | undefined
    for (;;) {
      if (isClosed) return
      const next = records.ofAccount(accountId, 'waiting').find(({ id }) => !passed.has(id))
      if (!next) break
      passed.add(next.id)
      if (fresh.delete(next.id)) {
        const met = await leave(next)
        if (met) return hold(accountId, met)
      } else if (!trouble) {
        // What was asked for just now needs no look at the folders: it is tried though they can't be read.
        trouble = await leaveLate(next)
      }
    }
    if (trouble) await hold(accountId, trouble)
  }

  /** The line is down for all that would follow: what may wait does, and everything else is refused. */
  async function hold(accountId: string, error: AppError): Promise<void> {
    for (const action of records.ofAccount(accountId, 'waiting')) {
      fresh.delete(action.id)
      if (!mayWait(action)) await ended(action, { kind: 'refused', error: notLater(error) })
      else if (records.change(action.id, { error })) changed(action.id)
    }
    // The keychain would ask the person each time.
    if (error.code === 'keychain') return
    if (records.ofAccount(accountId, 'waiting').length > 0) later(accountId, error.retryAfterMs)
  }

  function later(accountId: string, atLeast = 0): void {
    if (isClosed) return
    const place = placeOf(accountId)
    const wait = Math.max(atLeast, backoff(FIRST_WAIT, ++place.failures, effects.random))
    place.cancel?.()
    place.cancel = effects.schedule(() => void go(accountId), wait)
  }

  /** Answers what was wrong with the line; undefined where the action has ended otherwise. */
  async function leaveLate(action: Action): Promise<AppError | undefined> {
    const { accountId, reference, id } = action
    let look = new Map()
    try {
      look = await readAfresh(effects, accountId, new Set([reference]))
      // What moves from one folder to another just then is missed once, hardly twice.
      if (!look.has(reference)) look = await readAfresh(effects, accountId, new Set([reference]))
    } catch (error) {
      return describe(error)
    }
    if (records.find(id)?.state !== 'waiting') return undefined
    if (!look.has(reference)) {
      await ended(action, { kind: 'refused', error: NOT_THERE })
      return undefined
    }
    return leave(action, (document) => refuseChanged(action, document))
  }

  async function leave(action: Action, judge?: (document: Subject['document']) => void): Promise<AppError | undefined> {
    let outgoing: Outgoing
    let subject: Subject
    let client: ActingClient
    try {
      subject = await subjectOf(effects, action.accountId, action.reference)
      judge?.(subject.document)
      outgoing = outgoingOf(action.request, subject, clock())
    } catch (error) {
      const trouble = describe(error)
      // Something of this workstation doesn't work just now: that is no verdict on the action.
      if (!(error instanceof AppFailure) || OURS.has(trouble.code)) return trouble
      await ended(action, { kind: 'refused', error: trouble })
      return undefined
    }
    try {
      client = await effects.clientOf(action.accountId)
    } catch (error) {
      return describe(error)
    }
    // A person may have taken it back while it was looked at.
    if (isClosed || records.find(action.id)?.state !== 'waiting') return undefined
    const before = beforeOf(action.request, subject.document)
    // On the disk before anything leaves: what a crash leaves behind is in doubt, never thought not to have left.
    const running = records.change(action.id, { state: 'running', attemptedAt: clock(), before, error: undefined })
    if (!running) return undefined
    left(action.id)
    changed(action.id)
    const ending = await attempt(client, outgoing, describe)
    if (ending.kind !== 'line') {
      placeOf(action.accountId).failures = 0
      await ended(running, ending)
      return undefined
    }
    records.change(action.id, { state: 'waiting', error: ending.error })
    return ending.error
  }

  return {
    go,

    /** Has an action leave that a person asked for just now. */
    goFresh(action: Pick<Action, 'id' | 'accountId'>): Promise<void> {
      fresh.add(action.id)
      const { running } = placeOf(action.accountId)
      // What is under way may be past the point where it looks for more.
      return running ? running.then(() => go(action.accountId)) : go(action.accountId)
    },

    /** Something was heard of the line: what waits tries now. */
    lineChanged(): void {
      for (const accountId of new Set(records.inState('waiting').map((action) => action.accountId))) {
        placeOf(accountId).failures = 0
        void go(accountId)
      }
    },

    /** Lets nothing leave any more. Resolves once what is under way has ended. */
    async close(): Promise<void> {
      isClosed = true
      for (const place of places.values()) place.cancel?.()
      await Promise.all([...places.values()].map(({ running }) => running))
    }
  }
}

/** The document as it is kept, with the others of its package. @throws AppFailure `gone`. */
export async function subjectOf(
  { ask }: Pick<ActionEffects, 'ask'>,
  accountId: string,
  reference: string
): Promise<Subject> {
  const mirrored = await ask('get', { accountId, reference })
  if (!mirrored || mirrored.goneAt !== undefined) throw new AppFailure(NOT_THERE)
  const { document } = mirrored
  const { PackageReference } = document
  const whole = PackageReference ? await ask('inPackage', { accountId, packageReference: PackageReference }) : []
  const others = whole.filter((one) => one.document.Reference !== reference && one.goneAt === undefined)
  return { document, others: others.map((one) => one.document) }
}

function notLater(error: AppError): AppError {
  return { ...error, message: `${error.message} Nothing was done, and it isn’t done by itself later.` }
}

/** What fails here, not there: it passes, or a person mends it. */
const OURS: ReadonlySet<ErrorCode> = new Set(['storage', 'no-space', 'not-writable', 'internal', 'keychain'])

const NOT_THERE: AppError = {
  code: 'gone',
  message: 'The service’s folders don’t show this document any more, so nothing was done.',
  mayHaveArrived: false
}
