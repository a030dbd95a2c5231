/**
 * Denies everything that nobody answers for: in every session, a new page can go nowhere, open nothing and is granted
 * nothing. A part of the shell that shows a page allows what that page may do by guarding it. Nothing else loosens
 * anything, the environment included.
 */
import { app, type Session, session, type WebContents, type WebPreferences } from 'electron'
import type { PermissionQuery } from '../core/policy/permissions.ts'
import type { Log } from './log.ts'
import { certificateFor, proxyLoginFor } from './office-network.ts'

/** A page's sandboxed frame would be in another process, where its scripts start before it is held. */
const SHUT_OFF_IN_ANOTHER_PROCESS = ['IsolateSandboxedIframes']
/**
 * The network sends these reports by itself, wherever a page's response says, even after the page is gone. No request
 * guard sees them.
 */
const REPORTS = ['Reporting', 'NetworkErrorLogging']
/**
 * A response can direct HTTP/3 to another host and port, which gets a datagram before anyone checks whose it is. Early
 * hints, read only in HTTP/2, open a connection to anywhere. Neither is a request.
 */
const UNSEEN_PROTOCOLS = ['quic', 'http2']

/**
 * How every page is contained, ours or the service's: sandboxed, without Node, with no other way to load or open
 * anything.
 */
export const CONTAINED: WebPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInSubFrames: false,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  navigateOnDragDrop: false
}

interface NavigationRequest {
  url: string
  isMainFrame: boolean
}

/** What one page may do; the code that shows the page decides. */
export interface Guard {
  /** `caught`: it goes nowhere, as intended, for example when a signing page reaches its return address. */
  mayNavigate(request: NavigationRequest): boolean | 'caught'
  /**
   * The page wanted to open a window, which never happens. Returns whether the guard loads the address in place
   * instead.
   */
  handleWindowRequest?(request: { url: string; postsData: boolean }): boolean
}

/** What the pages of a session may be granted; the code that shows them decides. */
export interface Permits {
  /** @returns false if the page is refused at once; otherwise `grant` is called, now or later. */
  request(query: PermissionQuery, grant: (granted: boolean) => void): boolean
  /** Whether the page has the permission already. */
  isGranted(query: PermissionQuery): boolean
}

const NO_PERMITS: Permits = { request: () => false, isGranted: () => false }

/** Called with what was denied, in words without addresses (`permission "media"`). */
export type OnDenied = (what: string) => void

const guards = new WeakMap<WebContents, Guard>()
const sessions = new WeakMap<Session, { onDenied: OnDenied; permits: Permits }>()

/** Must be called before the application is ready. */
export function lockSessions(log: Pick<Log, 'warn'>): void {
  app.enableSandbox()
  // In a single switch: Chromium uses only the last one.
  app.commandLine.appendSwitch('disable-features', [...SHUT_OFF_IN_ANOTHER_PROCESS, ...REPORTS].join(','))
  for (const protocol of UNSEEN_PROTOCOLS) app.commandLine.appendSwitch(`disable-${protocol}`)
  const denied: OnDenied = (what) => log.warn('Denied.', { what })
  app.on('session-created', (created) => lockSession(created, denied))
  app.on('web-contents-created', (_event, contents) => lockContents(contents, denied))
  // Without these two, Electron hands out the first client certificate it finds, and a password dialog could be shown.
  app.on('select-client-certificate', (event, contents, place, store, choose) => {
    event.preventDefault()
    // Requests of a page never identify themselves as one of the office's accounts.
    const chosen = contents === null ? certificateFor(place, store) : undefined
    choose(chosen)
    if (!chosen) denied('client certificate')
  })
  app.on('login', (event, _contents, { firstAuthAttempt }, challenge, answer) => {
    event.preventDefault()
    void proxyLoginFor(challenge, firstAuthAttempt).then((login) => {
      if (login) return answer(login.user, login.password)
      answer()
      denied('password dialog')
    })
  })
  app.on('certificate-error', (event, _contents, _url, _error, _certificate, trust) => {
    event.preventDefault()
    trust(false)
    denied('certificate that can’t be trusted')
  })
  void app.whenReady().then(() => lockSession(session.defaultSession, denied))
}

export function guard(contents: WebContents, pageGuard: Guard): void {
  guards.set(contents, pageGuard)
}

/** Sets what the pages of a locked session are granted from now on. */
export function permit(locked: Session, permits: Permits): void {
  const rules = sessions.get(locked)
  if (!rules) throw new Error('A session that isn’t locked grants nothing.')
  rules.permits = permits
}

/**
 * Denies a session everything that a page could ask for, except what `permits` grants. Calling it again changes only
 * who is told and what is granted.
 */
export function lockSession(locked: Session, onDenied: OnDenied, permits: Permits = NO_PERMITS): void {
  const existing = sessions.get(locked)
  if (existing) {
    Object.assign(existing, { onDenied, permits })
    return
  }
  const rules = { onDenied, permits }
  sessions.set(locked, rules)

  locked.setPermissionRequestHandler((_contents, permission, grant, details) => {
    const { mediaTypes, securityOrigin } = details as Electron.MediaAccessPermissionRequest
    const query = { permission, url: details.requestingUrl, origin: securityOrigin, mediaTypes }
    if (rules.permits.request(query, grant)) return
    grant(false)
    rules.onDenied(`permission "${permission}"`)
  })
  // Most web APIs only check whether a permission exists, and never request it: both handlers are needed.
  locked.setPermissionCheckHandler((contents, permission, requestingOrigin, details) => {
    const { mediaType, requestingUrl = requestingOrigin, securityOrigin } = details
    const mediaTypes = mediaType === undefined ? [] : [mediaType]
    return (
      contents !== null &&
      rules.permits.isGranted({ permission, url: requestingUrl, origin: securityOrigin, mediaTypes })
    )
  })
  locked.setDevicePermissionHandler(() => false)
  locked.setDisplayMediaRequestHandler((_request, grant) => {
    grant(null)
    rules.onDenied('screen capture')
  })
  locked.setBluetoothPairingHandler((_details, answer) => answer({ confirmed: false }))
  locked.on('select-hid-device', (event, _details, choose) => {
    event.preventDefault()
    choose(null)
  })
  locked.on('select-serial-port', (event, _ports, _contents, choose) => {
    event.preventDefault()
    choose('')
  })
  locked.on('select-usb-device', (event, _details, choose) => {
    event.preventDefault()
    choose()
  })
  locked.on('file-system-access-restricted', (event, _details, answer) => {
    event.preventDefault()
    answer('deny')
  })
  locked.on('will-download', (event) => {
    event.preventDefault()
    rules.onDenied('download')
  })
}

function lockContents(contents: WebContents, denied: OnDenied): void {
  const guardNavigation = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    const decision = guards.get(contents)?.mayNavigate({ url: event.url, isMainFrame: event.isMainFrame })
    if (decision === true) return
    event.preventDefault()
    if (decision !== 'caught') denied('navigation')
  }
  // Each event sees what the others miss: the main frame's own navigations, those of its frames, and redirects.
  contents.on('will-navigate', guardNavigation)
  contents.on('will-frame-navigate', guardNavigation)
  contents.on('will-redirect', guardNavigation)
  contents.setWindowOpenHandler(({ url, postBody }) => {
    if (!guards.get(contents)?.handleWindowRequest?.({ url, postsData: postBody !== undefined })) denied('new window')
    return { action: 'deny' }
  })
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
    denied('web view')
  })
  contents.on('select-bluetooth-device', (event, _devices, choose) => {
    event.preventDefault()
    choose('')
  })
}
