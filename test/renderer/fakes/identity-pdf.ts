/** The made-up office's identity check report: the same for every document, served in small parts. */
import { pdfOf } from '../../fixtures/pdfs.ts'
import { byId, Failure, type FakeOffice, type HandlersOf } from './office.ts'

const PART = 1000

/** Returns a report of three pages, one of them in landscape. */
export function pdf(): Uint8Array {
  const words = ['Result: passed', 'Face match: 96 %', 'Document: Driver Licence', 'Expires: 4 March 2031']
  return pdfOf([
    { lines: ['Identity verification report', '', 'Mere Parata', ...words] },
    { lines: ['The card, front and back', '', 'No attention is needed.'], width: 842, height: 595 },
    { lines: Array.from({ length: 28 }, (_none, index) => `Line ${index + 1} of what was checked and when.`) }
  ])
}

export function fakeIdentityPdf(office: FakeOffice): HandlersOf<'pdf'> {
  const { state } = office
  let open: { id: string; rest: Uint8Array } | undefined
  return {
    'pdf.open': ({ reference }) => {
      const document = byId(
        state.documents.map((one) => ({ ...one, id: one.reference })),
        reference
      )
      open = { id: office.newId('look'), rest: state.pdf }
      const { pdfFrom: from } = state
      const more = { length: open.rest.length, ...(from && { from }) }
      return { id: open.id, documentReference: reference, documentName: document.name, ...more }
    },
    'pdf.next': ({ id }) => {
      if (open?.id !== id) throw new Failure('gone')
      const bytes = open.rest.slice(0, PART)
      open.rest = open.rest.slice(PART)
      return { bytes, isLast: open.rest.length === 0 }
    },
    'pdf.close': ({ id }) => {
      if (open?.id === id) open = undefined
      return null as never
    },
    'pdf.print': () => ({ isPrinted: state.printerTakes })
  }
}
