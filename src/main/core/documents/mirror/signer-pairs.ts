/** Which signers of two states of a document are the same person. */
import { type DocumentResponse, fullName, type SignerResponse } from '../../../../shared/model/index.ts'

export interface SignerPair {
  is: SignerResponse
  /** The same signer before, and which one that was; absent where there was none. */
  was?: SignerResponse
  wasAt?: number
}

/**
 * Each signer of the newer state, in its order, with the same one of the older. A corrected signer keeps the place, a
 * reordered one the reference or the e-mail address.
 */
export function pairedSigners(before: DocumentResponse, after: DocumentResponse): SignerPair[] {
  const older = before.Signers ?? []
  const signers = after.Signers ?? []
  const taken = new Set<number>()
  const take = (at: number | undefined) => {
    if (at === undefined || at >= older.length || taken.has(at)) return undefined
    taken.add(at)
    return at
  }
  const find = finder(older, taken)
  const sure = signers.map((signer, place) => {
    const there = older[place]
    return (there && isSame(there, signer) ? take(place) : undefined) ?? take(find(signer))
  })
  return signers.map((is, place) => {
    const wasAt = sure[place] ?? take(place)
    const was = wasAt === undefined ? undefined : older[wasAt]
    return { is, ...(was && wasAt !== undefined && { was, wasAt }) }
  })
}

function isSame(one: SignerResponse, two: SignerResponse): boolean {
  if (one.SignerReference && two.SignerReference) return one.SignerReference === two.SignerReference
  return personOf(one) === personOf(two)
}

function personOf(signer: SignerResponse): string {
  return `${(signer.Email ?? '').toLowerCase()}\n${fullName(signer)}`
}

/** Finds the first one that is the same and not taken: by tables, as a document may have thousands. */
function finder(
  older: readonly SignerResponse[],
  taken: ReadonlySet<number>
): (signer: SignerResponse) => number | undefined {
  const byReference = new Map<string, number[]>()
  const byPerson = new Map<string, number[]>()
  /** Those who have no reference, which a signer with one may be all the same. */
  const withoutReference = new Map<string, number[]>()
  for (const [at, one] of older.entries()) {
    append(byPerson, personOf(one), at)
    if (one.SignerReference) append(byReference, one.SignerReference, at)
    else append(withoutReference, personOf(one), at)
  }
  const first = (places: number[] | undefined): number | undefined => {
    while (places && taken.has(places.at(-1) ?? -1)) places.pop()
    return places?.at(-1)
  }
  for (const table of [byReference, byPerson, withoutReference]) {
    for (const places of table.values()) places.reverse()
  }
  return (signer) => {
    if (!signer.SignerReference) return first(byPerson.get(personOf(signer)))
    const known = first(byReference.get(signer.SignerReference))
    const alike = first(withoutReference.get(personOf(signer)))
    return known === undefined ? alike : Math.min(known, alike ?? known)
  }
}

function append(table: Map<string, number[]>, key: string, place: number): void {
  const places = table.get(key)
  if (places) places.push(place)
  else table.set(key, [place])
}
