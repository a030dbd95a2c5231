/**
 * Whether the bytes of a PDF are all of them, as far as the PDF itself can tell: from `%PDF-` to `%%EOF`. Keeps a few
 * kilobytes, however large the PDF.
 */

/**
 * Where a PDF may begin and end. ISO 32000 wants `%PDF-` at the very beginning and `%%EOF` at the very end, but Acrobat
 * has always taken both within 1,024 bytes of them (PDF 1.7, implementation notes 13 and 18), every other reader follows
 * it, and so producers get away with it: a byte order mark, a line of a mail's header. Such bytes are kept as they came:
 * offsets inside a PDF count from its `%PDF-`, and what was sent is the evidence.
 */
export const PDF_SLACK = 1024
export const PDF_BEGINNING = '%PDF-'
const PDF_END = '%%EOF'

/** Where `%PDF-` stands, from 0 to 1,024; undefined if it doesn't. */
export function pdfBeginning(bytes: Uint8Array): number | undefined {
  const at = view(bytes.subarray(0, PDF_SLACK + PDF_BEGINNING.length)).indexOf(PDF_BEGINNING, 0, 'latin1')
  return at < 0 ? undefined : at
}

export interface WholePdf {
  see(piece: Uint8Array): void
  /**
   * Whether what was seen may be the whole of it. Its end can't be told from that of an earlier revision, to which a later
   * one was to be added: that is what an announced length is for.
   * @param isLengthKnown whether the line itself has told that nothing is missing.
   */
  isWhole(isLengthKnown: boolean): boolean
}

export function wholePdf(): WholePdf {
  let seen = 0
  let beginning: Buffer = Buffer.alloc(0)
  let end: Buffer = Buffer.alloc(0)

  return {
    see(piece) {
      seen += piece.byteLength
      const missing = 2 * PDF_SLACK - beginning.byteLength
      if (missing > 0) beginning = Buffer.concat([beginning, piece.subarray(0, missing)])
      const last = piece.subarray(-PDF_SLACK)
      // A piece is copied: its memory belongs to anyone who reads it next.
      end = Buffer.concat([end, last]).subarray(-PDF_SLACK)
    },
    isWhole(isLengthKnown) {
      const start = pdfBeginning(beginning)
      const at = end.lastIndexOf(PDF_END, undefined, 'latin1')
      if (start === undefined || at < 0 || beginsMore(end.toString('latin1', at + PDF_END.length))) return false
      const length = isLengthKnown ? undefined : linearisedLength(beginning.toString('latin1', start))
      return length === undefined || seen - start >= length
    }
  }
}

/** After an end, padding and rubbish may follow; an object, a comment or a table of them is the beginning of a revision. */
function beginsMore(after: string): boolean {
  return /^[\s\p{Cc}]*[\d%x]/u.test(after)
}

/**
 * A PDF that is made to be shown while it comes has an `%%EOF` near its beginning, too, but says there how long it is. Not
 * believed where the line says better: a program that rewrote the PDF may have left the old number in it.
 */
function linearisedLength(beginning: string): number | undefined {
  const dictionary = /<<([^>]{0,500}\/Linearized\b[^>]{0,500})>>/.exec(beginning)?.[1]
  const length = /\/L\s+(\d{1,12})\b/.exec(dictionary ?? '')?.[1]
  return length === undefined ? undefined : Number(length)
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
