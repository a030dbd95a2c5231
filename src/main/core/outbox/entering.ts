/** The ways in: a draft is put in the outbox, and one that waits is let go at once. */
import type { Composition } from '../../../shared/composition/index.ts'
import { fail } from '../lib/failure.ts'
import type { Appointments } from './appointments.ts'
import type { Changes } from './changes.ts'
import type { OutboxEffects } from './effects.ts'
import type { Holds } from './holds.ts'
import { requestOf } from './requests.ts'
import type { Returns } from './returns.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'

export interface EnteringParts {
  effects: Pick<OutboxEffects, 'db' | 'drafts' | 'newId' | 'clock'>
  sends: Sends
  returns: Returns
  changes: Changes
  holds: Holds
  appointments: Appointments
  takeBackMs: (accountId: string) => number
  /** Has a composition's people and values remembered. */
  note: (accountId: string, composition: Composition) => void
}

export function openEntering({ effects, sends, returns, changes, holds, appointments, ...parts }: EnteringParts) {
  const { db, drafts, clock } = effects

  return {
    /** See outbox.ts. */
    start(draftId: string, { at: asked }: { at?: number | undefined } = {}): Send {
      const draft = drafts.get(draftId)
      const { accountId, composition } = draft
      returns.refuseActive(draftId)
      if (draft.trashedAt !== undefined) fail('gone', 'This draft is in the trash.', { next: 'Restore it to send it.' })
      const id = effects.newId()
      const createdAt = clock()
      const at = asked !== undefined && asked > createdAt ? asked : undefined
      const content = requestOf(composition, id, at ?? createdAt)
      const takeBack = parts.takeBackMs(accountId)
      const send = db.transaction(() => {
        drafts.keepVersion(draftId, 'send')
        returns.supersede(draftId)
        const goes = { isScheduled: at !== undefined, goesAt: at ?? createdAt + takeBack }
        return sends.add({ ...content, ...goes, id, accountId, draftId, composition, createdAt, state: 'ready' })
      })()
      if (at === undefined) holds.hold(id, takeBack)
      else appointments.give(id)
      parts.note(accountId, composition)
      changes.send(id, undefined)
      changes.draft(draftId)
      return send
    },

    /** See outbox.ts. */
    now(id: string): Send {
      const send = sends.get(id)
      if (send.state !== 'ready') fail('busy', 'This package has left already.')
      const next = sends.change(send, { goesAt: 0, isScheduled: false })
      holds.release(id)
      changes.send(id, send.batchId)
      return next
    }
  }
}
