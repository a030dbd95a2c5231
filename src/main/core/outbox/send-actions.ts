/**
 * A user's actions on sends: put a draft in the outbox, send it now, move it back to a draft, or retry a failed one.
 * None can lead to sending twice. Also builds the request exactly as it will be sent.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type Composition,
  type KeptByAnother,
  problemsOf,
  repeatedPackage,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../../shared/composition/index.ts'
import type { AppError, DraftSummary, DraftView } from '../../../shared/contract/index.ts'
import { markOf } from '../../../shared/matter.ts'
import {
  formatPath,
  type PackageResponse,
  SendFormDirectRequest,
  SendFormFillerRequest
} from '../../../shared/model/index.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import type { OutboxParts } from './parts.ts'
import {
  awaitsRelease,
  countPeople,
  holdForRelease,
  type Person,
  type ReleaseDecision,
  refusalDecision,
  releaseDecision
} from './releases.ts'
import { NOW, type Send, type SentRequest } from './send-record.ts'

export type SendActionsDeps = Pick<
  OutboxParts,
  'db' | 'drafts' | 'sharedDrafts' | 'newId' | 'time' | 'release' | 'sends' | 'changes' | 'times' | 'pauses' | 'note'
>

/** Methods that outbox.ts offers under the same names are described there. */
export class SendActions {
  readonly #deps: SendActionsDeps

  constructor(deps: SendActionsDeps) {
    this.#deps = deps
  }

