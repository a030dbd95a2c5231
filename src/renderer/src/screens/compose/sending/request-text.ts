/** The request as it is shown: the same that goes, with answers masked, our own references named, long data shortened. */
import type { Composition } from '../../../../../shared/composition/composition.ts'
import { toFormDirectRequest, toFormFillerRequest } from '../../../../../shared/composition/request.ts'
import { inMegabytes } from '../data/xml-file.ts'

const MASK = '••••••'
/** Stands where Countersign gives a reference of its own as the package is put in the outbox. */
export const OUR_REFERENCE = '(a reference of its own, given as it is sent)'

/** XML beyond is shortened where it is shown. */
const SHOWN_XML = 2000

/** As it is read on the screen. @param answers the answers that identify people. */
export function shownRequest(composition: Composition, answers: 'shown' | 'masked'): string {
  return textOf(shortened(answers === 'shown' ? composition : withMaskedAnswers(composition)))
}

/** As it may leave the screen: masked in any case, and nothing of it shortened. */
export function copiedRequest(composition: Composition): string {
  return textOf(withMaskedAnswers(composition))
}

function textOf(composition: Composition): string {
  const mark = () => OUR_REFERENCE
  const request =
    composition.kind === 'form-direct' ? toFormDirectRequest(composition, mark) : toFormFillerRequest(composition, mark)
  return JSON.stringify(request, null, 2)
}

function withMaskedAnswers(composition: Composition): Composition {
  return {
    ...composition,
    items: composition.items.map((item) => ({
      ...item,
      signers: item.signers.map((signer) => ({
        ...signer,
        IDData: signer.IDData.map((one) => ({ ...one, Value: one.Value ? MASK : '' }))
      }))
    }))
  }
}

function shortened(composition: Composition): Composition {
  return {
    ...composition,
    items: composition.items.map((item) =>
      item.XMLData.length <= SHOWN_XML
        ? item
        : {
            ...item,
            XMLData: `${item.XMLData.slice(0, SHOWN_XML)}… (shortened here; ${inMegabytes(item.XMLData.length)} in all)`
          }
    )
  }
}
