/** People of the address book as signers. */
import type { ComposedShareUser, ComposedSigner } from '../../../../../shared/composition/composition.ts'
import type { PersonView } from '../../../../../shared/contract/views.ts'
import { fullName } from '../../../../../shared/model/person.ts'
import type { Suggestion } from '../../../ui/suggestion.ts'

/**
 * Makes the signer this person: all that is known of who they are, blanks included, for a number or an address that
 * stayed would be someone else's. How they sign stays.
 */
export function becomePerson(signer: ComposedSigner, person: PersonView): void {
  Object.assign(signer, asPerson(signer, person))
}

/** As `becomePerson`, of a copy. */
export function asPerson(signer: ComposedSigner, person: PersonView): ComposedSigner {
  const { FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber } = person
  return { ...signer, FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber }
}

/** As `becomePerson`, for someone with whom a document is shared. */
export function sharePerson(user: ComposedShareUser, person: PersonView): void {
  const { FirstName, MiddleName, LastName, Email } = person
  Object.assign(user, { FirstName, MiddleName, LastName, Email })
}

/** Whether nothing says yet who this signer is. */
export function isNobodyYet(signer: ComposedSigner): boolean {
  return ![signer.FirstName, signer.LastName, signer.Email, signer.MobileNumber].some((text) => text.trim())
}

/** People as a field offers them; the value is their place in the list. */
export function offeredPeople(people: readonly PersonView[]): Suggestion[] {
  return people.map((person, index) => ({ value: String(index), label: fullName(person), note: person.Email }))
}
