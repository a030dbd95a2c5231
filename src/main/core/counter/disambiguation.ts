/**
 * Tells apart people with the same name: by how they are reached and, only if that isn't enough, by date of birth and
 * the reference that their document is filed under.
 */
import { readDay } from '../../../shared/composition/calendar.ts'
import type { ComposedSigner, Composition } from '../../../shared/composition/composition.ts'
import type { CounterEntry } from '../../../shared/contract/index.ts'
import { type DocumentResponse, fullName, type SignerResponse } from '../../../shared/model/index.ts'
import { getOrMake } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'

/** In digits: the last four of a shorter number would be nearly all of it. */
const MIN_MOBILE_DIGITS = 7
/** For how many people who can't be told apart we look for a date of birth: each is read from what was sent. */
const MAX_BIRTH_LOOKUPS = 50

type DocumentOf = (reference: string) => Promise<DocumentResponse | undefined>
type Named = Pick<CounterEntry, 'documentReference' | 'signer' | 'signerName' | 'person' | 'contact'>

/**
 * Adds contact details to the entries of people who share a name. Nobody else's are shown at a counter, where others
 * can read the screen.
 * @param others others who can sign here, whose names count as well.
 */
export async function disambiguate<Entry extends Named>(
  entries: readonly Entry[],
  documentOf: DocumentOf,
  others: readonly Named[] = []
): Promise<Entry[]> {
  const people = new Map<string, Set<string>>()
  for (const { signerName, person } of [...entries, ...others])
    getOrMake(people, folded(signerName), () => new Set<string>()).add(person)
  const isShared = ({ signerName }: Named) => (people.get(folded(signerName))?.size ?? 0) > 1
  return Promise.all(
    entries.map(async (entry) => {
      if (!isShared(entry)) return entry
      const contact = contactOf((await documentOf(entry.documentReference))?.Signers?.[entry.signer])
      return contact === undefined ? entry : { ...entry, contact }
    })
  )
}

/**
 * As `disambiguate`; if the contact details don't tell people apart either, also adds the document's matter and the
 * signer's date of birth, as far as known. These are for staff: none of them goes into a session.
 * @param compositionOf what a document was sent as; undefined if it wasn't sent from here
 */
export async function disambiguateForStaff<Entry extends CounterEntry>(
  entries: readonly Entry[],
  documentOf: DocumentOf,
  compositionOf: (reference: string) => Composition | undefined,
  others: readonly Named[] = []
): Promise<Entry[]> {
  const documents = new Map<string, Promise<DocumentResponse | undefined>>()
  const read = (reference: string) => getOrMake(documents, reference, () => documentOf(reference))
  const withContacts = await disambiguate(entries, read, others)
  const alike = alikeIn([...others, ...withContacts])
  let lookups = 0
  return Promise.all(
    withContacts.map(async (entry) => {
      if (!alike.has(folded(entry.signerName))) return entry
      const document = await read(entry.documentReference)
      const signer = document?.Signers?.[entry.signer]
      const matter = document?.MatterNumber?.trim()
      const mayLookUp = signer !== undefined && lookups++ < MAX_BIRTH_LOOKUPS
      const born = mayLookUp ? birthDateOf(() => compositionOf(entry.documentReference), signer) : undefined
      return { ...entry, ...(matter && { matter }), ...(born && { born }) }
    })
  )
}

/**
 * Adds a number to the turns of people in one session who share both name and contact details: the screen, the audit
 * trail and the receipts must not confuse them.
 */
export function numberNamesakes<Turn extends Named>(turns: readonly Turn[]): Turn[] {
  const alike = new Map<string, Set<string>>()
  const keyOf = ({ signerName, contact = '' }: Named) => JSON.stringify([signerName, contact])
  for (const turn of turns) getOrMake(alike, keyOf(turn), () => new Set<string>()).add(turn.person)
  return turns.map((turn) => {
    const people = [...(alike.get(keyOf(turn)) ?? [])]
    if (people.length < 2) return turn
    const number = `(${people.indexOf(turn.person) + 1})`
    return { ...turn, contact: turn.contact === undefined ? number : `${turn.contact} ${number}` }
  })
}

/**
 * Returns the names, folded, that are shared by people of whom at least one has no contact details, or the same as
 * another.
 */
function alikeIn(entries: readonly Named[]): ReadonlySet<string> {
  const names = new Map<string, Map<string, string | undefined>>()
  for (const { signerName, person, contact } of entries) {
    const people = getOrMake(names, folded(signerName), () => new Map<string, string | undefined>())
    people.set(person, contact === undefined ? people.get(person) : folded(contact))
  }
  return new Set(
    [...names].flatMap(([name, people]) => {
      const contacts = [...people.values()]
      const isDistinct = !contacts.includes(undefined) && new Set(contacts).size === contacts.length
      return people.size < 2 || isDistinct ? [] : [name]
    })
  )
}

/** Their e-mail address, or the end of their mobile number. */
function contactOf({ Email, MobileNumber }: SignerResponse = {}): string | undefined {
  const email = Email?.trim()
  if (email) return email
  const digits = (MobileNumber ?? '').replace(/\D/g, '')
  return digits.length < MIN_MOBILE_DIGITS ? undefined : `…${digits.slice(-4)}`
}

/** The signer's own date of birth, not a child's or a parent's. */
const OWN_BIRTH = /^(your |signer’s |signer's )?(date of birth|birth ?date|birthday|dob|born)( ?\([^)]*\))?\W*$/i

/**
 * Returns a signer's date of birth, `1980-03-12`, according to what was sent: an identity question to them, or a field
 * of a template that they alone sign.
 */
function birthDateOf(sentAs: () => Composition | undefined, signer: SignerResponse): string | undefined {
  let items: Composition['items']
  try {
    items = sentAs()?.items ?? []
  } catch {
    // What was sent can't be read any more; the queue works without it.
    return undefined
  }
  const isSameSigner = (one: ComposedSigner) => {
    if (folded(fullName(one)) !== folded(fullName(signer))) return false
    return (
      folded(one.Email) === folded(signer.Email ?? '') && digitsOf(one.MobileNumber) === digitsOf(signer.MobileNumber)
    )
  }
  const candidates = items.flatMap(({ signers, fields }) => {
    const matches = signers.filter(isSameSigner)
    const answers = matches.flatMap(({ IDData }) => IDData.filter(({ DataType }) => DataType === 'date'))
    return [...answers, ...(signers.length === 1 && matches.length === 1 ? fields : [])]
  })
  const days = candidates.flatMap(({ Label, Value }) =>
    OWN_BIRTH.test(Label.trim().replaceAll('.', '')) ? (readDay(Value) ?? []) : []
  )
  // Two different dates belong to two people.
  return new Set(days).size === 1 ? days[0] : undefined
}

const digitsOf = (number = '') => number.replace(/\D/g, '').replace(/^0+/, '')
