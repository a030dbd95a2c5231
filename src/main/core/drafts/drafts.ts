/** Packages that are being composed. What `save` has answered is on the disk. */

import { type Composition, Composition as CompositionSchema, titleOf } from '../../../shared/composition/index.ts'
import type { DraftSummary, DraftView } from '../../../shared/contract/index.ts'
import { fail } from '../failure.ts'
import type { Db } from '../storage/connection.ts'

export interface DraftEffects {
  db: Db
  /** Milliseconds since 1970 UTC. */
  clock: () => number
  newId: () => string
  changed: (id: string) => void
}

interface DraftRecord {
  id: string
  account_id: string
  kind: DraftSummary['kind']
  title: string
  body: string
  updated_at: number
}

export type Drafts = ReturnType<typeof openDrafts>

export function openDrafts({ db, clock, newId, changed }: DraftEffects) {
  // A draft whose send is under way, uncertain or done belongs to the outbox.
  const unsent = `NOT EXISTS (SELECT 1 FROM sends WHERE sends.draft_id = drafts.id AND sends.state IN ('sending','uncertain','sent'))`
  const listAll = db.prepare<[string], DraftRecord>(
    `SELECT * FROM drafts WHERE account_id = ? AND ${unsent} ORDER BY updated_at DESC, id`
  )
  const read = db.prepare<[string], DraftRecord>('SELECT * FROM drafts WHERE id = ?')
  const isWithTheOutbox = db.prepare<[string], { id: string }>(
    `SELECT id FROM sends WHERE draft_id = ? AND state IN ('sending','uncertain','sent')`
  )
  const write = db.prepare(
    `INSERT INTO drafts (id, account_id, kind, title, body, created_at, updated_at)
     VALUES (@id, @accountId, @kind, @title, @body, @now, @now)
     ON CONFLICT (id) DO UPDATE SET kind = @kind, title = @title, body = @body, updated_at = @now`
  )
  const erase = db.prepare('DELETE FROM drafts WHERE id = ?')

  return {
    list(accountId: string): DraftSummary[] {
      return listAll.all(accountId).map(summary)
    },

    /** @throws AppFailure `gone` where there is no such draft. */
    get(id: string): DraftView {
      const record = read.get(id) ?? fail('gone', 'This draft is no longer there.')
      return { ...summary(record), composition: CompositionSchema.parse(JSON.parse(record.body)) }
    },

    /**
     * Saves a draft, durably. Without an id it is a new one.
     * @throws AppFailure `busy` once it is with the outbox; `gone` where it was deleted, or belongs to another account:
     *   a late save must not bring it back.
     */
    save(accountId: string, composition: Composition, known?: string): DraftSummary {
      if (known !== undefined && isWithTheOutbox.get(known)) {
        fail('busy', 'This package is being sent, or was sent. It can no longer be changed here.')
      }
      if (known !== undefined && read.get(known)?.account_id !== accountId) {
        fail('gone', 'This draft was deleted, or belongs to another account.')
      }
      const id = known ?? newId()
      const now = clock()
      const title = titleOf(composition)
      write.run({ id, accountId, kind: composition.kind, title, body: JSON.stringify(composition), now })
      changed(id)
      return { id, accountId, kind: composition.kind, title, updatedAt: now }
    },

    /** @throws AppFailure `busy` while a send of it is under way or not settled. */
    remove(id: string): void {
      if (isWithTheOutbox.get(id)) fail('busy', 'This package is being sent, or was sent.')
      erase.run(id)
      changed(id)
    }
  }
}

function summary(record: DraftRecord): DraftSummary {
  return {
    id: record.id,
    accountId: record.account_id,
    kind: record.kind,
    title: record.title,
    updatedAt: record.updated_at
  }
}
