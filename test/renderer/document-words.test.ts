import { expect, test } from 'vitest'
import { asOf } from '../../src/renderer/src/screens/documents/as-of.ts'
import { dateInFull, dueWords } from '../../src/renderer/src/screens/documents/due-words.ts'
import { signatureWords, validationInWords } from '../../src/renderer/src/screens/documents/validation-words.ts'
import { progressInWords, sizeInWords } from '../../src/renderer/src/screens/downloads/sizes.ts'
import type { StatusFamily } from '../../src/shared/model/document-status.ts'

const noon = new Date(2025, 10, 26, 12, 0).getTime()
const DAY = 86_400_000

function due(days: number, family: StatusFamily = 'in-progress') {
  return dueWords({ due: { at: noon + days * DAY, precision: 'time' }, status: { raw: '', family } }, noon + 60_000)
}

test('a due date says how long is left', () => {
  expect(due(9)).toMatchObject({ day: '5 Dec', left: 'in 9 days', tone: 'quiet', overdue: false })
  expect(due(1)).toMatchObject({ left: 'tomorrow', tone: 'warn' })
})

test('what is overdue is marked, in words too', () => {
  expect(due(0)).toMatchObject({ left: 'overdue today', overdue: true, tone: 'danger' })
  expect(due(-1)).toMatchObject({ left: 'overdue by a day', overdue: true })
  expect(due(-3)).toMatchObject({ left: 'overdue by 3 days', overdue: true })
})

test('nobody is told to hurry for a document that has ended', () => {
  for (const family of ['complete', 'declined', 'expired'] as const) {
    expect(due(-3, family)).toMatchObject({ left: '', overdue: false })
  }
})

test('a due day without a time lasts until that day is over', () => {
  const status = { raw: '', family: 'in-progress' as const }
  const midnight = new Date(2025, 10, 26).getTime()
  expect(dueWords({ due: { at: midnight, precision: 'day' }, status }, noon)?.overdue).toBe(false)
  expect(dueWords({ due: { at: midnight, precision: 'day' }, status }, midnight + DAY)?.overdue).toBe(true)
})

test('a day without a time is the day where it was written', () => {
  const inAuckland = Date.UTC(2025, 11, 4, 11)
  expect(dateInFull({ at: inAuckland, precision: 'day' }, 780)).toBe('Friday 5 December 2025')
})

test('a list says when it was last true, with the day where it is not today or nothing can be asked', () => {
  const before = new Date(2025, 10, 26, 10, 42).getTime()
  expect(asOf(before, noon, 'online')).toBe('As of 10:42')
  expect(asOf(before - 5 * DAY, noon, 'online')).toBe('As of 10:42, 21 November')
  expect(asOf(before, noon, 'offline')).toBe('Offline. As of 10:42, 26 November')
  expect(asOf(undefined, noon, 'offline')).toBe('Offline. Not read yet')
})

test('a signature is called valid only where the service says so', () => {
  expect(signatureWords({ isValid: true }).status.word).toBe('Valid')
  expect(signatureWords({ isValid: false }).status.word).toBe('Not valid')
  expect(signatureWords({}).status.word).toBe('Not known')
})

test('a signature tells who signed, when, and the company, title and reason', () => {
  const words = signatureWords({
    isValid: true,
    SignatureTime: 'yesterday, they say',
    User: 'mp-17',
    Signer: { FirstName: 'Mere', LastName: 'Parata', Company: 'Harbour & Co.', Title: 'Director', Reason: 'I agree' }
  })
  expect(words.who).toBe('Mere Parata')
  expect(words.when).toBe('yesterday, they say')
  expect(words.more.map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Company: Harbour & Co.',
    'Title: Director',
    'Reason: I agree',
    'Signed as: mp-17'
  ])
})

test('one bad signature is never lost among good ones', () => {
  const of = (...valid: (boolean | undefined)[]) =>
    validationInWords({
      checkedAt: noon,
      Signatures: valid.map((isValid) => (isValid === undefined ? {} : { isValid }))
    })
  expect(of(true, false, true)).toMatchObject({ tone: 'danger', word: '1 of 3 signatures is not valid' })
  expect(of(true, undefined)).toMatchObject({ tone: 'warn', word: '1 of 2 signatures is not known to be valid' })
  expect(of(true, true)).toMatchObject({ tone: 'ok', word: 'All 2 signatures are valid' })
  expect(of(true)).toMatchObject({ tone: 'ok', word: 'The signature is valid' })
  expect(of()).toMatchObject({ tone: 'warn', word: 'No signatures were found in this document' })
})

test('sizes and progress are said in words', () => {
  expect([sizeInWords(0), sizeInWords(482_133), sizeInWords(999_700), sizeInWords(1_240_000)]).toEqual([
    '0 bytes',
    '482 KB',
    '1 MB',
    '1.2 MB'
  ])
  expect(progressInWords(121_000, 600_000)).toBe('121 KB of 600 KB')
  expect(progressInWords(121_000, undefined)).toBe('121 KB so far')
  expect(progressInWords(0, undefined)).toBe('Waiting for the service')
})
