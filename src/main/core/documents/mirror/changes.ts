/**
 * The changes of documents, in the order seen. They are written together with the document, delivered once to consumers
 * with a cursor, and listed in pages, newest first. Counts are cached, and a page continues where the previous one
 * ended, so that a long history is scanned only once, in pieces.
 */
import type { DocumentChange } from '../../../../shared/contract/index.ts'
import { DAY } from '../../lib/calendar.ts'
import { defined, getOrMake } from '../../lib/objects.ts'
import { flag, optional, type Row, Rows, value } from '../../lib/rows.ts'
import type { Sliced } from '../../lib/slices.ts'
import { folded } from '../../lib/text-folding.ts'
import type { Db } from '../../storage/connection.ts'
import type { Answer, Ask } from '../questions.ts'
import type { Difference } from './differences.ts'
import { accountsIn } from './tables.ts'

/** Retention in milliseconds: long enough for a year's review. */
const RETENTION = 400 * DAY
/** How many are deleted at a time: a few milliseconds' work. */
const PIECE = 200

export interface ChangedDocument {
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
  const after = db.prepare<[number, number], Row>(
    `SELECT ${CHANGES.columns} FROM changes WHERE id > ? ORDER BY id LIMIT ?`
  )
  const lastDue = db.prepare<[string, string], Row>(
    `SELECT ${CHANGES.columns} FROM changes WHERE account_id = ? AND reference = ? AND kind = 'due-changed' ORDER BY id DESC LIMIT 1`
  )
  const markOwn = db.prepare<[string, string]>(
    `UPDATE changes SET is_own = 1 WHERE account_id = ? AND reference = ? AND is_own = 0
       AND kind IN ('arrived', 'moved', 'returned', 'waits-here', 'due-changed', 'signers-changed', 'changed')`
  )
  const countOthers = db
    .prepare<[string, string], number>(
      'SELECT count(*) FROM changes WHERE account_id = ? AND reference = ? AND is_own = 0'
    )
    .pluck()
  const erase = db.prepare<[string]>('DELETE FROM changes WHERE account_id = ?')
  const eraseOf = db.prepare<[string, string]>('DELETE FROM changes WHERE account_id = ? AND reference = ?')
  const oldest = db.prepare<[number], { id: number; accountId: string; reference: string; at: number }>(
    `SELECT id, account_id AS accountId, reference, at FROM changes WHERE id > ? ORDER BY id LIMIT ${PIECE}`
  )
  const lastAt = db.prepare<[], number>('SELECT at FROM changes ORDER BY id DESC LIMIT 1').pluck()
  const forget = db.prepare<[number]>('DELETE FROM changes WHERE id = ?')
  const forgetAll = db.transaction((ids: readonly number[]) => {
    for (const id of ids) forget.run(id)
  })
  const activity = openActivity(db, () => newest.get() ?? 0)

  return {
    /** Writes changes. Must be called inside the transaction that writes the document. */
    write(differences: readonly (Difference & { isOwn: boolean })[], document: ChangedDocument): void {
      for (const { kind, isOwn, signer = null, from = null, to = null } of differences) {
        write.run({ ...document, isOwn: isOwn ? 1 : 0, kind, signer, from, to })
      }
    },

    /** Includes changes already deleted: a mirror never reuses ids. */
    newest: (): Answer<'newestChange'> => ({
      mirror,
      change: newest.get() ?? 0,
      isKept: !db.memory
    }),

    after: (id: number, limit: number): DocumentChange[] => after.all(id, limit).map(changeOf),

    /** Returns the last change of the due date: whether it was our own, and the date as the service spelled it. */
    lastDue(accountId: string, reference: string): DocumentChange | undefined {
      const row = lastDue.get(accountId, reference)
      return row && changeOf(row)
    },

    /**
     * Marks changes as our own when a folder showed a document we sent before that was known. Returns whether nothing
     * else has happened to it, such as a signature.
     */
    markOwn(accountId: string, reference: string): boolean {
      if (markOwn.run(accountId, reference).changes > 0) activity.invalidate()
      return countOthers.get(accountId, reference) === 0
    },

    *activity(ask: Ask<'activity'>): Sliced<Answer<'activity'>> {
      const { changes, byKind } = yield* activity.read(ask)
      return {
        changes,
        total: Object.values(byKind).reduce((sum, count) => sum + count, 0),
        byKind
      }
    },

    /**
     * Deletes changes past their retention, counted from the newest change if `now` is later, so that a wrong clock
     * doesn't delete too many.
     * @param now a slow clock only keeps more.
     * @param isHeld documents whose changes are all kept.
     */
    *prune(now: number, isHeld: (document: { accountId: string; reference: string }) => boolean): Sliced<void> {
      const before = Math.min(now, lastAt.get() ?? now) - RETENTION
      let last = 0
      for (;;) {
        const some = oldest.all(last)
        const old = some.filter(({ at }) => at < before)
        if (old.length === 0) return
        forgetAll(old.filter((one) => !isHeld(one)).map(({ id }) => id))
        activity.invalidate()
        last = some.at(-1)?.id ?? last
        yield
      }
    },

    accounts: accountsIn(db, 'changes'),

    erase(accountId: string): void {
      erase.run(accountId)
      activity.invalidate()
    },

    eraseOf(accountId: string, reference: string): void {
      eraseOf.run(accountId, reference)
      activity.invalidate()
    }
  }
}

