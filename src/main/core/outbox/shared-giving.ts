/**
 * Gives the office what happens to sends here: sends put in or taken out of the outbox, what looks have shown, and a
 * person's decisions, which the office accepts before they count here. See `SharedSends`.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { AskOutbox, Claim, NotTaken } from '../office/sends.ts'
import type { OutboxDeps } from './deps.ts'
import type { LeavingDeps } from './leaving.ts'
import type { Decided, Release } from './releases.ts'
import type { Send } from './send-record.ts'
import { arrivalOf, contentOf } from './shared-content.ts'
import type { openSharedRows } from './shared-rows.ts'
import { HOLDER_GONE } from './shared-taking.ts'

interface GivingDeps extends Pick<LeavingDeps, 'db' | 'sends' | 'times'> {
  time: Time
  sharedDrafts: OutboxDeps['sharedDrafts']
  rows: ReturnType<typeof openSharedRows>
  asked: AskOutbox
  /** Returns the office's id of a shared account. */
  officeIdOf: (accountId: string) => string | undefined
  stateOf: (accountId: string) => AccountState
  /** The office's life of which everything is known here. */
  life: () => number
  soon: (accountId: string) => void
  /** Reads and gives everything. Rejects if the server can't be reached. */
  settled: (accountId: string) => Promise<void>
  /** Called with a send that was updated. */
  tell: (send: Send) => void
  /** Restarts looking for a send. */
  lookAgain: (send: Send) => void
}

/** An account's current state with the office. */
interface AccountState {
  /** When looks showed what happened to a send, on this run's monotonic clock; until the office has it. */
  readonly shown: Map<string, number>
}

/** How long after a look the office may still be told that a send can go again, in milliseconds. */
const SHOWN_FOR = 60_000
/** How many are given at a time. */
const CHUNK = 100

