/** Prints a PDF: paints its pages, lays them out for paper, opens the system's dialog, and discards them. */
import type { AppError } from '../../../../shared/contract/errors.ts'
import { type Api, settled } from '../../api.ts'
import { paintScale } from './page-layout.ts'
import type { PdfFile } from './pdf-look.svelte.ts'

export class Printing {
  #painted = $state<number>()
  #sheets = $state.raw<readonly Sheet[]>([])
  #error = $state.raw<AppError>()
  #stop = new AbortController()
  readonly #api: Api
  readonly #paint: typeof sheetsOf
  /** Waits until the sheets are rendered. */
  readonly #laidOut: () => Promise<void>

  constructor(api: Api, laidOut: () => Promise<void>, paint: typeof sheetsOf = sheetsOf) {
    this.#api = api
    this.#laidOut = laidOut
    this.#paint = paint
  }

  /** The sheets currently rendered for printing. */
  get sheets() {
    return this.#sheets
  }
  /** Number of pages ready for printing; undefined when idle. */
  get painted() {
    return this.#painted
  }
  get error() {
    return this.#error
  }

  async print(file: PdfFile): Promise<void> {
    if (this.#painted !== undefined) return
    this.#error = undefined
    if (file.pages > MOST_PRINTED) {
      const message = `This PDF has more than ${MOST_PRINTED} pages.`
      this.#error = { code: 'too-large', message }
      return
    }
    const stop = new AbortController()
    this.#stop = stop
    this.#painted = 0
    try {
      this.#sheets = await this.#paint(file, (count) => (this.#painted = count), stop.signal)
      await this.#laidOut()
      if (stop.signal.aborted) return
      const printed = await settled(this.#api.pdf.print())
      if (!printed.ok) this.#error = printed.error
    } catch {
      // Without a page the report would have a gap, so print nothing instead.
      if (!stop.signal.aborted) this.#error = { code: 'internal', message: 'A page couldn’t be prepared for printing.' }
    } finally {
      this.#sheets = []
      this.#painted = undefined
    }
  }

  /** Stops printing, as when the PDF is cleared. What the system's dialog already has can't be withdrawn. */
  end(): void {
    this.#stop.abort()
    this.#sheets = []
  }
}

/** Dots per inch of a printed page, and CSS pixels per inch. */
const FINE = 200
const CSS = 96
/** More pages would take too much memory; the saved file can be printed instead. */
export const MOST_PRINTED = 100

export interface Sheet {
  /** A PNG as a data: URL, as browsers may store blobs on disk. */
  picture: string
  isLandscape: boolean
}

/**
 * Paints all pages. Rejects if `signal` aborts.
 * @param painted called after each page.
 */
async function sheetsOf(file: PdfFile, painted: (count: number) => void, signal: AbortSignal): Promise<Sheet[]> {
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

/** Frees a canvas's memory at once, without waiting for garbage collection. */
export function release(canvas: HTMLCanvasElement): void {
  canvas.width = 0
  canvas.height = 0
}