/** How many changes are counted at a time: a few milliseconds' work. */
const COUNTED_AT_ONCE = 10_000
/** The same if each is searched for words. */
const SEARCHED_AT_ONCE = 2_000
/** Number of questions with cached counts. */
const MAX_CACHED = 16

const CHANGES = new Rows({
  id: value<number>(),
  accountId: value<string>(),
  reference: value<string>(),
  documentName: value<string>(),
  kind: value<DocumentChange['kind']>(),
  at: value<number>(),
  signer: optional(value<string>()),
  from: optional(value<string>('from_text')),
  to: optional(value<string>('to_text')),
  isOwn: flag()
})

type ByKind = Partial<Record<DocumentChange['kind'], number>>

/** What is known of one question's answer. */
interface CachedCount {
  /** All changes up to this one are counted. */
  upTo: number
  byKind: ByKind
  /** Where a page ended: as of `upTo`, `offset` matching changes have this id or a newer one. */
  ended?: { upTo: number; offset: number; id: number }
}

/** @param newest returns the newest change's id. */
function openActivity(db: Db, newest: () => number) {
  db.function('folded', { deterministic: true }, (text) => folded(String(text)))
  /** Cached: a few questions recur all day, and a statement is as large as a page and garbage-collected late. */
  const statements = new Map<string, ReturnType<Db['prepare']>>()
  const statement = <Found>(sql: string) =>
    getOrMake(statements, sql, () => db.prepare(sql)) as ReturnType<typeof db.prepare<unknown[], Found>>
  const cachedCounts = new Map<string, CachedCount>()
  /** Incremented when changes are deleted, which invalidates earlier counts. */
  let generation = 0

  function* read(ask: Ask<'activity'>): Sliced<{ changes: DocumentChange[]; byKind: ByKind }> {
    const { offset, limit, ...filter } = ask
    const startGeneration = generation
    const upTo = newest()
    const question = filterOf(filter)
    const known = cachedCounts.get(question.key) ?? { upTo: 0, byKind: {} }
    const byKind = yield* countFrom(question, known, upTo)
    const total = Object.values(byKind).reduce((sum, count) => sum + count, 0)
    const ended = known.ended?.upTo === upTo && known.ended.offset === offset ? known.ended : undefined
    const skipped = ended ? 0 : Math.min(offset, total)
    // No more than exist: looking for one more would scan all older changes.
    const wanted = Math.max(0, Math.min(limit, total - offset))
    const from = ended?.id ?? upTo + 1
    const changes = question.isSearch
      ? yield* searchPage(question, from, skipped, wanted)
      : page(question, skipped === 0 ? from : yield* idAtOffset(question, upTo, skipped), wanted)
    const last = changes.at(-1)
    if (startGeneration === generation) {
      cacheCount(question.key, {
        upTo,
        byKind,
        ...(last && { ended: { upTo, offset: offset + changes.length, id: last.id } })
      })
    }
    return { changes, byKind }
  }

  function page({ where, values }: ActivityFilter, before: number, wanted: number): DocumentChange[] {
    if (wanted === 0) return []
    const found = statement<Row>(
      `SELECT ${CHANGES.columns} FROM changes WHERE ${where} AND id < ? ORDER BY id DESC LIMIT ?`
    )
    return found.all(...values, before, wanted).map(changeOf)
  }

  /** Fills a page when few changes may match: older ones are searched in steps until there are enough. */
  function* searchPage(
    { where, values }: ActivityFilter,
    before: number,
    skipped: number,
    wanted: number
  ): Sliced<DocumentChange[]> {
    const some = statement<Row>(
      `SELECT ${CHANGES.columns} FROM changes WHERE ${where} AND id < ? AND id >= ? ORDER BY id DESC`
    )
    const found: Row[] = []
    for (let to = before; to > 0 && found.length < skipped + wanted; to -= SEARCHED_AT_ONCE) {
      found.push(...some.all(...values, to, to - SEARCHED_AT_ONCE))
      yield
    }
    return found.slice(skipped, skipped + wanted).map(changeOf)
  }

  function* countFrom({ where, values, isSearch }: ActivityFilter, known: CachedCount, upTo: number): Sliced<ByKind> {
    const byKind = { ...known.byKind }
    const end = statement<number>(
      `SELECT id FROM changes WHERE ${where} AND id > ? ORDER BY id LIMIT 1 OFFSET ${COUNTED_AT_ONCE}`
    ).pluck()
    const count = statement<{ kind: DocumentChange['kind']; count: number }>(
      `SELECT kind, count(*) AS count FROM changes WHERE ${where} AND id > ? AND id <= ? GROUP BY kind`
    )
    for (let from = known.upTo; from < upTo; ) {
      const to = Math.min(upTo, isSearch ? from + SEARCHED_AT_ONCE : (end.get(...values, from) ?? upTo))
      for (const one of count.all(...values, from, to)) byKind[one.kind] = (byKind[one.kind] ?? 0) + one.count
      from = to
      yield
    }
    return byKind
  }

  /** Returns the id of the last of the `count` newest matching changes; above all ids if `count` is 0. */
  function* idAtOffset({ where, values }: ActivityFilter, upTo: number, count: number): Sliced<number> {
    const step = statement<number>(
      `SELECT id FROM changes WHERE ${where} AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?`
    ).pluck()
    let before = upTo + 1
    for (let remaining = count; remaining > 0; remaining -= COUNTED_AT_ONCE) {
      before = step.get(...values, before, Math.min(remaining, COUNTED_AT_ONCE) - 1) ?? before
      yield
    }
    return before
  }

  function cacheCount(key: string, answer: CachedCount): void {
    cachedCounts.delete(key)
    cachedCounts.set(key, answer)
    for (const oldest of cachedCounts.keys()) {
      if (cachedCounts.size <= MAX_CACHED) break
      cachedCounts.delete(oldest)
    }
  }

  return {
    read,
    /** To be called when changes were deleted. */
    invalidate(): void {
      generation++
      cachedCounts.clear()
    }
  }
}

