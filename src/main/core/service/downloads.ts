/** ID-verification data, as the PDF's bytes or as records. Reference section 4, operation 9, and 2.22. */
import type { DataTypeSpelling } from '../../../shared/contract/data-type-spelling.ts'
import type { DecodedList, IDVerificationDataType, IDVerificationRecord } from '../../../shared/model/index.ts'
import { spelledAsking } from './data-type-spelling.ts'
import { readRecords } from './identity-records.ts'
import { asIdentityTrouble, OPERATION } from './identity-trouble.ts'
import { pathTo, unexpected } from './operation.ts'
import { type DownloadProgress, readPdf } from './pdf-answer.ts'
import type { CallOptions, Transport } from './transport.ts'

export interface DownloadOptions extends CallOptions {
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/** A PDF under way: its first bytes were seen to be those of a PDF, the rest comes as `bytes` is read. */
export interface PdfDownload {
  /** Bytes in all, where the service says it. For showing; only the end of `bytes` says that it is complete. */
  length: number | undefined
  /**
   * Can be read once, and must be read or `cancel`led. Throws ServiceError where the download breaks or isn't whole, so
   * bytes that came to an end without a throw are all of a PDF, from `%PDF-` to `%%EOF`.
   */
  bytes: AsyncIterable<Uint8Array>
  cancel(): Promise<void>
}

/** @param spelling how the account's service wants the data type spelled. */
export function downloads(transport: Transport, spelling: DataTypeSpelling) {
  const spelled = spelledAsking(spelling)

  function ask<Value>(
    documentReference: string,
    type: IDVerificationDataType,
    call: (path: string) => Promise<Value>
  ): Promise<Value> {
    return spelled.ask(type, (word) =>
      call(pathTo(OPERATION, { DocumentReference: documentReference, IDVerificationDataType: word }))
    )
  }

  return {
    /**
     * Operation 9 as `pdf`: raw bytes, or base64 of them in text or JSON, which is decoded as it comes.
     * @throws ServiceError with what was found (`asked`, `finding`) where something else comes, an error page say.
     */
    async downloadIDVerificationPdf(documentReference: string, options: DownloadOptions = {}): Promise<PdfDownload> {
      const { onProgress, ...call } = options
      const limit = options.maxBytes ?? transport.limits.downloadBytes
      const { bytes, length, first } = await ask(documentReference, 'pdf', async (path) => {
        // JSON as second choice, so that a refusal comes in a form that says why.
        const accept = 'application/pdf, application/json;q=0.5'
        const answer = await transport.open({ ...call, operation: OPERATION, path }, accept)
        const reading = readPdf(answer, { limit, shown: transport.shown, onProgress })
        // The first real piece: that it is a PDF is known before anybody makes a file for it, or takes the word for right.
        return { ...reading, first: await reading.bytes.next() }
      }).catch((thrown: unknown) => {
        throw asIdentityTrouble('pdf', thrown)
      })
      return {
        length: length(),
        bytes: resume(first, bytes),
        async cancel() {
          await bytes.return()
        }
      }
    },

    /**
     * Operation 9 as `json`: what the identity check found. There is at least one record, or a problem.
     * @throws ServiceError `no-data` where the service answers with none.
     */
    async getIDVerification(
      documentReference: string,
      options?: CallOptions
    ): Promise<DecodedList<IDVerificationRecord>> {
      const { list, bytes } = await ask(documentReference, 'json', (path) => readRecords(transport, path, options))
      bytes.fill(0)
      return list
    },

    /**
     * The same as the bytes that the service sent, once they were seen to be records: what is kept as evidence is not a
     * spelling of ours.
     * @throws ServiceError as `getIDVerification`, and `unexpected-shape` where none of the records can be read.
     */
    async downloadIDVerificationJson(documentReference: string, options?: CallOptions): Promise<Uint8Array> {
      const { list, bytes } = await ask(documentReference, 'json', (path) => readRecords(transport, path, options))
      const [problem] = list.problems
      if (list.items.length === 0 && problem) throw asIdentityTrouble('json', unexpected(OPERATION, problem))
      return bytes
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
