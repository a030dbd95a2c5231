/** Reads an answer as a PDF, piece by piece: bytes that come to an end without a throw are a whole PDF. */
import { BodyTooLarge, chunks, declaredLength, drop } from './answer-body.ts'
import { decodeBare, decodeQuoted, EncodingTrouble, encodedBeginning } from './encoded-pdf.ts'
import { ServiceError } from './errors.ts'
import { asFileTrouble, LOOKED_AT, notWhatWasAsked, whatCame } from './file-trouble.ts'
import type { Refusal } from './refusal.ts'
import type { OpenAnswer } from './transport.ts'

/** JSON as second choice, so that a refusal comes in a form that says why. */
export const PDF_RATHER_THAN_JSON = 'application/pdf, application/json;q=0.5'

/** What may be asked for as a PDF. */
type AskedPdf = 'pdf' | 'signed'

export interface DownloadProgress {
  /** Bytes received so far. */
  received: number
  /** Bytes in all, where the service says it. */
  length: number | undefined
}

/** A PDF under way: its first bytes were seen to be those of a PDF, the rest comes as `bytes` is read. */
export interface PdfDownload {
  /**
   * Bytes in all, where the service says it: not where the PDF comes encoded. For showing; only the end of `bytes` says that
   * it is complete.
   */
  length: number | undefined
  /**
   * Can be read once, and must be read or `cancel`led. Throws ServiceError where the download breaks or isn't whole, so
   * bytes that came to an end without a throw are all of a PDF, from `%PDF-` to `%%EOF`.
   */
  bytes: AsyncIterable<Uint8Array>
  cancel(): Promise<void>
}

export interface PdfReadingOptions {
  asked: AskedPdf
  /** Bytes that are received at most, after decompression. */
  limit: number
  /** As much of what the service says as people may see. */
  shown: (said: Refusal) => Refusal
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/**
 * Reads an answer's first real piece: that it is a PDF is known before anybody makes a file for it.
 * @throws ServiceError with what was found (`asked`, `finding`) where something else comes, an error page say.
 */
export async function readPdf(answer: OpenAnswer, options: PdfReadingOptions): Promise<PdfDownload> {
  const { length, bytes } = reading(answer, options)
  const first = await bytes.next()
  return {
    length: length(),
    bytes: resume(first, bytes),
    async cancel() {
      await bytes.return()
    }
  }
}

async function* resume(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void, void>
): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (first.done) return
    yield first.value
    yield* rest
  } finally {
    await rest.return()
  }
}

/** `bytes` throws ServiceError only; `length` is known once a piece of them was read. */
function reading(answer: OpenAnswer, { asked, limit, shown, onProgress }: PdfReadingOptions) {
  const { response, watch } = answer
  const announced = declaredLength(response)
  let received = 0
  let isEncoded = false

  async function* counted(): AsyncGenerator<Uint8Array, void, void> {
    if (!response.body) return
    for await (const chunk of chunks(response.body, watch)) {
      received += chunk.byteLength
      if (received > limit) throw new BodyTooLarge()
      onProgress?.({ received, length: announced })
      yield chunk
    }
  }

  /** The PDF's own bytes, once it is known how they come. */
  async function* recognised(): AsyncGenerator<Uint8Array, void, void> {
    if (announced !== undefined && announced > limit) throw new BodyTooLarge()
    const source = counted()
    try {
      const beginning = await beginningOf(source)
      if (pdfStarts(beginning.bytes)) {
        yield beginning.bytes
        yield* source
        return
      }
      const text = beginning.bytes.toString('latin1')
      const encoded = encodedBeginning(text)
      if (!encoded) {
        const { finding, said } = whatCame(asked, beginning.bytes, beginning.isAll)
        throw notWhatWasAsked(asked, finding, shown(said))
      }
      isEncoded = true
      const rest = after(beginning.bytes.subarray(encoded.at), source)
      yield* encoded.isQuoted ? decodeQuoted(rest, text.slice(0, encoded.at)) : decodeBare(rest)
    } finally {
      await source.return()
    }
  }

  /*
   * What the line can't tell: Node's fetch doesn't mind a compressed body that stops in the middle, but gives what it could
   * unpack and calls it the end, and no other fetch need be stricter; and where neither a length nor pieces were announced,
   * a line that broke ends like any other. So the PDF's own end counts, whatever the line said.
   */
  function isWhole(pdf: WholePdf): boolean {
    const isAnotherLength = announced !== undefined && received !== announced
    return !isPart(response) && !isAnotherLength && pdf.isWhole(announced !== undefined)
  }

  async function* checked(): AsyncGenerator<Uint8Array, void, void> {
    const pdf = new WholePdf()
    try {
      for await (const piece of recognised()) {
        pdf.see(piece)
        yield piece
      }
      if (!isWhole(pdf)) throw notWhatWasAsked(asked, 'not-whole')
    } catch (thrown) {
      throw described(asked, thrown, answer)
    } finally {
      watch.finish()
      // Nobody reads the rest, where there is one.
      if (received === 0) drop(response)
    }
  }

  return { length: () => (isEncoded ? undefined : announced), bytes: checked() }
}

