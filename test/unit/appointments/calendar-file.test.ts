import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCalendar } from '../../../src/main/core/appointments/calendar-file.ts'
import type { FoundInFile } from '../../../src/main/core/appointments/found.ts'

/** Friday 21 November 2026, 10:00 in Auckland, which is 13 hours ahead of UTC. */
const NOW = Date.parse('2026-11-21T10:00:00+13:00')
const zone = 'Pacific/Auckland'

const fold = (...lines: string[]) => `${lines.join('\r\n')}\r\n`
const calendar = (...lines: string[]) =>
  fold('BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//y', ...lines, 'END:VCALENDAR')
const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
const MERE = [
  'UID:a',
  'SUMMARY:Mere Parata',
  'DTSTART;TZID=Pacific/Auckland:20261121T143000',
  'DTEND;TZID=Pacific/Auckland:20261121T150000'
]
const read = (text: string): FoundInFile => readCalendar(text, { now: NOW, zone })
const times = ({ appointments }: FoundInFile) => appointments.map(({ at }) => new Date(at).toISOString())
const refused = (text: string) => read(text).refused
const file = (message: RegExp) =>
  expect.objectContaining({
    appError: expect.objectContaining({ code: 'bad-file', message: expect.stringMatching(message) })
  })

describe('a calendar event', () => {
  test('becomes an appointment with person, time, length and place', () => {
    const found = read(
      calendar(
        ...event(
          ...MERE,
          'LOCATION:Room 2',
          'SEQUENCE:3',
          'ORGANIZER:mailto:office@example.com',
          'ATTENDEE;CN=Office:mailto:office@example.com',
          'ATTENDEE;CUTYPE=ROOM;CN=Harbour room:mailto:room@example.com',
          'ATTENDEE;CN=Mere H. Parata:mailto:mere@example.com',
          'ATTENDEE;CN=Tama Brooks:mailto:tama@example.com'
        )
      )
    )
    expect(found.refused).toEqual([])
    expect(found.appointments).toEqual([
      {
        key: expect.any(String),
        series: expect.any(String),
        version: 3,
        name: 'Mere H. Parata',
        email: 'mere@example.com',
        mobile: '',
        at: Date.parse('2026-11-21T14:30:00+13:00'),
        minutes: 30,
        place: 'Room 2',
        about: 'Mere Parata',
        notes: ['Also invited: Tama Brooks.']
      }
    ])
  })

  test('is for the person invited, even with an unusable address and no organiser', () => {
    const invited = ['UID:a', 'SUMMARY:Lease', 'DTSTART:20261121T020000Z', 'ATTENDEE;CN=Mere Parata:mailto:none']
    expect(read(calendar(...event(...invited))).appointments).toMatchObject([{ name: 'Mere Parata', email: '' }])
  })

  test('can be in UTC, in a known zone, or in one defined in the file', () => {
    const brought = [
      'BEGIN:VTIMEZONE',
      'TZID:Office time',
      'BEGIN:STANDARD',
      'DTSTART:19700101T000000',
      'TZOFFSETFROM:+0930',
      'TZOFFSETTO:+0930',
      'END:STANDARD',
      'END:VTIMEZONE'
    ]
    const found = read(
      calendar(
        ...brought,
        ...event('UID:1', 'SUMMARY:A', 'DTSTART:20261121T020000Z'),
        ...event('UID:2', 'SUMMARY:B', 'DTSTART;TZID=Australia/Sydney:20261121T140000'),
        ...event('UID:3', 'SUMMARY:C', 'DTSTART;TZID=/mozilla.org/20050126_1/Asia/Tokyo:20261121T140000'),
        ...event('UID:4', 'SUMMARY:D', 'DTSTART;TZID=Office time:20261121T150000')
      )
    )
    expect(times(found)).toEqual([
      '2026-11-21T02:00:00.000Z',
      '2026-11-21T03:00:00.000Z',
      '2026-11-21T05:00:00.000Z',
      '2026-11-21T05:30:00.000Z'
    ])
    expect(found.notes).toEqual([])
  })

  test('in an unknown zone is refused, and the others are read', () => {
    const found = read(
      calendar(...event('UID:1', 'SUMMARY:Mere', 'DTSTART;TZID=Middle-earth/Shire:20261121T140000'), ...event(...MERE))
    )
    expect(found.refused).toEqual([{ name: 'Mere', why: 'Its time zone, “Middle-earth/Shire”, isn’t known.' }])
    expect(found.appointments).toHaveLength(1)
  })

  test('without a zone is read in the office’s, with a note', () => {
    const found = read(calendar(...event('UID:1', 'SUMMARY:Mere', 'DTSTART:20261121T140000')))
    expect(times(found)).toEqual(['2026-11-21T01:00:00.000Z'])
    expect(found.notes).toEqual(['1 time has no time zone and was read in yours, Pacific/Auckland.'])
  })

  test.each([
    ['lasting all day', ['DTSTART;VALUE=DATE:20261121'], 'It’s all day, without a time.'],
    ['without a start', [], 'It has no start.'],
    ['with an invalid start', ['DTSTART:yesterday'], /It has no start|can’t be read|isn’t a real time/],
    ['that ends before it starts', ['DTSTART:20261121T020000Z', 'DTEND:20261121T010000Z'], 'It ends before it starts.'],
    ['longer than a day', ['DTSTART:20261121T020000Z', 'DURATION:P3D'], 'It’s longer than a day.'],
    [
      'repeating each minute',
      ['DTSTART:20261121T020000Z', 'RRULE:FREQ=MINUTELY'],
      'It repeats more often than once a day.'
    ]
  ])('%s is refused with the reason', (_, lines, why) => {
    const found = read(calendar(...event('UID:1', 'SUMMARY:Mere', ...lines)))
    expect(found.appointments).toEqual([])
    expect(found.refused).toEqual([{ name: 'Mere', why: typeof why === 'string' ? why : expect.stringMatching(why) }])
  })

  test('with a 300-character name is refused, and direction marks are removed from names', () => {
    const long = 'x'.repeat(300)
    expect(refused(calendar(...event('UID:1', `SUMMARY:${long}`, 'DTSTART:20261121T020000Z')))).toEqual([
      { name: expect.stringMatching(/^x{199}…$/), why: 'The name is longer than 200 characters.' }
    ])
    const turned = read(calendar(...event('UID:1', 'SUMMARY:\u202eetaM\u202c محمد علي', 'DTSTART:20261121T020000Z')))
    expect(turned.appointments[0]?.name).toBe('etaM محمد علي')
  })

  test('in the past or far ahead is left out and counted', () => {
    const found = read(
      calendar(
        ...event('UID:1', 'SUMMARY:A', 'DTSTART:20261119T020000Z'),
        ...event('UID:2', 'SUMMARY:B', 'DTSTART:20270519T020000Z')
      )
    )
    expect(found.appointments).toEqual([])
    expect(found.notes).toEqual(['1 date before today left out.', '1 date more than 60 days away left out.'])
  })
})

