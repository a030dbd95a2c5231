/** What a signing page tried and was refused, in words for the clerk. */
import type { RefusalReason } from '../core/policy/navigation.ts'

/** Something that the session policy denied, as it names it. */
export function deniedWords(what: string): string {
  return DENIED[what] ?? `It asked for something that no page is given (${what}).`
}

/** What is held in the page itself (page-guard.ts). */
export const triedToPrint = 'It tried to print.'
export const askedForFile = 'It asked for a file of this computer.'

const DENIED: Record<string, string> = {
  download: 'It tried to save a file on this computer.',
  'screen capture': 'It tried to watch the screen.',
  'permission "media"': 'It asked for the camera or the microphone.',
  'permission "geolocation"': 'It asked where this computer is.',
  'permission "notifications"': 'It asked to show notifications.',
  'permission "fullscreen"': 'It tried to fill the whole screen.',
  'permission "clipboard-read"': 'It tried to read the clipboard.',
  'permission "fileSystem"': askedForFile,
  'permission "openExternal"': 'It tried to open another program.'
}

/**
 * An address that it was refused. Only the host is named: the rest may hold a key.
 * @param part what would have been there: the whole page, a frame of it, or something in it.
 */
export function refusalWords(address: string, reason: RefusalReason, part: 'page' | 'frame' | 'content'): string {
  const host = URL.canParse(address) ? new URL(address).hostname.slice(0, 100) : ''
  if (reason === 'private-network') return `It tried to reach into a private network${host && ` (${host})`}.`
  if (reason === 'not-found') return `It asked for an address that can’t be found${host && ` (${host})`}.`
  if (reason === 'not-encrypted') return `It tried to use an unencrypted line${host && ` to ${host}`}.`
  if (reason === 'scheme' || reason === 'not-an-address') return 'It tried to open something that isn’t a web page.'
  if (reason === 'credentials') return `It tried to log in to ${host || 'an address'} on its own.`
  if (reason === 'plug-in') return 'It tried to start a plug-in.'
  return part === 'frame' ? `It tried to show a page of ${host}.` : `It tried to leave for ${host}.`
}

/** So many different things a turn tells of; a page could spell new ones for ever. */
const MOST = 100

/** The same thing tried again and again is told once a second, and of different things the first ones. */
export function onceASecond(tell: (what: string) => void): (what: string) => void {
  const toldAt = new Map<string, number>()
  return (what) => {
    const now = performance.now()
    const before = toldAt.get(what)
    if (before === undefined ? toldAt.size >= MOST : now - before < 1000) return
    toldAt.set(what, now)
    tell(what)
  }
}
