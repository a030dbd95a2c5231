/** The text of a file whose encoding nobody wrote down. What can't be told is said in a note. */
import { refuseFile } from './file-trouble.ts'

export interface DecodedText {
  text: string
  /** In the user's words; undefined for UTF-8, of which there is nothing to say. */
  note?: string
}

/** The 27 characters that Windows' Western European encoding has where Latin-1 has control codes. */
const western = new Map(
  [...'€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'].map((character, index) => [
    // 81, 8D, 8F, 90 and 9D are free.
    [
      0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
      0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f
    ][index],
    character
  ])
)

/**
 * Decodes by the byte order mark where there is one, else as UTF-16 where every other byte is nought, else as UTF-8, and
 * where that fails as Windows-1252, in which nothing fails.
 * @throws AppFailure `bad-file` where it is no text.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const { text, note } = decoded(bytes)
  if (text.includes('\0')) {
    refuseFile('This file isn’t a table of text. Save it as CSV or as an Excel workbook (.xlsx), and choose that.')
  }
  return note ? { text, note } : { text }
}

function decoded(bytes: Uint8Array): DecodedText {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return utf8(bytes.subarray(3))
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) }
  if (first === 0xfe && second === 0xff) return { text: bigEndian(bytes) }
  const start = bytes.subarray(0, 1000)
  if (start.length >= 4 && zeros(start, 1) > 0.4 && zeros(start, 0) === 0) {
    return { text: new TextDecoder('utf-16le').decode(bytes) }
  }
  if (start.length >= 4 && zeros(start, 0) > 0.4 && zeros(start, 1) === 0) return { text: bigEndian(bytes) }
  return utf8(bytes)
}

function utf8(bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return {
      text: fromWestern(bytes),
      note: 'The file isn’t in UTF-8. It was read as Western European (Windows-1252): check letters with accents, such as é, ü or ā.'
    }
  }
}

/** Which part of the bytes at even (0) or odd (1) places is nought. */
function zeros(bytes: Uint8Array, from: 0 | 1): number {
  let count = 0
  for (let index = from; index < bytes.length; index += 2) if (bytes[index] === 0) count += 1
  return count / Math.ceil(bytes.length / 2)
}

/** Not every build of ICU knows it big-endian. */
function bigEndian(bytes: Uint8Array): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  return new TextDecoder('utf-16le').decode(even.swap16())
}

/** Not every build of ICU knows it. */
function fromWestern(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => western.get(character.charCodeAt(0)) ?? '\ufffd')
}
