/**
 * Finds out by itself what became of uncertain sends. All of an account share one look at its folders. It takes two looks,
 * `SETTLING_TIME` apart on the clock that never jumps, to say that a send did not arrive: looks of an earlier run don't
 * count. One that fails or isn't complete says nothing of what it didn't find.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { Changes } from './changes.ts'
import { doubtOf, isOpen, packageOf } from './doubts.ts'
import type { OutboxEffects } from './effects.ts'
import { backoff } from './patience.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'
import { judge, type Known, type Sight, sightOf, type Verdict } from './traces.ts'

/** How long after a first look a second one decides, in milliseconds: the service may still be at work on it. */
export const SETTLING_TIME = 60_000
/** Up to this age of its attempt a send that is not there goes again by itself; later its documents may have been removed. */
const YOUNG = 30 * 60_000
const MOST_ATTEMPTS = 3
const FIRST_WAIT = 5_000
/** How long the main thread is held at a time, in milliseconds. */
const SLICE = 5

export interface LookParts {
  effects: Pick<OutboxEffects, 'db' | 'readAllFolders' | 'clock' | 'elapsed' | 'random' | 'schedule'>
  sends: Sends
  changes: Changes
  /** What becomes of a send that may leave again: `cancelled` where its batch was. */
  backTo: (send: Send) => 'ready' | 'cancelled'
  /** Called when a send of the account may go again. */
  again: (accountId: string) => void
}

/** What this run's looks said of a send. */
interface Seen {
  kind: 'missing' | 'doubt'
  /** When the first look that said so began. */
  at: number
  /** A second one said the same: looking doesn't help any more. */
  isFinal: boolean
}

interface Place {
  failures: number
  /** Not before this moment, after a look that failed. */
  until: number
  running?: Promise<boolean> | undefined
  following?: Promise<boolean> | undefined
  cancel?: (() => void) | undefined
}

export type Looks = ReturnType<typeof openLooks>

