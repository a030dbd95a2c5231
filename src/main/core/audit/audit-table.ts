/** The audit trail in the database: appended entries are on disk once `append` returns, and are never changed. */
import type { AuditEntry, AuditPage } from '../../../shared/contract/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import { optional, type RecordOf, type Row, Rows, value } from '../lib/rows.ts'
import type { Sliced } from '../lib/slices.ts'
import { folded, wordsOf } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import { BEFORE_FIRST, hashAfter, sortedByName, textOf } from './chain.ts'

/** An entry with its hash and search text. */
export interface Link {
  entry: AuditEntry
  hash: string
  search: string
}

/** A detail of an entry, and what it begins with. */
export interface DetailBeginning {
  name: string
  begins: string
}

const ENTRIES = new Rows({
  seq: value<number>(),
  at: value<number>(),
  zone: value<string>(),
  staff: value<string>(),
  what: value<AuditEntry['what']>(),
  session: optional(value<string>()),
  documentReference: optional(value<string>()),
  documentName: optional(value<string>()),
  signerName: optional(value<string>()),
  /** As stored, since invalid JSON is still an entry. */
  detail: value<string>()
})
/** Entries read at a time: one to two milliseconds including hashes, so that each slice of a check stays below ten. */
const BATCH_SIZE = 100

export type AuditTable = ReturnType<typeof openAuditTable>

export function openAuditTable(db: Db) {
  const newest = db.prepare<[], { seq: number; hash: string }>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1')
  const audit = new TableStatements(db, 'audit', ENTRIES)
  const insert = audit.run<[entry: object]>(
    `INSERT INTO audit (${ENTRIES.columns}, hash, search) VALUES (@seq, @at, @zone, @staff, @what, @session,
       @documentReference, @documentName, @signerName, @detail, @hash, @search)`
  )
  const bySeq = audit.one<[seq: number]>('WHERE seq = ?')
  const count = audit.value<[], number>('SELECT count(*) FROM audit')
  const page = audit.values<[limit: number, offset: number], number>(
    'SELECT seq FROM audit ORDER BY seq DESC LIMIT ? OFFSET ?'
  )
  const below = audit.value<[from: number, offset: number], number>(
    'SELECT seq FROM audit WHERE seq <= ? ORDER BY seq DESC LIMIT 1 OFFSET ?'
  )
  const rowsAfter = db.prepare<[number, number], Row & { seq: number; hash: string; search: string }>(
    `SELECT ${ENTRIES.columns}, hash, search FROM audit WHERE seq > ? ORDER BY seq LIMIT ?`
  )

  const append = db.transaction((given: Omit<AuditEntry, 'seq'>): { seq: number; hash: string } => {
    const before = newest.get()
    const entry = wellFormed({ ...given, seq: (before?.seq ?? 0) + 1 })
    const hash = hashAfter(before?.hash ?? BEFORE_FIRST, textOf(entry))
    const kept = ENTRIES.write({ ...entry, detail: JSON.stringify(entry.detail) })
    insert({ ...kept, hash, search: searchText(entry) })
    return { seq: entry.seq, hash }
  })

  const sessionEntriesIn = db.prepare<[from: number, to: number, session: string], { seq: number; what: string }>(
    'SELECT seq, what FROM audit WHERE seq BETWEEN ? AND ? AND session = ? ORDER BY seq DESC'
  )
  const newestOf = audit.value<[from: number, to: number, what: string, detail: string], number | null>(
    'SELECT max(seq) FROM audit WHERE seq BETWEEN ? AND ? AND what = ? AND instr(detail, ?) > 0'
  )

  /** Ranges of entry numbers to read at a time, newest first. */
  function* batches(): Generator<[from: number, to: number]> {
    for (let to = newest.get()?.seq; to !== undefined; ) {
      const next = below(to, BATCH_SIZE)
      yield [next === undefined ? Number.MIN_SAFE_INTEGER : next + 1, to]
      to = next
    }
  }

  /** Numbers of all entries that contain every word, newest first. */
  function* findNumbers(words: readonly string[]): Sliced<number[]> {
    const fits = words.map(() => 'instr(search, ?) > 0').join(' AND ')
    const matchesIn = audit.values<(string | number)[], number>(
      `SELECT seq FROM audit WHERE seq BETWEEN ? AND ? AND ${fits} ORDER BY seq DESC`
    )
    const all: number[] = []
    for (const [from, to] of batches()) {
      all.push(...matchesIn(from, to, ...words))
      yield
    }
    return all
  }

  const entriesOf = (numbers: readonly number[]) => numbers.flatMap((seq) => bySeq(seq) ?? []).map(entryOf)

  return {
    /** Appends an entry. @throws SQLite's error; nothing was written then. */
    append: (entry: Omit<AuditEntry, 'seq'>) => append.immediate(entry),
    newest: () => newest.get(),
    hashOf: audit.value<[seq: number], string>('SELECT hash FROM audit WHERE seq = ?'),
    count: () => count() ?? 0,
    /** Whether the whole file is as SQLite wrote it. @throws SQLite's error if it can't be read. */
    isSound: () => db.pragma('quick_check(1)', { simple: true }) === 'ok',

    /** Lists entries, newest first, in which each search word occurs in a name, the staff member or the details. */
    *list(search: string, offset: number, limit: number): Sliced<AuditPage> {
      const words = wordsOf(search)
      if (words.length === 0) return { entries: entriesOf(page(limit, offset)), total: count() ?? 0 }
      const numbers = yield* findNumbers(words)
      return { entries: entriesOf(numbers.slice(offset, offset + limit)), total: numbers.length }
    },

    /** Returns the number of a session's first entry, searching backwards from the newest to its `session-started`. */
    *beginningOf(session: string): Sliced<number | undefined> {
      let first: number | undefined
      for (const [from, to] of batches()) {
        const found = sessionEntriesIn.all(from, to, session)
        first = found.at(-1)?.seq ?? first
        if (found.some(({ what }) => what === 'session-started')) return first
        yield
      }
      return first
    },

    /** Returns the newest entry of this kind, or the newest of them with such a beginning of a detail. */
    *newestOf(what: AuditEntry['what'], detail?: DetailBeginning): Sliced<AuditEntry | undefined> {
      // As `append` stores it. What we didn't write may not be JSON.
      const part = detail ? `${JSON.stringify(detail.name)}:${JSON.stringify(detail.begins).slice(0, -1)}` : ''
      for (const [from, to] of batches()) {
        const seq = newestOf(from, to, what, part)
        if (typeof seq === 'number') return entriesOf([seq])[0]
        yield
      }
      return undefined
    },

    /** Yields all entries, oldest first, or those after a given one. Includes entries appended meanwhile. */
    *links(afterSeq = Number.MIN_SAFE_INTEGER): Generator<Link[], void> {
      for (let last = afterSeq; ; ) {
        const rows = rowsAfter.all(last, BATCH_SIZE)
        if (rows.length === 0) return
        yield rows.map((row) => ({ entry: entryOf(ENTRIES.read(row)), hash: row.hash, search: row.search }))
        last = rows.at(-1)?.seq ?? last
      }
    }
  }
}

