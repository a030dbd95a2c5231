/**
 * Documents on hold: nothing that belongs to one of them is purged until someone releases it. Each step is in the audit
 * trail.
 */
import type { DocumentKey, HoldView } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { Rows, value } from '../lib/rows.ts'
import { inSlices } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

export type NamedDocument = DocumentKey & { name: string }

export interface HoldDeps {
  db: Db
  time: Pick<Time, 'now'>
  /** The staff member on this computer. */
  staff: () => string
  note: NoteInAudit
  /** Keeps documents from a purge that is in progress. */
  keep: (documents: readonly DocumentKey[]) => Promise<unknown>
}

const HOLDS = new Rows<HoldView>({
  accountId: value<string>(),
  reference: value<string>('document_reference'),
  documentName: value<string>(),
  reason: value<string>(),
  staff: value<string>(),
  at: value<number>('held_at')
})

export type Holds = ReturnType<typeof openHolds>

export function openHolds({ db, time, staff, note, keep }: HoldDeps) {
  const table = new TableStatements(db, 'document_holds', HOLDS)
  const add = table.run<[hold: object]>(
    `INSERT INTO document_holds (account_id, document_reference, document_name, reason, staff, held_at)
     VALUES (@accountId, @reference, @documentName, @reason, @staff, @at)`
  )
  const remove = table.run<[accountId: string, reference: string]>(
    'DELETE FROM document_holds WHERE account_id = ? AND document_reference = ?'
  )
  const find = table.one<[accountId: string, reference: string]>('WHERE account_id = ? AND document_reference = ?')
  const count = table.value<[], number>('SELECT count(*) FROM document_holds')
  const countOf = table.value<[accountId: string], number>('SELECT count(*) FROM document_holds WHERE account_id = ?')
  const references = table.values<[accountId: string], string>(
    'SELECT document_reference FROM document_holds WHERE account_id = ?'
  )
  /** Documents whose holds are being written, which takes a while for many. */
  const pending = new Set<readonly NamedDocument[]>()

  return {
    of: (accountId: string, reference: string): HoldView | undefined => find(accountId, reference),
    count: (): number => count() ?? 0,
    countOf: (accountId: string): number => countOf(accountId) ?? 0,
    /** Newest first. */
    list: table.all<[limit: number, offset: number]>('ORDER BY held_at DESC, document_reference LIMIT ? OFFSET ?'),
    /** The references of an account's documents that are held, or are about to be. */
    references: (accountId: string): string[] => [
      ...references(accountId),
      ...[...pending].flat().flatMap((one) => (one.accountId === accountId ? [one.reference] : []))
    ],

    /**
     * Holds documents that aren't on hold yet; returns how many. A hold and its audit entry are written together.
     * @throws SQLite's error; the documents before it are held.
     */
    async hold(documents: readonly NamedDocument[], reason: string): Promise<number> {
      pending.add(documents)
      try {
        // If the mirror doesn't answer, it isn't being purged either. The main database may be, so nothing waits for that.
        const kept = keep(documents.map(({ accountId, reference }) => ({ accountId, reference }))).catch(
          () => undefined
        )
        const held = await countWhere(documents, ({ accountId, reference, name }) => {
          if (find(accountId, reference)) return false
          const hold = { accountId, reference, documentName: name, reason, staff: staff(), at: time.now() }
          const documentNote = { documentReference: reference, documentName: name }
          note({ what: 'document-held', ...documentNote, detail: { why: reason, accountId } }, 'now-or-never', () =>
            add(HOLDS.write(hold))
          )
          return true
        })
        await kept
        return held
      } finally {
        pending.delete(documents)
      }
    },

    /** Releases documents on hold; returns how many. @throws SQLite's error; the documents before it are released. */
    release: (documents: readonly DocumentKey[]): Promise<number> =>
      countWhere(documents, ({ accountId, reference }) => {
        const hold = find(accountId, reference)
        if (!hold) return false
        const documentNote = { documentReference: reference, documentName: hold.documentName }
        note(
          { what: 'document-released', ...documentNote, detail: { why: hold.reason, accountId } },
          'now-or-never',
          () => remove(accountId, reference)
        )
        return true
      })
  }
}

function countWhere<Item>(items: readonly Item[], work: (item: Item) => boolean): Promise<number> {
  return inSlices(
    (function* () {
      let done = 0
      for (const item of items) {
        if (work(item)) done++
        yield
      }
      return done
    })()
  )
}
