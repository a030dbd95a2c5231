/**
 * The client of the signing service: section 4 of the API reference, for one account. It throws nothing but
 * ServiceError.
 */
import { type DataTypeSpelling, USUAL_DATA_TYPE_SPELLING } from '../../../shared/contract/views.ts'
import { account } from './account.ts'
import { documents, packages, type ServiceHabits } from './documents.ts'
import { downloads } from './downloads.ts'
import { signedDocuments } from './signed-document.ts'
import { createTransport, type TransportOptions } from './transport.ts'

export interface ServiceClientOptions extends TransportOptions {
  /** Spelling of operation 9's data type; by default lower case, then upper case. */
  dataTypeSpelling?: DataTypeSpelling | undefined
  habits?: ServiceHabits | undefined
}

/**
 * Creates the client of one account's service.
 * @throws TypeError if the base URL isn't an absolute http or https one.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const transport = createTransport(options)
  const ofDocuments = documents(transport, options.habits ?? {})
  return {
    ...packages(transport, options.habits ?? {}),
    ...ofDocuments,
    ...signedDocuments(transport, ofDocuments),
    ...downloads(transport, options.dataTypeSpelling ?? USUAL_DATA_TYPE_SPELLING),
    ...account(transport)
  }
}

export type ServiceClient = ReturnType<typeof createServiceClient>
