/** Form Direct: sending forms and keeping the employers that fill them in. Reference section 4, operations 1 to 3. */
import {
  type DecodedList,
  DocumentResponse,
  SendFormDirectRequest,
  UpdateEmployersRequest
} from '../../../shared/model/index.ts'
import { decodedEmployers, type EmployersAnswer } from './employers.ts'
import { decodedList, encode } from './encoding.ts'
import { decodedPackage, type SentPackage } from './packages.ts'
import { pathTo } from './path.ts'
import type { CallOptions, Transport } from './transport.ts'
import { undefinedWhereUnknown } from './unlisted.ts'

export function formDirect(transport: Transport) {
  return {
    /** Operation 1: sends a package of forms (2.1) and answers the package (2.13). */
    async sendForms2(request: SendFormDirectRequest, options?: CallOptions): Promise<SentPackage> {
      const operation = 'FormDirect/SendForms2'
      const body = encode(operation, SendFormDirectRequest, request)
      return decodedPackage(
        operation,
        await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      )
    },

    /** Operation 2: the earlier variant, which answers the documents alone (2.14). */
    async sendForms(request: SendFormDirectRequest, options?: CallOptions): Promise<DecodedList<DocumentResponse>> {
      const operation = 'FormDirect/SendForms'
      const body = encode(operation, SendFormDirectRequest, request)
      const json = await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      return decodedList(operation, DocumentResponse, json)
    },

    /** Operation 3: saves employers (2.18) and answers all that the account has (2.19). */
    async updateEmployers(request: UpdateEmployersRequest, options?: CallOptions): Promise<EmployersAnswer> {
      const operation = 'FormDirect/UpdateEmployers'
      const body = encode(operation, UpdateEmployersRequest, request)
      const json = await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      return decodedEmployers(operation, json)
    },

    /** The employers that the account has. Not in the reference (endpoint rule 11): undefined where the service lacks it. */
    async getEmployers(options?: CallOptions): Promise<EmployersAnswer | undefined> {
      const operation = 'FormDirect/Employers'
      const json = await undefinedWhereUnknown(
        transport.get({ ...options, operation, path: pathTo(operation, {}) }, 'read')
      )
      return json === undefined ? undefined : decodedEmployers(operation, json)
    }
  }
}
