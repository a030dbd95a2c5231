/** Reads a response as a PDF, piece by piece. If the bytes end without throwing, they are a whole PDF. */
import { BodyTooLarge, chunks, declaredLength, discardBody } from './answer-body.ts'
import { decodeBare, decodeQuoted, EncodingError, encodedBeginning } from './encoded-pdf.ts'
import { ServiceError } from './errors.ts'
import { asDownloadError, INSPECTED_BYTES, identifyAnswer, wrongAnswerError } from './file-trouble.ts'
import type { Refusal } from './refusal.ts'
import type { OpenAnswer } from './transport.ts'

/** JSON as second choice, so that errors come in a form that says why. */
export const ACCEPT_PDF = 'application/pdf, application/json;q=0.5'

/** The files that come as a PDF. */
type AskedPdf = 'pdf' | 'signed'

export interface DownloadProgress {
  /** Bytes received so far. */
  received: number
  /** Total bytes, if the service announces them. */
  length: number | undefined
}

/** A PDF being downloaded. Its beginning has been checked; the rest arrives as `bytes` is read. */
export interface PdfDownload {
  /**
   * Total bytes, if the service announces them and the PDF isn't encoded. For display only: the PDF is complete when
   * `bytes` ends.
   */
  length: number | undefined
  /**
   * Can be read once, and must be read or `cancel`led. Throws ServiceError if the download breaks or isn't complete, so
   * bytes that end without throwing are a whole PDF, from `%PDF-` to `%%EOF`.
   */
  bytes: AsyncIterable<Uint8Array>
  cancel(): Promise<void>
}

