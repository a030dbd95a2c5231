import { appendFile, mkdir, open, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  appointmentAnswers,
  MAX_FILE_BYTES,
  readAppointments
} from '../../../src/main/core/appointments/appointment-files.ts'
import { openChosen } from '../../../src/main/core/storage/chosen-file.ts'
import { workbookOf } from '../bulk/tables.ts'
import { temporaryFolder } from '../storage/folders.ts'

/** Friday 21 November 2026, 10:00 in Auckland. */
const NOW = Date.parse('2026-11-21T10:00:00+13:00')
const at = { now: NOW, zone: 'Pacific/Auckland' }

async function reading(fileName: string, content: string | Uint8Array) {
  const path = join(temporaryFolder(), fileName)
  await writeFile(path, content)
  return appointmentAnswers.appointments({ path, fileName, ...at })
}
const refusal = (message: RegExp) => ({ appError: { code: 'bad-file', message: expect.stringMatching(message) } })

describe('a table of appointments', () => {
  test('is matched to columns by its headings', async () => {
    const found = await reading(
      'bookings.csv',
      'First name,Surname,E-mail,Mobile,Date,Start time,End,Room,Document\nMere,Parata,mere@example.com,021 555 0101,21/11/2026,2:30 pm,3 pm,Room 2,Deed of gift\n'
    )
    expect(found.refused).toEqual([])
    expect(found.appointments).toEqual([
      {
        key: expect.any(String),
        version: 0,
        name: 'Mere Parata',
        email: 'mere@example.com',
        mobile: '021 555 0101',
        at: Date.parse('2026-11-21T14:30:00+13:00'),
        minutes: 30,
        place: 'Room 2',
        about: 'Deed of gift',
        notes: []
      }
    ])
  })

  test('without dates counts as today’s, with a note', async () => {
    const found = await reading('today.csv', 'Name,Time,Minutes\nMere Parata,14:30,45\n')
    expect(found.appointments).toMatchObject([{ at: Date.parse('2026-11-21T14:30:00+13:00'), minutes: 45 }])
    expect(found.notes).toContain('There’s no date column. Rows without a date are read as today.')
  })

  test.each([
    ['Start,2026-11-21T01:30:00Z', 'End,2026-11-21T03:00:00Z', '2026-11-21T14:30:00+13:00', 90],
    ['Start time,2026-11-22T00:30+09:00', 'End,2026-11-22T01:15+09:00', '2026-11-22T04:30:00+13:00', 45],
    ['Start,21/11/2026 2:30 pm', 'End,21/11/2026 4:00 pm', '2026-11-21T14:30:00+13:00', 90],
    ['Start,21/11/2026 10:00 pm', 'End,22/11/2026 12:00 AM', '2026-11-21T22:00:00+13:00', 120],
    ['Start,2026-11-21T22:30', 'End,2026-11-22T00:00:00', '2026-11-21T22:30:00+13:00', 90],
    ['Start,2026-11-21T22:30', 'End,2026-11-22', '2026-11-21T22:30:00+13:00', 90],
    ['Start date;Start time,21/11/2026;23:30', 'End date;End time,22/11/2026;0:15', '2026-11-21T23:30:00+13:00', 45]
  ])('is at the moment that “%s” and “%s” say, with their zone and date', async (start, end, moment, minutes) => {
    const [headings, cells] = [start, end]
      .map((one) => one.split(','))
      .reduce(([one = '', two = ''], [three, four]) => [`${one};${three}`, `${two};${four}`], ['Name', 'Mere Parata'])
    const found = await reading('bookings.csv', `${headings}\n${cells}\n`)
    expect(found.appointments).toMatchObject([{ at: Date.parse(moment), minutes, notes: [] }])
  })

  test.each([
    ['Duration', '1:30', 90],
    ['Duration', '01:30:00', 90],
    ['Length', '1 h', 60],
    ['Length', '1.5 hours', 90],
    ['Length', '1 hr 15 min', 75],
    ['Duration', '45 minutes', 45],
    ['Duration (hours)', '0.5', 30],
    ['Duration (hours)', '2', 120],
    ['Minutes', '45.0', 45]
  ])('takes “%s” of %s', async (heading, length, minutes) => {
    const found = await reading('bookings.csv', `Name;Time;${heading}\nMere Parata;14:30;${length}\n`)
    expect(found.appointments).toMatchObject([{ minutes, notes: [] }])
  })

  test('says which lengths and ends it can’t read', async () => {
    const found = await reading(
      'bookings.csv',
      'Name,Time,Length,End\nMere Parata,14:30,short,\nTama Brooks,15:30,,late\nAna Fifita,16:30,,\n'
    )
    expect(found.appointments).toMatchObject([
      { minutes: 30, notes: ['Its length can’t be read.'] },
      { minutes: 30, notes: ['Its length can’t be read.'] },
      { minutes: 30, notes: [] }
    ])
  })

  test.each([
    ['no name', ',21/11/2026,10:30,11:00', 'There is no name.'],
    ['an invalid day', 'Mere,31/02/2026,10:30,11:00', 'Its date can’t be read.'],
    ['no time', 'Mere,21/11/2026,,', 'There is no time.'],
    ['an invalid time', 'Mere,21/11/2026,half ten,', 'Its time can’t be read.'],
    ['an end before its start', 'Mere,21/11/2026,10:30,9:00', 'It ends before it starts.']
  ])('refuses a row with %s, and says why', async (_, row, why) => {
    const found = await reading('bookings.csv', `Name,Date,Time,End\n${row}\nTama Brooks,22/11/2026,10:30,11:00\n`)
    expect(found.appointments).toMatchObject([{ name: 'Tama Brooks' }])
    expect(found.refused).toEqual([{ name: 'Row 2', why }])
  })

  test.each([
    ['a date of birth', 'Name,Date of birth,Date,Time', 'Mere,12/03/1980,21/11/2026,14:30'],
    ['a birth date', 'Name,Birth Date,Appointment date,Time', 'Mere,12/03/1980,21/11/2026,14:30'],
    ['the end', 'Name,End time,Start time,Date', 'Mere,15:00,14:30,21/11/2026'],
    ['the end date', 'Name,End date,End time,Start date,Start time', 'Mere,21/11/2026,15:00,21/11/2026,14:30']
  ])('with %s before its start is at its start', async (_, headings, row) => {
    const found = await reading('bookings.csv', `${headings}\n${row}\n`)
    expect(found.appointments).toMatchObject([{ at: Date.parse('2026-11-21T14:30:00+13:00'), minutes: 30 }])
  })

  test('notes how ambiguous dates are read, and takes each row once', async () => {
    const row = 'Mere,4/12/2026,10:30,\n'
    const found = await reading('bookings.csv', `Name,Date,Time,End\n${row}${row}`)
    expect(found.appointments).toHaveLength(1)
    expect(found.notes.join(' ')).toContain('Dates such as 4/12/2026 are read with the day first.')
    expect(found.refused).toEqual([{ name: 'Row 3', why: 'It’s in the file twice.' }])
  })

  test.each(['Consultation', 'Consultation 30 min'])(
    'with “%s” in a column called “Appointment” tells its rows apart by person and time',
    async (kind) => {
      const rows = `Mere,21/11/2026,10:30,${kind}\nTama,21/11/2026,11:00,${kind}\n`
      const found = await reading('bookings.csv', `Name,Date,Time,Appointment\n${rows}`)
      expect(found).toMatchObject({ refused: [], appointments: [{ name: 'Mere' }, { name: 'Tama' }] })
    }
  )

  test('knows its rows by their number, also beside a column of kinds', async () => {
    const found = await reading(
      'bookings.csv',
      'Name,Time,Appointment,ID\nMere,10:30,Will 1,BK 417\nMere,11:00,Will 1,BK 417\n'
    )
    expect(found.refused).toEqual([{ name: 'Row 3', why: 'It’s in the file twice.' }])
    const numbered = await reading('bookings.csv', 'Name,Time,Booking\nMere,10:30,417\nTama,11:00,417\n')
    expect(numbered.refused).toEqual([{ name: 'Row 3', why: 'It’s in the file twice.' }])
  })

  test('may be on any sheet of a workbook, and a note says on which', async () => {
    const booking = [
      ['Name', 'Time'],
      ['Mere Parata', '14:30']
    ]
    const other = { Notes: [['Please'], ['Read me']], Blank: [['Name', 'Time']], Rooms: [['Room'], ['2']] }
    const found = await reading('bookings.xlsx', await workbookOf({ ...other, Bookings: booking }))
    expect(found.appointments).toMatchObject([{ name: 'Mere Parata' }])
    expect(found.notes[0]).toBe('Only the sheet “Bookings” of this workbook was read.')
    const alone = await reading('bookings.xlsx', await workbookOf({ Bookings: booking }))
    expect(alone.notes.join()).not.toContain('Only the sheet')
    await expect(reading('bookings.xlsx', await workbookOf({ Rooms: other.Rooms }))).rejects.toMatchObject(
      refusal(/no column with names/)
    )
  })

  test('treats a formula as text', async () => {
    const found = await reading('bookings.csv', 'Name,Time\n"=HYPERLINK(""http://evil.example"",""x"")",10:30\n')
    expect(found.appointments[0]?.name).toBe('=HYPERLINK("http://evil.example","x")')
  })

  test.each([
    ['names', 'Date,Time\n21/11/2026,10:30\n', /no column with names/],
    ['times', 'Name,Room\nMere,2\n', /no column with times/]
  ])('without a column of %s is refused with advice', async (_, text, message) => {
    await expect(reading('bookings.csv', text)).rejects.toMatchObject(refusal(message))
  })
})

