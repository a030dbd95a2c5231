/** Drop folders and their files in words. */
import type { DropFolder, DroppedFile } from '../../../shared/contract/views.ts'
import { counted } from './counts.ts'
import type { StatusWords } from './statuses.ts'

export const dropFolderStatuses: Record<DropFolder['state'], StatusWords> = {
  watching: { shape: 'tick', word: 'Watched', tone: 'ok' },
  missing: { shape: 'question', word: 'Not there', tone: 'warn' },
  'not-writable': { shape: 'cross', word: "Can't be worked in", tone: 'danger' },
  paused: { shape: 'pause', word: 'Paused', tone: 'quiet' }
}

export function droppedFileOutcome({ outcome, count }: DroppedFile): StatusWords {
  switch (outcome) {
    case 'drafts':
      return { shape: 'tick', word: count === 0 ? 'Taken' : `Became ${counted(count, 'draft')}`, tone: 'ok' }
    case 'batch':
      return { shape: 'tick', word: `${counted(count, 'package')} went to the Outbox`, tone: 'ok' }
    case 'failed':
      return { shape: 'cross', word: 'Could not be used', tone: 'danger' }
  }
}

/** "12 taken, 1 failed, the last 10:42". */
export function dropFolderSummary(
  { taken, failed, lastTakenAt }: Pick<DropFolder, 'taken' | 'failed' | 'lastTakenAt'>,
  whenOf: (at: number) => string
): string {
  if (taken + failed === 0) return 'none yet'
  const parts = [
    ...(taken > 0 ? [`${taken.toLocaleString('en-GB')} taken`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en-GB')} failed`] : []),
    ...(lastTakenAt !== undefined ? [`the last ${whenOf(lastTakenAt)}`] : [])
  ]
  return parts.join(', ')
}
