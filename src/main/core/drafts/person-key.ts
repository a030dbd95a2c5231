/** What tells the entries of the address book apart. */
import type { PersonView } from '../../../shared/contract/index.ts'

export interface PersonKey {
  emailKey: string
  /** Tells people at one address apart. */
  nameKey: string
}

export function keyOf({ FirstName, LastName, Email }: Pick<PersonView, 'FirstName' | 'LastName' | 'Email'>): PersonKey {
  return { emailKey: normalized(Email), nameKey: normalized(`${FirstName} ${LastName}`) }
}

export function isSameKey(one: PersonKey, other: PersonKey): boolean {
  return one.emailKey === other.emailKey && one.nameKey === other.nameKey
}

export function normalized(text: string): string {
  return text.trim().toLowerCase()
}
