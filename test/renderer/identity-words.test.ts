import { describe, expect, test } from 'vitest'
import {
  ageOn,
  dateInWords,
  dateProblemOf,
  expiryFinding,
  readCardDate
} from '../../src/renderer/src/screens/identity/card-dates.ts'
import { compareNames, nameFinding } from '../../src/renderer/src/screens/identity/name-comparison.ts'
import { PictureViewport } from '../../src/renderer/src/screens/identity/picture-viewport.svelte.ts'
import {
  examinedInWords,
  faceFinding,
  keyFindings,
  personNameOf,
  readFaceScore,
  resultFinding,
  scoreInWords,
  signerOf
} from '../../src/renderer/src/screens/identity/record-words.ts'
import type { IdentityTexts } from '../../src/shared/contract/views.ts'
import { signerOf as personWith } from './document-pages.ts'
import { identityRecordOf, identityTexts } from './fakes/identity.ts'

const names = (card: [string?, string?, string?], user: [string?, string?, string?]): IdentityTexts => ({
  ...(card[0] && { firstName: card[0] }),
  ...(card[1] && { middleName: card[1] }),
  ...(card[2] && { lastName: card[2] }),
  ...(user[0] && { userFirstName: user[0] }),
  ...(user[1] && { userMiddleName: user[1] }),
  ...(user[2] && { userLastName: user[2] })
})
const matchKeys = (texts: IdentityTexts) => compareNames(texts).parts.map(({ match }) => match)
const found = (texts: IdentityTexts) => {
  const { word, meaning } = nameFinding(compareNames(texts))
  return `${word}: ${meaning}`
}

describe('comparing the name on the card with the name entered by the office', () => {
  test('capitals, accents and spaces don’t count as differences, but are mentioned', () => {
    const texts = names(['ANAHERA', '', 'TE  RANGI'], ['Anāhera', '', 'Terangi'])
    expect(matchKeys(texts)).toEqual(['alike', 'neither', 'alike'])
    expect(found(texts)).toBe('Names match: Except capitals, accents and spaces.')
    expect(compareNames(names(['ANA'], ['Ana'])).parts[0]?.but).toBe('capitals')
    expect(compareNames(names(['Ana'], ['Anā'])).parts[0]?.but).toBe('accents')
    expect(found(names(['Mere', '', 'Parata'], ['Mere', '', 'Parata']))).toBe('Names match: ')
    // Composed and decomposed letters are the same.
    expect(matchKeys(names(['Ana\u0304'], ['An\u0101']))[0]).toBe('same')
  })
  test('any other letter counts as a difference', () => {
    expect(matchKeys(names(['TAMA', '', 'BROOKES'], ['Tama', '', 'Brooks']))[2]).toBe('different')
    expect(found(names(['TAMA', '', 'BROOKES'], ['Tom', '', 'Brooks']))).toBe(
      'Names differ: First name and last name are different.'
    )
  })
  test('a middle name on one side only is reported as such', () => {
    expect(matchKeys(names(['A', 'B', 'C'], ['A', '', 'C']))[1]).toBe('only-card')
    expect(found(names(['A', 'B', 'C'], ['A', '', 'C']))).toBe(
      'Part of a name missing: Middle name is on one side only.'
    )
    expect(matchKeys(names(['A', '', 'C'], ['A', 'B', 'C']))[1]).toBe('only-user')
  })
  test('names match if only divided differently between first and middle name', () => {
    const texts = names(['MERE AROHA', '', 'PARATA'], ['Mere', 'Aroha', 'Parata'])
    expect(compareNames(texts).isSplitDifferently).toBe(true)
    expect(found(texts)).toMatch(/^Names match: .*split differently/)
    expect(compareNames(names(['MERE', '', 'X'], ['Mere', '', 'Y'])).isSplitDifferently).toBe(false)
  })
  test('a missing name on either side is reported', () => {
    expect(found(names([], ['A']))).toMatch(/^No name from the card/)
    expect(found(names(['A'], []))).toMatch(/^Name not compared/)
    expect(found({})).toMatch(/^No names/)
  })
})

