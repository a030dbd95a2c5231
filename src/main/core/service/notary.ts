/** Remote online notarisation. Reference section 4, operation 12. */
import { AssignQueueDocumentRequest, AssignQueueDocumentResponse } from '../../../shared/model/index.ts'
import { decoded, encode } from './encoding.ts'
import { pathTo } from './path.ts'
import type { CallOptions, Transport } from './transport.ts'

export function notary(transport: Transport) {
  return {
    /** Operation 12: sends a document to a notary's queue. */
    async assignQueueDocument(
      request: AssignQueueDocumentRequest,
      options?: CallOptions
    ): Promise<AssignQueueDocumentResponse> {
      const operation = 'Notary/AssignQueueDocument'
      const body = encode(operation, AssignQueueDocumentRequest, request)
      const json = await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      return decoded(operation, AssignQueueDocumentResponse, json)
    }
  }
}
