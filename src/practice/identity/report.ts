/** The ID-verification report: a PDF with a summary, a page per person, and an explanation. */
import { fullName } from '../../shared/model/index.ts'
import { dayInWords, momentInWords } from '../dates.ts'
import {
  collectBytes,
  createPdf,
  type Fact,
  facts,
  heading,
  INNER_WIDTH,
  LINE,
  numberPages,
  PAGE,
  type Pdf,
  paragraph,
  QUIET,
  section,
  setStyle,
  TEXT
} from '../pdf-parts.ts'
import type { Account, DocumentRecord } from '../state.ts'
import type { Examination } from './findings.ts'

const OK = '#1c6b45'
const DANGER = '#a3261f'
const WARN = '#8a5a00'

/** Creates the report, in A4. */
export function createReport(
  document: DocumentRecord,
  account: Account,
  examinations: readonly Examination[]
): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = createPdf(`ID verification: ${document.name}`, account)
  const bytes = collectBytes(pdf)
  summary(pdf, document, account, examinations)
  for (const examination of examinations) {
    pdf.addPage()
    personPage(pdf, account, examination)
  }
  pdf.addPage()
  explanation(pdf, document, account)
  numberPages(pdf, account)
  pdf.end()
  return bytes
}

function summary(pdf: Pdf, document: DocumentRecord, account: Account, examinations: readonly Examination[]): void {
  heading(pdf, 'ID verification report', document.name)
  facts(pdf, [
    ['Document', document.name],
    ['Reference', document.reference],
    ...(document.matterNumber ? ([['Matter', document.matterNumber]] as Fact[]) : []),
    ['Sent by', `${fullName(account.user)}, ${account.name}`],
    ['Sent', momentInWords(document.createdAt, account.gmt)],
    ['People examined', String(examinations.length)]
  ])
  section(pdf, 'Results')
  for (const { signer, at, findings } of examinations) {
    const top = pdf.y
    pdf.roundedRect(PAGE.margin, top, INNER_WIDTH, 58, 6).lineWidth(0.8).stroke(LINE)
    setStyle(pdf, 'bold', 12, TEXT).text(fullName(signer), PAGE.margin + 14, top + 13, { lineBreak: false })
    setStyle(pdf, 'regular', 9, QUIET).text(
      `${signer.Email}   ·   ${momentInWords(at, account.gmt)}`,
      PAGE.margin + 14,
      top + 33,
      { lineBreak: false }
    )
    badge(pdf, verdict(findings), PAGE.width - PAGE.margin - 14, top + 18)
    pdf.y = top + 70
    pdf.x = PAGE.margin
  }
}

function verdict({ passed, attentions }: Examination['findings']): { word: string; colour: string } {
  if (!passed) return { word: 'Not passed', colour: DANGER }
  return attentions.length > 0 ? { word: 'Passed, please look', colour: WARN } : { word: 'Passed', colour: OK }
}

function personPage(pdf: Pdf, account: Account, { signer, at, findings, portrait, front, back }: Examination): void {
  heading(pdf, fullName(signer), `Examined ${momentInWords(at, account.gmt)}`)
  const top = pdf.y
  const size = { width: 128, height: 160 }
  picture(pdf, portrait, PAGE.margin, top, size, 'Before the camera')
  const cardWidth = 172
  const gap = 12
  const left = PAGE.margin + size.width + gap
  picture(pdf, front, left, top, { width: cardWidth, height: cardWidth * 0.63 }, 'Card, front')
  picture(pdf, back, left + cardWidth + gap - 8, top, { width: cardWidth, height: cardWidth * 0.63 }, 'Card, back')
  gauge(pdf, findings.faceMatch, findings.passed, left, top + 140, INNER_WIDTH - size.width - gap)
  pdf.x = PAGE.margin
  pdf.y = top + size.height + 34
  section(pdf, 'What the card says')
  facts(pdf, [
    ['Kind', findings.docClass],
    ['Number', findings.number],
    [
      'Name',
      `${signer.LastName.toUpperCase()}, ${[signer.FirstName, signer.MiddleName].filter(Boolean).join(' ').toUpperCase()}`
    ],
    ['Date of birth', day(findings.born)],
    ['Expires', day(findings.expires)],
    ['Issued by', `${findings.issuer} (${findings.country})`],
    ['Address', findings.address]
  ])
  section(pdf, 'What the office gave')
  facts(pdf, [
    ['Name', fullName(signer)],
    ['E-mail', signer.Email],
    ...(signer.MobileNumber
      ? ([['Mobile', `${signer.MobileCountry ?? ''} ${signer.MobileNumber}`.trim()]] as Fact[])
      : []),
    ['Asked', signer.idData.map((question) => question.Label).join(', ') || 'Video confirmation']
  ])
  section(pdf, 'To look at')
  if (findings.attentions.length === 0) setStyle(pdf, 'regular', 10, TEXT).text('Nothing.', PAGE.margin)
  for (const { Name, Detail } of findings.attentions) {
    setStyle(pdf, 'bold', 10, findings.passed ? WARN : DANGER).text(`${Name}: `, PAGE.margin, pdf.y, {
      continued: true
    })
    setStyle(pdf, 'regular', 10, TEXT).text(Detail)
  }
}

