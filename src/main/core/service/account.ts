/** What the service says of the account itself. Not in the reference, so it may be missing. */
import { AccountInfo } from '../../../shared/model/index.ts'
import { decoded } from './encoding.ts'
import { pathTo } from './path.ts'
import type { CallOptions, Transport } from './transport.ts'
import { undefinedWhereUnknown } from './unlisted.ts'

export function account(transport: Transport) {
  return {
    /** The account's limits and rights; undefined where the service doesn't tell them. */
    async getAccountInfo(options?: CallOptions): Promise<AccountInfo | undefined> {
      const operation = 'Account/Info'
      const json = await undefinedWhereUnknown(
        transport.get({ ...options, operation, path: pathTo(operation, {}) }, 'read')
      )
      return json === undefined ? undefined : decoded(operation, AccountInfo, json)
    }
  }
}
