/** The header of a PNG (ISO 15948): one IHDR, first of all; chunks after it up to IEND. */
import { headerOf, type PictureHeader, type Size, viewOf } from './picture-header.ts'
import { says } from './picture-kind.ts'

const SIGNATURE = 8
/** Length and name before the data of a chunk, checksum behind it. */
const AROUND = 12
const IHDR_LENGTH = 13

export function pngHeader(bytes: Uint8Array): PictureHeader {
  const view = viewOf(bytes)
  const sizes: Size[] = []
  let at = SIGNATURE
  while (at + 8 <= bytes.byteLength) {
    const length = view.getUint32(at)
    const name = at + 4
    const data = at + 8
    if (sizes.length === 0 && !says(bytes, name, 'IHDR')) return { state: 'damaged' }
    if (says(bytes, name, 'IHDR')) {
      if (length !== IHDR_LENGTH || data + IHDR_LENGTH > bytes.byteLength) return { state: 'damaged' }
      sizes.push({ width: view.getUint32(data), height: view.getUint32(data + 4) })
    }
    if (says(bytes, name, 'acTL') || says(bytes, name, 'fcTL') || says(bytes, name, 'fdAT')) return { state: 'moving' }
    if (says(bytes, name, 'IEND')) return headerOf(sizes, at + AROUND > bytes.byteLength)
    at += length + AROUND
  }
  return headerOf(sizes, true)
}
