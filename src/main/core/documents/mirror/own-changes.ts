/** What our own action on one document of a package did to the others: it is theirs as well, and no news. */
import type { DocumentResponse } from '../../../../shared/model/index.ts'
import { type Difference, dueOf } from './differences.ts'
import type { Mirror } from './mirror.ts'
import type { Account, Entry } from './state.ts'

/** In so many documents of its package the action is looked for, where it was another run's. */
const LOOKED_THROUGH = 100

/**
 * Says whether we did what a folder shows of the document: extending one document extends its package, and another
 * document of it was last extended by us, to the same moment.
 */
export function didWe(
  mirror: Mirror,
  account: Account,
  entry: Entry | undefined
): (difference: Difference, document: DocumentResponse) => boolean {
  return ({ kind }, document) => {
    const packageReference = document.PackageReference
    if (kind !== 'due-changed' || !entry || !packageReference) return false
    const due = dueOf(document)
    return likelyOf(account, packageReference).some((reference) => {
      const last = reference === entry.reference ? undefined : mirror.changes.lastDue(account.id, reference)
      return last?.isOwn === true && dueOf({ DueDate: last.to, GMT: document.GMT }) === due
    })
  }
}

/** The one that this run acted on, else the first of the package. */
function likelyOf({ extended, byPackage }: Account, packageReference: string): string[] {
  const known = extended.get(packageReference)
  if (known !== undefined) return [known]
  const all = [...(byPackage.get(packageReference) ?? [])]
  return all.slice(0, LOOKED_THROUGH).map(({ reference }) => reference)
}
