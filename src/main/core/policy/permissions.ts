/**
 * Decides which permissions a page gets. Our own pages need none, since the main process does for them what would need
 * one (clipboard, files). A signing page may use camera and microphone if its turn needs them; anything else it could
 * only use against the person at the counter.
 */
import { decideNavigation, type SigningScope } from './navigation.ts'

export type MediaDevice = 'camera' | 'microphone'

/**
 * Whether a page may use camera and microphone now. never: nothing in this turn needs them. ask: staff has to decide.
 * yes: staff has allowed it for this session.
 */
export type MediaRight = 'never' | 'ask' | 'yes'

/** What a page requests or checks, in Electron's terms. */
export interface PermissionQuery {
  permission: string
  /** Address of the requesting document. */
  url: string
  /** The origin that would get the permission, if Electron names one besides the address. */
  origin?: string | undefined
  /** For `media`: `video`, `audio`. */
  mediaTypes?: readonly string[] | undefined
}

export type PermissionDecision = 'grant' | 'ask' | 'refuse'

/**
 * Decides on a signing page's request. The requesting document must itself be on an allowed origin: page and frames are
 * treated alike, and a frame without its own address gets nothing.
 */
export function decidePermission(query: PermissionQuery, scope: SigningScope, media: MediaRight): PermissionDecision {
  if (query.permission !== 'media' || media === 'never') return 'refuse'
  if (!devicesOf(query.mediaTypes)) return 'refuse'
  const places = query.origin === undefined ? [query.url] : [query.url, query.origin]
  const isInScope = places.every((url) => decideNavigation({ url, isMainFrame: true }, scope).kind === 'allow')
  if (!isInScope) return 'refuse'
  return media === 'yes' ? 'grant' : 'ask'
}

/** Returns the devices for media types; undefined if there are none, or one is unknown. */
export function devicesOf(mediaTypes: readonly string[] | undefined): MediaDevice[] | undefined {
  const types = [...new Set(mediaTypes)]
  if (types.length === 0 || types.some((type) => type !== 'video' && type !== 'audio')) return undefined
  return types.map((type): MediaDevice => (type === 'video' ? 'camera' : 'microphone')).sort()
}
