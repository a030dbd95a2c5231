// What pages may do: the application's handlers decide and Chromium enforces. Once a handler is set, everything is
// denied in the browser itself; when the handler says yes, the grant is made there, for one origin.
import type * as Electron from 'electron'
import type { Protocol } from './cdp.ts'
import type { WebFrame } from './frames.ts'
import { toCarried } from './schemes.ts'
import type { WebContents } from './web-contents.ts'

type RequestHandler = Parameters<Electron.Session['setPermissionRequestHandler']>[0]
type CheckHandler = Parameters<Electron.Session['setPermissionCheckHandler']>[0]
type RequestName = Parameters<NonNullable<RequestHandler>>[1]
type CheckName = Parameters<NonNullable<CheckHandler>>[1]
type Descriptor = Protocol.Browser.PermissionDescriptor

/** A question sent by the shim in a page. */
export interface Question {
  readonly id: number
  readonly kind: 'request' | 'check'
  readonly permission: string
  readonly details: { mediaTypes?: ('video' | 'audio')[]; mediaType?: 'video' | 'audio' }
}

// Electron's name → Chromium's. Permissions that Chromium has no switch for (fullscreen, openExternal) are enforced
// where they are used.
const descriptors: Readonly<Record<string, readonly Descriptor[]>> = {
  'background-fetch': [{ name: 'background-fetch' }],
  'background-sync': [{ name: 'background-sync' }],
  'captured-surface-control': [{ name: 'captured-surface-control' }],
  'clipboard-read': [{ name: 'clipboard-read' }],
  'clipboard-sanitized-write': [{ name: 'clipboard-write' }],
  'display-capture': [{ name: 'display-capture' }],
  geolocation: [{ name: 'geolocation' }],
  'idle-detection': [{ name: 'idle-detection' }],
  keyboardLock: [{ name: 'keyboard-lock' }],
  'local-fonts': [{ name: 'local-fonts' }],
  'local-network': [{ name: 'local-network' }],
  'local-network-access': [{ name: 'local-network-access' }],
  'loopback-network': [{ name: 'loopback-network' }],
  media: [{ name: 'camera' }, { name: 'microphone' }],
  // Chromium grants neither without the other; a page that only got `midi` is still asked about before it uses more.
  midi: [{ name: 'midi' }, { name: 'midi', sysex: true }],
  midiSysex: [{ name: 'midi', sysex: true }, { name: 'midi' }],
  nfc: [{ name: 'nfc' }],
  notifications: [{ name: 'notifications' }],
  'payment-handler': [{ name: 'payment-handler' }],
  'periodic-background-sync': [{ name: 'periodic-background-sync' }],
  'persistent-storage': [{ name: 'persistent-storage' }],
  pointerLock: [{ name: 'pointer-lock' }],
  'screen-wake-lock': [{ name: 'screen-wake-lock' }],
  sensors: ['accelerometer', 'gyroscope', 'magnetometer', 'ambient-light-sensor'].map((name) => ({ name })),
  'speaker-selection': [{ name: 'speaker-selection' }],
  'storage-access': [{ name: 'storage-access' }],
  'top-level-storage-access': [{ name: 'top-level-storage-access' }],
  'system-wake-lock': [{ name: 'system-wake-lock' }],
  'web-app-installation': [{ name: 'web-app-installation' }],
  'window-management': [{ name: 'window-management' }]
}

type Setting = Omit<Protocol.Browser.setPermissionParameters, 'browserContextId'>

/** The permissions of a session; `set` passes one setting to Chromium. */
export class Permissions {
  #request: RequestHandler = null
  #check: CheckHandler = null
  /** Decisions for single origins: Chromium keeps them, whereas Electron asks its handlers each time. */
  readonly #decided = new Map<string, Setting>()
  readonly #set: (setting: Setting) => Promise<unknown>

  constructor(set: (setting: Setting) => Promise<unknown>) {
    this.#set = set
  }

