// What a page writes to its console, and what Chromium writes there about it, in the form of Electron's
// console-message.
import type { CdpSession } from './cdp.ts'
import { toApp } from './schemes.ts'

export interface ConsoleMessage {
  readonly level: 'info' | 'warning' | 'error' | 'debug'
  readonly message: string
  readonly lineNumber: number
  readonly sourceId: string
}

const levels: Readonly<Record<string, ConsoleMessage['level']>> = {
  error: 'error',
  assert: 'error',
  warning: 'warning',
  debug: 'debug',
  verbose: 'debug'
}

export function followConsole(session: CdpSession, report: (message: ConsoleMessage) => void): void {
  session.on('Runtime.consoleAPICalled', ({ type, args, stackTrace }) => {
    const at = stackTrace?.callFrames[0]
    const words = args.map((arg) => String(arg.value ?? arg.description ?? arg.unserializableValue ?? arg.type))
    const place = { lineNumber: at?.lineNumber ?? 0, sourceId: toApp(at?.url ?? '') }
    report({ level: levels[type] ?? 'info', message: words.join(' '), ...place })
  })
  session.on('Runtime.exceptionThrown', ({ exceptionDetails: { exception, text, lineNumber, url } }) => {
    report({
      level: 'error',
      message: `Uncaught ${exception?.description ?? text}`,
      lineNumber,
      sourceId: toApp(url ?? '')
    })
  })
  session.on('Log.entryAdded', ({ entry: { level, text, lineNumber, url } }) => {
    report({ level: levels[level] ?? 'info', message: text, lineNumber: lineNumber ?? 0, sourceId: toApp(url ?? '') })
  })
}
