/** What the cells of the list say that is not said by a picture. */
import type { DocumentColumn } from '../../../../shared/contract/document-requests.ts'
import type { DocumentRow, SignerProgress } from '../../../../shared/contract/views.ts'

export interface Progress {
  signed: number
  of: number
  /** "2 of 3". */
  word: string
}

/** How many have signed, by the service's own count where it gives one, else by the signers. */
export function progressOf({ status, signers }: Pick<DocumentRow, 'status' | 'signers'>): Progress | undefined {
  const of = status.of ?? signers.length
  if (of === 0) return undefined
  const signed = Math.min(of, status.signed ?? signers.filter(({ state }: SignerProgress) => state === 'signed').length)
  return { signed, of, word: `${signed} of ${of}` }
}

/** The cells that are nothing but a text. */
export function textOf(row: DocumentRow, column: DocumentColumn): string | undefined {
  switch (column) {
    case 'package':
      return row.packageReference
    case 'folder':
      return row.goneAt === undefined ? row.folder : `Gone from ${row.folder}`
    case 'matter':
      return row.matterNumber
    case 'reference':
      return row.reference
    case 'clientReference':
      return row.clientReference
    case 'formReference':
      return row.formDirectReference
    default:
      return undefined
  }
}
