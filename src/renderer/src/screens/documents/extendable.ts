/** Which packages a new due date moves, of the documents that were chosen. */
import type { DocumentPage, DocumentRow } from '../../../../shared/contract/views.ts'

/** What must be known of a document to extend it; a row of the list is one, and so is a page. */
export type Extendable = Pick<
  DocumentRow,
  'accountId' | 'reference' | 'name' | 'status' | 'packageReference' | 'due' | 'goneAt'
> &
  Partial<Pick<DocumentPage, 'gmt' | 'package'>>

export interface ExtendedPackage {
  /** The document that the service is asked by; it moves all of its package. */
  reference: string
  /** Those that were chosen. */
  chosen: Extendable[]
}

/** One entry a package, in the order in which they were chosen; a document without one is a package of its own. */
export function packagesOf(documents: readonly Extendable[]): ExtendedPackage[] {
  const packages = Map.groupBy(
    documents,
    ({ accountId, packageReference, reference }) => `${accountId}\n${packageReference ?? `\n${reference}`}`
  )
  return [...packages.values()].map((chosen) => ({ reference: chosen[0]?.reference ?? '', chosen }))
}

/** Why a document can't be extended; undefined where it can. @param account the chosen one. */
export function notExtendable(document: Extendable, account: string | undefined): string | undefined {
  if (document.goneAt !== undefined) return 'left the service'
  if (document.status.family === 'complete') return 'complete'
  if (document.status.family === 'declined') return 'declined'
  return account !== undefined && document.accountId !== account ? 'of another account' : undefined
}
