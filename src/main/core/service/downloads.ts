/** ID-verification data, as the PDF's bytes or as records. Reference section 4, operation 9, and 2.22. */
import { type DecodedList, IDVerificationRecord } from '../../../shared/model/index.ts'
import { BodyTooLarge, chunks, declaredLength } from './answer-body.ts'
import { decodedList } from './encoding.ts'
import { ServiceError } from './errors.ts'
import { pathTo } from './path.ts'
import type { CallOptions, OpenAnswer, Transport } from './transport.ts'

const OPERATION = 'Download/IDVerification'

export interface DownloadProgress {
  /** Bytes received so far. */
  received: number
  /** Bytes in all, where the service says it. */
  length: number | undefined
}

export interface DownloadOptions extends CallOptions {
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/** A PDF under way: its first bytes were seen to be those of a PDF, the rest comes as `bytes` is read. */
export interface PdfDownload {
  /** Bytes in all, where the service says it. For showing; only the end of `bytes` says that it is complete. */
  length: number | undefined
  /**
   * Can be read once, and must be read or `cancel`led. Throws ServiceError where the download breaks, so bytes that
   * came to an end without a throw are all of them.
   */
  bytes: AsyncIterable<Uint8Array>
  cancel(): Promise<void>
}

export function downloads(transport: Transport) {
  return {
    /** Operation 9 as `pdf`. @throws ServiceError `not-a-pdf` where something else comes, an error page say. */
    async downloadIDVerificationPdf(documentReference: string, options: DownloadOptions = {}): Promise<PdfDownload> {
      const path = pathTo(OPERATION, { DocumentReference: documentReference, IDVerificationDataType: 'pdf' })
      // JSON as second choice, so that a refusal comes in a form that says why.
      const answer = await transport.open(
        { ...options, operation: OPERATION, path },
        'application/pdf, application/json;q=0.5'
      )
      const limit = options.maxBytes ?? transport.limits.downloadBytes
      const bytes = pdfBytes(answer, limit, options.onProgress)
      // Reading up to the first real piece checks the beginning before anybody makes a file for it.
      const first = await bytes.next()
      return {
        length: declaredLength(answer.response),
        bytes: resume(first, bytes),
        async cancel() {
          await bytes.return()
        }
      }
    },

    /** Operation 9 as `json`: what the identity check found. */
    async getIDVerification(
      documentReference: string,
      options?: CallOptions
    ): Promise<DecodedList<IDVerificationRecord>> {
      const path = pathTo(OPERATION, { DocumentReference: documentReference, IDVerificationDataType: 'json' })
      // Its images make it as large as a list.
      return decodedList(
        OPERATION,
        IDVerificationRecord,
        await transport.get({ ...options, operation: OPERATION, path }, 'list')
      )
    }
  }
}

const PDF = '%PDF-'

async function* pdfBytes(
  answer: OpenAnswer,
  limit: number,
  onProgress: ((progress: DownloadProgress) => void) | undefined
): AsyncGenerator<Uint8Array, void, void> {
  const length = declaredLength(answer.response)
  let received = 0
  // Only until enough has come to compare with PDF, which a slow line may bring byte by byte.
  let beginning: Uint8Array | undefined = new Uint8Array()
  try {
    if (length !== undefined && length > limit) throw new BodyTooLarge()
    for await (const chunk of answer.response.body ? chunks(answer.response.body, answer.watch) : []) {
      received += chunk.byteLength
      if (received > limit) throw new BodyTooLarge()
      onProgress?.({ received, length })
      if (!beginning) {
        yield chunk
        continue
      }
      beginning = Buffer.concat([beginning, chunk])
      if (beginning.byteLength < PDF.length) continue
      if (!isPdf(beginning)) throw notAPdf()
      yield beginning
      beginning = undefined
    }
    if (beginning) throw notAPdf()
  } catch (thrown) {
    throw thrown instanceof ServiceError ? thrown : answer.failure(thrown)
  } finally {
    answer.watch.finish()
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

function isPdf(beginning: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(beginning.subarray(0, PDF.length)) === PDF
}

function notAPdf(): ServiceError {
  return new ServiceError({ code: 'not-a-pdf', operation: OPERATION, mayHaveArrived: true })
}
