/** Keys tell the parts of a package apart while it is composed. Those of a file from outside may be alike, or odd. */
import type { Composition } from '../../../shared/composition/index.ts'

/** Others could be mistaken for part of the path to a control, whose members are joined by dots. */
const PLAIN = /^[A-Za-z0-9][\w-]*$/

/** The composition with a new key wherever one is odd or was there before; as it is where none is. */
export function withKeysOfTheirOwn(composition: Composition, newKey: () => string): Composition {
  const taken = new Set<string>()
  function own<Part extends { key: string }>(part: Part): Part {
    const key = PLAIN.test(part.key) && !taken.has(part.key) ? part.key : newKey()
    taken.add(key)
    return { ...part, key }
  }
  return {
    ...composition,
    items: composition.items.map((item) => ({
      ...own(item),
      signers: item.signers.map((signer) => ({
        ...own(signer),
        ShareUsers: signer.ShareUsers.map(own),
        IDData: signer.IDData.map(own)
      })),
      fields: item.fields.map(own)
    })),
    ListItems: composition.ListItems.map(own)
  }
}
