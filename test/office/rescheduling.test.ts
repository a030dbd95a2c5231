// Changing when a scheduled package of an office is sent: the server accepts it only while nobody has claimed the package,
// every workstation shows the same time, and the package is sent once.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import type { OfficeStore } from '../../src/main/core/office/send-store.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { forms } from '../fixtures/compositions.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { OfficeWorkstation, poolAs, twoWorkstations } from '../fixtures/office-workstation.ts'

const HOUR = 3_600_000
const refusal = (code: string, message: unknown = expect.any(String)) =>
  expect.objectContaining({ appError: expect.objectContaining({ code, message }) })

/** The store of sends of one workstation. */
const storeOf = async (office: TestOffice, name: string) =>
  openOfficeSends({ pool: await poolAs(name, office), key: office.key, time: { elapsed: () => performance.now() } })

describe('the server', () => {
  test('either lets a package be claimed or accepts its new time, however close together both are asked', async () => {
    const office = await openTestOffice(inject('cluster'))
    const [one, other] = [await storeOf(office, 'Front desk'), await storeOf(office, 'Counter 2')]
    const accountId = await one.account(randomUUID(), { concurrency: 100, perMinute: null })
    const ids = Array.from({ length: 40 }, () => randomUUID())
    const push = (id: string, inMs: number, revision: number) =>
      one.push(accountId, { id, content: Buffer.from(`in ${inMs}`), inMs, revision, mayHaveArrived: false })
    for (const id of ids) await push(id, 0, 1)
    const [claims, ...pushed] = await Promise.all([
      Promise.all(ids.map(() => other.claim(accountId, 1))),
      ...ids.map((id) => push(id, HOUR, 2))
    ])
    const claimed = new Set(claims.flat().map(({ id }) => id))
    expect(claimed.size).toBe(claims.flat().length)
    for (const [index, id] of ids.entries()) {
      expect(pushed[index]?.state, id).toBe(claimed.has(id) ? 'sending' : 'ready')
    }
    // What was claimed leaves with the content that was claimed, and what was postponed isn't due.
    for (const { content } of claims.flat()) expect(content.toString()).toBe('in 0')
    expect(await other.claim(accountId, 100)).toEqual([])
  })

  test('accepts nothing of an earlier state once a package was withheld', async () => {
    const office = await openTestOffice(inject('cluster'))
    const store = await storeOf(office, 'Front desk')
    const accountId = await store.account(randomUUID(), { concurrency: 1, perMinute: null })
    const id = randomUUID()
    const push = (revision: number) =>
      store.push(accountId, { id, content: Buffer.from('it'), inMs: HOUR, revision, mayHaveArrived: false })
    await push(1)
    await push(2)
    const { life } = await store.outbox(accountId)
    // The second request is a repetition after a lost answer.
    for (let count = 0; count < 2; count++)
      expect(await store.withhold(accountId, { id, revision: 2 }, 'held', life)).toBeGreaterThan(0)
    expect(await push(3)).toEqual({ state: 'held', revision: 3 })
    expect(await push(4)).toEqual({ state: 'ready', revision: 4 })
  })

  test('takes over a time that it lost, unless it has a later one or the package was sent, and says so', async () => {
    const office = await openTestOffice(inject('cluster'))
    const store = await storeOf(office, 'Front desk')
    const accountId = await store.account(randomUUID(), { concurrency: 1, perMinute: null })
    const id = randomUUID()
    await store.push(accountId, { id, content: Buffer.from('it'), inMs: HOUR, revision: 1, mayHaveArrived: false })
    const reportTime = (revision: number) =>
      store.reportTime(accountId, { id, content: Buffer.from('later'), inMs: 2 * HOUR, revision })
    expect(await reportTime(1)).toBe(false)
    expect(await reportTime(3)).toBe(true)
    expect(await reportTime(2)).toBe(false)
    await store.reportSent(accountId, { id, epoch: 0 }, {}, undefined)
    expect(await reportTime(4)).toBe(false)
    expect(await store.changes(accountId, 0, 0)).toMatchObject([{ state: 'sent', revision: 3 }])
  })
  test('takes over that a package was taken back before a restore, though others changed its time since', async () => {
    const office = await openTestOffice(inject('cluster'))
    const store = await storeOf(office, 'Front desk')
    const accountId = await store.account(randomUUID(), { concurrency: 1, perMinute: null })
    const content = Buffer.from('it')
    const [lost, early, later] = [randomUUID(), randomUUID(), randomUUID()]
    const push = (id: string, revision: number) =>
      store.push(accountId, { id, content, inMs: HOUR, revision, mayHaveArrived: false })
    for (const id of [lost, early]) await push(id, 1)
    await store.startNewLife((await store.outbox(accountId)).life)
    await office.sql(`UPDATE office.send SET state = 'ready'`)
    await push(later, 1)
    for (const id of [lost, early, later])
      for (const revision of [2, 3])
        expect(await store.reschedule(accountId, { id, content, inMs: 2 * HOUR, revision })).toBe(true)
    const report = (id: string, revision: number) => store.reportConcluded(accountId, { id, revision }, 'cancelled')
    expect(await report(lost, 2)).toBe(true)
    // The server had that when it was restored, or never lost it.
    expect(await report(early, 1)).toBe(false)
    expect(await report(later, 2)).toBe(false)
    // A time that was chosen without hearing of it changes nothing.
    expect(await store.reschedule(accountId, { id: lost, content, inMs: HOUR, revision: 4 })).toBe(false)
    const changes = await store.changes(accountId, 0, 0)
    expect(new Map(changes.map(({ id, state, revision }) => [id, { state, revision }]))).toEqual(
      new Map([
        [early, { state: 'ready', revision: 3 }],
        [later, { state: 'ready', revision: 3 }],
        [lost, { state: 'cancelled', revision: 4 }]
      ])
    )
  })
})

