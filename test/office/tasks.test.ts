// Tasks that only one workstation may do at a time: taken by one, refused to others, uncertain or free once their
// holder is gone; and none of it readable.
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openPool, withConnection } from '../../src/main/core/office/connection.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { type OfficeTasks, openOfficeTasks, type TaskClaim } from '../../src/main/core/office/tasks.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'

const time = { elapsed: () => performance.now() }
const NAMES = ['Counter 1', 'Counter 2', 'Counter 3']
let office: TestOffice
let pools: Pool[]
let stores: OfficeTasks[]
let accountId: string

beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  pools = []
  for (const name of NAMES) pools.push(openPool((await office.join(name)).place))
  stores = pools.map((pool) => openOfficeTasks({ pool, key: office.key, time }))
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))
beforeEach(async () => {
  const [pool] = pools
  if (!pool) throw new Error('There are no workstations.')
  accountId = await openOfficeSends({ pool, key: office.key, time }).account(randomUUID(), {
    concurrency: 1,
    perMinute: null
  })
})

const storeAt = (index: number) => stores[index] ?? expect.fail('There is no such workstation.')
const claimOf = (about: string[] = ['Letter 1'], more: object = {}) => ({
  accountId,
  about,
  id: randomUUID(),
  ms: 60_000,
  ...more
})
const taskOf = ({ id }: { id: string }, epoch = 1, about = 'Letter 1') => ({ accountId, about, id, epoch })
const expire = () => office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE state = 'open'`)
const statesOf = (claim: TaskClaim) => (claim.isGranted ? [] : claim.by.map(({ about, state }) => [about, state]))

describe('a task that several claim at once', () => {
  test('goes to one, and the others learn who has it and since when', async () => {
    const claims = await Promise.all(stores.map((one) => one.claim('action', claimOf())))
    expect(claims.map(({ isGranted }) => isGranted).sort()).toEqual([false, false, true])
    const holder = NAMES[claims.findIndex(({ isGranted }) => isGranted)]
    const refused = claims.flatMap((claim) => (claim.isGranted ? [] : claim.by))
    expect(refused.map((one) => [one.holder, one.state])).toEqual([
      [holder, 'open'],
      [holder, 'open']
    ])
    expect(refused.every(({ ago }) => ago >= 0 && ago < 60_000)).toBe(true)
  })

  test('is granted together with all others in the claim, or not at all, in any order', async () => {
    const claims = await Promise.all([
      storeAt(0).claim('turn', claimOf(['one', 'two', 'three'])),
      storeAt(1).claim('turn', claimOf(['three', 'two', 'four']))
    ])
    expect(claims.map(({ isGranted }) => isGranted).sort()).toEqual([false, true])
    expect(await storeAt(2).claim('turn', claimOf([claims[0]?.isGranted ? 'four' : 'one']))).toMatchObject({
      isGranted: true
    })
  })

  test('is granted together with all others in the claim even if another claim removes long-ended ones', async () => {
    const about = ['one', 'two', 'three', 'four']
    const before = claimOf(about)
    await storeAt(0).claim('turn', before)
    for (const one of about) await storeAt(0).finish('turn', taskOf(before, 1, one), 'free')
    const first = `(SELECT tag FROM office.task WHERE id = '${before.id}' ORDER BY tag LIMIT 1)`
    await office.sql(
      `UPDATE office.task SET reported_at = now() - interval '8 days' WHERE id = '${before.id}' AND tag <> ${first}`
    )
    const waitingForLock = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const claimed = await withConnection(office.administrator, async (other) => {
      await other.query('BEGIN')
      await other.query(`SELECT FROM office.task WHERE tag = ${first} FOR UPDATE`)
      const answer = storeAt(1).claim('turn', claimOf(about))
      await expect.poll(() => office.sql(waitingForLock)).toHaveLength(1)
      await storeAt(2).claim('turn', claimOf(['another']))
      await other.query('ROLLBACK')
      return await answer
    })
    expect(claimed.isGranted && [...claimed.epochs.keys()].sort()).toEqual([...about].sort())
    for (const one of about) expect(await storeAt(2).claim('turn', claimOf([one]))).toMatchObject({ isGranted: false })
  })

  test('can be claimed again by its holder, but only with the same id', async () => {
    const mine = claimOf()
    const epochs = async (kind: 'action' | 'turn') => await storeAt(0).claim(kind, mine)
    expect(await epochs('turn')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 1]]) })
    expect(await epochs('turn')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 1]]) })
    expect(await epochs('action')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 1]]) })
    expect(await epochs('action')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 2]]) })
    expect(await storeAt(0).claim('action', claimOf())).toMatchObject({ isGranted: false })
  })

  test('sends a notification when it begins and ends, not when it is renewed', async () => {
    const mine = claimOf(['one'])
    const payloads: (string | undefined)[] = []
    const { place } = await office.join(randomUUID())
    await withConnection(place, async (listener) => {
      listener.on('notification', ({ payload }) => payloads.push(payload))
      await listener.query('LISTEN countersign_tasks')
      for (let count = 0; count < 3; count++) await storeAt(0).claim('turn', mine)
      await storeAt(0).finish('turn', taskOf(mine, 1, 'one'), 'free')
      // Earlier notifications arrive before the answer.
      await listener.query('SELECT 1')
    })
    expect(payloads).toEqual([accountId, accountId])
  })
})

describe('an action', () => {
  test('whose holder is gone is uncertain until its result is known or a person repeats it', async () => {
    const mine = claimOf(['Letter 1'], { content: { request: 'extend' } })
    await storeAt(0).claim('action', mine)
    await expire()
    const refused = await storeAt(1).claim('action', claimOf())
    expect(refused).toMatchObject({
      isGranted: false,
      by: [{ id: mine.id, epoch: 1, state: 'uncertain', holder: 'Counter 1', content: { request: 'extend' } }]
    })
    expect(await storeAt(1).finish('action', taskOf(mine, 2), 'free')).toMatchObject({ state: 'uncertain' })
    expect(await storeAt(1).claim('action', { ...mine, isAgain: true })).toMatchObject({ isGranted: true })
    // Reports of the first time no longer decide anything, except that it was done.
    await expect(storeAt(0).finish('action', taskOf(mine), 'free')).rejects.toMatchObject({ code: '42501' })
    expect(await storeAt(1).finish('action', taskOf(mine, 2), 'uncertain')).toMatchObject({ state: 'uncertain' })
    expect(await storeAt(2).finish('action', taskOf(mine), 'free')).toMatchObject({ state: 'uncertain' })
    expect(await storeAt(0).finish('action', taskOf(mine), 'done')).toMatchObject({ state: 'done' })
    expect(await storeAt(1).finish('action', taskOf(mine, 2), 'free')).toMatchObject({ state: 'done' })
  })

  test('isn’t ended by a late report of an earlier claim, which is told the current epoch', async () => {
    const mine = claimOf()
    for (let count = 0; count < 2; count++) await storeAt(0).claim('action', mine)
    expect(await storeAt(0).finish('action', taskOf(mine, 1), 'free')).toEqual({
      state: 'open',
      epoch: 2,
      isMine: true
    })
    expect(statesOf(await storeAt(1).claim('action', claimOf()))).toEqual([['Letter 1', 'open']])
    expect(await storeAt(0).finish('action', taskOf(mine, 2), 'free')).toMatchObject({ state: 'free' })
  })

  test('that ended a while ago is still refused to others, with the time', async () => {
    const mine = claimOf()
    await storeAt(0).claim('action', mine)
    await storeAt(0).finish('action', taskOf(mine), 'done', { ago: 8 * 3_600_000 })
    const refused = await storeAt(1).claim('action', claimOf())
    expect(statesOf(refused)).toEqual([['Letter 1', 'done']])
    expect(refused.isGranted || Math.round((refused.by[0]?.ago ?? 0) / 3_600_000)).toBe(8)
  })

  test('can be done twice with a mutant that frees expired claims', async () => {
    await storeAt(0).claim('action', claimOf())
    await expire()
    await office.mutated('expire_tasks', `THEN 'uncertain'`, `THEN 'free'`, async () => {
      expect(await storeAt(1).claim('action', claimOf())).toMatchObject({ isGranted: true })
    })
  })

  test('is free once anyone has found that it wasn’t done', async () => {
    const mine = claimOf()
    await storeAt(0).claim('action', mine)
    await storeAt(0).finish('action', taskOf(mine), 'uncertain')
    expect(statesOf(await storeAt(1).claim('action', claimOf()))).toEqual([['Letter 1', 'uncertain']])
    expect(await storeAt(1).finish('action', taskOf(mine), 'free')).toMatchObject({ state: 'free' })
    expect(await storeAt(2).claim('action', claimOf())).toMatchObject({ isGranted: true })
    expect(await storeAt(0).finish('action', taskOf(mine), 'uncertain')).toBeUndefined()
  })

  test('that another has just done is refused to those who couldn’t know, and granted once they were told', async () => {
    const mine = claimOf()
    await storeAt(0).claim('action', mine)
    await storeAt(0).finish('action', taskOf(mine), 'done')
    expect(statesOf(await storeAt(1).claim('action', claimOf()))).toEqual([['Letter 1', 'done']])
    expect(statesOf(await storeAt(0).claim('action', mine))).toEqual([['Letter 1', 'done']])
    await office.sql(`UPDATE office.task SET reported_at = now() - interval '1 hour'`)
    const waited = claimOf(['Letter 1'], { askedAgo: 2 * 3_600_000 })
    expect(statesOf(await storeAt(1).claim('action', waited))).toEqual([['Letter 1', 'done']])
    expect(await storeAt(1).claim('action', { ...waited, known: 1 })).toMatchObject({ isGranted: true })
    await storeAt(1).finish('action', taskOf(waited, 2), 'done')
    await office.sql(`UPDATE office.task SET reported_at = now() - interval '1 hour'`)
    expect(await storeAt(2).claim('action', claimOf())).toMatchObject({ isGranted: true })
  })

  test('is uncertain on a restored server, which is also told what it lost', async () => {
    const [mine, lostTask] = [claimOf(), claimOf(['Letter 2'])]
    await storeAt(0).claim('action', mine)
    await office.sql('SELECT office.begin_life(now())')
    expect(statesOf(await storeAt(1).claim('action', claimOf()))).toEqual([['Letter 1', 'uncertain']])
    expect(
      await storeAt(0).finish('action', taskOf(lostTask, 3, 'Letter 2'), 'uncertain', {
        content: { request: 'remind' }
      })
    ).toMatchObject({
      state: 'uncertain',
      epoch: 3
    })
    expect(await storeAt(1).claim('action', claimOf(['Letter 2']))).toMatchObject({
      by: [{ state: 'uncertain', epoch: 3, content: { request: 'remind' } }]
    })
  })
})

describe('a turn', () => {
  test('is free once it ends or its holder is gone, and stays with the holder’s next session', async () => {
    const mine = claimOf(['one', 'two'])
    await storeAt(0).claim('turn', mine)
    expect((await storeAt(1).ofOthers('turn', accountId)).of('one')).toMatchObject({ holder: 'Counter 1' })
    expect((await storeAt(0).ofOthers('turn', accountId)).of('one')).toBeUndefined()
    await storeAt(0).finish('turn', taskOf(mine, 1, 'one'), 'free')
    expect(await storeAt(1).claim('turn', claimOf(['one']))).toMatchObject({ isGranted: true })
    expect(await storeAt(0).claim('turn', claimOf(['two']))).toMatchObject({ isGranted: true })
    await expire()
    expect((await storeAt(1).ofOthers('turn', accountId)).of('two')).toBeUndefined()
    expect(await storeAt(1).claim('turn', claimOf(['two']))).toMatchObject({ isGranted: true })
  })
})

describe('the server', () => {
  test('refuses results from anyone but the holder, and all claims while it is an unnoticed copy', async () => {
    const mine = claimOf()
    await storeAt(0).claim('action', mine)
    for (const state of ['done', 'free', 'uncertain'] as const) {
      await expect(storeAt(1).finish('action', taskOf(mine), state)).rejects.toMatchObject({ code: '42501' })
    }
    await office.sql(`UPDATE office.office SET server_fingerprint = 'another'`)
    try {
      await expect(storeAt(1).claim('action', claimOf(['Letter 2']))).rejects.toMatchObject({ code: '55000' })
    } finally {
      await office.sql('UPDATE office.office SET server_fingerprint = office.server_fingerprint()')
    }
  })

  test('can’t read what a task is about, and altered content isn’t opened', async () => {
    await storeAt(0).claim('action', claimOf(['Letter of Mere Tamati'], { content: { name: 'Mere Tamati' } }))
    const rows = JSON.stringify(await office.sql('SELECT * FROM office.task WHERE account = $1', [accountId]))
    expect(rows).not.toMatch(/Mere|Letter/)
    await office.sql('UPDATE office.task SET sealed = set_byte(sealed, 40, 0) WHERE account = $1', [accountId])
    const refused = await storeAt(1).claim('action', claimOf(['Letter of Mere Tamati']))
    expect(refused).toMatchObject({ isGranted: false, by: [{ holder: 'Counter 1' }] })
    expect(refused.isGranted || refused.by[0]).not.toHaveProperty('content')
  })

  test('stores the content of a task only until its result is known', async () => {
    const sealed = () =>
      office.sql('SELECT sealed IS NOT NULL AS "isKept" FROM office.task WHERE account = $1', [accountId])
    const mine = claimOf(['Letter 1'], { content: { name: 'Mere Tamati' } })
    await storeAt(0).claim('action', mine)
    await storeAt(0).finish('action', taskOf(mine), 'uncertain')
    expect(await sealed()).toEqual([{ isKept: true }])
    await storeAt(0).finish('action', taskOf(mine), 'done', { content: { name: 'Mere Tamati' } })
    expect(await sealed()).toEqual([{ isKept: false }])
  })

  test('doesn’t lock other expired tasks while it waits for one', async () => {
    const [mine, finished] = [claimOf(['one']), claimOf(['two'])]
    await storeAt(0).claim('action', mine)
    await storeAt(1).claim('action', finished)
    await office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE id = $1`, [finished.id])
    const waitingForLock = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await withConnection(office.administrator, async (other) => {
      await other.query('BEGIN')
      await other.query('SELECT FROM office.task WHERE id = $1 FOR UPDATE', [mine.id])
      const ended = storeAt(0).finish('action', taskOf(mine, 1, 'one'), 'free')
      await expect.poll(() => office.sql(waitingForLock)).toHaveLength(1)
      await other.query('SELECT FROM office.task WHERE id = $1 FOR UPDATE NOWAIT', [finished.id])
      await other.query('ROLLBACK')
      await ended
    })
  })
})