  enqueue(draftId: string, requestedAt: number | undefined): Send {
    const { db, drafts, newId, note, time, sends, changes, times, pauses } = this.#deps
    const draft = drafts.get(draftId)
    const { accountId, composition } = draft
    this.#refuseActive(draftId)
    if (draft.trashedAt !== undefined) fail('gone', 'This draft is in the trash.', { next: 'Restore it to send it.' })
    const id = newId()
    const createdAt = time.now()
    const at = requestedAt !== undefined && requestedAt > createdAt ? requestedAt : undefined
    const content = requestOf(composition, id, at ?? createdAt)
    const undoWindow = pauses.undoWindow(accountId)
    const held = holdForRelease(this.#deps.release, countPeople(composition), {
      isScheduled: at !== undefined,
      goesAt: at ?? 0
    })
    const send = db.transaction(() => {
      drafts.keepVersion(draftId, 'send')
      this.#supersede(draftId)
      const goes = held ?? { isScheduled: at !== undefined, goesAt: at ?? createdAt + undoWindow }
      return sends.add({ ...content, ...goes, id, accountId, draftId, composition, createdAt, state: 'ready' })
    })()
    if (at === undefined && !held) times.allowUndo(id, undoWindow)
    else times.schedule(id)
    note(accountId, composition)
    changes.send(send)
    changes.draft(draftId)
    return send
  }

  /** Returns a send that may be sent now. @throws AppFailure `busy` if it isn't waiting; `not-allowed` if for a release. */
  toSendNow(id: string): Send {
    const send = this.#deps.sends.get(id)
    if (send.state !== 'ready') fail('busy', NO_LONGER_WAITING)
    if (awaitsRelease(send.release)) fail('not-allowed', 'This package is waiting for someone else to release it.')
    return send
  }

  /** Stores that a send is sent now; returns whether it was still waiting. */
  sendNow(id: string): boolean {
    const { sends, changes, times } = this.#deps
    const send = sends.find(id)
    if (send?.state !== 'ready' || awaitsRelease(send.release)) return false
    sends.change(send, NOW)
    times.endUndo(id)
    changes.send(send)
    return true
  }

  /**
   * Returns a send whose time may be changed to `at`.
   * @throws AppFailure `busy` if it doesn't wait for its time; `invalid` if `at` has passed, or isn't before its due date.
   */
  toReschedule(id: string, at: number): Send {
    const { sends, time } = this.#deps
    const send = sends.get(id)
    if (!this.#waitsForTime(send)) fail('busy', 'This package is no longer scheduled.')
    if (at <= time.now()) fail('invalid', 'That time has passed. Choose a later one.')
    if (overdueError(sends.requestOf(send), at)) {
      fail('invalid', 'It’s due before that time. Choose an earlier one.')
    }
    return send
  }

  /** Stores another time for a send; returns whether it still waited for its time. */
  reschedule(id: string, at: number): boolean {
    const { sends, changes, times } = this.#deps
    const send = sends.find(id)
    if (!send || !this.#waitsForTime(send)) return false
    sends.change(send, { isScheduled: true, goesAt: at })
    times.schedule(id)
    changes.send(send)
    return true
  }

  #waitsForTime(send: Send): boolean {
    const { state, isScheduled, release } = send
    return state === 'ready' && isScheduled && !awaitsRelease(release) && this.#deps.times.remaining(send) > 0
  }

  /** @param reason why it must not leave; absent if it is released. */
  decision(id: string, who: Person, reason?: string): { send: Send; decision: ReleaseDecision } {
    const send = this.#deps.sends.get(id)
    if (send.state !== 'ready') fail('busy', NO_LONGER_WAITING)
    const { release } = send
    const now = this.#deps.time.now()
    const decision =
      reason === undefined ? releaseDecision(release, who, now) : refusalDecision(release, who, reason, now)
    return { send, decision }
  }

  /** Stores what `decision` returned; returns whether it was still undecided. */
  decide(id: string, decision: ReleaseDecision): boolean {
    const { sends, changes, times } = this.#deps
    const send = sends.find(id)
    if (send?.state !== 'ready' || !awaitsRelease(send.release) || send.release.refused) return false
    sends.change(send, decision)
    times.schedule(id)
    changes.send(send)
    return true
  }

  undo(id: string): DraftSummary {
    const { db, sends, changes, times } = this.#deps
    const send = sends.get(id)
    if (send.state !== 'ready') fail('busy', 'This package is no longer waiting, so sending can’t be undone.')
    const draft = db.transaction(() => this.#undoNow(send))()
    times.endUndo(id)
    changes.send(send)
    changes.draft(draft.id)
    return draft
  }

  toDraft(id: string): DraftSummary {
    const { db, sends, changes } = this.#deps
    const send = sends.get(id)
    if (send.state === 'ready' || send.state === 'sending' || send.state === 'uncertain')
      fail('busy', refusalText(send))
    const draft = db.transaction(() => this.#restoreOrCopyDraft(send))()
    changes.send(send)
    changes.draft(draft.id)
    return draft
  }

  duplicate(id: string, keeps: KeptByAnother): DraftSummary {
    const { drafts, sends, changes, time } = this.#deps
    const send = sends.get(id)
    const draft = drafts.save(send.accountId, repeatedPackage(sends.compositionOf(send), keeps, time.now()))
    changes.draft(draft.id)
    return draft
  }

  /** Call it in a transaction. */
  retry(send: Send): void {
    const { sends, changes } = this.#deps
    if (send.state !== 'refused' && send.state !== 'not-sent') fail('busy', refusalText(send))
    if (send.state === 'refused' && send.attempt === 0) {
      fail('conflict', 'This can’t be sent as it is.', {
        next: 'Open it as a draft, correct it, and send it from there.'
      })
    }
    if (send.draftId !== undefined) this.#refuseActive(send.draftId)
    const draft = this.#draftOf(send)
    if (draft && !this.#isSame(draft, send)) {
      fail('conflict', 'The draft of this package has changed since.', { next: 'Send it from the draft.' })
    }
    const goes = awaitsRelease(send.release) ? {} : NOW
    sends.change(send, { ...goes, state: 'ready', attempt: 0, settledAt: undefined, error: undefined })
    changes.send(send)
    changes.draft(send.draftId)
  }

  /**
   * Marks a send as arrived that was thought not to have. Its draft was given back meanwhile, and is kept if it was
   * changed. Call it in a transaction.
   */
  markArrivedLate(send: Send, response: PackageResponse): Send {
    const { sends, time } = this.#deps
    const draft = this.#draftOf(send)
    const isSame = draft !== undefined && this.#isSame(draft, send)
    return sends.accepted(isSame ? send : sends.change(send, { draftId: undefined }), response, time.now())
  }

  #undoNow(send: Send): DraftSummary {
    const draft = this.#draftOf(send)
    if (!draft) return this.#moveToDraft(send)
    this.#takeOut(send, TAKEN_OUT)
    return this.#deps.drafts.summary(draft.id)
  }

  /** Removes a send; one that may have been in flight is cancelled, so that a record is kept. */
  #takeOut(send: Send, error: AppError): void {
    const { sends, time } = this.#deps
    if (send.firstAttemptedAt === undefined) sends.remove(send)
    else sends.change(send, { state: 'cancelled', settledAt: time.now(), error })
  }

  #restoreOrCopyDraft(send: Send): DraftSummary {
    const { drafts, sends } = this.#deps
    const draft = this.#draftOf(send)
    const isFree = draft !== undefined && sends.ofDraft(draft.id) === undefined
    if (isFree) return drafts.summary(draft.id)
    if (send.state === 'sent') return drafts.save(send.accountId, sends.compositionOf(send))
    if (send.state === 'cancelled') return this.#recreateDraft(send)
    if (draft) this.#refuseActive(draft.id)
    return this.#moveToDraft(send)
  }

  /** Moves a row into a draft and out of its batch, so that it can't be sent twice. */
  #moveToDraft(send: Send): DraftSummary {
    const { sends, time } = this.#deps
    const cancelled = sends.change(send, { state: 'cancelled', settledAt: time.now(), error: TAKEN_OUT })
    const draft = this.#recreateDraft(cancelled)
    sends.change(cancelled, { draftId: draft.id })
    return draft
  }

  /**
   * Restores a send's draft that isn't here: the same draft if an office still has it and nothing else of it is being
   * sent, otherwise a new one.
   */
  #recreateDraft(send: Send): DraftSummary {
    const { drafts, sends, sharedDrafts } = this.#deps
    const { accountId, draftId } = send
    const composition = sends.compositionOf(send)
    const isFree = draftId !== undefined && sends.ofDraft(draftId) === undefined
    return (
      (isFree && sharedDrafts?.restoreDraft(accountId, draftId, composition)) || drafts.save(accountId, composition)
    )
  }

  #draftOf({ draftId }: Send): DraftView | undefined {
    try {
      const draft = draftId === undefined ? undefined : this.#deps.drafts.get(draftId)
      return draft?.trashedAt === undefined ? draft : undefined
    } catch (error) {
      if (error instanceof AppFailure && error.appError.code === 'gone') return undefined
      throw error
    }
  }

  #isSame(draft: DraftView, send: Send): boolean {
    return isDeepStrictEqual(draft.composition, this.#deps.sends.compositionOf(send))
  }

  /** @throws AppFailure `busy` if the draft has a send that is waiting, in flight, uncertain or sent. */
  #refuseActive(draftId: string): void {
    const active = this.#deps.sends.ofDraft(draftId)
    if (active) fail('busy', refusalText(active))
  }

  /** Removes or cancels earlier failed sends of a draft that is being sent now. */
  #supersede(draftId: string): void {
    const { sends, changes } = this.#deps
    for (const send of sends.failedOfDraft(draftId)) {
      this.#takeOut(send, SENT_AGAIN)
      changes.send(send)
    }
  }
}

