/**
 * The container for a signer's document: a guarded page without a document, with its own session and its place in a
 * window. It can be prepared before the signer's turn, as it holds nothing and may go nowhere until someone enters.
 */
import { randomUUID } from 'node:crypto'
import type { BrowserWindow, Debugger, Session, WebContents } from 'electron'
import { defined } from '../core/lib/objects.ts'
import type { SigningScope } from '../core/policy/navigation.ts'
import type { Lookup } from '../core/policy/private-networks.ts'
import { preferCamera } from './preferred-camera.ts'
import type { Permits } from './session-policy.ts'
import { closePage, makeSigningContents, ViewPlace } from './signing-contents.ts'
import { admit, closeSigningSession, openSigningSession, type SessionEvents } from './signing-session.ts'

/** The turn that the page belongs to: what the page may do, and who gets its events. */
export interface Occupant {
  ground: SigningScope
  permits: Permits
  session: SessionEvents
  triedToPrint(): void
  /** The page asked the person for a file on this computer. The browser has shown nothing and given it no file. */
  askedForFile(chooser: FileChooser): void
  /**
   * The page asked for video and got a camera other than the one the office chose, which isn't connected or can't be
   * used.
   */
  gotOtherCamera(): void
  /** The page is no longer held, or is gone. */
  holdLost(): void
  /** The window closes, and the page with it. */
  windowClosed(): void
}

/** Identifies what a page asked for a file with, in the terms of the debugger protocol. */
export interface FileChooser {
  frameId: string
  /** The file field, if it was one. */
  backendNodeId?: number
  /** The frame's own debugger session, if it is in another process. */
  sessionId?: string
}

export interface IsolatedPageDeps {
  window: BrowserWindow
  /** Whether the page may use WebRTC: only one that is granted a camera. */
  mayUseWebRtc: boolean
  /** The name of the camera that such a page gets; '' for the browser's choice. */
  camera: string
  /** How names are resolved; by default as the browser does. */
  lookupOf?: ((opened: Session) => Lookup) | undefined
}

export class IsolatedPage {
  readonly window: BrowserWindow
  readonly contents: WebContents
  readonly place: ViewPlace
  /** Resolves once the page is held; rejects if it can't be. Nothing may be loaded before. */
  readonly whenHeld: Promise<void>
  readonly #deps: IsolatedPageDeps
  readonly #session: Session
  #occupant: Occupant | undefined
  #isLost = false
  #destroying: Promise<void> | undefined

