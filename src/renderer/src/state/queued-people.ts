/** The counter's queue by person: one row each, however many documents are waiting for them. */
import type { CounterEntry } from '../../../shared/contract/views.ts'

export interface QueuedPerson {
  key: string
  accountId: string
  /** The main process's key for the person within their account. */
  person: string
  signerName: string
  /** Tells them apart from another person here with the same name. */
  contact?: string
  born?: string
  /** The matters of their documents, if needed to tell them apart from another person. */
  matters: readonly string[]
  /** What they can sign, in the order of the queue; entries without a link come last. */
  entries: readonly CounterEntry[]
  /** The entry a session with them starts with. Undefined if nothing can be signed here. */
  first: CounterEntry | undefined
  isToday: boolean
  /** Set if another counter of the office has them, for any of these entries. */
  elsewhere?: CounterEntry['elsewhere']
}

/** A row's position, held so that it doesn't move while someone is using it. */
export type HeldPlace = Pick<QueuedPerson, 'key' | 'isToday'>

/**
 * Groups entries by person, in the order of each person's first document. The main process decides who is the same
 * person.
 */
export function peopleOf(entries: readonly CounterEntry[]): QueuedPerson[] {
  const byPerson = Map.groupBy(entries, keyOf)
  return [...byPerson].map(([key, all]) => {
    const ready = all.filter(({ withoutLink }) => !withoutLink)
    const elsewhere = all.find((one) => one.elsewhere)?.elsewhere
    return {
      key,
      accountId: all[0]?.accountId ?? '',
      person: personIn(all[0]),
      signerName: all[0]?.signerName ?? '',
      ...(all[0]?.contact !== undefined && { contact: all[0].contact }),
      ...birthAndMattersOf(all),
      entries: [...ready, ...all.filter(({ withoutLink }) => withoutLink)],
      first: ready[0],
      isToday: all.some(({ isToday }) => isToday),
      ...(elsewhere && { elsewhere })
    }
  })
}

/** Returns the date of birth from the first document that has one, and their matters without duplicates. */
export function birthAndMattersOf(entries: readonly CounterEntry[]): Pick<QueuedPerson, 'born' | 'matters'> {
  const born = entries.find((one) => one.born !== undefined)?.born
  const matters = [...new Set(entries.flatMap(({ matter }) => matter ?? []))]
  return { ...(born !== undefined && { born }), matters }
}

/** Returns a person's key. The same person in another account is a separate visit. */
export function keyOf(entry: CounterEntry): string {
  return `${entry.accountId} ${personIn(entry)}`
}

/** An entry without a known person counts as a person of its own. */
function personIn(entry: CounterEntry | undefined): string {
  return entry ? entry.person || `${entry.documentReference} ${entry.signer}` : ''
}

/**
 * Splits people into today's and others, optionally with one of them first.
 * @param held the positions before a row was pinned: those rows stay in place, with people who came since below them.
 * @param front the key of the person to put first
 */
export function splitToday(
  people: readonly QueuedPerson[],
  held: readonly HeldPlace[],
  front: string | undefined
): { today: QueuedPerson[]; others: QueuedPerson[] } {
  const places = new Map(held.map(({ key, isToday }, rank) => [key, { isToday, rank }]))
  const rank = ({ key }: QueuedPerson) => places.get(key)?.rank ?? Number.POSITIVE_INFINITY
  const countsAsToday = (one: QueuedPerson) => places.get(one.key)?.isToday ?? one.isToday
  const ordered = held.length > 0 ? people.toSorted((one, other) => rank(one) - rank(other) || 0) : [...people]
  const today = ordered.filter(countsAsToday)
  return {
    today: [...today.filter(({ key }) => key === front), ...today.filter(({ key }) => key !== front)],
    others: ordered.filter((one) => !countsAsToday(one))
  }
}

/** "Deed of gift", or "3 documents". */
export function whatTheySign({ entries }: Pick<QueuedPerson, 'entries'>): string {
  const [only] = entries
  return entries.length === 1 && only ? only.documentName : `${entries.length} documents`
}
