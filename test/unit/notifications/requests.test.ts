import { expect, test } from 'vitest'
import { DEFAULT_PREFERENCES, openPreferences } from '../../../src/main/core/notifications/preferences.ts'
import { openPresence } from '../../../src/main/core/notifications/presence.ts'
import { type ActivityParts, activityHandlers } from '../../../src/main/ipc/activity.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { database, HOUR, scriptedWorker, TEN } from './office.ts'

const sender = undefined as never

function answering(chosen: string | undefined = 'office') {
  const time = testTime(TEN)
  const db = database()
  const worker = scriptedWorker(time.clock)
  const notified = { settings: 0 }
  const presence = openPresence({
    db,
    accountIds: () => ['office', 'second'],
    time: time.run(),
    changed: () => undefined,
    onError: () => undefined
  })
  const accounts = { shownIds: () => (chosen ? [chosen] : []) } as unknown as ActivityParts['accounts']
  const settings = openPreferences(db)
  const handlers = activityHandlers({
    accounts,
    ask: worker.ask,
    batchOf: (reference) => (reference === 'of-a-batch' ? 'clients' : undefined),
    presence,
    settings,
    settingsChanged: () => notified.settings++
  })
  return { time, worker, presence, handlers, notified }
}

test('activity of the shown account is listed by page', async () => {
  const { worker, handlers } = answering()
  for (let one = 0; one < 5; one++) worker.happens({ accountId: one === 2 ? 'second' : 'office' })
  const list = await handlers['activity.list']({ offset: 1, limit: 2 }, sender)
  expect(list).toMatchObject({ total: 4, changes: [{ id: 4 }, { id: 2 }] })
})

test('documents sent from here have their batch’s name, and others don’t', async () => {
  const { worker, handlers } = answering()
  const arrived = { accountId: 'office', kind: 'arrived' as const, isOwn: true }
  worker.happens({ ...arrived, reference: 'of-a-batch' })
  worker.happens({ ...arrived, reference: 'alone' })
  worker.happens({ ...arrived, reference: 'of-a-batch', isOwn: false })
  const { changes } = await handlers['activity.list']({ offset: 0, limit: 10 }, sender)
  expect(changes.map(({ batch }) => batch)).toEqual([undefined, undefined, 'clients'])
})

test('what happened while away is returned until it was marked as seen', async () => {
  const { time, worker, presence, handlers } = answering()
  presence.arrived()
  presence.departed()
  await time.pass(HOUR)
  worker.happens()
  presence.arrived()
  expect(await handlers['activity.away'](undefined, sender)).toMatchObject({ total: 1, byKind: { completed: 1 } })
  expect(await handlers['activity.seen'](undefined, sender)).toBeUndefined()
  expect(await handlers['activity.away'](undefined, sender)).toEqual({ total: 0, byKind: {}, changes: [] })
})

test('notification settings are stored, and the change is announced', async () => {
  const { handlers, notified } = answering()
  expect(await handlers['notifications.get'](undefined, sender)).toEqual(DEFAULT_PREFERENCES)
  const preferences = { ...DEFAULT_PREFERENCES, sound: true }
  expect(await handlers['notifications.set'](preferences, sender)).toEqual(preferences)
  expect(await handlers['notifications.get'](undefined, sender)).toEqual(preferences)
  expect(notified.settings).toBe(1)
})

test('requests without an account are refused', async () => {
  const { handlers } = answering('')
  await expect(handlers['activity.away'](undefined, sender)).rejects.toMatchObject({ appError: { code: 'no-account' } })
})
