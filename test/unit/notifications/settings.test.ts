import { expect, test } from 'vitest'
import { isQuiet, localTimeOf } from '../../../src/main/core/lib/calendar.ts'
import { DEFAULT_PREFERENCES, openPreferences } from '../../../src/main/core/notifications/preferences.ts'
import { database } from './office.ts'

test('the defaults notify what needs a person', () => {
  expect(openPreferences(database()).read()).toEqual({
    kinds: {
      signed: 'never',
      completed: 'always',
      declined: 'always',
      expired: 'always',
      'due-tomorrow': 'always',
      'identity-failed': 'always',
      'waits-here': 'views',
      'not-valid': 'always',
      outbox: 'always'
    },
    quiet: null,
    sound: false
  })
})

test('settings survive a restart', () => {
  const db = database()
  const preferences = { ...DEFAULT_PREFERENCES, quiet: { from: '18:00', to: '08:00' }, sound: true }
  expect(openPreferences(db).set(preferences)).toEqual(preferences)
  expect(openPreferences(db).read()).toEqual(preferences)
})

test.each([
  'not JSON',
  '[]',
  '{"kinds":{"signed":"sometimes","declined":"never","fly":"always"},"quiet":{"from":"25:00","to":"x"},"sound":"loud"}'
])('unreadable settings fall back to defaults, and the rest is kept: %s', (text) => {
  const db = database()
  db.prepare(`INSERT INTO meta (key, value) VALUES ('telling', ?)`).run(text)
  const isPart = text.startsWith('{')
  const kinds = { ...DEFAULT_PREFERENCES.kinds, ...(isPart && { declined: 'never' }) }
  expect(openPreferences(db).read()).toEqual({ ...DEFAULT_PREFERENCES, kinds })
})

test.each([
  ['12:00', '13:00', [false, true, true, false]],
  ['22:00', '07:00', [true, false, false, false]],
  ['12:30', '12:30', [false, false, false, false]]
] as const)('quiet from %s to %s', (from, to, expected) => {
  const minutes = [60, 12 * 60, 12 * 60 + 59, 13 * 60]
  expect(minutes.map((minute) => isQuiet({ from, to }, minute))).toEqual(expected)
})

test('the time of day is in the office’s zone, across midnight, and in UTC if the zone is unknown', () => {
  const at = Date.UTC(2026, 10, 21, 11, 30)
  expect(localTimeOf(at, 'Pacific/Auckland')).toEqual({ day: '2026-11-22', minute: 30 })
  expect(localTimeOf(at, 'Nowhere/Land')).toEqual({ day: '2026-11-21', minute: 11 * 60 + 30 })
})
