/**
 * The system's own log, for the few lines that a monitor wants of each computer: syslog and the journal on Linux, the
 * unified log on macOS, both by the system's `logger`; the application log on Windows, by its `eventcreate`. Only where the
 * organisation's policy asks for it; a line that can't be written there is in our own log all the same.
 */
import { spawn } from 'node:child_process'
import { win32 } from 'node:path'
import { logLine } from '../policy/log-lines.ts'

type Level = 'info' | 'warn'
type Write = (message: string, detail?: Record<string, unknown>) => void

/** How long a program may take over one line, in milliseconds. */
const SLOW = 5000
const NAME = 'countersign'

export interface SystemLogDeps {
  platform: NodeJS.Platform
  /** The root of the system's disk: `C:\` on Windows. */
  root: string
  isWanted: () => boolean
  /** It couldn't be written, for the first time in this run. */
  failed: () => void
  /** For `logger`, beside its own: where a test's log is. */
  more?: readonly string[]
}

export class SystemLog {
  readonly #deps: SystemLogDeps
  #last: Promise<void> = Promise.resolve()
  #hasFailed = false

  constructor(deps: SystemLogDeps) {
    this.#deps = deps
  }

  readonly info: Write = (message, detail) => this.#write('info', logLine(message, detail))
  readonly warn: Write = (message, detail) => this.#write('warn', logLine(message, detail))

  /** Resolves once what was written is there, or never will be. */
  settled(): Promise<void> {
    return this.#last
  }

  /** One after the other, so that they stand there in their order. */
  #write(level: Level, line: string): void {
    if (!this.#deps.isWanted()) return
    this.#last = this.#last.then(async () => {
      if ((await this.#written(level, line)) || this.#hasFailed) return
      this.#hasFailed = true
      this.#deps.failed()
    })
  }

  #written(level: Level, line: string): Promise<boolean> {
    const { platform, root, more = [] } = this.#deps
    const [program, given] = platform === 'win32' ? eventCreate(root, level, line) : logger(level, more)
    return new Promise((resolve) => {
      const child = spawn(program, given, { stdio: ['pipe', 'ignore', 'ignore'], timeout: SLOW, windowsHide: true })
      child.once('error', () => resolve(false))
      child.once('close', (code) => resolve(code === 0))
      // One that ends before it has read its line says so by its code.
      child.stdin.once('error', () => undefined)
      child.stdin.end(platform === 'win32' ? '' : `${line}\n`)
    })
  }
}

/** The line comes by its input: other users of the computer read arguments. By its place: a folder on the path may be anyone's. */
function logger(level: Level, more: readonly string[]): [program: string, given: string[]] {
  return ['/usr/bin/logger', ['-t', NAME, '-p', level === 'info' ? 'user.info' : 'user.warning', ...more]]
}

/** It takes a source that an administrator has made, which the handbook says how to do; and the line as an argument only. */
function eventCreate(root: string, level: Level, line: string): [program: string, given: string[]] {
  const type = level === 'info' ? 'INFORMATION' : 'WARNING'
  const given = ['/L', 'APPLICATION', '/SO', 'Countersign', '/T', type, '/ID', level === 'info' ? '1' : '2', '/D', line]
  return [win32.join(root, 'Windows', 'System32', 'eventcreate.exe'), given]
}
