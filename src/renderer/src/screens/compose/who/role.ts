/** What a template calls somebody who signs, where that is a word and no bare identifier. */
import type { ComposedSigner, Composition } from '../../../../../shared/composition/composition.ts'

/** "Tenant" of the reference "tenant"; blank where the reference is none to be read, and for forms, which have none. */
export function roleInWords({ SignerReference }: ComposedSigner, kind: Composition['kind']): string {
  const reference = SignerReference.trim()
  if (kind !== 'form-filler' || !/^\p{L}[\p{L} -]{0,59}$/u.test(reference)) return ''
  return reference.replace(/^./u, (letter) => letter.toUpperCase())
}
