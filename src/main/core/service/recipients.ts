/** Who is told of documents. Reference section 4, operation 11. */
import { type DecodedList, Recipients } from '../../../shared/model/index.ts'
import { decodedList } from './encoding.ts'
import { pathTo } from './path.ts'
import type { CallOptions, Transport } from './transport.ts'
import { undefinedWhereUnknown } from './unlisted.ts'

export function recipients(transport: Transport) {
  return {
    /** Operation 11, by its first path, and by its second where the service doesn't have the first. */
    async getRecipients(options?: CallOptions): Promise<DecodedList<Recipients>> {
      const get = (operation: string) => transport.get({ ...options, operation, path: pathTo(operation, {}) }, 'list')
      const json = (await undefinedWhereUnknown(get('Recipient/GetRecipients'))) ?? (await get('Recipient/Recipients'))
      return decodedList('Recipient/GetRecipients', Recipients, json)
    }
  }
}
