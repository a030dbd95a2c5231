/**
 * Decides what may be passed to the operating system to open externally. An address that another program opens is a
 * command to that program, so only plain web addresses pass.
 */
import { isLoopback } from './navigation.ts'
import { isPrivateHost } from './private-networks.ts'

export type ExternalLink =
  | { ok: true; href: string }
  | { ok: false; reason: 'not-an-address' | 'scheme' | 'credentials' | 'private-network' | 'too-long' }

/** Windows' limit. */
const MAX_URL_LENGTH = 2048

/**
 * Checks an address.
 * @param own the chosen account's own host, which may be inside the office's network, and the practice service's origin
 * for a practice account.
 */
export function checkExternalLink(address: string, own: { host?: string; practiceOrigin?: string } = {}): ExternalLink {
  if (!URL.canParse(address)) return { ok: false, reason: 'not-an-address' }
  const url = new URL(address)
  if (url.username || url.password) return { ok: false, reason: 'credentials' }
  if (url.href.length > MAX_URL_LENGTH) return { ok: false, reason: 'too-long' }
  if (url.protocol === 'http:' && url.origin === own.practiceOrigin && isLoopback(url.hostname)) {
    return { ok: true, href: url.href }
  }
  if (url.protocol !== 'https:') return { ok: false, reason: 'scheme' }
  if (isPrivateHost(url.hostname) && url.host !== own.host) return { ok: false, reason: 'private-network' }
  return { ok: true, href: url.href }
}
