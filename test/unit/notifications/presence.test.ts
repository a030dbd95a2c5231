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

test('the first time there is nothing to catch up on', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  here.worker.happens()
  expect(await here.away(presence)).toEqual({ total: 0, byKind: {}, changes: [] })
})

test('who comes back after a while sees what happened, until they have seen it', async () => {
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

test('what the folders bring right after they came back happened while they were away', async () => {
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

test('a short look elsewhere is no time away', async () => {
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

test('who works for hours without a pause was never away', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  await here.time.pass(5 * HOUR)
  here.worker.happens()
  expect(here.changed).toBe(0)
  expect(await here.away(presence)).toMatchObject({ total: 0 })
})

test('a computer that slept with the window in front was not looked at', async () => {
  const here = person()
  const presence = here.starts()
  presence.arrived()
  await here.time.pass(5 * MINUTE)
  here.time.now += 8 * HOUR
  await here.time.pass(MINUTE)
  here.worker.happens()
  expect(await here.away(presence)).toMatchObject({ total: 1 })
})

test('a new start begins with what happened since the last minute of the one before, also where that crashed', async () => {
  const here = person()
  here.starts().arrived()
  await here.time.pass(10 * MINUTE)
  here.worker.happens()
  await here.time.pass(5_000)
  const presence = here.starts()
  presence.arrived()
  expect((await here.away(presence)).total).toBe(1)
})

test('a time away that was not seen goes on with the next', async () => {
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

test('each account is caught up on by itself', async () => {
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

test('of thousands the newest hundred are shown, and all are counted', async () => {
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

test('a clock that was put back makes no time away that ends before it began', async () => {
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
