/** The client of the signing service: all of the reference's section 4 for one account. It throws nothing but ServiceError. */
import { type DataTypeSpelling, USUAL_DATA_TYPE_SPELLING } from '../../../shared/contract/data-type-spelling.ts'
import { account } from './account.ts'
import { documents } from './documents.ts'
import { downloads } from './downloads.ts'
import { formDirect } from './form-direct.ts'
import { formFiller } from './form-filler.ts'
import { notary } from './notary.ts'
import { recipients } from './recipients.ts'
import { createTransport, type TransportOptions } from './transport.ts'

export interface ServiceClientOptions extends TransportOptions {
  /** How the data type of operation 9 is spelled; lower case and then upper case where nothing is said. */
  dataTypeSpelling?: DataTypeSpelling | undefined
}

/** @throws TypeError where the base URL isn't an absolute http or https one. */
export function createServiceClient(options: ServiceClientOptions) {
  const transport = createTransport(options)
  return {
    ...formDirect(transport),
    ...formFiller(transport),
    ...documents(transport),
    ...downloads(transport, options.dataTypeSpelling ?? USUAL_DATA_TYPE_SPELLING),
    ...recipients(transport),
    ...notary(transport),
    ...account(transport)
  }
}

export type ServiceClient = ReturnType<typeof createServiceClient>
