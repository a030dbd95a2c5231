/** How drafts stand in the database: compositions as JSON, which of them an account's list shows, and which are with the outbox. */
import { Composition } from '../../../shared/composition/index.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { getOrMake } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { Statements } from '../storage/statements.ts'

/** What drafts, presets and what is kept beside them are made with. */
export interface DraftDeps {
  db: Db
  time: Pick<Time, 'now'>
  newId: () => string
}

/**
 * @param what is stored, in the user's words: `draft`.
 * @throws AppFailure `storage` if this version can't read it. It stays as it is.
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
 * In which states a send has its draft, as they stand in SQL: said here alone, so that no two places count differently.
 * It waits, is under way, or it isn't certain whether it arrived: the draft is with the outbox.
 */
export const HELD_STATES = `('ready', 'sending', 'uncertain')`

/** As `HELD_STATES`, or the service has it: the draft can't be changed or sent any more. */
export const HELD_OR_SENT_STATES = `('ready', 'sending', 'uncertain', 'sent')`

/**
 * Drafts that are with the outbox. Asked this way round, it takes as long as there are such drafts: the sends of each draft
 * are many questions, and everything ever sent is many sends. Those that were sent have no draft any longer: see `purge`.
 */
const heldOf = (accounts: string) => `SELECT draft_id FROM sends
  WHERE account_id IN (${accounts}) AND draft_id IS NOT NULL AND state IN ${HELD_STATES}`

/**
 * The list of one side of the trash, of some accounts together, by the drafts' numbers: quick with ten thousand of them. What arrives in a file that is still being imported is not there yet.
 */
export function openList(db: Db, side: 'trashed_at IS NULL' | 'trashed_at IS NOT NULL', order: string) {
  const statements = new Statements(db)
  /** By how many accounts they ask of: of one SQLite reads them in the order of its index, and only more have to be sorted. */
  const made = new Map<number, ReturnType<typeof statementsFor>>()

  function statementsFor(accounts: number) {
    const of = Array.from({ length: accounts }, (_, at) => `@account${at}`).join(', ')
    const shown = `FROM drafts WHERE account_id IN (${of}) AND ${side} AND id NOT IN (${heldOf(of)})
      AND id NOT IN (SELECT id FROM arrivals)`
    return {
      count: statements.value<[object], number>(`SELECT count(*) ${shown}`),
      page: statements.values<[object], number>(`SELECT number ${shown} ORDER BY ${order} LIMIT @limit OFFSET @offset`),
      // All that were found, not a page of them: how many they are is to be known too, and to ask the index is what takes time.
      found: statements.values<[object], number>(
        `SELECT number ${shown} AND number IN (SELECT rowid FROM draft_words WHERE draft_words MATCH @question)
           ORDER BY ${order}`
      )
    }
  }

  const ask = (accountIds: readonly string[]) =>
    getOrMake(made, accountIds.length, () => statementsFor(accountIds.length))
  const named = (accountIds: readonly string[]) => Object.fromEntries(accountIds.map((id, at) => [`account${at}`, id]))

  return {
    count: (accountIds: readonly string[]): number => ask(accountIds).count(named(accountIds)) ?? 0,
    page: (accountIds: readonly string[], offset: number, limit: number): number[] =>
      ask(accountIds).page({ ...named(accountIds), offset, limit }),
    /** @param question see `questionOf`. */
    found: (accountIds: readonly string[], question: string): number[] =>
      ask(accountIds).found({ ...named(accountIds), question })
  }
}
