/** An account as the application knows it, without its secrets. */
import { ACCOUNT_COLOURS, type AuthScheme, type DataTypeSpelling } from '../../../shared/contract/views.ts'
import { HELD_STATES } from '../drafts/draft-rows.ts'
import { flag, json, type RecordOf, Rows, value } from '../lib/rows.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import { TableStatements } from '../storage/statements.ts'

/** An account's visible members. */
export type Account = Readonly<Omit<AccountRecord, 'position'>>

export type AccountRecord = RecordOf<typeof ACCOUNTS>

const ACCOUNTS = new Rows({
  id: value<string>(),
  name: value<string>(),
  kind: value<'practice' | 'service'>(),
  /** Without a trailing slash. Null for a practice account whose service isn't running. */
  baseUrl: value<string | null>(),
  scheme: value<AuthScheme>('auth_scheme'),
  /** A CSS colour for the stripe that distinguishes accounts. */
  colour: value<string>(),
  /** A short name set by a user to recognise its rows; blank if none. */
  mark: value<string>(),
  /** Whether the service needs `?format=json` to answer in JSON. */
  jsonByQuery: flag(),
  /** How the service expects `pdf` and `json` to be spelled in addresses of identity data. */
  dataTypeSpelling: value<DataTypeSpelling>(),
  /** The folders this office uses, as in the path of GetActiveDocuments. */
  folders: json<readonly string[]>(),
  /** Milliseconds since 1970 UTC. */
  createdAt: value<number>(),
  position: value<number>()
})

/** The reference doesn't specify the values; public clients show these. */
export const DEFAULT_FOLDERS: readonly string[] = ['InBox', 'Progress', 'Signed']

export function accountRows(db: Db) {
  const meta = openMeta(db)
  const accounts = new TableStatements(db, 'accounts', ACCOUNTS)
  const write = accounts.run<[record: object]>(
    `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, mark, json_by_query, data_type_spelling, folders,
       created_at, position)
     VALUES (@id, @name, @kind, @baseUrl, @scheme, @colour, @mark, @jsonByQuery, @dataTypeSpelling, @folders, @createdAt,
       @position)
     ON CONFLICT (id) DO UPDATE SET name = @name, base_url = @baseUrl, auth_scheme = @scheme, colour = @colour, mark = @mark,
       json_by_query = @jsonByQuery, data_type_spelling = @dataTypeSpelling, folders = @folders, position = @position`
  )
  const erase = accounts.run<[id: string]>('DELETE FROM accounts WHERE id = ?')
  // An account's entries in `meta` (such as fetched lists) have its id in their keys, between colons.
  const eraseMeta = accounts.run<[id: string]>(`DELETE FROM meta WHERE instr(key, ':' || ? || ':') > 0`)
  const eraseLearned = accounts.run<[facts: string, rights: string, fetched: string]>(
    'DELETE FROM meta WHERE key IN (?, ?) OR key GLOB ?'
  )
  const eraseEmployers = accounts.run<[id: string]>('DELETE FROM employers WHERE account_id = ?')
  const lastPosition = accounts.value<[], number>('SELECT coalesce(max(position), -1) FROM accounts')
  /** Returns a query for whether an account has a row of this table in one of these states. */
  const hasIn = (table: 'sends' | 'actions', states: string) => {
    const found = accounts.value<[id: string], 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM ${table} WHERE account_id = ? AND state IN ${states})`
    )
    return (id: string) => found(id) === 1
  }
  const hasHold = accounts.value<[id: string], 0 | 1>(
    'SELECT EXISTS (SELECT 1 FROM document_holds WHERE account_id = ?)'
  )
  return {
    all: accounts.all<[]>('ORDER BY position, created_at, id'),
    get: accounts.one<[id: string]>('WHERE id = ?'),
    put: (record: AccountRecord) => void write(ACCOUNTS.write(record)),
    eraseLearned(id: string): void {
      eraseLearned(`service-facts:${id}:`, `rights:${id}:tried`, `fetched:${id}:*`)
      eraseEmployers(id)
    },
    /** Erases the account with its data in all other tables. */
    erase(id: string): void {
      erase(id)
      eraseMeta(id)
    },
    nextPosition: () => Number(lastPosition()) + 1,
    /** Whether it has sends that are waiting, in progress or uncertain. */
    hasPendingSends: hasIn('sends', HELD_STATES),
    hasPendingActions: hasIn('actions', `('waiting', 'running', 'uncertain')`),
    /** Whether it has sends that have, or may have, left, with unknown outcome. */
    hasUnconfirmedSends: hasIn('sends', `('sending', 'uncertain')`),
    /** Whether it has document actions that have, or may have, left, with unknown outcome. */
    hasUnconfirmedActions: hasIn('actions', `('running', 'uncertain')`),
    /** Whether one of its documents is on hold. */
    hasHolds: (id: string): boolean => hasHold(id) === 1,
    chosenId: () => meta.read('chosen-account'),
    choose: (id: string) => void meta.write('chosen-account', id),
    /** The account that a package was last begun in. */
    composedId: () => meta.read('composed-account'),
    noteComposed: (id: string) => void meta.write('composed-account', id),
    /** Whether the screens show all accounts rather than just the chosen one. */
    showsAll: () => meta.read('shown-accounts') === 'all',
    showAll: (isAll: boolean) => void meta.write('shown-accounts', isAll ? 'all' : 'chosen')
  }
}

/** Reserved for the practice office, so that it can't be mistaken for a real account. */
export const PRACTICE_COLOUR = '#b7791f'

/** Returns the first unused colour, or the least used one. */
export function freeColour(taken: readonly string[]): string {
  const uses = (colour: string) => taken.filter((other) => other === colour).length
  return ACCOUNT_COLOURS.reduce<string>(
    (best, colour) => (uses(colour) < uses(best) ? colour : best),
    ACCOUNT_COLOURS[0]
  )
}

/**
 * Returns a unique mark for each account, by id, since colour alone isn't enough to tell accounts apart. It is the
 * user's choice, or the initials of the name's first two words ("Harbour & Co." is "HC"), or other letters of the name
 * if those are taken.
 * @param accounts in their order.
 */
export function marksOf(accounts: readonly Pick<AccountRecord, 'id' | 'name' | 'mark'>[]): Map<string, string> {
  const marks = new Map(accounts.filter(({ mark }) => mark !== '').map(({ id, mark }) => [id, mark]))
  const taken = new Set([...marks.values()].map(folded))
  for (const { id, name } of accounts) {
    if (marks.has(id)) continue
    const mark = markCandidates(name).find((one) => !taken.has(folded(one))) ?? ''
    marks.set(id, mark)
    taken.add(folded(mark))
  }
  return marks
}

/**
 * Candidates for the mark of an account with this name, best first; numbers come last, for when all its letters are
 * taken.
 */
function markCandidates(name: string): string[] {
  const capital = (letter = '') => [...letter.toLocaleUpperCase('en')][0] ?? ''
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const [first = 'A', ...letters] = [...words.join('')].map(capital)
  const second = capital([...(words[1] ?? '')][0])
  const numbers = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
  return [`${first}${second}`, ...letters.map((letter) => `${first}${letter}`), ...numbers]
}
