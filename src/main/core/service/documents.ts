/**
 * Operations for sending packages, and for reading and changing documents. Reference section 4, operations 1, 2, 4 to
 * 8, 10 and 12.
 */
import type { z } from 'zod'
import {
  AssignQueueDocumentRequest,
  AssignQueueDocumentResponse,
  type DecodedList,
  type DecodingProblem,
  DocumentResponse,
  ExtendRequest,
  ListedTemplate,
  PackageResponse,
  SendFormDirectRequest,
  SendFormFillerRequest,
  SendReminderRequest,
  UpdateSignerRequest,
  ValidationResult,
  withCertainDates,
  withCertainTimes
} from '../../../shared/model/index.ts'
import { isServiceError } from './errors.ts'
import {
  callOf,
  decodeAnswer,
  decodeListAnswer,
  encode,
  type Redact,
  undefinedIfUnsupported,
  unexpectedShape
} from './operation.ts'
import { type Refusal, readRefusal } from './refusal.ts'
import type { Call, CallOptions, Take, Transport } from './transport.ts'

export interface ActiveDocumentsOptions extends CallOptions {
  documentLog?: boolean | undefined
}

/** Known peculiarities of the account's service, and callbacks for when they change. */
export interface ServiceQuirks {
  /** How the account's user writes dates (`dd/MM/yyyy`); undefined if unknown. */
  dateFormat?: (() => string | undefined) | undefined
  /** The operation for sending forms: 1, or 2 if the service is known to lack it. */
  formsBy?: (() => FormsBy | undefined) | undefined
  onFormsBy?: ((operation: FormsBy) => void) | undefined
}
export type FormsBy = 'SendForms2' | 'SendForms'

/**
 * Validates a request and posts it once. Returns the answer's JSON.
 * @throws ServiceError `invalid` if it doesn't have the reference's exact shape; nothing was sent.
 */
export async function postValidated(
  transport: Transport,
  operation: string,
  schema: z.ZodType,
  request: unknown,
  options: CallOptions | undefined
): Promise<unknown> {
  return transport.post(callOf(operation, options), encode(operation, schema, request))
}

/** Why an answer couldn't be read. `path` looks like `[3].Signers`. */
export type UnreadableAnswer = { kind: 'not-json' } | { kind: 'unexpected-shape'; path: string; said: Refusal }

export function documentOperations(transport: Transport, { dateFormat }: ServiceQuirks) {
  const document = (operation: string, json: unknown) =>
    withCertainDates(decodeAnswer(operation, DocumentResponse, json, transport.redact), dateFormat?.())
  return {
    /** Operation 6: corrects the signers of a document; the service refuses those that aren't Editable. */
    async updateSigner(request: UpdateSignerRequest, options?: CallOptions): Promise<DocumentResponse> {
      const operation = 'Document/UpdateSigner'
      return document(operation, await postValidated(transport, operation, UpdateSignerRequest, request, options))
    },

    /** Operation 7: sets a new due date for every document of the package. Returns the named document. */
    async extend(request: ExtendRequest, options?: CallOptions): Promise<DocumentResponse> {
      const operation = 'Document/Extend'
      return document(operation, await postValidated(transport, operation, ExtendRequest, request, options))
    },

    /**
     * Operation 8: the documents of a folder that haven't been removed, for a caller that decodes them off this thread:
     * they may be hundreds of megabytes. `maxBytes` raises the limit.
     * @param folder one of `FOLDERS`, or another that the account has.
     * @param take receives the bytes, which it then owns, and returns what they were.
     * @throws ServiceError, and whatever `take` rejects with.
     */
    async readActiveDocuments<Taken extends { kind: 'taken' }>(
      folder: string,
      { documentLog, ...options }: ActiveDocumentsOptions,
      take: Take<Taken | UnreadableAnswer>
    ): Promise<Taken> {
      const call = activeDocumentsCall(folder, documentLog, options)
      return transport.take(call, 'list', async (bytes, charset) => {
        const taken = await take(bytes, charset)
        if (taken.kind === 'not-json') return undefined
        if (taken.kind === 'unexpected-shape')
          throw unexpectedShape(call.operation, taken, transport.redact(taken.said))
        return taken
      })
    },

    /**
     * Operation 10: verifies the signatures in a document. `not-found` may mean that the document was removed under
     * the retention policy.
     */
    async validateSignatures(documentReference: string, options?: CallOptions): Promise<ValidationResult> {
      const operation = 'Document/Validation'
      const call = callOf(operation, options, { DocumentReference: documentReference })
      const result = decodeAnswer(operation, ValidationResult, await transport.get(call, 'read'), transport.redact)
      return withCertainTimes(result, dateFormat?.())
    },

    /** Operation 12: sends a document to a notary's queue. */
    async assignQueueDocument(
      request: AssignQueueDocumentRequest,
      options?: CallOptions
    ): Promise<AssignQueueDocumentResponse> {
      const operation = 'Notary/AssignQueueDocument'
      return decodeAnswer(
        operation,
        AssignQueueDocumentResponse,
        await postValidated(transport, operation, AssignQueueDocumentRequest, request, options),
        transport.redact
      )
    },

    /** Reminds a signer. Not in the reference: returns `unsupported` if the service lacks it, which is normal. */
    async sendReminder(request: SendReminderRequest, options?: CallOptions): Promise<'sent' | 'unsupported'> {
      const operation = 'Document/SendReminder'
      const body = encode(operation, SendReminderRequest, request)
      const sent = transport.postIgnoringAnswer(callOf(operation, options), body).then(() => 'sent' as const)
      return (await undefinedIfUnsupported(sent)) ?? 'unsupported'
    }
  }
}

