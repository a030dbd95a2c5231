/**
 * Decodes a picture of an identity check from the text received into bytes that a page may draw: only formats that are
 * nothing but a picture, of a size that fits in memory; others are refused with a reason. Its name and stated type are
 * ignored.
 */
import type { IdentityPictureType } from '../../../shared/contract/index.ts'
import { headerOf, isShownKind, kindOf, type OtherKind, type Size } from '../lib/picture-header.ts'

export const PICTURE_LIMITS = {
  bytes: 15 * 1024 * 1024,
  /** Pixels in total, and per side. A good camera makes 24 million. */
  pixels: 40_000_000,
  side: 12_000
}

export type Picture =
  | {
      isShown: true
      type: IdentityPictureType
      width: number
      height: number
      /** In a buffer of its own. */
      bytes: Uint8Array<ArrayBuffer>
      isCutOff: boolean
    }
  | { isShown: false; why: string }

/** Never throws. */
export function readPicture(text: string): Picture {
  const decoded = decodeBase64(text, PICTURE_LIMITS.bytes)
  switch (decoded.state) {
    case 'too-large':
      return refused('This picture is larger than 15 MB, too large to show.')
    case 'markup':
      return refused(refusals.markup)
    case 'address':
      return refused('The service sent a link instead of a picture. It isn’t opened.')
    case 'words':
      return refused('The service sent text instead of a picture.')
    case 'bytes':
      return pictureOf(decoded.bytes, decoded.isCutOff)
  }
}

function pictureOf(bytes: Uint8Array<ArrayBuffer>, textIsCutOff: boolean): Picture {
  const kind = kindOf(bytes)
  if (!isShownKind(kind)) return refused(refusals[kind])
  const header = headerOf[kind](bytes)
  if (header.state === 'moving')
    return refused('The service sent an animated picture instead of a still one. It isn’t shown.')
  if (header.state === 'damaged') return refused('This picture is damaged: its size can’t be read.')
  const [size] = header.sizes
  const tooLarge = header.sizes.find(isTooLarge)
  if (tooLarge) {
    return refused(
      `This picture’s size is given as ${count(tooLarge.width)} × ${count(tooLarge.height)} pixels, which is too large to show.`
    )
  }
  if (header.sizes.some(({ width, height }) => width !== size.width || height !== size.height)) {
    return refused('This picture gives conflicting sizes, so it isn’t shown.')
  }
  return { isShown: true, type: `image/${kind}`, ...size, bytes, isCutOff: header.isCutOff || textIsCutOff }
}

function isTooLarge({ width, height }: Size): boolean {
  const { side, pixels } = PICTURE_LIMITS
  return width > side || height > side || width * height > pixels
}

const refusals: Record<OtherKind, string> = {
  gif: 'The service sent a GIF, which Countersign doesn’t show.',
  bmp: 'The service sent a BMP picture, which Countersign doesn’t show.',
  tiff: 'The service sent a TIFF picture, which can’t be shown.',
  'jpeg-2000':
    'The service sent a JPEG 2000 picture, as stored in passports. It can’t be shown here, but the PDF may have it.',
  heif: 'The service sent a HEIC or AVIF picture, which Countersign doesn’t show.',
  pdf: 'The service sent a PDF instead of a picture.',
  svg: 'The service sent a drawing with code (SVG) instead of a photograph. It isn’t opened.',
  html: 'The service sent a web page instead of a picture. It isn’t opened.',
  markup: 'The service sent text with markup instead of a picture. It isn’t opened.',
  json: 'The service sent data instead of a picture.',
  unknown: 'Countersign doesn’t know this kind of picture.'
}

function refused(why: string): Picture {
  return { isShown: false, why }
}

function count(number: number): string {
  return number.toLocaleString('en-GB')
}

/** Base64 is a third longer than what it encodes, and line breaks add a little. */
const BASE64_FACTOR = 1.4
const PREFIX_LENGTH = 200

type DecodedText =
  | { state: 'bytes'; bytes: Uint8Array<ArrayBuffer>; isCutOff: boolean }
  /** Text that reveals what it is: markup, an address. */
  | { state: 'markup' | 'address' | 'words' }
  | { state: 'too-large' }

/**
 * Decodes base64 as pictures come: with or without a `data:` prefix, line breaks or padding, and in the URL-safe
 * alphabet, too. Anything else is distinguished; nothing is guessed.
 * @param limit the most bytes that it may decode to.
 */
function decodeBase64(text: string, limit: number): DecodedText {
  // Before anything else is done with it.
  if (text.length > limit * BASE64_FACTOR + PREFIX_LENGTH) return { state: 'too-large' }
  const start = text.slice(0, PREFIX_LENGTH).trimStart()
  if (start.startsWith('<')) return { state: 'markup' }
  if (/^(https?|ftp|file):/i.test(start)) return { state: 'address' }
  const address = /^\s*data:[^,]{0,100};base64,/i.exec(text.slice(0, PREFIX_LENGTH))
  if (!address && /^data:/i.test(start))
    return { state: /^data:[^,;]*(svg|html|xml)/i.test(start) ? 'markup' : 'words' }
  const digits = text.slice(address?.[0].length ?? 0).replace(/\s+/g, '')
  const body = digits.replace(/={1,2}$/, '')
  if (body === '' || !/^[A-Za-z0-9+/_-]*$/.test(body)) return { state: 'words' }
  // A single remaining digit encodes six bits, which isn't a byte: the text was cut off after it.
  const isCutOff = body.length % 4 === 1
  const decoded = Buffer.from(isCutOff ? body.slice(0, -1) : body, 'base64url')
  if (decoded.byteLength > limit) return { state: 'too-large' }
  // Small buffers share a pool with others, and this one goes to the page with everything around it.
  const bytes = new Uint8Array(decoded)
  decoded.fill(0)
  return { state: 'bytes', bytes, isCutOff }
}
