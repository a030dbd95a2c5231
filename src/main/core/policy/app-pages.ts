/**
 * Defines which pages are our own, and which of the renderer's files an address refers to. Anything that isn't plainly
 * one of our files is refused, not normalised.
 */
import { join } from 'node:path'

export const APP_SCHEME = 'app'
const APP_HOST = 'countersign'
export const APP_START = `${APP_SCHEME}://${APP_HOST}/index.html`
/** The second display's page, where people sign. */
export const PERSON_START = `${APP_SCHEME}://${APP_HOST}/counter.html`

/** The office window's page while the data are locked. */
export const LOCKED_START = `${APP_SCHEME}://${APP_HOST}/locked.html`

/**
 * Returns whether the address is a page of the application itself: `app://countersign/…`, or a page of the development
 * server, if any.
 */
export function isOwnPage(address: string, devServer?: URL): boolean {
  const url = URL.parse(address)
  if (!url || url.username || url.password) return false
  if (devServer && url.origin === devServer.origin) return true
  return url.protocol === `${APP_SCHEME}:` && url.host === APP_HOST
}

/** Returns whether it is the office's own page rather than the second display's. */
export function isOfficePage(address: string, devServer?: URL): boolean {
  const pages = [new URL(APP_START).pathname, ...(devServer ? ['/'] : [])]
  return isOwnPage(address, devServer) && pages.includes(URL.parse(address)?.pathname ?? '')
}

/**
 * Returns the file that one of our addresses refers to.
 * @param folder absolute path of the renderer's built files.
 * @returns an absolute path inside the folder, or undefined if the address must be refused.
 */
export function fileOfPage(address: string, folder: string): string | undefined {
  const url = URL.parse(address)
  if (!url || !isOwnPage(address)) return undefined
  const segments = segmentsOf(url.pathname === '' || url.pathname === '/' ? '/index.html' : url.pathname)
  return segments && join(folder, ...segments)
}

/**
 * Returns the development server's address if it may be used: never in a packaged application, whatever the environment
 * says, and never on another machine.
 */
export function devServerOf(packaging: { isPackaged: boolean }, address: string | undefined): URL | undefined {
  if (packaging.isPackaged || !address) return undefined
  const url = URL.parse(address)
  const isLoopback = url && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return isLoopback && url.protocol === 'http:' ? url : undefined
}

/** Letters, digits and a few symbols: no separators, drive letters, streams, hidden files or encoded characters. */
const PLAIN_NAME = /^[A-Za-z0-9_@][A-Za-z0-9_@.-]*(?<!\.)$/

function segmentsOf(pathname: string): string[] | undefined {
  const segments = pathname.slice(1).split('/')
  return pathname.startsWith('/') && segments.every((segment) => PLAIN_NAME.test(segment)) ? segments : undefined
}
