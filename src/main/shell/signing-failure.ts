/** Why a signing page can't be shown, in the words of the person at the counter's other side. */
import type { AppError } from '../../shared/contract/index.ts'

/** An error of a page that did not load. `name` is Chromium's, as in `ERR_NAME_NOT_RESOLVED`. */
export function loadFailure(name: string): AppError {
  if (/NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_/.test(name)) {
    return { code: 'dns', message: 'The signing page’s address can’t be found.' }
  }
  if (/INTERNET_DISCONNECTED|NETWORK_CHANGED|NETWORK_IO_SUSPENDED/.test(name)) {
    return { code: 'offline', message: 'This computer isn’t connected to a network.' }
  }
  if (/TIMED_OUT/.test(name)) return tooSlow
  if (/CERT|SSL|TLS/.test(name)) {
    return { code: 'tls', message: 'The line to the signing page isn’t secure: its certificate can’t be trusted.' }
  }
  if (/CONNECTION_|ADDRESS_|EMPTY_RESPONSE|PROXY|TUNNEL/.test(name)) {
    return { code: 'refused', message: 'Nothing answers at the signing page’s address just now.' }
  }
  if (/BLOCKED|UNSAFE|DISALLOWED|UNKNOWN_URL_SCHEME/.test(name)) return ledAway
  return { code: 'server', message: 'The signing page could not be loaded.' }
}

export const tooSlow: AppError = { code: 'timeout', message: 'The signing page took too long to load.' }

export const ledAway: AppError = {
  code: 'unsafe-address',
  message: 'The signing page led to an address that isn’t the signing service’s, so it wasn’t opened.'
}

export const nothingToShow: AppError = {
  code: 'server',
  message: 'The signing service answered without a page to sign on.'
}

export const stuck: AppError = { code: 'timeout', message: 'The signing page no longer responds.' }

export const ended: AppError = {
  code: 'internal',
  message: 'The signing page ended unexpectedly.',
  next: 'Look at the document before opening it again.'
}

export const notHeld: AppError = {
  code: 'internal',
  message: 'The signing page could no longer be kept apart from this computer, so it was closed.'
}

export const notPrinted: AppError = {
  code: 'internal',
  message: 'The page could not be printed.',
  next: 'See whether this computer’s default printer is there and ready.'
}

export const nothingToKeep: AppError = {
  code: 'gone',
  message: 'There is no page to print or save just now.',
  next: 'Wait until the signing page is open.'
}
