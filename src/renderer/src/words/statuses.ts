/** Statuses as shape, word and colour: never colour alone. */
import type { DownloadView, SendState, SignerProgress } from '../../../shared/contract/views.ts'
import type { DocumentStatus, StatusFamily } from '../../../shared/model/document-status.ts'

export type StatusShape = 'ring' | 'half' | 'tick' | 'cross' | 'clock' | 'dot' | 'question'
export type StatusTone = 'quiet' | 'accent' | 'ok' | 'warn' | 'danger'
export interface StatusWords {
  shape: StatusShape
  word: string
  tone: StatusTone
}

const families: Record<StatusFamily, StatusWords> = {
  'not-started': { shape: 'ring', word: 'Not started', tone: 'quiet' },
  'in-progress': { shape: 'half', word: 'In progress', tone: 'accent' },
  complete: { shape: 'tick', word: 'Complete', tone: 'ok' },
  declined: { shape: 'cross', word: 'Declined', tone: 'danger' },
  expired: { shape: 'clock', word: 'Expired', tone: 'warn' },
  other: { shape: 'dot', word: 'Unknown', tone: 'quiet' }
}

/** A document's status; counts are said, and a status that we don't know is shown in its own words. */
export function documentStatus(status: DocumentStatus): StatusWords {
  const words = families[status.family]
  if (status.of !== undefined) return { ...words, word: `${status.signed} of ${status.of} signed` }
  return status.family === 'other' && status.raw ? { ...words, word: status.raw } : words
}

const signers: Record<SignerProgress['state'], StatusWords> = {
  signed: { shape: 'tick', word: 'signed', tone: 'ok' },
  declined: { shape: 'cross', word: 'declined', tone: 'danger' },
  waiting: { shape: 'ring', word: 'not yet signed', tone: 'quiet' },
  expired: { shape: 'clock', word: 'expired', tone: 'warn' }
}
export function signerStatus(state: SignerProgress['state']): StatusWords {
  return signers[state]
}

const sends: Record<SendState, StatusWords> = {
  sending: { shape: 'half', word: 'Sending', tone: 'accent' },
  sent: { shape: 'tick', word: 'Sent', tone: 'ok' },
  refused: { shape: 'cross', word: 'Refused', tone: 'danger' },
  uncertain: { shape: 'question', word: 'Uncertain', tone: 'warn' },
  'not-sent': { shape: 'ring', word: 'Not sent', tone: 'quiet' }
}
export function sendStatus(state: SendState): StatusWords {
  return sends[state]
}

const downloads: Record<DownloadView['state'], StatusWords> = {
  running: { shape: 'half', word: 'Downloading', tone: 'accent' },
  done: { shape: 'tick', word: 'Saved', tone: 'ok' },
  failed: { shape: 'cross', word: 'Failed', tone: 'danger' },
  cancelled: { shape: 'ring', word: 'Stopped', tone: 'quiet' }
}
export function downloadStatus(state: DownloadView['state']): StatusWords {
  return downloads[state]
}