describe('a recurring event', () => {
  const weekly = ['UID:w', 'SUMMARY:Clinic', 'DTSTART;TZID=Pacific/Auckland:20261001T090000', 'RRULE:FREQ=WEEKLY']

  test('gives each date in the next sixty days, without exceptions, and with moved ones', () => {
    const found = read(
      calendar(
        ...event(...weekly, 'EXDATE;TZID=Pacific/Auckland:20261203T090000'),
        ...event(
          'UID:w',
          'SUMMARY:Clinic',
          'RECURRENCE-ID;TZID=Pacific/Auckland:20261210T090000',
          'DTSTART;TZID=Pacific/Auckland:20261210T150000'
        ),
        ...event('UID:w', 'STATUS:CANCELLED', 'RECURRENCE-ID:20261216T200000Z', 'DTSTART:20261216T200000Z')
      )
    )
    expect(times(found).slice(0, 4)).toEqual([
      '2026-11-25T20:00:00.000Z',
      '2026-12-10T02:00:00.000Z',
      '2026-12-23T20:00:00.000Z',
      '2026-12-30T20:00:00.000Z'
    ])
    expect(found.cancelled).toHaveLength(1)
    expect(new Set(found.appointments.map(({ key }) => key)).size).toBe(found.appointments.length)
    expect(new Set(found.appointments.map(({ series }) => series)).size).toBe(1)
  })

  const defined = (zone: string, offset: string) => [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    `TZOFFSETFROM:${offset}`,
    `TZOFFSETTO:${offset}`,
    'END:STANDARD',
    'END:VTIMEZONE'
  ]
  const zones = [...defined('East', '+1300'), ...defined('West', '-0500')]
  test.each([
    [';TZID=Pacific/Auckland:20261126T090000', '20261202T200000Z', ['2026-11-25T20:00', '2026-12-02T20:00']],
    [';TZID=East:20261126T090000', '20261202T200000Z', ['2026-11-25T20:00', '2026-12-02T20:00']],
    [';TZID=West:20261125T200000', '20261203T010000Z', ['2026-11-26T01:00', '2026-12-03T01:00']],
    [';TZID=West:20261125T200000', '20261202', ['2026-11-26T01:00', '2026-12-03T01:00']],
    [';TZID=West:20261125T200000', '20261202T195959', ['2026-11-26T01:00']],
    [';TZID=East:20261126T090000', '20261203', ['2026-11-25T20:00', '2026-12-02T20:00']],
    [':20261126T090000', '20261202T200000Z', ['2026-11-25T20:00', '2026-12-02T20:00']],
    [';TZID=America/New_York:20261125T180000', '20261202T215959Z', ['2026-11-25T23:00']],
    [':20261125T200000Z', '20261202T200000Z', ['2026-11-25T20:00', '2026-12-02T20:00']],
    [';TZID=Pacific/Auckland:20261126T090000', '20261203', ['2026-11-25T20:00', '2026-12-02T20:00']],
    [';TZID=Pacific/Auckland:20261126T090000', '20261203T085959', ['2026-11-25T20:00']]
  ])('that starts “%s” has its last date until %s', (start, until, expected) => {
    const rule = `RRULE:FREQ=WEEKLY;UNTIL=${until}`
    const found = read(calendar(...zones, ...event('UID:w', 'SUMMARY:Clinic', `DTSTART${start}`, rule)))
    expect(times(found).map((time) => time.slice(0, 16))).toEqual(expected)
  })

  test('until the last second of the year 9999 has all its dates', () => {
    const endless = [...weekly.slice(0, 3), 'RRULE:FREQ=WEEKLY;UNTIL=99991231T235959Z']
    expect(times(read(calendar(...event(...endless))))).toEqual(times(read(calendar(...event(...weekly)))))
  })

  test('keeps its time of day when the clocks change', () => {
    const daily = read(
      calendar(
        ...event('UID:d', 'SUMMARY:A', 'DTSTART;TZID=America/New_York:20261030T090000', 'RRULE:FREQ=DAILY;COUNT=60')
      )
    )
    const hours = new Set(daily.appointments.map(({ at }) => new Date(at).getUTCHours()))
    expect([...hours]).toEqual([14])
  })

  test('has the same keys when read again the next day', () => {
    const text = calendar(...event(...weekly))
    const keys = read(text).appointments.map(({ key }) => key)
    const tomorrow = readCalendar(text, { now: NOW + 86_400_000, zone }).appointments.map(({ key }) => key)
    expect(tomorrow.filter((key) => !keys.includes(key)).length).toBeLessThanOrEqual(1)
  })

  test('that lists its dates includes its start, and dates in UTC at their own time', () => {
    const listed = [...MERE, 'RDATE:20261201T200000Z', 'RDATE;TZID=Pacific/Auckland:20261203T090000']
    expect(times(read(calendar(...event(...listed))))).toEqual([
      '2026-11-21T01:30:00.000Z',
      '2026-12-01T20:00:00.000Z',
      '2026-12-02T20:00:00.000Z'
    ])
    const withoutStart = calendar(...event(...listed, 'EXDATE;TZID=Pacific/Auckland:20261121T143000'))
    expect(times(read(withoutStart))).toHaveLength(2)
  })

  test('has each date once, also if a list repeats one of its rule', () => {
    const found = read(calendar(...event(...weekly, 'RDATE;TZID=Pacific/Auckland:20261203T090000')))
    expect(new Set(found.appointments.map(({ key }) => key)).size).toBe(found.appointments.length)
  })

  test('keeps its next dates, however many follow', () => {
    const often = ['UID:o', 'SUMMARY:Clinic', 'DTSTART;TZID=Pacific/Auckland:20261001T090000']
    const found = read(calendar(...event(...often, 'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,10,11')))
    expect(found.appointments).toHaveLength(126)
    expect(times(found)[0]).toBe('2026-11-22T20:00:00.000Z')
  })

  test('takes the later version of two changes to one date, whatever their order', () => {
    const change = (version: number, to: string) =>
      event(
        'UID:w',
        'SUMMARY:Clinic',
        `SEQUENCE:${version}`,
        'RECURRENCE-ID;TZID=Pacific/Auckland:20261126T090000',
        `DTSTART;TZID=Pacific/Auckland:20261126T${to}`
      )
    const found = read(calendar(...event(...weekly), ...change(2, '110000'), ...change(1, '080000')))
    expect(times(found)[0]).toBe('2026-11-25T22:00:00.000Z')
  })

  test('isn’t said to be there as a whole if some of it can’t be read', () => {
    expect(read(calendar(...event(...weekly))).whole).toHaveLength(1)
    const elsewhere = event('UID:w', 'SUMMARY:Clinic', 'DTSTART;TZID=Atlantis:20261001T090000', 'RRULE:FREQ=WEEKLY')
    expect(read(calendar(...elsewhere))).toMatchObject({ whole: [], refused: [{ name: 'Clinic' }] })
    const moved = event(
      'UID:w',
      'SUMMARY:Clinic',
      'RECURRENCE-ID;TZID=Pacific/Auckland:20261126T090000',
      'DTSTART;TZID=Atlantis:20261126T090000'
    )
    expect(read(calendar(...event(...weekly), ...moved))).toMatchObject({ whole: [], refused: [{ name: 'Clinic' }] })
  })

  test('whose later dates were all changed together is refused with a message, and they aren’t at their old times', () => {
    const text = calendar(
      ...event(...weekly),
      ...event(
        'UID:w',
        'SUMMARY:Clinic',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20261209T200000Z',
        'DTSTART:20261209T210000Z'
      )
    )
    expect(times(read(text))).toEqual(['2026-11-25T20:00:00.000Z', '2026-12-02T20:00:00.000Z'])
    expect(refused(text)).toEqual([
      {
        name: 'Clinic',
        why: 'All its later dates were changed together, which Countersign can’t read. Add them by hand.'
      }
    ])
  })
})

