/**
 * Judges a SigningKey (reference 2.14: the URL of an embedded signer) before anything of it is loaded, and says on what
 * ground its page may move.
 */
import { isLoopback } from './navigation.ts'
import { isPrivateHost } from './private-networks.ts'

export type SigningAddress =
  | {
      ok: true
      url: string
      allowedOrigins: string[]
      practiceOrigin?: string
      /** The page's origin, where the office never typed its host: see `SigningGround`. */
      linkOrigin?: string
    }
  | { ok: false; reason: SigningAddressProblem }

export type SigningAddressProblem = 'not-an-address' | 'scheme' | 'not-encrypted' | 'credentials' | 'private-network'

/** The account that the document belongs to. */
export interface SigningAccount {
  /** Base address of the service, as the office typed it or as the practice service listens now. */
  baseUrl: string
  kind: 'practice' | 'service'
}

/**
 * The signing page's origin is allowed, and the service's own beside it. A host within a private network is refused
 * unless it is the very one that the office typed: then the service stands in the office.
 */
export function signingAddress(key: string, account: SigningAccount): SigningAddress {
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

/** What to tell the clerk, and what can be done about it. */
export function signingAddressSentence(reason: SigningAddressProblem): string {
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

/** A practice service on this very computer, whether it is the application's own or an account of the office's. */
function practiceAddress(url: URL, practice: URL | undefined): SigningAddress {
  if (practice?.protocol !== 'http:' || url.origin !== practice.origin || !isLoopback(url.hostname)) {
    return { ok: false, reason: 'not-encrypted' }
  }
  return { ok: true, url: url.href, allowedOrigins: [], practiceOrigin: practice.origin }
}
