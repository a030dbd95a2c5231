/**
 * A made-up person's identity: the result of checking their card, always the same for a person, and whether their
 * answers match what the office knows.
 */
import { type AuthInfo, fullName, readServiceDate } from '../../shared/model/index.ts'
import { asksIdentity, DAY } from '../life.ts'
import { repeatableRandom } from '../sources.ts'
import type { Person, SignerRecord } from '../state.ts'

export interface Findings {
  docClass: 'Driver Licence' | 'Passport'
  number: string
  /** `YYYY-MM-DD`. */
  born: string
  expires: string
  issuer: string
  country: 'NZL' | 'AUS'
  address: string
  /** From 0 to 1: similarity of the face in the camera and the one on the card. */
  faceMatch: number
  passed: boolean
  /** What staff should look at, though it may be fine. */
  attentions: { Name: string; Detail: string }[]
}

/** The examined signer, findings, and pictures as PNG files. */
export interface Examination {
  signer: SignerRecord
  at: number
  findings: Findings
  portrait: Buffer<ArrayBuffer>
  front: Buffer<ArrayBuffer>
  back: Buffer<ArrayBuffer>
}

const STREETS = ['Example Street', 'Sample Road', 'Specimen Terrace', 'Practice Avenue']
const PLACES = [
  { place: 'Petone, Lower Hutt 5012', issuer: 'New Zealand', country: 'NZL' },
  { place: 'Mount Eden, Auckland 1024', issuer: 'New Zealand', country: 'NZL' },
  { place: 'Newtown NSW 2042', issuer: 'New South Wales', country: 'AUS' },
  { place: 'Fitzroy VIC 3065', issuer: 'Victoria', country: 'AUS' }
] as const

/** Returns whether a signer has ID-verification data: identification was required, and they have answered or signed. */
export function hasIdentityData(signer: SignerRecord): boolean {
  return asksIdentity(signer) && examinedAt(signer) !== undefined
}

export function examinedAt(signer: SignerRecord): number | undefined {
  // They went on without the only thing that would have been looked at.
  if (signer.videoOptOut && signer.idData.length === 0) return undefined
  return signer.identifiedAt ?? signer.videoAt ?? signer.signedAt
}

/** Returns a person's findings. @param at when the card is checked, in milliseconds; its dates are relative to that */
export function findingsOf(person: Person & Partial<Pick<SignerRecord, 'idData'>>, at: number): Findings {
  const chance = repeatableRandom(`card ${fullName(person)}`)
  const upTo = (limit: number) => Math.floor(chance() * limit)
  const home = PLACES[upTo(PLACES.length)] ?? PLACES[0]
  const licence = chance() < 0.7
  const faceMatch = 0.9 + chance() * 0.097
  const roll = chance()
  const expires = at + (roll < 0.12 ? 20 : 200 + upTo(2400)) * DAY
  const passed = roll < 0.94
  const attentions: Findings['attentions'] = []
  if (roll < 0.12) attentions.push({ Name: 'Expiry', Detail: 'The card expires within a month.' })
  if (roll > 0.84 && passed)
    attentions.push({ Name: 'Picture', Detail: 'A corner of the card is covered by a finger.' })
  if (!passed) attentions.push({ Name: 'Face match', Detail: 'The face and the card’s picture are not alike enough.' })
  const number = randomLetters(chance, 2) + String(100_000 + upTo(900_000))
  const madeUpBirthday = isoDay(Date.UTC(1950 + upTo(54), upTo(12), 1 + upTo(28)))
  return {
    docClass: licence ? 'Driver Licence' : 'Passport',
    number,
    born: birthDateIn(person.idData) ?? madeUpBirthday,
    expires: isoDay(expires),
    issuer: home.issuer,
    country: home.country,
    address: `${1 + upTo(180)} ${STREETS[upTo(STREETS.length)]}, ${home.place}`,
    faceMatch: passed ? faceMatch : 0.5 + chance() * 0.12,
    passed,
    attentions
  }
}

function randomLetters(chance: () => number, count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(65 + Math.floor(chance() * 26))).join('')
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Uses the date of birth that the office asked the person for. */
function birthDateIn(questions: SignerRecord['idData'] = []): string | undefined {
  return questions.find(({ Label, Value }) => /birth/i.test(Label) && /^\d{4}-\d\d-\d\d$/.test(Value))?.Value
}

/** Maximum number of attempts in the identity step. */
export const MAX_TRIES = 3

export function triesLeft(signer: SignerRecord): number {
  return MAX_TRIES - signer.wrongAnswers
}

/** Returns whether the person at the screen was recently identified as the signer. */
export function isIdentified(signer: SignerRecord, now: number, validityMs: number): boolean {
  return signer.identifiedAt !== undefined && signer.identifiedAt <= now && signer.identifiedAt + validityMs > now
}

/** Returns whether every answer matches. Always compares all, so that nothing reveals which was wrong. */
export function answersMatch(questions: readonly AuthInfo[], answer: (index: number) => string): boolean {
  return questions.map((question, index) => matches(question, answer(index))).every(Boolean)
}

function matches({ DataType, Value }: AuthInfo, given: string): boolean {
  if (given.trim() === '') return false
  if (DataType === 'date') {
    const known = possibleDays(Value)
    return known.length > 0
      ? possibleDays(given).some((day) => known.includes(day))
      : normalized(given) === normalized(Value)
  }
  return normalized(given) === normalized(Value)
}

/** The days that a text may mean: offices write month first or day first. */
function possibleDays(text: string): number[] {
  const swapped = text.trim().replace(/^(\d{1,2})\/(\d{1,2})\//, '$2/$1/')
  return [text, swapped].flatMap((one) => {
    const read = readServiceDate(one)
    return read ? [Math.floor(read.at / 86_400_000)] : []
  })
}

/** Ignores case, spaces and the grouping of phone numbers. */
function normalized(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, '')
}
