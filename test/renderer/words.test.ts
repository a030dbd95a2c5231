import { describe, expect, test } from 'vitest'
import { dueInWords } from '../../src/renderer/src/screens/compose/describe.ts'
import { listed } from '../../src/renderer/src/words/counts.ts'
import { daysAway, momentInWords, offsetAt, offsetInWords, whenInWords } from '../../src/renderer/src/words/dates.ts'
import { documentStatus } from '../../src/renderer/src/words/statuses.ts'
import {
  offsetChoices,
  seasonInWords,
  zoneChoice,
  zoneNameInWords,
  zoneNames
} from '../../src/renderer/src/words/zones.ts'
import { counted } from '../../src/shared/counted.ts'
import { readDocumentStatus } from '../../src/shared/model/document-status.ts'

const at = Date.UTC(2025, 11, 5, 4, 0)

describe('dates in words', () => {
  test('a moment shows its zone if it isn’t the local one', () => {
    expect(momentInWords(at, 345)).toBe('Friday 5 December 2025 at 09:45 (UTC+05:45)')
    expect(momentInWords(at)).toMatch(/^\S+ \d+ December 2025 at \d\d:\d\d$/)
  })
  test('offsets west of Greenwich and with half hours are formatted', () => {
    expect(offsetInWords(-210)).toBe('UTC−03:30')
    expect(offsetInWords(345)).toBe('UTC+05:45')
    expect(offsetInWords(0)).toBe('UTC')
  })
  test('a zone’s offset depends on daylight saving time', () => {
    expect(offsetAt(Date.UTC(2025, 0, 1), 'Pacific/Auckland')).toBe(780)
    expect(offsetAt(Date.UTC(2025, 6, 1), 'Pacific/Auckland')).toBe(720)
  })
  test('today is shown as a time, yesterday by name, and earlier days by date', () => {
    const now = new Date(2025, 10, 26, 10, 42).getTime()
    expect(whenInWords(new Date(2025, 10, 26, 9, 5).getTime(), now)).toBe('09:05')
    expect(whenInWords(new Date(2025, 10, 25, 9, 5).getTime(), now)).toBe('yesterday 09:05')
    expect(whenInWords(new Date(2025, 10, 1, 9, 5).getTime(), now)).toBe('1 Nov 09:05')
    expect(daysAway(new Date(2025, 10, 27, 1).getTime(), now)).toBe('tomorrow')
  })
  test('without a due date, the service’s default is shown if known', () => {
    const now = new Date(2025, 10, 26, 10, 42).getTime()
    expect(dueInWords({ due: '', gmt: '' }, now, 14)).toBe('Default (14 days), due Wed 10 December')
    expect(dueInWords({ due: '', gmt: '' }, now, undefined)).toBe('Default, set by the service')
  })
  test('a due date is shown with its zone, in UTC, and relative to now', () => {
    const now = Date.UTC(2025, 10, 26, 10, 42)
    const dueText = (due: string, gmt: string, zone: string) => dueInWords({ due, gmt, zone }, now, 14)
    expect(dueText('2025-12-05T17:00', '780', 'Pacific/Auckland')).toMatch(
      /^Fri 5 December, 17:00 New Zealand time \(04:00 UTC\) · in \d+ days$/
    )
    expect(dueText('2026-12-04T09:30', '780', 'Pacific/Auckland')).toContain(
      'Fri 4 December 2026, 09:30 New Zealand time (20:30 on Thursday UTC)'
    )
    expect(dueText('2025-12-05T12:00', '-210', '')).toContain('12:00 at UTC−03:30 (15:30 UTC)')
    expect(dueText('2025-12-05T12:00', '0', 'UTC')).toContain('5 December, 12:00 UTC ·')
    expect(dueText('2025-12-05T17:00', '0', 'Europe/London')).toContain('17:00 United Kingdom time, UTC that day ·')
    expect(dueText('2025-12-05T', '0', 'UTC')).toContain('Choose a date, a time and a time zone')
  })
  test('daylight saving time is mentioned, and a change of offset until then', () => {
    const summer = Date.UTC(2025, 11, 5)
    const winter = Date.UTC(2025, 6, 5)
    expect(seasonInWords('Pacific/Auckland', summer, summer)).toBe('UTC+13:00, daylight saving time')
    expect(seasonInWords('Pacific/Auckland', winter, summer)).toBe('UTC+12:00; today it is UTC+13:00')
    expect(seasonInWords('Asia/Kolkata', summer, winter)).toBe('UTC+05:30')
    expect(seasonInWords('Mars/Olympus', summer, winter)).toBe('')
  })
  test('the time zones start with this computer’s and UTC, and have unique names', () => {
    const names = zoneNames()
    expect(names.slice(0, 2)).toContain('UTC')
    expect(names[0]).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
    expect(new Set(names.map((name) => zoneChoice(name).city)).size).toBe(names.length)
    expect([zoneNameInWords('Pacific/Auckland'), zoneNameInWords('Mars/Olympus')]).toEqual([
      'New Zealand time',
      'Mars/Olympus'
    ])
  })
  test('an unusual offset stays among the choices', () => {
    const values = offsetChoices('-151').map((choice) => choice.value)
    expect(values).toContain('-151')
    expect(values).toContain('780')
    expect(new Set(values).size).toBe(values.length)
    expect(offsetChoices('780').length).toBe(values.length - 1)
  })
})

describe('counts and statuses in words', () => {
  test('numbers agree with their nouns', () => {
    expect([
      counted(0, ['# form', '# forms']),
      counted(1, ['# form', '# forms']),
      counted(1200, ['# form', '# forms'])
    ]).toEqual(['no forms', '1 form', '1,200 forms'])
  })
  test('a long list of names is shortened', () => {
    expect(listed(['A', 'B', 'C', 'D', 'E'])).toBe('A, B and 3 more')
    expect(listed(['A', 'B'])).toBe('A and B')
  })
  test('an unknown status is shown in its own words', () => {
    expect(documentStatus(readDocumentStatus('Awaiting notary')).word).toBe('Awaiting notary')
    expect(documentStatus(readDocumentStatus('1 of 2 Signed')).word).toBe('1 of 2 signed')
  })
})
