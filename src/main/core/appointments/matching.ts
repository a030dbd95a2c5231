/** Matches appointments with the people in the queue, only if nobody else can be meant; otherwise staff are asked. */
import type { AppointmentPerson, CounterEntry } from '../../../shared/contract/index.ts'
import { fullName } from '../../../shared/model/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'

export interface QueueDeps {
  waitingHere: (accountId: string) => Promise<CounterEntry[]>
  documentOf: (accountId: string, reference: string) => Promise<MirroredDocument | undefined>
}

/**
 * How many documents are read at a time for their signers' addresses, so that requests of the screens needn't wait for
 * all.
 */
const AT_ONCE = 20

/** Someone in the queue. Not everyone's e-mail address is known. */
export interface QueuePerson {
  person: string
  name: string
  email?: string
}

export interface Match {
  person?: string
  choices: AppointmentPerson[]
}

interface Expected {
  name: string
  email: string
  /** The person that staff chose, '' for nobody in the queue; undefined if they chose nothing. */
  person?: string | undefined
}

/**
 * Matches by e-mail address, or by name if the address matches nobody. A differing address makes a name match doubtful.
 * The queue is indexed once for all appointments, because a queue of a thousand and two hundred appointments are
 * matched again with each change.
 */
export function matcherFor(people: readonly QueuePerson[]): (expected: Expected) => Match {
  const ids = new Set(people.map(({ person }) => person))
  const peopleByName = Map.groupBy(people, ({ name }) => folded(name))
  const peopleByAddress = Map.groupBy(people, ({ email = '' }) => folded(email))
  return ({ name, email, person }) => {
    // If the chosen person has signed since, they are no longer in the queue. Nobody else is matched instead.
    if (person !== undefined) return ids.has(person) ? { person, choices: [] } : { choices: [] }
    const byName = peopleByName.get(folded(name)) ?? []
    const address = folded(email)
    const byAddress = address === '' ? [] : (peopleByAddress.get(address) ?? [])
    if (byAddress.length > 0) {
      const both = byAddress.filter((one) => byName.includes(one))
      return matchFrom(both.length > 0 ? both : byAddress)
    }
    const isDoubtful = address !== '' && byName.some((one) => one.email !== undefined)
    return isDoubtful ? { choices: byName.map(asChoice) } : matchFrom(byName)
  }
}

function matchFrom(fitting: readonly QueuePerson[]): Match {
  const [only] = fitting
  return fitting.length === 1 && only ? { person: only.person, choices: [] } : { choices: fitting.map(asChoice) }
}

function asChoice({ person, name, email }: QueuePerson): AppointmentPerson {
  return { person, name, ...(email !== undefined && { contact: email }) }
}

/**
 * The addresses of people in the queue; '' for none. Someone with another address is another person: see `personOf`.
 */
export type KnownAddresses = Map<string, string>

/**
 * Returns who is in the queue, with addresses if these could matter. One document is read per person, once: the queue
 * is matched again with each change, and may have a thousand people.
 */
export async function queuePeople(
  { waitingHere, documentOf }: QueueDeps,
  accountId: string,
  expected: readonly Expected[],
  known: KnownAddresses
): Promise<QueuePerson[]> {
  const entries = await waitingHere(accountId)
  const people = new Map(entries.map((entry) => [entry.person, entry]))
  for (const person of known.keys()) if (!people.has(person)) known.delete(person)
  const needsAddresses = expected.some(({ email }) => email !== '')
  const isShared = sharedNames(entries)
  const addresses = new Map<string, string>()
  const unread = [...people.values()].filter(
    ({ person, signerName }) => !known.has(person) && (needsAddresses || isShared(signerName))
  )
  for (let at = 0; at < unread.length; at += AT_ONCE) {
    await Promise.all(
      unread.slice(at, at + AT_ONCE).map(async ({ person, documentReference, signer }) => {
        const found = (await documentOf(accountId, documentReference))?.document?.Signers?.[signer]
        if (!found) return
        const address = found.Email?.trim() ?? ''
        addresses.set(person, address)
        // Not cached without a name, because such a person stays the same when their address changes.
        const { FirstName, MiddleName, LastName } = found
        if (fullName({ FirstName, MiddleName, LastName }) !== '') known.set(person, address)
      })
    )
  }
  return [...people.values()].map(({ person, signerName }) => {
    const email = (addresses.get(person) ?? known.get(person)) || undefined
    return { person, name: signerName, ...defined({ email }) }
  })
}

function sharedNames(entries: readonly CounterEntry[]): (name: string) => boolean {
  const people = new Map<string, Set<string>>()
  for (const { signerName, person } of entries) {
    const name = folded(signerName)
    people.set(name, (people.get(name) ?? new Set()).add(person))
  }
  return (name) => (people.get(folded(name))?.size ?? 0) > 1
}
