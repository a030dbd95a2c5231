import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isZone, localTimeIn, offsetIn, problemsOf } from '../../../src/shared/composition/index.ts'
import { forms } from '../../fixtures/compositions.ts'

const NOW = Date.parse('2026-03-01T00:00:00Z')
const AUCKLAND = 'Pacific/Auckland'

function problemsAt(due: string, gmt: string, zone = AUCKLAND) {
  return problemsOf(forms({ due, gmt, zone }), NOW)
}

describe('the offset of a zone', () => {
  test.each([
    [AUCKLAND, '2026-12-04T17:00', 780],
    [AUCKLAND, '2026-06-04T17:00', 720],
    ['America/St_Johns', '2026-12-04T17:00', -210],
    ['Asia/Kathmandu', '2026-12-04T17:00', 345],
    ['UTC', '2026-12-04T17:00', 0]
  ])('in %s at %s is %i minutes, daylight saving included', (zone, local, offset) => {
    expect(localTimeIn(zone, local)).toEqual({ offset, happens: 'once' })
  })

  test('a skipped local time is reported as never, and a repeated one as twice', () => {
    expect(localTimeIn(AUCKLAND, '2026-09-27T02:30')).toEqual({ offset: 720, happens: 'never' })
    expect(localTimeIn(AUCKLAND, '2026-04-05T02:30')).toEqual({ offset: 780, happens: 'twice' })
    expect(localTimeIn('Europe/London', '2026-03-29T01:30')?.happens).toBe('never')
  })

  test.each(['Mars/Olympus', '', '+13:00', '__proto__', 'Pacific/Auckland\u0000', 'x'.repeat(1000)])(
    '%j is not a time zone',
    (zone) => {
      expect(isZone(zone)).toBe(false)
      expect(localTimeIn(zone, '2026-12-04T17:00')).toBeUndefined()
      expect(offsetIn(zone, NOW)).toBeUndefined()
    }
  )

  test('the local time at any moment in any zone leads back to that moment', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const moments = fc.integer({ min: Date.parse('2000-01-01') / 60_000, max: Date.parse('2040-01-01') / 60_000 })
    fc.assert(
      fc.property(zones, moments, (zone, minutes) => {
        const at = minutes * 60_000
        const offset = offsetIn(zone, at) ?? Number.NaN
        const local = new Date(at + offset * 60_000).toISOString().slice(0, 16)
        const there = localTimeIn(zone, local)
        if (there?.happens === 'once') expect(there.offset).toBe(offset)
        else expect(there?.happens).toBe('twice')
      }),
      { numRuns: 3000 }
    )
  })
})

describe('a due date', () => {
  test('is valid in its zone', () => {
    expect(problemsAt('2026-12-04T17:00', '780')).toEqual([])
    expect(problemsAt('2026-12-04T17:00', '600', '')).toEqual([])
  })

  test.each([
    ['that has passed', '2026-02-28T17:00', '780'],
    ['on an impossible day', '2026-02-31T17:00', '780'],
    ['without an offset', '2026-12-04T17:00', ''],
    ['at an impossible offset', '2026-12-04T17:00', '9000'],
    ['at an offset that isn’t a number', '2026-12-04T17:00', 'noon']
  ])('%s can’t be sent', (_what, due, gmt) => {
    expect(problemsAt(due, gmt).map(({ severity, at }) => [severity, at])).toEqual([['error', 'due']])
  })

  test.each([
    ['more than a year away', '2027-12-04T17:00', '780', AUCKLAND, /more than a year away/],
    ['that the clocks skip', '2026-09-27T02:30', '720', AUCKLAND, /go forward that day and skip 02:30/],
    ['that the clocks show twice', '2026-04-05T02:30', '780', AUCKLAND, /02:30 happens twice/],
    ['at an offset other than its zone’s', '2026-12-04T17:00', '720', AUCKLAND, /is at UTC\+13:00, not UTC\+12:00/],
    ['in an unknown zone', '2026-12-04T17:00', '720', 'Mars/Olympus', /isn’t known on this computer, so UTC\+12:00/]
  ])('%s is a warning', (_what, due, gmt, zone, words) => {
    const problems = problemsAt(due, gmt, zone)
    expect(problems.map(({ severity, at }) => [severity, at])).toEqual([['warning', 'due']])
    expect(problems[0]?.message).toMatch(words)
  })
})
