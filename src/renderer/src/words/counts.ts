import type { SignerProgress } from '../../../shared/contract/views.ts'

/** Joins names: "Mere", "Mere and Tama", "Mere, Tama and 3 more". */
export function listed(names: readonly string[], limit = 3): string {
  if (names.length <= 1) return names[0] ?? ''
  if (names.length <= limit) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return `${names.slice(0, limit - 1).join(', ')} and ${names.length - limit + 1} more`
}

/** Capitalises the first letter, to start a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the one who declined; undefined if nobody did, or several. */
export function onlyDecliner<Signer extends Pick<SignerProgress, 'state'>>(
  signers: readonly Signer[]
): Signer | undefined {
  const [first, ...others] = signers.filter(({ state }) => state === 'declined')
  return others.length === 0 ? first : undefined
}

/** Returns how many have signed. Undefined if the service doesn't report on all of them. */
export function signedOf(signers: readonly Pick<SignerProgress, 'state'>[]): number | undefined {
  const isKnown = signers.every(({ state }) => state !== 'unknown')
  return isKnown ? signers.filter(({ state }) => state === 'signed').length : undefined
}
