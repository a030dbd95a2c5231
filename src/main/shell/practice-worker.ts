/**
 * The worker of the practice service, in a thread of its own so that it can't hold up the windows. It opens the
 * practice office it's given, reports where it listens, and closes it when asked.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { newCredentials, openPracticeOffice, type PracticeOffice } from '../../practice/office.ts'
import type { PracticeDay } from '../../shared/contract/practice-day.ts'
import { codeOf } from '../core/lib/failure.ts'

/** What the main thread passes at the start. */
export interface PracticeOrder {
  /** The last stored state; undefined for a new office. */
  state: string | undefined
  /** The port it had earlier in this run; 0 at its first start. */
  port: number
  /** The last practice day set in this run, even if the worker ended by itself since. */
  day: PracticeDay
}

/** The main thread sets the practice day. */
export interface PracticeOrderOfDay {
  kind: 'day'
  day: PracticeDay
}

/** The main thread's reply about a line to keep: whether it's on the disk. */
export interface PracticeKept {
  kind: 'kept' | 'not kept'
  number: number
}

/** The worker's messages. */
export type PracticeWord =
  | { kind: 'open'; url: string; token: string; mailbox: string }
  | { kind: 'failed'; code: string }
  /** To be kept for the next run, replacing what was kept. */
  | { kind: 'keep'; state: string }
  /** To be appended to it; answered by `PracticeKept` with that number. */
  | { kind: 'add'; number: number; line: string }
  /** What was kept can't be read and is to be set aside. */
  | { kind: 'unreadable' }
  /** The practice day that was last set applies now. */
  | { kind: 'day' }
  | { kind: 'closed' }

const say = (word: PracticeWord): void => parentPort?.postMessage(word)

/** Callers waiting for a line to be stored, by its number. */
const waiting = new Map<number, PromiseWithResolvers<void>>()
let lines = 0

/** Resolves once the main thread has stored the line: only then may anyone be told about its content. */
function add(line: string): Promise<void> {
  const kept = Promise.withResolvers<void>()
  const number = ++lines
  waiting.set(number, kept)
  say({ kind: 'add', number, line })
  return kept.promise
}

function heard({ kind, number }: PracticeKept): void {
  const kept = waiting.get(number)
  waiting.delete(number)
  if (kind === 'kept') kept?.resolve()
  else kept?.reject(new Error('The practice office could not be kept.'))
}

async function opened({ state, port, day }: PracticeOrder): Promise<PracticeOffice | undefined> {
  const auth = newCredentials('bearer')
  if (auth.scheme !== 'bearer') return undefined
  const keptIn = {
    load: async () => state,
    save: async (text: string) => say({ kind: 'keep', state: text }),
    add,
    setAside: async () => {
      say({ kind: 'unreadable' })
      return 'unreadable'
    }
  }
  const open = (at: number) =>
    openPracticeOffice({ port: at, auth, data: 'demo', keptIn, conditions: day, hasMailbox: true })
  try {
    const office = await open(port).catch((error: unknown) => {
      // Another program has the old port by now.
      if (port === 0 || codeOf(error) !== 'EADDRINUSE') throw error
      return open(0)
    })
    say({ kind: 'open', url: office.url, token: auth.token, mailbox: office.mailbox ?? '' })
    return office
  } catch (error) {
    say({ kind: 'failed', code: codeOf(error) || 'unknown' })
    return undefined
  }
}

let office: PracticeOffice | undefined
parentPort?.on('message', async (word: 'close' | PracticeKept | PracticeOrderOfDay) => {
  if (word !== 'close' && word.kind !== 'day') return heard(word)
  if (word !== 'close') {
    office?.service.setConditions(word.day)
    return say({ kind: 'day' })
  }
  await office?.close()
  say({ kind: 'closed' })
  parentPort?.close()
})
office = await opened(workerData as PracticeOrder)
