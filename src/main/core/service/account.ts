/** The account itself (not in the reference, so it may be missing) and its recipients: reference section 4, operation 11. */
import { AccountInfo, type DecodedList, Recipients } from '../../../shared/model/index.ts'
import { decoded, decodedList, pathTo, undefinedIfUnknown } from './operation.ts'
import type { CallOptions, Transport } from './transport.ts'

export function account(transport: Transport) {
  return {
    /** The account's limits and rights; undefined where the service doesn't tell them. */
    async getAccountInfo(options?: CallOptions): Promise<AccountInfo | undefined> {
      const operation = 'Account/Info'
      const json = await undefinedIfUnknown(
        transport.get({ ...options, operation, path: pathTo(operation, {}) }, 'read')
      )
      return json === undefined ? undefined : decoded(operation, AccountInfo, json)
    },

    /** Operation 11, by its first path, and by its second where the service doesn't have the first. */
    async getRecipients(options?: CallOptions): Promise<DecodedList<Recipients>> {
      const get = (operation: string) => transport.get({ ...options, operation, path: pathTo(operation, {}) }, 'list')
      const json = (await undefinedIfUnknown(get('Recipient/GetRecipients'))) ?? (await get('Recipient/Recipients'))
      return decodedList('Recipient/GetRecipients', Recipients, json)
    }
  }
}
