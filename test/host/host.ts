// What all parts of the host share: the running Chromium, the surroundings that a test can change, and what it has recorded.
import { EventEmitter } from 'node:events'
import { type Browser, startBrowser } from './browser.ts'
import type { OwnCertificate } from './net-lines.ts'
import { watchNetwork } from './network.ts'
import { watchTargets } from './targets.ts'

let running: Browser | undefined

/** Switches of Chromium's that the application has appended; undefined once it is too late. */
let appended: Map<string, string> | undefined = new Map()

/** As in Electron: before Chromium starts, which is once the application's modules have run. */
export function appendSwitch(name: string, value: string): void {
  if (!appended) throw new Error(`test host: Chromium has started without --${name}`)
  appended.set(name, value)
}

async function start(): Promise<Browser> {
  await new Promise((done) => setImmediate(done))
  const switches = appended ?? new Map()
  appended = undefined
  running = await startBrowser(switches)
  await watchTargets(running)
  await watchNetwork(running)
  return running
}

class Host extends EventEmitter {
  /** Settles when Chromium runs. */
  readonly started: Promise<Browser> = start()
  /** What a test may change about the machine. */
  readonly surroundings = { dark: false, highContrast: false, online: true }
  /** Those of the system's store. */
  ownCertificates: readonly OwnCertificate[] = []
  readonly openedExternally: string[] = []
  readonly openedPaths: string[] = []
  readonly shownInFolder: string[] = []
  beeps = 0
  applicationName = 'Electron'
}

export const host = new Host()
host.setMaxListeners(0)

/** The running Chromium; only after `host.started`. */
export function chromium(): Browser {
  if (!running) throw new Error('test host: Chromium is not running yet')
  return running
}
