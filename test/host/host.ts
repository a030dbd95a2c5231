// Shared by all parts of the host: the running Chromium, the machine state that a test can change, and what the host
// has recorded.
import { EventEmitter } from 'node:events'
import { type Browser, startBrowser } from './browser.ts'
import type { OwnCertificate } from './net-lines.ts'
import { watchNetwork } from './network.ts'
import { watchTargets } from './targets.ts'

let running: Browser | undefined

/** Chromium switches that the application has appended; undefined once it's too late to append any. */
let appendedSwitches: Map<string, string> | undefined = new Map()

/**
 * Appends a Chromium switch. As in Electron, this has to happen before Chromium starts, which is once the application's
 * modules have run.
 */
export function appendSwitch(name: string, value: string): void {
  if (!appendedSwitches) throw new Error(`test host: Chromium has started without --${name}`)
  appendedSwitches.set(name, value)
}

async function start(): Promise<Browser> {
  await new Promise((done) => setImmediate(done))
  const switches = appendedSwitches ?? new Map()
  appendedSwitches = undefined
  running = await startBrowser(switches)
  await watchTargets(running)
  await watchNetwork(running)
  return running
}

class Host extends EventEmitter {
  /** Resolves once Chromium is running; rejects if it can't start. */
  readonly started: Promise<Browser> = start()
  /** Machine state that a test may change. */
  readonly machineState = { dark: false, highContrast: false, online: true }
  /** Client certificates in the system's store. */
  ownCertificates: readonly OwnCertificate[] = []
  readonly openedExternally: string[] = []
  readonly openedPaths: string[] = []
  readonly shownInFolder: string[] = []
  beeps = 0
  applicationName = 'Electron'
}

export const host = new Host()
host.setMaxListeners(0)

/** Returns the running Chromium. Call it only once `host.started` has resolved. */
export function chromium(): Browser {
  if (!running) throw new Error('test host: Chromium is not running yet')
  return running
}
