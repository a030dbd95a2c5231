/** Whose signings an appointment is about: only where nobody else can be meant; else staff is asked. */
import type { AppointmentPerson, CounterEntry } from '../../../shared/contract/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'

export interface QueueDeps {
  waitingHere: (accountId: string) => Promise<CounterEntry[]>
  documentOf: (accountId: string, reference: string) => Promise<MirroredDocument | undefined>
}

/** Documents that are read for the addresses of their signers. */
const MOST_READ = 500

/** Someone in the queue; of some no e-mail address is known. */
export interface QueuePerson {
  person: string
  name: string
  email?: string
}

export interface Fit {
  person?: string
  choices: AppointmentPerson[]
}

interface Expected {
  name: string
  email: string
  /** Who staff said that it is, '' for nobody there; undefined where they said nothing. */
  person?: string | undefined
}

/** By e-mail address, or, where that tells nobody, by name. An address that differs is a doubt. */
export function fitOf({ name, email, person }: Expected, people: readonly QueuePerson[]): Fit {
  // Who has signed since isn't there any more: nobody else is the one instead.
  if (person !== undefined)
    return people.some((one) => one.person === person) ? { person, choices: [] } : { choices: [] }
  const isNamed = (one: QueuePerson) => folded(one.name) === folded(name)
  const address = folded(email)
  const byAddress = address === '' ? [] : people.filter((one) => folded(one.email ?? '') === address)
  if (byAddress.length > 0) {
    const both = byAddress.filter(isNamed)
    return decided(both.length > 0 ? both : byAddress)
  }
  const byName = people.filter(isNamed)
  const isDoubtful = address !== '' && byName.some((one) => one.email !== undefined)
  return isDoubtful ? { choices: byName.map(asChoice) } : decided(byName)
}

function decided(fitting: readonly QueuePerson[]): Fit {
  const [only] = fitting
  return fitting.length === 1 && only ? { person: only.person, choices: [] } : { choices: fitting.map(asChoice) }
}

function asChoice({ person, name, email }: QueuePerson): AppointmentPerson {
  return { person, name, ...(email !== undefined && { contact: email }) }
}

/** Who is in the queue, with their addresses where these could tell something. */
export async function queuePeople(
  { waitingHere, documentOf }: QueueDeps,
  accountId: string,
  expected: readonly Expected[]
): Promise<QueuePerson[]> {
  const entries = await waitingHere(accountId)
  const people = new Map<string, QueuePerson>()
  const asksAddress = expected.some(({ email }) => email !== '')
  const isShared = sharedNames(entries)
  const read = entries.filter(({ signerName }) => asksAddress || isShared(signerName)).slice(0, MOST_READ)
  const references = [...new Set(read.map(({ documentReference }) => documentReference))]
  const documents = new Map(
    await Promise.all(references.map(async (one) => [one, await documentOf(accountId, one)] as const))
  )
  for (const { person, signerName, documentReference, signer } of entries) {
    const email = documents.get(documentReference)?.document?.Signers?.[signer]?.Email?.trim() || undefined
    people.set(person, { person, name: signerName, ...defined({ email: email ?? people.get(person)?.email }) })
  }
  return [...people.values()]
}

function sharedNames(entries: readonly CounterEntry[]): (name: string) => boolean {
  const people = new Map<string, Set<string>>()
  for (const { signerName, person } of entries) {
    const name = folded(signerName)
    people.set(name, (people.get(name) ?? new Set()).add(person))
  }
  return (name) => (people.get(folded(name))?.size ?? 0) > 1
}
