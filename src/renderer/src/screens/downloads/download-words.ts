/**
 * Wording for downloads: the state of the queue as a whole, also as a share; what a file is, why it failed and what to
 * do.
 */
import { traitsOf } from '../../../../shared/contract/error-traits.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { AddedDownloads, DownloadSummary, DownloadType, DownloadView } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { capital } from '../../words/counts.ts'
import { durationInWords, whenInWords } from '../../words/dates.ts'
import { presentError } from '../../words/errors.ts'
import { isConnectionError, type StatusWords } from '../../words/statuses.ts'

export const typeWords: Record<DownloadType, { short: string; long: string }> = {
  pdf: { short: 'Identity report', long: 'Identity report (PDF)' },
  json: { short: 'Identity data', long: 'Identity data (JSON)' },
  signed: { short: 'Signed document', long: 'Signed document' }
}

/** Returns the progress of files requested since the queue was last empty; if unknown, of all there ever were. */
function filesOf({ counts, run }: DownloadSummary): { done: number; failed: number; of: number } {
  return run ?? { done: counts.done, failed: 0, of: counts.done + counts.running + counts.waiting }
}

/** Returns "12.4 MB of 40 MB · 3.1 MB/s · about 2 minutes left", as far as known. */
function paceInWords({ bytes, total, bytesPerSecond, secondsLeft }: DownloadSummary): string {
  const parts: string[] = []
  if (bytes > 0)
    parts.push(
      total && total > bytes ? `${sizeInWords(bytes)} of ${sizeInWords(total)}` : `${sizeInWords(bytes)} so far`
    )
  if (bytesPerSecond !== undefined) parts.push(`${sizeInWords(Math.round(bytesPerSecond))}/s`)
  if (secondsLeft !== undefined)
    parts.push(secondsLeft < 5 ? 'a few seconds left' : `about ${durationInWords(secondsLeft * 1000)} left`)
  return parts.join(' · ')
}

/** Returns the kind of documents that no file is saved for. */
function omittedInWords(types: readonly DownloadType[]): string {
  const [ofCheck, signed] = [types.some((type) => type !== 'signed'), types.includes('signed')]
  if (ofCheck && signed) return 'without a completed identity check and not complete'
  return signed ? 'not yet complete' : 'without a completed identity check'
}

/** Describes the result of a request for many files of these types. */
export function addedInWords(
  { added, alreadyQueued, leftOut: without }: AddedDownloads,
  types: readonly DownloadType[],
  ofOthers = 0
): string {
  const begun = added > 0 ? `Downloading ${counted(added, ['# file', '# files'])}.` : 'Nothing new to download.'
  const leftOut = (count: number, which: string) =>
    count > 0
      ? ` ${capital(counted(count, ['# document', '# documents']))} ${which} ${count === 1 ? 'was' : 'were'} left out.`
      : ''
  const already =
    alreadyQueued > 0
      ? ` ${capital(counted(alreadyQueued, ['# file', '# files']))} ${alreadyQueued === 1 ? 'was' : 'were'} already downloading.`
      : ''
  return `${begun}${already}${leftOut(without, omittedInWords(types))}${leftOut(ofOthers, ofOthers === 1 ? 'in another account' : 'in other accounts')}`
}

export interface WaitReason {
  error: AppError
  title: string
  more: string
}

/** Milliseconds within which the time of a retry isn't worth mentioning. */
const SOON = 60_000

/**
 * Returns why a waiting file isn't downloaded now, with its own problem before the queue's, and the action that solves
 * it; undefined if it is only waiting its turn, or for the queue to be resumed.
 */
