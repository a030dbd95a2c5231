/**
 * The application's log: a file in the system's place for logs, and the console. Every line is scrubbed before it
 * reaches either.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app, crashReporter } from 'electron'
// The package's Electron entry would open a channel from the pages into the log that the contract doesn't have.
import electronLog from 'electron-log/node.js'
import { logLine } from '../core/policy/log-lines.ts'

type LogMethod = (message: string, detail?: Record<string, unknown>) => void

export interface Log {
  info: LogMethod
  warn: LogMethod
  error: LogMethod
}

const MAX_FILE_BYTES = 1024 * 1024

/** Opens the log. If the file can't be written, the console still is. */
export function openLog(): Log {
  const logger = electronLog.create({ logId: 'main' })
  logger.transports.file.resolvePathFn = () => logFile()
  logger.transports.file.maxSize = MAX_FILE_BYTES
  logger.transports.file.format = '{iso} [{level}] {text}'
  logger.transports.console.format = '[{level}] {text}'
  // A closed terminal, or a launcher that ended, accepts no more lines. Logging that would be the next error,
  // endlessly.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      logger.transports.console.level = false
    })
  }
  const logAt =
    (level: 'info' | 'warn' | 'error'): LogMethod =>
    (message, detail) => {
      logger[level](logLine(message, detail))
    }
  return { info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

const logFile = (name = 'countersign') => join(app.getPath('logs'), `${name}.log`)

/** The paths of the log and the one before it. */
export const logFiles = (): string[] => [logFile(), logFile('countersign.old')]

/** Returns the log and the one before it, both small; '' for a missing one. */
export async function readLog(): Promise<string> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  return (await Promise.all([read(logFile('countersign.old')), read(logFile())])).join('')
}

/** Where the browser engine writes dumps of crashes. */
export const crashFolder = (): string => app.getPath('crashDumps')

/** Enables crash dumps, for processes started after this; none leaves this computer. */
export function enableCrashReports(log: Log): void {
  try {
    crashReporter.start({ uploadToServer: false })
  } catch {
    log.warn('Crash reports can’t be made here.')
  }
}

/**
 * Logs uncaught errors by their kind only, and lets the application go on if it can: a stack trace would contain paths,
 * and a native dialog would show it to anyone nearby.
 */
export function logUncaught(log: Log): void {
  process.on('uncaughtException', (error) => log.error('Nobody caught an error.', kindOf(error)))
  process.on('unhandledRejection', (reason) => log.error('Nobody handled a rejection.', kindOf(reason)))
}

function kindOf(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { kind: typeof thrown }
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  return { kind: thrown.constructor.name, ...(code && { code }), at: placeOf(thrown) }
}

/** The function and line that threw, without the folders in its path. */
function placeOf(error: Error): string {
  const first = error.stack?.split('\n').find((line) => line.trim().startsWith('at ')) ?? ''
  return first.trim().replace(/(?:file:\/\/)?[^\s()]*[/\\]/g, '')
}
