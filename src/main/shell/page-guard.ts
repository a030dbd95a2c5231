/**
 * Holds what Electron has no switch for: a page's dialogs for files, its calls to others, and service workers that would
 * answer in the network's place. It does so over the browser's own line for debuggers, in every frame and before any
 * script of the page; a line that is lost is told of, so that the page can be ended.
 */
import { randomUUID } from 'node:crypto'
import type { Debugger, WebContents } from 'electron'

export interface HoldEvents {
  /** The page would have printed. */
  printed(): void
  /** The page would have had the person choose a file of this computer. */
  askedForFile(): void
  /** The page is no longer held, or has gone. */
  slipped(): void
}

/**
 * Takes hold of a page that has no document of its own yet. Rejects where it can't be held.
 * @param may whether it may call others by WebRTC, whose relays no guard of requests sees.
 */
export async function hold(contents: WebContents, may: { call: boolean }, events: HoldEvents): Promise<void> {
  const line = contents.debugger
  // Said on the page's console instead of printing; the page can't know it.
  const password = randomUUID()
  const script = `(${prepare})('${password}', ${may.call})`
  contents.on('console-message', ({ message }) => {
    if (message === password) events.printed()
  })
  line.on('detach', () => events.slipped())
  line.on('message', (_event, method: string, { sessionId }: { sessionId?: string }) => {
    if (method === 'Page.fileChooserOpened') events.askedForFile()
    if (method === 'Target.attachedToTarget' && sessionId) void holdFrame(line, script, sessionId)
  })
  line.attach('1.3')
  await holdDocuments(line, script)
}

/** A frame that another process shows waits until it is held; one that can't be held never begins. */
async function holdFrame(line: Debugger, script: string, session: string): Promise<void> {
  try {
    await holdDocuments(line, script, session)
    await line.sendCommand('Runtime.runIfWaitingForDebugger', {}, session)
  } catch {
    // It has gone, or the line has, which is told.
  }
}

async function holdDocuments(line: Debugger, script: string, session?: string): Promise<void> {
  const send = (method: string, parameters: object) => line.sendCommand(method, parameters, session)
  await Promise.all([
    send('Page.enable', {}),
    send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }),
    send('Page.addScriptToEvaluateOnNewDocument', { source: script }),
    // The network's story is not kept for us: only whether a service worker may answer.
    send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    send('Network.setBypassServiceWorker', { bypass: true }),
    send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: 'iframe' }]
    })
  ])
}

/** Self-contained: its source is what runs in the page's documents. The sandbox of the page's policy holds printing too. */
function prepare(password: string, mayCall: boolean): void {
  // biome-ignore lint/suspicious/noConsole: it is the page's, and what is said on it is heard by us alone.
  const say = console.debug.bind(console)
  const { print } = { print: () => say(password) }
  Object.defineProperty(globalThis, 'print', { value: print, enumerable: true, configurable: false, writable: false })
  if (mayCall) return
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Reflect.deleteProperty(globalThis, name)
}