function activeDocumentsCall(folder: string, documentLog: boolean | undefined, options: CallOptions): Call {
  const operation = 'Document/GetActiveDocuments'
  const query = documentLog === undefined ? undefined : { DocumentLog: String(documentLog) }
  return { ...callOf(operation, options, { Folder: folder }), query }
}

/** Packages of forms and of templates; section 2.13 describes the answers. */
export function packageOperations(transport: Transport, quirks: ServiceQuirks) {
  /** Operation 1: sends a package of forms (2.1) and returns the package (2.13). */
  async function sendForms2(request: SendFormDirectRequest, options?: CallOptions): Promise<SentPackage> {
    const operation = 'FormDirect/SendForms2'
    const json = await postValidated(transport, operation, SendFormDirectRequest, request, options)
    return decodePackage(operation, json, transport.redact)
  }

  /** Operation 2: the earlier variant, which returns the documents only (2.14). */
  async function sendForms(
    request: SendFormDirectRequest,
    options?: CallOptions
  ): Promise<DecodedList<DocumentResponse>> {
    const operation = 'FormDirect/SendForms'
    const json = await postValidated(transport, operation, SendFormDirectRequest, request, options)
    return decodeListAnswer(operation, DocumentResponse, json, transport.redact)
  }

  const sendBy: Record<FormsBy, (request: SendFormDirectRequest, options?: CallOptions) => Promise<SentPackage>> = {
    SendForms2: sendForms2,
    async SendForms(request, options) {
      const { items, problems } = await sendForms(request, options)
      return { package: packageOf(items), problems }
    }
  }
  const withPackageDates = ({ package: sent, ...rest }: SentPackage): SentPackage => {
    const Documents = sent.Documents?.map((document) => withCertainDates(document, quirks.dateFormat?.()))
    return { package: { ...sent, ...(Documents && { Documents }) }, ...rest }
  }

  return {
    sendForms2,
    sendForms,

    /**
     * Sends a package of forms by whichever of operations 1 and 2 the service has. The other one is tried only if the
     * service says that the first doesn't exist, so nothing was done; if there is any doubt, it isn't tried.
     */
    async sendFormPackage(request: SendFormDirectRequest, options?: CallOptions): Promise<SentPackage> {
      const preferred = quirks.formsBy?.() ?? 'SendForms2'
      try {
        return withPackageDates(await sendBy[preferred](request, options))
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'not-found' || error.mayHaveArrived) throw error
        const other = preferred === 'SendForms2' ? 'SendForms' : 'SendForms2'
        const sent = await sendBy[other](request, options).catch((retryError: unknown) => {
          // The service has neither, or the request refers to something that doesn't exist.
          if (isServiceError(retryError) && retryError.code === 'not-found') throw error
          throw retryError
        })
        quirks.onFormsBy?.(other)
        return withPackageDates(sent)
      }
    },

    /** Operation 4: sends templates (2.9) and returns the package (2.13). */
    async sendTemplates(request: SendFormFillerRequest, options?: CallOptions): Promise<SentPackage> {
      const operation = 'FormFiller/Send'
      const json = await postValidated(transport, operation, SendFormFillerRequest, request, options)
      return withPackageDates(decodePackage(operation, json, transport.redact))
    },

    /** Operation 5: the templates that the account can send (2.10). */
    async getTemplateList(options?: CallOptions): Promise<DecodedList<ListedTemplate>> {
      const operation = 'FormFiller/GetTemplateList'
      const json = await transport.get(callOf(operation, options), 'list')
      return decodeListAnswer(operation, ListedTemplate, json, transport.redact)
    }
  }
}

/** A package that was sent. An unreadable document becomes a problem and doesn't hide that the package was sent. */
export interface SentPackage {
  package: PackageResponse
  problems: DecodingProblem[]
  /** Any message in the answer, in the form of a refusal. */
  said?: Refusal
}

/**
 * Turns operation 2's answer into operation 1's: the package has a reference if all of its documents have the same one.
 */
function packageOf(documents: DocumentResponse[]): PackageResponse {
  const [first] = documents
  const { PackageReference } = first ?? {}
  const isOne = PackageReference && documents.every((document) => document.PackageReference === PackageReference)
  return { ...(isOne && { PackageReference }), Documents: documents }
}

/**
 * Decodes a package document by document.
 * @throws ServiceError `unexpected-shape` if the package itself can't be read.
 */
function decodePackage(operation: string, json: unknown, redact: Redact): SentPackage {
  const refusal = redact(readRefusal(json))
  const extra = Object.keys(refusal).length > 0 && { said: refusal }
  const name = documentsMember(json)
  if (name === undefined)
    return { package: decodeAnswer(operation, PackageResponse, json, redact), problems: [], ...extra }
  const { [name]: documents, ...rest } = json as Record<string, unknown>
  const { items, problems } = decodeListAnswer(operation, DocumentResponse, documents, redact)
  return {
    package: { ...decodeAnswer(operation, PackageResponse, rest, redact), Documents: items },
    problems: problems.map((problem) => ({ ...problem, path: `Documents${problem.path}` })),
    ...extra
  }
}

/** Returns the name of the member that holds the documents, ignoring case; undefined if there is no such list. */
function documentsMember(json: unknown): string | undefined {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return undefined
  const names = Object.keys(json).filter((name) => name.toLowerCase() === 'documents')
  const name = names.find((one) => one === 'Documents') ?? names[0]
  return name !== undefined && Array.isArray((json as Record<string, unknown>)[name]) ? name : undefined
}
