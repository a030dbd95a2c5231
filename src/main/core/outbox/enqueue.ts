/** The ways in: a draft is put in the outbox, and one that waits is let go at once. */
import type { Composition } from '../../../shared/composition/index.ts'
import { fail } from '../lib/failure.ts'
import type { Changes } from './changes.ts'
import type { OutboxDeps } from './deps.ts'
import type { AccountPauses } from './pauses.ts'
import { requestOf } from './request.ts'
import type { Send } from './send-record.ts'
import type { SendTimes } from './send-times.ts'
import type { Sends } from './sends.ts'

export interface EnqueueDeps extends Pick<OutboxDeps, 'db' | 'drafts' | 'newId' | 'time'> {
  sends: Sends
  changes: Changes
  times: SendTimes
  pauses: AccountPauses
  /** Has a composition's people and values remembered. */
  note: (accountId: string, composition: Composition) => void
}

/** Puts a draft in the outbox; see outbox.ts. */
export function enqueue(deps: EnqueueDeps, draftId: string, asked: number | undefined): Send {
  const { db, drafts, newId, time, sends, changes, times } = deps
  const draft = drafts.get(draftId)
  const { accountId, composition } = draft
  refuseActive(sends, draftId)
  if (draft.trashedAt !== undefined) fail('gone', 'This draft is in the trash.', { next: 'Restore it to send it.' })
  const id = newId()
  const createdAt = time.now()
  const at = asked !== undefined && asked > createdAt ? asked : undefined
  const content = requestOf(composition, id, at ?? createdAt)
  const undoWindow = deps.pauses.undoWindow(accountId)
  const send = db.transaction(() => {
    drafts.keepVersion(draftId, 'send')
    supersede(deps, draftId)
    const goes = { isScheduled: at !== undefined, goesAt: at ?? createdAt + undoWindow }
    return sends.add({ ...content, ...goes, id, accountId, draftId, composition, createdAt, state: 'ready' })
  })()
  if (at === undefined) times.allowUndo(id, undoWindow)
  else times.schedule(id)
  deps.note(accountId, composition)
  changes.send(send)
  changes.draft(draftId)
  return send
}

/** Lets one that waits go at once; see outbox.ts. */
export function sendNow({ sends, times, changes }: Pick<EnqueueDeps, 'sends' | 'times' | 'changes'>, id: string): Send {
  const send = sends.get(id)
  if (send.state !== 'ready') fail('busy', 'This package has left already.')
  const next = sends.change(send, { goesAt: 0, isScheduled: false })
  times.endUndo(id)
  changes.send(send)
  return next
}

/** @throws AppFailure `busy` if a send of the draft waits, is under way, not settled or done. */
export function refuseActive(sends: Sends, draftId: string): void {
  const active = sends.ofDraft(draftId)
  if (active) fail('busy', whyNot(active))
}

/** Earlier sends of a draft that is sent now came to nothing: the draft goes on in their place. */
function supersede({ sends, changes, time }: EnqueueDeps, draftId: string): void {
  for (const send of sends.failedOfDraft(draftId)) {
    if (send.firstAttemptedAt === undefined) sends.remove(send)
    else sends.change(send, { state: 'cancelled', settledAt: time.now(), error: SENT_AGAIN })
    changes.send(send)
  }
}

/** Why a send, as it is, can't be sent or undone. */
export function whyNot({ state }: Send): string {
  return state === 'refused' || state === 'not-sent' ? 'This package was not sent.' : ALREADY_THERE[state]
}

const SENT_AGAIN = { code: 'cancelled', message: 'Its draft was sent again in its place.' } as const

const ALREADY_THERE: Record<Exclude<Send['state'], 'refused' | 'not-sent'>, string> = {
  ready: 'This package is in the outbox already.',
  sending: 'This package is being sent already.',
  uncertain: 'This package was sent, and no answer came. It is found out whether it arrived before it is sent again.',
  sent: 'This package was sent already.',
  cancelled: 'This package was taken out of the outbox.'
}
