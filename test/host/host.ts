// What all parts of the host share: the running Chromium, the surroundings that a test can change, and what it has recorded.
import { EventEmitter } from 'node:events'
import { type Browser, startBrowser } from './browser.ts'
import { watchNetwork } from './network.ts'
import { watchTargets } from './targets.ts'

let running: Browser | undefined

async function start(): Promise<Browser> {
  running = await startBrowser()
  await watchTargets(running)
  await watchNetwork(running)
  return running
}

class Host extends EventEmitter {
  /** Settles when Chromium runs. */
  readonly started: Promise<Browser> = start()
  /** What a test may change about the machine. */
  readonly surroundings = { dark: false, highContrast: false, online: true }
  readonly openedExternally: string[] = []
  readonly openedPaths: string[] = []
  readonly shownInFolder: string[] = []
  applicationName = 'Electron'
}

export const host = new Host()
host.setMaxListeners(0)

/** The running Chromium; only after `host.started`. */
export function chromium(): Browser {
  if (!running) throw new Error('test host: Chromium is not running yet')
  return running
}
