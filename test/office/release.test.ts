// Packages in an office that a second person has to release: the server lets none be claimed before, whichever
// workstation asks, and a released one is sent once.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { forms } from '../fixtures/compositions.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { OfficeWorkstation, poolAs, twoWorkstations } from '../fixtures/office-workstation.ts'

const BEN = { id: 'ben', name: 'Ben Tui' }
const ANA = { id: 'ana', name: 'Ana Reweti' }
const GRACE = { id: 'grace', name: 'Grace Okafor' }
const LIMITS = { concurrency: 4, perMinute: null }

describe('the server', () => {
  let office: TestOffice
  beforeEach(async () => {
    office = await openTestOffice(inject('cluster'))
  })
  async function open() {
    const pool = await poolAs('Front desk', office)
    const store = openOfficeSends({ pool, key: office.key, time: { elapsed: () => performance.now() } })
    const accountId = await store.account(randomUUID(), LIMITS)
    const id = randomUUID()
    return { store, accountId, id, pool }
  }

  test('allows a package to be claimed only after its release, and once', async () => {
    const { store, accountId, id } = await open()
    await store.requireRelease(id, 'ben')
    await store.put(accountId, id, Buffer.from('it'))
    expect(await store.claim(accountId, 4)).toEqual([])
    expect(await store.release(id, 'ana')).toBe(true)
    expect(await store.claim(accountId, 4)).toMatchObject([{ id }])
    expect(await store.claim(accountId, 4)).toEqual([])
  })

  test('refuses a release by its requester, even if it is requested again in another’s name', async () => {
    const { store, accountId, id } = await open()
    await store.requireRelease(id, 'ben')
    await store.requireRelease(id, 'ana')
    await store.put(accountId, id, Buffer.from('it'))
    expect(await store.release(id, 'ben')).toBe(false)
    expect(await store.claim(accountId, 4)).toEqual([])
  })

  test('accepts one decision on a package, with its content, and none by the requester', async () => {
    const { store, accountId, id } = await open()
    await store.requireRelease(id, 'ben')
    await store.put(accountId, id, Buffer.from('it'))
    const [{ revision } = { revision: 0 }] = await store.changes(accountId, 0, 0)
    const decide = (by: string, isReleased: boolean, later: number) => {
      const content = Buffer.from(`${by}’s`)
      return store.decide(accountId, {
        id,
        content,
        inMs: 0,
        revision: revision + later,
        askedBy: 'ben',
        by,
        isReleased
      })
    }
    const storedChange = async () => {
      const [change] = await store.changes(accountId, 0, 0)
      return `${change?.content?.toString()}, ${change?.revision}`
    }
    expect(await decide('ben', true, 1)).toBe(false)
    // Someone else has changed it since.
    expect(await decide('ana', true, 0)).toBe(false)
    expect(await storedChange()).toBe(`it, ${revision}`)
    expect(await decide('ana', false, 1)).toBe(true)
    expect(await decide('grace', true, 1)).toBe(false)
    expect(await decide('grace', true, 2)).toBe(false)
    expect(await decide('grace', false, 2)).toBe(false)
    expect(await store.release(id, 'grace')).toBe(false)
    expect(await storedChange()).toBe(`ana’s, ${revision + 1}`)
    expect(await store.claim(accountId, 4)).toEqual([])
  })

  test('doesn’t allow a released package to be refused', async () => {
    const { store, accountId, id } = await open()
    await store.requireRelease(id, 'ben')
    await store.put(accountId, id, Buffer.from('it'))
    const of = { id, content: Buffer.from('another'), inMs: 0, revision: 9, askedBy: 'ben', by: 'ana' }
    expect(await store.release(id, 'grace')).toBe(true)
    expect(await store.release(id, 'ana')).toBe(false)
    expect(await store.decide(accountId, { ...of, isReleased: false })).toBe(false)
    expect(await store.claim(accountId, 4)).toMatchObject([{ id, content: Buffer.from('it') }])
    // Nor can a package be decided on that has been sent.
    expect(await store.decide(accountId, { ...of, by: 'grace', isReleased: true })).toBe(false)
  })

  test('lets others be claimed before packages that wait for release, whatever their time', async () => {
    const { store, accountId, id } = await open()
    const claimedIds = Array.from({ length: LIMITS.concurrency }, () => randomUUID())
    for (const one of claimedIds) {
      await store.requireRelease(one, 'ben')
      await store.put(accountId, one, Buffer.from('it'))
    }
    await office.sql("UPDATE office.send SET goes_at = now() - interval '1 h'")
    await store.put(accountId, id, Buffer.from('it'))
    expect(await store.claim(accountId, LIMITS.concurrency)).toMatchObject([{ id }])
  })

  test('lets a package waiting for release be cancelled, even if it may have arrived before a restore', async () => {
    const { store, accountId, id } = await open()
    const other = randomUUID()
    await store.requireRelease(id, 'ben')
    for (const one of [id, other]) await store.put(accountId, one, Buffer.from('it'))
    await office.sql('UPDATE office.send SET may_have_arrived = true')
    expect(await store.withhold(accountId, { id, revision: 2 }, 'cancelled', 1)).toBeGreaterThan(0)
    expect(await store.withhold(accountId, { id: other, revision: 2 }, 'cancelled', 1)).toBeUndefined()
  })

  test('doesn’t let a workstation hold back another’s package', async () => {
    const { store, accountId, id } = await open()
    await store.put(accountId, id, Buffer.from('it'))
    const pool = await poolAs('Back room', office)
    const another = openOfficeSends({ pool, key: office.key, time: { elapsed: () => performance.now() } })
    await another.requireRelease(id, 'ben')
    expect(await store.claim(accountId, 4)).toMatchObject([{ id }])
  })

  test('releases nothing without a request, and doesn’t reveal which requests are by the same person', async () => {
    const { store, id } = await open()
    expect(await store.release(id, 'ana')).toBe(false)
    const other = randomUUID()
    await store.requireRelease(id, 'ben')
    await store.requireRelease(other, 'ben')
    const rows = await office.sql<{ asked_by: Buffer }>('SELECT asked_by FROM office.release')
    expect(new Set(rows.map(({ asked_by }) => asked_by.toString('hex'))).size).toBe(2)
  })

  test('lets workstations only request and grant releases', async () => {
    const { pool } = await open()
    await expect(pool.query('DELETE FROM office.release')).rejects.toMatchObject({ code: '42501' })
    await expect(pool.query('UPDATE office.release SET released_by = asked_by')).rejects.toMatchObject({
      code: '42501'
    })
  })
})

