/**
 * A passport or identity card without machine-readable lines, typed by staff: the main process compares it, and stores no
 * more of it than of any other.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparePrinted } from '../../../src/main/core/counter/printed-document.ts'
import { counterHandlers } from '../../../src/main/ipc/counter.ts'
import { counterRequests } from '../../../src/shared/contract/counter-requests.ts'
import type { IdentityKept } from '../../../src/shared/contract/index.ts'
import { OFFLINE, openOffice, signer } from './office.ts'

const at = (now: number) => ({ now: () => now, zone: () => 'Pacific/Auckland' })
const TODAY = at(Date.UTC(2026, 10, 21, 9))
const CARD = { name: 'Ann Maria EXAMPLE', number: 'ab 123-456', expires: '15/4/2031' }
const compared = (changes: Partial<typeof CARD>, signerName = 'Ann Example', time = TODAY) =>
  comparePrinted({ ...CARD, ...changes }, signerName, time)

test.each([
  ['EXAMPLE, Ann Maria', 'Ann Example'],
  ['JÜRGEN MÜLLER', 'Jürgen Müller'],
  ['Juergen Mueller', 'Jürgen Müller'],
  ['Hohepa Ngata', 'Hōhepa Ngāta'],
  ['SIOBHAN O CONNOR OCONNOR', 'Siobhán O’Connor'],
  ['Mary Jane Smith Jones', 'Mary-Jane Smith-Jones'],
  ['ΓΙΩΡΓΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ', 'Γιώργος Παπαδόπουλος'],
  ['مُحَمَّد بن علي', 'محمد علي'],
  ['\u202Bمحمد علي\u202C', 'محمد علي'],
  ['\u200FAnn\u200E Example', 'Ann Example'],
  ['राम शर्मा', 'राम शर्मा'],
  ['李 小龙', '李 小龙'],
  [`${'A'.repeat(146)} ${'B'.repeat(153)}`, `${'a'.repeat(146)} ${'b'.repeat(153)}`]
])('“%s” matches the name %s', (name, signerName) => {
  expect(compared({ name }, signerName)).toEqual({ kind: 'matches', isExpired: false })
})

test.each([
  ['Anne Example', 'Ann Example'],
  ['Ann', 'Ann Example'],
  ['A. Example', 'Ann Example'],
  ['Ann Example', ''],
  ['Ann Example', '… –'],
  // Names without any letter from a to z, and names that differ by one vowel.
  ['علي محمود', 'محمد علي'],
  ['रमा शर्मा', 'राम शर्मा'],
  ['Мария', 'Иван'],
  ['Əli Əliyev', 'Li Liyev'],
  // Cyrillic letters that look the same.
  ['Аnn Example', 'Ann Example'],
  ['Muhammad Ali', 'محمد علي'],
  ['B'.repeat(300), `${'B'.repeat(299)}C`]
])('“%s” doesn’t match the name “%s”', (name, signerName) => {
  expect(compared({ name }, signerName)).toMatchObject({ kind: 'differs' })
})

test('implausible details aren’t compared, and each is reported', () => {
  expect(compared({ name: ' ', number: '', expires: 'soon' })).toEqual({
    kind: 'unusable',
    fields: ['name', 'number', 'expires']
  })
  for (const number of ['---', 'PASSPORT', '\u200E', 'A1'.repeat(21), 'A1€', '1\u0000🙂'])
    expect(compared({ number }), number).toEqual({ kind: 'unusable', fields: ['number'] })
  for (const expires of ['31/02/2030', '2030-13-01', '15/04/31', '0'.repeat(40)])
    expect(compared({ expires }), expires).toEqual({ kind: 'unusable', fields: ['expires'] })
  for (const name of ['', '123', '\u202E', '…'])
    expect(compared({ name }), name).toEqual({ kind: 'unusable', fields: ['name'] })
})

test('a document expires at the end of its last day in local time', () => {
  // Auckland is 12 hours ahead of UTC in winter, so the 15th ends there at 12:00 UTC.
  const [last, after] = [Date.UTC(2031, 3, 15, 11, 59), Date.UTC(2031, 3, 15, 12, 1)].map(at)
  expect(compared({}, 'Ann Example', last)).toEqual({ kind: 'matches', isExpired: false })
  expect(compared({}, 'Ann Example', after)).toEqual({ kind: 'matches', isExpired: true })
  expect(compared({ name: 'Ben Brooks' }, 'Ann Example', after)).toEqual({ kind: 'differs', isExpired: true })
  expect(compared({ expires: '' }, 'Ann Example', after)).toEqual({ kind: 'matches', isExpired: false })
  // Arabic, Persian and Devanagari digits.
  for (const expires of ['١٥/٠٤/٢٠٣١', '۲۰۳۱-۰۴-۱۵', '१५/०४/२०३१'])
    expect(compared({ expires }, 'Ann Example', after)).toEqual({ kind: 'matches', isExpired: true })
})

test('any input is compared or rejected, and an empty signer name never matches', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), fc.string(), (name, number, expires) => {
      expect(comparePrinted({ name, number, expires }, '', TODAY).kind).not.toBe('matches')
      comparePrinted({ name, number, expires }, name, TODAY)
    })
  )
})

const clerk = { from: 'office' as const, signal: new AbortController().signal, stillAsking: () => true }
const PLACE = { documentReference: 'will', signer: 0 }

test('a request accepts a name of 300 characters, and no more', () => {
  const asks = (printed: object) => counterRequests['counter.compareDocument'].input.safeParse({ ...PLACE, printed })
  expect(asks({ ...CARD, name: 'A'.repeat(300) }).success).toBe(true)
  for (const printed of [
    { ...CARD, name: 'A'.repeat(301) },
    { ...CARD, number: '1'.repeat(101) },
    { ...CARD, expires: '1'.repeat(41) },
    { ...CARD, photo: '' },
    {}
  ])
    expect(asks(printed).success).toBe(false)
})

test('comparing uses the signer as last read from the service, and changes nothing', async () => {
  const office = openOffice()
  office.trouble = OFFLINE
  const handle = counterHandlers(office.counter, () => [office.chosen])
  const ask = (signerIndex: number, name = CARD.name) =>
    handle['counter.compareDocument']({ ...PLACE, signer: signerIndex, printed: { ...CARD, name } }, clerk)
  expect(await ask(0)).toEqual({ kind: 'matches', isExpired: false })
  expect(await ask(0, 'Ben Brooks')).toEqual({ kind: 'differs', isExpired: false })
  await expect(ask(1)).rejects.toMatchObject({ appError: { code: 'gone' } })
  expect([office.refreshes, office.notes, office.numbers, office.errors, office.changes]).toEqual([0, [], [], [], []])
})

/** Starts a session for Ann, with her identity card typed. */
async function started(policy: IdentityKept, printed = CARD, comparison: 'matches' | 'differs' = 'matches') {
  const office = openOffice({ will: [signer('Ann Example'), signer('Ben Brooks')] })
  office.settings.identityKept = policy
  const turn = { ...PLACE, evidence: [], compared: comparison, printed }
  const { id } = await office.counter.start({ turns: [turn], allowsCamera: false })
  expect(office.numbers).toEqual([])
  await office.counter.begin(id)
  return office
}

