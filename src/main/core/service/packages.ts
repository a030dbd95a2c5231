/** What the sends answer: a package (reference section 2.13), its documents read one by one. */
import { type DecodingProblem, DocumentResponse, PackageResponse } from '../../../shared/model/index.ts'
import { decoded, decodedList } from './encoding.ts'

/** A package that was sent. A document that can't be read is a problem, and doesn't hide that the package went. */
export interface SentPackage {
  package: PackageResponse
  problems: DecodingProblem[]
}

/** @throws ServiceError `unexpected-shape` where not even the package itself can be read. */
export function decodedPackage(operation: string, json: unknown): SentPackage {
  const name = documentsMember(json)
  if (name === undefined) return { package: decoded(operation, PackageResponse, json), problems: [] }
  const { [name]: documents, ...rest } = json as Record<string, unknown>
  const { items, problems } = decodedList(operation, DocumentResponse, documents)
  return {
    package: { ...decoded(operation, PackageResponse, rest), Documents: items },
    problems: problems.map((problem) => ({ ...problem, path: `Documents${problem.path}` }))
  }
}

/** The member that holds the documents, whatever its case; undefined where there is none that is a list. */
function documentsMember(json: unknown): string | undefined {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return undefined
  const names = Object.keys(json).filter((name) => name.toLowerCase() === 'documents')
  const name = names.find((one) => one === 'Documents') ?? names[0]
  return name !== undefined && Array.isArray((json as Record<string, unknown>)[name]) ? name : undefined
}
