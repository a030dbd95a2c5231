/**
 * How drafts are stored in the database: compositions as JSON, which of them an account's list shows, and which are
 * with the outbox.
 */
import { Composition } from '../../../shared/composition/index.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { getOrMake } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { Statements } from '../storage/statements.ts'

/** The dependencies of drafts, presets and their related data. */
export interface DraftDeps {
  db: Db
  time: Pick<Time, 'now'>
  newId: () => string
}

/**
 * Parses a stored composition.
 * @param what the user's word for it: `draft`.
 * @throws AppFailure `storage` if this version can't read it. It isn't changed.
 */
export function compositionOf(body: string, what: 'draft' | 'version' | 'preset'): Composition {
  const read = Composition.safeParse(parsedJson(body))
  if (read.success) return read.data
  return fail(
    'storage',
    `This version of Countersign can’t read this ${what}. It hasn’t been changed, and a newer version may open it.`
  )
}

/**
 * The states in which a send holds its draft, as SQL. They are defined only here, so that all places agree. The send
 * waits, is in flight, or its arrival is uncertain: the draft is with the outbox.
 */
export const HELD_STATES = `('ready', 'sending', 'uncertain')`

/** `HELD_STATES`, and the state in which the service has it: the draft can't be changed or sent any more. */
export const HELD_OR_SENT_STATES = `('ready', 'sending', 'uncertain', 'sent')`

/**
 * Selects the drafts that are with the outbox. This way round the cost grows with their number; asking for each draft
 * would be many queries, and scanning all sends ever made would be slow. Sent drafts are deleted: see `purge`.
 */
const heldOf = (accounts: string) => `SELECT draft_id FROM sends
  WHERE account_id IN (${accounts}) AND draft_id IS NOT NULL AND state IN ${HELD_STATES}`

/**
 * Opens the list on one side of the trash for several accounts together, by the drafts' row numbers, which is fast with
 * ten thousand of them. Entries of a file that is still being imported aren't included.
 */
export function openList(db: Db, side: 'trashed_at IS NULL' | 'trashed_at IS NOT NULL', order: string) {
  const statements = new Statements(db)
  /** Statements by number of accounts: for a single one SQLite reads in index order, and only several need a sort. */
  const made = new Map<number, ReturnType<typeof statementsFor>>()

  function statementsFor(accounts: number) {
    const placeholders = Array.from({ length: accounts }, (_, at) => `@account${at}`).join(', ')
    const shown = `FROM drafts WHERE account_id IN (${placeholders}) AND ${side} AND id NOT IN (${heldOf(placeholders)})
      AND id NOT IN (SELECT id FROM arrivals)`
    return {
      count: statements.value<[object], number>(`SELECT count(*) ${shown}`),
      page: statements.values<[object], number>(`SELECT number ${shown} ORDER BY ${order} LIMIT @limit OFFSET @offset`),
      // All matches, not a page: their number is needed too, and the index lookup is what takes the time.
      found: statements.values<[object], number>(
        `SELECT number ${shown} AND number IN (SELECT rowid FROM draft_words WHERE draft_words MATCH @question)
           ORDER BY ${order}`
      )
    }
  }

  return (accountIds: readonly string[]) => {
    const { count, page, found } = getOrMake(made, accountIds.length, () => statementsFor(accountIds.length))
    const accounts = Object.fromEntries(accountIds.map((id, at) => [`account${at}`, id]))
    return {
      total: count(accounts) ?? 0,
      page: (offset: number, limit: number): number[] => page({ ...accounts, offset, limit }),
      /** @param question see `searchQueryOf`. */
      found: (question: string): number[] => found({ ...accounts, question })
    }
  }
}
