/** How someone in the address book is told from others. */
import type { KnownPerson } from '../../../../shared/contract/views.ts'

type NamedAddress = Pick<KnownPerson, 'FirstName' | 'LastName' | 'Email'>

/** Returns what the requests about an entry identify it by. */
export function addressOf({ FirstName, LastName, Email }: NamedAddress): NamedAddress {
  return { FirstName, LastName, Email }
}

export function keyOf({ Email, FirstName, LastName }: NamedAddress): string {
  return JSON.stringify([Email, FirstName, LastName])
}
