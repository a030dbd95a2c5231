/**
 * Lists over several accounts read each account's rows in index order: their cost depends on the page, not on the
 * total.
 */
import { expect, onTestFinished, test } from 'vitest'
import { openDownloadsTable } from '../../../src/main/core/downloads/downloads-table.ts'
import { openList } from '../../../src/main/core/drafts/draft-rows.ts'
import { SendQueries } from '../../../src/main/core/outbox/send-list.ts'
import { connectInMemory, type Db } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'

const ACCOUNTS = ['one', 'two', 'three']

/** Returns the SQL statements run by `work`, each with SQLite's query plan. */
function plansOf(work: (db: Db) => void): { sql: string; plan: string[] }[] {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const queries: string[] = []
  const watched = new Proxy(db, {
    get(all, name) {
      if (name !== 'prepare') return Reflect.get(all, name)
      return (sql: string) => {
        queries.push(sql)
        return all.prepare(sql)
      }
    }
  })
  work(watched)
  return queries
    .filter((sql) => sql.includes('ORDER BY'))
    .map((sql) => {
      const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name = '']) => [name, null]))
      const places = [...sql.matchAll(/\?/g)].map(() => null)
      const parameters = places.length > 0 ? places : Object.keys(named).length > 0 ? [named] : []
      const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[]
      return { sql, plan: rows.map(({ detail }) => detail) }
    })
}

/** The few single packages that are held for a release have no index by their age. */
const HELD = 'SEARCH sends USING INDEX sends_ready (account_id=? AND batch_id=? AND goes_at>?)'

/** Plan steps that scan a whole table, or sort all results. */
const costly = (plan: readonly string[]) =>
  plan.filter(
    (step, index) =>
      /^SCAN (sends|downloads|drafts)\b(?!.*USING)/.test(step) ||
      (/USE TEMP B-TREE/.test(step) && plan[index - 1] !== HELD)
  )

test.each(['all', 'attention', 'waiting', 'sent'] as const)('a page of the Outbox: %s', (show) => {
  const plans = plansOf((db) => {
    const queries = new SendQueries(db)
    queries.page(ACCOUNTS, { show, offset: 0, limit: 50 })
  }).filter(({ sql }) => sql.includes('UNION ALL'))
  expect(plans).toHaveLength(1)
  for (const { plan } of plans) expect(costly(plan), plan.join('\n')).toEqual([])
})

test('a page of downloads, queued and finished', () => {
  const plans = plansOf((db) => {
    const table = openDownloadsTable(db)
    table.waitingInOrder(ACCOUNTS, [], 50, 0)
    table.ended(ACCOUNTS, ['done', 'failed', 'cancelled'], 50, 0)
  }).filter(({ sql }) => sql.includes('UNION ALL'))
  expect(plans).toHaveLength(2)
  for (const { plan } of plans) expect(costly(plan), plan.join('\n')).toEqual([])
})

test('drafts are found by an index and then sorted: there are thousands at most', () => {
  const plans = plansOf(
    (db) => void openList(db, 'trashed_at IS NULL', 'updated_at DESC, number DESC')(ACCOUNTS).page(0, 50)
  )
  for (const { plan } of plans)
    expect(plan.filter((step) => /^SCAN (sends|drafts)\b(?!.*USING)/.test(step))).toEqual([])
})
