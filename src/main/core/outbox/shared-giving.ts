/**
 * Gives the office what is done to sends here: what is put in the outbox and taken out of it, what looks have shown, and what a person decides of
 * one, which the office takes before it is so here. See `SharedSends`.
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
  /** The office's id of an account that is shared. */
  officeIdOf: (accountId: string) => string | undefined
  stateOf: (accountId: string) => AccountState
  /** The office's life of which all is known here. */
  life: () => number
  soon: (accountId: string) => void
  /** Reads and gives all that there is. Rejects where the server can't be reached. */
  settled: (accountId: string) => Promise<void>
  /** Called with a send of which something was written down. */
  tell: (send: Send) => void
  /** Looks are to be made once more. */
  lookAgain: (send: Send) => void
}

/** How an account stands with the office just now. */
interface AccountState {
  /** What looks have shown of sends, until the office has it: when, on this run's clock. */
  readonly shown: Map<string, number>
}

/** What looks have shown has to be at the office by then. */
const SHOWN_FOR = 60_000
/** So many go over at a time. */
const CHUNK = 100

export function openGiving(deps: GivingDeps) {
  const { db, sends, times, time, sharedDrafts, rows } = deps
  const { asked, officeIdOf, stateOf, life, soon, settled, tell, lookAgain } = deps
  /** What a person takes back just now: the bell may ring for it before it is answered. */
  const keepingBack = new Set<string>()

  /** What was put in the outbox here goes over, and what was taken out of it comes back. */
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
        // It was taken back meanwhile.
        if (sends.find(id)?.state !== 'ready') continue
        const content = contentOf(send, sends.requestOf(send), composition, of?.draft)
        // Where no answer comes, it is known that the office may have it, whichever round it has it in.
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
        // It had it before, as before this workstation left: it takes it only as something later.
        if (state === 'held' || state === 'cancelled') soon(accountId)
      }
      for (const id of withhold) {
        const round = (rows.find(id)?.round ?? 0) + 1
        const as = sends.find(id)?.state === 'ready' ? 'held' : 'cancelled'
        const isKept = await asked((office) => office.withhold(officeId, { id, round }, as, life()))
        // Where it isn't, it has left: the office's changes say what became of it.
        rows.change(accountId, id, isKept ? { state: as, round } : { state: 'sending' })
      }
      // What the server doesn't take as released would be all of the next page, too.
      if (give.length + withhold.length < CHUNK || (give.length === refused && withhold.length === 0)) return
    }
  }

  /** Whether it may be given: the server holds what waits for someone before it has it, and knows of who let it go. */
  function askRelease({ by, released }: Release, id: string): Promise<boolean> {
    return asked(async (office) => {
      await office.askRelease(id, by.id)
      return released === undefined || office.release(id, released.id)
    })
  }

  /** The office didn't take it, since of its draft another was sent, or was written further: it is a draft again. */
  function notTaken(send: Send, why: NotTaken): void {
    rows.erase(send.id)
    tell(
      db.transaction(() => sends.change(send, { state: 'cancelled', settledAt: time.now(), error: NOT_TAKEN[why] }))()
    )
    if (why === 'gone' && send.draftId !== undefined) sharedDrafts?.goesOn(send.draftId)
  }

  /** What looks have shown goes to the office, which decides whether that still is so. */
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
   * What arrived and the office has as held back, since this workstation found it after it left; and of drafts that the office still has: it
   * was put back, and this workstation has joined again, or nobody has told it.
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
    // What was put in the outbox here just now goes over first.
    if (officeId && rows.find(id)?.state !== 'ready') await settled(accountId)
    const known = rows.find(id)
    // Nobody else has it, as of a batch that is paused here.
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
    // It may have been read here meanwhile, as what was decided elsewhere is.
    db.transaction(() => {
      if (write()) rows.change(accountId, id, { round, goesAt })
    })()
    soon(accountId)
    return true
  }

  return {
    ...{ give, tellShown, tellSent, keepBack, decide },
    /** Whether a person takes it back just now. */
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
