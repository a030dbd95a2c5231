/**
 * The words about a signing page: for the clerk, what it tried and was refused; for the person at the counter, why it
 * can't be shown.
 */
import type { AppError } from '../../shared/contract/index.ts'
import type { RefusalReason } from '../core/policy/navigation.ts'

/** Describes what the session policy denied, from the policy's name for it. */
export function deniedInWords(what: string): string {
  return DENIED[what] ?? `It asked for something pages aren’t allowed (${what}).`
}

/** For what is blocked in the page itself (see `hold`). */
export const triedToPrint = 'It tried to print.'
export const askedForFile = 'It asked for a file on this computer.'
export const askedForFolder = 'It asked for a whole folder of this computer.'

const DENIED: Record<string, string> = {
  download: 'It tried to save a file on this computer.',
  'screen capture': 'It tried to record the screen.',
  'permission "media"': 'It asked for the camera or microphone.',
  'permission "geolocation"': 'It asked for this computer’s location.',
  'permission "notifications"': 'It asked to show notifications.',
  'permission "fullscreen"': 'It tried to go full screen.',
  'permission "clipboard-read"': 'It tried to read the clipboard.',
  'permission "fileSystem"': askedForFile,
  'permission "openExternal"': 'It tried to open another program.'
}

/**
 * Describes an address that the page was refused. Names only the host: the rest may contain a key.
 * @param part what it would have loaded: the whole page, a frame, or something in it.
 */
export function refusalInWords(address: string, reason: RefusalReason, part: 'page' | 'frame' | 'content'): string {
  const host = URL.canParse(address) ? new URL(address).hostname.slice(0, 100) : ''
  if (reason === 'private-network') return `It tried to reach a private network${host && ` (${host})`}.`
  if (reason === 'not-found') return `It asked for an address that can’t be found${host && ` (${host})`}.`
  if (reason === 'not-encrypted') return `It tried to use an unencrypted connection${host && ` to ${host}`}.`
  if (reason === 'scheme' || reason === 'not-an-address') return 'It tried to open something that isn’t a web page.'
  if (reason === 'credentials') return `It tried to log in to ${host || 'an address'} on its own.`
  if (reason === 'plug-in') return 'It tried to start a plug-in.'
  return part === 'frame' ? `It tried to show a page from ${host}.` : `It tried to open ${host}.`
}

/** The most different things that are reported per turn; a page could invent new ones for ever. */
const MAX_REPORTS = 100

/** Reports the same thing at most once a second, and only the first `MAX_REPORTS` different things. */
export function throttled(report: (what: string) => void): (what: string) => void {
  const reportedAt = new Map<string, number>()
  return (what) => {
    const now = performance.now()
    const last = reportedAt.get(what)
    if (last === undefined ? reportedAt.size >= MAX_REPORTS : now - last < 1000) return
    reportedAt.set(what, now)
    report(what)
  }
}

/** Returns the error for a page that failed to load. `name` is Chromium's, as in `ERR_NAME_NOT_RESOLVED`. */
export function loadFailure(name: string): AppError {
  if (/NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_/.test(name)) {
    return { code: 'dns', message: 'The signing page’s address can’t be found.' }
  }
  if (/INTERNET_DISCONNECTED|NETWORK_CHANGED|NETWORK_IO_SUSPENDED/.test(name)) {
    return { code: 'offline', message: 'This computer is offline.' }
  }
  if (/TIMED_OUT/.test(name)) return loadTimedOut
  if (/CERT|SSL|TLS/.test(name)) {
    return {
      code: 'tls',
      message: 'The connection to the signing page isn’t secure: its certificate can’t be trusted.'
    }
  }
  if (/CONNECTION_|ADDRESS_|EMPTY_RESPONSE|PROXY|TUNNEL/.test(name)) {
    return { code: 'refused', message: 'The signing page can’t be reached.' }
  }
  if (/BLOCKED|UNSAFE|DISALLOWED|UNKNOWN_URL_SCHEME/.test(name)) return openedOtherSite
  return { code: 'server', message: 'The signing page couldn’t be loaded.' }
}

export const loadTimedOut: AppError = { code: 'timeout', message: 'The signing page took too long to load.' }

export const openedOtherSite: AppError = {
  code: 'unsafe-address',
  message: 'The signing page tried to open another website, so it was stopped.'
}

export const noPage: AppError = {
  code: 'server',
  message: 'The signing service didn’t send a page.'
}

export const pageUnresponsive: AppError = { code: 'timeout', message: 'The signing page isn’t responding.' }

export const closedUnexpectedly: AppError = {
  code: 'internal',
  message: 'The signing page closed unexpectedly.',
  next: 'Check the document before opening it again.'
}

export const isolationLost: AppError = {
  code: 'internal',
  message: 'The signing page was closed because it could no longer be isolated safely.'
}

export const printFailed: AppError = {
  code: 'internal',
  message: 'The page couldn’t be printed.',
  next: 'Check that the default printer is connected and ready.'
}

export const fileNoLongerRequested: AppError = {
  code: 'gone',
  message: 'The page no longer asks for a file.',
  next: 'Go back to the page and press its button again.'
}

export const noPageToKeep: AppError = {
  code: 'gone',
  message: 'There is no page to print or save.',
  next: 'Wait until the signing page has loaded.'
}
