/**
 * Who signs what in a sitting, and in which order the signatures of a sitting are given: who has the screen signs all that they can before it changes hands. A
 * visit is what one person signs in one go.
 */
import type { OfferedEntry } from '../../../../shared/contract/views.ts'
import { furtherOf } from '../../state/queued-people.ts'

type Signature = Pick<OfferedEntry, 'documentReference' | 'signer' | 'person' | 'after'>

/** Someone who is to sign, or could, with what they sign. */
export interface Signing {
  person: string
  signerName: string
  /** What tells them from another one of that name here. */
  contact?: string
  born?: string
  matters: readonly string[]
  entries: OfferedEntry[]
}

/** The people of these signatures, in the order in which they come. */
export function signingsOf(entries: readonly OfferedEntry[]): Signing[] {
  return [...Map.groupBy(entries, ({ person }) => person)].map(([person, all]) => {
    const { signerName = '', contact } = all[0] ?? {}
    return {
      person,
      signerName,
      ...(contact !== undefined && { contact }),
      ...furtherOf(all),
      entries: all
    }
  })
}

/** So many ways are looked at in search of the one with the fewest changes of hands; then the best so far is followed. */
const MOST_WAYS = 500

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
  // Nobody waits for anyone: each has the screen once.
  if (signatures.every(({ after }) => after.length === 0)) return visitsOf(signatures, people)
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
        if (seen.has(key) || seen.size >= MOST_WAYS) continue
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
  const names = new Set([...done].map(nameOf))
  const visit: S[] = []
  const left = signatures.filter((one) => one.person === person && !done.has(one))
  // One who signs a document in two places may free the second by the first.
  for (let before = -1; before < visit.length; ) {
    before = visit.length
    for (const one of left) {
      if (done.has(one) || !one.after.every((signer) => names.has(nameOf({ ...one, signer })))) continue
      done.add(one)
      names.add(nameOf(one))
      visit.push(one)
    }
  }
  return visit.length === 0 ? undefined : { visits: [...way.visits, visit], done }
}

const nameOf = ({ documentReference, signer }: Pick<Signature, 'documentReference' | 'signer'>) =>
  `${documentReference} ${signer}`
