/** The identity step's questions: whether answers match what the office knows, with a limited number of tries. */
import { type AuthInfo, readServiceDate } from '../../shared/model/index.ts'
import type { SignerRecord } from '../state.ts'

export const TRIES = 3

export function triesLeft(signer: SignerRecord): number {
  return TRIES - signer.wrongAnswers
}

/** Whether the one before the screen has shown lately to be the signer. */
export function isIdentified(signer: SignerRecord, now: number, holds: number): boolean {
  return signer.identifiedAt !== undefined && signer.identifiedAt <= now && signer.identifiedAt + holds > now
}

/** Whether every answer matches. All are looked at, so that nothing tells which one was wrong. */
export function answersMatch(questions: readonly AuthInfo[], answer: (index: number) => string): boolean {
  return questions.map((question, index) => matches(question, answer(index))).every(Boolean)
}

function matches({ DataType, Value }: AuthInfo, given: string): boolean {
  if (given.trim() === '') return false
  if (DataType === 'date') {
    const known = days(Value)
    return known.length > 0 ? days(given).some((day) => known.includes(day)) : plain(given) === plain(Value)
  }
  return plain(given) === plain(Value)
}

/** The days that a text can mean: offices write both the month and the day first. */
function days(text: string): number[] {
  const swapped = text.trim().replace(/^(\d{1,2})\/(\d{1,2})\//, '$2/$1/')
  return [text, swapped].flatMap((one) => {
    const read = readServiceDate(one)
    return read ? [Math.floor(read.at / 86_400_000)] : []
  })
}

/** Case, spaces and the way that phone numbers are grouped say nothing about who someone is. */
function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, '')
}
