/**
 * The office's own pictures for the second display, accepted by their bytes: PNG, JPEG or, for a logo, WebP, of a size
 * that a screen can use. Never SVG, which can contain scripts and load external resources.
 */
import { headerOf, isShownKind, kindOf, type ShownKind } from '../lib/picture-header.ts'

export interface PictureLimits {
  bytes: number
  /** The same, in words. */
  size: string
  /** The longest side. */
  pixels: number
  kinds: readonly ShownKind[]
  /** The same, in words. */
  named: string
  /** Refuses animated pictures, so that nobody's attention is drawn to them. */
  isStill?: true
}

export const MAX_LOGO_BYTES = 1024 * 1024
const LOGO: PictureLimits = {
  bytes: MAX_LOGO_BYTES,
  size: '1 MB',
  pixels: 4000,
  kinds: ['png', 'jpeg', 'webp'],
  named: 'PNG, JPEG or WebP'
}

type Picture =
  | { readonly ok: true; readonly dataUrl: string }
  /** One plain sentence for the person who chose it. */
  | { readonly ok: false; readonly message: string }

/** @param bytes the whole file. */
export function readLogo(bytes: Uint8Array): Picture {
  return readPicture(bytes, LOGO)
}

/** Whether a stored text is a picture that would be accepted today. */
export function isLogo(dataUrl: string): boolean {
  const [, content] = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+=*)$/.exec(dataUrl) ?? []
  if (content === undefined) return false
  const read = readLogo(Buffer.from(content, 'base64'))
  return read.ok && read.dataUrl === dataUrl
}

/** @param bytes the whole file. */
export function readPicture(bytes: Uint8Array, limits: PictureLimits): Picture {
  if (bytes.length === 0) return refused('This file is empty.')
  if (bytes.length > limits.bytes) return refused(`This picture is larger than ${limits.size}. Choose a smaller one.`)
  const kind = kindOf(bytes)
  if (!isShownKind(kind) || !limits.kinds.includes(kind))
    return refused(`This isn’t a ${limits.named} picture. Choose one that is.`)
  const header = headerOf[kind](bytes)
  const sizes = header.state === 'damaged' ? [] : header.sizes
  if (sizes.length === 0 || sizes.some(({ width, height }) => width === 0 || height === 0)) {
    return refused('This picture is damaged. Choose another.')
  }
  if (limits.isStill && header.state === 'moving') return refused('This picture is animated. Choose one that isn’t.')
  if (sizes.some(({ width, height }) => width > limits.pixels || height > limits.pixels)) {
    return refused(`This picture is larger than ${limits.pixels} × ${limits.pixels} pixels. Choose a smaller one.`)
  }
  return { ok: true, dataUrl: `data:image/${kind};base64,${Buffer.from(bytes).toString('base64')}` }
}

function refused(message: string): Picture {
  return { ok: false, message }
}
