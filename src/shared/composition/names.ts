/** Display names of packages and their people. */
import { folded } from '../text-folding.ts'
import type { ComposedSigner, Composition } from './composition.ts'

/** What a person is called. */
export type Named = Pick<ComposedSigner, 'FirstName' | 'LastName' | 'Email'>

/** Returns a package's title: the name of its first form or template, and how many more there are. */
export function titleOf(composition: Composition): string {
  const names = composition.items.map((item) => item.Name.trim()).filter(Boolean)
  if (names.length === 0) return composition.kind === 'form-direct' ? 'Untitled forms' : 'Untitled templates'
  return names.length === 1 ? (names[0] as string) : `${names[0]} and ${names.length - 1} more`
}

/**
 * Returns the signers' names: "Mere Parata", "Mere Parata and Tama Brooks", "Mere Parata and 2 more"; blank if none has
 * a name.
 */
export function signersInWords(composition: Composition): string {
  const names = composition.items.flatMap((item) => item.signers.map(nameOrAddress)).filter(Boolean)
  const people = [...new Set(names)]
  if (people.length <= 2) return people.join(' and ')
  return `${people[0]} and ${people.length - 1} more`
}

/** Returns a name such as "Mere Parata", the e-mail address if there is no name yet, or blank if there is neither. */
export function nameOrAddress(signer: Named): string {
  const name = [signer.FirstName, signer.LastName]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ')
  return name || signer.Email.trim()
}

/** Returns whether another person is named than before. Completing a name, or writing it differently, isn't that. */
export function namesSomeoneElse(is: Named, was: Named): boolean {
  return (['FirstName', 'LastName', 'Email'] as const).some(
    (name) => was[name].trim() !== '' && folded(is[name]) !== folded(was[name])
  )
}
