/** Building blocks of the practice office's PDFs: A4 pages, headings, facts, paragraphs and page numbers. */
import PDFDocument from 'pdfkit'
import { resource } from './resources.ts'
import type { Account } from './state.ts'

const ACCENT = '#0d5c66'
export const TEXT = '#16232a'
export const QUIET = '#55666f'
export const LINE = '#d3dde1'
/** A4 and its margin, in points. */
export const PAGE = { width: 595.28, height: 841.89, margin: 54 }
export const INNER_WIDTH = PAGE.width - PAGE.margin * 2

export type Pdf = InstanceType<typeof PDFDocument>

/** Creates an empty PDF with A4 pages. */
export function createPdf(title: string, account: Account): Pdf {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: PAGE.margin,
    bufferPages: true,
    // The library looks for its own fonts next to its files, which a bundle doesn't have, and they lack macrons.
    font: resource('public-sans-regular.ttf') as unknown as string,
    info: {
      Title: title,
      Author: account.name,
      Subject: 'Practice: nothing in it is real'
    },
    lang: 'en-NZ',
    displayTitle: true
  })
  pdf.registerFont('regular', resource('public-sans-regular.ttf') as unknown as Buffer)
  pdf.registerFont('bold', resource('public-sans-semibold.ttf') as unknown as Buffer)
  return pdf
}

export function collectBytes(pdf: Pdf): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    pdf.on('data', (piece: Uint8Array<ArrayBuffer>) => pieces.push(piece))
    pdf.on('error', reject)
    pdf.on('end', () => {
      new Blob(pieces).arrayBuffer().then((buffer) => resolve(new Uint8Array(buffer)), reject)
    })
  })
}

export function heading(pdf: Pdf, title: string, under: string): void {
  pdf.rect(0, 0, PAGE.width, 8).fill(ACCENT)
  setStyle(pdf, 'bold', 22, TEXT).text(title, PAGE.margin, 62, { width: INNER_WIDTH })
  setStyle(pdf, 'regular', 10.5, QUIET).text(under, { width: INNER_WIDTH })
  pdf.y += 18
}

export function section(pdf: Pdf, title: string): void {
  ensureRoom(pdf, 80)
  setStyle(pdf, 'bold', 12, ACCENT).text(title, PAGE.margin, pdf.y + 16)
  pdf.y += 5
}

/** Starts a new page if fewer points than this are left. */
function ensureRoom(pdf: Pdf, points: number): void {
  if (pdf.y > PAGE.height - PAGE.margin - points) pdf.addPage()
}

export function paragraph(pdf: Pdf, text: string): void {
  setStyle(pdf, 'regular', 11, TEXT).text(text, PAGE.margin, pdf.y + 8, { width: INNER_WIDTH, lineGap: 3 })
}

export type Fact = [label: string, value: string]

export function facts(pdf: Pdf, rows: Fact[]): void {
  for (const [label, value] of rows) {
    ensureRoom(pdf, 30)
    const top = pdf.y
    setStyle(pdf, 'regular', 10, QUIET).text(label, PAGE.margin, top + 4, { width: 130 })
    const below = pdf.y
    setStyle(pdf, 'regular', 10, TEXT).text(value, PAGE.margin + 140, top + 4, { width: INNER_WIDTH - 140 })
    pdf.y = Math.max(below, pdf.y) + 4
    pdf
      .moveTo(PAGE.margin, pdf.y)
      .lineTo(PAGE.width - PAGE.margin, pdf.y)
      .lineWidth(0.6)
      .stroke(LINE)
  }
  pdf.x = PAGE.margin
}

export function numberPages(pdf: Pdf, account: Account): void {
  const { start, count } = pdf.bufferedPageRange()
  for (let index = 0; index < count; index++) {
    pdf.switchToPage(start + index)
    // Otherwise, text in the margin would start another page.
    pdf.page.margins.bottom = 0
    const y = PAGE.height - 36
    setStyle(pdf, 'regular', 8.5, QUIET).text(`${account.name}   ·   Practice`, PAGE.margin, y, { lineBreak: false })
    pdf.text(`${index + 1} of ${count}`, PAGE.margin, y, { width: INNER_WIDTH, align: 'right', lineBreak: false })
  }
}

export function setStyle(pdf: Pdf, font: 'regular' | 'bold', size: number, colour: string): Pdf {
  return pdf.font(font).fontSize(size).fillColor(colour)
}