/** Enough of an answer to tell what it is: a few bytes of a PDF, more of anything else. */
async function beginningOf(source: AsyncGenerator<Uint8Array>): Promise<{ bytes: Buffer; isAll: boolean }> {
  const pieces: Uint8Array[] = []
  let length = 0
  let lookedAt = 0
  while (true) {
    const { done, value } = await source.next()
    if (done) return { bytes: Buffer.concat(pieces), isAll: true }
    pieces.push(value)
    length += value.byteLength
    // A line that brings it byte by byte doesn't have all of it looked at for each of them.
    if (length < PDF_BEGINNING.length || length < lookedAt + Math.min(lookedAt, LOOKED_AT / 8)) continue
    lookedAt = length
    const bytes = Buffer.concat(pieces)
    if (isEnough(bytes)) return { bytes, isAll: false }
  }
}

function isEnough(bytes: Buffer): boolean {
  if (pdfStarts(bytes) && (pdfBeginning(bytes) === 0 || bytes.byteLength >= PDF_SLACK)) return true
  if (bytes.byteLength < PDF_SLACK + PDF_BEGINNING.length) return false
  return bytes.byteLength >= LOOKED_AT || !isWritten(bytes) || encodedBeginning(bytes.toString('latin1')) !== undefined
}

/** Rubbish may precede a PDF, but a page or JSON that only speaks of one does not. */
function pdfStarts(bytes: Buffer): boolean {
  const at = pdfBeginning(bytes)
  return at === 0 || (at !== undefined && !isWritten(bytes))
}

/** Whether it begins like a page or like JSON. */
function isWritten(bytes: Buffer): boolean {
  return /^(?:\xEF\xBB\xBF)?\s*[<{["]/.test(bytes.toString('latin1', 0, PDF_SLACK))
}

async function* after(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  yield first
  yield* rest
}

/** We never ask for a part; a part that is all of it is none. */
function isPart(response: Response): boolean {
  if (response.status !== 206) return false
  const [, last, length] = /^bytes 0-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
  return last === undefined || Number(last) + 1 !== Number(length)
}

function described(asked: AskedPdf, thrown: unknown, answer: OpenAnswer): unknown {
  if (thrown instanceof EncodingTrouble) return notWhatWasAsked(asked, thrown.finding)
  return asFileTrouble(asked, thrown instanceof ServiceError ? thrown : answer.failure(thrown))
}

/**
 * Where a PDF may begin and end. ISO 32000 wants `%PDF-` at the very beginning and `%%EOF` at the very end, but Acrobat
 * has always taken both within 1,024 bytes of them (PDF 1.7, implementation notes 13 and 18), every other reader follows
 * it, and so producers get away with it: a byte order mark, a line of a mail's header. Such bytes are kept as they came:
 * offsets inside a PDF count from its `%PDF-`, and what was sent is the evidence.
 */
const PDF_SLACK = 1024
const PDF_BEGINNING = '%PDF-'
const PDF_END = '%%EOF'

/** Where `%PDF-` stands, from 0 to 1,024; undefined if it doesn't. */
function pdfBeginning(bytes: Uint8Array): number | undefined {
  const at = view(bytes.subarray(0, PDF_SLACK + PDF_BEGINNING.length)).indexOf(PDF_BEGINNING, 0, 'latin1')
  return at < 0 ? undefined : at
}

/** Whether the bytes of a PDF are all of them, as far as the PDF itself can tell. Keeps a few kilobytes, however large it is. */
class WholePdf {
  #seen = 0
  #beginning: Buffer = Buffer.alloc(0)
  #end: Buffer = Buffer.alloc(0)

  see(piece: Uint8Array): void {
    this.#seen += piece.byteLength
    const missing = 2 * PDF_SLACK - this.#beginning.byteLength
    if (missing > 0) this.#beginning = Buffer.concat([this.#beginning, piece.subarray(0, missing)])
    // A piece is copied: its memory belongs to anyone who reads it next.
    this.#end = Buffer.concat([this.#end, piece.subarray(-PDF_SLACK)]).subarray(-PDF_SLACK)
  }

  /**
   * Whether what was seen may be the whole of it. Its end can't be told from that of an earlier revision, to which a later
   * one was to be added: that is what an announced length is for.
   * @param isLengthKnown whether the answer's headers have told that nothing is missing.
   */
  isWhole(isLengthKnown: boolean): boolean {
    const start = pdfBeginning(this.#beginning)
    const at = this.#end.lastIndexOf(PDF_END, undefined, 'latin1')
    if (start === undefined || at < 0 || beginsMore(this.#end.toString('latin1', at + PDF_END.length))) return false
    const length = isLengthKnown ? undefined : linearisedLength(this.#beginning.toString('latin1', start))
    return length === undefined || this.#seen - start >= length
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
