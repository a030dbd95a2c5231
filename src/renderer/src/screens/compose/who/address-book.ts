/** People of the address book: what tells them apart, and how they become signers. */
import type { ComposedShareUser, ComposedSigner } from '../../../../../shared/composition/composition.ts'
import type { PersonView } from '../../../../../shared/contract/views.ts'
import { fullName } from '../../../../../shared/model/person.ts'
import { folded } from '../../../../../shared/text-folding.ts'
import type { Suggestion } from '../../../ui/suggestion.ts'

/**
 * Makes the signer this person. Copies everything known about who they are, including blanks: a number or address left
 * behind would be someone else's, and so would identity answers, which are hidden. How they sign is unchanged.
 */
export function fillInPerson(signer: ComposedSigner, person: PersonView): void {
  Object.assign(signer, withPerson(signer, person))
}

/** Like `fillInPerson`, on a copy; the person may be another signer. */
export function withPerson(signer: ComposedSigner, person: PersonView | ComposedSigner): ComposedSigner {
  const { FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber } = person
  const isSame = signer.Email.trim() !== '' && folded(signer.Email) === folded(Email)
  const IDData = isSame ? signer.IDData : signer.IDData.map((one) => ({ ...one, Value: '' }))
  return { ...signer, FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber, IDData }
}

/** Like `fillInPerson`, for someone a document is shared with. */
export function fillInShareUser(user: ComposedShareUser, person: PersonView): void {
  const { FirstName, MiddleName, LastName, Email } = person
  Object.assign(user, { FirstName, MiddleName, LastName, Email })
}

export function isBlankSigner(signer: ComposedSigner): boolean {
  return ![signer.FirstName, signer.LastName, signer.Email, signer.MobileNumber].some((text) => text.trim())
}

/** Returns people as suggestions; the value is their index in the list. */
export function personSuggestions(people: readonly PersonView[]): Suggestion[] {
  return people.map((person, index) => ({ value: String(index), label: fullName(person), note: person.Email }))
}

type NamedAddress = Pick<PersonView, 'FirstName' | 'LastName' | 'Email'>

/** Returns what the requests about an entry identify it by. */
export function addressOf({ FirstName, LastName, Email }: NamedAddress): NamedAddress {
  return { FirstName, LastName, Email }
}

/** Returns what tells an entry from others. */
export function keyOf({ Email, FirstName, LastName }: NamedAddress): string {
  return JSON.stringify([Email, FirstName, LastName])
}
