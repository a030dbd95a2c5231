/**
 * What a page may be granted. Our own pages need nothing, as the main process does for them what a permission would (the
 * clipboard, files). A signing page may use camera and microphone where its turn asks for them; anything else it could
 * only use against the person at the counter.
 */
import { decideNavigation, type SigningGround } from './navigation.ts'

export type MediaDevice = 'camera' | 'microphone'

/**
 * Whether a page may use camera and microphone now. never: nothing in this turn asks for them, so no page may. ask: staff has
 * to say. yes: staff has said so, for this session.
 */
export type MediaRight = 'never' | 'ask' | 'yes'

/** What a page asks for, or looks up, in Electron's words. */
export interface AskedPermission {
  permission: string
  /** Address of the document that asks. */
  url: string
  /** The origin that would be granted it, where Electron names one beside the address. */
  origin?: string | undefined
  /** Of `media`: `video`, `audio`. */
  mediaTypes?: readonly string[] | undefined
}

export type PermissionDecision = 'grant' | 'ask' | 'refuse'

/**
 * Decides on a signing page's question. The document that asks must itself be on the ground: a page on it and a frame on
 * it are judged alike, and a frame without an address of its own is given nothing.
 */
export function decidePermission(asked: AskedPermission, ground: SigningGround, media: MediaRight): PermissionDecision {
  if (asked.permission !== 'media' || media === 'never') return 'refuse'
  if (!devicesOf(asked.mediaTypes)) return 'refuse'
  const places = asked.origin === undefined ? [asked.url] : [asked.url, asked.origin]
  const isOnGround = places.every((url) => decideNavigation({ url, isMainFrame: true }, ground).kind === 'allow')
  if (!isOnGround) return 'refuse'
  return media === 'yes' ? 'grant' : 'ask'
}

/** The devices that media types stand for; undefined if there are none, or one that isn't a device of ours. */
export function devicesOf(mediaTypes: readonly string[] | undefined): MediaDevice[] | undefined {
  const types = [...new Set(mediaTypes)]
  if (types.length === 0 || types.some((type) => type !== 'video' && type !== 'audio')) return undefined
  return types.map((type): MediaDevice => (type === 'video' ? 'camera' : 'microphone')).sort()
}
