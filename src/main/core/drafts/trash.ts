/**
 * Drafts in the trash stay there, and can be restored, for as many days as are set, 30 by default, whatever the clock
 * does.
 */

import { DAY } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { inSlices } from '../lib/slices.ts'
import { openMeta } from '../storage/meta.ts'
import { Statements } from '../storage/statements.ts'
import type { DraftDeps } from './draft-rows.ts'

/**
 * The trash is checked once per day of use, and a draft is erased after ten checks at the earliest. A clock can jump by
 * years between two checks, which makes every draft look old, but it can't turn one day of use into ten. With a correct
 * clock, the ten checks fall within the days. After twice as many checks as days a draft is erased whatever the clock
 * says: it was thrown away while the clock was far ahead.
 */
const MIN_CHECKS = 10

/**
 * The minimum time between two checks, in milliseconds. It is less than a day, because nobody starts work at the same
 * minute each day.
 */
const CHECK_INTERVAL = 20 * 60 * 60_000

/** The entry of `meta` that holds how often the trash was checked, and when last. */
const CHECKS_KEY = 'trash-looks'

interface TrashChecks {
  count: number
  lastAt: number
}

/** Opens the trash. @param changed called once for all drafts that are erased together, with the id of one. */
export function openTrash({ db, time }: DraftDeps, changed: (id: string) => void) {
  const statements = new Statements(db)
  const ofAccount = statements.values<[accountId: string], string>(
    'SELECT id FROM drafts WHERE account_id = ? AND trashed_at IS NOT NULL'
  )
  const expiredIds = statements.values<[until: number, look: number, oldLook: number], string>(
    `SELECT id FROM drafts
       WHERE trashed_at IS NOT NULL AND ((trashed_at <= ? AND trashed_look <= ?) OR trashed_look <= ?)`
  )
  const put = statements.run<[now: number, look: number, id: string]>(
    'UPDATE drafts SET trashed_at = ?, trashed_look = ? WHERE id = ? AND trashed_at IS NULL'
  )
  const takeOut = statements.run<[id: string]>('UPDATE drafts SET trashed_at = NULL, trashed_look = NULL WHERE id = ?')
  const erase = statements.run<[id: string]>('DELETE FROM drafts WHERE id = ? AND trashed_at IS NOT NULL')
  const meta = openMeta(db)

  function readChecks(): TrashChecks {
    const text = meta.read(CHECKS_KEY)
    return text === undefined ? { count: 0, lastAt: 0 } : (JSON.parse(text) as TrashChecks)
  }

  function* eraseEach(ids: readonly string[], count: (erased: number) => void): Generator<void, number> {
    let erased = 0
    for (const id of ids) {
      const now = erase(id)
      if (now > 0) count(now)
      erased += now
      yield
      // Quitting closes the database; the rest is erased another time.
      if (!db.open) break
    }
    return erased
  }

  /**
   * Erases drafts, except those taken out of the trash in the meantime.
   * @param count called in the transaction that erases them.
   */
  async function eraseAll(ids: readonly string[], count: (erased: number) => void = () => undefined): Promise<number> {
    const erased = await inSlices(eraseEach(ids, count), (turn) => (db.open ? db.transaction(turn)() : turn()))
    if (erased > 0) changed(ids[0] ?? '')
    return erased
  }

  return {
    /** Puts a draft in the trash. One that is already there keeps its time. */
    put(id: string): void {
      if (put(time.now(), readChecks().count, id) > 0) changed(id)
    },

    takeOut(id: string): void {
      takeOut(id)
      changed(id)
    },

    /** @throws AppFailure `gone` if it isn't in the trash. */
    erase(id: string): void {
      if (erase(id) === 0) fail('gone', 'This draft is no longer in the trash.')
      changed(id)
    },

    /** @returns how many were erased. */
    empty: (accountIds: readonly string[]): Promise<number> => eraseAll(accountIds.flatMap((id) => ofAccount(id))),

    /**
     * Erases what has been in the trash for `days`. Call it at startup and about once a day.
     * @param counted called in the transaction that erases them.
     */
    async purge(days: number, counted: (erased: number) => void): Promise<number> {
      const now = time.now()
      let { count, lastAt } = readChecks()
      // Repeated calls in a day count once. Without `abs`, a clock that was set back would stop the counting.
      if (Math.abs(now - lastAt) >= CHECK_INTERVAL) {
        count += 1
        lastAt = now
        meta.write(CHECKS_KEY, JSON.stringify({ count, lastAt } satisfies TrashChecks))
      }
      return eraseAll(expiredIds(now - days * DAY, count - MIN_CHECKS, count - 2 * days), counted)
    }
  }
}
