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

const asked = (atOnce: ReturnType<typeof batchQueries>, text: string, values?: unknown[]) =>
  atOnce.query<Record<string, unknown>>(text, values).then(({ rows }) => rows)

test('those of one moment are one transaction, and each gets its own rows', async () => {
  const { atOnce } = poolOf()
  const moment = () => asked(atOnce, 'SELECT txid_current()::text AS one')
  const [first, second, several, none] = await Promise.all([
    moment(),
    moment(),
    asked(atOnce, 'SELECT n FROM generate_series(1, 3) AS n'),
    asked(atOnce, 'SELECT 1 AS n WHERE false')
  ])
  expect(second).toEqual(first)
  expect({ several, none }).toEqual({ several: [{ n: 1 }, { n: 2 }, { n: 3 }], none: [] })
  expect(await moment()).not.toEqual(first)
})

test('their values come there as they are, however they read', async () => {
  const { atOnce } = poolOf()
  const text = `it's \\ "one"; DROP TABLE x; -- $1 $2 \u{1f4dc}\n`
  const bytes = Buffer.from([0, 1, 0x27, 0x5c, 0xff])
  const values = [text, -1.5, bytes]
  const ask = () => asked(atOnce, 'SELECT $1::text AS text, $2::double precision AS number, $3::bytea AS bytes', values)
  const [one, two] = await Promise.all([ask(), ask()])
  expect(one).toEqual([{ text, number: -1.5, bytes }])
  expect(two).toEqual(one)
})

test('one that is refused keeps no other from being answered', async () => {
  const { atOnce } = poolOf()
  const [good, bad] = await Promise.allSettled([asked(atOnce, 'SELECT 1 AS n'), asked(atOnce, 'SELECT 1 / 0')])
  expect(good).toEqual({ status: 'fulfilled', value: [{ n: 1 }] })
  expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseError) })
})

test('a single connection gets one query after the other, also after one was refused', async () => {
  const { pool } = poolOf()
  const client = await pool.connect()
  let [inFlight, most] = [0, 0]
  let later: Promise<unknown> | undefined
  const counting: Queryable = {
    async query(text, values) {
      most = Math.max(most, ++inFlight)
      // Asked while the batch is in flight.
      later ??= asked(over, 'SELECT 4 AS n')
      return await client.query(text, values).finally(() => inFlight--)
    }
  }
  const over = batchQueries(counting, { isConnection: true })
  const answers = await Promise.allSettled(
    ['SELECT 1 AS n', 'SELECT 1 / 0', 'SELECT 3 AS n'].map((text) => asked(over, text))
  )
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await later).toEqual([{ n: 4 }])
  client.release()
  expect(most).toBe(1)
})

test('where the line breaks all of them fail, and none is asked once more', async () => {
  const { pool, query, atOnce } = poolOf()
  const client = await pool.connect()
  const over = batchQueries(client)
  const asking = Promise.allSettled([asked(over, 'SELECT pg_sleep(60)'), asked(over, 'SELECT 1 AS n')])
  const isAsked = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%' AND state = 'active'"
  await expect.poll(async () => (await asked(atOnce, isAsked)).length).toBe(1)
  await asked(atOnce, `SELECT pg_terminate_backend(pid) FROM (${isAsked}) it`)
  expect((await asking).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  client.release(true)
  expect(query.mock.calls.filter(([text]) => String(text).startsWith('SELECT pg_sleep'))).toHaveLength(1)
})