describe('a recurrence rule that the library would follow endlessly', () => {
  const on = (rule: string) =>
    read(
      calendar(...event('UID:1', 'SUMMARY:Clinic', 'DTSTART;TZID=Pacific/Auckland:20261101T090000', `RRULE:${rule}`))
    )

  test.each(['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31', 'FREQ=DAILY;INTERVAL=7;BYDAY=TU'])('has no dates: %s', (rule) => {
    expect(on(rule)).toMatchObject({ appointments: [], refused: [] })
  })

  test('is expanded if it has dates: workdays, a number of Mondays, the last of each month', () => {
    expect(on('FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR').appointments).toHaveLength(42)
    expect(times(on('FREQ=DAILY;BYDAY=MO;COUNT=5'))).toEqual(['2026-11-22T20:00:00.000Z', '2026-11-29T20:00:00.000Z'])
    expect(times(on('FREQ=DAILY;BYMONTHDAY=-1')).map((at) => at.slice(5, 10))).toEqual(['11-29', '12-30'])
  })

  test.each([
    ['FREQ=DAILY;INTERVAL=99999999', 'It repeats too rarely to be read.'],
    ['FREQ=DAILY;BYSETPOS=2;BYDAY=MO', 'Its repeat pattern can’t be read.']
  ])('is refused with a message: %s', (rule, why) => {
    expect(on(rule).refused).toEqual([{ name: 'Clinic', why }])
  })
})

