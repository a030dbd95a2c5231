/** What a bulk send starts from, also while a batch's left-out rows may still be sent. */
import type { Composition } from '../../../shared/composition/composition.ts'

/** The package that rows fill in: its own values apply wherever a row has none, except another person’s (rowMapper). */
export interface BulkBase {
  from: 'preset' | 'draft' | 'template' | 'form'
  name: string
  composition: Composition
}
