/** The practice office's first preset, for trying a bulk send at once: a letter that one client signs. */
import { blankComposition, blankItem, blankSigner, type Composition } from '../../../shared/composition/index.ts'

export const PRACTICE_PRESET: { readonly name: string; readonly composition: Composition } = {
  name: 'Client engagement letter',
  composition: {
    ...blankComposition('form-direct', 'practice'),
    items: [
      {
        ...blankItem('letter'),
        Name: 'Client engagement letter',
        Reference: 'engagement-letter',
        FormType: '1',
        signers: [blankSigner('client')]
      }
    ]
  }
}
