/**
 * Who signs what in a sitting, and in which order: the person who has the screen signs all they can before it changes
 * hands. A visit is what one person signs in one go.
 */
import type { OfferedEntry } from '../../../../shared/contract/views.ts'
import { birthAndMattersOf } from '../../state/queued-people.ts'

type Signature = Pick<OfferedEntry, 'documentReference' | 'signer' | 'person' | 'after'>

/** Someone who signs or could sign, with their signatures. */
export interface Signing {
  person: string
  signerName: string
  /** Distinguishes them from others of the same name here. */
  contact?: string
  born?: string
  matters: readonly string[]
  entries: OfferedEntry[]
}

/** Groups signatures by person, in order of first appearance. */
export function signingsOf(entries: readonly OfferedEntry[]): Signing[] {
  return [...Map.groupBy(entries, ({ person }) => person)].map(([person, all]) => {
    const { signerName = '', contact } = all[0] ?? {}
    return {
      person,
      signerName,
      ...(contact !== undefined && { contact }),
      ...birthAndMattersOf(all),
      entries: all
    }
  })
}

/** Maximum number of orders tried in search of the fewest handovers; then the best so far is continued. */
const MAX_ORDERS = 500

interface PartialOrder<S> {
  visits: S[][]
  done: ReadonlySet<S>
}

/**
 * Orders signatures with as few handovers as possible, starting with the person of the first one. Leaves out signatures
 * that wait for one that isn't included.
 */
export function fewestVisits<S extends Signature>(signatures: readonly S[]): S[][] {
  const [first] = signatures
  if (!first) return []
  const people = [...new Set(signatures.map(({ person }) => person))]
  // Nobody waits for anyone, so each person has the screen once.
  if (signatures.every(({ after }) => after.length === 0)) return visitsOf(signatures, people)
  let orders = [withVisit({ visits: [], done: new Set<S>() }, signatures, first.person)].filter(
    (order) => order !== undefined
  )
  let best = orders[0]
  const seen = new Set<string>()
  while (orders.length > 0 && seen.size < MAX_ORDERS) {
    const next: PartialOrder<S>[] = []
    for (const order of orders) {
      if (!best || order.done.size > best.done.size) best = order
      for (const person of people) {
        const after = withVisit(order, signatures, person)
        if (!after) continue
        // What is left doesn't depend on how this state was reached.
        const key = signatures.map((one) => (after.done.has(one) ? 1 : 0)).join('')
        if (seen.has(key) || seen.size >= MAX_ORDERS) continue
        seen.add(key)
        next.push(after)
      }
    }
    orders = next
  }
  return best ? completedVisits(signatures, people, best) : []
}

/** Cycles through the people in staff's chosen order until nothing is left that can be signed. */
export function visitsOf<S extends Signature>(signatures: readonly S[], people: readonly string[]): S[][] {
  return completedVisits(signatures, people, { visits: [], done: new Set() })
}

function completedVisits<S extends Signature>(
  signatures: readonly S[],
  people: readonly string[],
  from: PartialOrder<S>
): S[][] {
  let order = from
  for (let before = -1; before < order.done.size; ) {
    before = order.done.size
    for (const person of people) order = withVisit(order, signatures, person) ?? order
  }
  return order.visits
}

/** Returns the order extended by a visit of this person; undefined if they can't sign anything. */
function withVisit<S extends Signature>(
  order: PartialOrder<S>,
  signatures: readonly S[],
  person: string
): PartialOrder<S> | undefined {
  const done = new Set(order.done)
  const names = new Set([...done].map(nameOf))
  const visit: S[] = []
  const remaining = signatures.filter((one) => one.person === person && !done.has(one))
  // For someone who signs a document in two places, the first signature may unblock the second.
  for (let before = -1; before < visit.length; ) {
    before = visit.length
    for (const one of remaining) {
      if (done.has(one) || !one.after.every((signer) => names.has(nameOf({ ...one, signer })))) continue
      done.add(one)
      names.add(nameOf(one))
      visit.push(one)
    }
  }
  return visit.length === 0 ? undefined : { visits: [...order.visits, visit], done }
}

const nameOf = ({ documentReference, signer }: Pick<Signature, 'documentReference' | 'signer'>) =>
  `${documentReference} ${signer}`
