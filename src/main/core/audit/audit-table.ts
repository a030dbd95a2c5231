/** The audit trail in the database: what is appended is on the disk when it is answered, and is never changed. */
import type { AuditEntry, AuditPage } from '../../../shared/contract/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import { optional, type RecordOf, type Row, Rows, value } from '../lib/rows.ts'
import type { Sliced } from '../lib/slices.ts'
import { folded, wordsOf } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import { BEFORE_FIRST, hashAfter, sorted, textOf } from './chain.ts'

/** An entry, and what is kept with it: its hash, and the text that it is found by. */
export interface Link {
  entry: AuditEntry
  hash: string
  search: string
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
  /** As it lies there: what can't be read as JSON is an entry all the same. */
  detail: value<string>()
})
/** How many entries are read at a time: with their hashes one to two milliseconds, so that a piece of a check stays below ten. */
const STRETCH = 100

export type AuditTable = ReturnType<typeof openAuditTable>

export function openAuditTable(db: Db) {
  const newest = db.prepare<[], { seq: number; hash: string }>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1')
  const audit = new TableStatements(db, 'audit', ENTRIES)
  const insert = audit.run<[entry: object]>(
    `INSERT INTO audit (${ENTRIES.columns}, hash, search) VALUES (@seq, @at, @zone, @staff, @what, @session,
       @documentReference, @documentName, @signerName, @detail, @hash, @search)`
  )
  const one = audit.one<[seq: number]>('WHERE seq = ?')
  const count = audit.value<[], number>('SELECT count(*) FROM audit')
  const page = audit.values<[limit: number, offset: number], number>(
    'SELECT seq FROM audit ORDER BY seq DESC LIMIT ? OFFSET ?'
  )
  const below = audit.value<[from: number, offset: number], number>(
    'SELECT seq FROM audit WHERE seq <= ? ORDER BY seq DESC LIMIT 1 OFFSET ?'
  )
  const after = db.prepare<[number, number], Row & { seq: number; hash: string; search: string }>(
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

  const inStretch = db.prepare<[from: number, to: number, session: string], { seq: number; what: string }>(
    'SELECT seq, what FROM audit WHERE seq BETWEEN ? AND ? AND session = ? ORDER BY seq DESC'
  )
  const newestOf = audit.value<[from: number, to: number, what: string], number | null>(
    'SELECT max(seq) FROM audit WHERE seq BETWEEN ? AND ? AND what = ?'
  )

  /** The numbers between which entries are read at a time, newest first. */
  function* stretches(): Generator<[from: number, to: number]> {
    for (let to = newest.get()?.seq; to !== undefined; ) {
      const next = below(to, STRETCH)
      yield [next === undefined ? Number.MIN_SAFE_INTEGER : next + 1, to]
      to = next
    }
  }

  /** The numbers of all that hold each of the words, newest first. */
  function* found(words: readonly string[]): Sliced<number[]> {
    const fits = words.map(() => 'instr(search, ?) > 0').join(' AND ')
    const stretch = audit.values<(string | number)[], number>(
      `SELECT seq FROM audit WHERE seq BETWEEN ? AND ? AND ${fits} ORDER BY seq DESC`
    )
    const all: number[] = []
    for (const [from, to] of stretches()) {
      all.push(...stretch(from, to, ...words))
      yield
    }
    return all
  }

  const entriesOf = (numbers: readonly number[]) => numbers.flatMap((seq) => one(seq) ?? []).map(entryOf)

  return {
    /** @throws SQLite's error: then nothing was written. */
    append: (entry: Omit<AuditEntry, 'seq'>) => append.immediate(entry),
    newest: () => newest.get(),
    hashOf: audit.value<[seq: number], string>('SELECT hash FROM audit WHERE seq = ?'),
    count: () => count() ?? 0,
    /** Whether the whole file is as SQLite wrote it. @throws SQLite's error where it can't be read. */
    isSound: () => db.pragma('quick_check(1)', { simple: true }) === 'ok',

    /** Newest first; those of which a name, who of staff it was or what is told holds each word of the search. */
    *list(search: string, offset: number, limit: number): Sliced<AuditPage> {
      const words = wordsOf(search)
      if (words.length === 0) return { entries: entriesOf(page(limit, offset)), total: count() ?? 0 }
      const numbers = yield* found(words)
      return { entries: entriesOf(numbers.slice(offset, offset + limit)), total: numbers.length }
    },

    /** The number of a session's first entry as far as there is one, looked for from the newest back to where it says that it begins. */
    *beginningOf(session: string): Sliced<number | undefined> {
      let first: number | undefined
      for (const [from, to] of stretches()) {
        const found = inStretch.all(from, to, session)
        first = found.at(-1)?.seq ?? first
        if (found.some(({ what }) => what === 'session-started')) return first
        yield
      }
      return first
    },

    /** The newest entry of its kind. */
    *newestOf(what: AuditEntry['what']): Sliced<AuditEntry | undefined> {
      for (const [from, to] of stretches()) {
        const seq = newestOf(from, to, what)
        if (typeof seq === 'number') return entriesOf([seq])[0]
        yield
      }
      return undefined
    },

    /** All that there are, oldest first, or those after one of them. What is appended meanwhile is among them. */
    *links(afterSeq = Number.MIN_SAFE_INTEGER): Generator<Link[], void> {
      for (let last = afterSeq; ; ) {
        const rows = after.all(last, STRETCH)
        if (rows.length === 0) return
        yield rows.map((row) => ({ entry: entryOf(ENTRIES.read(row)), hash: row.hash, search: row.search }))
        last = rows.at(-1)?.seq ?? last
      }
    }
  }
}

/** As the database gives it back: half a character of two is no text for it, and would make another hash. */
function wellFormed(entry: AuditEntry): AuditEntry {
  const { detail, ...members } = entry
  const whole = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value])
  ) as Omit<AuditEntry, 'detail'>
  const words = Object.entries(detail).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()] as const)
  return { ...whole, detail: sorted(Object.fromEntries(words)) }
}

function entryOf(entry: RecordOf<typeof ENTRIES>): AuditEntry {
  return { ...defined(entry), detail: detailOf(entry.detail) }
}

/** What we never wrote reads as nothing, and so doesn't fit its hash. */
function detailOf(text: string): AuditEntry['detail'] {
  const found = parsedJson(text)
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return {}
  const words = Object.entries(found)
  return words.every(isText) ? sorted(Object.fromEntries(words)) : {}
}

function isText(word: [string, unknown]): word is [string, string] {
  return typeof word[1] === 'string'
}

/** What an entry is found by. It follows from the entry alone, so that one made hard to find is noticed. */
export function searchText({ staff, what, documentName, signerName, documentReference, detail }: AuditEntry): string {
  const words = [staff, signerName, documentName, documentReference, what.replaceAll('-', ' '), what]
  return words
    .concat(Object.values(detail))
    .map((text) => folded(text ?? ''))
    .join('\n')
}
