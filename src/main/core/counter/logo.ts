/**
 * The office's own picture for the second display, judged by its bytes: PNG, JPEG or WebP of a size that a screen can use.
 * Never SVG, which can hold programs and load what it names.
 */
import { headerOf, isShownKind, kindOf } from '../lib/picture-header.ts'

export const LARGEST_LOGO = 1024 * 1024
const MOST_PIXELS_A_SIDE = 4000

export type Logo =
  | { readonly ok: true; readonly dataUrl: string }
  /** One plain sentence for the person who chose it. */
  | { readonly ok: false; readonly message: string }

/** @param bytes the whole file. */
export function readLogo(bytes: Uint8Array): Logo {
  if (bytes.length === 0) return refused('This file is empty.')
  if (bytes.length > LARGEST_LOGO) return refused('This picture is larger than 1 MB. Choose a smaller one.')
  const kind = kindOf(bytes)
  if (!isShownKind(kind)) return refused('This isn’t a PNG, JPEG or WebP picture. Choose one that is.')
  const header = headerOf[kind](bytes)
  const sizes = header.state === 'damaged' ? [] : header.sizes
  if (sizes.length === 0 || sizes.some(({ width, height }) => width === 0 || height === 0)) {
    return refused('This picture is damaged. Choose another.')
  }
  if (sizes.some(({ width, height }) => width > MOST_PIXELS_A_SIDE || height > MOST_PIXELS_A_SIDE)) {
    return refused('This picture is larger than 4000 × 4000 pixels. Choose a smaller one.')
  }
  return { ok: true, dataUrl: `data:image/${kind};base64,${Buffer.from(bytes).toString('base64')}` }
}

/** Whether a text that was kept is a picture that would be taken today. */
export function isLogo(dataUrl: string): boolean {
  const [, content] = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+=*)$/.exec(dataUrl) ?? []
  if (content === undefined) return false
  const read = readLogo(Buffer.from(content, 'base64'))
  return read.ok && read.dataUrl === dataUrl
}

function refused(message: string): Logo {
  return { ok: false, message }
}
