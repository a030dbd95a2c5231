import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../storage/folders.ts'
import { HOUR, office as newOffice } from './office.ts'

function office() {
  const one = newOffice()
  const folder = temporaryFolder()
  function open(fileName: string, ...lines: string[]) {
    const path = join(folder, fileName)
    writeFileSync(path, `${lines.join('\r\n')}\r\n`)
    return one.imports.open(path)
  }
  const event = (uid: string, time: string, ...more: string[]) => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTART;TZID=Pacific/Auckland:20261121T${time}`,
    ...(more.some((line) => line.startsWith('SUMMARY')) ? [] : ['SUMMARY:Mere Parata']),
    ...more,
    'END:VEVENT'
  ]
  const calendar = (...lines: string[]) => open('day.ics', 'BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR')
  async function importLines(...lines: string[]) {
    return one.imports.import({ id: (await calendar(...lines)).id })
  }
  const times = async () =>
    (await one.appointments.today()).appointments.map(({ at }) =>
      new Date(at + 13 * 3_600_000).toISOString().slice(11, 16)
    )
  return { ...one, open, calendar, event, taken: importLines, times }
}

describe('an imported file', () => {
  test('is previewed first, and changes nothing until confirmed', async () => {
    const { calendar, event, imports, notes, times } = office()
    const shown = await calendar(
      ...event('a', '103000', 'LOCATION:Room 2'),
      ...event('b', '110000', 'DTEND:19990101T000000')
    )
    expect(shown).toMatchObject({
      fileName: 'day.ics',
      counts: { new: 1, changed: 0, same: 0, gone: 0 },
      rows: [{ kind: 'new', name: 'Mere Parata', place: 'Room 2', minutes: 30 }],
      refused: [{ name: 'Mere Parata', why: 'It ends before it starts.' }],
      refusedCount: 1
    })
    expect(await times()).toEqual([])
    expect(imports.import({ id: shown.id })).toEqual({ added: 1, changed: 0, removed: 0 })
    expect(await times()).toEqual(['10:30'])
    expect(notes).toMatchObject([
      { what: 'appointments-imported', detail: { file: 'day.ics', added: '1', moved: '0', cancelled: '0' } }
    ])
    expect(() => imports.import({ id: shown.id })).toThrow(
      expect.objectContaining({ appError: expect.objectContaining({ code: 'gone' }) })
    )
  })

  test('imported again updates what moved, without duplicates', async () => {
    const { calendar, event, taken: importLines, times } = office()
    await importLines(...event('a', '103000'), ...event('b', '110000'))
    const secondRead = await calendar(...event('a', '103000'), ...event('b', '140000', 'SEQUENCE:1'))
    expect(secondRead.counts).toEqual({ new: 0, changed: 1, same: 1, gone: 0 })
    expect(await importLines(...event('a', '103000'), ...event('b', '140000', 'SEQUENCE:1'))).toEqual({
      added: 0,
      changed: 1,
      removed: 0
    })
    expect(await times()).toEqual(['10:30', '14:00'])
  })

  test('can be opened while another is still being read, and is the one to import', async () => {
    const { open, event, imports, times } = office()
    const fileOf = (name: string, time: string) => open(name, 'BEGIN:VCALENDAR', ...event('a', time), 'END:VCALENDAR')
    const first = fileOf('first.ics', '103000')
    const second = fileOf('second.ics', '110000')
    expect(await Promise.all([first, second])).toMatchObject([{ fileName: 'first.ics' }, { fileName: 'second.ics' }])
    expect(imports.import({ id: (await second).id })).toMatchObject({ added: 1 })
    expect(await times()).toEqual(['11:00'])
  })

  test('older than the current data changes nothing, with a note', async () => {
    const { calendar, event, taken: importLines, times } = office()
    await importLines(...event('a', '140000', 'SEQUENCE:2'))
    const older = await calendar(...event('a', '103000', 'SEQUENCE:1'))
    expect(older.counts.same).toBe(1)
    expect(older.notes.join(' ')).toContain('older than what is here')
    await importLines(...event('a', '103000', 'SEQUENCE:1'))
    expect(await times()).toEqual(['14:00'])
  })

  test.each([
    ['its status', (event: string[]) => [...event.slice(0, -1), 'STATUS:CANCELLED', 'END:VEVENT']],
    ['the file’s method', (event: string[]) => ['METHOD:CANCEL', ...event]]
  ])('removes events cancelled by %s, which the preview shows', async (_, cancelled) => {
    const { calendar, event, taken: importLines, times } = office()
    await importLines(...event('a', '103000'), ...event('b', '110000'))
    const shown = await calendar(...cancelled(event('a', '103000')))
    expect(shown.rows).toMatchObject([{ kind: 'gone', name: 'Mere Parata' }])
    expect(await importLines(...cancelled(event('a', '103000')))).toMatchObject({ removed: 1 })
    expect(await times()).toEqual(['11:00'])
  })

  test('that is outdated can’t cancel what a newer one moved', async () => {
    const { event, taken: importLines, times } = office()
    await importLines(...event('a', '140000', 'SEQUENCE:2'))
    await importLines(...event('a', '103000', 'SEQUENCE:1', 'STATUS:CANCELLED'))
    expect(await times()).toEqual(['14:00'])
    await importLines(...event('a', '140000', 'SEQUENCE:3', 'STATUS:CANCELLED'))
    expect(await times()).toEqual([])
  })

  test('removes dates no longer in its series, except of people who have arrived', async () => {
    const { appointments, event, taken: importLines, times } = office()
    const series = (...more: string[]) => event('s', '103000', 'RRULE:FREQ=DAILY;COUNT=5', ...more)
    expect(await importLines(...series())).toMatchObject({ added: 5 })
    expect(await importLines(...series('EXDATE;TZID=Pacific/Auckland:20261123T103000'))).toMatchObject({
      removed: 1,
      added: 0
    })
    const [today] = (await appointments.today()).appointments
    appointments.mark(today?.id ?? '', 'arrived')
    expect(
      await importLines(
        ...series('EXDATE;TZID=Pacific/Auckland:20261121T103000', 'EXDATE;TZID=Pacific/Auckland:20261123T103000')
      )
    ).toMatchObject({ removed: 0 })
    expect(await times()).toEqual(['10:30'])
  })

  test.each(['arrived', 'here', 'done'] as const)(
    'removes nobody who is %s, although the event was cancelled',
    async (state) => {
      const { appointments, calendar, event, imports, taken: importLines, only } = office()
      await importLines(...event('a', '103000'))
      const cancelled = await calendar(...event('a', '103000', 'SEQUENCE:1', 'STATUS:CANCELLED'))
      expect(cancelled.counts).toMatchObject({ gone: 1 })
      // They come while the preview is shown.
      appointments.mark((await only())?.id ?? '', state)
      expect(imports.import({ id: cancelled.id })).toMatchObject({ removed: 0 })
      expect(await only()).toMatchObject({ name: 'Mere Parata', state })
    }
  )

  test('removes someone who didn’t come if the event was cancelled', async () => {
    const { appointments, event, taken: importLines, only } = office()
    await importLines(...event('a', '103000'))
    appointments.mark((await only())?.id ?? '', 'no-show')
    expect(await importLines(...event('a', '103000', 'SEQUENCE:1', 'STATUS:CANCELLED'))).toMatchObject({ removed: 1 })
  })

  test('of an older series leaves what a newer one has moved', async () => {
    const { calendar, event, taken: importLines, times } = office()
    const series = (time: string, version: number) =>
      event('s', time, 'RRULE:FREQ=DAILY;COUNT=3', `SEQUENCE:${version}`)
    await importLines(...series('140000', 2))
    const older = await calendar(...series('103000', 1))
    expect(older.counts).toEqual({ new: 0, changed: 0, same: 3, gone: 0 })
    expect(older.notes.join(' ')).toContain('older than what is here')
    expect(await importLines(...series('103000', 1))).toEqual({ added: 0, changed: 0, removed: 0 })
    expect(await times()).toEqual(['14:00'])
  })

  test('of an older series leaves what a newer one has moved, also if someone has come to a date of before', async () => {
    const { appointments, event, only, taken: importLines, times } = office()
    const series = (time: string, version: number) =>
      event('s', time, 'RRULE:FREQ=DAILY;COUNT=3', `SEQUENCE:${version}`)
    await importLines(...series('103000', 1))
    appointments.mark((await only())?.id ?? '', 'arrived')
    await importLines(...series('140000', 2))
    expect(await importLines(...series('103000', 1))).toEqual({ added: 0, changed: 0, removed: 0 })
    expect(await times()).toEqual(['10:30', '14:00'])
  })

  test('keeps what staff have added to an appointment and the file says nothing about', async () => {
    const { appointments, calendar, event, imports, only, taken: importLines } = office()
    await importLines(...event('a', '103000'))
    const { id = '', at = 0 } = (await only()) ?? {}
    const added = { email: 'mere@example.com', mobile: '021 555 0101', place: 'Room 2', about: 'Deed of gift' }
    appointments.change({ id, ...added })
    appointments.choosePerson(id, 'person-0')
    expect((await calendar(...event('a', '103000'))).counts).toMatchObject({ same: 1, changed: 0 })
    imports.import({ id: (await calendar(...event('a', '110000', 'LOCATION:Room 3'))).id })
    expect(await only()).toMatchObject({ ...added, place: 'Room 3', at: at + HOUR / 2 })
    expect(appointments.table.byId(id)?.person).toBe('person-0')
  })

  test('keeps the states, but a missed appointment with a new time is expected again', async () => {
    const { appointments, event, only, taken: importLines } = office()
    await importLines(...event('a', '103000'))
    const id = (await only())?.id ?? ''
    appointments.mark(id, 'arrived')
    await importLines(...event('a', '110000'))
    expect(await only()).toMatchObject({ state: 'arrived', number: 1 })
    appointments.mark(id, 'no-show')
    await importLines(...event('a', '150000'))
    expect(await only()).toMatchObject({ state: 'expected' })
  })

  test('that moves an arrived person to another day resets them to expected, without a number', async () => {
    const { appointments, event, only, pass, taken: importLines } = office()
    await importLines(...event('a', '103000'))
    appointments.mark((await only())?.id ?? '', 'arrived')
    await importLines(...event('a', '103000').map((line) => line.replace('20261121', '20261122')))
    pass(24 * HOUR)
    const moved = await only()
    expect(moved).toMatchObject({ state: 'expected' })
    expect(moved).not.toHaveProperty('number')
  })

  test('belongs to the account chosen when it was opened', async () => {
    const { calendar, chosen, event, imports, times } = office()
    const { id } = await calendar(...event('a', '103000'))
    chosen.account = 'branch'
    expect(() => imports.import({ id })).toThrow()
    expect(await times()).toEqual([])
  })

  test('changes nothing if the trail can’t record it', async () => {
    const { calendar, event, imports, refusing, times } = office()
    const { id } = await calendar(...event('a', '103000'))
    refusing.notes = true
    expect(() => imports.import({ id })).toThrow('full')
    refusing.notes = false
    expect(await times()).toEqual([])
    expect(imports.import({ id })).toMatchObject({ added: 1 })
  })

  test('in table form is recognised by its rows when imported again', async () => {
    const { imports, open, times } = office()
    const rows = ['Name,Time,Room', 'Mere Parata,10:30,Room 2']
    imports.import({ id: (await open('day.csv', ...rows)).id })
    const secondRead = await open('day.csv', ...rows, 'Tama Brooks,11:00,')
    expect(secondRead.counts).toMatchObject({ same: 1, new: 1 })
    imports.import({ id: secondRead.id })
    expect(await times()).toEqual(['10:30', '11:00'])
  })
})
