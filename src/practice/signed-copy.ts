/**
 * A document as a PDF to keep: its wording, field values, and who signed when. Reference section 2.21, `DocumentURL`.
 */
import { fullName } from '../shared/model/index.ts'
import { momentInWords } from './dates.ts'
import { hasSigned } from './life.ts'
import { shownValue } from './pages/controls.ts'
import { wordingOf } from './pages/paper.ts'
import { collectBytes, createPdf, type Fact, facts, heading, numberPages, paragraph, section } from './pdf-parts.ts'
import type { Account, DocumentRecord } from './state.ts'

/** Creates the copy as of now, in A4. */
export function signedCopy(document: DocumentRecord, account: Account): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = createPdf(document.name, account)
  const bytes = collectBytes(pdf)
  const wording = wordingOf(document.name)
  heading(pdf, document.name, account.name)
  paragraph(pdf, wording.opening)
  for (const { heading: title, paragraphs } of wording.sections) {
    section(pdf, title)
    for (const text of paragraphs) paragraph(pdf, text)
  }
  const filled = document.fields.filter((field) => field.value || field.type === 'CheckBox')
  if (filled.length > 0) {
    section(pdf, 'Details')
    facts(
      pdf,
      filled.map((field): Fact => [field.label, shownValue(field)])
    )
  }
  section(pdf, 'Declaration')
  paragraph(pdf, wording.declaration)
  section(pdf, 'Signatures')
  facts(
    pdf,
    document.signers
      .filter(hasSigned)
      .map((signer): Fact => [fullName(signer), `Signed ${momentInWords(signer.signedAt ?? 0, account.gmt)}`])
  )
  numberPages(pdf, account)
  pdf.end()
  return bytes
}
