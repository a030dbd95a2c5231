/** What bytes are by how they begin, whatever they are said to be. Only three kinds are shown; the others are named. */

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

const LOOKED_AT = 1024

export function kindOf(bytes: Uint8Array): ShownKind | OtherKind {
  if (begins(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png'
  if (begins(bytes, 0xff, 0xd8, 0xff)) return 'jpeg'
  if (says(bytes, 0, 'RIFF') && says(bytes, 8, 'WEBP')) return 'webp'
  if (says(bytes, 0, 'GIF8')) return 'gif'
  if (says(bytes, 0, 'II*\0') || says(bytes, 0, 'MM\0*')) return 'tiff'
  // Passports keep the face in this form.
  if (says(bytes, 4, 'jP  ') || begins(bytes, 0xff, 0x4f, 0xff, 0x51)) return 'jpeg-2000'
  if (says(bytes, 4, 'ftyp')) return 'heif'
  if (says(bytes, 0, '%PDF-')) return 'pdf'
  if (says(bytes, 0, 'BM')) return 'bmp'
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
  const beginning = bytes.subarray(0, LOOKED_AT)
  if (begins(bytes, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(beginning)
  if (begins(bytes, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(beginning)
  return new TextDecoder().decode(beginning)
}

function begins(bytes: Uint8Array, ...beginning: number[]): boolean {
  return beginning.every((byte, at) => bytes[at] === byte)
}

/** Whether these Latin letters stand at this place. */
export function says(bytes: Uint8Array, at: number, letters: string): boolean {
  for (let index = 0; index < letters.length; index++) {
    if (bytes[at + index] !== letters.charCodeAt(index)) return false
  }
  return true
}
