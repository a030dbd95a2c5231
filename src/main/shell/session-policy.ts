/**
 * Everything is denied until someone answers for it: each page that comes into being can go nowhere, open nothing and
 * is granted nothing, in every session. A part of the shell that shows a page says what that page may do by guarding
 * it; nothing else loosens anything, and nothing in the environment does.
 */
import { app, type Session, session, type WebContents, type WebPreferences } from 'electron'
import type { AskedPermission } from '../core/policy/permissions.ts'
import type { Log } from './log.ts'
import { certificateFor, proxyLoginFor } from './office-network.ts'

/** A frame that a page shuts off would be another process's, where its scripts begin before the page's hold is on it. */
const SHUT_OFF_IN_ANOTHER_PROCESS = ['IsolateSandboxedIframes']
/** The network sends them by itself to wherever a page's answer says, also after the page has gone. No guard of requests sees them. */
const REPORTS = ['Reporting', 'NetworkErrorLogging']
/**
 * An answer can lead HTTP/3 to another host and port, which gets a datagram before anyone checks whose it is. Early hints, which are
 * read in HTTP/2 only, open a line to anywhere. Neither is a request.
 */
const UNSEEN_PROTOCOLS = ['quic', 'http2']

/** How every page is held, ours or the service's: in a sandbox, without Node, and nothing loads or opens another way. */
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

/** What one page may do; anyone who shows the page answers for it. */
export interface Guard {
  /** `caught`: it goes nowhere, and that is as it should be, as where a signing page comes back. */
  mayNavigate(request: NavigationRequest): boolean | 'caught'
  /** A window that the page wanted to open. It is never opened; answers whether the guard loads the address in place. */
  wantedWindow?(request: { url: string; postsData: boolean }): boolean
}

/** What the pages of a session may be granted; anyone who shows them answers for it. */
export interface Permits {
  /** @returns false where the page is refused at once; otherwise `grant` is called, now or later. */
  request(asked: AskedPermission, grant: (granted: boolean) => void): boolean
  /** Whether a page has been granted it already. */
  holds(asked: AskedPermission): boolean
}

const NOTHING: Permits = { request: () => false, holds: () => false }

/** Called with what was denied, in words without addresses (`permission "media"`). */
export type OnDenied = (what: string) => void

const guards = new WeakMap<WebContents, Guard>()
const sessions = new WeakMap<Session, { onDenied: OnDenied; permits: Permits }>()

/** Must be called before the application is ready. */
export function lockSessions(log: Pick<Log, 'warn'>): void {
  app.enableSandbox()
  // The last one is appended: Chromium would forget what an earlier one names.
  app.commandLine.appendSwitch('disable-features', [...SHUT_OFF_IN_ANOTHER_PROCESS, ...REPORTS].join(','))
  for (const protocol of UNSEEN_PROTOCOLS) app.commandLine.appendSwitch(`disable-${protocol}`)
  const denied: OnDenied = (what) => log.warn('Denied.', { what })
  app.on('session-created', (created) => lockSession(created, denied))
  app.on('web-contents-created', (_event, contents) => lockContents(contents, denied))
  // Without these two, Electron hands out the first client certificate it finds, and a password dialog could be shown.
  app.on('select-client-certificate', (event, contents, place, store, choose) => {
    event.preventDefault()
    // What a page asks for proves nothing for an account of the office's.
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

/** Answers for a page from now on. */
export function guard(contents: WebContents, by: Guard): void {
  guards.set(contents, by)
}

/** Answers from now on for what the pages of a locked session ask for. */
export function permit(locked: Session, permits: Permits): void {
  const known = sessions.get(locked)
  if (!known) throw new Error('A session that isn’t locked grants nothing.')
  known.permits = permits
}

/**
 * Denies a session everything that a page could ask of it, but for what `permits` grants. Calling it again changes who is
 * told and what is granted, and nothing else.
 */
export function lockSession(locked: Session, onDenied: OnDenied, permits: Permits = NOTHING): void {
  const known = sessions.get(locked)
  if (known) {
    Object.assign(known, { onDenied, permits })
    return
  }
  const told = { onDenied, permits }
  sessions.set(locked, told)

  locked.setPermissionRequestHandler((_contents, permission, grant, details) => {
    const { mediaTypes, securityOrigin } = details as Electron.MediaAccessPermissionRequest
    const asked = { permission, url: details.requestingUrl, origin: securityOrigin, mediaTypes }
    if (told.permits.request(asked, grant)) return
    grant(false)
    told.onDenied(`permission "${permission}"`)
  })
  // Most interfaces of the web only look whether a permission is there, and never ask: both handlers are needed.
  locked.setPermissionCheckHandler((contents, permission, requestingOrigin, details) => {
    const { mediaType, requestingUrl = requestingOrigin, securityOrigin } = details
    const mediaTypes = mediaType === undefined ? [] : [mediaType]
    return (
      contents !== null && told.permits.holds({ permission, url: requestingUrl, origin: securityOrigin, mediaTypes })
    )
  })
  locked.setDevicePermissionHandler(() => false)
  locked.setDisplayMediaRequestHandler((_request, grant) => {
    grant(null)
    told.onDenied('screen capture')
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
    told.onDenied('download')
  })
}

function lockContents(contents: WebContents, denied: OnDenied): void {
  const guardNavigation = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    const decision = guards.get(contents)?.mayNavigate({ url: event.url, isMainFrame: event.isMainFrame })
    if (decision === true) return
    event.preventDefault()
    if (decision !== 'caught') denied('navigation')
  }
  // Three events, for each sees what the others don't: the main frame's own moves, those of its frames, and redirects.
  contents.on('will-navigate', guardNavigation)
  contents.on('will-frame-navigate', guardNavigation)
  contents.on('will-redirect', guardNavigation)
  contents.setWindowOpenHandler(({ url, postBody }) => {
    if (!guards.get(contents)?.wantedWindow?.({ url, postsData: postBody !== undefined })) denied('new window')
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
