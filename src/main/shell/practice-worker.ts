/**
 * The worker of the practice service, in a thread of its own so that it can't hold up the windows. It opens the
 * practice office it's given, reports where it listens, and closes it when asked.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { newCredentials, openPracticeOffice, type PracticeOffice } from '../../practice/office.ts'
import type { PracticeDay } from '../../shared/contract/practice-day.ts'
import { codeOf } from '../core/lib/failure.ts'

/** What the main thread passes at the start. */
export interface PracticeWorkerData {
  /** The last stored state; undefined for a new office. */
  state: string | undefined
  /** The port it had earlier in this run; 0 at its first start. */
  port: number
  /** The last practice day set in this run, even if the worker ended by itself since. */
  day: PracticeDay
}

/** The main thread sets the practice day. */
export interface PracticeDayMessage {
  kind: 'day'
  day: PracticeDay
}

/** The main thread's reply about a line to keep: whether it's on the disk. */
export interface PracticeKeepReply {
  kind: 'kept' | 'not kept'
  number: number
}

export type PracticeWorkerMessage =
  | { kind: 'open'; url: string; token: string; mailbox: string }
  | { kind: 'failed'; code: string }
  /** To be kept for the next run, replacing what was kept. */
  | { kind: 'keep'; state: string }
  /** To be appended to it; answered by `PracticeKeepReply` with that number. */
  | { kind: 'add'; number: number; line: string }
  /** What was kept can't be read and is to be set aside. */
  | { kind: 'unreadable' }
  /** The practice day that was last set applies now. */
  | { kind: 'day' }
  | { kind: 'closed' }

const post = (message: PracticeWorkerMessage): void => parentPort?.postMessage(message)

/** Callers waiting for a line to be stored, by its number. */
const pendingLines = new Map<number, PromiseWithResolvers<void>>()
let lastNumber = 0

/** Resolves once the main thread has stored the line: only then may anyone be told about its content. */
function appendLine(line: string): Promise<void> {
  const kept = Promise.withResolvers<void>()
  const number = ++lastNumber
  pendingLines.set(number, kept)
  post({ kind: 'add', number, line })
  return kept.promise
}

function handleKeepReply({ kind, number }: PracticeKeepReply): void {
  const kept = pendingLines.get(number)
  pendingLines.delete(number)
  if (kind === 'kept') kept?.resolve()
  else kept?.reject(new Error('The practice office could not be kept.'))
}

async function openOffice({ state, port, day }: PracticeWorkerData): Promise<PracticeOffice | undefined> {
  const auth = newCredentials('bearer')
  if (auth.scheme !== 'bearer') return undefined
  const persistence = {
    load: async () => state,
    save: async (text: string) => post({ kind: 'keep', state: text }),
    add: appendLine,
    setAside: async () => {
      post({ kind: 'unreadable' })
      return 'unreadable'
    }
  }
  const open = (at: number) =>
    openPracticeOffice({ port: at, auth, data: 'demo', persistence, conditions: day, hasMailbox: true })
  try {
    const office = await open(port).catch((error: unknown) => {
      // Another program has the old port by now.
      if (port === 0 || codeOf(error) !== 'EADDRINUSE') throw error
      return open(0)
    })
    post({ kind: 'open', url: office.url, token: auth.token, mailbox: office.mailbox ?? '' })
    return office
  } catch (error) {
    post({ kind: 'failed', code: codeOf(error) || 'unknown' })
    return undefined
  }
}

let office: PracticeOffice | undefined
parentPort?.on('message', async (message: 'close' | PracticeKeepReply | PracticeDayMessage) => {
  if (message !== 'close' && message.kind !== 'day') return handleKeepReply(message)
  if (message !== 'close') {
    office?.service.setConditions(message.day)
    return post({ kind: 'day' })
  }
  await office?.close()
  post({ kind: 'closed' })
  parentPort?.close()
})
office = await openOffice(workerData as PracticeWorkerData)
