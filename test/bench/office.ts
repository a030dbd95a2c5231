/** The office's server, with everything on its disk: how long a claim takes among many sends, and how many changes a second are handed over. */
import { randomUUID } from 'node:crypto'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { openPool } from '../../src/main/core/office/connection.ts'
import { openOfficeFeed, sealForFeed, tagOf } from '../../src/main/core/office/feed.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { openTestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import { type Bench, type Figure, lower, median, quantile, rounded } from './figure.ts'

const SENDS = 10_000
const CLAIMS = 500
const CHANGES = 2_000
const AT_ONCE = 10

export const office: Bench = {
  name: 'office',
  async run(): Promise<Figure[]> {
    const cluster = await openCluster({ isDurable: true })
    try {
      const made = await openTestOffice(cluster.place)
      const station = await made.join('Front desk')
      const pool = openPool(station.place)
      const deps = { pool, key: made.key, time: systemTime }
      try {
        return [...(await claims(deps, made)), await feed(deps)]
      } finally {
        await pool.end()
      }
    } finally {
      await cluster.close()
    }
  }
}

type Deps = Parameters<typeof openOfficeSends>[0]

async function claims(deps: Deps, made: Awaited<ReturnType<typeof openTestOffice>>): Promise<Figure[]> {
  const store = openOfficeSends(deps)
  const accountId = randomUUID()
  await store.configure(accountId, { concurrency: 2, perMinute: null })
  const first = randomUUID()
  await store.put(accountId, first, Buffer.from(JSON.stringify({ id: first, text: 'x'.repeat(1_000) })))
  // As many as there would be after years: nine of ten are done. The bodies of these are never opened.
  await made.sql(
    `INSERT INTO office.send (id, account, state, goes_at, made_by, sealed)
       SELECT gen_random_uuid(), account, CASE WHEN at % 10 = 0 THEN 'cancelled' ELSE 'sent' END, now(), made_by, sealed
       FROM office.send, generate_series(1, $1) AS at`,
    [SENDS * 10]
  )
  for (let count = 0; count < CLAIMS; count++) {
    const id = randomUUID()
    await store.put(accountId, id, Buffer.from(JSON.stringify({ id, text: 'x'.repeat(1_000) })))
  }
  await made.sql('ANALYZE office.send')
  const times: number[] = []
  for (let count = 0; count < CLAIMS; count++) {
    const began = performance.now()
    const [claim] = await store.claim(accountId, 1)
    times.push(performance.now() - began)
    if (!claim) throw new Error('Nothing was claimed.')
    if ((await store.finish(claim, 'accepted', {})) !== 'sent') throw new Error('It was not sent.')
  }
  const against = `${CLAIMS} claims one after the other, ${SENDS * 10} sends kept, everything flushed`
  return [
    lower('office-claim', median(times), 'ms', 15, against),
    lower('office-claim-90', quantile(times, 0.9), 'ms', 15, `${against}; 90th percentile`)
  ]
}

async function feed(deps: Deps): Promise<Figure> {
  const office = openOfficeFeed(deps)
  const feedId = randomUUID()
  const { lease } = await office.watch(feedId, { ms: 600_000 })
  if (!lease) throw new Error('Another polls.')
  const began = performance.now()
  for (let count = 0; count < CHANGES; count += AT_ONCE) {
    const changes = Array.from({ length: AT_ONCE }, (_, index) => {
      const tag = tagOf(deps.key, `D-${count + index}`)
      return { tag, sealed: sealForFeed(deps.key, feedId, tag, 'x'.repeat(1_000)) }
    })
    if (!(await office.publish(feedId, lease.epoch, changes))) throw new Error('It was not written.')
  }
  return {
    ...{ name: 'office-feed', value: rounded((1_000 * CHANGES) / (performance.now() - began)), unit: 'changes/s' },
    ...{ limit: 200, better: 'higher' as const, against: `${AT_ONCE} at a time, everything flushed` }
  }
}
