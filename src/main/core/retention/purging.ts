/**
 * Erases expired data from the main database, in steps of a few milliseconds, each over a range of row numbers, so that
 * the total number doesn't matter. Unfinished items are never erased, nor what belongs to a document on hold. Each step
 * records how many it erased, until that is in the audit trail.
 */
import { z } from 'zod'
import { RETENTION_KINDS, type RetentionKind } from '../../../shared/contract/index.ts'
import { inSlices, type Sliced } from '../lib/slices.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import { Statements } from '../storage/statements.ts'

/** The kinds in the main database. The trash has a purge of its own, and documents belong to the worker. */
type MainKind = Extract<
  RetentionKind,
  'sends' | 'downloads' | 'identityFiles' | 'identityNumbers' | 'verifications' | 'people'
>
/** For each kind to purge: everything older than this moment is erased. */
export type Cutoffs = Partial<Record<MainKind, number>>

const KEY = 'retention-left'
const kind = z.enum(RETENTION_KINDS)
/** What is left to do after a purge. */
const PurgeFollowUp = z.object({
  /** Erased, but not in the audit trail yet. */
  counts: z.partialRecord(kind, z.number()),
  /** Verifications before this moment were erased, but the trail doesn't say so yet. */
  verificationsBefore: z.number().optional(),
  /** Kinds whose erased data may still be in the database file. */
  untidy: z.array(kind)
})
export type Left = z.output<typeof PurgeFollowUp>

/** How many row numbers one step covers. */
const ROWS_PER_STEP = 200
/** How many pages of a full-text index one step merges. */
const PAGES_PER_STEP = 8

const holdExists = (account: string, reference: string) =>
  `EXISTS (SELECT 1 FROM document_holds WHERE account_id = ${account} AND document_reference = ${reference})`

/** Files of identity data that this workstation wrote, with known content. Others erase theirs, by their own holds. */
export const OWN_FILES = `state = 'done' AND type <> 'signed' AND was_there = 0 AND workstation IS NULL AND sha256 IS NOT NULL AND file_name IS NOT NULL`
export const NOT_HELD = `NOT ${holdExists('downloads.account_id', 'downloads.document_reference')}`

/** What to erase for each kind: rows of a table within a range of numbers. */
const PURGES: readonly { kind: MainKind; table: string; where: string; isCounted?: false; copiesOnly?: true }[] = [
  {
    kind: 'sends',
    table: 'sends',
    // A draft that still exists would look as if it had never been sent.
    where: `state IN ('sent', 'cancelled') AND coalesce(settled_at, attempted_at, created_at) < @before
      AND NOT EXISTS (SELECT 1 FROM drafts WHERE drafts.id = sends.draft_id)
      AND NOT EXISTS (SELECT 1 FROM send_documents AS made
        WHERE made.send_id = sends.id AND ${holdExists('made.account_id', 'made.reference')})`
  },
  {
    kind: 'sends',
    table: 'batches',
    isCounted: false,
    // An unfinished drop-folder file is recognised as taken by its batch.
    where: `state <> 'preparing' AND created_at < @before
      AND NOT EXISTS (SELECT 1 FROM sends WHERE sends.batch_id = batches.id)
      AND NOT EXISTS (SELECT 1 FROM drop_folder_files WHERE drop_folder_files.batch_id = batches.id AND drop_folder_files.state <> 'finished')`
  },
  {
    kind: 'downloads',
    table: 'downloads',
    // The row of such a file is deleted after the file itself.
    where: `state <> 'waiting' AND coalesce(finished_at, queued_at) < @before AND ${NOT_HELD}
      AND NOT (@erasesFiles AND ${OWN_FILES})`
  },
  {
    kind: 'identityFiles',
    table: 'downloads',
    // Only for copies of the database. In the live one, rows go with their files, one by one: see identity-files.ts.
    copiesOnly: true,
    where: `${OWN_FILES} AND finished_at < @before AND ${NOT_HELD}`
  },
  {
    kind: 'verifications',
    table: 'verifications',
    where: `answered_at < @before AND NOT ${holdExists('verifications.account_id', 'verifications.document_reference')}`
  },
  {
    kind: 'identityNumbers',
    table: 'identity_numbers',
    where: `kept_at < @before AND NOT ${holdExists('identity_numbers.account_id', 'identity_numbers.document_reference')}`
  },
  { kind: 'people', table: 'people', where: 'used_at < @before' }
]

/** The full-text index of each kind, which keeps the words of erased rows until its pages are merged. */
const FULL_TEXT_INDEXES: Partial<Record<RetentionKind, string>> = {
  sends: 'send_words',
  people: 'people_words',
  trash: 'draft_words'
}

interface RowRange {
  before: number
  from: number
  to: number
  /** 1 if files of identity data are erased by their age. */
  erasesFiles: 0 | 1
}

export type Purging = ReturnType<typeof openPurging>

