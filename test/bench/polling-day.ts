/**
 * A day of polling, as fast as it can be computed: what the process holds after 24 hours against after one. Polling and
 * the documents' thread are the product's; time is the bench's own, and every third answer has ten changed documents.
 * Runs in a process of its own: memory that other benches used could be reused without being seen.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PACE } from '../../src/main/core/documents/polling/account-state.ts'
import { openPolling, type PollingDeps } from '../../src/main/core/documents/polling/polling.ts'
import { openDocumentsThread } from '../../src/main/shell/documents.ts'
import { DocumentQuery } from '../../src/shared/contract/index.ts'
import { testTime } from '../fixtures/own-time.ts'
import { type Bench, lower, median, rounded } from './figure.ts'
import { openAnswer } from './large-folder.ts'

const WORKER = new URL('../../src/main/shell/documents-worker.ts', import.meta.url)
const MEGABYTE = 1024 * 1024
const HOUR = 3_600_000
const HOURS = 24
const DOCUMENTS = 4000
/** One answer in this many differs from the one before. */
const EVERY = 3
/** How often memory is read at the end of an hour, a minute apart: it goes up and down with garbage collection. */
const READINGS = 20
const MINUTE = 60_000
const OWN = 'poll'
const accountId = 'bench'

interface Day {
  /** Megabytes of the process with all its threads, at the end of each hour. */
  hours: number[]
  rounds: number
}

export const pollingDay: Bench = {
  name: 'polling-day',
  async run() {
    // V8 raises a main thread's allocation limit between collections in leaps: no higher than the documents' thread has
    // it.
    const execArgv = ['--max-semi-space-size=4']
    const child = fork(new URL(import.meta.url), [OWN], { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const [[day]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [[Day], unknown]
    const { hours, rounds } = day
    const [first = Number.NaN, last = Number.NaN] = [hours[0], hours.at(-1)]
    const against = `${rounded(last)} MB against ${rounded(first)} after the first hour; ${rounds} rounds, ${DOCUMENTS} documents`
    return [lower('polling-day-memory', last / first, 'ratio', 1.1, against)]
  }
}

/** Lives through the day. */
async function live(): Promise<Day> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const thread = openDocumentsThread({
    worker: WORKER,
    folder,
    key: { key: new Uint8Array(32).fill(7), isNew: true },
    log: { warn: console.warn, error: console.error }
  })
  const answer = openAnswer(DOCUMENTS)
  let rounds = 0
  let underWay = 0
  const idle = async () => {
    do await new Promise((resume) => setImmediate(resume))
    while (underWay > 0)
  }
  const time = testTime(Date.UTC(2026, 10, 23), idle)
  const its = time.run({ zone: () => 'Pacific/Auckland' })
  /** Counted, so that the next hour begins once everything has been answered. */
  const ask: PollingDeps['ask'] = async (name, what) => {
    underWay++
    try {
      return await thread.ask(name, what)
    } finally {
      underWay--
    }
  }
  /** The screens' requests whenever documents change. */
  const shown = async () => {
    const moment = { accountId, now: its.now(), zone: its.zone() }
    const query = DocumentQuery.parse({ search: 'agreement' })
    await ask('list', { ...moment, query, expanded: [], offset: 0, limit: 50 })
    await ask('counts', { ...moment, queries: [{ id: 'due', query: DocumentQuery.parse({ dueWithinDays: 30 }) }] })
    await ask('overview', { ...moment, stuckDays: 7 })
    await ask('activity', { accountId, offset: 0, limit: 50 })
  }
  const client = {
    readActiveDocuments: async (
      _folder: string,
      _options: unknown,
      read: (bytes: Uint8Array<ArrayBuffer>) => unknown
    ) => read(answer(Math.floor(rounds++ / EVERY)) as Uint8Array<ArrayBuffer>)
  }
  const polling = openPolling({
    ask,
    time: its,
    moment: its.now,
    clientOf: async () => client as never,
    dateFormatOf: async () => undefined,
    accounts: () => [{ id: accountId, folders: ['Progress'] }],
    shown: () => [accountId],
    changed: () => void shown(),
    accountRead: () => undefined,
    connectionChanged: () => undefined
  })
  polling.start()
  const hours: number[] = []
  try {
    for (let hour = 0; hour < HOURS; hour++) {
      await time.pass(HOUR - READINGS * MINUTE)
      const readings: number[] = []
      for (let reading = 0; reading < READINGS; reading++) {
        await time.pass(MINUTE)
        readings.push(process.memoryUsage.rss() / MEGABYTE)
      }
      hours.push(median(readings))
    }
    if (rounds < (HOURS * HOUR) / PACE.shown / 2) throw new Error(`Only ${rounds} rounds were made.`)
    return { hours, rounds }
  } finally {
    polling.stop()
    await thread.end()
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv[2] === OWN && process.send) {
  process.send(await live())
  process.disconnect()
}
