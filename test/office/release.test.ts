// Packages that a second person has to release, in an office: the server lets none be claimed before, whichever workstation asks, and one that
// is released leaves once.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { forms } from '../fixtures/compositions.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { OfficeStation, poolAs, twoStations } from '../fixtures/office-station.ts'

const BEN = { id: 'ben', name: 'Ben Tui' }
const ANA = { id: 'ana', name: 'Ana Reweti' }
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

  test('lets nobody claim what waits for a release, and it once after that', async () => {
    const { store, accountId, id } = await open()
    await store.askRelease(id, 'ben')
    await store.put(accountId, id, Buffer.from('it'))
    expect(await store.claim(accountId, 4)).toEqual([])
    expect(await store.release(id, 'ana')).toBe(true)
    expect(await store.claim(accountId, 4)).toMatchObject([{ id }])
    expect(await store.claim(accountId, 4)).toEqual([])
  })

  test('takes no release by who asked for it, also where they ask again as someone else', async () => {
    const { store, accountId, id } = await open()
    await store.askRelease(id, 'ben')
    await store.askRelease(id, 'ana')
    await store.put(accountId, id, Buffer.from('it'))
    expect(await store.release(id, 'ben')).toBe(false)
    expect(await store.claim(accountId, 4)).toEqual([])
  })

  test('has one that waits take no other’s place, whatever its time', async () => {
    const { store, accountId, id } = await open()
    const held = Array.from({ length: LIMITS.concurrency }, () => randomUUID())
    for (const one of held) {
      await store.askRelease(one, 'ben')
      await store.put(accountId, one, Buffer.from('it'))
    }
    await office.sql("UPDATE office.send SET goes_at = now() - interval '1 h'")
    await store.put(accountId, id, Buffer.from('it'))
    expect(await store.claim(accountId, LIMITS.concurrency)).toMatchObject([{ id }])
  })

  test('gives back one that waits, though it was in doubt since a backup was put in its place', async () => {
    const { store, accountId, id } = await open()
    const other = randomUUID()
    await store.askRelease(id, 'ben')
    for (const one of [id, other]) await store.put(accountId, one, Buffer.from('it'))
    await office.sql('UPDATE office.send SET is_in_doubt = true')
    expect(await store.withhold(accountId, { id, round: 2 }, 'cancelled')).toBe(true)
    expect(await store.withhold(accountId, { id: other, round: 2 }, 'cancelled')).toBe(false)
  })

  test('lets nobody hold back what another workstation put in', async () => {
    const { store, accountId, id } = await open()
    await store.put(accountId, id, Buffer.from('it'))
    const pool = await poolAs('Back room', office)
    const another = openOfficeSends({ pool, key: office.key, time: { elapsed: () => performance.now() } })
    await another.askRelease(id, 'ben')
    expect(await store.claim(accountId, 4)).toMatchObject([{ id }])
  })

  test('releases nothing that nobody asked a release for, and says which is which of nobody', async () => {
    const { store, id } = await open()
    expect(await store.release(id, 'ana')).toBe(false)
    const other = randomUUID()
    await store.askRelease(id, 'ben')
    await store.askRelease(other, 'ben')
    const rows = await office.sql<{ asked_by: Buffer }>('SELECT asked_by FROM office.release')
    expect(new Set(rows.map(({ asked_by }) => asked_by.toString('hex'))).size).toBe(2)
  })

  test('lets workstations do no more than ask and release', async () => {
    const { pool } = await open()
    await expect(pool.query('DELETE FROM office.release')).rejects.toMatchObject({ code: '42501' })
    await expect(pool.query('UPDATE office.release SET released_by = asked_by')).rejects.toMatchObject({
      code: '42501'
    })
  })
})

describe('two workstations', () => {
  const all = { show: 'all', offset: 0, limit: 50 } as const
  const two = twoStations(OfficeStation)
  const { at, desks, joined } = two
  const rowAt = (index: number, id: string) =>
    at(index)
      .work.parts.outbox.list([at(index).work.accountId], all)
      .rows.find((row) => row.id === id)
  const arrived = () => at(0).work.taken('SendForms2').length
  /** Until it is so, as time goes on. */
  const becomes = (index: number, id: string, wanted: object | undefined) =>
    expect
      .poll(
        async () => {
          for (const { work } of desks) {
            await work.parts.outbox.shared.settled(work.accountId)
            await work.time.pass(5_000)
          }
          return { row: rowAt(index, id) }
        },
        { timeout: 60_000, interval: 20 }
      )
      .toMatchObject({ row: wanted })

  beforeEach(async () => {
    await joined()
    at(0).work.staff.above = 0
    at(0).work.staff.who = BEN
    at(1).work.staff.who = ANA
  })
  const start = () => at(0).work.parts.outbox.start(at(0).work.parts.drafts.save(at(0).work.accountId, forms()).id).id

  test('show what waits, and what one releases leaves once', async () => {
    const id = start()
    await becomes(1, id, { state: 'ready', hold: 'release', release: { by: 'Ben Tui' }, desk: 'Front desk' })
    expect(arrived()).toBe(0)
    at(1).work.parts.outbox.release(id)
    const sent = { state: 'sent', release: { by: 'Ben Tui', released: 'Ana Reweti' } }
    await becomes(0, id, sent)
    await becomes(1, id, sent)
    expect(arrived()).toBe(1)
  })

  test('tell the sender why one was refused, who takes it back', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    at(1).work.parts.outbox.refuse(id, 'Wrong address.')
    await becomes(0, id, { hold: 'release', release: { refused: { by: 'Ana Reweti', reason: 'Wrong address.' } } })
    const { outbox } = at(0).work.parts
    await outbox.shared.keepBack(outbox.get(id))
    outbox.undo(id)
    await becomes(1, id, undefined)
    expect(arrived()).toBe(0)
  })

  test('don’t let it leave by a workstation that gives it another time', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    await two.office.sql("UPDATE office.send SET goes_at = now() - interval '1 min' WHERE id = $1", [id])
    for (let round = 0; round < 5; round++) {
      for (const { work } of desks) {
        await work.parts.outbox.shared.settled(work.accountId)
        await work.time.pass(5_000)
      }
    }
    expect(await two.office.sql('SELECT state, epoch FROM office.send WHERE id = $1', [id])).toEqual([
      { state: 'ready', epoch: 0 }
    ])
    expect(arrived()).toBe(0)
  })

  test('send none that says itself that nobody released it, whatever the server says', async () => {
    const id = start()
    await becomes(1, id, { hold: 'release' })
    await two.office.sql('DELETE FROM office.release')
    await two.office.sql("UPDATE office.send SET goes_at = now() - interval '1 min' WHERE id = $1", [id])
    // Another that is due has each of them ask what there is.
    at(0).work.staff.above = 100
    const other = start()
    await becomes(0, id, { state: 'refused', error: { code: 'not-allowed' } })
    await becomes(0, other, { state: 'sent' })
    expect(arrived()).toBe(1)
  })
})
