/**
 * One look at a document's PDF, the report of its identity check or the signed document: fetched, shown, and cleared. Cleared, nothing of it is left in the page or in the
 * main process; shown again, it is fetched again.
 */
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { PdfKind } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'

/** After so many milliseconds without a hand on it, it is cleared. */
export const IDLE = 5 * 60_000
/** Of so many pages the size is known before they are shown; a later one is fitted into the place of one like the first. */
const MEASURED = 100

/** idle: nobody touched it. person: someone at the counter was given the screen. away: the computer was locked, or slept. */
export type WhyCleared = 'idle' | 'person' | 'away'

export type LookPhase =
  | { what: 'fetching'; received: number; length: number | undefined }
  | { what: 'shown'; file: PdfFile; sizes: readonly PageSize[] }
  | { what: 'cleared'; why: WhyCleared }
  | { what: 'failed'; error: AppError }
  | { what: 'unreadable'; why: Unreadable }

export interface LookParts {
  api: Api
  clock: Clock
  reference: string
  kind: PdfKind
  openPdf: OpenPdf
}

export class PdfLook {
  #phase = $state.raw<LookPhase>({ what: 'fetching', received: 0, length: undefined })
  #name = $state<string>()
  #from = $state<string>()
  /** Grows with each beginning and each clearing: what an earlier one brings is not for now. */
  #round = 0
  #touchedAt = 0
  #stopWaiting = () => {}
  #putAway = () => {}
  readonly #parts: LookParts

  constructor(parts: LookParts) {
    this.#parts = parts
  }

  get phase() {
    return this.#phase
  }
  /** The document's name, once it is known. */
  get name() {
    return this.#name
  }

  /** Where a signed document comes from, if that isn't the account's own service. */
  get from() {
    return this.#from
  }

  /** Fetches it, and shows it. Nobody touching the page for a while ends it at any moment. */
  async show(): Promise<void> {
    const round = this.#begin()
    this.#phase = { what: 'fetching', received: 0, length: undefined }
    const bytes = await this.#fetch(round)
    if (!bytes || round !== this.#round) return
    let file: PdfFile | undefined
    try {
      file = await this.#parts.openPdf(bytes)
      const sizes = await sizesOf(file)
      if (round !== this.#round) return file.close()
      const shown = file
      this.#putAway = () => shown.close()
      this.#phase = { what: 'shown', file, sizes }
    } catch (error) {
      file?.close()
      if (round === this.#round)
        this.#phase = { what: 'unreadable', why: error instanceof UnreadablePdf ? error.why : 'broken' }
    }
  }

  /** A hand is on the page. */
  touch(): void {
    this.#touchedAt = this.#parts.clock.monotonic()
  }

  /** Forgets the PDF, and says so. What had failed stays said. */
  clear(why: WhyCleared): void {
    if (this.#phase.what !== 'shown' && this.#phase.what !== 'fetching') return
    this.#end()
    this.#phase = { what: 'cleared', why }
  }

  /** The page is left. */
  leave(): void {
    this.#end()
  }

  #begin(): number {
    this.#end()
    this.touch()
    this.#waitUntilIdle(IDLE)
    return this.#round
  }

  #end(): void {
    this.#round++
    this.#stopWaiting()
    this.#putAway()
    this.#putAway = () => {}
  }

  #waitUntilIdle(wait: number): void {
    const { clock } = this.#parts
    this.#stopWaiting = clock.after(wait, () => {
      const left = this.#touchedAt + IDLE - clock.monotonic()
      if (left > 0) this.#waitUntilIdle(left)
      else this.clear('idle')
    })
  }

  async #fetch(round: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { api, reference, kind } = this.#parts
    const opened = await settled(api.pdf.open({ reference, kind }))
    if (!opened.ok) {
      if (round === this.#round) this.#phase = { what: 'failed', error: opened.error }
      return undefined
    }
    const { id, length, documentName } = opened.value
    const close = () => void settled(api.pdf.close({ id }))
    if (round !== this.#round) {
      close()
      return undefined
    }
    this.#putAway = close
    this.#name = documentName
    this.#from = opened.value.from
    const parts: Uint8Array[] = []
    let received = 0
    for (;;) {
      this.#phase = { what: 'fetching', received, length }
      const next = await settled(api.pdf.next({ id }))
      if (round !== this.#round) return undefined
      if (!next.ok) {
        this.#phase = { what: 'failed', error: next.error }
        return undefined
      }
      parts.push(next.value.bytes)
      received += next.value.bytes.byteLength
      if (next.value.isLast) return joined(parts, received)
    }
  }
}

async function sizesOf(file: PdfFile): Promise<PageSize[]> {
  const sizes: PageSize[] = []
  for (let page = 1; page <= Math.min(file.pages, MEASURED); page++) sizes.push(await file.sizeOf(page))
  const [first] = sizes
  if (!first) throw new UnreadablePdf('broken')
  return Array.from({ length: file.pages }, (_none, index) => sizes[index] ?? first)
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

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

/** What is needed of a PDF, whatever reads it. Pages count from 1; sizes are CSS pixels at 100 %. */
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
type Unreadable = 'broken' | 'password'

export class UnreadablePdf extends Error {
  override readonly name = 'UnreadablePdf'
  readonly why: Unreadable

  constructor(why: Unreadable) {
    super(why)
    this.why = why
  }
}
