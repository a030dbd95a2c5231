/** The pages of a PDF as pictures for paper. They are kept as text in memory: a blob may be laid on the disk by the browser. */
import { paintScale } from './page-layout.ts'
import type { PdfFile } from './pdf-file.ts'

/** Dots per inch of a printed page, and CSS pixels per inch. */
const FINE = 200
const CSS = 96
/** More pages than this at once would take too much memory; the file itself can be printed from the disk. */
export const MOST_PRINTED = 100

export interface Sheet {
  /** A PNG, as a data: address. */
  picture: string
  isLandscape: boolean
}

/** @param painted told after each page. Rejects where `signal` ends it. */
export async function sheetsOf(file: PdfFile, painted: (count: number) => void, signal: AbortSignal): Promise<Sheet[]> {
  const sheets: Sheet[] = []
  const canvas = document.createElement('canvas')
  try {
    for (let page = 1; page <= file.pages; page++) {
      const size = await file.sizeOf(page)
      await file.paint(page, canvas, { scale: paintScale(size, FINE / CSS), purpose: 'paper', signal })
      sheets.push({ picture: canvas.toDataURL('image/png'), isLandscape: size.width > size.height })
      painted(page)
    }
    return sheets
  } finally {
    release(canvas)
  }
}

/** Gives a canvas's memory back at once, instead of whenever the browser tidies. */
export function release(canvas: HTMLCanvasElement): void {
  canvas.width = 0
  canvas.height = 0
}
