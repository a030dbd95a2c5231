// Starts one Chromium for the whole host and shares its connection. The application's sessions are browser contexts in
// it; its windows and views are pages. A second client (Playwright) may attach to the port that Chromium chooses.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { CdpConnection, type CdpSession, type Protocol, pipeTransport, socketTransport } from './cdp.ts'
import { startChromium } from './chromium.ts'
import { borrowEndpoint } from './lending.ts'

export interface Browser {
  readonly root: CdpSession
  /** For example 156.0.8078.79. */
  readonly version: string
  readonly userAgent: string
  /** A folder for files that only exist while Chromium runs. */
  readonly folder: string
  /** Returns the address that a second client attaches to: ws://127.0.0.1:…/devtools/browser/… */
  endpoint(): Promise<string>
  session(id: string): CdpSession
  drop(sessionId: string): void
  close(): Promise<void>
}

// Chromium conveniences that Electron lacks, and that would change what a page encounters.
const disabledFeatures = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'LocalNetworkAccessChecks',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'NetworkTimeServiceQuerying',
  'Translate',
  // Three more processes per window for an address bar that Electron doesn't have, and one that waits for a page.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess'
]

/** Switches that the application appended before Chromium starts, with their values. */
type AppendedSwitches = ReadonlyMap<string, string>

/** Chromium switches that may be given on the application's command line, as with Electron; others are ignored. */
const PASSED_THROUGH = ['ignore-certificate-errors-spki-list', 'short-reporting-delay', 'force-prefers-reduced-motion']
/** Chromium switches that an application may append, in addition to `disable-features`. */
export const APPENDABLE = ['disable-http2', 'disable-quic']

function switches(appended: AppendedSwitches): string[] {
  const disabled = [...disabledFeatures, ...(appended.get('disable-features')?.split(',') ?? [])]
  return [
    ...(process.env.HOST_HEADED === '1' ? [] : ['--headless']),
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--remote-debugging-pipe',
    '--remote-debugging-port=0',
    '--no-startup-window',
    '--no-first-run',
    '--no-default-browser-check',
    '--no-service-autorun',
    '--password-store=basic',
    '--use-mock-keychain',
    '--disable-back-forward-cache',
    '--disable-auto-reload',
    '--disable-background-networking',
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-breakpad',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-dev-shm-usage',
    '--disable-extensions',
    `--disable-features=${disabled.join(',')}`,
    ...APPENDABLE.filter((name) => appended.has(name)).map((name) => `--${name}`),
    ...process.argv.filter((each) =>
      PASSED_THROUGH.some((name) => each === `--${name}` || each.startsWith(`--${name}=`))
    ),
    '--disable-field-trial-config',
    '--disable-infobars',
    '--disable-ipc-flooding-protection',
    '--disable-popup-blocking',
    '--disable-prompt-on-repost',
    '--disable-renderer-backgrounding',
    '--disable-search-engine-choice-screen',
    '--disable-sync',
    '--force-color-profile=srgb',
    '--metrics-recording-only',
    // Pages ask for permission as usual; only the picture and sound behind a grant are fake, from two cameras.
    '--use-fake-device-for-media-stream=device-count=2'
  ]
}

/** Borrows a Chromium if the parent process lends one, or else starts its own. */
export async function startBrowser(appended: AppendedSwitches): Promise<Browser> {
  const args = switches(appended)
  const lent = await borrowEndpoint(args)
  return lent === undefined ? await ownBrowser(args) : await borrowedBrowser(lent)
}

async function ownBrowser(args: readonly string[]): Promise<Browser> {
  const chromium = startChromium(args)
  const { child, profile, ended } = chromium
  const connection = new CdpConnection(pipeTransport(child.stdio[3] as Writable, child.stdio[4] as Readable))
  const version = await connection.browser.send('Browser.getVersion').catch(() => {
    throw new Error(chromium.complaints())
  })
  return {
    ...browserOn(connection, version),
    folder: profile,
    endpoint: chromium.endpoint,
    async close() {
      connection.browser.sendAndForget('Browser.close')
      const timeout = new AbortController()
      await Promise.race([ended, pause(3000, undefined, { signal: timeout.signal }).catch(() => {})])
      timeout.abort()
      await chromium.end()
    }
  }
}

/** Attaches to a borrowed Chromium. The pages and sessions created in it end with the connection. */
async function borrowedBrowser(endpoint: string): Promise<Browser> {
  const transport = await socketTransport(endpoint)
  const connection = new CdpConnection(transport)
  const folder = mkdtempSync(join(tmpdir(), 'countersign-host-'))
  return {
    ...browserOn(connection, await connection.browser.send('Browser.getVersion')),
    folder,
    endpoint: async () => endpoint,
    async close() {
      transport.close()
      await transport.closed
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function browserOn(connection: CdpConnection, version: Protocol.Browser.getVersionReturnValue) {
  return {
    root: connection.browser,
    version: version.product.replace(/^.*\//, ''),
    userAgent: version.userAgent.replace('HeadlessChrome', 'Chrome'),
    session: (id: string) => connection.session(id),
    drop: (id: string) => connection.drop(id)
  }
}
