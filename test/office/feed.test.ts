// One workstation polls for all, and what it finds reaches every other: once and in order, even if a notification was
// missed or a writer was slow.
import { randomUUID } from 'node:crypto'
import { Client, type Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { configOf, openPool, withConnection } from '../../src/main/core/office/connection.ts'
import { openFromFeed, openOfficeFeed, sealForFeed, tagOf } from '../../src/main/core/office/feed.ts'
import { type JoinedWorkstation, openTestOffice, type TestOffice } from '../fixtures/office.ts'

let office: TestOffice
let workstations: JoinedWorkstation[]
let pools: Pool[]
let accountId: string
beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  workstations = await Promise.all(['One', 'Two', 'Three'].map((name) => office.join(name)))
  pools = workstations.map(({ place }) => openPool(place))
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))
beforeEach(() => {
  accountId = randomUUID()
})

function feedOf(index: number, time = systemTime) {
  const pool = pools[index]
  if (!pool) throw new Error('There is no such workstation.')
  return openOfficeFeed({ pool, time })
}
/** The lease as one workstation uses it. */
function leaseOf(index: number, time = systemTime) {
  const feed = feedOf(index, time)
  return {
    hold: async (ms = 30_000) => (await feed.poll(accountId, { ms })).lease,
    publish: ({ epoch }: { epoch: number }, changes: ReturnType<typeof change>[]) =>
      feed.publish(accountId, epoch, changes),
    giveUp: ({ epoch }: { epoch: number }) => feed.releaseLease(accountId, epoch)
  }
}
async function heldLease(index: number) {
  const lease = await leaseOf(index).hold()
  if (!lease) throw new Error('Another holds it.')
  return lease
}
const expire = () =>
  office.sql(`UPDATE office.lease SET until = now() - interval '1 ms' WHERE name = $1`, [`poll:${accountId}`])
function change(reference: string, content: string | null = reference) {
  const tag = tagOf(office.key, reference)
  return { tag, sealed: content === null ? undefined : sealForFeed(office.key, accountId, tag, content) }
}