export function openPurging(db: Db) {
  const meta = openJsonMeta(db)
  const statements = new Statements(db)
  const tableExists = statements.value<[table: string], 1>(
    `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`
  )
  // A copy from before an update lacks the tables of the update.
  const purges = PURGES.filter(({ table }) => tableExists(table) !== undefined).map(({ table, where, ...one }) => ({
    ...one,
    last: statements.value<[], number>(`SELECT coalesce(max(number), 0) FROM ${table}`),
    due: statements.value<[RowRange], number>(
      `SELECT count(*) FROM ${table} WHERE number > @from AND number <= @to AND ${where}`
    ),
    erase: statements.run<[RowRange]>(`DELETE FROM ${table} WHERE number > @from AND number <= @to AND ${where}`)
  }))
  const eraseValues = statements.run<[before: number]>('DELETE FROM remembered WHERE used_at < ? AND position IS NULL')
  const changes = statements.value<[], number>('SELECT total_changes()')

  const followUp = (): Left => meta.read(KEY, PurgeFollowUp) ?? { counts: {}, untidy: [] }

  /** Counts erased rows. Call it in the transaction that erases them. */
  function count(kind: RetentionKind, erased: number, verificationsBefore?: number): void {
    if (erased === 0) return
    const { counts, untidy, ...before } = followUp()
    meta.write(KEY, {
      ...before,
      ...(verificationsBefore !== undefined && { verificationsBefore }),
      counts: { ...counts, [kind]: (counts[kind] ?? 0) + erased },
      untidy: [...new Set([...untidy, kind])]
    })
  }

  function* counting(cutoffs: Cutoffs): Sliced<Left['counts']> {
    const counts: Left['counts'] = {}
    const erasesFiles = cutoffs.identityFiles === undefined ? 0 : 1
    for (const { kind, isCounted = true, copiesOnly, last, due } of purges) {
      const before = cutoffs[kind]
      if (before === undefined || !isCounted || copiesOnly) continue
      counts[kind] ??= 0
      for (let from = 0, end = last() ?? 0; from < end; from += ROWS_PER_STEP) {
        counts[kind] += due({ before, erasesFiles, from, to: from + ROWS_PER_STEP }) ?? 0
        yield
      }
    }
    return counts
  }

  function* erasing(cutoffs: Cutoffs, isCopy: boolean): Sliced<void> {
    const erasesFiles = cutoffs.identityFiles === undefined ? 0 : 1
    for (const { kind, isCounted = true, copiesOnly = false, last, erase } of purges) {
      const before = cutoffs[kind]
      if (before === undefined || (copiesOnly && !isCopy)) continue
      for (let from = 0, end = last() ?? 0; from < end; from += ROWS_PER_STEP) {
        const erased = erase({ before, erasesFiles, from, to: from + ROWS_PER_STEP })
        if (isCounted) count(kind, erased, kind === 'verifications' ? before : undefined)
        yield
      }
    }
    if (cutoffs.people !== undefined) eraseValues(cutoffs.people)
  }

  /** Merges full-text indexes, which keep an erased row's words until the pages with them are rewritten. */
  function* mergingIndexes(kinds: Iterable<RetentionKind>): Sliced<void> {
    for (const kind of kinds) {
      const index = FULL_TEXT_INDEXES[kind]
      if (index === undefined) continue
      const merge = statements.run<[pages: number]>(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`)
      for (let pages = -PAGES_PER_STEP; ; pages = PAGES_PER_STEP) {
        const before = changes() ?? 0
        merge(pages)
        yield
        // According to the documentation of FTS5, this means that nothing is left to do.
        if ((changes() ?? 0) - before < 2) break
      }
    }
  }

  /** Stops early if the database is closed; the rest is done another time. */
  const run = (work: Sliced<void>) =>
    inSlices(work, (step) => (db.open ? db.transaction(step)() : { done: true, value: undefined }))

  return {
    /** Erases expired rows. Rejects with SQLite's error; what was erased before stays erased, and is counted. */
    erase: (cutoffs: Cutoffs, { isCopy = false } = {}): Promise<void> => run(erasing(cutoffs, isCopy)),

    /** Counts how many of each kind `erase` would erase. */
    countDue: (cutoffs: Cutoffs): Promise<Left['counts']> => inSlices(counting(cutoffs)),

    followUp,
    /** Counts what was erased elsewhere. */
    count,
    /** Resets the counts. Call it together with the audit entry about them. */
    resetCounts: (): void => void meta.write(KEY, { counts: {}, untidy: followUp().untidy } satisfies Left),

    /** Removes all remains of what was erased, from the full-text indexes and from the write-ahead log. */
    async tidy(): Promise<void> {
      if (!db.open) return
      const { untidy } = followUp()
      if (untidy.length === 0) return
      await run(mergingIndexes(untidy))
      if (!db.open) return
      // While a copy reads the database, its log can't be emptied.
      if (db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0) return
      meta.write(KEY, { ...followUp(), untidy: [] })
    }
  }
}
