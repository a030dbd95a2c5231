/** Has follow what a look at an account's folders says of its uncertain sends, and of those that were thought lost. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { slowly } from '../lib/slices.ts'
import { bare } from './answers.ts'
import type { Changes } from './changes.ts'
import { type Age, type Conclusion, conclude, SECOND_LOOK_AFTER, type Seen } from './conclusions.ts'
import { doubtOf, isOpen, packageOf } from './doubts.ts'
import type { OutboxEffects } from './effects.ts'
import type { Proofs } from './proofs.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'
import type { Sight } from './sight.ts'
import { judge, type Known } from './traces.ts'
import { firstKept, isUnkeepable } from './unkeepable.ts'

export interface FollowingParts {
  effects: Pick<OutboxEffects, 'db' | 'clock' | 'elapsed'>
  sends: Sends
  changes: Changes
  proofs: Proofs
  /** What becomes of a send that may leave again: `cancelled` where its batch was. */
  backTo: (send: Send) => 'ready' | 'cancelled'
  /** Writes down that one arrived which was thought not to have, and whose draft was given back. */
  arrivedLate: (send: Send, response: PackageResponse) => Send
  /** Called when a send of the account may go again. */
  again: (accountId: string) => void
}

/** A complete look, or one of which some could not be read. */
export interface Looked {
  sight: Sight
  /** When something happened last, by the service's clock; undefined where no log says. */
  latest: number | undefined
  isComplete: boolean
  /** When it began, on this run's clock. */
  begun: number
}

export type Following = ReturnType<typeof openFollowing>

export function openFollowing({ effects, sends, changes, proofs, backTo, ...parts }: FollowingParts) {
  const { db, clock, elapsed } = effects
  const seen = new Map<string, Seen>()
  /** When this run tried a send last, on its own clock. */
  const tried = new Map<string, number>()

  function followOne(id: string, looked: Looked): void {
    // Another look, or a person, may have decided while this one was under way.
    const send = sends.find(id)
    if (send?.state !== 'uncertain') return
    const known = knownOf(send)
    const { conclusion, seen: next } = conclude(send, {
      verdict: judge({ send, content: sends.requestOf(send) }, looked.sight, known),
      isComplete: looked.isComplete,
      begun: looked.begun,
      before: seen.get(id),
      isDoubtOpen: send.doubt !== undefined && isOpen(send, send.doubt, known.isClaimed),
      age: ageOf(send, looked.latest)
    })
    const written = db.transaction(() => write(send, conclusion))()
    // What could not be written down was not seen.
    if (next) seen.set(id, next)
    else seen.delete(id)
    if (SHOWN_NOT_TO_HAVE_ARRIVED.has(conclusion.kind)) proofs.add(id)
    if (written?.state === 'ready') parts.again(send.accountId)
    else if (written && written.state !== 'uncertain') changes.draft(send.draftId)
  }

  function write(send: Send, conclusion: Conclusion): Send | undefined {
    const ended = { settledAt: clock(), doubt: undefined }
    switch (conclusion.kind) {
      case 'nothing':
        return undefined
      case 'arrived':
        return keepWhole(packageOf(conclusion.documents), (response) => sends.taken(send, response, clock()))
      case 'doubt':
        return sends.change(send, { doubt: doubtOf(sends.requestOf(send), conclusion.documents), error: DOUBTFUL })
      case 'cleared':
        return sends.change(send, { doubt: undefined })
      case 'refused':
        return sends.change(send, { ...ended, state: 'refused' })
      case 'not-sent':
        return sends.change(send, { ...ended, state: 'not-sent', error: NOT_THERE })
      case 'ready': {
        const at = { goesAt: 0, isScheduled: false }
        return sends.change(send, { ...at, state: backTo(send), doubt: undefined, error: undefined })
      }
    }
  }

  /** What the database won't take of a response is left out. */
  function keepWhole(response: PackageResponse, keep: (response: PackageResponse) => Send): Send {
    const once = db.transaction(keep)
    return firstKept([() => once(response), () => once(bare(response))])
  }

  /** By our own marks alone: one that was thought not to have arrived is there after all. */
  function followLate(accountId: string, sight: Sight): void {
    const given = new Map(sends.notSent(accountId).map((send) => [send.id.toLowerCase(), send]))
    if (given.size === 0) return
    for (const [id, documents] of sight.marked(given)) {
      const send = given.get(id)
      if (!send) continue
      keepWhole(packageOf(documents), (response) => parts.arrivedLate(send, response))
      proofs.drop(send.id)
      changes.send(send.id, send.batchId)
      changes.draft(send.draftId)
    }
  }

  function ageOf({ id, attemptedAt }: Send, latest: number | undefined): Age {
    const since = tried.get(id)
    return {
      byWall: attemptedAt === undefined ? undefined : clock() - attemptedAt,
      measured: since === undefined ? undefined : elapsed() - since,
      byService: attemptedAt === undefined || latest === undefined ? undefined : latest - attemptedAt
    }
  }

  function knownOf(send: Send): Known {
    return {
      isClaimed: (reference, packageReference) => sends.isClaimed(send, reference, packageReference),
      others: () =>
        sends
          .unresolved(send.accountId)
          .filter(({ id }) => id !== send.id)
          .map((other) => ({
            send: other,
            content: sends.requestOf(other),
            isUnderWay: other.state === 'sending'
          }))
    }
  }

  return {
    /** Judges each of these by what was seen. @throws what writing throws, once all the others are through. */
    async follow(accountId: string, sought: readonly Send[], looked: Looked, isOver: () => boolean): Promise<void> {
      const failures: unknown[] = []
      await slowly(sought, ({ id }) => {
        if (isOver()) return
        try {
          followOne(id, looked)
        } catch (error) {
          if (!isUnkeepable(error)) throw error
          failures.push(error)
        }
      })
      if (!isOver()) followLate(accountId, looked.sight)
      if (failures.length > 0) throw failures[0]
    },

    /** A send leaves now. */
    left: (id: string): void => void tried.set(id, elapsed()),
    /** It may have arrived: what was seen before says nothing of this attempt. */
    begin(id: string): void {
      seen.delete(id)
      proofs.drop(id)
    },
    /** What looking could not tell is looked at afresh. */
    reconsider(id: string): void {
      if (isFinal(seen.get(id))) seen.delete(id)
    },

    /** When another look says more of a send, on this run's clock; undefined where only a person can. */
    worthwhileAt(id: string): number | undefined {
      const before = seen.get(id)
      if (isFinal(before)) return undefined
      return before ? before.at + SECOND_LOOK_AFTER : 0
    },

    /** What this run's looks said of a send, in the user's words; undefined where they said nothing yet. */
    wordsOf(id: string): AppError | undefined {
      const before = seen.get(id)
      if (before?.kind !== 'missing') return undefined
      const retryAfterMs = Math.max(0, Math.round(before.at + SECOND_LOOK_AFTER - elapsed()))
      return { ...NOT_SEEN_YET, retryAfterMs }
    }
  }
}

/** Looking doesn't help any more. */
function isFinal(seen: Seen | undefined): boolean {
  return seen?.kind === 'doubt' && seen.isTwice
}

const SHOWN_NOT_TO_HAVE_ARRIVED: ReadonlySet<Conclusion['kind']> = new Set(['ready', 'refused', 'not-sent'])

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
