/**
 * Who signs what in a sitting, and in which order the signatures of a sitting are given: who has the screen signs all that they can before it changes hands. A
 * visit is what one person signs in one go.
 */
import type { OfferedEntry } from '../../../../shared/contract/views.ts'

type Signature = Pick<OfferedEntry, 'documentReference' | 'signer' | 'person' | 'after'>

/** Someone who is to sign, or could, with what they sign. */
export interface Signing {
  person: string
  signerName: string
  /** What tells them from another one of that name here. */
  contact?: string
  entries: OfferedEntry[]
}

/** The people of these signatures, in the order in which they come. */
export function signingsOf(entries: readonly OfferedEntry[]): Signing[] {
  return [...Map.groupBy(entries, ({ person }) => person)].map(([person, all]) => {
    const { signerName = '', contact } = all[0] ?? {}
    return { person, signerName, ...(contact !== undefined && { contact }), entries: all }
  })
}

/** So many ways are looked at in search of the one with the fewest changes of hands; then the best so far is followed. */
const MOST_WAYS = 2000

interface Way<S> {
  visits: S[][]
  done: ReadonlySet<S>
}

/**
 * With as few changes of hands as possible, begun by the person of the first signature. What waits for a signature that isn't
 * part of it is left out.
 */
export function fewestVisits<S extends Signature>(signatures: readonly S[]): S[][] {
  const [first] = signatures
  if (!first) return []
  const people = [...new Set(signatures.map(({ person }) => person))]
  let ways = [following({ visits: [], done: new Set<S>() }, signatures, first.person)].filter(
    (way) => way !== undefined
  )
  let best = ways[0]
  const seen = new Set<string>()
  while (ways.length > 0 && seen.size < MOST_WAYS) {
    const next: Way<S>[] = []
    for (const way of ways) {
      if (!best || way.done.size > best.done.size) best = way
      for (const person of people) {
        const after = following(way, signatures, person)
        if (!after) continue
        // However it was come to, what is left is the same.
        const key = signatures.map((one) => (after.done.has(one) ? 1 : 0)).join('')
        if (seen.has(key)) continue
        seen.add(key)
        next.push(after)
      }
    }
    ways = next
  }
  return best ? inOrder(signatures, people, best) : []
}

/** In the order of these people as staff chose it, over and over, until nothing is left that can be signed. */
export function visitsOf<S extends Signature>(signatures: readonly S[], people: readonly string[]): S[][] {
  return inOrder(signatures, people, { visits: [], done: new Set() })
}

function inOrder<S extends Signature>(signatures: readonly S[], people: readonly string[], from: Way<S>): S[][] {
  let way = from
  for (let before = -1; before < way.done.size; ) {
    before = way.done.size
    for (const person of people) way = following(way, signatures, person) ?? way
  }
  return way.visits
}

/** What follows once this person has had the screen; undefined where they can sign nothing. */
function following<S extends Signature>(way: Way<S>, signatures: readonly S[], person: string): Way<S> | undefined {
  const done = new Set(way.done)
  const isDone = (reference: string, signer: number) =>
    signatures.some((one) => one.documentReference === reference && one.signer === signer && done.has(one))
  const canSign = (one: S) =>
    one.person === person && !done.has(one) && one.after.every((signer) => isDone(one.documentReference, signer))
  const visit: S[] = []
  // One who signs a document in two places may free the second by the first.
  for (let next = signatures.find(canSign); next; next = signatures.find(canSign)) {
    done.add(next)
    visit.push(next)
  }
  return visit.length === 0 ? undefined : { visits: [...way.visits, visit], done }
}
