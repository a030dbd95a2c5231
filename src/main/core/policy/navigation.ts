/**
 * Where a page of the signing service may go, and what it may load. Origins are compared whole, as the URL standard
 * parses them; anything that isn't plainly allowed is refused, with a reason that names no address.
 */
import { isPrivateHost } from './private-networks.ts'

/** The ground a signing page may move on. */
export interface SigningGround {
  /** Origins (`https://sign.example.com`) that the page may show. */
  allowedOrigins: readonly string[]
  /** Where the service sends the signer at the end: caught, never loaded. */
  returnAddresses: readonly string[]
  /** The practice service's own origin on this machine, where the turn is of a practice account. */
  practiceOrigin?: string
  /**
   * The one of `allowedOrigins` that only the link names, and nobody of the office: its name must lead to public addresses,
   * or a link could lead into the office by a name that looks like the public's.
   */
  linkOrigin?: string
}

export type RefusalReason =
  | 'not-an-address'
  | 'scheme'
  | 'credentials'
  | 'not-encrypted'
  | 'other-origin'
  | 'private-network'
  | 'not-found'
  | 'plug-in'

export type Decision = { kind: 'allow' } | { kind: 'returned' } | { kind: 'refuse'; reason: RefusalReason }

const ALLOW: Decision = { kind: 'allow' }
const RETURNED: Decision = { kind: 'returned' }

/** Documents that a frame makes for itself; they have no address that could lead anywhere. */
const OWN_FRAMES = new Set(['about:blank', 'about:srcdoc'])

/** Decides on the move of a frame: a link, a form, a script, a redirect, or the first address itself. */
export function decideNavigation(move: { url: string; isMainFrame: boolean }, ground: SigningGround): Decision {
  const url = URL.parse(move.url)
  if (!url) return refuse('not-an-address')
  if (!move.isMainFrame && OWN_FRAMES.has(url.href)) return ALLOW
  // Only the page as a whole comes back to us; a frame within it could say so while the signer is still reading.
  if (move.isMainFrame && ground.returnAddresses.some((address) => isSamePlace(url, address))) return RETURNED
  return decideHost(url, ground, ['https:'], ['http:']) ?? ALLOW
}

/** What a page may load beside documents, as the browser's network names it. */
export type ResourceType =
  | 'mainFrame'
  | 'subFrame'
  | 'stylesheet'
  | 'script'
  | 'image'
  | 'font'
  | 'object'
  | 'xhr'
  | 'ping'
  | 'cspReport'
  | 'media'
  | 'webSocket'
  | 'other'

/**
 * Decides on a request before it leaves. Documents as in `decideNavigation`; styles, scripts, pictures and the like may
 * come from any public host over an encrypted line, as signing pages use content networks.
 * @returns `look-up` where the host's name must first be seen to lead to public addresses (`whyNotReached`).
 */
export function decideRequest(
  request: { url: string; resourceType: ResourceType },
  ground: SigningGround
): Decision | { kind: 'look-up'; url: URL } {
  const { resourceType } = request
  if (resourceType === 'mainFrame' || resourceType === 'subFrame') {
    const decision = decideNavigation({ url: request.url, isMainFrame: resourceType === 'mainFrame' }, ground)
    return decision.kind === 'allow' ? allowed(new URL(request.url), ground) : decision
  }
  if (resourceType === 'object') return refuse('plug-in')
  const url = URL.parse(request.url)
  if (!url) return refuse('not-an-address')
  // Made by the page itself: nothing leaves.
  if (url.protocol === 'data:' || url.protocol === 'blob:') return ALLOW
  const refused = decideHost(url, ground, ['https:', 'wss:'], ['http:', 'ws:'])
  if (!refused) return allowed(url, ground)
  if (refused.reason !== 'other-origin') return refused
  return isPrivateHost(url.hostname) ? refuse('private-network') : { kind: 'look-up', url }
}

/** What is on allowed ground; where the link alone says that it is, its name is looked up. */
function allowed(url: URL, { linkOrigin }: SigningGround): Decision | { kind: 'look-up'; url: URL } {
  return linkOrigin !== undefined && originOf(url) === linkOrigin ? { kind: 'look-up', url } : ALLOW
}

/** Undefined where the address is on allowed ground. */
function decideHost(
  url: URL,
  ground: SigningGround,
  encrypted: string[],
  plain: string[]
): { kind: 'refuse'; reason: RefusalReason } | undefined {
  if (!encrypted.includes(url.protocol) && !plain.includes(url.protocol)) return refuse('scheme')
  if (url.username || url.password) return refuse('credentials')
  if (plain.includes(url.protocol)) {
    return isPracticeHost(url, ground.practiceOrigin) ? undefined : refuse('not-encrypted')
  }
  const origin = originOf(url)
  return ground.allowedOrigins.some((allowed) => isEncryptedOrigin(allowed) && originOf(new URL(allowed)) === origin)
    ? undefined
    : refuse('other-origin')
}

/** The practice service runs on this machine, without encryption, on a port of its own: exactly that and no other. */
function isPracticeHost(url: URL, practiceOrigin: string | undefined): boolean {
  const practice = practiceOrigin === undefined ? null : URL.parse(practiceOrigin)
  return (
    practice?.protocol === 'http:' &&
    isLoopback(practice.hostname) &&
    url.host === practice.host &&
    originOf(url) === practice.origin
  )
}

export function isLoopback(hostname: string): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]'
}

/** Answers with more in the query than was asked for are still answers: services add the outcome to it. */
function isSamePlace(url: URL, address: string): boolean {
  const place = URL.parse(address)
  if (!place || (place.protocol !== 'https:' && place.protocol !== 'http:')) return false
  return url.origin === place.origin && url.pathname === place.pathname && !url.username && !url.password
}

function isEncryptedOrigin(allowed: string): boolean {
  return URL.parse(allowed)?.protocol === 'https:'
}

/** The origin, with a socket's counted as its page's. */
function originOf(url: URL): string {
  return url.origin.replace(/^ws(s?):/, 'http$1:')
}

function refuse(reason: RefusalReason): { kind: 'refuse'; reason: RefusalReason } {
  return { kind: 'refuse', reason }
}
