/**
 * Pushes what happens to sends here to the office: sends put in or taken out of the outbox, what checks showed, and a
 * person's decisions, which the office accepts before they count here. See `SharedSends`.
 */
import type { Composition } from '../../../shared/composition/index.ts'
import type { AppError } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { failOfficeAway } from '../office/ask-office.ts'
import type { Claim, PushRefusal } from '../office/send-store.ts'
import type { Release, ReleaseDecision } from './releases.ts'
import { HOLDER_GONE } from './send-pull.ts'
import type { Send } from './send-record.ts'
import { arrivalOutcome, encodeSend, sentDraftOf } from './shared-content.ts'
import type { SharedPart } from './shared-part.ts'
import type { KnownSend } from './shared-rows.ts'

/** When a send leaves, and whether a person chose that time. */
export type NewTime = Pick<Send, 'isScheduled' | 'goesAt'>

/** How long after a look the office may still be told that a send can go again, in milliseconds. */
const CONCLUSION_VALID_FOR = 60_000
/** How many are pushed at a time. */
const CHUNK = 100
/** States in which the office has a send that was pushed, and will say what becomes of it. */
const ACCEPTED: ReadonlySet<string> = new Set(['ready', 'sending', 'sent', 'uncertain'])

export function openSendPush(deps: SharedPart) {
  const { db, sends, times, time, sharedDrafts, rows } = deps
  const { ask, officeIdOf, stateOf, life, syncSoon, syncNow, notifyUpdated, restartSearch } = deps
  /** Sends whose sending is being undone: the server may notify about them before it answers. */
  const undoing = new Set<string>()

  /** Pushes sends put in the outbox here, and withholds those taken out of it. */
  async function push(accountId: string, officeId: string): Promise<void> {
    for (;;) {
      const [toPush, toWithhold] = [rows.toPush(accountId, CHUNK), rows.toWithhold(accountId, CHUNK)]
      let refused = 0
      for (const id of toPush) if (!(await pushOne(accountId, officeId, id))) refused++
      for (const id of toWithhold) {
        if (officeIdOf(accountId) !== officeId) return
        const revision = (rows.find(id)?.revision ?? 0) + 1
        const as = sends.find(id)?.state === 'ready' ? 'held' : 'cancelled'
        const withheldAt = await ask((office) => office.withhold(officeId, { id, revision }, as, life()))
        // If it isn't kept back, it has left: the office's changes say what happened to it.
        rows.change(
          accountId,
          id,
          withheldAt === undefined ? { state: 'sending' } : { state: as, revision: withheldAt }
        )
      }
      // Sends that the server doesn't accept as released would fill the next page, too.
      if (toPush.length + toWithhold.length < CHUNK || (toPush.length === refused && toWithhold.length === 0)) return
    }
  }

  /**
   * Pushes sends that may have arrived and that the office lacks or has as held: otherwise it could send another package
   * of the same draft.
   */
  async function pushUncertain(
    accountId: string,
    officeId: string,
    ids = rows.uncertainToPush(accountId)
  ): Promise<void> {
    for (const id of ids) await pushOne(accountId, officeId, id)
  }

  /** Returns false if it isn't pushed: the server doesn't accept it as released, or it mustn't leave any more. */
  async function pushOne(accountId: string, officeId: string, id: string): Promise<boolean> {
    // That it was withheld may have been read before the answer arrives. Pushing it then would bring it back. While
    // others were pushed, it may have been undone, cancelled with its batch, paused, or concluded.
    if (undoing.has(id) || !rows.isToPush(id)) return false
    const send = sends.get(id)
    // An account that leaves the office takes along what it hasn't pushed.
    const isUnchanged = () => officeIdOf(accountId) === officeId && sends.find(id)?.state === send.state
    if (!isUnchanged()) return false
    const known = rows.find(id)
    const revision = (known?.revision ?? 0) + 1
    const composition = sends.compositionOf(send)
    const isUncertain = send.state === 'uncertain'
    const of = await draftOf(send, composition)
    // Sending was undone, or a check showed what happened, meanwhile.
    if (!isUnchanged()) return true
    const content = encodeSend(send, sends.requestOf(send), composition, of?.draft)
    // Recorded first: if no answer comes, the office may have it, in whatever revision, whatever it had before.
    if (known?.state !== 'ready') rows.change(accountId, id, { state: 'held', revision: 0 })
    if (of)
      sends.setSentDraft(send, of.draft, of.revision > 0 ? { versions: of.basedOn, revision: of.revision } : undefined)
    const inMs = times.wholeRemaining(send)
    const mayHaveArrived = send.firstAttemptedAt !== undefined
    if (send.release && !((await syncRelease(send.release, id)) && isUnchanged())) return false
    if (known?.state === 'ready') {
      await pushTime(accountId, officeId, { id, content, inMs, revision, goesAt: send.goesAt })
      return true
    }
    const { state, revision: officeRound } = await ask((office) =>
      office.push(officeId, {
        id,
        content,
        inMs,
        revision,
        mayHaveArrived,
        isUncertain,
        ...(of && { of }),
        life: life()
      })
    )
    if (state === 'taken' || state === 'gone' || state === 'changed') applyRefusal(send, state)
    else {
      rows.change(accountId, id, { state, goesAt: send.goesAt, revision: officeRound })
      // The office had it before, for example before this workstation left, and accepts it only with a later revision.
      if (!ACCEPTED.has(state)) syncSoon(accountId)
    }
    return true
  }

  /**
   * Pushes the time, or the release, of a send that waits in the office. If it no longer does, or was changed meanwhile,
   * the office's change counts, and is read.
   */
  async function pushTime(
    accountId: string,
    officeId: string,
    { goesAt, ...change }: { id: string; content: Buffer; inMs: number; revision: number; goesAt: number }
  ): Promise<void> {
    const isAccepted = await ask((office) => office.reschedule(officeId, { ...change, life: life() }))
    rows.change(accountId, change.id, { goesAt, ...(isAccepted && { revision: change.revision }) })
    if (!isAccepted) syncSoon(accountId)
  }

  /**
   * Returns the office's draft of a send, and which of its contents is sent. Of one that may have been sent already, that
   * is known even if the draft has another content here by now.
   */
  async function draftOf(send: Send, composition: Composition) {
    const { state, draftId, sentDraft, sentContent } = send
    const of = draftId === undefined ? undefined : await sharedDrafts?.prepareSend(draftId, composition)
    const draft = of?.draft ?? sentDraft
    if (state !== 'uncertain' || (of && of.revision > 0) || draft === undefined) return of
    return { draft, basedOn: sentContent?.versions ?? [], revision: sentContent?.revision ?? 0 }
  }

  /** Returns whether a send may be pushed. First tells the server who must not release it, and who has. */
  function syncRelease({ by, released }: Release, id: string): Promise<boolean> {
    return ask(async (office) => {
      await office.requireRelease(id, by.id)
      return released === undefined || office.release(id, released.id)
    })
  }

  /**
   * Makes it a draft again: the office didn't accept it because another send of its draft was accepted, or the draft
   * was changed or is gone.
   */
  function applyRefusal(send: Send, why: PushRefusal): void {
    rows.erase(send.id)
    notifyUpdated(
      db.transaction(() =>
        sends.change(send, { state: 'cancelled', settledAt: time.now(), error: REFUSAL_ERRORS[why] })
      )()
    )
    if (why === 'gone' && send.draftId !== undefined) sharedDrafts?.continueAsNew(send.draftId)
  }

  /** Returns a content that says where a person said that an uncertain send isn't; undefined if nobody did. */
  function dismissalsOf(send: Send, officeId: string) {
    if (send.dismissed.length + send.dismissedFolders.length === 0) return undefined
    const content = encodeSend(send, sends.requestOf(send), sends.compositionOf(send), send.sentDraft)
    return { accountId: officeId, content }
  }

  /** Tells the office what checks have shown; it decides whether that still holds. */
  async function pushConclusions(accountId: string, officeId: string): Promise<void> {
    const { conclusions } = stateOf(accountId)
    for (const [id, at] of conclusions) {
      const known = rows.find(id)
      const send = sends.find(id)
      const isOpen = known && (known.state === 'uncertain' || known.state === 'not-sent')
      if (send && isOpen && send.state !== 'uncertain') {
        const isFresh = time.elapsed() - at < CONCLUSION_VALID_FOR
        const isAccepted = await ask(async (office) => {
          if (send.state === 'sent') return office.recordFound(officeId, known, arrivalOutcome(sends, id))
          if (send.state === 'ready') return isFresh && office.conclude(known, 'ready')
          return office.conclude(known, send.state === 'refused' ? 'refused' : 'not-sent', dismissalsOf(send, officeId))
        })
        const state = send.state === 'cancelled' ? 'not-sent' : send.state
        // A time that was chosen here before the server was restored isn't told yet.
        const goesAt = known.goesAt > time.now() ? known.goesAt : send.goesAt
        if (isAccepted) rows.change(accountId, id, { state, goesAt })
        else if (send.state === 'ready') {
          const reverted = db.transaction(() => sends.change(send, { state: 'uncertain', error: HOLDER_GONE }))()
          restartSearch(reverted)
        }
      }
      // Something else may have been shown meanwhile.
      if (conclusions.get(id) === at) conclusions.delete(id)
    }
  }

  /**
   * Tells the office about arrived sends that it has as held, as this workstation found them after it left; about drafts
   * that it still has although they were sent, because it was restored and this workstation has rejoined, or because it
   * was never told; and about those of which it has another package.
   */
  async function reportArrived(accountId: string, officeId: string): Promise<void> {
    const report = async ({ id, epoch }: Pick<Claim, 'id' | 'epoch'>, link: { draftId?: string } = {}) => {
      const of = sentDraftOf({ ...sends.get(id), ...link })
      await ask((office) => office.reportSent(officeId, { id, epoch }, arrivalOutcome(sends, id), of))
    }
    for (const known of rows.heldAndSent(accountId)) {
      await report(known)
      rows.keep({ ...known, state: 'sent' })
    }
    const sent = [...(sharedDrafts?.unreportedSends(accountId) ?? []), ...rows.sentBefore.all(accountId)]
    for (const { draft, send } of sent) {
      await report({ id: send, epoch: 0 }, { draftId: draft })
      sharedDrafts?.syncSoon(accountId)
    }
  }

  async function withholdForUndo({ id, accountId }: Pick<Send, 'id' | 'accountId'>): Promise<void> {
    const officeId = officeIdOf(accountId)
    const known = rows.find(id)
    if (!officeId || known?.state === 'cancelled') return
    if (known?.state === 'sent') fail('busy', 'This package has just been sent, or may have been.')
    const next = (known?.revision ?? 0) + 1
    const cursor = rows.account(accountId)?.cursor ?? 0
    let revision: number | undefined
    undoing.add(id)
    try {
      revision = await ask((office) => office.withhold(officeId, { id, revision: next }, 'cancelled', life()))
    } finally {
      undoing.delete(id)
      if (revision === undefined) readAgain(accountId, known, cursor)
    }
    if (revision === undefined) fail('busy', 'This package has just been sent, or may have been.')
    rows.keep({ epoch: 0, goesAt: 0, ...known, id, accountId, revision, state: 'cancelled' })
  }

  /** What was read of a send while it was being undone wasn't applied: it is read again from where it was known. */
  function readAgain(accountId: string, known: KnownSend | undefined, cursor: number): void {
    db.transaction(() => {
      if (known) rows.keep(known)
      rows.setCursor(Math.min(cursor, rows.account(accountId)?.cursor ?? 0), accountId)
    })()
    syncSoon(accountId)
  }

  async function decide(send: Send, decision: ReleaseDecision, write: () => boolean): Promise<boolean> {
    const { id, accountId } = send
    const officeId = officeIdOf(accountId)
    // A send that was just put in the outbox here is pushed first.
    if (officeId && rows.find(id)?.state !== 'ready') await syncNow(accountId)
    const known = rows.find(id)
    // Only this workstation has it, for example because its batch is paused here.
    if (!officeId || !known || known.state === 'held') {
      db.transaction(write)()
      return true
    }
    const { isScheduled, goesAt, release } = decision
    const next = { ...send, isScheduled, goesAt, release }
    const composition = sends.compositionOf(send)
    const of = await draftOf(send, composition)
    const content = encodeSend(next, sends.requestOf(send), composition, of?.draft)
    const revision = known.revision + 1
    const isAccepted = await ask((office) =>
      office.decide(officeId, {
        id,
        content,
        revision,
        inMs: times.wholeRemaining(next),
        askedBy: release.by.id,
        by: (release.released ?? release.refused)?.id ?? '',
        isReleased: release.released !== undefined,
        life: life()
      })
    )
    if (!isAccepted) {
      await syncNow(accountId)
      return false
    }
    // The change may have been read meanwhile, like a decision made elsewhere.
    db.transaction(() => {
      if (write()) rows.change(accountId, id, { revision, goesAt })
    })()
    syncSoon(accountId)
    return true
  }

  async function reschedule(send: Send, change: NewTime, write: () => boolean): Promise<boolean> {
    const { id, accountId } = send
    const officeId = officeIdOf(accountId)
    // Pushes it if the office doesn't have it yet, and reads what became of it.
    if (officeId) {
      await syncNow(accountId)
      if (stateOf(accountId).isAway) failOfficeAway()
    }
    const known = rows.find(id)
    // Only this workstation has it, for example because its batch is paused here.
    if (!officeId || !known || known.state === 'held') return db.transaction(write)()
    const current = sends.find(id)
    if (known.state !== 'ready' || current?.state !== 'ready') return false
    const next = { ...current, ...change }
    const content = encodeSend(next, sends.requestOf(next), sends.compositionOf(next), next.sentDraft)
    const inMs = times.wholeRemaining(next)
    const revision = known.revision + 1
    const isAccepted = await ask((office) => office.reschedule(officeId, { id, content, inMs, revision, life: life() }))
    // What the office has may have been read meanwhile.
    if (isAccepted && rows.find(id)?.revision === known.revision)
      db.transaction(() => {
        if (write()) rows.change(accountId, id, { revision, goesAt: change.goesAt })
      })()
    if (isAccepted) syncSoon(accountId)
    else await syncNow(accountId)
    return isAccepted
  }

  return {
    push,
    pushUncertain,
    pushConclusions,
    reportArrived,
    withholdForUndo,
    decide,
    reschedule,
    isBeingUndone: (id: string): boolean => undoing.has(id)
  }
}

const REFUSAL_ERRORS: Record<PushRefusal, AppError> = {
  taken: {
    code: 'cancelled',
    message: 'This draft was sent from another workstation at the same moment, so it wasn’t sent from here.'
  },
  gone: {
    code: 'cancelled',
    message: 'Another workstation erased this draft, or took it out of the office’s list, before it was sent.',
    next: 'It’s in Drafts here as a separate draft. Open it, and send it if it’s still wanted.'
  },
  changed: {
    code: 'cancelled',
    message: 'This draft was changed at another workstation before it was sent.',
    next: 'Open it, see what was changed, and send it again.'
  }
}
