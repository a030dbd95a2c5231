/** Sending packages of forms and of templates. Reference section 4, operations 1, 2, 4 and 5; the answers are section 2.13. */
import {
  type DecodedList,
  type DecodingProblem,
  DocumentResponse,
  ListedTemplate,
  PackageResponse,
  SendFormDirectRequest,
  SendFormFillerRequest
} from '../../../shared/model/index.ts'
import { decoded, decodedList, encode, pathTo } from './operation.ts'
import type { CallOptions, Transport } from './transport.ts'

export function packages(transport: Transport) {
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

/** A package that was sent. A document that can't be read is a problem, and doesn't hide that the package went. */
export interface SentPackage {
  package: PackageResponse
  problems: DecodingProblem[]
}

/** @throws ServiceError `unexpected-shape` if not even the package itself can be read. */
function decodedPackage(operation: string, json: unknown): SentPackage {
  const name = documentsMember(json)
  if (name === undefined) return { package: decoded(operation, PackageResponse, json), problems: [] }
  const { [name]: documents, ...rest } = json as Record<string, unknown>
  const { items, problems } = decodedList(operation, DocumentResponse, documents)
  return {
    package: { ...decoded(operation, PackageResponse, rest), Documents: items },
    problems: problems.map((problem) => ({ ...problem, path: `Documents${problem.path}` }))
  }
}

/** The member that holds the documents, whatever its case; undefined if there is none that is a list. */
function documentsMember(json: unknown): string | undefined {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return undefined
  const names = Object.keys(json).filter((name) => name.toLowerCase() === 'documents')
  const name = names.find((one) => one === 'Documents') ?? names[0]
  return name !== undefined && Array.isArray((json as Record<string, unknown>)[name]) ? name : undefined
}
