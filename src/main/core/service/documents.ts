/** Reading documents and acting on them. Reference section 4, operations 6, 7, 8, 10 and 12. */
import {
  AssignQueueDocumentRequest,
  AssignQueueDocumentResponse,
  type DecodedList,
  DocumentResponse,
  ExtendRequest,
  SendReminderRequest,
  UpdateSignerRequest,
  ValidationResult
} from '../../../shared/model/index.ts'
import { decoded, decodedList, encode, pathTo, undefinedIfUnknown, unexpected } from './operation.ts'
import type { Call, CallOptions, Take, Transport } from './transport.ts'

export interface ActiveDocumentsOptions extends CallOptions {
  /** Whether each document comes with its log. */
  documentLog?: boolean | undefined
}

/** Why the reader of an answer could not read it. `path` is the place, as `[3].Signers`. */
export type Unread = { kind: 'not-json' } | { kind: 'unexpected-shape'; path: string }

export function documents(transport: Transport) {
  return {
    /** Operation 6: corrects the signers of a document; those that aren't Editable are refused by the service. */
    async updateSigner(request: UpdateSignerRequest, options?: CallOptions): Promise<DocumentResponse> {
      const operation = 'Document/UpdateSigner'
      const body = encode(operation, UpdateSignerRequest, request)
      const json = await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      return decoded(operation, DocumentResponse, json)
    },

    /** Operation 7: a new due date, for every document of the package. Answers the named one. */
    async extend(request: ExtendRequest, options?: CallOptions): Promise<DocumentResponse> {
      const operation = 'Document/Extend'
      const body = encode(operation, ExtendRequest, request)
      const json = await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      return decoded(operation, DocumentResponse, json)
    },

    /**
     * Operation 8: the documents of a folder that haven't been removed. May be hundreds of megabytes: `maxBytes` raises
     * the limit.
     * @param folder one of `FOLDERS`, or another that the account has.
     */
    async getActiveDocuments(
      folder: string,
      { documentLog, ...options }: ActiveDocumentsOptions = {}
    ): Promise<DecodedList<DocumentResponse>> {
      const call = activeDocuments(folder, documentLog, options)
      return decodedList(call.operation, DocumentResponse, await transport.get(call, 'list'))
    },

    /**
     * Operation 8 for a caller that reads large answers elsewhere, off this thread.
     * @param take is handed the bytes, which are its own, and says what they were.
     * @throws beside ServiceError what `take` rejects with.
     */
    async readActiveDocuments<Taken extends { kind: 'taken' }>(
      folder: string,
      { documentLog, ...options }: ActiveDocumentsOptions,
      take: Take<Taken | Unread>
    ): Promise<Taken> {
      const call = activeDocuments(folder, documentLog, options)
      return transport.take(call, 'list', async (bytes, charset) => {
        const taken = await take(bytes, charset)
        if (taken.kind === 'not-json') return undefined
        if (taken.kind === 'unexpected-shape') throw unexpected(call.operation, { path: taken.path })
        return taken
      })
    },

    /**
     * Operation 10: verifies the signatures in a document. `not-found` may mean that the document was removed under
     * the retention policy.
     */
    async validateSignatures(documentReference: string, options?: CallOptions): Promise<ValidationResult> {
      const operation = 'Document/Validation'
      const path = pathTo(operation, { DocumentReference: documentReference })
      return decoded(operation, ValidationResult, await transport.get({ ...options, operation, path }, 'read'))
    },

    /** Operation 12: sends a document to a notary's queue. */
    async assignQueueDocument(
      request: AssignQueueDocumentRequest,
      options?: CallOptions
    ): Promise<AssignQueueDocumentResponse> {
      const operation = 'Notary/AssignQueueDocument'
      const body = encode(operation, AssignQueueDocumentRequest, request)
      const json = await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      return decoded(operation, AssignQueueDocumentResponse, json)
    },

    /** Reminds a signer. Not in the reference: `unsupported` where the service lacks it, which is normal. */
    async sendReminder(request: SendReminderRequest, options?: CallOptions): Promise<'sent' | 'unsupported'> {
      const operation = 'Document/SendReminder'
      const body = encode(operation, SendReminderRequest, request)
      const call = { ...options, operation, path: pathTo(operation, {}) }
      const answer = await undefinedIfUnknown(transport.postForNothing(call, body).then(() => 'sent' as const))
      return answer ?? 'unsupported'
    }
  }
}

function activeDocuments(folder: string, documentLog: boolean | undefined, options: CallOptions): Call {
  const operation = 'Document/GetActiveDocuments'
  const query = documentLog === undefined ? undefined : { DocumentLog: String(documentLog) }
  return { ...options, operation, path: pathTo(operation, { Folder: folder }), query }
}