describe('the lease for polling', () => {
  test('is requested by someone who looks at the account while its holder ends a round, without a deadlock', async () => {
    const { epoch } = await heldLease(0)
    // A third holds up both midway, so that they overlap.
    const admin = new Client(configOf(office.administrator))
    await admin.connect()
    try {
      await admin.query('BEGIN; LOCK TABLE office.poll_trouble IN EXCLUSIVE MODE')
      const waiting = `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      const blocked = async () => (await office.sql<{ count: number }>(waiting))[0]?.count
      const polled = feedOf(1).poll(accountId, { ms: 30_000, isShown: true })
      await expect.poll(blocked).toBe(1)
      const finished = feedOf(0).finishRead(accountId, epoch, 0, undefined)
      await Promise.race([finished, expect.poll(blocked).toBe(2)])
      await admin.query('COMMIT')
      const answers = await Promise.allSettled([polled, finished])
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    } finally {
      await admin.end()
    }
  })

  test('goes to one of several that request it at once', async () => {
    const leases = await Promise.all([0, 1, 2].map((index) => leaseOf(index).hold()))
    expect(leases.filter(Boolean)).toHaveLength(1)
  })

  test('can be renewed by its holder with the same epoch, and by nobody else', async () => {
    const first = await heldLease(0)
    expect((await heldLease(0)).epoch).toBe(first.epoch)
    expect(await leaseOf(1).hold()).toBeUndefined()
  })

  test('is counted from before it was requested', async () => {
    const clock = { at: 0 }
    const requested = leaseOf(0, { ...systemTime, elapsed: () => clock.at }).hold()
    clock.at = 20_000
    const until = (await requested)?.until ?? 0
    expect(until).toBeGreaterThan(29_000)
    expect(until).toBeLessThanOrEqual(30_000)
  })

  test('passes to another once it has expired, and the previous holder can’t publish', async () => {
    const before = await heldLease(0)
    await expire()
    expect(await leaseOf(0).publish(before, [change('D-1')])).toBe(false)
    const next = await heldLease(1)
    expect(next.epoch).toBe(before.epoch + 1)
    expect(await leaseOf(0).publish(before, [change('D-1')])).toBe(false)
    expect(await leaseOf(1).publish(before, [change('D-1')])).toBe(false)
    expect(await leaseOf(1).publish(next, [change('D-1')])).toBe(true)
  })

  test('gets a new epoch if its holder takes it again after it expired', async () => {
    const before = await heldLease(0)
    await expire()
    const after = await heldLease(0)
    expect(after.epoch).toBe(before.epoch + 1)
    expect(await leaseOf(0).publish(before, [change('D-1')])).toBe(false)
  })

  test('can be taken by another immediately after it was released', async () => {
    await leaseOf(0).giveUp(await heldLease(0))
    expect(await leaseOf(1).hold()).toBeDefined()
  })

  test('can be released only by its holder', async () => {
    const lease = await heldLease(0)
    await leaseOf(1).giveUp(lease)
    expect(await leaseOf(1).hold()).toBeUndefined()
  })

  test('can’t be held for an hour at a time', async () => {
    await expect(leaseOf(0).hold(3_600_000)).rejects.toMatchObject({ code: '22023' })
  })
})

describe('the changes', () => {
  /** What a workstation reads from its cursor on: the latest state of each document. */
  async function read(index: number, cursor = 0): Promise<string[]> {
    const contents: string[] = []
    for (let after = cursor; ; ) {
      const changes = await feedOf(index).changes(accountId, after)
      for (const { tag, sealed } of changes) {
        const content = sealed ? openFromFeed(office.key, accountId, tag, sealed) : 'gone'
        if (content) contents.push(String(content))
      }
      const last = changes.at(-1)
      if (!last) return contents
      after = last.seq
    }
  }

  test('are read in order, each document in its latest state', async () => {
    const lease = await heldLease(0)
    await leaseOf(0).publish(lease, [change('D-1'), change('D-2')])
    expect(await read(1)).toEqual(['D-1', 'D-2'])
    await leaseOf(0).publish(lease, [change('D-1', 'D-1 signed')])
    await leaseOf(0).publish(lease, [change('D-1', 'D-1 complete')])
    expect(await read(1, 2)).toEqual(['D-1 complete'])
    await leaseOf(0).publish(lease, [change('D-2', null)])
    expect(await read(1)).toEqual(['D-1 complete', 'gone'])
  })

  test('are all read, even if there are more than fit in one answer', async () => {
    const lease = await heldLease(0)
    const names = Array.from({ length: 1_201 }, (_, index) => `D-${index}`)
    await leaseOf(0).publish(
      lease,
      names.map((name) => change(name))
    )
    expect(await read(1)).toEqual(names)
  })

  /** Two write at once, and the first is slow to commit. Returns what is read before and after that. */
  async function withASlowWriter(): Promise<string[]> {
    const { epoch } = await heldLease(0)
    const place = workstations[0]?.place ?? office.administrator
    const tags = ['D-1', 'D-2'].map((reference) => tagOf(office.key, reference))
    const write = (client: Client, index: number) =>
      client.query('SELECT office.publish($1, $2, $3, $4)', [accountId, epoch, [tags[index]], [null]])
    let cursor = 0
    const read: string[] = []
    const readChanges = async () => {
      for (const { tag, seq } of await feedOf(1).changes(accountId, cursor)) {
        read.push(tags[0]?.equals(tag) ? 'D-1' : 'D-2')
        cursor = seq
      }
    }
    // The account has been written to before.
    await leaseOf(0).publish({ epoch }, [])
    await withConnection(place, (slow) =>
      withConnection(place, async (quick) => {
        await slow.query('BEGIN')
        await write(slow, 0)
        let isDone = false
        const second = write(quick, 1).then(() => {
          isDone = true
        })
        const waitingForLock = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = $1`
        await expect.poll(async () => isDone || (await office.sql(waitingForLock, [place.user])).length > 0).toBe(true)
        await readChanges()
        await slow.query('COMMIT')
        await second
      })
    )
    await readChanges()
    return read
  }

  test('are never skipped by readers when a writer is slow', async () => {
    expect(await withASlowWriter()).toEqual(['D-1', 'D-2'])
  })

  test('can be skipped with a mutant that numbers them from a bare sequence', async () => {
    await office.sql('CREATE SEQUENCE office.bare; GRANT ALL ON office.bare TO PUBLIC')
    const counted = 'UPDATE feed SET seq = seq + cardinality(p_tags) WHERE account = p_account RETURNING seq INTO last;'
    await office.mutated('publish', counted, `SELECT nextval('office.bare') INTO last;`, async () => {
      expect(await withASlowWriter()).toEqual(['D-2'])
    })
  })

  test('that were altered on the server are left out, and don’t block the others', async () => {
    const lease = await heldLease(0)
    await leaseOf(0).publish(lease, [change('D-1'), change('D-2')])
    await office.sql(
      'UPDATE office.mirror SET sealed = set_byte(sealed, octet_length(sealed) - 1, get_byte(sealed, octet_length(sealed) - 1) # 1) WHERE account = $1 AND tag = $2',
      [accountId, tagOf(office.key, 'D-1')]
    )
    expect(await read(1)).toEqual(['D-2'])
  })

  test('are stored without readable content or references', async () => {
    const reference = `Planted-${randomUUID()}`
    await leaseOf(0).publish(await heldLease(0), [change(reference)])
    const rows = await office.sql<{ tag: Buffer; sealed: Buffer }>(
      'SELECT tag, sealed FROM office.mirror WHERE account = $1',
      [accountId]
    )
    expect(rows).toHaveLength(1)
    for (const { tag, sealed } of rows) expect(Buffer.concat([tag, sealed]).includes(reference)).toBe(false)
    expect(await read(2)).toEqual([reference])
  })
})
