/**
 * What a signer's document is shown in: a page that is guarded and has no document yet, with a session of its own and its place
 * in a window. It can be made ready before its signer's turn, for it holds nothing and may go nowhere until someone enters.
 */
import { randomUUID } from 'node:crypto'
import type { BrowserWindow, Debugger, Session, WebContents } from 'electron'
import { defined } from '../core/lib/objects.ts'
import type { SigningGround } from '../core/policy/navigation.ts'
import type { Lookup } from '../core/policy/private-networks.ts'
import { preferCamera } from './chosen-camera.ts'
import type { Permits } from './session-policy.ts'
import { closed, makeSigningContents, ViewPlace } from './signing-contents.ts'
import { admit, closeSigningSession, openSigningSession, type SessionEvents } from './signing-session.ts'

/** Whose page it is: what that page may do, and who hears of it. */
export interface Occupant {
  ground: SigningGround
  permits: Permits
  session: SessionEvents
  /** The page would have printed. */
  printed(): void
  /** The page would have had the person choose a file of this computer. The browser has shown nothing, and told it of no file. */
  askedForFile(chooser: FileChooser): void
  /** The page asked for video, and got another camera than the office chose: that isn't connected, or can't be had. */
  otherCamera(): void
  /** The page is no longer held, or has gone. */
  slipped(): void
  /** The window goes, and the page with it. */
  windowClosed(): void
}

/** What a page asked for a file by, as the browser's line for debuggers names it. */
export interface FileChooser {
  frameId: string
  /** The field, where it was one. */
  backendNodeId?: number
  /** The frame's own line, where another process shows it. */
  sessionId?: string
}

export interface IsolatedPageDeps {
  window: BrowserWindow
  /** Whether its page may call others by WebRTC: only one that is granted a camera. */
  mayCall: boolean
  /** The name of the camera that such a page gets; '' for the one that the browser takes. */
  camera: string
  /** How names are looked up; by default as the browser does. */
  lookupOf?: ((opened: Session) => Lookup) | undefined
}

export class IsolatedPage {
  readonly window: BrowserWindow
  readonly contents: WebContents
  readonly place: ViewPlace
  /** Resolves when the page is held; rejects if it can't be. Nothing may be loaded before. */
  readonly held: Promise<void>
  readonly #deps: IsolatedPageDeps
  readonly #session: Session
  #occupant: Occupant | undefined
  #isLost = false
  #emptying: Promise<void> | undefined

