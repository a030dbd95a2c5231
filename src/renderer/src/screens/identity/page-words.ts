/** Why there is nothing to see on the page of an identity check, in words, with what to do about it. */
import type { AppError, ErrorCode } from '../../../../shared/contract/errors.ts'
import type { IdentityClearing } from '../../../../shared/contract/views.ts'

export interface FailureWords {
  title: string
  more?: string
  /** The service has nothing to give: no error, and nothing broken. */
  isNothing: boolean
}

const GONE: FailureWords = {
  title: 'The service has no identity data of this document.',
  more: 'Nobody has been checked yet, or the time that the service keeps it for is over. What was saved before is among the downloads.',
  isNothing: true
}
const known: Partial<Record<ErrorCode, FailureWords>> = {
  'not-found': GONE,
  'no-data': GONE,
  offline: {
    title: 'The identity check can’t be read while this computer is offline.',
    more: 'It isn’t kept on this computer, so it is asked for each time. It is shown here as soon as the line is back. What was saved before is among the downloads.',
    isNothing: true
  }
}

export function failureWords({ code }: AppError): FailureWords {
  return known[code] ?? { title: 'The identity check could not be read.', isNothing: false }
}

export const clearedWords: Record<IdentityClearing, { sentence: string; more: string }> = {
  idle: {
    sentence: 'Cleared after 5 minutes without use.',
    more: 'What an identity check found stays in memory only while somebody looks at it.'
  },
  away: {
    sentence: 'Cleared, as this screen was locked or handed over.',
    more: 'What an identity check found doesn’t stay while somebody else may sit here.'
  },
  account: { sentence: 'Cleared, as another account was chosen.', more: 'Each account reads its own documents.' },
  others: { sentence: 'Cleared, as too many checks were open.', more: 'Only the newest few are in memory at once.' }
}
