/** How the queue of downloads stands as a whole, in words and as a share. */
import type { DownloadSummary } from '../../../../shared/contract/views.ts'
import { counted } from '../../words/counts.ts'
import type { StatusWords } from '../../words/statuses.ts'
import { capital, filesOf, paceInWords } from './download-words.ts'

export interface QueueWords extends Omit<StatusWords, 'word'> {
  title: string
  more: string
}

/** @param isDown whether there is no line to the service, as far as is known. */
export function queueWords(view: DownloadSummary, isDown: boolean): QueueWords {
  const { counts } = view
  const left = counts.running + counts.waiting
  const { over, of } = filesOf(view)
  const soFar = `${over.toLocaleString('en-GB')} of ${counted(of, 'file')} saved`
  const failed = counts.failed > 0 ? ` · ${counts.failed.toLocaleString('en-GB')} failed` : ''
  if (view.isPaused && left > 0) {
    return {
      shape: 'pause',
      tone: 'warn',
      title: `Paused. ${capital(counted(left, 'file'))} ${left === 1 ? 'waits' : 'wait'}.`,
      more: `${soFar}${failed}. Nothing is fetched until you resume, also after a restart.`
    }
  }
  if (view.isPaused) {
    return {
      shape: 'pause',
      tone: 'warn',
      title: 'Paused.',
      more: 'What you download now, or a rule asks for, waits until you resume.'
    }
  }
  if (left > 0 && isDown && counts.running === 0) {
    return {
      shape: 'ring',
      tone: 'warn',
      title: `${capital(counted(left, 'file'))} ${left === 1 ? 'waits' : 'wait'} for the line.`,
      more: `${soFar}${failed}. ${left === 1 ? 'It goes' : 'They go'} on by ${left === 1 ? 'itself' : 'themselves'} when the line is back.`
    }
  }
  if (left > 0) {
    return {
      shape: 'half',
      tone: 'accent',
      title: `Downloading ${counted(left, 'file')}`,
      more: [`${soFar}${failed}`, paceInWords(view)].filter(Boolean).join(' · ')
    }
  }
  if (counts.failed > 0) {
    const saved =
      counts.done > 0 ? `${capital(counted(counts.done, 'file'))} ${counts.done === 1 ? 'was' : 'were'} saved. ` : ''
    return {
      shape: 'cross',
      tone: 'danger',
      title: `${capital(counted(counts.failed, 'file'))} failed.`,
      more: `${saved}Each says below why, and what to do.`
    }
  }
  if (counts.done === 0)
    return {
      shape: 'bar',
      tone: 'quiet',
      title: 'Nothing is on its way.',
      more: 'What was stopped can be begun again.'
    }
  return {
    shape: 'tick',
    tone: 'ok',
    title: counts.done === 1 ? 'The file is saved.' : `All ${counts.done.toLocaleString('en-GB')} files are saved.`,
    more: 'Nothing is on its way.'
  }
}

/** What the bar shows: files that are over and, of those under way, the share that has come. */
export function shareOf(view: DownloadSummary): { over: number; of: number } {
  const { over, of } = filesOf(view)
  const share = view.total ? Math.min(1, view.bytes / view.total) : 0
  return { over: over + share * view.counts.running, of }
}
