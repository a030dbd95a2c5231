/**
 * Detects a picture's type from its first bytes, whatever its declared type, and reads the sizes it claims before
 * memory is allocated for it. Reads every size in the file, since the program that draws it may use a different one.
 * Reads headers only and never past the end.
 */

export interface Size {
  width: number
  height: number
}

export type PictureHeader =
  | {
      state: 'readable'
      /** Every size that the file claims, at least one. */
      sizes: [Size, ...Size[]]
      /** Whether its end is missing. */
      isCutOff: boolean
    }
  /** More than one frame, with the sizes read before that was detected. */
  | { state: 'moving'; sizes: Size[] }
  /** No size can be read, or the parts are inconsistent. */
  | { state: 'damaged' }

/** Builds a header from sizes; damaged if there are none, or one is zero. */
function headerWith(sizes: readonly Size[], isCutOff: boolean): PictureHeader {
  const [first, ...others] = sizes
  if (!first || sizes.some(({ width, height }) => width === 0 || height === 0)) return { state: 'damaged' }
  return { state: 'readable', sizes: [first, ...others], isCutOff }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const SIGNATURE = 8
/** Bytes of a chunk besides its data: length and name before, checksum after. */
const CHUNK_OVERHEAD = 12
const IHDR_LENGTH = 13

/** Reads a PNG's header (ISO 15948): IHDR comes first and only once, then chunks up to IEND. */
function pngHeader(bytes: Uint8Array): PictureHeader {
  const view = viewOf(bytes)
  const sizes: Size[] = []
  let at = SIGNATURE
  while (at + 8 <= bytes.byteLength) {
    const length = view.getUint32(at)
    const name = at + 4
    const data = at + 8
    if (sizes.length === 0 && !hasText(bytes, name, 'IHDR')) return { state: 'damaged' }
    if (hasText(bytes, name, 'IHDR')) {
      if (length !== IHDR_LENGTH || data + IHDR_LENGTH > bytes.byteLength) return { state: 'damaged' }
      sizes.push({ width: view.getUint32(data), height: view.getUint32(data + 4) })
    }
    if (['acTL', 'fcTL', 'fdAT'].some((of) => hasText(bytes, name, of))) return { state: 'moving', sizes }
    if (hasText(bytes, name, 'IEND')) return headerWith(sizes, at + CHUNK_OVERHEAD > bytes.byteLength)
    at += length + CHUNK_OVERHEAD
  }
  return headerWith(sizes, true)
}

const TEMPORARY = 0x01
const FIRST_RESTART = 0xd0
const START_OF_IMAGE = 0xd8
const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda

/**
 * Reads a JPEG's header (ITU T.81): each start of frame has a size; a file should have one but can have many. A preview
 * inside a segment (Exif) is skipped with it, as decoders do.
 */
function jpegHeader(bytes: Uint8Array): PictureHeader {
  const view = viewOf(bytes)
  const sizes: Size[] = []
  let at = 2
  for (;;) {
    at = nextMarker(bytes, at)
    const marker = bytes[at + 1]
    if (marker === undefined) return headerWith(sizes, true)
    if (marker === END_OF_IMAGE) return headerWith(sizes, false)
    at += 2
    if (marker === TEMPORARY || marker === START_OF_IMAGE) continue
    if (at + 2 > bytes.byteLength) return headerWith(sizes, true)
    const length = view.getUint16(at)
    if (length < 2) return { state: 'damaged' }
    if (startsFrame(marker)) {
      if (length < 8 || at + 7 > bytes.byteLength) return headerWith(sizes, true)
      sizes.push({ height: view.getUint16(at + 3), width: view.getUint16(at + 5) })
    }
    if (marker === START_OF_SCAN && sizes.length === 0) return { state: 'damaged' }
    at += length
  }
}

/**
 * Returns the position of the next 0xFF that begins a marker; in scan data, 0xFF is followed by 0x00 or a restart. The
 * end of the bytes if there is none.
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

/** SOF0 to SOF15, except the numbers used for DHT, JPG and DAC. */
function startsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

const FIRST_CHUNK = 12
const ANIMATION_FLAG = 0x02

/** Reads a WebP's header (RFC 9649): the canvas size in VP8X, and the picture's own size in VP8 or VP8L. */
function webpHeader(bytes: Uint8Array): PictureHeader {
  const view = viewOf(bytes)
  if (bytes.byteLength < FIRST_CHUNK) return { state: 'damaged' }
  const sizes: Size[] = []
  const end = view.getUint32(4, true) + 8
  let at = FIRST_CHUNK
  let hasPicture = false
  while (at + 8 <= Math.min(bytes.byteLength, end)) {
    const length = view.getUint32(at + 4, true)
    const data = at + 8
    if (hasText(bytes, at, 'ANIM') || hasText(bytes, at, 'ANMF')) return { state: 'moving', sizes }
    if (hasText(bytes, at, 'VP8X')) {
      if (data + 10 > bytes.byteLength) return { state: 'damaged' }
      sizes.push({ width: uint24(view, data + 4) + 1, height: uint24(view, data + 7) + 1 })
      if ((view.getUint8(data) & ANIMATION_FLAG) !== 0) return { state: 'moving', sizes }
    } else if (hasText(bytes, at, 'VP8 ') || hasText(bytes, at, 'VP8L')) {
      const size = hasText(bytes, at, 'VP8L') ? losslessSize(view, data) : lossySize(view, data)
      if (!size) return { state: 'damaged' }
      hasPicture = true
      sizes.push(size)
    }
    // Chunks are padded to an even length.
    at = data + length + (length % 2)
  }
  if (!hasPicture) return { state: 'damaged' }
  return headerWith(sizes, bytes.byteLength < end)
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

/** The three types that are shown; others are only named. */
export type ShownKind = 'png' | 'jpeg' | 'webp'
export type OtherKind =
  | 'gif'
  | 'bmp'
  | 'tiff'
  | 'jpeg-2000'
  | 'heif'
  | 'pdf'
  | 'svg'
  | 'html'
  | 'markup'
  | 'json'
  | 'unknown'

export const headerOf: Record<ShownKind, (bytes: Uint8Array) => PictureHeader> = {
  png: pngHeader,
  jpeg: jpegHeader,
  webp: webpHeader
}

export function isShownKind(kind: ShownKind | OtherKind): kind is ShownKind {
  return kind in headerOf
}

const SNIFFED_BYTES = 1024

export function kindOf(bytes: Uint8Array): ShownKind | OtherKind {
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png'
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return 'jpeg'
  if (hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP')) return 'webp'
  if (hasText(bytes, 0, 'GIF8')) return 'gif'
  if (hasText(bytes, 0, 'II*\0') || hasText(bytes, 0, 'MM\0*')) return 'tiff'
  // Passports store the face in this format.
  if (hasText(bytes, 4, 'jP  ') || startsWith(bytes, 0xff, 0x4f, 0xff, 0x51)) return 'jpeg-2000'
  if (hasText(bytes, 4, 'ftyp')) return 'heif'
  if (hasText(bytes, 0, '%PDF-')) return 'pdf'
  if (hasText(bytes, 0, 'BM')) return 'bmp'
  return textKind(bytes)
}

function textKind(bytes: Uint8Array): OtherKind {
  const text = beginningAsText(bytes).trimStart().toLowerCase()
  if (text.startsWith('<')) {
    if (text.includes('<svg')) return 'svg'
    return /<(!doctype html|html|head|body|script)/.test(text) ? 'html' : 'markup'
  }
  return /^[{[]/.test(text) ? 'json' : 'unknown'
}

function beginningAsText(bytes: Uint8Array): string {
  const beginning = bytes.subarray(0, SNIFFED_BYTES)
  if (startsWith(bytes, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(beginning)
  if (startsWith(bytes, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(beginning)
  return new TextDecoder().decode(beginning)
}

function startsWith(bytes: Uint8Array, ...beginning: number[]): boolean {
  return beginning.every((byte, at) => bytes[at] === byte)
}

/** Whether these Latin letters are at this position. */
function hasText(bytes: Uint8Array, at: number, letters: string): boolean {
  for (let index = 0; index < letters.length; index++) {
    if (bytes[at + index] !== letters.charCodeAt(index)) return false
  }
  return true
}