/**
 * Converts an entry to what the database will return: lone surrogates aren't valid text there and would change the
 * hash.
 */
function wellFormed(entry: AuditEntry): AuditEntry {
  const { detail, ...members } = entry
  const wellFormedMembers = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value])
  ) as Omit<AuditEntry, 'detail'>
  const pairs = Object.entries(detail).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()] as const)
  return { ...wellFormedMembers, detail: sortedByName(Object.fromEntries(pairs)) }
}

function entryOf(entry: RecordOf<typeof ENTRIES>): AuditEntry {
  return { ...defined(entry), detail: detailOf(entry.detail) }
}

/** Data that we didn't write is read as empty, and so won't match its hash. */
function detailOf(text: string): AuditEntry['detail'] {
  const found = parsedJson(text)
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return {}
  const pairs = Object.entries(found)
  return pairs.every(isText) ? sortedByName(Object.fromEntries(pairs)) : {}
}

function isText(pair: [string, unknown]): pair is [string, string] {
  return typeof pair[1] === 'string'
}

/** Returns an entry's search text. It is derived from the entry alone, so that tampering with it is detected. */
export function searchText({ staff, what, documentName, signerName, documentReference, detail }: AuditEntry): string {
  const texts = [staff, signerName, documentName, documentReference, what.replaceAll('-', ' '), what]
  return texts
    .concat(Object.values(detail))
    .map((text) => folded(text ?? ''))
    .join('\n')
}