/** Returns why a send can't be sent or undone in its current state. */
function refusalText({ state }: Send): string {
  return state === 'refused' || state === 'not-sent' ? 'This package wasn’t sent.' : ALREADY_THERE[state]
}

export const NO_LONGER_WAITING = 'This package is no longer waiting.'
const TAKEN_OUT = { code: 'cancelled', message: 'This was moved back to Drafts.' } as const
const SENT_AGAIN = { code: 'cancelled', message: 'Its draft was sent again instead.' } as const

const ALREADY_THERE: Record<Exclude<Send['state'], 'refused' | 'not-sent'>, string> = {
  ready: 'This package is already in the Outbox.',
  sending: 'This package is already being sent.',
  uncertain: 'This package was sent but isn’t confirmed. Countersign is checking whether it arrived.',
  sent: 'This package has already been sent.',
  cancelled: 'This package was cancelled.'
}

/**
 * Builds the request of a send, with our mark wherever no ClientReference was typed.
 * @param leavesAt when it is to leave, in milliseconds since 1970 UTC: its due date must be later.
 * @throws AppFailure `invalid` with its fields.
 */
export function requestOf(composition: Composition, sendId: string, leavesAt: number): SentRequest {
  const errors = problemsOf(composition, leavesAt).filter((problem) => problem.severity === 'error')
  const mark = (index: number) => `${markOf(sendId)}${index + 1}`
  const { kind } = composition
  const checked =
    kind === 'form-direct'
      ? SendFormDirectRequest.safeParse(toFormDirectRequest(composition, mark))
      : SendFormFillerRequest.safeParse(toFormFillerRequest(composition, mark))
  if (errors.length > 0 || !checked.success) {
    // Prefer our own messages; the model's are a last resort.
    const fields =
      errors.length > 0
        ? errors.map(({ at, message }) => ({ field: at, message }))
        : checked.error?.issues.map((issue) => ({ field: formatPath(issue.path), message: issue.message }))
    throw new AppFailure({
      code: 'invalid',
      message: 'Some details are missing or wrong.',
      mayHaveArrived: false,
      ...(fields && { fields })
    })
  }
  return { kind, request: checked.data } as SentRequest
}

/** Returns why the service would refuse a request by now, or let it expire at once; undefined if it wouldn't. */
export function overdueError({ request }: SentRequest, now: number): AppError | undefined {
  const due = request.DueDate === undefined ? Number.NaN : Date.parse(request.DueDate)
  if (Number.isNaN(due) || due > now) return undefined
  const message = 'The due date passed before this could be sent. Choose a later one, and send it again.'
  return { code: 'invalid', message, mayHaveArrived: false, fields: [{ field: 'due', message }] }
}
