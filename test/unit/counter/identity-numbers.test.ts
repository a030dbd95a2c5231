/**
 * What is stored of a passport or identity card that staff compared: no more than the organisation's policy allows, and
 * nothing before the screen is handed to the person.
 */
import { expect, test } from 'vitest'
import { openIdentityNumbers } from '../../../src/main/core/counter/identity-numbers.ts'
import { counterRequests } from '../../../src/shared/contract/counter-requests.ts'
import { passportLines } from '../../fixtures/passport-lines.ts'
import { numbersOf } from '../audit/office.ts'
import { openOffice as openOfficeWith, signer } from './office.ts'

const NUMBER = 'L898902C3'
const EXPIRES = '2012-04-15'
const LINES = passportLines('EXAMPLE<<ANN<CHARLOTTE')

function openOffice() {
  return openOfficeWith({ will: [signer('Ann Example'), signer('Ben Example')], deed: [signer('Ann Example')] })
}
type Office = ReturnType<typeof openOffice>
type Read = Partial<Parameters<Office['counter']['start']>[0]['turns'][number]>

/** Starts a session with two documents of Ann's and one of Ben's, and each passport read. */
async function started(office: Office, ofAnn: Read = { compared: 'matches', lines: LINES }) {
  const place = (documentReference: string, at: number) => ({ documentReference, signer: at, evidence: [] })
  const turns = [
    { ...place('will', 0), ...ofAnn },
    { ...place('deed', 0), ...ofAnn },
    { ...place('will', 1), compared: 'matches' as const, lines: passportLines('EXAMPLE<<BEN') }
  ]
  return office.counter.start({ turns, allowsCamera: false })
}

/** Everything known of a session outside the stored identity data. */
const everywhere = ({ notes, marker, errors }: Office, state: unknown) => JSON.stringify([notes, marker, errors, state])

test('without a policy only the comparison is recorded, and nothing of the lines', async () => {
  const office = openOffice()
  const { id } = await started(office)
  await office.counter.begin(id)
  expect(office.numbers).toEqual([])
  expect(office.notesOf('handed-over')[0]?.detail).toEqual({
    turn: '1',
    place: 'here',
    evidence: 'Passport or ID card compared: the name matches'
  })
  expect(office.state().turns.map(({ keeps }) => keeps)).toEqual([undefined, undefined, undefined])
  for (const secret of [NUMBER, NUMBER.slice(-4), EXPIRES, 'CHARLOTTE', '<<'])
    expect(everywhere(office, office.state())).not.toContain(secret)
})

const OTHERWISE = { code: 'bad-input', message: 'The signer’s name has changed since their document was compared.' }

test.each<[what: string, claim: Read]>([
  ['lines of someone else', { compared: 'matches', lines: passportLines('BROOKS<<BEN') }],
  ['lines with a wrong digit', { compared: 'matches', lines: LINES.replace('L898902C3', 'L898902C4') }],
  ['half of the lines', { compared: 'matches', lines: LINES.slice(0, 44) }],
  ['no lines', { compared: 'matches' }],
  ['a difference that isn’t there', { compared: 'differs', lines: LINES }],
  ['lines that staff weren’t shown the result of', { lines: LINES }]
])('the window isn’t believed: %s', async (_what, claim) => {
  const office = openOffice()
  office.settings.identityKept = 'number-and-expiry'
  await expect(started(office, claim)).rejects.toMatchObject({ appError: OTHERWISE })
  expect([office.notes, office.numbers, office.errors, office.marker]).toEqual([[], [], [], null])
})

test('a claim for a later document isn’t believed either, if the name is spelled differently there', async () => {
  const more = { Email: 'ann@example.com' }
  const office = openOfficeWith({ will: [signer('Ann Example', more)], deed: [signer('Anne Example', more)] })
  const turn = (documentReference: string, compared: 'matches' | 'differs') => ({
    ...{ documentReference, signer: 0, evidence: [] },
    ...{ compared, lines: LINES }
  })
  const claimed = { turns: [turn('will', 'matches'), turn('deed', 'matches')], allowsCamera: false }
  await expect(office.counter.start(claimed)).rejects.toMatchObject({ appError: OTHERWISE })
  await office.counter.start({ ...claimed, turns: [turn('will', 'matches'), turn('deed', 'differs')] })
  const said = 'Passport or ID card compared: the name'
  expect(office.notesOf('session-started')[0]?.detail?.evidence).toBe(`${said} matches; ${said} differs`)
})

test('a request takes at most 300 characters of lines, and no details that the window read from them', () => {
  const asks = (more: object) =>
    counterRequests['counter.start'].input.safeParse({
      turns: [{ documentReference: 'will', signer: 0, evidence: [], compared: 'matches', ...more }],
      allowsCamera: false
    }).success
  expect([asks({ lines: 'A'.repeat(300) }), asks({ lines: 'A'.repeat(301) })]).toEqual([true, false])
  expect(asks({ document: { number: NUMBER } })).toBe(false)
})