  /** Takes back every single grant, so that the session's pages are asked about again. */
  async forget(): Promise<void> {
    const decided = [...this.#decided.values()]
    this.#decided.clear()
    await Promise.all(decided.map((setting) => this.#set({ ...setting, setting: this.guarded ? 'denied' : 'granted' })))
  }

  /** Whether the browser itself must refuse by default: true once a handler is set. */
  get guarded(): boolean {
    return this.#request !== null || this.#check !== null
  }

  setRequestHandler(handler: RequestHandler): void {
    this.#request = handler
  }

  setCheckHandler(handler: CheckHandler): void {
    this.#check = handler
  }

  /**
   * Sets the browser's default: everything denied once there is a handler; without one, as in Electron, everything
   * granted.
   */
  async applyDefault(): Promise<void> {
    const setting = this.guarded ? 'denied' : 'granted'
    const all = Object.values(descriptors).flat()
    await Promise.all(all.map((permission) => this.#set({ permission, setting })))
  }

  /**
   * Decides whether reports about an origin may be sent (`background-sync`), which Chromium asks by itself, for no
   * page. Electron asks the check handler each time; here it is asked when a document of the origin arrives.
   */
  async decideReports(origin: string): Promise<void> {
    if (!this.#check) return
    const details = { isMainFrame: false, embeddingOrigin: `${origin}/` }
    const allowed = this.#check(null, 'background-sync' as CheckName, `${origin}/`, details as never)
    const [permission] = descriptors['background-sync'] ?? []
    if (!permission) return
    const decided: Setting = { permission, setting: allowed ? 'granted' : 'denied', origin, embeddedOrigin: origin }
    this.#decided.set(JSON.stringify([permission, origin, origin]), decided)
    await this.#set(decided)
  }

  /** Answers a page's question and sets the answer in the browser for the page's origin. */
  async answer(contents: WebContents, frame: WebFrame, question: Question): Promise<boolean> {
    const kinds = question.details.mediaTypes ?? (question.details.mediaType ? [question.details.mediaType] : undefined)
    const allowed =
      question.kind === 'check'
        ? this.check(contents, frame, question.permission, question.details.mediaType)
        : await this.request(contents, frame, question.permission, kinds)
    // Without a check handler, a check that says no takes nothing away: the request that follows may still be granted.
    if (question.kind === 'check' && !allowed && !this.#check) return allowed
    await this.#enforce(frame, question.permission, allowed, kinds)
    return allowed
  }

  /**
   * Returns the check handler's answer. Without one it is true, unless there is a request handler and the frame has
   * gone.
   */
  check(contents: WebContents, frame: WebFrame, permission: string, mediaType?: 'video' | 'audio'): boolean {
    if (!this.#check) return !this.#request || frame.isDestroyed() === false
    const top = frame.top?.origin
    return this.#check(contents.asElectron(), permission as CheckName, frame.origin, {
      isMainFrame: frame.parentId === undefined,
      requestingUrl: frame.url,
      securityOrigin: frame.origin,
      ...(mediaType ? { mediaType } : {}),
      ...(top && top !== frame.origin ? { embeddingOrigin: top } : {})
    })
  }

  /**
   * Returns the request handler's answer; true without one. As in Electron, a handler that never answers leaves the
   * page waiting.
   */
  request(
    contents: WebContents,
    frame: WebFrame,
    permission: string,
    mediaTypes?: ('video' | 'audio')[],
    externalURL?: string
  ): Promise<boolean> {
    const handler = this.#request
    if (!handler) return Promise.resolve(true)
    const details = {
      isMainFrame: frame.parentId === undefined,
      requestingUrl: frame.url,
      ...(mediaTypes ? { mediaTypes, securityOrigin: frame.origin } : {}),
      ...(externalURL ? { externalURL } : {})
    }
    return new Promise((resolve) => {
      handler(contents.asElectron(), permission as RequestName, resolve, details as Electron.PermissionRequest)
    })
  }

  async #enforce(frame: WebFrame, permission: string, allowed: boolean, kinds?: ('video' | 'audio')[]): Promise<void> {
    const top = frame.isDestroyed() ? 'null' : (frame.top?.origin ?? 'null')
    if (top === 'null' || frame.origin === 'null') return
    const origin = toCarried(top)
    const embeddedOrigin = toCarried(frame.origin)
    let matching = descriptors[permission] ?? []
    if (permission === 'media' && kinds) {
      matching = kinds.map((kind) => ({ name: kind === 'video' ? 'camera' : 'microphone' }))
    }
    const setting = allowed ? 'granted' : 'denied'
    await Promise.all(
      matching.map((each) => {
        const decided: Setting = { permission: each, setting, origin, embeddedOrigin }
        this.#decided.set(JSON.stringify([each, origin, embeddedOrigin]), decided)
        // Chromium refuses a setting for a page that has gone meanwhile, or for an opaque origin; its own denial stays.
        return this.#set(decided).catch(() => undefined)
      })
    )
  }
}
