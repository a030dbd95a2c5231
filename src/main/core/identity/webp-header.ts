/** The header of a WebP (RFC 9649): the canvas of VP8X, and the picture's own size in VP8 or VP8L. */
import { headerOf, type PictureHeader, type Size, viewOf } from './picture-header.ts'
import { says } from './picture-kind.ts'

const FIRST_CHUNK = 12
const MOVING = 0x02

export function webpHeader(bytes: Uint8Array): PictureHeader {
  const view = viewOf(bytes)
  if (bytes.byteLength < FIRST_CHUNK) return { state: 'damaged' }
  const sizes: Size[] = []
  const end = view.getUint32(4, true) + 8
  let at = FIRST_CHUNK
  let hasPicture = false
  while (at + 8 <= Math.min(bytes.byteLength, end)) {
    const length = view.getUint32(at + 4, true)
    const data = at + 8
    if (says(bytes, at, 'ANIM') || says(bytes, at, 'ANMF')) return { state: 'moving' }
    if (says(bytes, at, 'VP8X')) {
      if (data + 10 > bytes.byteLength) return { state: 'damaged' }
      if ((view.getUint8(data) & MOVING) !== 0) return { state: 'moving' }
      sizes.push({ width: uint24(view, data + 4) + 1, height: uint24(view, data + 7) + 1 })
    } else if (says(bytes, at, 'VP8 ') || says(bytes, at, 'VP8L')) {
      const size = says(bytes, at, 'VP8L') ? losslessSize(view, data) : lossySize(view, data)
      if (!size) return { state: 'damaged' }
      hasPicture = true
      sizes.push(size)
    }
    // Chunks are of even length.
    at = data + length + (length % 2)
  }
  if (!hasPicture) return { state: 'damaged' }
  return headerOf(sizes, bytes.byteLength < end)
}

function lossySize(view: DataView, at: number): Size | undefined {
  if (at + 10 > view.byteLength) return undefined
  if (view.getUint8(at + 3) !== 0x9d || view.getUint8(at + 4) !== 0x01 || view.getUint8(at + 5) !== 0x2a)
    return undefined
  return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff }
}

function losslessSize(view: DataView, at: number): Size | undefined {
  if (at + 5 > view.byteLength || view.getUint8(at) !== 0x2f) return undefined
  const bits = view.getUint32(at + 1, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}
