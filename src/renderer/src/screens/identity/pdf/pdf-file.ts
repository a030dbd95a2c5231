/** What the preview needs of a PDF, whatever reads it. Pages count from 1; sizes are CSS pixels at 100 %. */

export interface PageSize {
  width: number
  height: number
}

export interface Painting {
  /** Canvas pixels for each CSS pixel at 100 %. */
  scale: number
  /** print: with what is meant for paper only. */
  purpose: 'screen' | 'paper'
  signal: AbortSignal
}

export interface PdfFile {
  readonly pages: number
  sizeOf(page: number): Promise<PageSize>
  /** Sets the canvas's size and paints the page on it, as far as the page can be read. Rejects where `signal` ends it. */
  paint(page: number, canvas: HTMLCanvasElement, painting: Painting): Promise<void>
  /** The page's text, a line each. */
  textOf(page: number): Promise<string[]>
  /** Forgets the PDF and all that was made of it. */
  close(): void
}

/** The bytes are the reader's from then on. @throws UnreadablePdf */
export type OpenPdf = (bytes: Uint8Array<ArrayBuffer>) => Promise<PdfFile>

/** broken: not a PDF that can be read. password: it opens only with one. */
export type Unreadable = 'broken' | 'password'

export class UnreadablePdf extends Error {
  override readonly name = 'UnreadablePdf'
  readonly why: Unreadable

  constructor(why: Unreadable) {
    super(why)
    this.why = why
  }
}