  constructor(deps: IsolatedPageDeps) {
    this.#deps = deps
    this.window = deps.window
    this.#session = openSigningSession()
    const view = makeSigningContents(this.#session)
    this.contents = view.webContents
    this.place = new ViewPlace(deps.window, view, () => this.#windowClosed())
    this.contents.once('destroyed', () => this.place.leave())
    this.whenHeld = this.#hold()
    // An occupant awaits it itself; an unoccupied page is just marked as unusable.
    this.whenHeld.catch(() => {
      this.#isLost = true
    })
  }

  /** Whether a turn can still enter it, to be shown in this window. */
  fits({ window, mayUseWebRtc }: Pick<IsolatedPageDeps, 'window' | 'mayUseWebRtc'>): boolean {
    const isThere = !this.#isLost && !this.#occupant && !this.contents.isDestroyed()
    return isThere && this.window === window && this.#deps.mayUseWebRtc === mayUseWebRtc
  }

  /** Gives the page to a turn, once and for all. */
  enter(occupant: Occupant): void {
    if (this.#occupant) throw new Error('This page had its signer.')
    this.#occupant = occupant
    admit(this.#session, occupant, this.#deps.lookupOf)
  }

  /** @param languages sent to the page's server as those that the person reads, best first, as in `mi,en`. */
  setLanguages(languages: string): void {
    this.#session.setUserAgent(this.#session.getUserAgent(), languages)
  }

  /** Destroys the page and wipes everything it stored. Resolves once nothing is left. Calling it again is harmless. */
  destroy(): Promise<void> {
    this.#destroying ??= this.#destroy()
    return this.#destroying
  }

  async #hold(): Promise<void> {
    await this.contents.loadURL('about:blank')
    await hold(
      this.contents,
      { webRtc: this.#deps.mayUseWebRtc, camera: this.#deps.camera },
      {
        triedToPrint: () => this.#occupant?.triedToPrint(),
        askedForFile: (chooser) => this.#occupant?.askedForFile(chooser),
        gotOtherCamera: () => this.#occupant?.gotOtherCamera(),
        holdLost: () => {
          this.#isLost = true
          setImmediate(() => this.#occupant?.holdLost())
        }
      }
    )
  }

  #windowClosed(): void {
    this.#isLost = true
    if (this.#occupant) this.#occupant.windowClosed()
    else void this.destroy()
  }

  async #destroy(): Promise<void> {
    this.#isLost = true
    this.place.leave()
    await closePage(this.contents)
    await closeSigningSession(this.#session)
  }
}

/**
 * The isolated pages of one counter. One can be prepared while the screen changes hands, so that a signer waits only
 * for their document.
 */
export class IsolatedPages {
  readonly #window: () => BrowserWindow
  readonly #camera: () => string
  readonly #lookupOf: ((opened: Session) => Lookup) | undefined
  #ready: IsolatedPage | undefined

  /**
   * @param window the window that the next signing page is shown in.
   * @param camera the name of the camera that pages get; '' for the browser's choice.
   * @param lookupOf how names are resolved; by default as the browser does.
   */
  constructor(window: () => BrowserWindow, camera: () => string, lookupOf?: (opened: Session) => Lookup) {
    this.#window = window
    this.#camera = camera
    this.#lookupOf = lookupOf
  }

  /** Prepares a page for the next signer. Calling it again is harmless. */
  prepare(): void {
    const window = this.#window()
    // Whether a page may use a camera is known when its turn begins; most don't.
    if (!window.isDestroyed() && !this.#ready?.fits({ window, mayUseWebRtc: false })) this.#ready = this.take(false)
  }

  /** Destroys the prepared page, as nobody is next. */
  discardPrepared(): void {
    const unused = this.#ready
    this.#ready = undefined
    void unused?.destroy()
  }

  /** Returns the prepared page, or a new one if it doesn't fit. Nobody has entered it. */
  take(mayCall: boolean): IsolatedPage {
    const requested = { window: this.#window(), mayUseWebRtc: mayCall }
    const ready = this.#ready?.fits(requested) ? this.#ready : undefined
    if (ready) this.#ready = undefined
    else this.discardPrepared()
    return ready ?? new IsolatedPage({ ...requested, camera: this.#camera(), lookupOf: this.#lookupOf })
  }
}

/**
 * Guards what Electron has no switch for: a page's file dialogs, its WebRTC calls, and service workers that would
 * answer in place of the network. It works over the browser's debugger connection, in every frame and before any script
 * of the page. If the connection is lost, `holdLost` is called so that the page can be ended. The page must not have a
 * document of its own yet. Rejects if it can't be held.
 * @param allowed whether it may use WebRTC, whose relays no request guard sees, and the name of the camera that it gets.
 */
export async function hold(
  contents: WebContents,
  allowed: { webRtc: boolean; camera: string },
  events: Pick<Occupant, 'triedToPrint' | 'askedForFile' | 'gotOtherCamera' | 'holdLost'>
): Promise<void> {
  const connection = contents.debugger
  // Logged to the page's console instead of printing, and when it gets another camera. The page can't know them.
  const printToken = randomUUID()
  const otherCameraToken = randomUUID()
  const cameraScript =
    allowed.webRtc && allowed.camera !== ''
      ? `(${preferCamera})(${JSON.stringify(allowed.camera)}, '${otherCameraToken}');`
      : ''
  const script = `'use strict';(${restrictDocument})('${printToken}', ${allowed.webRtc});${cameraScript}`
  contents.on('console-message', ({ message }) => {
    if (message === printToken) events.triedToPrint()
    if (message === otherCameraToken) events.gotOtherCamera()
  })
  connection.on('detach', () => events.holdLost())
  connection.on('message', (_event, method: string, parameters: EventParameters, session?: string) => {
    if (method === 'Page.fileChooserOpened') {
      const { frameId = '', backendNodeId } = parameters
      events.askedForFile({ frameId, ...defined({ backendNodeId, sessionId: session || undefined }) })
    }
    if (method === 'Target.attachedToTarget' && parameters.sessionId)
      void holdFrame(connection, script, parameters.sessionId)
  })
  connection.attach('1.3')
  await holdDocuments(connection, script)
}

interface EventParameters extends Partial<Omit<FileChooser, 'sessionId'>> {
  /** For a frame in another process. */
  sessionId?: string
}

/** Starts a frame in another process once it is held; one that can't be held never starts. */
async function holdFrame(connection: Debugger, script: string, session: string): Promise<void> {
  try {
    await holdDocuments(connection, script, session)
    await connection.sendCommand('Runtime.runIfWaitingForDebugger', {}, session)
  } catch {
    // The frame is gone, or the connection is, which is reported.
  }
}

async function holdDocuments(connection: Debugger, script: string, session?: string): Promise<void> {
  const send = (method: string, parameters: object) => connection.sendCommand(method, parameters, session)
  await Promise.all([
    send('Page.enable', {}),
    send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }),
    send('Page.addScriptToEvaluateOnNewDocument', { source: script }),
    // Enabled only to bypass service workers: network data isn't buffered.
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

/** Self-contained: its source runs in the page's documents. The sandbox of the page's policy blocks printing, too. */
function restrictDocument(printToken: string, mayUseWebRtc: boolean): void {
  // biome-ignore lint/suspicious/noConsole: it is the page's, and what is said on it is heard by us alone.
  const logToConsole = console.debug.bind(console)
  const { print } = { print: () => logToConsole(printToken) }
  Object.defineProperty(globalThis, 'print', { value: print, enumerable: true, configurable: false, writable: false })
  if (mayUseWebRtc) return
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Reflect.deleteProperty(globalThis, name)
}
