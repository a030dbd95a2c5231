/**
 * The header of a JPEG (ITU T.81): a size stands in each start of a frame, of which a file should have one and can have
 * many. A preview within a segment (Exif) is skipped with it, as whoever draws the picture does.
 */
import { headerOf, type PictureHeader, type Size, viewOf } from './picture-header.ts'

const TEMPORARY = 0x01
const FIRST_RESTART = 0xd0
const START_OF_IMAGE = 0xd8
const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda

export function jpegHeader(bytes: Uint8Array): PictureHeader {
  const view = viewOf(bytes)
  const sizes: Size[] = []
  let at = 2
  for (;;) {
    at = nextMarker(bytes, at)
    const marker = bytes[at + 1]
    if (marker === undefined) return headerOf(sizes, true)
    if (marker === END_OF_IMAGE) return headerOf(sizes, false)
    at += 2
    if (marker === TEMPORARY || marker === START_OF_IMAGE) continue
    if (at + 2 > bytes.byteLength) return headerOf(sizes, true)
    const length = view.getUint16(at)
    if (length < 2) return { state: 'damaged' }
    if (startsFrame(marker)) {
      if (length < 8 || at + 7 > bytes.byteLength) return headerOf(sizes, true)
      sizes.push({ height: view.getUint16(at + 3), width: view.getUint16(at + 5) })
    }
    if (marker === START_OF_SCAN && sizes.length === 0) return { state: 'damaged' }
    at += length
  }
}

/**
 * From here to the next 0xFF that begins a marker: in what a scan draws, 0xFF is followed by 0x00 or by a restart.
 * The end of the bytes where there is none.
 */
function nextMarker(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    at = bytes.indexOf(0xff, at)
    if (at === -1) return bytes.byteLength
    const after = bytes[at + 1]
    const isFilling = after === 0xff
    const isWithinScan = after === 0x00 || (after !== undefined && after >= FIRST_RESTART && after < START_OF_IMAGE)
    if (!isFilling && !isWithinScan) return at
    at += isFilling ? 1 : 2
  }
}

/** SOF0 to SOF15, without those of its numbers that are tables (DHT, JPG, DAC). */
function startsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
