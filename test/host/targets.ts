// Every page, frame and worker that Chromium creates, paused until its owner is ready for it. A page that the
// application didn't create never runs: its opener's window-open handler is asked, and the page is closed.
import type { Browser } from './browser.ts'
import type { CdpSession, Protocol } from './cdp.ts'

type Info = Protocol.Target.TargetInfo

/** The owner of a page: a WebContents. */
export interface PageOwner {
  /** The page itself; it starts once the promise settles. */
  attached(session: CdpSession, info: Info): Promise<void>
  /** A frame in another process, or a worker, inside the page. */
  frameAttached(session: CdpSession, info: Info): Promise<void>
  /** The page opened another one, which never runs. */
  popupAttached(info: Info): void
  detached(): void
  /** A service worker of the page's session, which outlives the page. */
  workerAttached(info: Info): void
}

const owners = new Map<string, PageOwner>()
const ownContexts = new Set<string>()
const creations = new Set<Promise<unknown>>()
const pageOfSession = new Map<string, string>()
const serviceWorkers = new Map<string, Info>()
const workerOwners = new Map<string, PageOwner>()
const refusalListeners = new Set<(targetId: string) => void>()
let chromium: Browser

/** Starts watching. Call it before any page is created. */
export async function watchTargets(browser: Browser): Promise<void> {
  chromium = browser
  const { root } = browser
  root.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => handleTarget(sessionId, targetInfo))
  root.on('Target.detachedFromTarget', ({ sessionId }) => {
    browser.drop(sessionId)
    const targetId = pageOfSession.get(sessionId)
    pageOfSession.delete(sessionId)
    if (!targetId) return
    const owner = owners.get(targetId)
    owners.delete(targetId)
    for (const [context, each] of workerOwners) if (each === owner) workerOwners.delete(context)
    owner?.detached()
  })
  root.on('Target.targetDestroyed', ({ targetId }) => serviceWorkers.delete(targetId))
  await root.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'service_worker' }] })
  await root.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [
      { type: 'browser', exclude: true },
      { type: 'tab', exclude: true },
      { type: 'browser_ui', exclude: true },
      {}
    ]
  })
}

interface Proxy {
  proxyServer?: string | undefined
  proxyBypassList?: string | undefined
}

export async function createContext({ proxyServer, proxyBypassList }: Proxy = {}): Promise<string> {
  const { browserContextId } = await chromium.root.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    ...(proxyServer !== undefined && { proxyServer }),
    ...(proxyBypassList !== undefined && { proxyBypassList })
  })
  ownContexts.add(browserContextId)
  return browserContextId
}

/** Opens a page for `owner`. Resolves to its id once Chromium has created it (which may be before it is attached). */
export async function createPage(
  owner: PageOwner,
  where: { browserContextId: string; width: number; height: number }
): Promise<string> {
  const creation = chromium.root.send('Target.createTarget', { url: 'about:blank', newWindow: true, ...where })
  creations.add(creation)
  try {
    const { targetId } = await creation
    owners.set(targetId, owner)
    return targetId
  } finally {
    creations.delete(creation)
  }
}

/** Reports a browser context's service workers to this page from now on. */
export function ownWorkers(browserContextId: string, owner: PageOwner): void {
  workerOwners.set(browserContextId, owner)
}

/** Returns the scripts of the service workers that run in a browser context. */
export function runningServiceWorkers(browserContextId: string): string[] {
  const all = [...serviceWorkers.values()]
  return all.filter((info) => info.browserContextId === browserContextId).map(({ url }) => url)
}

/** Opens a page for the host's own use, which the application never sees. */
export async function openUtilityPage(
  browserContextId: string,
  size = { width: 800, height: 600 }
): Promise<{ page: CdpSession; close(): void }> {
  let resolveAttached: (session: CdpSession) => void
  const page = new Promise<CdpSession>((resolve) => (resolveAttached = resolve))
  const owner: PageOwner = {
    attached: async (session) => resolveAttached(session),
    frameAttached: async () => {},
    popupAttached() {},
    detached() {},
    workerAttached() {}
  }
  const targetId = await createPage(owner, { browserContextId, ...size })
  return { page: await page, close: () => chromium.root.sendAndForget('Target.closeTarget', { targetId }) }
}

/** Calls `listener` with the id of each page that is refused, so that what it had begun to load can be refused too. */
export function onPageRefused(listener: (targetId: string) => void): void {
  refusalListeners.add(listener)
}

/** Follows the frames and workers inside a page on behalf of its owner. */
export async function watchInside(session: CdpSession, owner: PageOwner): Promise<void> {
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    const inner = chromium.session(sessionId)
    owner
      .frameAttached(inner, targetInfo)
      .catch(() => {})
      .finally(() => inner.sendAndForget('Runtime.runIfWaitingForDebugger'))
  })
  session.on('Target.detachedFromTarget', ({ sessionId }) => chromium.drop(sessionId))
  await session
    .send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })
    .catch(() => {})
}

async function handleTarget(sessionId: string, info: Info): Promise<void> {
  const session = chromium.session(sessionId)
  if (info.type === 'service_worker') {
    serviceWorkers.set(info.targetId, info)
    // Its session's listeners are asked about what it loads, through a page of that session.
    workerOwners.get(info.browserContextId ?? '')?.workerAttached(info)
  }
  // Chromium may announce a page before it answers the command that made it.
  await Promise.allSettled([...creations])
  const owner = owners.get(info.targetId)
  // A second session with a page is the application's own (webContents.debugger).
  if ([...pageOfSession.values()].includes(info.targetId)) return
  if (owner) {
    pageOfSession.set(sessionId, info.targetId)
    await owner
      .attached(session, info)
      .catch((error) => console.error('test host: a page could not be made ready:', error))
    session.sendAndForget('Runtime.runIfWaitingForDebugger')
    return
  }
  if (info.type === 'page' && ownContexts.has(info.browserContextId ?? '')) {
    void refuse(session, info)
    if (info.openerId) owners.get(info.openerId)?.popupAttached(info)
    return
  }
  session.sendAndForget('Runtime.runIfWaitingForDebugger')
  // A worker doesn't end while a client is attached to it.
  if (info.type === 'service_worker') chromium.root.sendAndForget('Target.detachFromTarget', { sessionId })
}

/**
 * Ends a page before it has run: without requests or scripts, and only then released, since a paused page can't close.
 * (The script of a javascript: address, which can do no more than its opener can, slips through now and then.)
 */
async function refuse(session: CdpSession, info: Info): Promise<void> {
  for (const listener of refusalListeners) listener(info.targetId)
  session.sendAndForget('Emulation.setScriptExecutionDisabled', { value: true })
  await session.send('Runtime.runIfWaitingForDebugger').catch(() => {})
  chromium.root.sendAndForget('Target.closeTarget', { targetId: info.targetId })
}
