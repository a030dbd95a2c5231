import { describe, expect, test } from 'vitest'
import { dueInWords } from '../../src/renderer/src/screens/compose/describe.ts'
import { counted, listed } from '../../src/renderer/src/words/counts.ts'
import { daysAway, momentInWords, offsetAt, offsetInWords, when } from '../../src/renderer/src/words/dates.ts'
import { documentStatus } from '../../src/renderer/src/words/statuses.ts'
import { zoneChoices } from '../../src/renderer/src/words/zones.ts'
import { readDocumentStatus } from '../../src/shared/model/document-status.ts'

const at = Date.UTC(2025, 11, 5, 4, 0)

describe('dates in words', () => {
  test('a moment carries its zone', () => {
    expect(momentInWords(at, 780)).toMatch(/^Friday 5 December 2025 at 17:00, .*(UTC\+13:00|UTC)/)
  })
  test('offsets west of Greenwich and of half hours are spelled', () => {
    expect(offsetInWords(-210)).toBe('UTC−03:30')
    expect(offsetInWords(345)).toBe('UTC+05:45')
    expect(offsetInWords(0)).toBe('UTC')
  })
  test('a zone has the offset of its season', () => {
    expect(offsetAt(Date.UTC(2025, 0, 1), 'Pacific/Auckland')).toBe(780)
    expect(offsetAt(Date.UTC(2025, 6, 1), 'Pacific/Auckland')).toBe(720)
  })
  test('today is a time, yesterday is named, before that a day', () => {
    const now = new Date(2025, 10, 26, 10, 42).getTime()
    expect(when(new Date(2025, 10, 26, 9, 5).getTime(), now)).toBe('09:05')
    expect(when(new Date(2025, 10, 25, 9, 5).getTime(), now)).toBe('yesterday 09:05')
    expect(when(new Date(2025, 10, 1, 9, 5).getTime(), now)).toBe('1 Nov 09:05')
    expect(daysAway(new Date(2025, 10, 27, 1).getTime(), now)).toBe('tomorrow')
  })
  test('no due date is said as the 14 days of the service', () => {
    const now = new Date(2025, 10, 26, 10, 42).getTime()
    expect(dueInWords({ due: '', gmt: '' }, now)).toContain('14 days after sending')
    expect(dueInWords({ due: '', gmt: '' }, now)).toContain('Wednesday 10 December 2025')
  })
  test('a due date is said with its zone and how far away it is', () => {
    const now = Date.UTC(2025, 10, 26, 10, 42)
    const words = dueInWords({ due: '2025-12-05T17:00', gmt: '780' }, now)
    expect(words).toContain('Friday 5 December 2025 at 17:00')
    expect(words).toMatch(/in 9 days/)
  })
  test("the zones to choose from hold this computer's first, and one that was chosen elsewhere", () => {
    const choices = zoneChoices(at, '-150')
    expect(choices[0]?.value).toBe(String(offsetAt(at)))
    expect(choices.map((choice) => choice.value)).toContain('-150')
    expect(new Set(choices.map((choice) => choice.value)).size).toBe(choices.length)
  })
})

describe('counts and statuses in words', () => {
  test('numbers agree with their nouns', () => {
    expect([counted(0, 'form'), counted(1, 'form'), counted(1200, 'form')]).toEqual([
      'no forms',
      '1 form',
      '1,200 forms'
    ])
  })
  test('a long list of names is cut', () => {
    expect(listed(['A', 'B', 'C', 'D', 'E'])).toBe('A, B and 3 more')
    expect(listed(['A', 'B'])).toBe('A and B')
  })
  test('a status that nobody knows is shown in its own words', () => {
    expect(documentStatus(readDocumentStatus('Awaiting notary')).word).toBe('Awaiting notary')
    expect(documentStatus(readDocumentStatus('1 of 2 Signed')).word).toBe('1 of 2 signed')
  })
})
