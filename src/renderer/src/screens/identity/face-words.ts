/** How alike the service found the two faces: its own result, and its score on a scale, without a threshold of ours. */
import type { IdentityTexts } from '../../../../shared/contract/views.ts'
import { identityFinding } from '../documents/identity-words.ts'
import type { Finding } from './finding.ts'

export interface FaceScore {
  raw: string
  /** 0 to 1; absent where the text isn't a score that we can place. */
  fraction?: number
  /** The end of the scale that it was read on. */
  of?: 1 | 100
  /** Why it has no place on a scale. */
  why?: string
}

const NUMBER = /^(\d{1,3}(?:[.,]\d{1,17})?)\s*(%?)$/

/** Scores come as 0 to 1 or 0 to 100; which it is shows in the number itself, but for a bare 1. */
export function faceScore(raw: string): FaceScore {
  const match = NUMBER.exec(raw)
  const value = match ? Number((match[1] ?? '').replace(',', '.')) : Number.NaN
  if (!match || value > 100) return { raw, why: 'As it came: it isn’t a number from 0 to 1 or from 0 to 100.' }
  if (match[2] === '%' || value > 1) return { raw, fraction: value / 100, of: 100 }
  if (match[1] === '1') return { raw, why: 'As it came: it may be 1 of 1, or 1 of 100.' }
  return { raw, fraction: value, of: 1 }
}

/** "0.9641 of 1", "96.4%". */
export function scoreInWords({ raw, of }: FaceScore): string {
  if (of === undefined) return `“${raw}”`
  if (raw.includes('%')) return raw
  return `${raw} of ${of}`
}

/** The service's own result of comparing the faces. */
export function faceFinding({ faceMatchResult, faceMatchScore, faceError }: IdentityTexts): Finding {
  const score = faceMatchScore ? `Score ${scoreInWords(faceScore(faceMatchScore))}.` : ''
  if (!faceMatchResult) {
    if (faceError) return { shape: 'question', tone: 'warn', word: 'Faces: not said', meaning: faceError }
    return { shape: 'dot', tone: 'quiet', word: 'Faces: not said', meaning: score || 'The check says nothing of them.' }
  }
  const { status } = identityFinding({ field: 'IDVerificationFaceMatchResult', value: faceMatchResult })
  const word = status.tone === 'ok' ? 'Faces match' : status.tone === 'danger' ? 'Faces don’t match' : faceMatchResult
  const said = word === faceMatchResult ? 'The service’s own word.' : `The service says “${faceMatchResult}”.`
  return { ...status, word: `${word}`, meaning: `${said} ${score}`.trim() }
}