const SAID = 'Passport or ID card details entered by staff, not read from machine-readable lines: the name'

test.each([
  ['compared', undefined, ''],
  ['number-end', { number: '3456', isEnd: true }, '; The last characters of its number are kept'],
  ['number-and-expiry', { number: 'AB123456', expires: '2031-04-15' }, '; Its number and expiry date are kept']
] as const)('the policy “%s” stores just that, and the trail says that it was typed', async (policy, stored, words) => {
  const office = await started(policy)
  expect(office.notesOf('handed-over')[0]?.detail?.evidence).toBe(`${SAID} matches${words}`)
  expect(office.numbers).toMatchObject(stored ? [stored] : [])
  const left = JSON.stringify([office.notes, office.marker, office.errors, office.state()])
  for (const secret of ['AB123456', 'ab 123-456', '3456', '2031', 'Maria', 'MARIA']) expect(left).not.toContain(secret)
  if (policy !== 'number-and-expiry') expect(JSON.stringify(office.numbers)).not.toMatch(/AB12|2031/)
})

test('of a short number half is stored, and digits of other scripts are stored as Latin ones', async () => {
  expect((await started('number-end', { ...CARD, number: 'A12' })).numbers).toMatchObject([{ number: '12' }])
  expect((await started('number-and-expiry', { ...CARD, number: '١٠٢٣ ٤٥٦' })).numbers).toMatchObject([
    { number: '1023456' }
  ])
})

test('a session whose comparison result differs from the main process’s doesn’t start', async () => {
  const office = await started('compared', { ...CARD, name: 'Ben Brooks' }, 'differs')
  expect(office.notesOf('handed-over')[0]?.detail?.evidence).toBe(`${SAID} differs`)
  const otherwise = { code: 'bad-input', message: 'The signer’s name has changed since their document was compared.' }
  await expect(started('compared', { ...CARD, name: 'Ben Brooks' })).rejects.toMatchObject({ appError: otherwise })
  await expect(started('compared', { ...CARD, number: '' })).rejects.toMatchObject({ appError: otherwise })
  await expect(started('compared', CARD, 'differs')).rejects.toMatchObject({ appError: otherwise })
})

test('a name spelled differently in one person’s documents is compared with each, and they can begin', async () => {
  const more = { Email: 'uwe@example.com' }
  const office = openOffice({ will: [signer('Uwe Jäger', more)], deed: [signer('Uwe Jager', more)] })
  const printed = { ...CARD, name: 'UWE JAEGER' }
  const handle = counterHandlers(office.counter, () => [office.chosen])
  const turns = await Promise.all(
    ['will', 'deed'].map(async (documentReference) => {
      const place = { documentReference, signer: 0 }
      const { kind } = await handle['counter.compareDocument']({ ...place, printed }, clerk)
      if (kind === 'unusable') throw new Error('The card can’t be read.')
      return { ...place, evidence: [], compared: kind, printed }
    })
  )
  expect(turns.map(({ compared }) => compared)).toEqual(['matches', 'differs'])
  const [first] = turns
  const asFirst = turns.map((turn) => ({ ...turn, compared: first?.compared ?? 'differs' }))
  await expect(office.counter.start({ turns: asFirst, allowsCamera: false })).rejects.toMatchObject({
    appError: { code: 'bad-input' }
  })
  const session = await office.counter.start({ turns, allowsCamera: false })
  expect(new Set(session.turns.map(({ person }) => person)).size).toBe(1)
  expect(office.notesOf('session-started')[0]?.detail?.evidence).toBe(`${SAID} matches; ${SAID} differs`)
})
