import { expect, test } from 'vitest'
import { awayView, openPresence } from '../../../src/main/core/notifications/presence.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { database, HOUR, MINUTE, scriptedWorker, TEN } from './office.ts'

function person() {
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
  const here = person()
  const presence = here.starts()
  presence.arrived()
  here.worker.happens()
  expect(await here.away(presence)).toEqual({ total: 0, byKind: {}, changes: [] })
})

test('someone who returns sees what happened while they were away, until they mark it as seen', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  here.worker.happens({ documentName: 'Before' })
  await here.time.pass(10 * MINUTE)
  presence.departed()
  const left = here.time.now
  await here.time.pass(HOUR)
  here.worker.happens({ documentName: 'Will', kind: 'signed' })
  here.worker.happens({ isOwn: true })
  here.worker.happens({ documentName: 'Deed', kind: 'declined' })
  here.worker.happens({ documentName: 'Another’s', accountId: 'second' })
  await here.time.pass(HOUR)
  presence.arrived()
  const view = await here.away(presence)
  expect(view).toMatchObject({ total: 2, byKind: { signed: 1, declined: 1 } })
  expect(view.changes.map(({ documentName }) => documentName)).toEqual(['Deed', 'Will'])
  expect(Math.abs((view.since ?? 0) - left)).toBeLessThan(1000)
  expect(here.changed).toBe(1)

  // What happens while they work isn't included.
  await here.time.pass(5 * MINUTE)
  here.worker.happens()
  expect(await here.away(presence)).toMatchObject({ total: 2 })
  presence.markSeen('office')
  expect(here.changed).toBe(2)
  expect(await here.away(presence)).toEqual({ total: 0, byKind: {}, changes: [] })
})

test('changes read right after their return count as having happened while away', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  presence.departed()
  await here.time.pass(HOUR)
  presence.arrived()
  await here.time.pass(MINUTE)
  here.worker.happens()
  expect(await here.away(presence)).toMatchObject({ total: 1 })
})

test('a short absence doesn’t count', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  await here.time.pass(MINUTE)
  presence.departed()
  await here.time.pass(20 * MINUTE)
  here.worker.happens()
  presence.arrived()
  expect(await here.away(presence)).toMatchObject({ total: 0 })
})

test('hours of uninterrupted work don’t count as away', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  await here.time.pass(5 * HOUR)
  here.worker.happens()
  expect(here.changed).toBe(0)
  expect(await here.away(presence)).toMatchObject({ total: 0 })
})

test('the time that the computer slept counts as away', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  await here.time.pass(5 * MINUTE)
  here.time.now += 8 * HOUR
  await here.time.pass(MINUTE)
  here.worker.happens()
  expect(await here.away(presence)).toMatchObject({ total: 1 })
})

test('a new start counts as away from the last minute of the previous run, even after a crash', async () => {
  const here = person()
  here.starts().arrived()
  await here.time.pass(10 * MINUTE)
  here.worker.happens()
  await here.time.pass(5_000)
  const presence = here.starts()
  presence.arrived()
  expect((await here.away(presence)).total).toBe(1)
})

test('an absence that wasn’t seen is merged with the next', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  presence.departed()
  await here.time.pass(HOUR)
  here.worker.happens()
  presence.arrived()
  presence.departed()
  await here.time.pass(HOUR)
  here.worker.happens()
  presence.arrived()
  expect(await here.away(presence)).toMatchObject({ total: 2 })
})

test('each account is caught up on separately', async () => {
  const here = person()
  here.accounts.push('second')
  const presence = here.starts()
  presence.arrived()
  presence.departed()
  await here.time.pass(HOUR)
  here.worker.happens()
  presence.arrived()
  presence.markSeen('second')
  expect(presence.awayOf('second')).toBeUndefined()
  expect(await here.away(presence)).toMatchObject({ total: 1 })
})

test('of 2,300 changes the newest hundred are listed, and all are counted', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  presence.departed()
  await here.time.pass(HOUR)
  for (let one = 0; one < 2300; one++) here.worker.happens({ kind: one < 300 ? 'signed' : 'moved' })
  presence.arrived()
  const view = await here.away(presence)
  expect(view).toMatchObject({ total: 2300, byKind: { signed: 300, moved: 2000 } })
  expect(view.changes.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => 2300 - index))
})

test('a clock set back causes no absence that ends before it started', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  presence.departed()
  here.time.now -= 5 * HOUR
  const again = here.starts()
  again.arrived()
  const away = again.awayOf('office')
  expect(away?.since).toBeLessThanOrEqual(away?.until ?? 0)
})