function explanation(pdf: Pdf, document: DocumentRecord, account: Account): void {
  heading(pdf, 'How to read this report', account.name)
  const paragraphs = [
    'This report was made by the practice service. The people, faces and cards in it are made up; it identifies nobody and proves nothing.',
    'Face match compares the face before the camera with the picture on the card. At 0.80 and above the two are taken for the same person.',
    'What is listed to look at does not fail a check. It is for a person to decide whether it matters.',
    `Documents are kept as long as the data retention policy says. This one was sent on ${dayInWords(document.createdAt, account.gmt)}; keep this report where you keep the file of the matter.`
  ]
  for (const text of paragraphs) paragraph(pdf, text)
  pdf.y += 14
  section(pdf, 'What happened to the document')
  for (const entry of document.logs.slice(-18)) {
    if (pdf.y > PAGE.height - 90) break
    setStyle(pdf, 'regular', 9, QUIET).text(momentInWords(entry.at, account.gmt), PAGE.margin, pdf.y, {
      width: 190,
      continued: false
    })
    pdf.moveUp()
    setStyle(pdf, 'regular', 9, TEXT).text(`${entry.name}: ${entry.action}`.slice(0, 120), PAGE.margin + 200, pdf.y, {
      width: INNER_WIDTH - 200
    })
    pdf.y += 4
  }
}

function badge(pdf: Pdf, { word, colour }: { word: string; colour: string }, right: number, top: number): void {
  setStyle(pdf, 'bold', 10, colour)
  const width = pdf.widthOfString(word) + 20
  pdf
    .roundedRect(right - width, top, width, 22, 11)
    .lineWidth(1)
    .stroke(colour)
  pdf.fillColor(colour).text(word, right - width + 10, top + 5, { lineBreak: false })
}

function picture(
  pdf: Pdf,
  image: Buffer,
  x: number,
  y: number,
  size: { width: number; height: number },
  label: string
): void {
  pdf.image(image, x, y, size)
  pdf.rect(x, y, size.width, size.height).lineWidth(0.6).stroke(LINE)
  setStyle(pdf, 'regular', 8.5, QUIET).text(label, x, y + size.height + 5, { lineBreak: false })
}

function gauge(pdf: Pdf, score: number, passed: boolean, x: number, y: number, width: number): void {
  setStyle(pdf, 'bold', 11, TEXT).text(`Face match ${score.toFixed(4)}`, x, y, { lineBreak: false })
  pdf.roundedRect(x, y + 19, width, 8, 4).fill(LINE)
  pdf.roundedRect(x, y + 19, width * score, 8, 4).fill(passed ? OK : DANGER)
  pdf
    .moveTo(x + width * 0.8, y + 16)
    .lineTo(x + width * 0.8, y + 30)
    .lineWidth(1)
    .stroke(TEXT)
  setStyle(pdf, 'regular', 8, QUIET).text('0.80', x + width * 0.8 - 9, y + 33, { lineBreak: false })
}

function day(iso: string): string {
  return dayInWords(Date.parse(`${iso}T00:00:00Z`), 0)
}