describe('dates on the card', () => {
  const utc = (text: string) => Date.parse(`${text}T00:00:00Z`)
  test.each([
    ['2031-08-02', ['2031-08-02']],
    ['2031-08-02T00:00:00+12:00', ['2031-08-02']],
    ['17/05/1984', ['1984-05-17']],
    ['05/17/1984', ['1984-05-17']],
    ['04/05/1984', ['1984-05-04', '1984-04-05']],
    ['05.05.1984', ['1984-05-05']],
    ['17/05/1984 00:00:00', ['1984-05-17']],
    ['04/05/1984 00:00:00', ['1984-05-04', '1984-04-05']],
    ['5/4/1984 12:00:00 AM', ['1984-04-05', '1984-05-04']],
    ['31/02/1984', []],
    ['04/05/1984 or so', []],
    ['01/01/0001 00:00:00', []],
    ['next year', []]
  ])('%s', (raw, days) => expect(readCardDate(raw).days).toEqual(days.map(utc)))

  test('an ambiguous date is shown as written, with both readings', () => {
    const date = readCardDate('04/05/1984')
    expect(dateInWords(date)).toBe('04/05/1984')
    expect(dateProblemOf(date)).toBe('Could be 4 May 1984 or 5 April 1984.')
    expect(dateProblemOf(readCardDate('soon'))).toMatch(/isn’t a date/)
    expect(dateInWords(readCardDate('1984-05-17'))).toBe('Thursday 17 May 1984')
    expect(dateProblemOf(readCardDate('1984-05-17'))).toBeUndefined()
  })
  test('the age changes on the birthday', () => {
    expect(ageOn(readCardDate('1984-05-17'), utc('2026-05-16'))).toBe(41)
    expect(ageOn(readCardDate('1984-05-17'), utc('2026-05-17'))).toBe(42)
    expect(ageOn(readCardDate('04/05/1984'), utc('2026-05-17'))).toBeUndefined()
  })

  const noon = (text: string) => new Date(`${text}T12:00:00`).getTime()
  const expiry = (expires: string | undefined, examined: string | undefined, now: string) =>
    expiryFinding(
      expires === undefined ? undefined : readCardDate(expires),
      examined ? utc(examined) : undefined,
      noon(now)
    )
  test.each([
    ['2025-11-19', '2025-11-20', '2025-11-26', 'Expired at the check', 'Expired 1 day before'],
    ['2025-11-20', '2025-11-20', '2025-11-20', 'Expires soon', 'Expires today'],
    ['2025-11-22', '2025-11-20', '2025-11-26', 'Expired since the check', '4 days ago. It was valid at'],
    ['2025-12-20', '2025-11-20', '2025-11-26', 'Expires soon', 'in 24 days'],
    ['2031-08-02', '2025-11-20', '2025-11-26', 'Card is valid', 'in 5 years'],
    ['2025-11-22', undefined, '2025-11-26', 'Expired', 'isn’t known'],
    [undefined, '2025-11-20', '2025-11-26', 'No expiry date', ''],
    ['never', '2025-11-20', '2025-11-26', 'Expiry date unclear', 'isn’t a date'],
    // Expired long ago either way.
    ['04/05/2020', '2025-11-20', '2025-11-26', 'Expired at the check', ''],
    ['01/12/2024', '2025-11-20', '2025-11-26', 'Expired at the check', 'Could be 1 December 2024 or 12 January 2024.'],
    ['12/11/2025', '2025-11-20', '2025-11-26', 'Expiry date unclear', '11 December 2025']
  ])('a card expiring %s, checked %s, on %s: %s', (expires, examined, now, word, meaning) => {
    const finding = expiry(expires, examined, now)
    expect(finding.word).toBe(word)
    expect(finding.meaning).toContain(meaning)
  })
})

describe('faces', () => {
  test.each([
    ['0.9641', 0.9641, 1],
    ['1.0', 1, 1],
    ['0', 0, 1],
    ['96.41', 0.9641, 100],
    ['96,41', 0.9641, 100],
    ['96.4%', 0.964, 100],
    ['0.5 %', 0.005, 100],
    ['100', 1, 100]
  ])('reads a score of %s', (raw, fraction, of) => {
    const score = readFaceScore(raw)
    expect(score.fraction).toBeCloseTo(fraction, 6)
    expect(score.scaleMax).toBe(of)
  })
  test.each(['1', 'high', '-0.2', '412', '', 'NaN', '0x10', '1e2'])(
    'shows the score “%s” as written, without a scale',
    (raw) => {
      expect(readFaceScore(raw).fraction).toBeUndefined()
      expect(readFaceScore(raw).why).toMatch(/^(Not a score|Could be)/)
    }
  )
  test('the service’s result decides, not the score', () => {
    expect(faceFinding({ faceMatchResult: 'Passed', faceMatchScore: '0.01' })).toMatchObject({ tone: 'ok' })
    expect(faceFinding({ faceMatchResult: 'Failed', faceMatchScore: '0.99' })).toMatchObject({
      word: 'Faces don’t match',
      meaning: 'Service result: “Failed”. Score 0.99 of 1.'
    })
    expect(faceFinding({ faceMatchResult: 'Tier 4' })).toMatchObject({
      word: 'Tier 4',
      meaning: ''
    })
    expect(faceFinding({ faceMatchScore: '0.9' })).toMatchObject({ word: 'No face result', tone: 'quiet' })
    expect(faceFinding({ faceError: 'No face found.' })).toMatchObject({ tone: 'warn', meaning: 'No face found.' })
    expect(scoreInWords(readFaceScore('high'))).toBe('“high”')
  })
})

