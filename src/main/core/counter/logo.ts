/**
 * The office's own picture for the second display, judged by its bytes: PNG, JPEG or WebP of a size that a screen can use.
 * Never SVG, which can hold programs and load what it names.
 */

export const LARGEST_LOGO = 1024 * 1024
const MOST_PIXELS_A_SIDE = 4000

export type Logo =
  | { readonly ok: true; readonly dataUrl: string }
  /** One plain sentence for the person who chose it. */
  | { readonly ok: false; readonly message: string }

interface Size {
  width: number
  height: number
}

/** @param bytes the whole file. */
export function readLogo(bytes: Uint8Array): Logo {
  if (bytes.length === 0) return refused('This file is empty.')
  if (bytes.length > LARGEST_LOGO)
    return refused('This picture has more than 1 MB. Make it smaller and choose it again.')
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kind = kindOf(file)
  if (!kind) return refused('This isn’t a PNG, JPEG or WebP picture. Save it as one of these, and choose that.')
  const size = sizes[kind](file)
  if (!size || size.width === 0 || size.height === 0) {
    return refused('This picture is damaged. Save it again from the program it came from.')
  }
  if (size.width > MOST_PIXELS_A_SIDE || size.height > MOST_PIXELS_A_SIDE) {
    return refused('This picture is larger than 4000 × 4000 pixels. Make it smaller and choose it again.')
  }
  return { ok: true, dataUrl: `data:image/${kind};base64,${file.toString('base64')}` }
}

/** Whether a text that was kept is a picture that would be taken today. */
export function isLogo(dataUrl: string): boolean {
  const [, content] = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+=*)$/.exec(dataUrl) ?? []
  if (content === undefined) return false
  const read = readLogo(Buffer.from(content, 'base64'))
  return read.ok && read.dataUrl === dataUrl
}

type Kind = 'png' | 'jpeg' | 'webp'

function kindOf(file: Buffer): Kind | undefined {
  const start = file.toString('latin1', 0, 16)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'webp'
  return undefined
}

const sizes: Record<Kind, (file: Buffer) => Size | undefined> = {
  png(file) {
    if (file.length < 24 || file.toString('latin1', 12, 16) !== 'IHDR') return undefined
    return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
  },

  /** Goes from one segment to the next until the one that begins a frame. */
  jpeg(file) {
    let at = 2
    while (at + 9 <= file.length && file[at] === 0xff) {
      const marker = file[at + 1] as number
      // A segment may be preceded by any number of fill bytes.
      if (marker === 0xff) {
        at += 1
        continue
      }
      if (isFrame(marker)) return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) }
      at += 2 + file.readUInt16BE(at + 2)
    }
    return undefined
  },

  webp(file) {
    const form = file.toString('latin1', 12, 16)
    if (form === 'VP8 ' && file.length >= 30 && file.readUIntBE(23, 3) === 0x9d012a) {
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
    }
    if (form === 'VP8L' && file.length >= 25 && file[20] === 0x2f) {
      const bits = file.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    if (form === 'VP8X' && file.length >= 30) {
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
    }
    return undefined
  }
}

/** C4, C8 and CC among these are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function refused(message: string): Logo {
  return { ok: false, message }
}