test('an unparsable event is refused alone, and the others are read in the file’s own zone', () => {
  const zoned = [
    'BEGIN:VTIMEZONE',
    'TZID:Ours',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+1200',
    'TZOFFSETTO:+1200',
    'END:STANDARD',
    'END:VTIMEZONE'
  ]
  const broken = event('UID:1', 'SUMMARY:Broken', 'DTSTART:20261121T020000Z', 'RRULE:FREQ=YEARLY;BYWEEKNO=60')
  const found = read(
    calendar(...zoned, ...broken, ...event('UID:2', 'SUMMARY:Mere', 'DTSTART;TZID=Ours:20261121T150000'))
  )
  expect(found.refused).toEqual([{ name: 'Broken', why: 'It can’t be read.' }])
  expect(times(found)).toEqual(['2026-11-21T03:00:00.000Z'])
})

test('an unparsable event doesn’t mix up the calendars of a file', () => {
  const cancelled = calendar('METHOD:CANCEL', ...event(...MERE))
  const broken = event('UID:1', 'SUMMARY:Broken', 'DTSTART:20261121T020000Z', 'RRULE:FREQ=YEARLY;BYWEEKNO=60')
  const invited = calendar('METHOD:REQUEST', ...broken, ...event('UID:2', 'SUMMARY:Tama', 'DTSTART:20261121T030000Z'))
  for (const both of [cancelled + invited, invited + cancelled])
    expect(read(both)).toMatchObject({
      appointments: [{ name: 'Tama' }],
      cancelled: [{ version: 0 }],
      refused: [{ name: 'Broken' }]
    })
})