export function openGiving(deps: GivingDeps) {
  const { db, sends, times, time, sharedDrafts, rows } = deps
  const { asked, officeIdOf, stateOf, life, soon, settled, tell, lookAgain } = deps
  /** Sends whose sending is being undone: the server may ring for them before it answers. */
  const keepingBack = new Set<string>()

  /** Gives sends put in the outbox here, and withholds those taken out of it. */
  async function give(accountId: string, officeId: string): Promise<void> {
    for (;;) {
      const [give, withhold] = [rows.toGive(accountId, CHUNK), rows.toWithhold(accountId, CHUNK)]
      let refused = 0
      for (const id of give) {
        const send = sends.get(id)
        const known = rows.find(id)
        const round = (known?.round ?? 0) + 1
        const composition = sends.compositionOf(send)
        const of = send.draftId === undefined ? undefined : await sharedDrafts?.toSend(send.draftId, composition)
        // Sending was undone meanwhile.
        if (sends.find(id)?.state !== 'ready') continue
        const content = contentOf(send, sends.requestOf(send), composition, of?.draft)
        // Recorded first: if no answer comes, the office may have it, in whatever round.
        if (!known || known.state === 'held') rows.change(accountId, id, { state: 'held', round: 0 })
        if (of && of.round > 0) rows.change(accountId, id, { of: { versions: of.basedOn, round: of.round } })
        const inMs = Math.max(0, Math.round(times.left(send)))
        const isInDoubt = send.firstAttemptedAt !== undefined
        if (send.release && !(await askRelease(send.release, id))) {
          refused++
          continue
        }
        const { state, round: its } = await asked((office) =>
          office.give(officeId, { id, content, inMs, round, isInDoubt, ...(of && { of }) })
        )
        if (state === 'taken' || state === 'gone' || state === 'changed') {
          notTaken(send, state)
          continue
        }
        rows.change(accountId, id, { state, round: its, goesAt: send.goesAt })
        // The office had it before, for example before this workstation left, and accepts it only with a later round.
        if (state === 'held' || state === 'cancelled') soon(accountId)
      }
      for (const id of withhold) {
        const round = (rows.find(id)?.round ?? 0) + 1
        const as = sends.find(id)?.state === 'ready' ? 'held' : 'cancelled'
        const isKept = await asked((office) => office.withhold(officeId, { id, round }, as, life()))
        // If it isn't kept back, it has left: the office's changes say what happened to it.
        rows.change(accountId, id, isKept ? { state: as, round } : { state: 'sending' })
      }
      // Sends that the server doesn't accept as released would fill the next page, too.
      if (give.length + withhold.length < CHUNK || (give.length === refused && withhold.length === 0)) return
    }
  }

  /** Returns whether a send may be given. First tells the server who must not release it, and who has. */
  function askRelease({ by, released }: Release, id: string): Promise<boolean> {
    return asked(async (office) => {
      await office.askRelease(id, by.id)
      return released === undefined || office.release(id, released.id)
    })
  }

  /**
   * Makes it a draft again: the office didn't accept it because another send of its draft was accepted, or the draft
   * was changed or is gone.
   */
  function notTaken(send: Send, why: NotTaken): void {
    rows.erase(send.id)
    tell(
      db.transaction(() => sends.change(send, { state: 'cancelled', settledAt: time.now(), error: NOT_TAKEN[why] }))()
    )
    if (why === 'gone' && send.draftId !== undefined) sharedDrafts?.goesOn(send.draftId)
  }

  /** Tells the office what looks have shown; it decides whether that still holds. */
  async function tellShown(accountId: string): Promise<void> {
    const { shown } = stateOf(accountId)
    for (const [id, at] of shown) {
      const known = rows.find(id)
      const send = sends.find(id)
      const isOpen = known && (known.state === 'uncertain' || known.state === 'not-sent')
      if (send && isOpen && send.state !== 'uncertain') {
        const isFresh = time.elapsed() - at < SHOWN_FOR
        const isTaken = await asked(async (office) => {
          if (send.state === 'sent') return office.found(known, arrivalOf(sends, id))
          if (send.state === 'ready') return isFresh && office.settle(known, 'ready')
          return office.settle(known, send.state === 'refused' ? 'refused' : 'not-sent')
        })
        const state = send.state === 'cancelled' ? 'not-sent' : send.state
        if (isTaken) rows.change(accountId, id, { state, goesAt: send.goesAt })
        else if (send.state === 'ready') {
          const again = db.transaction(() => sends.change(send, { state: 'uncertain', error: HOLDER_GONE }))()
          lookAgain(again)
        }
      }
      shown.delete(id)
    }
  }

  /**
   * Tells the office about arrived sends that it has as held, as this workstation found them after it left; and about
   * drafts that it still has although they were sent: because it was restored and this workstation has rejoined, or
   * because it was never told.
   */
  async function tellSent(accountId: string, officeId: string): Promise<void> {
    const say = async ({ id, epoch }: Pick<Claim, 'id' | 'epoch'>, draftId?: string) => {
      await asked((office) => office.knowSent(officeId, { id, epoch }, arrivalOf(sends, id), rows.of({ id, draftId })))
    }
    for (const known of rows.heldAndSent(accountId)) {
      await say(known, sends.find(known.id)?.draftId)
      rows.keep({ ...known, state: 'sent' })
    }
    for (const { draft, send } of sharedDrafts?.sentUntold(accountId) ?? []) {
      await say({ id: send, epoch: 0 }, draft)
      sharedDrafts?.soon(accountId)
    }
  }

  /** See `SharedSends.keepBack`. */
  async function keepBack({ id, accountId }: Pick<Send, 'id' | 'accountId'>): Promise<void> {
    const officeId = officeIdOf(accountId)
    const known = rows.find(id)
    if (!officeId || known?.state === 'sent' || known?.state === 'cancelled') return
    const round = (known?.round ?? 0) + 1
    keepingBack.add(id)
    const withheld = asked((office) => office.withhold(officeId, { id, round }, 'cancelled', life()))
    const isKept = await withheld.finally(() => keepingBack.delete(id))
    if (!isKept) {
      soon(accountId)
      fail('busy', 'This package has just left, or may have.')
    }
    rows.keep({ epoch: 0, goesAt: 0, ...known, id, accountId, round, state: 'cancelled' })
  }

  /** See `SharedSends.decide`. */
  async function decide(send: Send, decided: Decided, write: () => boolean): Promise<boolean> {
    const { id, accountId, draftId } = send
    const officeId = officeIdOf(accountId)
    // A send that was just put in the outbox here is given first.
    if (officeId && rows.find(id)?.state !== 'ready') await settled(accountId)
    const known = rows.find(id)
    // Only this workstation has it, for example because its batch is paused here.
    if (!officeId || !known || known.state === 'held') {
      db.transaction(write)()
      return true
    }
    const { isScheduled, goesAt, release } = decided
    const next = { ...send, isScheduled, goesAt, release }
    const composition = sends.compositionOf(send)
    const of = draftId === undefined ? undefined : await sharedDrafts?.toSend(draftId, composition)
    const content = contentOf(next, sends.requestOf(send), composition, of?.draft)
    const round = known.round + 1
    const isTaken = await asked((office) =>
      office.decide(officeId, {
        ...{ id, content, round, inMs: Math.max(0, Math.round(times.left(next))) },
        ...{ askedBy: release.by.id, by: (release.released ?? release.refused)?.id ?? '' },
        isReleased: release.released !== undefined
      })
    )
    if (!isTaken) {
      await settled(accountId)
      return false
    }
    // The change may have been read meanwhile, like a decision made elsewhere.
    db.transaction(() => {
      if (write()) rows.change(accountId, id, { round, goesAt })
    })()
    soon(accountId)
    return true
  }

  return {
    ...{ give, tellShown, tellSent, keepBack, decide },
    /** Whether sending is being undone at the moment. */
    isKeptBack: (id: string): boolean => keepingBack.has(id)
  }
}

const NOT_TAKEN: Record<NotTaken, AppError> = {
  taken: {
    code: 'cancelled',
    message: 'This draft was sent from another workstation at the same moment, so it isn’t sent from here.'
  },
  gone: {
    code: 'cancelled',
    message: 'Another workstation had erased this draft, or kept it to itself, before it was sent.',
    next: 'It is in Drafts here as another one. Open it, and send it if it’s still to go.'
  },
  changed: {
    code: 'cancelled',
    message: 'This draft was changed at another workstation before it was sent.',
    next: 'Open it, see what was changed, and send it again.'
  }
}