describe('two workstations', () => {
  const all = { show: 'all', offset: 0, limit: 50 } as const
  const two = twoWorkstations(OfficeWorkstation)
  const { at, workstations, joinBoth } = two
  const rowAt = (index: number, id: string) =>
    at(index)
      .work.parts.outbox.list([at(index).work.accountId], all)
      .rows.find((row) => row.id === id)
  const arrived = () => at(0).work.receivedRequests('SendForms2').length
  /** Lets time pass until the package is shown as wanted. */
  const becomes = (index: number, id: string, expected: object | undefined) =>
    expect
      .poll(
        async () => {
          for (const { work } of workstations) {
            await work.parts.outbox.shared.syncNow(work.accountId)
            await work.time.pass(5_000)
          }
          return { row: rowAt(index, id) }
        },
        { timeout: 60_000, interval: 20 }
      )
      .toMatchObject({ row: expected })

  beforeEach(async () => {
    await joinBoth()
    at(0).work.staff.above = 0
    at(0).work.staff.who = BEN
    at(1).work.staff.who = ANA
  })
  const start = () => at(0).work.parts.outbox.enqueue(at(0).work.parts.drafts.save(at(0).work.accountId, forms()).id).id

  test('show what waits for release, and send a released package once', async () => {
    const id = start()
    await becomes(1, id, { state: 'ready', hold: 'release', release: { by: 'Ben Tui' }, workstation: 'Front desk' })
    expect(arrived()).toBe(0)
    await at(1).work.parts.outbox.release(id)
    const sent = { state: 'sent', release: { by: 'Ben Tui', released: 'Ana Reweti' } }
    await becomes(0, id, sent)
    await becomes(1, id, sent)
    expect(arrived()).toBe(1)
  })

  test('show the sender why a package was refused, and let it be undone', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    await at(1).work.parts.outbox.refuse(id, 'Wrong address.')
    await becomes(0, id, { hold: 'release', release: { refused: { by: 'Ana Reweti', reason: 'Wrong address.' } } })
    const { outbox } = at(0).work.parts
    await outbox.shared.withholdForUndo(outbox.get(id))
    outbox.undo(id)
    await becomes(1, id, undefined)
    expect(arrived()).toBe(0)
  })

  test.each([
    ['the refusal', 0, 1],
    ['the release', 1, 0]
  ])('that decide at the same time make one decision, and agree in the end: first %s', async (_first, ...order) => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    at(0).work.staff.who = GRACE
    const outboxes = workstations.map(({ work }) => work.parts.outbox)
    const decisions = [
      () => outboxes[1]?.refuse(id, 'Wrong address.') ?? expect.fail(),
      () => outboxes[0]?.release(id) ?? expect.fail()
    ]
    // Neither knows of the other's decision.
    const ends = await Promise.allSettled(order.map((index) => decisions[index]?.()))
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { appError: { code: 'busy' } } })
    const won = order[ends.findIndex(({ status }) => status === 'fulfilled')]
    const expected =
      won === 0
        ? { state: 'ready', hold: 'release', release: { refused: { by: 'Ana Reweti', reason: 'Wrong address.' } } }
        : { state: 'sent', release: { by: 'Ben Tui', released: 'Grace Okafor' } }
    for (const index of [0, 1]) await becomes(index, id, expected)
    expect(arrived()).toBe(won === 0 ? 0 : 1)
  })

  test('report that they can’t decide while the server is unreachable, and decide nothing', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    at(1).disconnect()
    const { outbox } = at(1).work.parts
    await expect(outbox.refuse(id, 'Wrong address.')).rejects.toMatchObject({ appError: { code: 'offline' } })
    await expect(outbox.release(id)).rejects.toMatchObject({ appError: { code: 'offline' } })
    expect(outbox.get(id)).toMatchObject({ state: 'ready', hold: 'release' })
    expect(outbox.get(id).release).toEqual({ by: 'Ben Tui' })
    at(0).work.staff.who = GRACE
    await at(0).work.parts.outbox.release(id)
    await at(1).reconnect()
    await becomes(1, id, { state: 'sent', release: { released: 'Grace Okafor' } })
    expect(arrived()).toBe(1)
  })

  test('let a refusal win over a release that wasn’t synced yet', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    at(0).disconnect()
    // As for a batch, which is released as a whole.
    at(0)
      .work.parts.db.prepare(
        "UPDATE sends SET release = json_set(release, '$.released', json(?)), goes_at = 0 WHERE id = ?"
      )
      .run(JSON.stringify(GRACE), id)
    await at(1).work.parts.outbox.refuse(id, 'Wrong address.')
    await at(0).reconnect()
    const refused = { hold: 'release', release: { refused: { by: 'Ana Reweti', reason: 'Wrong address.' } } }
    for (const index of [0, 1]) await becomes(index, id, refused)
    expect(rowAt(0, id)?.release).not.toHaveProperty('released')
    expect(arrived()).toBe(0)
  })

  test('don’t send an unreleased package whose time was changed on the server', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    await two.office.sql("UPDATE office.send SET goes_at = now() - interval '1 min' WHERE id = $1", [id])
    for (let round = 0; round < 5; round++) {
      for (const { work } of workstations) {
        await work.parts.outbox.shared.syncNow(work.accountId)
        await work.time.pass(5_000)
      }
    }
    expect(await two.office.sql('SELECT state, epoch FROM office.send WHERE id = $1', [id])).toEqual([
      { state: 'ready', epoch: 0 }
    ])
    expect(arrived()).toBe(0)
  })

  test('don’t send an unreleased package, even if the server has lost the requirement', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    await two.office.sql('DELETE FROM office.release')
    await two.office.sql("UPDATE office.send SET goes_at = now() - interval '1 min' WHERE id = $1", [id])
    // Another package that is due makes both of them claim.
    at(0).work.staff.above = 100
    const other = start()
    at(0).work.parts.outbox.sendNow(other)
    await becomes(0, id, { state: 'refused', error: { code: 'not-allowed' } })
    await becomes(0, other, { state: 'sent' })
    expect(arrived()).toBe(1)
  })
})
