// Queries made at the same moment cost the server one transaction, and each is answered as if it had been made alone.
import { Client, DatabaseError } from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { openPool } from '../../src/main/core/office/connection.ts'
import { batchQueries, type Queryable } from '../../src/main/core/office/query-batching.ts'

function poolOf() {
  const pool = openPool({ ...inject('cluster'), database: 'postgres' })
  onTestFinished(() => pool.end())
  const query = vi.spyOn(Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  return { pool, query, atOnce: batchQueries(pool) }
}

const rowsOf = (atOnce: ReturnType<typeof batchQueries>, text: string, values?: unknown[]) =>
  atOnce.query<Record<string, unknown>>(text, values).then(({ rows }) => rows)

test('queries made at the same moment share a transaction, and each gets its own rows', async () => {
  const { atOnce } = poolOf()
  const moment = () => rowsOf(atOnce, 'SELECT txid_current()::text AS one')
  const [first, second, several, none] = await Promise.all([
    moment(),
    moment(),
    rowsOf(atOnce, 'SELECT n FROM generate_series(1, 3) AS n'),
    rowsOf(atOnce, 'SELECT 1 AS n WHERE false')
  ])
  expect(second).toEqual(first)
  expect({ several, none }).toEqual({ several: [{ n: 1 }, { n: 2 }, { n: 3 }], none: [] })
  expect(await moment()).not.toEqual(first)
})

test('values arrive unchanged, whatever they contain', async () => {
  const { atOnce } = poolOf()
  const text = `it's \\ "one"; DROP TABLE x; -- $1 $2 \u{1f4dc}\n`
  const bytes = Buffer.from([0, 1, 0x27, 0x5c, 0xff])
  const values = [text, -1.5, bytes]
  const ask = () =>
    rowsOf(atOnce, 'SELECT $1::text AS text, $2::double precision AS number, $3::bytea AS bytes', values)
  const [one, two] = await Promise.all([ask(), ask()])
  expect(one).toEqual([{ text, number: -1.5, bytes }])
  expect(two).toEqual(one)
})

test('a query about nothing doesn’t keep others from being answered', async () => {
  const { atOnce } = poolOf()
  const answers = [rowsOf(atOnce, 'SELECT 1 AS n'), rowsOf(atOnce, 'SELECT $1::text AS n', [null])]
  expect(await Promise.all(answers)).toEqual([[{ n: 1 }], [{ n: null }]])
})

test('a query that fails doesn’t keep others from being answered', async () => {
  const { atOnce } = poolOf()
  const [good, bad] = await Promise.allSettled([rowsOf(atOnce, 'SELECT 1 AS n'), rowsOf(atOnce, 'SELECT 1 / 0')])
  expect(good).toEqual({ status: 'fulfilled', value: [{ n: 1 }] })
  expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseError) })
})

test('a single connection gets one query at a time, even after one failed', async () => {
  const { pool } = poolOf()
  const client = await pool.connect()
  let [inFlight, most] = [0, 0]
  let later: Promise<unknown> | undefined
  const counting: Queryable = {
    async query(text, values) {
      most = Math.max(most, ++inFlight)
      // Made while the batch is in flight.
      later ??= rowsOf(over, 'SELECT 4 AS n')
      return await client.query(text, values).finally(() => inFlight--)
    }
  }
  const over = batchQueries(counting, { isConnection: true })
  const answers = await Promise.allSettled(
    ['SELECT 1 AS n', 'SELECT 1 / 0', 'SELECT 3 AS n'].map((text) => rowsOf(over, text))
  )
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await later).toEqual([{ n: 4 }])
  client.release()
  expect(most).toBe(1)
})

test('if the connection breaks, all queries fail, and none is repeated', async () => {
  const { pool, query, atOnce } = poolOf()
  const client = await pool.connect()
  const over = batchQueries(client)
  const running = Promise.allSettled([rowsOf(over, 'SELECT pg_sleep(60)'), rowsOf(over, 'SELECT 1 AS n')])
  const isRunning = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%' AND state = 'active'"
  await expect.poll(async () => (await rowsOf(atOnce, isRunning)).length).toBe(1)
  await rowsOf(atOnce, `SELECT pg_terminate_backend(pid) FROM (${isRunning}) it`)
  expect((await running).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  client.release(true)
  expect(query.mock.calls.filter(([text]) => String(text).startsWith('SELECT pg_sleep'))).toHaveLength(1)
})
