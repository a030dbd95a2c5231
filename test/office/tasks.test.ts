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
let desks: OfficeTasks[]
let accountId: string

beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  pools = []
  for (const name of NAMES) pools.push(openPool((await office.join(name)).place))
  desks = pools.map((pool) => openOfficeTasks({ pool, key: office.key, time }))
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

const desk = (index: number) => desks[index] ?? expect.fail('There is no such workstation.')
const wanted = (about: string[] = ['Letter 1'], more: object = {}) => ({
  accountId,
  about,
  id: randomUUID(),
  ms: 60_000,
  ...more
})
const taskOf = ({ id }: { id: string }, epoch = 1, about = 'Letter 1') => ({ accountId, about, id, epoch })
const expire = () => office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE state = 'open'`)
const statesOf = (claim: TaskClaim) => (claim.isGranted ? [] : claim.by.map(({ about, state }) => [about, state]))

describe('of several who want it at once', () => {
  test('one has it, and the others hear who does, and since when', async () => {
    const claims = await Promise.all(desks.map((one) => one.claim('action', wanted())))
    expect(claims.map(({ isGranted }) => isGranted).sort()).toEqual([false, false, true])
    const holder = NAMES[claims.findIndex(({ isGranted }) => isGranted)]
    const refused = claims.flatMap((claim) => (claim.isGranted ? [] : claim.by))
    expect(refused.map((one) => [one.holder, one.state])).toEqual([
      [holder, 'open'],
      [holder, 'open']
    ])
    expect(refused.every(({ ago }) => ago >= 0 && ago < 60_000)).toBe(true)
  })

  test('all of what is wanted together is taken or none, in whichever order it is named', async () => {
    const claims = await Promise.all([
      desk(0).claim('turn', wanted(['one', 'two', 'three'])),
      desk(1).claim('turn', wanted(['three', 'two', 'four']))
    ])
    expect(claims.map(({ isGranted }) => isGranted).sort()).toEqual([false, true])
    expect(await desk(2).claim('turn', wanted([claims[0]?.isGranted ? 'four' : 'one']))).toMatchObject({
      isGranted: true
    })
  })

  test('who has it goes on with it, by the same id alone', async () => {
    const mine = wanted()
    const epochs = async (kind: 'action' | 'turn') => await desk(0).claim(kind, mine)
    expect(await epochs('turn')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 1]]) })
    expect(await epochs('turn')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 1]]) })
    expect(await epochs('action')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 1]]) })
    expect(await epochs('action')).toMatchObject({ isGranted: true, epochs: new Map([['Letter 1', 2]]) })
    expect(await desk(0).claim('action', wanted())).toMatchObject({ isGranted: false })
  })

  test('rings as it begins and ends, not as it goes on', async () => {
    const mine = wanted(['one'])
    const rung: (string | undefined)[] = []
    const { place } = await office.join(randomUUID())
    await withConnection(place, async (bell) => {
      bell.on('notification', ({ payload }) => rung.push(payload))
      await bell.query('LISTEN countersign_tasks')
      for (let count = 0; count < 3; count++) await desk(0).claim('turn', mine)
      await desk(0).finish('turn', taskOf(mine, 1, 'one'), 'free')
      // Earlier notifications arrive before the answer.
      await bell.query('SELECT 1')
    })
    expect(rung).toEqual([accountId, accountId])
  })
})

describe('an action', () => {
  test('whose holder is gone is in doubt: only what is known of it frees it, or a person who does it once more', async () => {
    const mine = wanted(['Letter 1'], { content: { request: 'extend' } })
    await desk(0).claim('action', mine)
    await expire()
    const refused = await desk(1).claim('action', wanted())
    expect(refused).toMatchObject({
      isGranted: false,
      by: [{ id: mine.id, epoch: 1, state: 'uncertain', holder: 'Counter 1', content: { request: 'extend' } }]
    })
    expect(await desk(1).finish('action', taskOf(mine, 2), 'free')).toMatchObject({ state: 'uncertain' })
    expect(await desk(1).claim('action', { ...mine, isAgain: true })).toMatchObject({ isGranted: true })
    // Reports of the first time no longer decide anything, except that it was done.
    await expect(desk(0).finish('action', taskOf(mine), 'free')).rejects.toMatchObject({ code: '42501' })
    expect(await desk(1).finish('action', taskOf(mine, 2), 'uncertain')).toMatchObject({ state: 'uncertain' })
    expect(await desk(2).finish('action', taskOf(mine), 'free')).toMatchObject({ state: 'uncertain' })
    expect(await desk(0).finish('action', taskOf(mine), 'done')).toMatchObject({ state: 'done' })
    expect(await desk(1).finish('action', taskOf(mine, 2), 'free')).toMatchObject({ state: 'done' })
  })

  test('isn’t ended by what comes late of a claim before, and says by which claim it can be', async () => {
    const mine = wanted()
    for (let count = 0; count < 2; count++) await desk(0).claim('action', mine)
    expect(await desk(0).finish('action', taskOf(mine, 1), 'free')).toEqual({ state: 'open', epoch: 2, isMine: true })
    expect(statesOf(await desk(1).claim('action', wanted()))).toEqual([['Letter 1', 'open']])
    expect(await desk(0).finish('action', taskOf(mine, 2), 'free')).toMatchObject({ state: 'free' })
  })

  test('that ended a while ago says so, and is news to the others all the same', async () => {
    const mine = wanted()
    await desk(0).claim('action', mine)
    await desk(0).finish('action', taskOf(mine), 'done', { ago: 8 * 3_600_000 })
    const refused = await desk(1).claim('action', wanted())
    expect(statesOf(refused)).toEqual([['Letter 1', 'done']])
    expect(refused.isGranted || Math.round((refused.by[0]?.ago ?? 0) / 3_600_000)).toBe(8)
  })

  test('a mutant that frees what has run out has another do it, too', async () => {
    await desk(0).claim('action', wanted())
    await expire()
    await office.mutated('expire_tasks', `THEN 'uncertain'`, `THEN 'free'`, async () => {
      expect(await desk(1).claim('action', wanted())).toMatchObject({ isGranted: true })
    })
  })

  test('that anyone found not to have been done is free', async () => {
    const mine = wanted()
    await desk(0).claim('action', mine)
    await desk(0).finish('action', taskOf(mine), 'uncertain')
    expect(statesOf(await desk(1).claim('action', wanted()))).toEqual([['Letter 1', 'uncertain']])
    expect(await desk(1).finish('action', taskOf(mine), 'free')).toMatchObject({ state: 'free' })
    expect(await desk(2).claim('action', wanted())).toMatchObject({ isGranted: true })
    expect(await desk(0).finish('action', taskOf(mine), 'uncertain')).toBeUndefined()
  })

  test('that another has just done isn’t done again by one who couldn’t know, and is by one who was told', async () => {
    const mine = wanted()
    await desk(0).claim('action', mine)
    await desk(0).finish('action', taskOf(mine), 'done')
    expect(statesOf(await desk(1).claim('action', wanted()))).toEqual([['Letter 1', 'done']])
    expect(statesOf(await desk(0).claim('action', mine))).toEqual([['Letter 1', 'done']])
    await office.sql(`UPDATE office.task SET reported_at = now() - interval '1 hour'`)
    const waited = wanted(['Letter 1'], { askedAgo: 2 * 3_600_000 })
    expect(statesOf(await desk(1).claim('action', waited))).toEqual([['Letter 1', 'done']])
    expect(await desk(1).claim('action', { ...waited, known: 1 })).toMatchObject({ isGranted: true })
    await desk(1).finish('action', taskOf(waited, 2), 'done')
    await office.sql(`UPDATE office.task SET reported_at = now() - interval '1 hour'`)
    expect(await desk(2).claim('action', wanted())).toMatchObject({ isGranted: true })
  })

  test('is in doubt on a server that was put back, which also hears what it has lost', async () => {
    const [mine, lost] = [wanted(), wanted(['Letter 2'])]
    await desk(0).claim('action', mine)
    await office.sql('UPDATE office.office SET life = life + 1000')
    expect(statesOf(await desk(1).claim('action', wanted()))).toEqual([['Letter 1', 'uncertain']])
    expect(
      await desk(0).finish('action', taskOf(lost, 3, 'Letter 2'), 'uncertain', { content: { request: 'remind' } })
    ).toMatchObject({
      state: 'uncertain',
      epoch: 3
    })
    expect(await desk(1).claim('action', wanted(['Letter 2']))).toMatchObject({
      by: [{ state: 'uncertain', epoch: 3, content: { request: 'remind' } }]
    })
  })
})

describe('a turn', () => {
  test('is free once it ends, or its holder is gone; who begins another session has it still', async () => {
    const mine = wanted(['one', 'two'])
    await desk(0).claim('turn', mine)
    expect((await desk(1).ofOthers('turn', accountId)).of('one')).toMatchObject({ holder: 'Counter 1' })
    expect((await desk(0).ofOthers('turn', accountId)).of('one')).toBeUndefined()
    await desk(0).finish('turn', taskOf(mine, 1, 'one'), 'free')
    expect(await desk(1).claim('turn', wanted(['one']))).toMatchObject({ isGranted: true })
    expect(await desk(0).claim('turn', wanted(['two']))).toMatchObject({ isGranted: true })
    await expire()
    expect((await desk(1).ofOthers('turn', accountId)).of('two')).toBeUndefined()
    expect(await desk(1).claim('turn', wanted(['two']))).toMatchObject({ isGranted: true })
  })
})

describe('the server', () => {
  test('refuses an end of what another has, and claims while nobody has noticed that it is a copy', async () => {
    const mine = wanted()
    await desk(0).claim('action', mine)
    for (const state of ['done', 'free', 'uncertain'] as const) {
      await expect(desk(1).finish('action', taskOf(mine), state)).rejects.toMatchObject({ code: '42501' })
    }
    await office.sql(`UPDATE office.office SET server_fingerprint = 'another'`)
    try {
      await expect(desk(1).claim('action', wanted(['Letter 2']))).rejects.toMatchObject({ code: '55000' })
    } finally {
      await office.sql('UPDATE office.office SET server_fingerprint = office.server_fingerprint()')
    }
  })

  test('can read nothing of what it is about, and opens nothing that was altered', async () => {
    await desk(0).claim('action', wanted(['Letter of Mere Tamati'], { content: { name: 'Mere Tamati' } }))
    const kept = JSON.stringify(await office.sql('SELECT * FROM office.task WHERE account = $1', [accountId]))
    expect(kept).not.toMatch(/Mere|Letter/)
    await office.sql('UPDATE office.task SET sealed = set_byte(sealed, 40, 0) WHERE account = $1', [accountId])
    const refused = await desk(1).claim('action', wanted(['Letter of Mere Tamati']))
    expect(refused).toMatchObject({ isGranted: false, by: [{ holder: 'Counter 1' }] })
    expect(refused.isGranted || refused.by[0]).not.toHaveProperty('content')
  })

  test('keeps what it is about sealed only until it is known what became of it', async () => {
    const sealed = () =>
      office.sql('SELECT sealed IS NOT NULL AS "isKept" FROM office.task WHERE account = $1', [accountId])
    const mine = wanted(['Letter 1'], { content: { name: 'Mere Tamati' } })
    await desk(0).claim('action', mine)
    await desk(0).finish('action', taskOf(mine), 'uncertain')
    expect(await sealed()).toEqual([{ isKept: true }])
    await desk(0).finish('action', taskOf(mine), 'done', { content: { name: 'Mere Tamati' } })
    expect(await sealed()).toEqual([{ isKept: false }])
  })

  test('has nobody wait who has what another waits for', async () => {
    const [mine, gone] = [wanted(['one']), wanted(['two'])]
    await desk(0).claim('action', mine)
    await desk(1).claim('action', gone)
    await office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE id = $1`, [gone.id])
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await withConnection(office.administrator, async (other) => {
      await other.query('BEGIN')
      await other.query('SELECT FROM office.task WHERE id = $1 FOR UPDATE', [mine.id])
      const ended = desk(0).finish('action', taskOf(mine, 1, 'one'), 'free')
      await expect.poll(() => office.sql(waits)).toHaveLength(1)
      await other.query('SELECT FROM office.task WHERE id = $1 FOR UPDATE NOWAIT', [gone.id])
      await other.query('ROLLBACK')
      await ended
    })
  })
})
