/** Putting a PDF on paper: painted page by page, laid out for paper, handed to the system's dialog, and forgotten. */
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
  /** Waits until the sheets stand on the page. */
  readonly #laidOut: () => Promise<void>

  constructor(api: Api, laidOut: () => Promise<void>, paint: typeof sheetsOf = sheetsOf) {
    this.#api = api
    this.#laidOut = laidOut
    this.#paint = paint
  }

  /** What stands on the page for paper now. */
  get sheets() {
    return this.#sheets
  }
  /** Pages that are ready for paper; undefined while nothing is printed. */
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
      // A page that can't be painted leaves a gap in the report: nothing is better than that.
      if (!stop.signal.aborted) this.#error = { code: 'internal', message: 'A page couldn’t be prepared for printing.' }
    } finally {
      this.#sheets = []
      this.#painted = undefined
    }
  }

  /** Ends it, as when the PDF is cleared. What the system's dialog holds already is the system's. */
  end(): void {
    this.#stop.abort()
    this.#sheets = []
  }
}

/** Dots per inch of a printed page, and CSS pixels per inch. */
const FINE = 200
const CSS = 96
/** More pages than this at once would take too much memory; the file itself can be printed from the disk. */
export const MOST_PRINTED = 100

export interface Sheet {
  /** A PNG, as a data: address: a blob may be laid on the disk by the browser. */
  picture: string
  isLandscape: boolean
}

/** @param painted told after each page. Rejects where `signal` ends it. */
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

/** Gives a canvas's memory back at once, instead of whenever the browser tidies. */
export function release(canvas: HTMLCanvasElement): void {
  canvas.width = 0
  canvas.height = 0
}