describe('a whole record', () => {
  // Fails only on a computer whose day differs from the one that was written, in New Zealand or in America.
  test.each([
    ['2025-11-20', '2025-11-20', 'Expired since the check'],
    ['2025-11-20 23:30:00', '2025-11-20', 'Expired since the check'],
    ['2025-11-20 00:30:00', '2025-11-20', 'Expired since the check'],
    ['2025-11-20', '2025-11-19', 'Expired at the check'],
    ['2025-11-20 00:30:00', '2025-11-19', 'Expired at the check']
  ])('examined %s without a time zone, of a card expiring %s: %s', (examined, expires, word) => {
    const record = { texts: { examined, expires }, pictures: [], attentions: [], others: [] }
    const found = keyFindings(record, undefined, Date.UTC(2025, 10, 26, 12))
    expect(found.find(({ id }) => id === 'expiry')?.word).toBe(word)
  })
  test('shows the service’s result as passed or not passed', () => {
    expect(resultFinding({ isPassed: true, attentions: [] })).toMatchObject({ word: 'Passed', tone: 'ok' })
    expect(resultFinding({ isPassed: false, attentions: [{ name: 'a', detail: '' }] })).toMatchObject({
      word: 'Not passed',
      meaning: '1 point to review.'
    })
    expect(resultFinding({ attentions: [{ name: 'a', detail: '' }], moreAttentions: 300 }).meaning).toContain(
      '301 points'
    )
    expect(resultFinding({ attentions: [] })).toMatchObject({ word: 'No result', tone: 'warn' })
  })
  test('reports everything that an empty record lacks', () => {
    const found = keyFindings({ texts: {}, pictures: [], attentions: [], others: [] }, undefined, 0)
    expect(found.map(({ word }) => word)).toEqual(['No result', 'No face result', 'No names', 'No expiry date'])
  })
  test('shows the time of the check, marking an unknown time zone', () => {
    expect(examinedInWords('2025-11-20T03:12:44')).toBe('Thursday 20 November 2025 at 03:12 (time zone unknown)')
    expect(examinedInWords('2025-11-20')).toBe('Thursday 20 November 2025')
    expect(examinedInWords('2025-11-20T03:12:44Z')).toMatch(/^(Wednesday 19|Thursday 20) November 2025 at \d\d:12$/)
    expect(examinedInWords('a while ago')).toBe('a while ago')
  })
  test('is matched to the signer with its name, or the only one checked', () => {
    const record = identityRecordOf()
    const mere = personWith({ firstName: 'Mēre', lastName: 'PARATA', identity: 'passed' })
    const tama = personWith({ firstName: 'Tama', lastName: 'Brooks', identity: 'passed', index: 1 })
    expect(signerOf(record, 2, [tama, mere])).toBe(mere)
    expect(signerOf(record, 2, [mere, mere])).toBeUndefined()
    expect(signerOf(record, 1, [tama])).toBeUndefined()
    const unnamed = identityRecordOf({ texts: {} })
    expect(signerOf(unnamed, 1, [tama, personWith()])).toBe(tama)
    expect(signerOf(unnamed, 2, [tama])).toBeUndefined()
    expect(signerOf(unnamed, 1, [tama, mere])).toBeUndefined()
    expect(personNameOf(record)).toBe('Mere Aroha Parata')
    expect(personNameOf({ texts: { firstName: 'MERE' } })).toBe('MERE')
    expect(personNameOf(unnamed)).toBeUndefined()
    expect(identityTexts.faceMatchScore).toBe('0.9641')
  })
})

describe('viewing a picture', () => {
  const picture = { width: 640, height: 400 }
  const frame = { width: 320, height: 320 }
  const press = (viewport: PictureViewport, ...keys: string[]) =>
    keys.map((key) => viewport.handleKey(key, picture, frame))

  test('keys zoom, rotate and reset', () => {
    const viewport = new PictureViewport()
    expect(press(viewport, '+', '=', '-', 'r', 'R', 'r')).toEqual([true, true, true, true, true, true])
    expect(viewport.zoom).toBeCloseTo(1.25)
    expect(viewport.degrees).toBe(90)
    press(viewport, '0')
    expect(viewport.isUntouched).toBe(true)
    expect(viewport.transform(picture, frame)).toBe('translate(0px, 0px) rotate(0deg) scale(1)')
    expect(press(viewport, 'x', 'Tab')).toEqual([false, false])
  })
  test('arrow keys pan only when zoomed in, up to the edges', () => {
    const viewport = new PictureViewport()
    expect(press(viewport, 'ArrowDown')).toEqual([false])
    press(viewport, ...Array.from({ length: 20 }, () => '+'))
    expect(viewport.zoom).toBe(8)
    for (let step = 0; step < 200; step++) press(viewport, 'ArrowLeft', 'ArrowUp')
    expect(viewport.transform(picture, frame)).toBe('translate(1120px, 640px) rotate(0deg) scale(8)')
    press(viewport, ...Array.from({ length: 20 }, () => '-'))
    expect(viewport.transform(picture, frame)).toBe('translate(0px, 0px) rotate(0deg) scale(1)')
  })
  test('rotated by 90 degrees, it fits the frame', () => {
    const viewport = new PictureViewport()
    press(viewport, 'r')
    const scale = Number(/scale\((.*)\)/.exec(viewport.transform(picture, { width: 640, height: 400 }))?.[1])
    expect(scale * 640).toBeCloseTo(400)
  })
})
