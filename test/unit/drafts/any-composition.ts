/**
 * Arbitraries of compositions that the contract accepts, derived from its schema; their keys are as the screens make
 * them.
 */
import type fc from 'fast-check'
import { withUniqueKeys } from '../../../src/main/core/drafts/importing.ts'
import { Composition } from '../../../src/shared/composition/index.ts'
import { arbitraryOf } from '../../contract/arbitrary-of-schema.ts'

/** A composition as it arrives: a blank zone is included. */
const Whole = Composition.extend({ zone: Composition.shape.zone.removeDefault() })

/** With any keys, including duplicate and odd ones. */
export const anyCompositionAtAll: fc.Arbitrary<Composition> = arbitraryOf(Whole)

export const anyComposition: fc.Arbitrary<Composition> = anyCompositionAtAll.map((composition) => {
  let keys = 0
  return withUniqueKeys(composition, () => `key-${++keys}`)
})
