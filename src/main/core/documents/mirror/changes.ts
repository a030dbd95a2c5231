/** What happened to documents, in the order in which it was seen: written with the document, told once to anyone who keeps count. */
import type { DocumentChange } from '../../../../shared/contract/index.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Db } from '../../storage/connection.ts'
import type { DocumentQuestions } from '../questions.ts'
import { activityIn, type ChangeRow, changeOf } from './activity.ts'
import type { Difference } from './differences.ts'

/** How long they are kept, in milliseconds: long enough for a year's review. */
const KEPT_FOR = 400 * 86_400_000
/** How many are forgotten at a time: a few milliseconds' work. */
const PIECE = 200

/** The document that it happened to, and when it was seen. */
export interface Happened {
  accountId: string
  reference: string
  documentName: string
  at: number
}

export type Changes = ReturnType<typeof openChanges>

export function openChanges(db: Db) {
  const write = db.prepare(
    `INSERT INTO changes (account_id, reference, document_name, kind, at, signer, from_text, to_text, is_own)
     VALUES (@accountId, @reference, @documentName, @kind, @at, @signer, @from, @to, @isOwn)`
  )
  const newest = db
    .prepare<[], number>("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'changes'")
    .pluck()
  const mirror = db.prepare<[], string>('SELECT id FROM mirror').pluck().get() ?? ''
  const after = db.prepare<[number, number], ChangeRow>('SELECT * FROM changes WHERE id > ? ORDER BY id LIMIT ?')
  const lastDue = db.prepare<[string, string], ChangeRow>(
    "SELECT * FROM changes WHERE account_id = ? AND reference = ? AND kind = 'due-changed' ORDER BY id DESC LIMIT 1"
  )
  const nextAccount = db
    .prepare<[string], string | null>('SELECT min(account_id) FROM changes WHERE account_id > ?')
    .pluck()
  const erase = db.prepare<[string]>('DELETE FROM changes WHERE account_id = ?')
  const oldest = db.prepare<[number], { id: number; at: number }>(
    `SELECT id, at FROM changes WHERE id > ? ORDER BY id LIMIT ${PIECE}`
  )
  const lastAt = db.prepare<[], number>('SELECT at FROM changes ORDER BY id DESC LIMIT 1').pluck()
  const forget = db.prepare<[number]>('DELETE FROM changes WHERE id = ?')
  const forgetAll = db.transaction((ids: readonly number[]) => {
    for (const id of ids) forget.run(id)
  })
  const activity = activityIn(db, () => newest.get() ?? 0)

  return {
    /** Inside the transaction that writes the document. */
    write(differences: readonly (Difference & { isOwn: boolean })[], happened: Happened): void {
      for (const { kind, isOwn, signer = null, from = null, to = null } of differences) {
        write.run({ ...happened, isOwn: isOwn ? 1 : 0, kind, signer, from, to })
      }
    },

    /** Also of changes that are kept no longer: ids are never given twice by the same mirror. */
    newest: (): DocumentQuestions['newestChange']['answer'] => ({
      mirror,
      change: newest.get() ?? 0,
      isKept: !db.memory
    }),

    after: (id: number, limit: number): DocumentChange[] => after.all(id, limit).map(changeOf),

    /** When the document became due at another time last: whether we did that, and the time as the service spelled it. */
    lastDue(accountId: string, reference: string): { isOwn: boolean; to?: string } | undefined {
      const row = lastDue.get(accountId, reference)
      return row && { isOwn: row.is_own === 1, ...(row.to_text !== null && { to: row.to_text }) }
    },

    *activity(ask: DocumentQuestions['activity']['ask']): Sliced<DocumentQuestions['activity']['answer']> {
      const { rows, byKind } = yield* activity.read(ask)
      return {
        changes: rows.map(changeOf),
        total: Object.values(byKind).reduce((sum, count) => sum + count, 0),
        byKind
      }
    },

    /**
     * Forgets what is older than it needs to be, by the newest change: a clock that is wrong says nothing of them.
     * @param now a clock that is behind keeps the more.
     */
    *prune(now: number): Sliced<void> {
      const before = Math.min(now, lastAt.get() ?? now) - KEPT_FOR
      let last = 0
      for (;;) {
        const some = oldest.all(last)
        const old = some.filter(({ at }) => at < before).map(({ id }) => id)
        if (old.length === 0) return
        forgetAll(old)
        activity.forget()
        last = some.at(-1)?.id ?? last
        yield
      }
    },

    /** The accounts that something happened to. */
    accounts(): string[] {
      const found: string[] = []
      for (let next = nextAccount.get(''); next; next = nextAccount.get(next)) found.push(next)
      return found
    },

    erase(accountId: string): void {
      erase.run(accountId)
      activity.forget()
    }
  }
}
