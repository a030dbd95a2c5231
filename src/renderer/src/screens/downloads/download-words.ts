/** Downloads in plain words: how far the queue is, what a file is, why one failed and what to do about it. */
import type { AppError, ErrorCode } from '../../../../shared/contract/errors.ts'
import type { AddedDownloads, DownloadSummary, DownloadView } from '../../../../shared/contract/views.ts'
import type { IDVerificationDataType } from '../../../../shared/model/id-verification.ts'
import { capital, counted } from '../../words/counts.ts'
import { inWords, when } from '../../words/dates.ts'
import { presentError } from '../../words/errors.ts'
import { isNoLine } from '../../words/statuses.ts'
import { sizeInWords } from './sizes.ts'

export const typeWords: Record<IDVerificationDataType, { short: string; long: string }> = {
  pdf: { short: 'PDF', long: 'Identity verification, PDF' },
  json: { short: 'Records', long: 'Identity verification, records as data (JSON)' }
}

/** How far the files are that were asked for since the queue was last empty; where that isn't known, all there ever were. */
export function filesOf({ counts, run }: DownloadSummary): { done: number; failed: number; of: number } {
  return run ?? { done: counts.done, failed: 0, of: counts.done + counts.running + counts.waiting }
}

/** "12.4 MB of 40 MB, 3.1 MB a second, about 2 minutes left", as far as it is known. */
export function paceInWords({ bytes, total, bytesPerSecond, secondsLeft }: DownloadSummary): string {
  const said: string[] = []
  if (bytes > 0)
    said.push(
      total && total > bytes
        ? `${sizeInWords(bytes)} of ${sizeInWords(total)} under way`
        : `${sizeInWords(bytes)} under way`
    )
  if (bytesPerSecond !== undefined) said.push(`${sizeInWords(Math.round(bytesPerSecond))} a second`)
  if (secondsLeft !== undefined)
    said.push(secondsLeft < 5 ? 'a few seconds left' : `about ${inWords(secondsLeft * 1000)} left`)
  return said.join(' · ')
}

/** What became of a request for many files. */
export function addedInWords({ added, alreadyQueued, withoutIdentity }: AddedDownloads, ofOthers = 0): string {
  const begun =
    added > 0
      ? `${capital(counted(added, 'file'))} ${added === 1 ? 'is' : 'are'} on ${added === 1 ? 'its' : 'their'} way.`
      : 'Nothing new to download.'
  const leftOut = (count: number, which: string) =>
    count > 0 ? ` ${capital(counted(count, 'document'))} ${which} ${count === 1 ? 'was' : 'were'} left out.` : ''
  const already =
    alreadyQueued > 0
      ? ` ${capital(counted(alreadyQueued, 'file'))} ${alreadyQueued === 1 ? 'was' : 'were'} on the way already.`
      : ''
  return `${begun}${already}${leftOut(withoutIdentity, 'without an identity check')}${leftOut(ofOthers, ofOthers === 1 ? 'of another account' : 'of other accounts')}`
}

export interface WaitsFor {
  error: AppError
  title: string
  more: string
}

/** What nobody can do anything about: the next try goes well, or it doesn't. */
const onlyTried: ReadonlySet<ErrorCode> = new Set(['server', 'incomplete'])
/** What is the matter with the folder that a file goes to. */
const ofItsFolder: ReadonlySet<ErrorCode> = new Set(['not-writable', 'no-space', 'storage'])
/** Milliseconds within which it isn't worth saying when. */
const SOON = 60_000

/**
 * Why a file that waits isn't fetched now, its own trouble before what holds all of them, and the one thing that ends it;
 * undefined if it only waits its turn, or for the queue to be resumed.
 */
export function waitsForInWords(
  { error: own, retryAt, folder }: Pick<DownloadView, 'error' | 'retryAt' | 'folder'>,
  queue: Pick<DownloadSummary, 'isPaused' | 'problem'> | undefined,
  now: number
): WaitsFor | undefined {
  const error = own ?? (queue?.isPaused ? undefined : queue?.problem)
  if (!error) return undefined
  const { happened, todo } = presentError(error)
  const at = retryAt !== undefined && retryAt - now >= SOON ? ` at ${when(retryAt, now)}` : ''
  if (queue?.isPaused) return { error, title: 'It is tried again once you resume.', more: happened }
  if (isNoLine(error))
    return { error, title: 'It waits for the line.', more: `${happened} It goes on by itself when the line is back.` }
  if (error.code === 'rate-limited')
    return { error, title: 'The service asks for a pause.', more: `It goes on by itself${at}.` }
  if (onlyTried.has(error.code)) return { error, title: `It is tried again by itself${at}.`, more: happened }
  const again = retryAt !== undefined && retryAt > now ? ` It is also tried again by itself${at}.` : ''
  const where = ofItsFolder.has(error.code) ? `This file goes to the folder “${folder}”. ` : ''
  return { error, title: happened, more: `${where}${todo}${again}` }
}

/** What stands under a document's name: why its file isn't there, or where it is. */
export function underName({ state, error, fileName, folder }: DownloadView): string {
  if (error && (state === 'failed' || state === 'waiting')) return presentError(error).happened
  return fileName ? fileName.split('/').join(' › ') : `To “${folder}”`
}

/** "Downloads › 2025 › Deed of gift.pdf". */
export function pathInWords(folder: string, fileName: string): string {
  return [folder, ...fileName.split('/')].join(' › ')
}
