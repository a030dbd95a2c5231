/** How the queue of downloads stands as a whole, in words and as a share. */
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DownloadSummary } from '../../../../shared/contract/views.ts'
import { capital, counted } from '../../words/counts.ts'
import { inWords } from '../../words/dates.ts'
import { presentError } from '../../words/errors.ts'
import { isNoLine, type StatusWords } from '../../words/statuses.ts'
import { filesOf, paceInWords } from './download-words.ts'

export interface QueueWords extends Omit<StatusWords, 'word'> {
  title: string
  more: string
  /** How fast it goes, where it does. */
  pace?: string
}

/** @param isDown whether there is no line to the service, as far as is known. */
export function queueWords(view: DownloadSummary, isDown: boolean, now: number): QueueWords {
  const { counts } = view
  const left = counts.running + counts.waiting
  const { done, of } = filesOf(view)
  const soFar = `${done.toLocaleString('en-GB')} of ${counted(of, 'file')} saved`
  const notHad = (view.run ?? counts).failed
  const failed = notHad > 0 ? ` · ${notHad.toLocaleString('en-GB')} failed` : ''
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
  if (left > 0 && view.problem) return held(view, view.problem, `${soFar}${failed}`, now)
  if (left > 0 && isDown && counts.running === 0) return waitsForLine(left, `${soFar}${failed}`, '')
  if (left > 0) {
    return {
      shape: 'half',
      tone: 'accent',
      title: `Downloading ${counted(left, 'file')}`,
      more: `${soFar}${failed}`,
      pace: paceInWords(view)
    }
  }
  if (counts.failed > 0) {
    const saved =
      counts.done > 0 ? ` ${capital(counted(counts.done, 'file'))} ${counts.done === 1 ? 'was' : 'were'} saved.` : ''
    return {
      shape: 'cross',
      tone: 'danger',
      title: `${capital(counted(counts.failed, 'file'))} failed.`,
      more: `Each says below why, and what to do.${saved}`
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
    title: 'Nothing is on its way.',
    // Whether they are still there, and as they were, is what the check tells.
    more: counts.done === 1 ? 'The file was saved.' : `All ${counts.done.toLocaleString('en-GB')} files were saved.`
  }
}

/** What the bar shows: files that are over and, of those under way, the share that has come. */
export function shareOf(view: DownloadSummary): { over: number; of: number } {
  const { done, failed, of } = filesOf(view)
  const share = view.total ? Math.min(1, view.bytes / view.total) : 0
  return { over: done + failed + share * view.counts.running, of }
}

/** What holds all of them, said once. */
function held({ counts, retryAt }: DownloadSummary, problem: AppError, soFar: string, now: number): QueueWords {
  const left = counts.running + counts.waiting
  const again = retryAt !== undefined && retryAt > now ? ` It is tried again in ${inWords(retryAt - now)}.` : ''
  if (isNoLine(problem)) return waitsForLine(left, soFar, again)
  const waiting = `${capital(counted(left, 'file'))} ${left === 1 ? 'waits' : 'wait'}`
  if (problem.code === 'rate-limited') {
    return {
      shape: 'clock',
      tone: 'accent',
      title: `${waiting}: the service asks for a pause.`,
      more: `${soFar}.${again}`
    }
  }
  const { happened, todo } = presentError(problem)
  return { shape: 'pause', tone: 'warn', title: `${waiting}. ${happened}`, more: `${soFar}. ${todo}${again}` }
}

function waitsForLine(left: number, soFar: string, again: string): QueueWords {
  const many = left !== 1
  return {
    shape: 'ring',
    tone: 'warn',
    title: `${capital(counted(left, 'file'))} ${many ? 'wait' : 'waits'} for the line.`,
    more: `${soFar}. ${many ? 'They go on by themselves' : 'It goes on by itself'} when the line is back.${again}`
  }
}
