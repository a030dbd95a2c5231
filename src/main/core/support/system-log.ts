/**
 * Writes the few lines that monitoring needs to the system's log: syslog or the journal on Linux and the unified log on
 * macOS, both with the system's `logger`; the application log on Windows, with `eventcreate`. Only if the
 * organisation's policy asks for it. Lines that can't be written there are still in our own log.
 */
import { spawn } from 'node:child_process'
import { win32 } from 'node:path'
import { logLine } from '../policy/log-lines.ts'

type Level = 'info' | 'warn'
type Write = (message: string, detail?: Record<string, unknown>) => void

/** Timeout for writing one line, in milliseconds. */
const WRITE_TIMEOUT = 5000
const NAME = 'countersign'

export interface SystemLogDeps {
  platform: NodeJS.Platform
  /** Root of the system drive: `C:\` on Windows. */
  root: string
  isEnabled: () => boolean
  /** Called on the first failure in this run. */
  onError: () => void
  /** Extra arguments for `logger`, such as a test's log. */
  extraArguments?: readonly string[]
}

export class SystemLog {
  readonly #deps: SystemLogDeps
  #writing: Promise<void> = Promise.resolve()
  #hasFailed = false

  constructor(deps: SystemLogDeps) {
    this.#deps = deps
  }

  readonly info: Write = (message, detail) => this.#write('info', logLine(message, detail))
  readonly warn: Write = (message, detail) => this.#write('warn', logLine(message, detail))

  /** Resolves once all lines are written or have failed. */
  whenWritten(): Promise<void> {
    return this.#writing
  }

  /** Writes lines one at a time, to keep their order. */
  #write(level: Level, line: string): void {
    if (!this.#deps.isEnabled()) return
    this.#writing = this.#writing.then(async () => {
      if ((await this.#tryWrite(level, line)) || this.#hasFailed) return
      this.#hasFailed = true
      this.#deps.onError()
    })
  }

  #tryWrite(level: Level, line: string): Promise<boolean> {
    const { platform, root, extraArguments = [] } = this.#deps
    const [program, args] = platform === 'win32' ? eventCreate(root, level, line) : logger(level, extraArguments)
    return new Promise((resolve) => {
      const child = spawn(program, args, {
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: WRITE_TIMEOUT,
        windowsHide: true
      })
      child.once('error', () => resolve(false))
      child.once('close', (code) => resolve(code === 0))
      // A program that exits before reading its line reports that in its exit code.
      child.stdin.once('error', () => undefined)
      child.stdin.end(platform === 'win32' ? '' : `${line}\n`)
    })
  }
}

/**
 * Passes the line by stdin, since other users can read arguments. Uses an absolute path, since a folder on PATH may be
 * anyone's.
 */
function logger(level: Level, more: readonly string[]): [program: string, given: string[]] {
  return ['/usr/bin/logger', ['-t', NAME, '-p', level === 'info' ? 'user.info' : 'user.warning', ...more]]
}

/**
 * `eventcreate` needs a source that an administrator has created (see the handbook), and accepts the line only as an
 * argument.
 */
function eventCreate(root: string, level: Level, line: string): [program: string, given: string[]] {
  const type = level === 'info' ? 'INFORMATION' : 'WARNING'
  const args = ['/L', 'APPLICATION', '/SO', 'Countersign', '/T', type, '/ID', level === 'info' ? '1' : '2', '/D', line]
  return [win32.join(root, 'Windows', 'System32', 'eventcreate.exe'), args]
}
