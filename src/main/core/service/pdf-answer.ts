/** Reads an answer as a PDF, piece by piece: bytes that come to an end without a throw are a whole PDF. */
import { BodyTooLarge, chunks, declaredLength, drop } from './answer-body.ts'
import { decodeBare, decodeQuoted, EncodingTrouble, encodedBeginning } from './encoded-pdf.ts'
import { type Finding, ServiceError } from './errors.ts'
import { asIdentityTrouble, notWhatWasAsked } from './identity-trouble.ts'
import type { Refusal } from './refusal.ts'
import type { OpenAnswer } from './transport.ts'
import { LOOKED_AT, whatCame } from './what-came.ts'
import { PDF_BEGINNING, PDF_SLACK, pdfBeginning, wholePdf } from './whole-pdf.ts'

export interface DownloadProgress {
  /** Bytes received so far. */
  received: number
  /** Bytes in all, where the service says it. */
  length: number | undefined
}

export interface PdfReading {
  /** Bytes of the PDF in all, where the service says it: not where it comes encoded. Known once a piece was read. */
  length(): number | undefined
  bytes: AsyncGenerator<Uint8Array, void, void>
}

export interface PdfReadingOptions {
  /** Bytes that are received at most, after decompression. */
  limit: number
  /** As much of what the service says as people may see. */
  shown: (said: Refusal) => Refusal
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/** `bytes` throws ServiceError only. */
export function readPdf(answer: OpenAnswer, { limit, shown, onProgress }: PdfReadingOptions): PdfReading {
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
      if (!encoded) throw trouble(whatCame(beginning.bytes, beginning.isAll))
      isEncoded = true
      const rest = after(beginning.bytes.subarray(encoded.at), source)
      yield* encoded.isQuoted ? decodeQuoted(rest, text.slice(0, encoded.at)) : decodeBare(rest)
    } finally {
      await source.return()
    }
  }

  function trouble({ finding, said }: { finding: Finding; said: Refusal }): ServiceError {
    return notWhatWasAsked('pdf', finding === 'empty' && response.status === 204 ? 'no-content' : finding, shown(said))
  }

  /*
   * What the line can't tell: Node's fetch doesn't mind a compressed body that stops in the middle, but gives what it could
   * unpack and calls it the end, and no other fetch need be stricter; and where neither a length nor pieces were announced,
   * a line that broke ends like any other. So the PDF's own end counts, whatever the line said.
   */
  function troubleAtTheEnd(isWhole: boolean): Finding | undefined {
    if (isPart(response)) return 'part-only'
    if (announced !== undefined && received !== announced) return 'another-length'
    return isWhole ? undefined : isEncoded ? 'encoded-cut' : 'no-end'
  }

  async function* checked(): AsyncGenerator<Uint8Array, void, void> {
    const pdf = wholePdf()
    try {
      for await (const piece of recognised()) {
        pdf.see(piece)
        yield piece
      }
      const finding = troubleAtTheEnd(pdf.isWhole(announced !== undefined))
      if (finding) throw notWhatWasAsked('pdf', finding)
    } catch (thrown) {
      throw described(thrown, answer)
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

function described(thrown: unknown, answer: OpenAnswer): unknown {
  if (thrown instanceof EncodingTrouble) return notWhatWasAsked('pdf', thrown.finding)
  return asIdentityTrouble('pdf', thrown instanceof ServiceError ? thrown : answer.failure(thrown))
}
