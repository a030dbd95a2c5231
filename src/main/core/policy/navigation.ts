/**
 * Decides where a signing service's page may navigate, and what it may load. Origins are compared as a whole, as parsed
 * by the URL standard; anything not plainly allowed is refused, with a reason that doesn't contain the address.
 */
import { isPrivateHost } from './private-networks.ts'

export interface SigningScope {
  /** Origins (`https://sign.example.com`) that the page may show. */
  allowedOrigins: readonly string[]
  /** Where the service redirects the signer at the end: intercepted, never loaded. */
  returnAddresses: readonly string[]
  /** The practice service's origin on this computer, for turns of a practice account. */
  practiceOrigin?: string
  /**
   * The one of `allowedOrigins` that comes only from the link, not from the office: its name must resolve to public
   * addresses, or a link could reach the office's network through a name that looks public.
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

/** Documents that a frame creates itself; they have no address that could lead anywhere. */
const OWN_FRAMES = new Set(['about:blank', 'about:srcdoc'])

/** Decides on a frame's navigation: a link, form, script, redirect, or the first address. */
export function decideNavigation(navigation: { url: string; isMainFrame: boolean }, scope: SigningScope): Decision {
  const url = URL.parse(navigation.url)
  if (!url) return refuse('not-an-address')
  if (!navigation.isMainFrame && OWN_FRAMES.has(url.href)) return ALLOW
  // Only the main frame can return to us; a nested frame could pretend to while the signer is still reading.
  if (navigation.isMainFrame && scope.returnAddresses.some((address) => isSamePage(url, address))) return RETURNED
  return decideHost(url, scope, ['https:'], ['http:']) ?? ALLOW
}

/** What a page may load besides documents, as named by Chromium's network. */
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
 * Decides on a request before it is sent. Documents as in `decideNavigation`; styles, scripts, pictures and the like
 * may come from any public host over an encrypted connection, since signing pages use CDNs.
 * @returns `look-up` if the host must first be resolved to public addresses (`blockReason`).
 */
export function decideRequest(
  request: { url: string; resourceType: ResourceType },
  scope: SigningScope
): Decision | { kind: 'look-up'; url: URL } {
  const { resourceType } = request
  if (resourceType === 'mainFrame' || resourceType === 'subFrame') {
    const decision = decideNavigation({ url: request.url, isMainFrame: resourceType === 'mainFrame' }, scope)
    return decision.kind === 'allow' ? decideAllowed(new URL(request.url), scope) : decision
  }
  if (resourceType === 'object') return refuse('plug-in')
  const url = URL.parse(request.url)
  if (!url) return refuse('not-an-address')
  // Created by the page itself: nothing is sent.
  if (url.protocol === 'data:' || url.protocol === 'blob:') return ALLOW
  const refusal = decideHost(url, scope, ['https:', 'wss:'], ['http:', 'ws:'])
  if (!refusal) return decideAllowed(url, scope)
  if (refusal.reason !== 'other-origin') return refusal
  return isPrivateHost(url.hostname) ? refuse('private-network') : { kind: 'look-up', url }
}

/** For allowed origins; if only the link names the origin, its host must be resolved. */
function decideAllowed(url: URL, { linkOrigin }: SigningScope): Decision | { kind: 'look-up'; url: URL } {
  return linkOrigin !== undefined && originOf(url) === linkOrigin ? { kind: 'look-up', url } : ALLOW
}

/** Undefined if the address is on an allowed origin. */
function decideHost(
  url: URL,
  scope: SigningScope,
  encrypted: string[],
  plain: string[]
): { kind: 'refuse'; reason: RefusalReason } | undefined {
  if (!encrypted.includes(url.protocol) && !plain.includes(url.protocol)) return refuse('scheme')
  if (url.username || url.password) return refuse('credentials')
  if (plain.includes(url.protocol)) {
    return isPracticeHost(url, scope.practiceOrigin) ? undefined : refuse('not-encrypted')
  }
  const origin = originOf(url)
  return scope.allowedOrigins.some((allowed) => isEncryptedOrigin(allowed) && originOf(new URL(allowed)) === origin)
    ? undefined
    : refuse('other-origin')
}

/** The practice service runs on this computer, unencrypted, on its own port: matches exactly that. */
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

/** Ignores the query, since services add the outcome to it. */
function isSamePage(url: URL, address: string): boolean {
  const place = URL.parse(address)
  if (!place || (place.protocol !== 'https:' && place.protocol !== 'http:')) return false
  return url.origin === place.origin && url.pathname === place.pathname && !url.username && !url.password
}

function isEncryptedOrigin(allowed: string): boolean {
  return URL.parse(allowed)?.protocol === 'https:'
}

/** The origin, treating web sockets like their page. */
function originOf(url: URL): string {
  return url.origin.replace(/^ws(s?):/, 'http$1:')
}

function refuse(reason: RefusalReason): { kind: 'refuse'; reason: RefusalReason } {
  return { kind: 'refuse', reason }
}
