/** The ways back: out of the outbox into a draft, and from a send that failed to another attempt. None leads to sending twice. */
import { isDeepStrictEqual } from 'node:util'
import type { DraftSummary, DraftView } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import type { Changes } from './changes.ts'
import type { OutboxDeps } from './deps.ts'
import { refuseActive, whyNot } from './enqueue.ts'
import type { Send } from './send-record.ts'
import type { SendTimes } from './send-times.ts'
import type { Sends } from './sends.ts'

export interface UndoAndRetryDeps extends Pick<OutboxDeps, 'db' | 'drafts' | 'time'> {
  sends: Sends
  changes: Changes
  times: SendTimes
}

export class UndoAndRetry {
  readonly #deps: UndoAndRetryDeps

  constructor(deps: UndoAndRetryDeps) {
    this.#deps = deps
  }

  /** See outbox.ts. */
  takeBack(id: string): DraftSummary {
    const { db, sends, changes, times } = this.#deps
    const send = sends.get(id)
    if (send.state !== 'ready') fail('busy', 'This package has left already, so it can’t be taken back.')
    const draft = db.transaction(() => this.#takeBackNow(send))()
    times.endUndo(id)
    changes.send(send)
    changes.draft(draft.id)
    return draft
  }

  /** See outbox.ts. */
  again(id: string): DraftSummary {
    const { db, sends, changes } = this.#deps
    const send = sends.get(id)
    if (send.state === 'ready' || send.state === 'sending' || send.state === 'uncertain') fail('busy', whyNot(send))
    const draft = db.transaction(() => this.#againNow(send))()
    changes.send(send)
    changes.draft(draft.id)
    return draft
  }

  /** See outbox.ts. To be called in a transaction. */
  retry(send: Send): void {
    const { sends, changes } = this.#deps
    if (send.state !== 'refused' && send.state !== 'not-sent') fail('busy', whyNot(send))
    if (send.state === 'refused' && send.attempt === 0) {
      fail('conflict', 'This can’t be sent as it is.', {
        next: 'Open it as a draft, mend it, and send it from there.'
      })
    }
    if (send.draftId !== undefined) refuseActive(sends, send.draftId)
    const draft = this.#draftOf(send)
    if (draft && !this.#isSame(draft, send)) {
      fail('conflict', 'The draft of this package was changed since.', { next: 'Send it from the draft.' })
    }
    const atOnce = { goesAt: 0, isScheduled: false }
    sends.change(send, { ...atOnce, state: 'ready', attempt: 0, settledAt: undefined, error: undefined })
    changes.send(send)
    changes.draft(send.draftId)
  }

  /**
   * One that was thought not to have arrived did. Its draft was given back meanwhile, and stays if it was changed.
   * To be called in a transaction.
   */
  arrivedLate(send: Send, response: PackageResponse): Send {
    const { sends, time } = this.#deps
    const draft = this.#draftOf(send)
    const isSame = draft !== undefined && this.#isSame(draft, send)
    return sends.accepted(isSame ? send : sends.change(send, { draftId: undefined }), response, time.now())
  }

  #takeBackNow(send: Send): DraftSummary {
    const { drafts, sends, time } = this.#deps
    const draft = this.#draftOf(send)
    if (!draft) return this.#intoDraft(send)
    if (send.firstAttemptedAt === undefined) sends.remove(send)
    // It may have been under way before, so its trace is kept.
    else sends.change(send, { state: 'cancelled', settledAt: time.now(), error: TAKEN_OUT })
    return drafts.summary(draft.id)
  }

  #againNow(send: Send): DraftSummary {
    const { drafts, sends } = this.#deps
    const draft = this.#draftOf(send)
    const isFree = draft !== undefined && sends.ofDraft(draft.id) === undefined
    if (isFree) return drafts.summary(draft.id)
    if (send.state === 'sent' || send.state === 'cancelled') {
      return drafts.save(send.accountId, sends.compositionOf(send))
    }
    if (draft) refuseActive(sends, draft.id)
    return this.#intoDraft(send)
  }

  /** A row that becomes a draft leaves its batch, so that the batch can't send it beside the draft. */
  #intoDraft(send: Send): DraftSummary {
    const { drafts, sends, time } = this.#deps
    const draft = drafts.save(send.accountId, sends.compositionOf(send))
    sends.change(send, { state: 'cancelled', draftId: draft.id, settledAt: time.now(), error: TAKEN_OUT })
    return draft
  }

  /** The draft of a send, if it is there and not in the trash. */
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
}

const TAKEN_OUT = { code: 'cancelled', message: 'This was taken out of the outbox; it goes on as a draft.' } as const
