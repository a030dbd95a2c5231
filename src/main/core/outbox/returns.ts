/** The ways back: out of the outbox into a draft, and from a send that failed to another attempt. None leads to sending twice. */
import { isDeepStrictEqual } from 'node:util'
import type { DraftSummary, DraftView } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import type { Changes } from './changes.ts'
import { chosenOf, packageOf } from './doubts.ts'
import type { OutboxEffects } from './effects.ts'
import type { Holds } from './holds.ts'
import type { Proofs } from './proofs.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'

export interface ReturnParts {
  effects: Pick<OutboxEffects, 'db' | 'drafts' | 'clock'>
  sends: Sends
  changes: Changes
  holds: Holds
  proofs: Proofs
}

/** What a person says of a doubt. */
export type SettlingAnswer = { arrived: true; documents: readonly string[] } | { arrived: false }

export type Returns = ReturnType<typeof openReturns>

export function openReturns({ effects, sends, changes, holds, proofs }: ReturnParts) {
  const { db, drafts, clock } = effects

  /** @throws AppFailure `busy` where a send of the draft waits, is under way, not settled or done. */
  function refuseActive(draftId: string): void {
    const active = sends.ofDraft(draftId)
    if (active) fail('busy', wordsFor(active))
  }

  /** The draft of a send, where it is there and not in the trash. */
  function draftOf({ draftId }: Send): DraftView | undefined {
    try {
      const draft = draftId === undefined ? undefined : drafts.get(draftId)
      return draft?.trashedAt === undefined ? draft : undefined
    } catch (error) {
      if (error instanceof AppFailure && error.appError.code === 'gone') return undefined
      throw error
    }
  }

  const isOf = (draft: DraftView, send: Send) => isDeepStrictEqual(draft.composition, sends.compositionOf(send))

  /** A row that becomes a draft leaves its batch, so that the batch can't send it beside the draft. */
  function intoDraft(send: Send): DraftSummary {
    const draft = drafts.save(send.accountId, sends.compositionOf(send))
    sends.change(send, { state: 'cancelled', draftId: draft.id, settledAt: clock(), error: TAKEN_OUT })
    return draft
  }

  function takeBackNow(send: Send): DraftSummary {
    const draft = draftOf(send)
    if (!draft) return intoDraft(send)
    if (send.firstAttemptedAt === undefined) sends.remove(send)
    // It may have been on its way before, so its trace is kept.
    else sends.change(send, { state: 'cancelled', settledAt: clock(), error: TAKEN_OUT })
    return drafts.summary(draft.id)
  }

  function againNow(send: Send): DraftSummary {
    const draft = draftOf(send)
    const isFree = draft !== undefined && sends.ofDraft(draft.id) === undefined
    if (isFree) return drafts.summary(draft.id)
    if (send.state === 'sent' || send.state === 'cancelled') {
      return drafts.save(send.accountId, sends.compositionOf(send))
    }
    if (draft) refuseActive(draft.id)
    return intoDraft(send)
  }

  return {
    refuseActive,

    /** Earlier sends of a draft that is sent now came to nothing: the draft goes on in their place. */
    supersede(draftId: string): void {
      for (const send of sends.failedOfDraft(draftId)) {
        if (send.firstAttemptedAt === undefined) sends.remove(send)
        else sends.change(send, { state: 'cancelled', settledAt: clock(), error: SENT_ANEW })
        changes.send(send.id, send.batchId)
      }
    },

    /** See outbox.ts. */
    takeBack(id: string): DraftSummary {
      const send = sends.get(id)
      if (send.state !== 'ready') fail('busy', 'This package has left already, so it can’t be taken back.')
      const draft = db.transaction(() => takeBackNow(send))()
      holds.release(id)
      changes.send(id, send.batchId)
      changes.draft(draft.id)
      return draft
    },

    /** See outbox.ts. */
    again(id: string): DraftSummary {
      const send = sends.get(id)
      if (send.state === 'ready' || send.state === 'sending' || send.state === 'uncertain') {
        fail('busy', wordsFor(send))
      }
      const draft = db.transaction(() => againNow(send))()
      changes.send(id, send.batchId)
      changes.draft(draft.id)
      return draft
    },

    /** See outbox.ts. */
    settle(id: string, answer: SettlingAnswer): Send {
      const send = sends.get(id)
      const { doubt } = send
      if (send.state !== 'uncertain' || !doubt)
        return fail('busy', 'There is nothing to decide about this package now.')
      const decided = db.transaction(() => {
        if (answer.arrived) {
          const chosen = chosenOf(doubt, answer.documents)
          const isTaken = chosen.some((one) => sends.isClaimed(send, one.Reference, one.PackageReference))
          if (isTaken)
            fail('conflict', 'This document belongs to another package that was sent.', { next: 'Look again.' })
          return sends.taken(send, packageOf(chosen), clock())
        }
        const dismissed = [...new Set([...send.dismissed, ...doubt.found.map(({ reference }) => reference)])]
        return sends.change(send, {
          state: 'not-sent',
          dismissed,
          doubt: undefined,
          error: undefined,
          settledAt: clock()
        })
      })()
      if (!answer.arrived) proofs.add(id)
      changes.send(id, send.batchId)
      changes.draft(send.draftId)
      return decided
    },

    /**
     * One that was thought not to have arrived did. Its draft was given back meanwhile, and stays where it was changed.
     * To be called in a transaction.
     */
    arrivedLate(send: Send, response: PackageResponse): Send {
      const draft = draftOf(send)
      const isSame = draft !== undefined && isOf(draft, send)
      return sends.taken(isSame ? send : sends.change(send, { draftId: undefined }), response, clock())
    },

    /** See outbox.ts. To be called in a transaction. */
    retry(send: Send): void {
      if (send.state !== 'refused' && send.state !== 'not-sent') {
        fail('busy', wordsFor(send))
      }
      if (send.state === 'refused' && send.attempt === 0) {
        fail('conflict', 'This can’t be sent as it is.', {
          next: 'Open it as a draft, mend it, and send it from there.'
        })
      }
      if (send.draftId !== undefined) refuseActive(send.draftId)
      const draft = draftOf(send)
      if (draft && !isOf(draft, send)) {
        fail('conflict', 'The draft of this package was changed since.', { next: 'Send it from the draft.' })
      }
      sends.change(send, {
        state: 'ready',
        attempt: 0,
        settledAt: undefined,
        error: undefined,
        goesAt: 0,
        isScheduled: false
      })
      changes.send(send.id, send.batchId)
      changes.draft(send.draftId)
    }
  }
}

const SENT_ANEW = { code: 'cancelled', message: 'Its draft was sent anew in its place.' } as const
const TAKEN_OUT = { code: 'cancelled', message: 'This was taken out of the outbox; it goes on as a draft.' } as const

function wordsFor({ state }: Send): string {
  return state === 'refused' || state === 'not-sent' ? 'This package was not sent.' : ALREADY_THERE[state]
}

const ALREADY_THERE: Record<Exclude<Send['state'], 'refused' | 'not-sent'>, string> = {
  ready: 'This package is in the outbox already.',
  sending: 'This package is being sent already.',
  uncertain: 'This package was sent, and no answer came. It is found out whether it arrived before it is sent again.',
  sent: 'This package was sent already.',
  cancelled: 'This package was taken out of the outbox.'
}
