/** Decodes an XML file in whatever encoding it declares, or refuses it in the user's words. */
import { MAX_XML_LENGTH } from '../../../../../shared/composition/xml.ts'

export type XmlText = { text: string; note?: string } | { refusal: string }

const DECLARATION = /^(<\?xml[^>]*?\sencoding\s*=\s*)(["'])([^"']*)\2/
/** How many bytes to search for a declaration. */
const HEAD_BYTES = 200

/** Returns the file's text. A declaration of another encoding is changed to UTF-8, as that is how the text is sent. */
export function readXmlFile(bytes: Uint8Array<ArrayBuffer>): XmlText {
  if (bytes.length > MAX_XML_LENGTH) return sizeRefusal(bytes.length)
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (thrown) {
    return {
      refusal:
        thrown instanceof RangeError
          ? `Its encoding, ${encoding.slice(0, 40)}, isn’t supported. Save it as UTF-8 and load it again.`
          : `It isn’t valid ${encoding.toUpperCase()}. Save it as UTF-8 and load it again.`
    }
  }
  const declared = DECLARATION.exec(text)?.[3] ?? 'utf-8'
  if (declared.toLowerCase() === 'utf-8') return { text }
  const isMislabelled = encoding === 'utf-8'
  return {
    text: text.replace(DECLARATION, (_whole, before, quote) => `${before}${quote}UTF-8${quote}`),
    note: isMislabelled
      ? `It says ${declared.slice(0, 40)} but is UTF-8, and is sent as UTF-8.`
      : `Converted from ${encoding.toUpperCase()} to UTF-8.`
  }
}

/** Returns the refusal of a file that is larger than a form allows. */
export function sizeRefusal(size: number): { refusal: string } {
  return { refusal: `It’s ${inMegabytes(size)}; the limit is ${inMegabytes(MAX_XML_LENGTH)}.` }
}

/** Formats "4.8 MB". */
export function inMegabytes(characters: number): string {
  return `${(characters / 1_000_000).toLocaleString('en-GB', { maximumFractionDigits: 1 })} MB`
}

/** Detects the encoding by the first bytes, else by the declaration, else UTF-8 (XML 1.0, appendix F). */
function encodingOf(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32' : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0x3c && second === 0) return 'utf-16le'
  if (first === 0 && second === 0x3c) return 'utf-16be'
  if (first === 0 && second === 0) return 'UTF-32'
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES))
  const declared = /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(head)?.[1] ?? 'utf-8'
  // Bytes that were readable as ASCII so far can't be UTF-16, whatever they declare.
  return /^(utf-?16|ucs-?2|iso-10646)/i.test(declared) ? 'utf-8' : declared
}