export interface PdfReadingOptions {
  asked: AskedPdf
  /** Maximum bytes received, after decompression. */
  limit: number
  /** Reduces the service's words to what people may see. */
  redact: (refusal: Refusal) => Refusal
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/**
 * Reads the beginning of a response, so that we know it is a PDF before creating a file for it.
 * @throws ServiceError with `asked` and `finding` if something else comes, such as an error page.
 */
export async function readPdf(answer: OpenAnswer, options: PdfReadingOptions): Promise<PdfDownload> {
  const { length, bytes } = pdfReader(answer, options)
  const first = await bytes.next()
  return {
    length: length(),
    bytes: resumeAfter(first, bytes),
    async cancel() {
      await bytes.return()
    }
  }
}

async function* resumeAfter(
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

/** `bytes` throws only ServiceError; `length` is known once the first piece has been read. */
function pdfReader(answer: OpenAnswer, { asked, limit, redact, onProgress }: PdfReadingOptions) {
  const { response, watchdog } = answer
  const announced = declaredLength(response)
  let received = 0
  let isEncoded = false

  async function* countBytes(): AsyncGenerator<Uint8Array, void, void> {
    if (!response.body) return
    for await (const chunk of chunks(response.body, watchdog)) {
      received += chunk.byteLength
      if (received > limit) throw new BodyTooLarge()
      onProgress?.({ received, length: announced })
      yield chunk
    }
  }

  /** The PDF's own bytes, decoded if necessary. */
  async function* decodePdf(): AsyncGenerator<Uint8Array, void, void> {
    if (announced !== undefined && announced > limit) throw new BodyTooLarge()
    const source = countBytes()
    try {
      const beginning = await beginningOf(source)
      if (startsWithPdf(beginning.bytes)) {
        yield beginning.bytes
        yield* source
        return
      }
      const text = beginning.bytes.toString('latin1')
      const encoded = encodedBeginning(text)
      if (!encoded) {
        const { finding, said } = identifyAnswer(asked, beginning.bytes, beginning.isComplete)
        throw wrongAnswerError(asked, finding, redact(said))
      }
      isEncoded = true
      const rest = prepend(beginning.bytes.subarray(encoded.at), source)
      yield* encoded.isQuoted ? decodeQuoted(rest, text.slice(0, encoded.at)) : decodeBare(rest)
    } finally {
      await source.return()
    }
  }

  /* The connection alone can't tell: Node's fetch accepts a compressed body that stops half-way, returning what it
     could unpack as if complete, and other fetches need not be stricter. Without a length or chunked encoding, a broken
     connection ends like any other. So the PDF's own end counts, whatever the connection says. */
  function isComplete(pdf: CompletePdfCheck): boolean {
    const isAnotherLength = announced !== undefined && received !== announced
    return !isPartial(response) && !isAnotherLength && pdf.isComplete(announced !== undefined)
  }

  async function* checkComplete(): AsyncGenerator<Uint8Array, void, void> {
    const pdf = new CompletePdfCheck()
    try {
      for await (const piece of decodePdf()) {
        pdf.add(piece)
        yield piece
      }
      if (!isComplete(pdf)) throw wrongAnswerError(asked, 'not-whole')
    } catch (thrown) {
      throw asPdfError(asked, thrown, answer)
    } finally {
      watchdog.finish()
      // Nobody reads the rest, if there is any.
      if (received === 0) discardBody(response)
    }
  }

  return { length: () => (isEncoded ? undefined : announced), bytes: checkComplete() }
}

/** Reads enough of a response to identify it: a few bytes of a PDF, more of anything else. */
async function beginningOf(source: AsyncGenerator<Uint8Array>): Promise<{ bytes: Buffer; isComplete: boolean }> {
  const pieces: Uint8Array[] = []
  let length = 0
  let inspected = 0
  while (true) {
    const { done, value } = await source.next()
    if (done) return { bytes: Buffer.concat(pieces), isComplete: true }
    pieces.push(value)
    length += value.byteLength
    // If bytes arrive singly, this avoids inspecting all of them again each time.
    if (length < PDF_BEGINNING.length || length < inspected + Math.min(inspected, INSPECTED_BYTES / 8)) continue
    inspected = length
    const bytes = Buffer.concat(pieces)
    if (isEnough(bytes)) return { bytes, isComplete: false }
  }
}

function isEnough(bytes: Buffer): boolean {
  if (startsWithPdf(bytes) && (pdfBeginning(bytes) === 0 || bytes.byteLength >= PDF_SLACK)) return true
  if (bytes.byteLength < PDF_SLACK + PDF_BEGINNING.length) return false
  return (
    bytes.byteLength >= INSPECTED_BYTES ||
    !isMarkupOrJson(bytes) ||
    encodedBeginning(bytes.toString('latin1')) !== undefined
  )
}

/** Junk may precede a PDF, but a page or JSON that only mentions one isn't a PDF. */
function startsWithPdf(bytes: Buffer): boolean {
  const at = pdfBeginning(bytes)
  return at === 0 || (at !== undefined && !isMarkupOrJson(bytes))
}

/** Whether it begins like a page or JSON. */
function isMarkupOrJson(bytes: Buffer): boolean {
  return /^(?:\xEF\xBB\xBF)?\s*[<{["]/.test(bytes.toString('latin1', 0, PDF_SLACK))
}

async function* prepend(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  yield first
  yield* rest
}

/** We never ask for a range; a range that covers everything is fine. */
function isPartial(response: Response): boolean {
  if (response.status !== 206) return false
  const [, last, length] = /^bytes 0-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
  return last === undefined || Number(last) + 1 !== Number(length)
}

function asPdfError(type: AskedPdf, thrown: unknown, answer: OpenAnswer): unknown {
  if (thrown instanceof EncodingError) return wrongAnswerError(type, thrown.finding)
  return asDownloadError(type, thrown instanceof ServiceError ? thrown : answer.failure(thrown))
}

/**
 * How far a PDF's markers may be from its ends. ISO 32000 wants `%PDF-` at the very beginning and `%%EOF` at the very
 * end, but Acrobat has always accepted both within 1,024 bytes (PDF 1.7, implementation notes 13 and 18), other readers
 * follow, and so producers get away with a byte order mark or a line of a mail header. Such bytes are kept as received:
 * offsets inside a PDF count from its `%PDF-`, and the evidence is what was sent.
 */
const PDF_SLACK = 1024
const PDF_BEGINNING = '%PDF-'
const PDF_END = '%%EOF'

/** Returns the position of `%PDF-`, from 0 to 1,024; undefined if it isn't there. */
function pdfBeginning(bytes: Uint8Array): number | undefined {
  const at = view(bytes.subarray(0, PDF_SLACK + PDF_BEGINNING.length)).indexOf(PDF_BEGINNING, 0, 'latin1')
  return at < 0 ? undefined : at
}

/**
 * Checks whether a PDF is complete, as far as the PDF itself can tell. Keeps a few kilobytes, however large the PDF is.
 */
class CompletePdfCheck {
  #seen = 0
  #beginning: Buffer = Buffer.alloc(0)
  #end: Buffer = Buffer.alloc(0)

  add(piece: Uint8Array): void {
    this.#seen += piece.byteLength
    const missing = 2 * PDF_SLACK - this.#beginning.byteLength
    if (missing > 0) this.#beginning = Buffer.concat([this.#beginning, piece.subarray(0, missing)])
    // Copies the piece: its memory belongs to its next reader.
    this.#end = Buffer.concat([this.#end, piece.subarray(-PDF_SLACK)]).subarray(-PDF_SLACK)
  }

  /**
   * Returns whether the bytes seen may be the whole PDF. Its end looks like that of an earlier revision with a later
   * one still to come; only an announced length can rule that out.
   * @param isLengthKnown whether the response's headers have shown that nothing is missing.
   */
  isComplete(isLengthKnown: boolean): boolean {
    const start = pdfBeginning(this.#beginning)
    const at = this.#end.lastIndexOf(PDF_END, undefined, 'latin1')
    if (start === undefined || at < 0 || beginsRevision(this.#end.toString('latin1', at + PDF_END.length))) return false
    const length = isLengthKnown ? undefined : linearisedLength(this.#beginning.toString('latin1', start))
    return length === undefined || this.#seen - start >= length
  }
}

/**
 * After `%%EOF`, padding and junk may follow. An object, a comment or a cross-reference table begins another revision.
 */
function beginsRevision(after: string): boolean {
  return /^[\s\p{Cc}]*[\d%x]/u.test(after)
}

/**
 * A linearised PDF also has an `%%EOF` near its beginning, but states its length there. Used only if the headers give
 * no length: a program that rewrote the PDF may have left the old number in it.
 */
function linearisedLength(beginning: string): number | undefined {
  const dictionary = /<<([^>]{0,500}\/Linearized\b[^>]{0,500})>>/.exec(beginning)?.[1]
  const length = /\/L\s+(\d{1,12})\b/.exec(dictionary ?? '')?.[1]
  return length === undefined ? undefined : Number(length)
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