interface ActivityFilter {
  key: string
  where: string
  values: (string | number)[]
  /** Whether each change has to be examined. */
  isSearch: boolean
}

function filterOf(filter: Omit<Ask<'activity'>, 'offset' | 'limit'>): ActivityFilter {
  const { accountId, others = [], reference, since, until, isOwn, kinds } = filter
  const words = folded(filter.search ?? '')
    .split(' ')
    .filter(Boolean)
  // With several accounts nearly all changes match: the `+` has them scanned in order instead of looked up by index and
  // sorted.
  const isSingleAccount = others.length === 0
  const conditions = [isSingleAccount ? 'account_id = ?' : '+account_id IN (SELECT value FROM json_each(?))']
  const values: (string | number)[] = [isSingleAccount ? accountId : JSON.stringify([accountId, ...others])]
  const addCondition = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  addCondition('reference = ?', reference)
  addCondition('at >= ?', since)
  addCondition('at <= ?', until)
  addCondition('is_own = ?', isOwn === undefined ? undefined : Number(isOwn))
  // Passed as one value, so that lists of any length share a statement.
  addCondition('kind IN (SELECT value FROM json_each(?))', kinds && JSON.stringify(kinds))
  for (const word of words) addCondition(`instr(folded(document_name || ' ' || coalesce(signer, '')), ?) > 0`, word)
  const where = conditions.join(' AND ')
  return { key: JSON.stringify([where, ...values]), where, values, isSearch: words.length > 0 || kinds !== undefined }
}

/** Returns a change as the screens know it. */
const changeOf = (row: Row): DocumentChange => defined(CHANGES.read(row))
