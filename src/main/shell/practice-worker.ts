/**
 * A thread of its own for the practice service, so that it can't hold up the windows. It opens the office it is told
 * to, says where, and closes it when asked.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { newCredentials, openPracticeOffice, type PracticeOffice } from '../../practice/office.ts'
import type { PracticeDay } from '../../shared/contract/practice-day.ts'
import { codeOf } from '../core/lib/failure.ts'

/** What the main thread hands over. */
export interface PracticeOrder {
  /** What was last to be kept; undefined for a new office. */
  state: string | undefined
  /** The port it had before in this run; 0 at its first start. */
  port: number
  /** What was last asked of it in this run, also where it ended by itself since. */
  day: PracticeDay
}

/** What the main thread asks of it: to answer as on such a day from now on. */
export interface PracticeOrderOfDay {
  kind: 'day'
  day: PracticeDay
}

/** What the main thread says of a line that it was to keep: whether it is on the disk. */
export interface PracticeKept {
  kind: 'kept' | 'not kept'
  number: number
}

/** What the worker says. */
export type PracticeWord =
  | { kind: 'open'; url: string; token: string; mailbox: string }
  | { kind: 'failed'; code: string }
  /** To be kept for the next time, in place of what was kept. */
  | { kind: 'keep'; state: string }
  /** To be kept beside it; answered by `PracticeKept` of that number. */
  | { kind: 'add'; number: number; line: string }
  /** What was kept can't be read: to be put aside. */
  | { kind: 'unreadable' }
  /** It answers as was last asked. */
  | { kind: 'day' }
  | { kind: 'closed' }

const say = (word: PracticeWord): void => parentPort?.postMessage(word)

/** Those who wait until a line is kept, by its number. */
const waiting = new Map<number, PromiseWithResolvers<void>>()
let lines = 0

/** Resolves when the main thread has written it: only then may anyone be told of what is in it. */
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
      // Someone else has the old port by now.
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
