/** What a file of appointments, from a calendar or someone's e-mail, would try, and a name in our spreadsheet files. */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'

const calendar = (...lines: string[]) =>
  `${['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR'].join('\r\n')}\r\n`
const START = 'DTSTART;TZID=Pacific/Auckland:20261123T100000'
const event = (...lines: string[]) => calendar('BEGIN:VEVENT', 'UID:a', ...lines, 'END:VEVENT')
const MERE = { name: 'Mere Tamati', email: '', place: '', about: '', at: '2026-11-22T21:00:00.000Z' }

/** Read as this appointment, and nothing else. */
const read = (name: string, script: string, one: Partial<typeof MERE>): Attack => ({
  name,
  script,
  answers: { appointments: [{ ...MERE, ...one }], refusals: [] }
})
/** Refused with its event, in words. */
const refused = (name: string, script: string, why: string): Attack => ({
  name,
  script,
  answers: { appointments: [], refusals: [why] }
})
/** Refused as a whole, before anything is made of it. */
const tooMuch = (name: string, script: string, why: string): Attack => ({ name, script, answers: { refused: why } })

/** How a cell of a CSV file is written. */
const cell = (name: string, text: string, line: string): Attack => ({
  name,
  guard: ['cells'],
  play: async (scene) => assert.equal(await scene.say({ do: 'write-cells', text }), `\ufeffName\r\n${line}\r\n`)
})

/** A zone two hours ahead of Auckland, under the same name. */
const OTHER_AUCKLAND = [
  'BEGIN:VTIMEZONE',
  'TZID:Pacific/Auckland',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+1500',
  'TZOFFSETTO:+1500',
  'END:STANDARD',
  'END:VTIMEZONE'
]

export const appointments: Area = {
  title: 'Files of appointments, and tables',
  about:
    'Appointments come from a calendar that others write to: an invitation by e-mail is enough to be in it. What is read is shown to staff, who call people by it. Each row is a file that staff chose; the last ones are names in a file of ours that someone opens in a spreadsheet.',
  by: 'file',
  guard: ['calendar'],
  attacks: [
    read('break the line of a name', event(START, 'SUMMARY:Mere\u0007\u001b\u0085Tamati'), {}),
    read('turn around the line of a name', event(START, 'SUMMARY:\u202eMere \u2066Tamati'), {}),
    read('put lines into a place', event(START, 'SUMMARY:Mere Tamati', 'LOCATION:Room 2\\n\\nCall 0900 123'), {
      place: 'Room 2 Call 0900 123'
    }),
    read(
      'have mail go to others, too',
      event(START, `ATTENDEE;CN=Mere Tamati:mailto:mere@a.example?bcc=all@evil.example`),
      {}
    ),
    read('have an address that is markup', event(START, 'ATTENDEE;CN=Mere Tamati:mailto:<b>@a.example'), {}),
    refused(
      'fill the queue with a name',
      event(START, `SUMMARY:${'m'.repeat(300)}`),
      'The name is longer than 200 characters.'
    ),
    refused(
      'have a zone that nobody knows',
      event('DTSTART;TZID=Nowhere/Else:20261123T100000', 'SUMMARY:Mere Tamati'),
      'Its time zone, “Nowhere/Else”, isn’t known.'
    ),
    read(
      'say what Auckland’s time is',
      calendar(...OTHER_AUCKLAND, 'BEGIN:VEVENT', 'UID:a', START, 'SUMMARY:Mere Tamati', 'END:VEVENT'),
      {}
    ),
    refused(
      'come every second',
      event(START, 'SUMMARY:Mere Tamati', 'RRULE:FREQ=SECONDLY'),
      'It repeats more often than once a day.'
    ),
    refused(
      'come in a hundred thousand years',
      event(START, 'SUMMARY:Mere Tamati', 'RRULE:FREQ=DAILY;INTERVAL=99999999'),
      'It repeats too rarely to be read.'
    ),
    {
      name: 'come on a day that never is, and be looked for without end',
      script: event(START, 'SUMMARY:Mere Tamati', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31'),
      answers: { appointments: [], refusals: [] }
    },
    tooMuch(
      'be nested too deeply to be read',
      'BEGIN:VEVENT\r\n'.repeat(50_000),
      'This isn’t a calendar: its parts are nested too deeply.'
    ),
    tooMuch(
      'be of a million lines',
      'BEGIN:VCALENDAR\r\nX:1\n'.concat('X:1\n'.repeat(1_000_000)),
      'This calendar has too many lines.'
    ),
    tooMuch(
      'be of very many events',
      calendar('BEGIN:VEVENT\r\nEND:VEVENT\r\n'.repeat(20_001)),
      'This calendar has too many events.'
    ),
    tooMuch(
      'be of fifty megabytes',
      `${event(START, 'SUMMARY:A')}${' '.repeat(50 * 1024 * 1024)}`,
      'This file is larger than 5 MB.'
    ),
    {
      ...tooMuch(
        'be another calendar than the one that was looked at',
        event(START, 'SUMMARY:Mere Tamati'),
        'This file changed while it was read.'
      ),
      meanwhile: event(START, 'SUMMARY:Wiremu Ngata of the other office')
    },
    cell(
      'be a formula in a spreadsheet',
      '=HYPERLINK("http://{elsewhere}/","Mere")',
      `"'=HYPERLINK(""http://{elsewhere}/"",""Mere"")"`
    ),
    cell('be a formula behind a sign', '+cmd|/c calc!A1', `"'+cmd|/c calc!A1"`),
    cell('be a formula behind apostrophes', "''@SUM(A1)", `"'''@SUM(A1)"`),
    cell('be a formula where a semicolon parts cells', 'Mere;=1+1', "Mere;'=1+1")
  ]
}