  constructor(deps: IsolatedPageDeps) {
    this.#deps = deps
    this.window = deps.window
    this.#session = openSigningSession()
    const view = makeSigningContents(this.#session)
    this.contents = view.webContents
    this.place = new ViewPlace(deps.window, view, () => this.#windowClosed())
    this.contents.once('destroyed', () => this.place.leave())
    this.held = this.#hold()
    // One who enters hears of it; of a page that nobody entered it only says that it is of no use.
    this.held.catch(() => {
      this.#isLost = true
    })
  }

  /** Whether someone may still enter it, to be shown in this window. */
  fits({ window, mayCall }: Pick<IsolatedPageDeps, 'window' | 'mayCall'>): boolean {
    const isThere = !this.#isLost && !this.#occupant && !this.contents.isDestroyed()
    return isThere && this.window === window && this.#deps.mayCall === mayCall
  }

  /** Someone's turn begins in it: once, and nobody else's ever after. */
  enter(occupant: Occupant): void {
    if (this.#occupant) throw new Error('This page had its signer.')
    this.#occupant = occupant
    admit(this.#session, occupant, this.#deps.lookupOf)
  }

  /** @param languages that its server is told the person reads, best first, as in `mi,en`. */
  speak(languages: string): void {
    this.#session.setUserAgent(this.#session.getUserAgent(), languages)
  }

  /** Ends the page and wipes all it kept. Resolves when nothing is left. Calling it again is harmless. */
  empty(): Promise<void> {
    this.#emptying ??= this.#empty()
    return this.#emptying
  }

  async #hold(): Promise<void> {
    await this.contents.loadURL('about:blank')
    await hold(
      this.contents,
      { call: this.#deps.mayCall, camera: this.#deps.camera },
      {
        printed: () => this.#occupant?.printed(),
        askedForFile: (chooser) => this.#occupant?.askedForFile(chooser),
        otherCamera: () => this.#occupant?.otherCamera(),
        slipped: () => {
          this.#isLost = true
          setImmediate(() => this.#occupant?.slipped())
        }
      }
    )
  }

  #windowClosed(): void {
    this.#isLost = true
    if (this.#occupant) this.#occupant.windowClosed()
    else void this.empty()
  }

  async #empty(): Promise<void> {
    this.#isLost = true
    this.place.leave()
    await closed(this.contents)
    await closeSigningSession(this.#session)
  }
}

/**
 * The isolated pages of one counter. One can be made ready while the screen changes hands, so that a signer waits for their
 * document alone.
 */
export class IsolatedPages {
  readonly #window: () => BrowserWindow
  readonly #camera: () => string
  readonly #lookupOf: ((opened: Session) => Lookup) | undefined
  #ready: IsolatedPage | undefined

  /**
   * @param window over whose page the next signing page lies.
   * @param camera the name of the one that pages get; '' for the one that the browser takes.
   * @param lookupOf how names are looked up; by default as the browser does.
   */
  constructor(window: () => BrowserWindow, camera: () => string, lookupOf?: (opened: Session) => Lookup) {
    this.#window = window
    this.#camera = camera
    this.#lookupOf = lookupOf
  }

  /** Makes a page ready for the next signer. Calling it again is harmless. */
  prepare(): void {
    const window = this.#window()
    // Whether a page is granted a camera is known when its turn begins; most are not.
    if (!window.isDestroyed() && !this.#ready?.fits({ window, mayCall: false })) this.#ready = this.take(false)
  }

  /** Nobody is next: a page that was made ready goes, as one that was used. */
  drop(): void {
    const unused = this.#ready
    this.#ready = undefined
    void unused?.empty()
  }

  /** The page that was made ready, or another one if that doesn't fit. Nobody has entered it. */
  take(mayCall: boolean): IsolatedPage {
    const wanted = { window: this.#window(), mayCall }
    const ready = this.#ready?.fits(wanted) ? this.#ready : undefined
    if (ready) this.#ready = undefined
    else this.drop()
    return ready ?? new IsolatedPage({ ...wanted, camera: this.#camera(), lookupOf: this.#lookupOf })
  }
}

/**
 * Guards what Electron has no switch for: a page's dialogs for files, its calls to others, and service workers that would
 * answer in the network's place. It does so over the browser's own line for debuggers, in every frame and before any script
 * of the page; a line that is lost is told of, so that the page can be ended. The page has no document of its own yet. Rejects
 * if it can't be held.
 * @param may whether it may call others by WebRTC, whose relays no guard of requests sees, and the name of the camera that it gets.
 */
export async function hold(
  contents: WebContents,
  may: { call: boolean; camera: string },
  events: Pick<Occupant, 'printed' | 'askedForFile' | 'otherCamera' | 'slipped'>
): Promise<void> {
  const line = contents.debugger
  // Said on the page's console instead of printing, and where it gets another camera; the page can't know them.
  const password = randomUUID()
  const other = randomUUID()
  const choice = may.call && may.camera !== '' ? `(${preferCamera})(${JSON.stringify(may.camera)}, '${other}');` : ''
  const script = `'use strict';(${prepare})('${password}', ${may.call});${choice}`
  contents.on('console-message', ({ message }) => {
    if (message === password) events.printed()
    if (message === other) events.otherCamera()
  })
  line.on('detach', () => events.slipped())
  line.on('message', (_event, method: string, told: Told, session?: string) => {
    if (method === 'Page.fileChooserOpened') {
      const { frameId = '', backendNodeId } = told
      events.askedForFile({ frameId, ...defined({ backendNodeId, sessionId: session || undefined }) })
    }
    if (method === 'Target.attachedToTarget' && told.sessionId) void holdFrame(line, script, told.sessionId)
  })
  line.attach('1.3')
  await holdDocuments(line, script)
}

interface Told extends Partial<Omit<FileChooser, 'sessionId'>> {
  /** Of a frame that another process shows. */
  sessionId?: string
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
