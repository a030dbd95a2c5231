/** Runs the practice service in a worker: starts it when it's needed, and again once if it ends by itself. */
import { Worker } from 'node:worker_threads'
import { type PracticeDay, USUAL_DAY } from '../../shared/contract/practice-day.ts'
import type { PracticeOfficeStore } from '../core/accounts/practice-office-store.ts'
import { fail } from '../core/lib/failure.ts'
import type { Log } from './log.ts'
import type {
  PracticeDayMessage,
  PracticeKeepReply,
  PracticeWorkerData,
  PracticeWorkerMessage
} from './practice-worker.ts'

/** Where the service listens in this run, and the token for it. */
export interface PracticeRun {
  url: string
  token: string
}

export interface PracticeParts {
  /** The built worker, or its source when running from source. */
  worker: string | URL
  kept: PracticeOfficeStore
  /** Called at each start, as port and token change; undefined once it has ended. */
  runChanged(run: PracticeRun | undefined): void
  log: Pick<Log, 'error'>
}

export type Practice = ReturnType<typeof practiceOf>

/** How long starting or stopping may take, in milliseconds. */
const TIMEOUT_MS = 15_000

export function practiceOf(parts: PracticeParts) {
  let worker: Worker | undefined
  let starting: Promise<void> | undefined
  let port = 0
  let isStopping = false
  let revivals = 0
  let day = USUAL_DAY
  let mailbox = ''
  /** Practice days sent to the worker, and who is waiting for its confirmation. */
  const pendingDays: { requested: PracticeDay; finish: (isSet: boolean) => void }[] = []

  async function open(): Promise<void> {
    const order: PracticeWorkerData = { state: parts.kept.load(), port, day }
    // The practice service has no use for the application's environment and arguments.
    const opened = new Worker(parts.worker, { workerData: order, env: {}, argv: [], name: 'practice' })
    worker = opened
    opened.on('message', (word: PracticeWorkerMessage) => handleMessage(opened, word))
    opened.on('error', (error) => parts.log.error('The practice office failed.', { kind: error.constructor.name }))
    opened.once('exit', () => handleExit(opened))
    const word = await nextState(opened)
    if (word?.kind !== 'open') {
      // If it ended by itself, another may have been started.
      if (worker === opened) worker = undefined
      await opened.terminate()
      parts.log.error('The practice office did not open.', { code: word?.kind === 'failed' ? word.code : 'no answer' })
      fail('refused', 'The practice office couldn’t be opened on this computer.', {
        next: 'Restart Countersign. If that doesn’t help, contact your administrator.'
      })
    }
    port = Number(new URL(word.url).port)
    mailbox = word.mailbox
    parts.runChanged({ url: word.url, token: word.token })
  }

  /** Stores what the worker asks to keep. The service answers a send only once it hears that the package is stored. */
  function handleMessage(from: Worker, word: PracticeWorkerMessage): void {
    if (word.kind === 'keep') tryKeep(() => parts.kept.save(word.state))
    else if (word.kind === 'unreadable') tryKeep(() => parts.kept.setAside())
    else if (word.kind === 'add') {
      const isKept = tryKeep(() => parts.kept.add(word.line))
      from.postMessage({ kind: isKept ? 'kept' : 'not kept', number: word.number } satisfies PracticeKeepReply)
    } else if (word.kind === 'day') {
      const pending = pendingDays.shift()
      // Set at once: an ending worker's last messages arrive in the same turn as its end, which starts the next one.
      if (pending) day = pending.requested
      pending?.finish(true)
    }
  }

  function tryKeep(keeping: () => void): boolean {
    try {
      keeping()
      return true
    } catch (error) {
      parts.log.error('The practice office could not be kept.', { kind: kindOf(error) })
      return false
    }
  }

  function handleExit(which: Worker): void {
    if (worker !== which) return
    worker = undefined
    starting = undefined
    for (const { finish } of pendingDays.splice(0)) finish(false)
    parts.runChanged(undefined)
    if (isStopping) return
    parts.log.error('The practice office ended by itself.')
    if (revivals >= 1) return
    revivals += 1
    start().catch(() => undefined)
  }

  function start(): Promise<void> {
    isStopping = false
    if (starting) return starting
    const opening = open().catch((error: unknown) => {
      if (starting === opening) starting = undefined
      throw error
    })
    starting = opening
    return opening
  }

  return {
    /** Resolves once it listens. @throws AppFailure `refused` if it can't. */
    start,

    day: (): PracticeDay => day,

    /**
     * Returns the address of the page with all pending invitations, for a browser on this computer. @throws AppFailure
     * `refused` if it can't start.
     */
    async mailbox(): Promise<string> {
      await start()
      return mailbox
    },

    /**
     * Sets the practice day; resolves once it applies. @throws AppFailure `refused` if the service can't be reached.
     */
    async setDay(requested: PracticeDay): Promise<void> {
      await start()
      const isSet = await new Promise<boolean>((finish) => {
        if (!worker) return finish(false)
        pendingDays.push({ requested, finish })
        worker.postMessage({ kind: 'day', day: requested } satisfies PracticeDayMessage)
      })
      if (!isSet) fail('refused', 'The practice office stopped before it received this.', { next: 'Try again.' })
    },

    /** Saves and ends. Never rejects. */
    async stop(): Promise<void> {
      isStopping = true
      const running = worker
      if (!running) return
      await starting?.catch(() => undefined)
      // A failed start has ended it already.
      if (worker !== running) return
      const closed = nextState(running)
      running.postMessage('close')
      await closed
      await running.terminate()
    }
  }
}

/** The worker's next state message; undefined if it ends or doesn't reply in time. */
function nextState(worker: Worker): Promise<PracticeWorkerMessage | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS)
    const finish = (word?: PracticeWorkerMessage) => {
      clearTimeout(timer)
      resolve(word)
    }
    worker.on('message', (word: PracticeWorkerMessage) => {
      if (word.kind === 'open' || word.kind === 'failed' || word.kind === 'closed') finish(word)
    })
    worker.once('exit', () => finish())
  })
}

function kindOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.constructor.name : typeof thrown
}