export function openLooks({ effects, sends, changes, backTo, again }: LookParts) {
  const { clock, elapsed, schedule } = effects
  const seen = new Map<string, Seen>()
  const places = new Map<string, Place>()
  let isOpened = false

  function placeOf(accountId: string): Place {
    const known = places.get(accountId)
    if (known) return known
    const place: Place = { failures: 0, until: 0 }
    places.set(accountId, place)
    return place
  }

  /** When a send is looked for next; undefined where a person must say. */
  function nextAt(send: Send): number | undefined {
    const before = seen.get(send.id)
    if (before?.isFinal) return undefined
    return Math.max(before ? before.at + SETTLING_TIME : 0, placeOf(send.accountId).until)
  }

  const uncertainOf = (accountId: string) => sends.unsettled(accountId).filter(({ state }) => state === 'uncertain')

  /** Sees to it that the account's folders are looked at when that is due. */
  function plan(accountId: string): void {
    const place = placeOf(accountId)
    place.cancel?.()
    if (!isOpened || place.running) return
    const times = uncertainOf(accountId).flatMap((send) => nextAt(send) ?? [])
    if (times.length === 0) return
    const wait = Math.max(0, Math.min(...times) - elapsed())
    place.cancel = schedule(() => void ask(accountId).catch(() => undefined), wait)
  }

  /** Looks now, or right after the look that is under way. Answers whether all could be read. @throws what reading throws. */
  function ask(accountId: string): Promise<boolean> {
    const place = placeOf(accountId)
    place.cancel?.()
    if (place.running) {
      place.following ??= place.running
        .catch(() => undefined)
        .then(() => {
          place.following = undefined
          return ask(accountId)
        })
      return place.following
    }
    const running = look(accountId, place).finally(() => {
      place.running = undefined
      plan(accountId)
    })
    place.running = running
    return running
  }

  async function look(accountId: string, place: Place): Promise<boolean> {
    const begun = elapsed()
    const sought = uncertainOf(accountId)
    try {
      const { documents, isComplete } = await effects.readAllFolders(accountId)
      if (isOpened) await settle(sought, sightOf(documents), isComplete, begun)
      if (isComplete) Object.assign(place, { failures: 0, until: 0 })
      else later(place)
      return isComplete
    } catch (error) {
      later(place)
      throw error
    } finally {
      // When it is looked for next has changed, too.
      for (const { id, batchId } of sought) changes.send(id, batchId)
    }
  }

  function later(place: Place): void {
    place.until = elapsed() + backoff(FIRST_WAIT, ++place.failures, effects.random)
  }

  async function settle(sought: readonly Send[], sight: Sight, isComplete: boolean, begun: number): Promise<void> {
    let since = performance.now()
    for (const { id } of sought) {
      if (performance.now() - since > SLICE) {
        await new Promise((resume) => setImmediate(resume))
        since = performance.now()
      }
      // Another look, or a person, may have settled it while this one was under way; or the application is ending.
      const send = isOpened ? sends.find(id) : undefined
      if (send?.state === 'uncertain') settleOne(send, sight, isComplete, begun)
    }
  }

  function settleOne(send: Send, sight: Sight, isComplete: boolean, begun: number): void {
    const verdict = judge({ send, content: sends.requestOf(send) }, sight, knownOf(send))
    const before = seen.get(send.id)
    let next: Send | undefined
    try {
      next = effects.db.transaction(() => afterLook(send, verdict, isComplete, begun))()
    } catch (error) {
      // What could not be written down was not seen.
      if (before) seen.set(send.id, before)
      else seen.delete(send.id)
      throw error
    }
    if (!next) return
    if (next.state !== 'uncertain') seen.delete(send.id)
    if (next.state === 'ready') again(send.accountId)
    else if (next.state !== 'uncertain') changes.draft(send.draftId)
  }

  function afterLook(send: Send, verdict: Verdict, isComplete: boolean, begun: number): Send | undefined {
    if (verdict.kind === 'found') return sends.taken(send, packageOf(verdict.documents), clock())
    if (!isComplete || verdict.kind === 'unclear') return undefined
    if (verdict.kind === 'doubt') {
      note(send, 'doubt', begun)
      return sends.change(send, { doubt: doubtOf(sends.requestOf(send), verdict.documents), error: DOUBTFUL })
    }
    if (send.doubt && isOpen(send, send.doubt, knownOf(send).isClaimed)) {
      // What might have been it was there and is gone: that is no proof that it never arrived.
      note(send, 'doubt', begun)
      return undefined
    }
    if (!note(send, 'missing', begun)) return send.doubt && sends.change(send, { doubt: undefined })
    if (!isYoung(send)) {
      return sends.change(send, { state: 'not-sent', doubt: undefined, error: NOT_THERE, settledAt: clock() })
    }
    const state = backTo(send)
    return sends.change(send, { state, doubt: undefined, error: undefined, goesAt: 0, isScheduled: false })
  }

  /** Remembers what a complete look said; answers whether an earlier one, long enough ago, said the same. */
  function note({ id }: Send, kind: Seen['kind'], begun: number): boolean {
    const before = seen.get(id)
    const isSame = before?.kind === kind
    const at = isSame ? before.at : begun
    const isFinal = isSame && begun - before.at >= SETTLING_TIME
    seen.set(id, { kind, at, isFinal: isFinal && kind === 'doubt' })
    return isFinal
  }

  /** By the wall clock, as the attempt may be of an earlier run; a time that can't be is not young. */
  function isYoung({ attempt, attemptedAt }: Send): boolean {
    const age = attemptedAt === undefined ? -1 : clock() - attemptedAt
    return attempt < MOST_ATTEMPTS && age >= 0 && age <= YOUNG
  }

  function knownOf(send: Send): Known {
    return {
      isClaimed: (reference, packageReference) => sends.isClaimed(send, reference, packageReference),
      others: () =>
        sends
          .unsettled(send.accountId)
          .filter(({ id }) => id !== send.id)
          .map((other) => ({
            send: other,
            content: sends.requestOf(other),
            isUnderWay: other.state === 'sending'
          }))
    }
  }

  return {
    /** Begins to look by itself. */
    open(): void {
      isOpened = true
      for (const accountId of new Set(sends.inState('uncertain').map((send) => send.accountId))) plan(accountId)
    },
    close(): void {
      isOpened = false
      for (const place of places.values()) place.cancel?.()
    },
    /** To be called when a send became uncertain: what was seen of an earlier attempt says nothing of this one. */
    begin(send: Send): void {
      seen.delete(send.id)
      plan(send.accountId)
    },
    ask,
    /** Something was heard of the line: looks that failed are tried now. */
    lineChanged(): void {
      for (const [accountId, place] of places) {
        place.until = 0
        plan(accountId)
      }
    },
    /** What was settled by a person may leave only one answer to another doubt: those are looked for again. */
    reconsider(accountId: string): void {
      for (const { id } of uncertainOf(accountId)) if (seen.get(id)?.isFinal) seen.delete(id)
      plan(accountId)
    },
    /** When an uncertain send is looked for next, on this run's clock; undefined where a person must say. */
    nextAt,
    /** What this run's looks said of a send, in the user's words; undefined where they said nothing yet. */
    wordsOf(send: Send): AppError | undefined {
      const before = seen.get(send.id)
      if (before?.kind !== 'missing') return undefined
      const retryAfterMs = Math.max(0, Math.round(before.at + SETTLING_TIME - elapsed()))
      return { ...NOT_SEEN_YET, retryAfterMs }
    }
  }
}

const NOT_SEEN_YET: AppError = {
  code: 'timeout',
  message: 'The service does not show it yet. A second look in a minute decides.',
  mayHaveArrived: true
}
const NOT_THERE: AppError = {
  code: 'timeout',
  message:
    'The service does not have it now. Somebody may have removed its documents in the meantime, so it was not sent ' +
    'again by itself: send it again if nobody did.'
}
const DOUBTFUL: AppError = {
  code: 'conflict',
  message: 'The folders show documents that may be this package, and nothing tells for certain. Compare them, and say.',
  mayHaveArrived: true
}
