/** Putting a PDF on paper: painted page by page, laid out for paper, handed to the system's dialog, and forgotten. */
import type { AppError } from '../../../../../shared/contract/errors.ts'
import { type Api, settled } from '../../../api.ts'
import { MOST_PRINTED, type Sheet, sheetsOf } from './paper.ts'
import type { PdfFile } from './pdf-file.ts'

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
      const printed = await settled(this.#api.identityPdf.print())
      if (!printed.ok) this.#error = printed.error
    } catch {
      // A page that can't be painted leaves a gap in the report: nothing is better than that.
      if (!stop.signal.aborted) this.#error = { code: 'internal', message: 'A page could not be made ready for paper.' }
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