describe('a file of appointments', () => {
  test('is recognised as a calendar by its content, not its name', async () => {
    const text =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Mere\r\nDTSTART:20261121T020000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
    expect((await reading('bookings.csv', text)).appointments).toMatchObject([{ name: 'Mere' }])
    await expect(reading('bookings.ics', 'Name,Time\nMere,10:30\n')).rejects.toMatchObject(refusal(/isn’t a calendar/))
  })

  test('of 50 MB is refused unread', async () => {
    const path = join(temporaryFolder(), 'all.ics')
    const file = await open(path, 'w')
    await file.truncate(50 * 1024 * 1024)
    await file.close()
    await expect(appointmentAnswers.appointments({ path, fileName: 'all.ics', ...at })).rejects.toMatchObject(
      refusal(/larger than 5 MB/)
    )
  })

  test('at the size limit is read completely', async () => {
    const line = `X-PAD:${'x'.repeat(60)}\r\n`
    const start = 'BEGIN:VCALENDAR\r\n'
    const end = 'BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Mere\r\nDTSTART:20261121T020000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
    const lines = Math.floor((MAX_FILE_BYTES - start.length - end.length) / line.length)
    expect((await reading('all.ics', start + line.repeat(lines) + end)).appointments).toHaveLength(1)
  })

  test('that is empty, missing, or a folder is refused with a message', async () => {
    await expect(reading('none.ics', '')).rejects.toMatchObject(refusal(/empty/))
    const folder = temporaryFolder()
    await mkdir(join(folder, 'a.ics'))
    const ask = (fileName: string) => appointmentAnswers.appointments({ path: join(folder, fileName), fileName, ...at })
    await expect(ask('b.ics')).rejects.toMatchObject(refusal(/no longer there/))
    await expect(ask('a.ics')).rejects.toMatchObject(refusal(/folder|couldn’t be read/))
  })

  test.each([
    ['grows', (path: string) => appendFile(path, 'X:2\r\n')],
    ['is replaced by one of the same length', (path: string) => writeFile(path, 'Name,Time\nBens,10:30\n')],
    ['is truncated', (path: string) => truncate(path, 3)]
  ])('that %s while being read is refused', async (_, happens) => {
    const path = join(temporaryFolder(), 'live.csv')
    await writeFile(path, 'Name,Time\nMere,10:30\n')
    await utimes(path, 1, 1)
    const openFile = async (...args: Parameters<typeof openChosen>) => {
      const file = await openChosen(...args)
      const read = file.read.bind(file) as (...args: unknown[]) => Promise<never>
      return Object.assign(file, {
        read: async (...args: unknown[]) => {
          await happens(path)
          return read(...args)
        }
      })
    }
    const request = { path, fileName: 'live.csv', ...at }
    await expect(readAppointments(request, openFile as typeof openChosen)).rejects.toMatchObject(
      refusal(/changed while it was read/)
    )
    await writeFile(path, 'Name,Time\nMere,10:30\n')
    expect((await readAppointments(request)).appointments).toHaveLength(1)
  })
})
