/** Wording for a record of an identity check: whose it is, when, whether it holds up, and how similar the faces are. */
import type { IdentityRecordView, IdentityTexts, SignerView } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { readCertainDate } from '../../../../shared/model/service-date.ts'
import { clockTime, dayInWords, momentInWords } from '../../words/dates.ts'
import type { Finding } from '../../words/statuses.ts'
import { identityFinding } from '../documents/identity-words.ts'
import { dayOfMoment, expiryFinding, readCardDate } from './card-dates.ts'
import { compareNames, lettersOf, nameFinding } from './name-comparison.ts'

/** Returns the person's name as given by the office, else as on the card. */
export function personNameOf({ texts }: Pick<IdentityRecordView, 'texts'>): string | undefined {
  const user = [texts.userFirstName, texts.userMiddleName, texts.userLastName].filter(Boolean).join(' ')
  const card = [texts.firstName, texts.middleName, texts.lastName].filter(Boolean).join(' ')
  return user || card || undefined
}

/** Returns whether the check was passed, according to the service. */
export function resultFinding({
  isPassed,
  attentions,
  moreAttentions = 0
}: Pick<IdentityRecordView, 'isPassed' | 'attentions' | 'moreAttentions'>): Finding {
  const points =
    attentions.length > 0
      ? `${counted(attentions.length + moreAttentions, ['# point', '# points'])} to review.`
      : isPassed
        ? 'No issues found.'
        : ''
  if (isPassed === undefined)
    return {
      shape: 'question',
      tone: 'warn',
      word: 'No result',
      meaning: points
    }
  if (isPassed) return { shape: 'tick', tone: 'ok', word: 'Passed', meaning: points }
  return { shape: 'cross', tone: 'danger', word: 'Not passed', meaning: points }
}

/** Formats when it was examined. Without a zone the time isn't a certain moment, so it is shown as written. */
export function examinedInWords(raw: string): string {
  const read = readCertainDate(raw)
  if (!read) return raw
  if (read.precision === 'day') return dayInWords(read.at, 0)
  if (read.offset === undefined) return `${dayInWords(read.at, 0)} at ${clockTime(read.at, 0)} (time zone unknown)`
  return momentInWords(read.at)
}

/** Returns the day on which it was examined, as its UTC midnight. */
export function examinedDay({ texts }: Pick<IdentityRecordView, 'texts'>): number | undefined {
  const read = readCertainDate(texts.examined)
  return read && dayOfMoment(read)
}

/** Returns the most important findings, in order of importance. */
export function keyFindings(
  record: IdentityRecordView,
  signer: SignerView | undefined,
  now: number
): (Finding & { id: string })[] {
  const expires = record.texts.expires === undefined ? undefined : readCardDate(record.texts.expires)
  const liveness = livenessFinding(signer)
  return [
    { id: 'result', ...resultFinding(record) },
    { id: 'face', ...faceFinding(record.texts) },
    ...(liveness ? [{ id: 'live', ...liveness }] : []),
    { id: 'names', ...nameFinding(compareNames(record.texts)) },
    { id: 'expiry', ...expiryFinding(expires, examinedDay(record), now) }
  ]
}

function livenessFinding(signer: SignerView | undefined): Finding | undefined {
  const serviceResult = signer?.identityWords.find(({ field }) => field === 'IDVerificationLivenessResult')
  if (!serviceResult) return undefined
  const { status } = identityFinding(serviceResult)
  const word =
    status.tone === 'ok' ? 'Live person' : status.tone === 'danger' ? 'Liveness uncertain' : serviceResult.value
  return {
    ...status,
    word,
    meaning: word === serviceResult.value ? '' : `Service result: “${serviceResult.value}”.`
  }
}

/**
 * Returns the document's signer that a record belongs to: by the name given by the office, else the only signer who was
 * asked. Undefined if that isn't certain.
 */
export function signerOf(
  record: IdentityRecordView,
  records: number,
  people: readonly SignerView[]
): SignerView | undefined {
  const { userFirstName, userLastName } = record.texts
  const named = people.filter(
    (one) =>
      lettersOf(one.firstName) === lettersOf(userFirstName) && lettersOf(one.lastName) === lettersOf(userLastName)
  )
  if ((userFirstName || userLastName) && named.length === 1) return named[0]
  const checked = people.filter((one) => one.identity !== 'none')
  const hasName = userFirstName !== undefined || userLastName !== undefined
  return records === 1 && checked.length === 1 && !hasName ? checked[0] : undefined
}

interface FaceScore {
  raw: string
  /** 0 to 1; absent if the text isn't a score on a known scale. */
  fraction?: number
  /** The upper end of the scale. */
  scaleMax?: 1 | 100
  /** Why it can't be placed on a scale. */
  why?: string
}

const NUMBER = /^(\d{1,3}(?:[.,]\d{1,17})?)\s*(%?)$/

/** Parses a score, which is either 0 to 1 or 0 to 100. The number itself shows which, except for a bare 1. */
export function readFaceScore(raw: string): FaceScore {
  const match = NUMBER.exec(raw)
  const value = match ? Number((match[1] ?? '').replace(',', '.')) : Number.NaN
  if (!match || value > 100) return { raw, why: 'Not a score from 0 to 1 or from 0 to 100.' }
  if (match[2] === '%' || value > 1) return { raw, fraction: value / 100, scaleMax: 100 }
  if (match[1] === '1') return { raw, why: 'Could be 1 of 1, or 1 of 100.' }
  return { raw, fraction: value, scaleMax: 1 }
}

/** Formats "0.9641 of 1" or "96.4%". */
export function scoreInWords({ raw, scaleMax }: FaceScore): string {
  if (scaleMax === undefined) return `“${raw}”`
  if (raw.includes('%')) return raw
  return `${raw} of ${scaleMax}`
}

/** Returns the service's own result of comparing the faces. */
export function faceFinding({ faceMatchResult, faceMatchScore, faceError }: IdentityTexts): Finding {
  const score = faceMatchScore ? `Score ${scoreInWords(readFaceScore(faceMatchScore))}.` : ''
  if (!faceMatchResult) {
    if (faceError) return { shape: 'question', tone: 'warn', word: 'No face result', meaning: faceError }
    return { shape: 'dot', tone: 'quiet', word: 'No face result', meaning: score }
  }
  const { status } = identityFinding({ field: 'IDVerificationFaceMatchResult', value: faceMatchResult })
  const word = status.tone === 'ok' ? 'Faces match' : status.tone === 'danger' ? 'Faces don’t match' : faceMatchResult
  const serviceResult = word === faceMatchResult ? '' : `Service result: “${faceMatchResult}”.`
  return { ...status, word: `${word}`, meaning: `${serviceResult} ${score}`.trim() }
}
