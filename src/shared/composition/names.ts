/** What packages and their people are called. */
import type { ComposedSigner, Composition } from './composition.ts'

/** What to call a package: its first form's or template's name, and how many more. */
export function titleOf(composition: Composition): string {
  const names = composition.items.map((item) => item.Name.trim()).filter(Boolean)
  if (names.length === 0) return composition.kind === 'form-direct' ? 'Untitled forms' : 'Untitled templates'
  return names.length === 1 ? (names[0] as string) : `${names[0]} and ${names.length - 1} more`
}

/** The signers by name: "Mere Parata", "Mere Parata and Tama Brooks", "Mere Parata and 2 more"; blank where none is named. */
export function whoOf(composition: Composition): string {
  const names = composition.items.flatMap((item) => item.signers.map(nameOrAddress)).filter(Boolean)
  const people = [...new Set(names)]
  if (people.length <= 2) return people.join(' and ')
  return `${people[0]} and ${people.length - 1} more`
}

/** "Mere Parata"; the address of someone who has no name yet, and blank for someone who has neither. */
export function nameOrAddress(signer: Pick<ComposedSigner, 'FirstName' | 'LastName' | 'Email'>): string {
  const name = [signer.FirstName, signer.LastName]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ')
  return name || signer.Email.trim()
}
