/** Which drafts of an account are shown, in which order, by their numbers: quick with ten thousand of them. */
import type { Db } from '../storage/connection.ts'
import { HELD_STATES } from './held.ts'

/**
 * Drafts that are with the outbox. Asked this way round, it takes as long as there are such drafts: the sends of each draft
 * are many questions, and all that was ever sent are many sends. Those that were sent have no draft any more: see `purge`.
 */
const HELD = `SELECT draft_id FROM sends
  WHERE account_id = @accountId AND draft_id IS NOT NULL AND state IN ${HELD_STATES}`

/** The list of one side of the trash. What arrives in a file that is still being imported is not there yet. */
export function openList(db: Db, side: 'trashed_at IS NULL' | 'trashed_at IS NOT NULL', order: string) {
  const shown = `FROM drafts WHERE account_id = @accountId AND ${side} AND id NOT IN (${HELD})
    AND id NOT IN (SELECT id FROM arrivals)`
  const count = db.prepare<{ accountId: string }, number>(`SELECT count(*) ${shown}`).pluck()
  const page = db
    .prepare<{ accountId: string; offset: number; limit: number }, number>(
      `SELECT number ${shown} ORDER BY ${order} LIMIT @limit OFFSET @offset`
    )
    .pluck()
  // All that were found, not a page of them: how many they are is to be known too, and to ask the index is what takes time.
  const found = db
    .prepare<{ accountId: string; question: string }, number>(
      `SELECT number ${shown} AND number IN (SELECT rowid FROM draft_words WHERE draft_words MATCH @question)
       ORDER BY ${order}`
    )
    .pluck()
  return {
    count: (accountId: string): number => count.get({ accountId }) ?? 0,
    page: (accountId: string, offset: number, limit: number): number[] => page.all({ accountId, offset, limit }),
    /** @param question see `questionOf`. */
    found: (accountId: string, question: string): number[] => found.all({ accountId, question })
  }
}
