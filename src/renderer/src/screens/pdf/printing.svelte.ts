/** Prints a PDF: paints its pages, lays them out for paper, opens the system's dialog, and discards them. */
import type { AppError } from '../../../../shared/contract/errors.ts'
import { type Api, settled } from '../../api.ts'
import { paintScale } from './page-layout.ts'
import type { PdfFile } from './pdf-viewer.svelte.ts'

export class Printing {
  #paintedCount = $state<number>()
  #sheets = $state.raw<readonly Sheet[]>([])
  #error = $state.raw<AppError>()
  #abortController = new AbortController()
  readonly #api: Api
  readonly #paint: typeof paintSheets
  /** Waits until the sheets are rendered. */
  readonly #whenLaidOut: () => Promise<void>

  constructor(api: Api, whenLaidOut: () => Promise<void>, paint: typeof paintSheets = paintSheets) {
    this.#api = api
    this.#whenLaidOut = whenLaidOut
    this.#paint = paint
  }

  /** The sheets currently rendered for printing. */
  get sheets() {
    return this.#sheets
  }
  /** Number of pages ready for printing; undefined when idle. */
  get paintedCount() {
    return this.#paintedCount
  }
  get error() {
    return this.#error
  }

  async print(file: PdfFile): Promise<void> {
    if (this.#paintedCount !== undefined) return
    this.#error = undefined
    if (file.pages > MAX_PRINTED_PAGES) {
      const message = `This PDF has more than ${MAX_PRINTED_PAGES} pages.`
      this.#error = { code: 'too-large', message }
      return
    }
    const stop = new AbortController()
    this.#abortController = stop
    this.#paintedCount = 0
    try {
      this.#sheets = await this.#paint(file, (count) => (this.#paintedCount = count), stop.signal)
      await this.#whenLaidOut()
      if (stop.signal.aborted) return
      const printed = await settled(this.#api.pdf.print())
      if (!printed.ok) this.#error = printed.error
    } catch {
      // Without a page the report would have a gap, so print nothing instead.
      if (!stop.signal.aborted) this.#error = { code: 'internal', message: 'A page couldn’t be prepared for printing.' }
    } finally {
      this.#sheets = []
      this.#paintedCount = undefined
    }
  }

  /** Stops printing, as when the PDF is cleared. What the system's dialog already has can't be withdrawn. */
  cancel(): void {
    this.#abortController.abort()
    this.#sheets = []
  }
}

/** Dots per inch of a printed page, and CSS pixels per inch. */
const PRINT_DPI = 200
const CSS_DPI = 96
/** More pages would take too much memory; the saved file can be printed instead. */
export const MAX_PRINTED_PAGES = 100

export interface Sheet {
  /** A PNG as a data: URL, as browsers may store blobs on disk. */
  picture: string
  isLandscape: boolean
}

/**
 * Paints all pages. Rejects if `signal` aborts.
 * @param onPainted called after each page.
 */
async function paintSheets(file: PdfFile, onPainted: (count: number) => void, signal: AbortSignal): Promise<Sheet[]> {
  const sheets: Sheet[] = []
  const canvas = document.createElement('canvas')
  try {
    for (let page = 1; page <= file.pages; page++) {
      const size = await file.sizeOf(page)
      await file.paint(page, canvas, { scale: paintScale(size, PRINT_DPI / CSS_DPI), purpose: 'paper', signal })
      sheets.push({ picture: canvas.toDataURL('image/png'), isLandscape: size.width > size.height })
      onPainted(page)
    }
    return sheets
  } finally {
    freeCanvas(canvas)
  }
}

/** Frees a canvas's memory at once, without waiting for garbage collection. */
export function freeCanvas(canvas: HTMLCanvasElement): void {
  canvas.width = 0
  canvas.height = 0
}
