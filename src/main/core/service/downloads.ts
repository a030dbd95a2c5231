/** Identity verification data, as the PDF's bytes or as records. Reference section 4, operation 9, and 2.22. */
import type { DataTypeSpelling } from '../../../shared/contract/views.ts'
import { type DecodedList, type IDVerificationDataType, IDVerificationRecord } from '../../../shared/model/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { ServiceError } from './errors.ts'
import {
  asDownloadError,
  INSPECTED_BYTES,
  identifyAnswer,
  identifyJson,
  isRecord,
  OPERATION,
  type UnexpectedAnswer,
  wrongAnswerError
} from './file-trouble.ts'
import { decodeListAnswer, pathTo, unexpectedShape } from './operation.ts'
import { ACCEPT_PDF, type DownloadProgress, type PdfDownload, readPdf } from './pdf-answer.ts'
import type { Refusal } from './refusal.ts'
import type { CallOptions, Transport } from './transport.ts'

export interface DownloadOptions extends CallOptions {
  onProgress?: ((progress: DownloadProgress) => void) | undefined
}

/** Creates the download operations. @param spelling how the account's service wants the data type spelled. */
export function downloadOperations(transport: Transport, spelling: DataTypeSpelling) {
  const speller = new DataTypeSpeller(spelling)

  function ask<Value>(
    documentReference: string,
    type: IDVerificationDataType,
    call: (path: string) => Promise<Value>
  ): Promise<Value> {
    return speller.ask(type, (word) =>
      call(pathTo(OPERATION, { DocumentReference: documentReference, IDVerificationDataType: word }))
    )
  }

  return {
    /**
     * Operation 9 as `pdf`: raw bytes, or base64 in text or JSON, decoded as it arrives.
     * @throws ServiceError with `asked` and `finding` if something else comes, such as an error page.
     */
    async downloadIDVerificationPdf(documentReference: string, options: DownloadOptions = {}): Promise<PdfDownload> {
      const { onProgress, ...call } = options
      const limit = options.maxBytes ?? transport.limits.downloadBytes
      return ask(documentReference, 'pdf', async (path) => {
        const answer = await transport.open({ ...call, operation: OPERATION, path }, ACCEPT_PDF)
        return readPdf(answer, { asked: 'pdf', limit, redact: transport.redact, onProgress })
      }).catch((thrown: unknown) => {
        throw asDownloadError('pdf', thrown)
      })
    },

    /**
     * Operation 9 as `json`: the results of the identity check. Returns at least one record or problem.
     * @throws ServiceError `no-data` if the service has none.
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
     * Like `getIDVerification`, but returns the bytes that the service sent, once they are known to be records:
     * evidence is stored exactly as received.
     * @throws ServiceError like `getIDVerification`, and `unexpected-shape` if no record can be read.
     */
    async downloadIDVerificationJson(documentReference: string, options?: CallOptions): Promise<Uint8Array> {
      const { list, bytes } = await ask(documentReference, 'json', (path) => readRecords(transport, path, options))
      const [problem] = list.problems
      if (list.items.length === 0 && problem) throw asDownloadError('json', unexpectedShape(OPERATION, problem))
      return bytes
    }
  }
}

interface RecordsAnswer {
  list: DecodedList<IDVerificationRecord>
  /** The answer's body as received, decompressed. */
  bytes: Uint8Array
}

/**
 * Reads an answer as records of an identity check (2.22): a list, a single one, or either in a JSON string. An
 * unreadable record becomes a problem in the list.
 * @throws ServiceError
 */
