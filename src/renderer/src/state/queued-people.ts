/** The queue as people: who stands here is one row, however many documents wait for them. */
import type { CounterEntry } from '../../../shared/contract/views.ts'

export interface QueuedPerson {
  key: string
  accountId: string
  /** Who it is, as main names them within their account. */
  person: string
  signerName: string
  /** What tells them from another one of that name here. */
  contact?: string
  born?: string
  /** What their documents are filed under, where that is needed to tell them from another one. */
  matters: readonly string[]
  /** What they can sign, in the queue's order; what came without a link last. */
  entries: readonly CounterEntry[]
  /** What a session with them begins with; undefined if nothing of it can be signed here. */
  first: CounterEntry | undefined
  isToday: boolean
  /** Another counter of the office has them, for any of these. */
  elsewhere?: CounterEntry['elsewhere']
}

/** Where a row stands: kept while it is pinned under someone's hands. */
export type HeldPlace = Pick<QueuedPerson, 'key' | 'isToday'>

/** People in the order of their first document; the same person is told by main. */
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
      ...furtherOf(all),
      entries: [...ready, ...all.filter(({ withoutLink }) => withoutLink)],
      first: ready[0],
      isToday: all.some(({ isToday }) => isToday),
      ...(elsewhere && { elsewhere })
    }
  })
}

/** When they were born, as of the first document that says it; and their matters, each once. */
export function furtherOf(entries: readonly CounterEntry[]): Pick<QueuedPerson, 'born' | 'matters'> {
  const born = entries.find((one) => one.born !== undefined)?.born
  const matters = [...new Set(entries.flatMap(({ matter }) => matter ?? []))]
  return { ...(born !== undefined && { born }), matters }
}

/** In another account it is another visit. */
export function keyOf(entry: CounterEntry): string {
  return `${entry.accountId} ${personIn(entry)}`
}

/** One whose person nobody knows is nobody else. */
function personIn(entry: CounterEntry | undefined): string {
  return entry ? entry.person || `${entry.documentReference} ${entry.signer}` : ''
}

/**
 * Today's first, one of them before all others where that is asked for.
 * @param held where rows stood before something was pinned: they stay there, with those who came since below them.
 * @param front the key of who is to stand first
 */
export function placed(
  people: readonly QueuedPerson[],
  held: readonly HeldPlace[],
  front: string | undefined
): { today: QueuedPerson[]; others: QueuedPerson[] } {
  const places = new Map(held.map(({ key, isToday }, rank) => [key, { isToday, rank }]))
  const rank = ({ key }: QueuedPerson) => places.get(key)?.rank ?? Number.POSITIVE_INFINITY
  const standsToday = (one: QueuedPerson) => places.get(one.key)?.isToday ?? one.isToday
  const ordered = held.length > 0 ? people.toSorted((one, other) => rank(one) - rank(other) || 0) : [...people]
  const today = ordered.filter(standsToday)
  return {
    today: [...today.filter(({ key }) => key === front), ...today.filter(({ key }) => key !== front)],
    others: ordered.filter((one) => !standsToday(one))
  }
}

/** "Deed of gift", or "3 documents". */
export function whatTheySign({ entries }: Pick<QueuedPerson, 'entries'>): string {
  const [only] = entries
  return entries.length === 1 && only ? only.documentName : `${entries.length} documents`
}
