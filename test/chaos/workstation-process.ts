/** Starts `workstation.ts` as a process, talks to it, and kills it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { AppError } from '../../src/shared/contract/index.ts'
import type { WorkstationAnswer, WorkstationOpened, WorkstationPlan, WorkstationSnapshot } from './workstation.ts'

const PROGRAM = new URL('./workstation.ts', import.meta.url).pathname
/** How long an answer may take, in milliseconds. Slowness is no fault; only an answer that never comes is. */
const TIMEOUT = 120_000
/** How long the outbox may take to settle, in milliseconds. */
const SETTLING = 180_000
/** The unit of `ulimit -f`, in bytes. */
const BLOCK = 512

/** The process ended before it answered. */
export class WorkstationDied extends Error {}
/** The workstation answered with an error. */
class WorkstationRefused extends Error {
  readonly appError: AppError
  constructor(appError: AppError) {
    super(appError.message)
    this.appError = appError
  }
}

export interface WorkstationOptions {
  /** The largest size that any of its files may reach, in bytes; beyond that its disk is full. */
  maxFileBytes?: number
  env?: NodeJS.ProcessEnv
}

export class WorkstationProcess {
  readonly #child: ChildProcess
  readonly #lines: Interface
  readonly #waiting: ((answer: WorkstationAnswer | undefined) => void)[] = []
  readonly #exit: Promise<unknown>
  /** How the data was opened. */
  readonly opened: Promise<WorkstationOpened>

  constructor(plan: WorkstationPlan, { maxFileBytes, env }: WorkstationOptions = {}) {
    const args = [PROGRAM, JSON.stringify(plan)]
    // A limit that the system puts on the process: its writes fail as they do on a full disk.
    const limited = [
      '-c',
      `ulimit -f ${Math.floor((maxFileBytes ?? 0) / BLOCK)}; exec "$0" "$@"`,
      process.execPath,
      ...args
    ]
    const options = { stdio: ['pipe', 'pipe', 'inherit'] as ['pipe', 'pipe', 'inherit'], env: env ?? process.env }
    this.#child =
      maxFileBytes === undefined ? spawn(process.execPath, args, options) : spawn('/bin/sh', limited, options)
    this.#exit = once(this.#child, 'exit')
    this.#child.stdin?.on('error', () => undefined)
    if (!this.#child.stdout) throw new Error('The process has no output.')
    this.#lines = createInterface({ input: this.#child.stdout })
    this.opened = this.#answer().then((value) => value as WorkstationOpened)
    this.opened.catch(() => undefined)
    this.#lines.on('line', (line) => this.#waiting.shift()?.(JSON.parse(line) as WorkstationAnswer))
    this.#lines.on('close', () => {
      for (const tell of this.#waiting.splice(0)) tell(undefined)
    })
  }

  /**
   * Sends a command and resolves with its result.
   * @throws WorkstationDied, WorkstationRefused
   */
  ask(name: string, argument = ''): Promise<unknown> {
    const answer = this.#answer()
    this.#child.stdin?.write(`${JSON.stringify([name, argument])}\n`)
    return answer
  }

  snapshot = (): Promise<WorkstationSnapshot> => this.ask('snapshot') as Promise<WorkstationSnapshot>

  /** Looks once everything in the outbox has settled, or has had long enough to. */
  async snapshotOnceSettled(): Promise<WorkstationSnapshot> {
    const until = performance.now() + SETTLING
    for (;;) {
      const snapshot = await this.snapshot()
      const isOpen = snapshot.sends.some(
        ({ state }) => state === 'ready' || state === 'sending' || state === 'uncertain'
      )
      if (!isOpen || performance.now() > until) return snapshot
      await pause(200)
    }
  }

  async #answer(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkstationAnswer | undefined>()
    this.#waiting.push(resolve)
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve(undefined)
    const late = setTimeout(() => reject(new Error('The process gives no answer.')), TIMEOUT)
    const answer = await promise.finally(() => clearTimeout(late))
    if (!answer) throw new WorkstationDied('The process ended.')
    if (!answer.ok) throw new WorkstationRefused(answer.error)
    return answer.value
  }

  isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async kill(): Promise<void> {
    if (this.isAlive()) this.#child.kill('SIGKILL')
    await this.#exit
  }

  /** Shuts down in an orderly way. */
  async end(): Promise<void> {
    await this.ask('end')
    await this.#exit
  }
}

/**
 * Returns the error that a command was refused with; undefined if it succeeded.
 * @throws WorkstationDied
 */
export async function refusalOf(attempt: Promise<unknown>): Promise<AppError | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (error instanceof WorkstationRefused) return error.appError
    throw error
  }
}
