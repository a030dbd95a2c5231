/**
 * Finds out what became of uncertain actions that the folders show: a look that shows what was asked settles it, and two
 * looks a minute apart that show the document as it was before, after the attempt's own time is over, do so, too.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { backoff } from '../lib/retry.ts'
import { TIME_LIMITS } from '../service/time-limits.ts'
import { type Action, canBeChecked } from './action-record.ts'
import type { ActionRecords } from './action-records.ts'
import type { Ending } from './attempt.ts'
import { shownBy } from './before.ts'
import type { ActionEffects } from './effects.ts'
import { readAfresh } from './fresh-look.ts'

/** How long after a first look a second one says more, in milliseconds. */
const SECOND_LOOK_AFTER = 60_000
/** Until then a request that is on its way may still arrive, in milliseconds. */
const ATTEMPT_LIMIT = TIME_LIMITS.send.total
const FIRST_WAIT = 5_000

/** What this run's looks have shown of an action. */
interface Seen {
  /** early: as before, while the request might still arrive. final: looking says no more, a person must. */
  kind: 'early' | 'as before' | 'not there' | 'final'
  /** When that look began, on this run's clock. */
  at: number
}

export interface LookParts {
  effects: Pick<ActionEffects, 'ask' | 'refresh' | 'describe' | 'elapsed' | 'random' | 'schedule'>
  records: ActionRecords
  /** Writes down what a look has shown. */
  concluded: (action: Action, ending: Ending) => Promise<void>
  changed: (id: string) => void
}

interface Place {
  failures: number
  until: number
  running?: Promise<void> | undefined
  cancel?: (() => void) | undefined
}

export function openLooks({ effects, records, concluded, changed }: LookParts) {
  const { elapsed } = effects
  const places = new Map<string, Place>()
  const seen = new Map<string, Seen>()
  /** When this run tried an action last; for those of an earlier run, when this run began. */
  const tried = new Map<string, number>()
  const begun = elapsed()
  let isClosed = false

  const triedAt = (id: string) => tried.get(id) ?? begun
  const sought = (accountId: string) => records.ofAccount(accountId, 'uncertain').filter(canBeChecked)

  function placeOf(accountId: string): Place {
    const known = places.get(accountId)
    if (known) return known
    const place: Place = { failures: 0, until: 0 }
    places.set(accountId, place)
    return place
  }

  /** When another look says more, on this run's clock; undefined where only a person can. */
  function worthwhileAt(id: string): number | undefined {
    const before = seen.get(id)
    switch (before?.kind) {
      case undefined:
        return 0
      case 'final':
        return undefined
      case 'early':
        return Math.max(before.at, triedAt(id) + ATTEMPT_LIMIT)
      case 'as before':
      case 'not there':
        return before.at + SECOND_LOOK_AFTER
    }
  }

  /** Sees to it that the account's folders are looked at when that is worth it. */
  function plan(accountId: string): void {
    const place = placeOf(accountId)
    place.cancel?.()
    place.cancel = undefined
    if (isClosed || place.running) return
    const times = sought(accountId).flatMap(({ id }) => worthwhileAt(id) ?? [])
    if (times.length === 0) return
    const wait = Math.max(0, Math.max(Math.min(...times), place.until) - elapsed())
    place.cancel = effects.schedule(() => void look(accountId).catch(() => undefined), wait)
  }

  /** Looks now, or joins the look that is under way. Rejects with what reading throws. */
  function look(accountId: string): Promise<void> {
    const place = placeOf(accountId)
    place.cancel?.()
    place.cancel = undefined
    place.running ??= lookOnce(accountId, place).finally(() => {
      place.running = undefined
      if (!isClosed) plan(accountId)
    })
    return place.running
  }

  async function lookOnce(accountId: string, place: Place): Promise<void> {
    const at = elapsed()
    const actions = sought(accountId)
    if (actions.length === 0) return
    try {
      const shown = await readAfresh(effects, accountId, new Set(actions.map(({ reference }) => reference)))
      place.failures = 0
      place.until = 0
      for (const { id } of actions) await follow(id, at, shown)
    } catch (error) {
      place.until = elapsed() + backoff(FIRST_WAIT, ++place.failures, effects.random)
      throw error
    }
  }

  async function follow(id: string, at: number, shown: ReadonlyMap<string, MirroredDocument>): Promise<void> {
    const action = records.find(id)
    // A person, or another attempt, may have decided meanwhile.
    if (isClosed || action?.state !== 'uncertain' || triedAt(id) > at) return
    const mirrored = shown.get(action.reference)
    const verdict = mirrored ? shownBy(action.request, action.before, mirrored.document) : 'not there'
    const before = seen.get(id)
    switch (verdict) {
      case 'as asked':
        seen.delete(id)
        return concluded(action, { kind: 'done' })
      case 'as before': {
        if (at < triedAt(id) + ATTEMPT_LIMIT) return remember(action, { kind: 'early', at })
        if (before?.kind !== 'as before') return remember(action, { kind: 'as before', at })
        if (at < before.at + SECOND_LOOK_AFTER) return
        seen.delete(id)
        return concluded(action, { kind: 'refused', error: DID_NOT_ARRIVE })
      }
      case 'not there': {
        if (before?.kind !== 'not there') return remember(action, { kind: 'not there', at })
        if (at < before.at + SECOND_LOOK_AFTER) return
        return remember(action, { kind: 'final', at }, NOT_SHOWN)
      }
      default:
        return remember(action, { kind: 'final', at }, OTHERWISE)
    }
  }

  function remember(action: Action, now: Seen, error?: AppError): void {
    seen.set(action.id, now)
    if (error) records.change(action.id, { error })
    changed(action.id)
  }

  return {
    plan,
    /** Looks now, after the look that is under way. Rejects with what reading throws. */
    async lookAnew(accountId: string): Promise<void> {
      await placeOf(accountId).running?.catch(() => undefined)
      await look(accountId)
    },
    /** An action leaves now: what was seen before says nothing of this attempt. */
    left(id: string): void {
      tried.set(id, elapsed())
      seen.delete(id)
    },
    /** Something was heard of the line: looks that failed are tried now. */
    lineChanged(): void {
      for (const accountId of new Set(records.inState('uncertain').map((action) => action.accountId))) {
        Object.assign(placeOf(accountId), { failures: 0, until: 0 })
        plan(accountId)
      }
    },
    async close(): Promise<void> {
      isClosed = true
      for (const place of places.values()) place.cancel?.()
      await Promise.allSettled([...places.values()].map(({ running }) => running))
    }
  }
}

const DID_NOT_ARRIVE: AppError = {
  code: 'timeout',
  message: 'It did not arrive: the service shows the document as it was before. Do it again if it is still wanted.',
  mayHaveArrived: false
}
const NOT_SHOWN: AppError = {
  code: 'timeout',
  message: 'The service’s folders don’t show this document any more, so they can’t tell whether it was done.',
  mayHaveArrived: true
}
const OTHERWISE: AppError = {
  code: 'conflict',
  message: 'The document is neither as it was nor as was asked: somebody else may have changed it.',
  next: 'Look at it, and say.',
  mayHaveArrived: true
}
