/**
 * The client of the signing service: section 4 of the API reference, for one account. It throws nothing but
 * ServiceError.
 */
import { type DataTypeSpelling, USUAL_DATA_TYPE_SPELLING } from '../../../shared/contract/views.ts'
import { accountOperations } from './account.ts'
import { documentOperations, packageOperations, type ServiceQuirks } from './documents.ts'
import { downloadOperations } from './downloads.ts'
import { signedDocumentOperations } from './signed-document.ts'
import { createTransport, type TransportOptions } from './transport.ts'

export interface ServiceClientOptions extends TransportOptions {
  /** Spelling of operation 9's data type; by default lower case, then upper case. */
  dataTypeSpelling?: DataTypeSpelling | undefined
  quirks?: ServiceQuirks | undefined
}

/**
 * Creates the client of one account's service.
 * @throws TypeError if the base URL isn't an absolute http or https one.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const transport = createTransport(options)
  const documentCalls = documentOperations(transport, options.quirks ?? {})
  return {
    ...packageOperations(transport, options.quirks ?? {}),
    ...documentCalls,
    ...signedDocumentOperations(transport, documentCalls),
    ...downloadOperations(transport, options.dataTypeSpelling ?? USUAL_DATA_TYPE_SPELLING),
    ...accountOperations(transport)
  }
}

export type ServiceClient = ReturnType<typeof createServiceClient>