describe('two workstations', () => {
  const two = twoWorkstations(OfficeWorkstation)
  const { at, workstations, joinBoth, whenSynced } = two
  const outboxAt = (index: number) => at(index).work.parts.outbox
  const arrived = () => at(0).work.receivedRequests('SendForms2').length
  /** Lets time pass until the package is shown as wanted. */
  const becomes = (index: number, id: string, wanted: object) =>
    expect
      .poll(
        async () => {
          for (const { work } of workstations) {
            await work.parts.outbox.shared.syncNow(work.accountId)
            await work.time.pass(5_000)
          }
          return outboxAt(index).find(id)
        },
        { timeout: 60_000, interval: 20 }
      )
      .toMatchObject(wanted)
  const makeDue = (id: string) =>
    two.office.sql("UPDATE office.send SET goes_at = now() - interval '1 min' WHERE id = $1", [id])

  let id = ''
  let scheduled = 0
  beforeEach(async () => {
    await joinBoth()
    const { work } = at(0)
    scheduled = Math.ceil(work.time.now / 60_000) * 60_000 + HOUR
    id = outboxAt(0).enqueue(work.parts.drafts.save(work.accountId, forms()).id, { at: scheduled }).id
    await whenSynced()
    expect(outboxAt(1).get(id)).toMatchObject({ state: 'ready', hold: 'time' })
  })

  test.each([
    ['its own', 0],
    ['the other', 1]
  ])('show a time that %s workstation changed, and send the package once', async (_whose, from) => {
    const later = scheduled + HOUR
    expect(await outboxAt(from).reschedule(id, later)).toMatchObject({ state: 'ready', hold: 'time', goesAt: later })
    await whenSynced()
    for (const index of [0, 1]) {
      expect(Math.abs((outboxAt(index).get(id).goesAt ?? 0) - later)).toBeLessThan(30_000)
    }
    const [row] = await two.office.sql<{ hours: number }>(
      'SELECT round(extract(epoch FROM goes_at - now()) / 3600)::integer AS hours FROM office.send WHERE id = $1',
      [id]
    )
    expect(row?.hours).toBe(2)
    await makeDue(id)
    await outboxAt(0).reschedule(id, scheduled)
    await makeDue(id)
    for (const { work } of workstations) await work.time.pass(2 * HOUR)
    for (const index of [0, 1]) await becomes(index, id, { state: 'sent' })
    expect(arrived()).toBe(1)
  })

  test('that change it at the same time agree on one of the two times in the end', async () => {
    const times = [scheduled + HOUR, scheduled + 2 * HOUR]
    const results = await Promise.allSettled(times.map((time, index) => outboxAt(index).reschedule(id, time)))
    await whenSynced()
    const [shown = -1, shownThere] = [0, 1].map((index) => {
      const { goesAt = 0 } = outboxAt(index).get(id)
      return times.findIndex((time) => Math.abs(goesAt - time) < 30_000)
    })
    expect(shown).not.toBe(-1)
    expect(shownThere).toBe(shown)
    expect(results[shown]?.status).toBe('fulfilled')
    // The earlier of two changes in a row was accepted, too.
    const other = results[1 - shown]
    if (other?.status === 'rejected') expect(other.reason).toEqual(refusal('busy'))
  })

  test.each([
    {
      what: 'its time',
      change: async () => void (await outboxAt(0).reschedule(id, scheduled + HOUR)),
      error: refusal('busy', 'This package was changed at another workstation just now.')
    },
    {
      what: 'it back to a draft',
      change: async () => {
        await outboxAt(0).shared.withholdForUndo(outboxAt(0).get(id))
        outboxAt(0).undo(id)
      },
      error: refusal('gone', 'This package is no longer in the Outbox.')
    }
  ])('say so if another one changes $what at that moment', async ({ change, error }) => {
    // Changed between what was read and what is pushed.
    const office = openOfficeSends({
      pool: await poolAs('Counter 2 again', two.office),
      key: two.office.key,
      time: { elapsed: () => performance.now() }
    })
    const changedFirst = {
      ...office,
      async reschedule(...args: Parameters<typeof office.reschedule>) {
        await change()
        return office.reschedule(...args)
      }
    }
    outboxAt(1).shared.connect(changedFirst, 1)
    await outboxAt(1).shared.syncNow(at(1).work.accountId)
    await expect(outboxAt(1).reschedule(id, scheduled + 2 * HOUR)).rejects.toEqual(error)
  })

  const storeAs = async (name: string) =>
    openOfficeSends({
      pool: await poolAs(name, two.office),
      key: two.office.key,
      time: { elapsed: () => performance.now() }
    })
  /** Lets something happen between what the second workstation has read of a package and its new time for it. */
  async function beforeItsNewTime(happen: (third: OfficeStore, officeId: string) => Promise<unknown>): Promise<void> {
    const [office, third] = [await storeAs('Front desk again'), await storeAs('Third')]
    const officeId = outboxAt(0).shared.accounts().get(at(0).work.accountId) ?? ''
    const reschedule: OfficeStore['reschedule'] = async (...asked) => {
      await happen(third, officeId)
      return office.reschedule(...asked)
    }
    outboxAt(1).shared.connect({ ...office, reschedule }, 1)
    await outboxAt(1).shared.syncNow(at(1).work.accountId)
  }
  const inOffice = async () => (await two.office.sql('SELECT state, epoch FROM office.send WHERE id = $1', [id]))[0]

  test('say so if another one changes the time of a package that is sent now at that moment', async () => {
    const later = scheduled + 2 * HOUR
    await beforeItsNewTime(() => outboxAt(0).reschedule(id, later))
    await expect(outboxAt(1).sendNow(id)).rejects.toEqual(
      refusal('busy', 'This package was changed at another workstation just now.')
    )
    await whenSynced()
    for (const index of [0, 1]) {
      expect(outboxAt(index).get(id)).toMatchObject({ state: 'ready', hold: 'time' })
      expect(Math.abs((outboxAt(index).get(id).goesAt ?? 0) - later)).toBeLessThan(30_000)
    }
  })

  test('send a package now that another one scheduled, and refuse another time that is chosen at that moment', async () => {
    await beforeItsNewTime(async () => void (await outboxAt(0).sendNow(id)))
    await expect(outboxAt(1).reschedule(id, scheduled + HOUR)).rejects.toEqual(
      refusal('busy', 'This package is no longer scheduled.')
    )
    for (const index of [0, 1]) await becomes(index, id, { state: 'sent' })
    expect(arrived()).toBe(1)
  })

  test('don’t change a package that another one claims at that moment', async () => {
    await beforeItsNewTime(async (third, officeId) => {
      await makeDue(id)
      expect(await third.claim(officeId, 1)).toMatchObject([{ id }])
    })
    await expect(outboxAt(1).reschedule(id, scheduled + HOUR)).rejects.toEqual(
      refusal('busy', 'This package is no longer scheduled.')
    )
    expect(outboxAt(1).get(id).state).toBe('sending')
    expect(await inOffice()).toEqual({ state: 'sending', epoch: 1 })
  })

  test('don’t bring back a package that is taken out of the Outbox at that moment', async () => {
    await outboxAt(0).reschedule(id, scheduled + HOUR)
    await whenSynced()
    // By a workstation that hasn't read the last change yet.
    await beforeItsNewTime(async (third, officeId) => {
      const { life } = await third.outbox(officeId)
      expect(await third.withhold(officeId, { id, revision: 2 }, 'cancelled', life)).toBeGreaterThan(0)
    })
    await expect(outboxAt(1).reschedule(id, scheduled + 2 * HOUR)).rejects.toThrow()
    expect(await inOffice()).toMatchObject({ state: 'cancelled' })
  })

  test('don’t bring back a package that the service refuses at that moment', async () => {
    await beforeItsNewTime(async (third, officeId) => {
      await makeDue(id)
      const [claim] = await third.claim(officeId, 1)
      if (claim) await third.finish(officeId, claim, 'refused', {})
    })
    await expect(outboxAt(1).reschedule(id, scheduled + HOUR)).rejects.toEqual(refusal('busy'))
    expect(await inOffice()).toEqual({ state: 'refused', epoch: 1 })
  })

  test('know as of which revision they took a package out whose time another changed, for a restored server', async () => {
    // By a workstation whose change hasn't been read yet.
    await two.office.sql('UPDATE office.send SET revision = revision + 1 WHERE id = $1', [id])
    await outboxAt(0).shared.withholdForUndo(outboxAt(0).get(id))
    const [office] = await two.office.sql('SELECT state, revision FROM office.send WHERE id = $1', [id])
    expect(at(0).work.parts.db.prepare('SELECT state, revision FROM office_sends WHERE id = ?').get(id)).toEqual(office)
    expect(office).toMatchObject({ state: 'cancelled' })
  })

  test('don’t push a package again that is taken out of the Outbox if that is read before its answer arrives', async () => {
    const { accountId } = at(0).work
    const office = await storeAs('Front desk again')
    let whileUndoing: unknown
    const withhold: OfficeStore['withhold'] = async (...asked) => {
      const answer = await office.withhold(...asked)
      await outboxAt(0).shared.syncNow(accountId)
      whileUndoing = at(0).work.parts.db.prepare('SELECT state FROM office_sends WHERE id = ?').get(id)
      return answer
    }
    outboxAt(0).shared.connect({ ...office, withhold }, 1)
    await outboxAt(0).shared.syncNow(accountId)
    await outboxAt(0).shared.withholdForUndo(outboxAt(0).get(id))
    outboxAt(0).undo(id)
    await whenSynced()
    expect(whileUndoing).toEqual({ state: 'cancelled' })
    expect(await inOffice()).toMatchObject({ state: 'cancelled' })
    for (const index of [0, 1]) expect(outboxAt(index).find(id)).toBeUndefined()
  })

  test('show the time that another workstation chose while taking a package out of the Outbox failed', async () => {
    const later = scheduled + HOUR
    const office = await storeAs('Counter 2 again')
    const withhold: OfficeStore['withhold'] = async () => {
      await outboxAt(0).reschedule(id, later)
      await outboxAt(1).shared.syncNow(at(1).work.accountId)
      throw new Error('The connection broke.')
    }
    outboxAt(1).shared.connect({ ...office, withhold }, 1)
    await outboxAt(1).shared.syncNow(at(1).work.accountId)
    await expect(outboxAt(1).shared.withholdForUndo(outboxAt(1).get(id))).rejects.toThrow()
    await whenSynced()
    expect(Math.abs((outboxAt(1).get(id).goesAt ?? 0) - later)).toBeLessThan(30_000)
  })

  test('show that time even if more is being read as taking the package out fails', async () => {
    const later = scheduled + HOUR
    const { accountId } = at(1).work
    const office = await storeAs('Counter 2 again')
    const [isReading, hasFailed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let pages = Number.NaN
    const changes: OfficeStore['changes'] = async (...asked) => {
      if (++pages !== 2) return office.changes(...asked)
      const { work } = at(0)
      outboxAt(0).enqueue(work.parts.drafts.save(work.accountId, forms()).id, { at: later })
      await at(0).whenSynced()
      const page = await office.changes(...asked)
      expect(page).toHaveLength(1)
      isReading.resolve()
      await hasFailed.promise
      return page
    }
    let syncing: Promise<void> | undefined
    const withhold: OfficeStore['withhold'] = async () => {
      await outboxAt(0).reschedule(id, later)
      pages = 0
      syncing = outboxAt(1).shared.syncNow(accountId)
      await isReading.promise
      throw new Error('The connection broke.')
    }
    outboxAt(1).shared.connect({ ...office, withhold, changes }, 1)
    await outboxAt(1).shared.syncNow(accountId)
    await expect(outboxAt(1).shared.withholdForUndo(outboxAt(1).get(id))).rejects.toThrow()
    hasFailed.resolve()
    await syncing
    await whenSynced()
    expect(Math.abs((outboxAt(1).get(id).goesAt ?? 0) - later)).toBeLessThan(30_000)
  })

  test('keep an undo window one, if the first answer was lost', async () => {
    const office = await storeAs('Front desk again')
    let isLost = true
    const push: OfficeStore['push'] = async (...asked) => {
      const answer = await office.push(...asked)
      if (!isLost) return answer
      isLost = false
      await outboxAt(1).shared.syncNow(at(1).work.accountId)
      throw new Error('The connection broke.')
    }
    outboxAt(0).shared.connect({ ...office, push }, 1)
    const { work } = at(0)
    work.outbox.configure(work.accountId, { undoSeconds: 30 })
    const sent = outboxAt(0).enqueue(work.parts.drafts.save(work.accountId, forms()).id).id
    await expect
      .poll(async () => {
        await outboxAt(0)
          .shared.syncNow(work.accountId)
          .catch(() => undefined)
        return two.office.sql('SELECT revision FROM office.send WHERE id = $1', [sent])
      })
      .toEqual([{ revision: 2 }])
    await whenSynced()
    expect(isLost).toBe(false)
    for (const index of [0, 1]) expect(outboxAt(index).get(sent)).toMatchObject({ state: 'ready', hold: 'undo' })
  })

  test('say that it worked if the office accepted the new time, however long that took', async () => {
    await beforeItsNewTime(() => at(1).work.time.pass(40_000))
    const later = scheduled + HOUR
    expect(await outboxAt(1).reschedule(id, later)).toMatchObject({ hold: 'time', goesAt: later })
  })

  test('don’t change a package that may have arrived', async () => {
    await two.office.sql(
      "UPDATE office.send SET state = 'uncertain', may_have_arrived = true, uncertain_at = now() WHERE id = $1",
      [id]
    )
    await expect(outboxAt(1).reschedule(id, scheduled + HOUR)).rejects.toEqual(refusal('busy'))
    expect(await two.office.sql('SELECT state FROM office.send WHERE id = $1', [id])).toEqual([{ state: 'uncertain' }])
  })

  test('don’t bring back a package that was taken out of the Outbox', async () => {
    await outboxAt(0).shared.withholdForUndo(outboxAt(0).get(id))
    outboxAt(0).undo(id)
    await expect(outboxAt(1).reschedule(id, scheduled + HOUR)).rejects.toEqual(
      refusal('gone', 'This package is no longer in the Outbox.')
    )
    expect(await two.office.sql('SELECT state FROM office.send WHERE id = $1', [id])).toEqual([{ state: 'cancelled' }])
  })

  test('show a package as sent that another reports while they tell a restored server its time', async () => {
    await outboxAt(0).reschedule(id, scheduled + HOUR)
    await whenSynced()
    for (const workstation of workstations) await workstation.powerOff()
    await two.office.sql('UPDATE office.send SET revision = 1 WHERE id = $1', [id])
    await two.office.sql('SELECT office.begin_life(now())')
    const { work } = at(0)
    work.restart()
    const { shared } = outboxAt(0)
    const officeId = shared.accounts().get(work.accountId) ?? ''
    const [office, third] = [await storeAs('Front desk again'), await storeAs('Third')]
    const reportTime: OfficeStore['reportTime'] = async (...asked) => {
      const answer = { kind: 'accepted', response: { Documents: [] } }
      await third.reportSent(officeId, { id, epoch: 0 }, answer, undefined)
      return office.reportTime(...asked)
    }
    await shared.restored({ ...office, reportTime }, work.time.now)
    shared.connect(office, (await office.outbox(officeId)).life)
    await shared.syncNow(work.accountId)
    expect(outboxAt(0).get(id).state).toBe('sent')
  })

  test('say that they can’t while the server is unreachable, and change nothing', async () => {
    at(1).disconnect()
    await expect(outboxAt(1).reschedule(id, scheduled + HOUR)).rejects.toEqual(refusal('offline'))
    await expect(outboxAt(1).sendNow(id)).rejects.toEqual(refusal('offline'))
    expect(outboxAt(1).get(id).goesAt).toBeLessThan(scheduled + 60_000)
  })
})