export function waitReasonInWords(
  { error: own, retryAt, folder }: Pick<DownloadView, 'error' | 'retryAt' | 'folder'>,
  queue: Pick<DownloadSummary, 'isPaused' | 'problem'> | undefined,
  now: number
): WaitReason | undefined {
  const error = own ?? (queue?.isPaused ? undefined : queue?.problem)
  if (!error) return undefined
  const { happened, todo } = presentError(error)
  const at = retryAt !== undefined && retryAt - now >= SOON ? whenInWords(retryAt, now) : undefined
  if (queue?.isPaused) return { error, title: 'Retries when you resume.', more: happened }
  if (isConnectionError(error))
    return {
      error,
      title: 'Waiting for a connection.',
      more: `${happened} It will resume automatically.`
    }
  if (error.code === 'rate-limited')
    return {
      error,
      title: 'The service is busy.',
      more: at ? `It will resume automatically at ${at}.` : 'It will resume automatically.'
    }
  if (error.code === 'busy') return { error, title: happened, more: 'It will be listed here once it is saved.' }
  const { concerns, passes } = traitsOf(error)
  // Nobody can fix it: the next attempt may or may not succeed.
  if (concerns === 'request' && passes)
    return { error, title: at ? `Retrying automatically at ${at}.` : 'Retrying automatically.', more: happened }
  const retryText =
    retryAt !== undefined && retryAt > now
      ? at
        ? ` It also retries automatically at ${at}.`
        : ' It also retries automatically.'
      : ''
  const where = concerns === 'disk' ? `Folder: “${folder}”. ` : ''
  return { error, title: happened, more: `${where}${todo}${retryText}` }
}

/** Returns the line below a document's name: why its file isn't there, or where it is. */
export function subtitleOf({ state, error, fileName, folder }: DownloadView): string {
  if (error && (state === 'failed' || state === 'waiting')) return presentError(error).happened
  return fileName ? fileName.split('/').join(' › ') : `To “${folder}”`
}

/** Returns "Downloads › 2025 › Deed of gift.pdf". */
export function pathInWords(folder: string, fileName: string): string {
  return [folder, ...fileName.split('/')].join(' › ')
}

/** Formats a file size: "482 KB", "1.2 MB". */
export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  return `${(bytes / 1_000_000).toLocaleString('en-GB', { maximumFractionDigits: bytes < 10_000_000 ? 1 : 0 })} MB`
}

/** Returns "121 KB of 600 KB", or only what has arrived if the total is unknown. */
export function progressInWords(bytes: number, total: number | undefined): string {
  if (!total) return bytes === 0 ? 'Waiting for the service' : `${sizeInWords(bytes)} so far`
  return `${sizeInWords(bytes)} of ${sizeInWords(total)}`
}

interface QueueWords extends Omit<StatusWords, 'word'> {
  title: string
  more: string
  /** The current speed, if any. */
  pace?: string
}

/**
 * Describes the state of the queue.
 * @param isDown whether there is no connection to the service, as far as known.
 */
export function queueWords(view: DownloadSummary, isDown: boolean, now: number): QueueWords {
  const { counts } = view
  const left = counts.running + counts.waiting
  const { done, of } = filesOf(view)
  const soFar = `${done.toLocaleString('en-GB')} of ${counted(of, ['# file', '# files'])} saved`
  const failedCount = (view.run ?? counts).failed
  const failed = failedCount > 0 ? ` · ${failedCount.toLocaleString('en-GB')} failed` : ''
  if (view.isPaused) {
    return {
      shape: 'pause',
      tone: 'warn',
      title: left > 0 ? `Paused: ${waiting(left)}` : 'Paused',
      more: left > 0 ? `${soFar}${failed}` : 'New downloads wait until you resume.'
    }
  }
  if (left > 0 && view.problem) return heldWords(view, view.problem, `${soFar}${failed}`, now)
  if (left > 0 && isDown && counts.running === 0) return waitingForConnection(left, `${soFar}${failed}`, '')
  if (left > 0) {
    return {
      shape: 'half',
      tone: 'accent',
      title: `Downloading ${counted(left, ['# file', '# files'])}`,
      more: `${soFar}${failed}`,
      pace: paceInWords(view)
    }
  }
  if (counts.failed > 0) {
    const saved =
      counts.done > 0
        ? ` ${capital(counted(counts.done, ['# file', '# files']))} ${counts.done === 1 ? 'was' : 'were'} saved.`
        : ''
    return {
      shape: 'cross',
      tone: 'danger',
      title: `${capital(counted(counts.failed, ['# file', '# files']))} failed`,
      more: `Open a file to see why.${saved}`
    }
  }
  if (counts.done === 0)
    return {
      shape: 'bar',
      tone: 'quiet',
      title: 'No downloads in progress',
      more: 'You can restart stopped downloads.'
    }
  return {
    shape: 'tick',
    tone: 'ok',
    title: 'All downloads finished',
    // Only verifying them tells whether they are still there and unchanged.
    more: `${capital(counted(counts.done, ['# file', '# files']))} saved`
  }
}

