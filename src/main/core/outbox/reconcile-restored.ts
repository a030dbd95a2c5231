/**
 * Reconciles a workstation with the office's server after a backup was restored there (decision 59). The server's data
 * is read again from the beginning; the workstation tells it what it knows to be over since; and what may have left
 * meanwhile is uncertain until it has been looked for.
 */
import { isDeepStrictEqual } from 'node:util'
import type { AppError, SendState } from '../../../shared/contract/index.ts'
import type { OfficeStore, SendChange } from '../office/send-store.ts'
import type { OutboxParts } from './parts.ts'
import { awaitsRelease, isDecided, NEVER } from './releases.ts'
import type { Send } from './send-record.ts'
import { arrivalOutcome, encodeSend, releaseIn, sentDraftOf } from './shared-content.ts'
import type { KnownSend, openSharedRows } from './shared-rows.ts'

interface RestoredDeps extends Pick<OutboxParts, 'db' | 'time' | 'sends' | 'times'> {
  rows: ReturnType<typeof openSharedRows>
  /** Stores what the office says of a send; returns the send if something about it changed here. */
  applyChange: (change: SendChange) => Send | undefined
}

/** @returns the sends that changed here. */
export async function reconcileRestored(
  { db, time, sends, times, rows, applyChange }: RestoredDeps,
  office: OfficeStore,
  { accountId, officeId, lostFrom }: { accountId: string; officeId: string; lostFrom: number }
): Promise<Send[]> {
  const changed: Send[] = []
  const write = (work: () => readonly (Send | undefined)[]) => {
    // The account may have left the office meanwhile.
    if (!rows.account(accountId)) return
    for (const send of db.transaction(work)()) if (send) changed.push(send)
  }
  write(() => {
    rows.setCursor(0, accountId)
    // Results here of claims that the server has forgotten.
    return rows.results(accountId).map(({ id, epoch, outcome, at }) => {
      rows.dropResult(id, epoch)
      const send = sends.find(id)
      return outcome.kind === 'accepted' && send && send.state !== 'sent'
        ? sends.accepted(send, outcome.response, at)
        : undefined
    })
  })
  const officeIds = new Set<string>()
  for (let after = 0; ; ) {
    const page = await office.changes(officeId, after, 0)
    const last = page.at(-1)
    if (!last) break
    after = last.seq
    const reported = new Map<string, KnownSend['state']>()
    const changes: SendChange[] = []
    for (const change of page) {
      officeIds.add(change.id)
      const conclusion = await reportIfConcluded(change)
      if (conclusion) reported.set(change.id, conclusion)
      changes.push(conclusion ? change : await reportTime(change))
    }
    write(() => {
      rows.setCursor(last.seq, accountId)
      return changes.map((change) => reapplyChange(change, reported.get(change.id)))
    })
  }
  const missingIds = rows.all(accountId).filter((id) => !officeIds.has(id))
  for (const id of missingIds) {
    const send = sends.find(id)
    // Includes other workstations' sends: the one that made it may have been off since, and would give it again.
    const known = rows.find(id)
    if (wasSent(send, known))
      await office.reportSent(officeId, { id, epoch: 0 }, arrivalOutcome(sends, id), sentDraftOf(send ?? known ?? {}))
  }
  write(() => missingIds.map(handleForgotten))
  return changed

  /**
   * Tells the server if this send is over. Returns the state that the server has now because it was told. If the server
   * knows a later revision, its state counts.
   */
  async function reportIfConcluded(change: SendChange): Promise<KnownSend['state'] | undefined> {
    const { id, state } = change
    const known = rows.find(id)
    const send = sends.find(id)
    if (state === 'sent') {
      // The workstation that reported it may not have known its draft.
      const of = send && change.draft === undefined ? sentDraftOf(send) : undefined
      if (of) await office.reportSent(officeId, change, arrivalOutcome(sends, id), of)
      return undefined
    }
    if (wasSent(send, known)) {
      const draftThere = change.draft === undefined ? undefined : { draft: change.draft, ...change.of }
      const of = sentDraftOf(send ?? known ?? {}) ?? (send ? undefined : draftThere)
      await office.reportSent(officeId, change, arrivalOutcome(sends, id), of)
      return 'sent'
    }
    const conclusion = localConclusion(send, known)
    if (!conclusion || conclusion === state || !known) return undefined
    return (await office.reportConcluded(officeId, { id, revision: known.revision }, conclusion))
      ? conclusion
      : undefined
  }

  /** Tells the server the time of a send that waits, if it had accepted that and lost it. Returns the change as it is then. */
  async function reportTime(change: SendChange): Promise<SendChange> {
    const { id, state, revision } = change
    const known = rows.find(id)
    const send = sends.find(id)
    if (!isWaiting(state) || send?.state !== 'ready' || known?.state !== 'ready') return change
    if (known.goesAt !== send.goesAt || known.revision <= revision) return change
    // A time means nothing to the office before the release that allows it.
    if (awaitsRelease(send.release) || !isDeepStrictEqual(send.release, releaseIn(change))) return change
    const content = encodeSend(send, sends.requestOf(send), sends.compositionOf(send), send.sentDraft)
    const inMs = times.wholeRemaining(send)
    const isTaken = await office.reportTime(officeId, { id, content, inMs, revision: known.revision })
    return isTaken ? { ...change, revision: known.revision, goesIn: inMs } : change
  }

  function localConclusion(
    send: Send | undefined,
    known: KnownSend | undefined
  ): 'refused' | 'not-sent' | 'cancelled' | 'held' | undefined {
    if (send?.state === 'refused' || send?.state === 'not-sent') return send.state
    // A send whose sending was undone is a draft again here, or cancelled if it was made here and that wasn't told yet.
    // Another's send is also cancelled here if the earlier server had lost it, which doesn't count.
    if (known?.state === 'cancelled' && (!send || send.state === 'cancelled')) return 'cancelled'
    if (send?.state === 'cancelled' && send.workstation === undefined) return 'cancelled'
    return send?.state === 'ready' && isHeldLocally(known) ? 'held' : undefined
  }

  function reapplyChange(change: SendChange, reportedState: KnownSend['state'] | undefined): Send | undefined {
    const { id, epoch } = change
    const known = rows.find(id)
    if (reportedState) {
      rows.keep({
        goesAt: 0,
        ...known,
        id,
        accountId,
        epoch,
        state: reportedState,
        revision: Math.max(known?.revision ?? 0, change.revision)
      })
      return undefined
    }
    const before = sends.find(id)
    if (before && couldLeave(before, known) && NOT_SENT_BY_OFFICE.has(change.state)) {
      // Another workstation may have claimed it in the time that the server lost. No one else looks for it, as this
      // workstation holds it.
      rows.keep({ goesAt: 0, ...known, id, accountId, epoch, state: 'held', revision: change.revision })
      return markUncertain(before)
    }
    const there = before?.release && releaseIn(change)
    const waits = before && known && isWaiting(before.state) && isWaiting(known.state)
    // Of two decisions the one that the office has counts, so the one here counts as not told.
    if (waits && isDecided(before.release) && isDecided(there) && !isDeepStrictEqual(before.release, there)) {
      rows.keep({ ...known, goesAt: NEVER, revision: 0, epoch: 0 })
    }
    // A time that was chosen here and isn't told yet stays so.
    else if (waits && !before.release) rows.keep({ ...known, revision: 0, epoch: 0 })
    // If retention has erased it here, that it was sent stays known.
    else if (before || known?.state !== 'sent') rows.erase(id)
    const applied = applyChange(change)
    const send = applied ?? sends.find(id)
    return send?.state === 'uncertain' && change.state === 'uncertain'
      ? countAsAttempted({ ...send, attemptedAt: before?.attemptedAt })
      : applied
  }

  /** Handles a send that the server never had or no longer has. */
  function handleForgotten(id: string): Send | undefined {
    const send = sends.find(id)
    const known = rows.find(id)
    // If retention has erased it here, that it was sent stays known. The server has it as new.
    if (!send && known?.state === 'sent') rows.keep({ ...known, revision: 1, epoch: 0 })
    else rows.erase(id)
    if (!send || FINAL_STATES.has(send.state)) return undefined
    if (send.workstation !== undefined) {
      return sends.change(send, { state: 'cancelled', settledAt: time.now(), error: WITH_ITS_MAKER })
    }
    // If the server never had it, or had given it back, no one else can have sent it.
    if (send.state === 'ready' && isHeldLocally(known)) return undefined
    return markUncertain(send)
  }

  function markUncertain(send: Send): Send {
    return countAsAttempted(sends.change(send, { state: 'uncertain', error: SET_BACK }))
  }

  /** Counts a send as attempted at the earliest possible time: what happens next depends on the age of the attempt. */
  function countAsAttempted(send: Send): Send {
    return sends.change(send, {
      attempt: Math.max(1, send.attempt),
      firstAttemptedAt: Math.min(send.firstAttemptedAt ?? lostFrom, lostFrom),
      attemptedAt: Math.min(send.attemptedAt ?? lostFrom, lostFrom)
    })
  }
}

