/** Any composition that the contract accepts, derived from its schema; its keys are as the screens make them. */
import type fc from 'fast-check'
import { withKeysOfTheirOwn } from '../../../src/main/core/drafts/arriving.ts'
import { Composition } from '../../../src/shared/composition/index.ts'
import { arbitraryOf } from '../../contract/arbitrary-of-schema.ts'

/** As it arrives: a blank zone is written out. */
const Whole = Composition.extend({ zone: Composition.shape.zone.removeDefault() })

/** With any keys, alike and odd ones too. */
export const anyCompositionAtAll: fc.Arbitrary<Composition> = arbitraryOf(Whole)

export const anyComposition: fc.Arbitrary<Composition> = anyCompositionAtAll.map((composition) => {
  let keys = 0
  return withKeysOfTheirOwn(composition, () => `key-${++keys}`)
})