/** Returns the value of the progress bar: finished files, plus the share of those in progress that has arrived. */
export function shareOf(view: DownloadSummary): { finished: number; of: number } {
  const { done, failed, of } = filesOf(view)
  const share = view.total ? Math.min(1, view.bytes / view.total) : 0
  return { finished: done + failed + share * view.counts.running, of }
}

/** Describes the problem that holds up the whole queue. */
function heldWords({ counts, retryAt }: DownloadSummary, problem: AppError, soFar: string, now: number): QueueWords {
  const left = counts.running + counts.waiting
  const retryText = retryAt !== undefined && retryAt > now ? ` Retrying in ${durationInWords(retryAt - now)}.` : ''
  if (isConnectionError(problem)) return waitingForConnection(left, soFar, retryText)
  if (problem.code === 'rate-limited') {
    return {
      shape: 'clock',
      tone: 'accent',
      title: `${capital(waiting(left))}: the service is busy`,
      more: `${soFar}.${retryText}`
    }
  }
  const { happened, todo } = presentError(problem)
  return {
    shape: 'pause',
    tone: 'warn',
    title: `${capital(waiting(left))}. ${happened}`,
    more: `${soFar}. ${todo}${retryText}`
  }
}

/** "2 files waiting". */
function waiting(files: number): string {
  return `${counted(files, ['# file', '# files'])} waiting`
}

function waitingForConnection(left: number, soFar: string, again: string): QueueWords {
  return {
    shape: 'ring',
    tone: 'warn',
    title: `${capital(waiting(left))} for a connection`,
    more: `${soFar}.${again || ' Downloads resume automatically.'}`
  }
}

/** The parts of a file name as offered to the user; `core/downloads/name-values.ts` defines their values. */
export const nameParts = [
  { name: 'document', label: 'Document', about: 'the name of the document' },
  { name: 'signer', label: 'Signer', about: 'who signs first, and how many others' },
  { name: 'signers', label: 'All signers', about: 'all signers, separated by commas' },
  { name: 'date', label: 'Date', about: 'the day on which it was last signed, as 2026-11-24' },
  { name: 'longDate', label: 'Date in words', about: 'the day on which it was last signed, as 24 November 2026' },
  { name: 'yyyy', label: 'Year', about: 'the year in which it was last signed' },
  { name: 'mm', label: 'Month', about: 'the month in which it was last signed, as two digits' },
  { name: 'dd', label: 'Day', about: 'the day of the month on which it was last signed, as two digits' },
  { name: 'time', label: 'Time', about: 'the time of day at which it was last signed' },
  { name: 'due', label: 'Due date', about: 'the day on which it was due' },
  { name: 'matter', label: 'Matter', about: 'the matter number, or your reference if there is none' },
  { name: 'package', label: 'Package', about: 'the reference of its package' },
  { name: 'clientReference', label: 'Your reference', about: 'the reference that your office gave it' },
  { name: 'reference', label: 'Reference', about: 'the reference that the service gave it' },
  { name: 'account', label: 'Account', about: 'the name of this account' },
  { name: 'type', label: 'Kind', about: 'pdf, json or signed' }
]

/** The label of a rule without a view. */
export const ALL_DOCUMENTS = 'All documents'

/** Returns a rule's subject for a sentence: "all documents", "“Tenancies”", "a deleted view". */
export function ruleSubject({
  viewId,
  viewName
}: {
  viewId?: string | undefined
  viewName?: string | undefined
}): string {
  if (viewId === undefined) return 'all documents'
  return viewName === undefined ? 'a deleted view' : `“${viewName}”`
}
