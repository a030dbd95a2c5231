/** Form Filler: the account's templates, and sending them. Reference section 4, operations 4 and 5. */
import { type DecodedList, ListedTemplate, SendFormFillerRequest } from '../../../shared/model/index.ts'
import { decodedList, encode } from './encoding.ts'
import { decodedPackage, type SentPackage } from './packages.ts'
import { pathTo } from './path.ts'
import type { CallOptions, Transport } from './transport.ts'

export function formFiller(transport: Transport) {
  return {
    /** Operation 4: sends templates (2.9) and answers the package (2.13). */
    async sendTemplates(request: SendFormFillerRequest, options?: CallOptions): Promise<SentPackage> {
      const operation = 'FormFiller/Send'
      const body = encode(operation, SendFormFillerRequest, request)
      return decodedPackage(
        operation,
        await transport.post({ ...options, operation, path: pathTo(operation, {}) }, body)
      )
    },

    /** Operation 5: the templates that the account can send (2.10). */
    async getTemplateList(options?: CallOptions): Promise<DecodedList<ListedTemplate>> {
      const operation = 'FormFiller/GetTemplateList'
      const json = await transport.get({ ...options, operation, path: pathTo(operation, {}) }, 'list')
      return decodedList(operation, ListedTemplate, json)
    }
  }
}
