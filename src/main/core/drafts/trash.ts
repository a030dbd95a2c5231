/**
 * Drafts that were thrown away stay in the trash for as many days as are set, 30 where nothing else is, whatever the clock does,
 * and can be taken out until then.
 */

import { DAY } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { inSlices } from '../lib/slices.ts'
import { openMeta } from '../storage/meta.ts'
import { Statements } from '../storage/statements.ts'
import type { DraftDeps } from './draft-rows.ts'

/**
 * The trash is looked through once a day of use, and a draft goes after ten looks at the earliest. A clock can jump by
 * years between two looks, and then every draft seems old; no clock makes ten days of use of one. Where the clock goes
 * right, the days have these ten among them. After twice as many looks as days a draft goes though the clock says otherwise: it was
 * thrown away while the clock was far ahead.
 */
const LEAST_LOOKS = 10

/** How far apart two looks are at least, in milliseconds: nobody comes to the office at the same minute each day. */
const LOOKS_APART = 20 * 60 * 60_000

/** How often the trash was looked through, and when last: the entry of `meta`. */
const LOOKS = 'trash-looks'

interface Looks {
  count: number
  lastAt: number
}

/** @param changed told once for all drafts that go together, with the id of one. */
export function openTrash({ db, time }: DraftDeps, changed: (id: string) => void) {
  const statements = new Statements(db)
  const ofAccount = statements.values<[accountId: string], string>(
    'SELECT id FROM drafts WHERE account_id = ? AND trashed_at IS NOT NULL'
  )
  const old = statements.values<[until: number, look: number, oldLook: number], string>(
    `SELECT id FROM drafts
       WHERE trashed_at IS NOT NULL AND ((trashed_at <= ? AND trashed_look <= ?) OR trashed_look <= ?)`
  )
  const put = statements.run<[now: number, look: number, id: string]>(
    'UPDATE drafts SET trashed_at = ?, trashed_look = ? WHERE id = ? AND trashed_at IS NULL'
  )
  const takeOut = statements.run<[id: string]>('UPDATE drafts SET trashed_at = NULL, trashed_look = NULL WHERE id = ?')
  const erase = statements.run<[id: string]>('DELETE FROM drafts WHERE id = ? AND trashed_at IS NOT NULL')
  const meta = openMeta(db)

  function looks(): Looks {
    const text = meta.read(LOOKS)
    return text === undefined ? { count: 0, lastAt: 0 } : (JSON.parse(text) as Looks)
  }

  function* eraseEach(ids: readonly string[]): Generator<void, number> {
    let erased = 0
    for (const id of ids) {
      erased += erase(id)
      yield
      // Quitting closes the database; what is left goes another time.
      if (!db.open) break
    }
    return erased
  }

  /** Those that were taken out of the trash in the meantime stay. */
  async function eraseAll(ids: readonly string[]): Promise<number> {
    const erased = await inSlices(eraseEach(ids), (turn) => (db.open ? db.transaction(turn)() : turn()))
    if (erased > 0) changed(ids[0] ?? '')
    return erased
  }

  return {
    /** Puts a draft in the trash; one that is there already stays as long as it would have. */
    put(id: string): void {
      if (put(time.now(), looks().count, id) > 0) changed(id)
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

    /** Erases what has been in the trash for so many days. To be called at start and about once a day. */
    async purge(days: number): Promise<number> {
      const now = time.now()
      let { count, lastAt } = looks()
      // However often it is called in a day, it counts once; a clock that was set back must not end the counting.
      if (Math.abs(now - lastAt) >= LOOKS_APART) {
        count += 1
        lastAt = now
        meta.write(LOOKS, JSON.stringify({ count, lastAt } satisfies Looks))
      }
      return eraseAll(old(now - days * DAY, count - LEAST_LOOKS, count - 2 * days))
    }
  }
}