/** Whether a send waits, or is looked for and waits again afterwards. */
const isWaiting = (state: KnownSend['state']) => state === 'ready' || state === 'uncertain'

/** Whether a send arrived. Retention erases sends that did, but not what the office was known to have of them. */
function wasSent(send: Send | undefined, known: KnownSend | undefined): boolean {
  return (send ?? known)?.state === 'sent'
}

/** Whether this workstation holds the send. In round 0 it is on its way to the office, which may have it. */
const isHeldLocally = (known: KnownSend | undefined) => known?.state === 'held' && known.revision > 0

/** Returns whether the office may have been able to send this workstation's own send when it was last read. */
function couldLeave({ state, workstation }: Send, known: KnownSend | undefined): boolean {
  if (workstation !== undefined || FINAL_STATES.has(state) || !known) return false
  return known.state === 'held' ? !isHeldLocally(known) : !NOT_SENT_BY_OFFICE.has(known.state)
}

const NOT_SENT_BY_OFFICE: ReadonlySet<KnownSend['state']> = new Set(['held', 'cancelled', 'refused', 'not-sent'])

const FINAL_STATES: ReadonlySet<SendState> = new Set(['sent', 'refused', 'not-sent', 'cancelled'])
const SET_BACK: AppError = {
  code: 'timeout',
  message:
    'The office’s server was restored to a time before it had this. It may have been sent, so Countersign is looking for it in your folders.',
  mayHaveArrived: true
}
const WITH_ITS_MAKER: AppError = {
  code: 'cancelled',
  message:
    'The office’s server was restored to a time before it had this. The workstation that made it still has it, and will give it to the office again.'
}