test.each([
  ['number-end', { number: '02C3', isEnd: true }, 'The last characters of its number are kept'],
  ['number-and-expiry', { number: NUMBER, expires: EXPIRES }, 'Its number and expiry date are kept']
] as const)(
  'the policy “%s” stores just that at the handover, once, and nowhere else',
  async (policy, reading, words) => {
    const office = openOffice()
    office.settings.identityKept = policy
    const { id, turns } = await started(office)
    expect(turns.map(({ keeps }) => keeps)).toEqual([policy, policy, policy])
    // The screen hasn't been handed over yet.
    expect(office.numbers).toEqual([])
    await office.counter.begin(id)
    const ofAnn = { accountId: 'office', session: id, turn: 1, documentReference: 'will', ...reading }
    expect(office.numbers).toEqual([ofAnn])
    expect(office.notesOf('handed-over')[0]?.detail).toMatchObject({
      identitySha256: 'hash',
      evidence: `Passport or ID card compared: the name matches; ${words}`
    })
    expect(everywhere(office, office.state())).not.toContain(reading.number)
    expect(everywhere(office, office.state())).not.toMatch(new RegExp(`${EXPIRES}|CHARLOTTE|<<`))
    // The same person's page again, which stores nothing more.
    await office.counter.cover(id, 'not-me')
    expect(office.numbers).toEqual([ofAnn])
  }
)

test('nothing is stored for a document without a number, or if the handover can’t be recorded', async () => {
  const office = openOffice()
  office.settings.identityKept = 'number-and-expiry'
  const lines = passportLines('EXAMPLE<<ANN', '<'.repeat(9))
  const { id } = await started(office, { compared: 'matches', lines })
  await office.counter.begin(id)
  expect([office.numbers, office.state().turns[0]?.keeps]).toEqual([[], undefined])

  const full = openOffice()
  full.settings.identityKept = 'number-and-expiry'
  const session = await started(full)
  full.trailTrouble = new Error('The disk is full.')
  await expect(full.counter.begin(session.id)).rejects.toThrow('The disk is full.')
  expect(full.numbers).toEqual([])
  full.trailTrouble = undefined
  await full.counter.begin(session.id)
  expect(full.numbers).toHaveLength(1)
})

test.each([
  ['number-and-expiry', 'compared', undefined, ''],
  ['number-end', 'compared', undefined, ''],
  ['number-and-expiry', 'number-end', { number: '02C3', isEnd: true }, '; The last characters of its number are kept'],
  // The person was shown that only the end is kept.
  ['number-end', 'number-and-expiry', { number: '02C3', isEnd: true }, '; The last characters of its number are kept']
] as const)(
  'if the policy changes from “%s” to “%s” before the handover, only what both allow is stored',
  async (before, after, reading, words) => {
    const office = openOffice()
    office.settings.identityKept = before
    const { id } = await started(office)
    office.settings.identityKept = after
    await office.counter.begin(id)
    const ofAnn = { accountId: 'office', session: id, turn: 1, documentReference: 'will' }
    expect(office.numbers).toEqual(reading ? [{ ...ofAnn, ...reading }] : [])
    expect(office.notesOf('handed-over').map(({ detail }) => detail?.evidence)).toEqual([
      `Passport or ID card compared: the name matches${words}`
    ])
  }
)

test('half of a short number is stored if the policy allows only its end', async () => {
  const office = openOffice()
  office.settings.identityKept = 'number-end'
  const { id } = await started(office, { compared: 'matches', lines: passportLines('EXAMPLE<<ANN', 'AB123<<<<') })
  await office.counter.begin(id)
  expect(office.numbers).toMatchObject([{ number: '123', isEnd: true }])
})

test('half of a short typed number is stored if the policy now allows only its end', async () => {
  const office = openOffice()
  office.settings.identityKept = 'number-and-expiry'
  const printed = { name: 'Ann Example', number: '12345', expires: EXPIRES }
  const turn = { documentReference: 'will', signer: 0, evidence: [], compared: 'matches' as const, printed }
  const { id } = await office.counter.start({ turns: [turn], allowsCamera: false })
  office.settings.identityKept = 'number-end'
  await office.counter.begin(id)
  expect(office.numbers).toMatchObject([{ number: '345', isEnd: true }])
})

test('stored details are shown only if they match the trail’s hash, which is salted', () => {
  const { db, numbers, entry } = numbersOf()
  const { detail, write } = numbers.keep(
    { accountId: 'a', session: 's', turn: 1, documentReference: 'will' },
    { number: NUMBER, expires: EXPIRES }
  )
  write()
  const recorded = entry({ ...detail, turn: '1' })
  expect(numbers.of(recorded)).toEqual({ number: NUMBER, expires: EXPIRES })
  expect(numbers.of(entry({ turn: '1' }))).toBeUndefined()
  expect(numbers.of({ ...recorded, session: 'another' })).toBeUndefined()
  const other = openIdentityNumbers({ db, now: () => 1, newSalt: () => 'another salt' })
  expect(
    other.keep(
      { accountId: 'a', session: 's', turn: 1, documentReference: 'will' },
      { number: NUMBER, expires: EXPIRES }
    ).detail
  ).not.toEqual(detail)
  db.prepare(`UPDATE identity_numbers SET kept = replace(kept, 'L8', 'M8')`).run()
  expect(numbers.of(recorded)).toBeUndefined()
})
