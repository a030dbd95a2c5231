/**
 * The office's server, with everything flushed to disk: how long a claim takes among many sends, and how many changes
 * per second one workstation publishes and another receives.
 */
import { randomUUID } from 'node:crypto'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { openPool } from '../../src/main/core/office/connection.ts'
import { type OfficeFeed, openFromFeed, openOfficeFeed, sealForFeed, tagOf } from '../../src/main/core/office/feed.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { openTestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import { type Bench, type Figure, lower, median, quantile, rounded } from './figure.ts'

const SENDS = 10_000
const CLAIMS = 500
const CHANGES = 2_000
const AT_ONCE = 10
const CONTENT = 'x'.repeat(1_000)

export const office: Bench = {
  name: 'office',
  async run(): Promise<Figure[]> {
    const cluster = await openCluster({ isDurable: true })
    try {
      const made = await openTestOffice(cluster.place)
      const workstationOf = async (name: string) => openPool((await made.join(name)).place)
      const [writer, reader] = [await workstationOf('Front desk'), await workstationOf('Back room')]
      const deps = { pool: writer, key: made.key, time: systemTime }
      try {
        return [...(await claims(deps, made)), await feed(deps, { ...deps, pool: reader })]
      } finally {
        await Promise.all([writer.end(), reader.end()])
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
  // As many as there would be after years; all of them are over. Their bodies are never opened.
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
    if ((await store.finish(accountId, claim, 'accepted', {})) !== 'sent') throw new Error('It was not sent.')
  }
  const against = `${CLAIMS} claims one after the other, ${SENDS * 10} sends kept, everything flushed`
  return [
    lower('office-claim', median(times), 'ms', 15, against),
    lower('office-claim-95', quantile(times, 0.95), 'ms', 15, `${against}; 95th percentile`)
  ]
}

/** From the first change that one workstation publishes until another has opened the last. */
async function feed(deps: Deps, reader: Deps): Promise<Figure> {
  const office = openOfficeFeed(deps)
  const feedId = randomUUID()
  const { lease } = await office.poll(feedId, { ms: 600_000 })
  if (!lease) throw new Error('Another polls.')
  const began = performance.now()
  await Promise.all([handedOver(deps, office, feedId, lease.epoch), taken(reader, feedId)])
  return {
    name: 'office-feed',
    value: rounded((1_000 * CHANGES) / (performance.now() - began)),
    unit: 'changes/s',
    limit: 200,
    better: 'higher' as const,
    against: `${AT_ONCE} at a time, until another has opened them, everything flushed`
  }
}

async function handedOver({ key }: Deps, office: OfficeFeed, feedId: string, epoch: number): Promise<void> {
  for (let count = 0; count < CHANGES; count += AT_ONCE) {
    const changes = Array.from({ length: AT_ONCE }, (_, index) => {
      const tag = tagOf(key, `D-${count + index}`)
      return { tag, sealed: sealForFeed(key, feedId, tag, CONTENT) }
    })
    if (!(await office.publish(feedId, epoch, changes))) throw new Error('It was not written.')
  }
}

/** Reads each time the bell rings, as a workstation does. */
async function taken({ pool, key, time }: Deps, feedId: string): Promise<void> {
  const office = openOfficeFeed({ pool, time })
  const bell = await pool.connect()
  let ring: () => void = () => undefined
  bell.on('notification', () => ring())
  try {
    await bell.query('LISTEN countersign_feed')
    for (let cursor = 0, count = 0; count < CHANGES; ) {
      const rung = new Promise<void>((resolve) => {
        ring = resolve
      })
      const changes = await office.changes(feedId, cursor)
      for (const { tag, sealed } of changes) {
        if (sealed && openFromFeed(key, feedId, tag, sealed) !== CONTENT) throw new Error('It is another.')
      }
      count += changes.length
      const last = changes.at(-1)
      if (last) cursor = last.seq
      else await rung
    }
  } finally {
    bell.release(true)
  }
}