describe('a cancellation', () => {
  test('is recognised by the event’s status or the file’s method', () => {
    const key = read(calendar(...event(...MERE))).appointments[0]?.key
    expect(read(calendar(...event(...MERE, 'STATUS:CANCELLED'))).cancelled).toEqual([{ key, version: 0 }])
    expect(read(calendar('METHOD:CANCEL', ...event('UID:a'))).cancelled).toEqual([{ key, version: 0 }])
  })

  test('counts against the invitation in the same file, and the later version of the two holds', () => {
    const invited = (version: number) => calendar('METHOD:REQUEST', ...event(...MERE, `SEQUENCE:${version}`))
    const cancelled = calendar('METHOD:CANCEL', ...event(...MERE, 'SEQUENCE:1'))
    expect(read(invited(0) + cancelled).appointments).toEqual([])
    expect(read(cancelled + invited(2))).toMatchObject({ cancelled: [], appointments: [{ version: 2 }] })
  })

  test('an event in two calendars of a file is one appointment', () => {
    const later = calendar(...event(...MERE, 'SEQUENCE:1', 'LOCATION:Room 2'))
    const both = [{ place: 'Room 2', version: 1 }]
    expect(read(calendar(...event(...MERE)) + later).appointments).toMatchObject(both)
    expect(read(later + calendar(...event(...MERE))).appointments).toMatchObject(both)
  })
})

describe('a file that isn’t a calendar, or is too large,', () => {
  test.each([
    ['nothing', '', /isn’t a calendar/],
    ['a letter', 'Dear Mere,\nsee you at ten.\n', /isn’t a calendar/],
    ['a card', fold('BEGIN:VCARD', 'END:VCARD'), /isn’t a calendar/],
    ['half a calendar', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY', /damaged|isn’t a calendar/],
    ['nested deeply', `${'BEGIN:VEVENT\r\n'.repeat(50_000)}`, /nested too deeply/],
    ['of a million lines', 'X:1\n'.repeat(1_000_000), /too many lines/],
    ['of very many events', calendar('BEGIN:VEVENT\r\nEND:VEVENT\r\n'.repeat(20_001)), /too many events/]
  ])('(%s) is refused entirely', (_, text, message) => {
    expect(() => read(text)).toThrow(file(message))
  })

  test('is cut to the first 2,000 events, with a note', () => {
    const events = Array.from({ length: 2100 }, (_, index) =>
      event(`UID:${index}`, 'SUMMARY:A', 'DTSTART:20261121T020000Z')
    ).flat()
    const found = read(calendar(...events))
    expect(found.appointments).toHaveLength(2000)
    expect(found.notes).toEqual(['Only the first 2,000 are read; 100 dates left out.'])
  })

  test('with any content gives appointments or a plain refusal', () => {
    const names = fc.constantFrom(
      'UID',
      'DTSTART',
      'DTEND',
      'DTSTART;TZID=Nowhere',
      'RRULE',
      'EXDATE',
      'RDATE',
      'DURATION',
      'SUMMARY',
      'ATTENDEE',
      'SEQUENCE',
      'RECURRENCE-ID',
      'BEGIN',
      'END',
      'STATUS'
    )
    const values = fc.oneof(
      fc.constantFrom(
        '20261121T100000',
        '20261121T100000Z',
        '20261399T990000',
        'P99D',
        '-P1D',
        'FREQ=DAILY;COUNT=3',
        'FREQ=YEARLY;BYMONTH=2',
        'VEVENT',
        'VALARM',
        'CANCELLED',
        '-1',
        'mailto:a@b.c'
      ),
      fc.string({ maxLength: 20 })
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values), { maxLength: 12 }), (lines) => {
        try {
          const found = read(calendar(...event(...lines.map(([name, value]) => `${name}:${value}`))))
          for (const one of found.appointments) expect(Number.isSafeInteger(one.at) && one.name !== '').toBe(true)
          for (const { why } of found.refused) expect(why).toMatch(/^[A-Z].*\.$/s)
        } catch (error) {
          expect(error).toEqual(file(/./))
        }
      }),
      { numRuns: 200 }
    )
  })
})
