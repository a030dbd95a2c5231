/**
 * Checks a SigningKey (reference 2.14: the URL of an embedded signer) before anything is loaded, and determines where
 * its page may navigate.
 */
import { isLoopback } from './navigation.ts'
import { isPrivateHost } from './private-networks.ts'

export type SigningAddress =
  | {
      ok: true
      url: string
      allowedOrigins: string[]
      practiceOrigin?: string
      /** The page's origin, if the office didn't type its host: see `SigningScope`. */
      linkOrigin?: string
    }
  | { ok: false; reason: SigningAddressProblem }

export type SigningAddressProblem = 'not-an-address' | 'scheme' | 'not-encrypted' | 'credentials' | 'private-network'

/** The document's account. */
export interface SigningAccount {
  /** The service's base address, as typed by the office, or the practice service's current one. */
  baseUrl: string
  kind: 'practice' | 'service'
}

/**
 * Checks the address. Allows the signing page's origin and the service's own. A host on a private network is refused
 * unless it is the one that the office typed: then the service is inside the office.
 */
export function checkSigningAddress(key: string, account: SigningAccount): SigningAddress {
  const address = key.trim()
  if (!URL.canParse(address)) return { ok: false, reason: 'not-an-address' }
  const url = new URL(address)
  const service = URL.canParse(account.baseUrl) ? new URL(account.baseUrl) : undefined
  if (url.username || url.password) return { ok: false, reason: 'credentials' }
  if (url.protocol === 'http:') return practiceAddress(url, service)
  if (url.protocol !== 'https:') return { ok: false, reason: 'scheme' }
  if (isPrivateHost(url.hostname) && url.host !== service?.host) return { ok: false, reason: 'private-network' }
  const allowedOrigins = [url.origin]
  if (service?.protocol === 'https:' && service.origin !== url.origin) allowedOrigins.push(service.origin)
  const isTyped = url.host === service?.host
  return { ok: true, url: url.href, allowedOrigins, ...(!isTyped && { linkOrigin: url.origin }) }
}

/** Returns what to tell the clerk, including what can be done about it. */
export function signingAddressMessage(reason: SigningAddressProblem): string {
  switch (reason) {
    case 'not-an-address':
      return 'This signer’s link isn’t a web address, so it wasn’t opened.'
    case 'scheme':
    case 'credentials':
      return 'This signer’s link isn’t a plain web address, so it wasn’t opened.'
    case 'not-encrypted':
      return 'This signer’s link isn’t encrypted, so anyone on the network could read it. It wasn’t opened.'
    case 'private-network':
      return 'This signer’s link leads to a private network instead of the signing service. It wasn’t opened.'
  }
}

/** A practice service on this computer, whether the application's own or an office's account. */
function practiceAddress(url: URL, practice: URL | undefined): SigningAddress {
  if (practice?.protocol !== 'http:' || url.origin !== practice.origin || !isLoopback(url.hostname)) {
    return { ok: false, reason: 'not-encrypted' }
  }
  return { ok: true, url: url.href, allowedOrigins: [], practiceOrigin: practice.origin }
}
