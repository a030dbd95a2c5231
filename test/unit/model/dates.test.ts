/** Dates in every spelling that the service or its clients use. */
import { describe, expect, test } from 'vitest'
import { readGmt, readServiceDate, withCertainOrder } from '../../../src/shared/model/index.ts'

const at = (...parts: [number, number, number, number?, number?, number?, number?]) => Date.UTC(...parts)

describe('a date', () => {
  test.each([
    ['2031-03-01T10:20:30Z', at(2031, 2, 1, 10, 20, 30), 0],
    ['2031-03-01T10:20:30z', at(2031, 2, 1, 10, 20, 30), 0],
    ['2031-03-01t10:20Z', at(2031, 2, 1, 10, 20), 0],
    ['2031-03-01 10:20:30+00:00', at(2031, 2, 1, 10, 20, 30), 0],
    ['2031-03-01T10:20:30+13:00', at(2031, 1, 28, 21, 20, 30), 780],
    ['2031-03-01T10:20:30+1300', at(2031, 1, 28, 21, 20, 30), 780],
    ['2031-03-01T10:20:30+13', at(2031, 1, 28, 21, 20, 30), 780],
    ['2031-03-01T10:20:30-09:30', at(2031, 2, 1, 19, 50, 30), -570],
    ['2031-03-01T10:20:30.1234567Z', at(2031, 2, 1, 10, 20, 30, 123), 0],
    ['2031-03-01T10:20:30.57Z', at(2031, 2, 1, 10, 20, 30, 570), 0],
    ['2031-03-01T10:20:30.9999999Z', at(2031, 2, 1, 10, 20, 30, 999), 0],
    ['2031-03-01T10:20:30,5Z', at(2031, 2, 1, 10, 20, 30, 500), 0],
    ['  2031-03-01T10:20:30Z ', at(2031, 2, 1, 10, 20, 30), 0],
    ['/Date(0-0000)/', 0, 0],
    ['/Date(1930126830000-0000)/', 1930126830000, 0],
    ['/Date(1930126830000+1300)/', 1930126830000, 780],
    ['/Date(1930126830000-0930)/', 1930126830000, -570],
    ['/Date(1930126830000)/', 1930126830000, 0],
    ['\\/Date(1930126830000)\\/', 1930126830000, 0],
    ['/Date(-62135596800000-0000)/', -62135596800000, 0]
  ])('%s gives time and offset', (spelled, instant, offset) => {
    expect(readServiceDate(spelled)).toEqual({ at: instant, offset, precision: 'time' })
  })

  test.each([
    ['2031-03-01T10:20:30', at(2031, 2, 1, 10, 20, 30), 'time'],
    ['2031-03-01T10:20:30.1234567', at(2031, 2, 1, 10, 20, 30, 123), 'time'],
    ['2031-03-01T10:20', at(2031, 2, 1, 10, 20), 'time'],
    ['2031-03-01', at(2031, 2, 1), 'day'],
    ['03/13/2031 10:20:30', at(2031, 2, 13, 10, 20, 30), 'time'],
    ['13/03/2031 10:20:30', at(2031, 2, 13, 10, 20, 30), 'time'],
    ['13.3.2031 9:20 pm', at(2031, 2, 13, 21, 20), 'time'],
    ['13-03-2031 12:05 AM', at(2031, 2, 13, 0, 5), 'time'],
    ['3/3/2031 9:20', at(2031, 2, 3, 9, 20), 'time'],
    ['12/31/2031', at(2031, 11, 31), 'day'],
    ['31/12/2031', at(2031, 11, 31), 'day']
  ] as const)('%s has no offset: the caller’s is used', (spelled, utc, precision) => {
    expect(readServiceDate(spelled)).toEqual({ at: utc, precision })
    expect(readServiceDate(spelled, 720)).toEqual({ at: utc - 720 * 60_000, precision })
    expect(readServiceDate(spelled, -570)?.at).toBe(utc + 570 * 60_000)
  })

  test('with interchangeable day and month is read month first, and marked as ambiguous', () => {
    expect(readServiceDate('03/01/2031')).toEqual({ at: at(2031, 2, 1), precision: 'day', isAmbiguous: true })
  })

  test.each([
    ['03/01/2031', 'dd/MM/yyyy', '2031-01-03'],
    ['03/01/2031', 'MM/dd/yyyy', '2031-03-01'],
    ['3.1.2031 9:20', 'd.M.yyyy', '2031-01-03T09:20:00'],
    ['03/01/2031 10:20:30 PM', 'dd/MM/yyyy', '2031-01-03T22:20:30'],
    // The format contradicts the date: there is no thirteenth month.
    ['03/13/2031', 'dd/MM/yyyy', '2031-03-13'],
    ['13/03/2031', 'MM/dd/yyyy', '2031-03-13'],
    ['13/03/2031', undefined, '2031-03-13'],
    ['03/03/2031', undefined, '2031-03-03']
  ])('%s in an account with the format %s is %s', (written, format, iso) => {
    expect(withCertainOrder(written, format)).toBe(iso)
  })

  test.each([
    ['03/01/2031', undefined],
    ['03/01/2031', 'tomorrow'],
    ['03/01/2031', 'yyyy/MM/dd'],
    ['31/31/2031', 'dd/MM/yyyy'],
    ['2031-03-01', 'dd/MM/yyyy'],
    ['/Date(1930126830000+1300)/', 'dd/MM/yyyy'],
    ['next Friday', 'dd/MM/yyyy'],
    ['', 'dd/MM/yyyy']
  ])('%s with the format %s stays as written', (written, format) => {
    expect(withCertainOrder(written, format)).toBe(written)
  })

  test('24:00 is the end of its day', () => {
    expect(readServiceDate('2031-03-01T24:00:00Z')?.at).toBe(at(2031, 2, 2))
    expect(readServiceDate('2031-12-31T24:00Z')?.at).toBe(at(2032, 0, 1))
  })

  test.each(['2028-02-29', '2000-02-29', '02/29/2028'])('%s is a leap day', (spelled) => {
    expect(readServiceDate(spelled)).toBeDefined()
  })

  test.each([
    '2027-02-29',
    '1900-02-29',
    '02/29/2027',
    '2031-13-01',
    '2031-00-10',
    '2031-04-31',
    '2031-03-00',
    '13/13/2031',
    '2031-03-01T24:01:00Z',
    '2031-03-01T24:00:01Z',
    '2031-03-01T24:00:00.001Z',
    '2031-03-01T25:00:00Z',
    '2031-03-01T10:60:00Z',
    '2031-03-01T10:20:61Z',
    '2031-03-01T10:20:30+15:00',
    '2031-03-01T10:20:30+99',
    '2031-3-1',
    '20310301',
    '01.03/2031',
    '03/13/2031 13:00 pm',
    'tomorrow',
    '',
    '   ',
    '/Date(x)/',
    '/Date(99999999999999999)/',
    '/Date(9999999999999999)/',
    'Date(0)',
    '2031-03-01T10:20:30Z; DROP TABLE'
  ])('%j is not a date', (spelled) => {
    expect(readServiceDate(spelled)).toBeUndefined()
  })

  test('undefined is not a date', () => expect(readServiceDate(undefined)).toBeUndefined())
})

describe('an offset', () => {
  test.each([
    ['720', 720],
    [720, 720],
    [' -570 ', -570],
    ['+600', 600],
    ['0', 0],
    ['-0', 0],
    ['840', 840]
  ])('%j is %i minutes', (spelled, minutes) => {
    expect(readGmt(spelled)).toBe(minutes)
  })

  test.each(['', ' ', '841', '-841', '12.5', '1e2', '0x10', 'NZST', '+12:00', undefined])(
    '%j is not an offset',
    (spelled) => {
      expect(readGmt(spelled)).toBeUndefined()
    }
  )
})