async function readRecords(
  transport: Transport,
  path: string,
  options: CallOptions | undefined
): Promise<RecordsAnswer> {
  let otherAnswer: UnexpectedAnswer | undefined
  try {
    // The images make it as large as a list.
    const { json, bytes } = await transport.take(
      { ...options, operation: OPERATION, path },
      'list',
      async (bytes, charset) => {
        try {
          return { json: await transport.parse(bytes, charset), bytes }
        } catch {
          // The transport may still get JSON by asking in another way; if not, this is what to report.
          otherAnswer = identifyAnswer('json', bytes.subarray(0, INSPECTED_BYTES), bytes.byteLength <= INSPECTED_BYTES)
          return undefined
        }
      }
    )
    return { list: decodeRecords(json, transport.redact), bytes }
  } catch (thrown) {
    throw thrown instanceof ServiceError && thrown.code === 'not-json' && otherAnswer
      ? wrongAnswerError('json', otherAnswer.finding, transport.redact(otherAnswer.said))
      : asDownloadError('json', thrown)
  }
}

function decodeRecords(json: unknown, redact: (refusal: Refusal) => Refusal): DecodedList<IDVerificationRecord> {
  const value = unwrapJson(json)
  if (Array.isArray(value) && value.length > 0) return decodeListAnswer(OPERATION, IDVerificationRecord, value, redact)
  if (isRecord(value)) return decodeListAnswer(OPERATION, IDVerificationRecord, [value], redact)
  const { finding, said } = identifyJson('json', value)
  const isData = finding === 'something-else' && typeof value !== 'string'
  throw wrongAnswerError('json', finding, redact(said), isData ? 'unexpected-shape' : undefined)
}

/** Some services return the JSON inside a string. */
function unwrapJson(json: unknown): unknown {
  const read = typeof json === 'string' ? parsedJson(json) : undefined
  // The text may be `null`, which is an answer.
  return read === undefined ? json : read
}

/**
 * Spells the data type in the address. The reference leaves its allowed values open (section 5, item 9): public clients
 * write `pdf` and `json`, but a case-sensitive service may want `PDF` and `JSON`.
 */
class DataTypeSpeller {
  #known: 'lower' | 'upper' | undefined

  /** @param setting the account's spelling. Trying both costs two requests, so a known spelling is used alone. */
  constructor(setting: DataTypeSpelling) {
    this.#known = setting === 'lower-then-upper' ? undefined : setting
  }

  /**
   * Tries one spelling after the other, as long as the answer may mean that the service doesn't know the word. A
   * spelling that worked is used from then on.
   * @throws ServiceError the more informative of the two.
   */
  async ask<Value>(type: IDVerificationDataType, call: (spelled: string) => Promise<Value>): Promise<Value> {
    const attempt = async (spelling: 'lower' | 'upper') => {
      const value = await call(spelling === 'upper' ? type.toUpperCase() : type)
      this.#known = spelling
      return value
    }
    if (this.#known) return attempt(this.#known)
    try {
      return await attempt('lower')
    } catch (first) {
      if (!mayBeUnknownSpelling(first)) throw first
      return attempt('upper').catch((second: unknown) => {
        throw isMoreInformative(first, second) ? second : first
      })
    }
  }
}

/**
 * 400: not a value. 404: no such address. 405: no such address for GET. Anything else was understood, or never read.
 */
function mayBeUnknownSpelling(thrown: unknown): thrown is ServiceError {
  return thrown instanceof ServiceError && [400, 404, 405].includes(thrown.status ?? 0)
}

/**
 * Whether the second error is the one to report. A 404 can also mean that the data was removed or never existed, which
 * people need to know; a complaint about a word that we only tried is useless to them.
 */
function isMoreInformative(first: ServiceError, second: unknown): boolean {
  return !mayBeUnknownSpelling(second) || (isAboutSpelling(first) && !isAboutSpelling(second))
}

/** Whether it complains about the word, or says nothing at all, as when no part of the service is at that address. */
function isAboutSpelling({ status, serviceMessage = '', fields = [] }: ServiceError): boolean {
  const words = [serviceMessage, ...fields.flatMap(({ field, message }) => [field, message])].join(' ').trim()
  return status === 405 || words === '' || /data ?type/i.test(words)
}
