import { expect, test } from 'vitest'
import { awayView, openPresence } from '../../../src/main/core/notifications/presence.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { database, HOUR, MINUTE, scriptedWorker, TEN } from './office.ts'

function openOffice() {
  const time = testTime(TEN)
  const db = database()
  const worker = scriptedWorker(time.clock)
  let end = () => {}
  const self = {
    time,
    worker,
    changed: 0,
    accounts: ['office'],
    /** Starts the application again; the previous run ends as a crash does. */
    starts() {
      end()
      const run = time.run()
      end = run.end
      return openPresence({
        db,
        accountIds: () => self.accounts,
        time: run,
        changed: () => void self.changed++,
        onError: (error) => {
          throw error
        }
      })
    },
    away: (presence: ReturnType<typeof openPresence>) => awayView(worker.ask, 'office', presence.awayOf('office'))
  }
  return self
}

test('at the first start there is nothing to catch up on', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  office.worker.happens()
  expect(await office.away(presence)).toEqual({ total: 0, byKind: {}, changes: [] })
})

test('someone who returns sees what happened while they were away, until they mark it as seen', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  office.worker.happens({ documentName: 'Before' })
  await office.time.pass(10 * MINUTE)
  presence.departed()
  const left = office.time.now
  await office.time.pass(HOUR)
  office.worker.happens({ documentName: 'Will', kind: 'signed' })
  office.worker.happens({ isOwn: true })
  office.worker.happens({ documentName: 'Deed', kind: 'declined' })
  office.worker.happens({ documentName: 'Another’s', accountId: 'second' })
  await office.time.pass(HOUR)
  presence.arrived()
  const view = await office.away(presence)
  expect(view).toMatchObject({ total: 2, byKind: { signed: 1, declined: 1 } })
  expect(view.changes.map(({ documentName }) => documentName)).toEqual(['Deed', 'Will'])
  expect(Math.abs((view.since ?? 0) - left)).toBeLessThan(1000)
  expect(office.changed).toBe(1)

  // What happens while they work isn't included.
  await office.time.pass(5 * MINUTE)
  office.worker.happens()
  expect(await office.away(presence)).toMatchObject({ total: 2 })
  presence.markSeen('office')
  expect(office.changed).toBe(2)
  expect(await office.away(presence)).toEqual({ total: 0, byKind: {}, changes: [] })
})

test('changes read right after their return count as having happened while away', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  presence.departed()
  await office.time.pass(HOUR)
  presence.arrived()
  await office.time.pass(MINUTE)
  office.worker.happens()
  expect(await office.away(presence)).toMatchObject({ total: 1 })
})

test('a short absence doesn’t count', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  await office.time.pass(MINUTE)
  presence.departed()
  await office.time.pass(20 * MINUTE)
  office.worker.happens()
  presence.arrived()
  expect(await office.away(presence)).toMatchObject({ total: 0 })
})

test('hours of uninterrupted work don’t count as away', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  await office.time.pass(5 * HOUR)
  office.worker.happens()
  expect(office.changed).toBe(0)
  expect(await office.away(presence)).toMatchObject({ total: 0 })
})

test('the time that the computer slept counts as away', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  await office.time.pass(5 * MINUTE)
  office.time.now += 8 * HOUR
  await office.time.pass(MINUTE)
  office.worker.happens()
  expect(await office.away(presence)).toMatchObject({ total: 1 })
})

test('a new start counts as away from the last minute of the previous run, even after a crash', async () => {
  const office = openOffice()
  office.starts().arrived()
  await office.time.pass(10 * MINUTE)
  office.worker.happens()
  await office.time.pass(5_000)
  const presence = office.starts()
  presence.arrived()
  expect((await office.away(presence)).total).toBe(1)
})

test('an absence that wasn’t seen is merged with the next', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  presence.departed()
  await office.time.pass(HOUR)
  office.worker.happens()
  presence.arrived()
  presence.departed()
  await office.time.pass(HOUR)
  office.worker.happens()
  presence.arrived()
  expect(await office.away(presence)).toMatchObject({ total: 2 })
})

test('each account is caught up on separately', async () => {
  const office = openOffice()
  office.accounts.push('second')
  const presence = office.starts()
  presence.arrived()
  presence.departed()
  await office.time.pass(HOUR)
  office.worker.happens()
  presence.arrived()
  presence.markSeen('second')
  expect(presence.awayOf('second')).toBeUndefined()
  expect(await office.away(presence)).toMatchObject({ total: 1 })
})

test('of 2,300 changes the newest hundred are listed, and all are counted', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  presence.departed()
  await office.time.pass(HOUR)
  for (let one = 0; one < 2300; one++) office.worker.happens({ kind: one < 300 ? 'signed' : 'moved' })
  presence.arrived()
  const view = await office.away(presence)
  expect(view).toMatchObject({ total: 2300, byKind: { signed: 300, moved: 2000 } })
  expect(view.changes.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => 2300 - index))
})

test('a clock set back causes no absence that ends before it started', async () => {
  const office = openOffice()
  const presence = office.starts()
  presence.arrived()
  presence.departed()
  office.time.now -= 5 * HOUR
  const restarted = office.starts()
  restarted.arrived()
  const away = restarted.awayOf('office')
  expect(away?.since).toBeLessThanOrEqual(away?.until ?? 0)
})
