/**
 * A view of a document's PDF, the report of its identity check or the signed document: fetched, shown and cleared.
 * After clearing, nothing of it is left in the page or the main process; showing it again fetches it again.
 */
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { PdfKind } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'

/** Time without use after which it is cleared, in milliseconds. */
export const IDLE_TIMEOUT = 5 * 60_000
/** Number of pages measured before they are shown; later ones are assumed to be like the first, and scaled to fit. */
const MEASURED = 100

/**
 * idle: not used for a while. person: the screen was handed to someone at the counter. away: the computer was locked or
 * asleep.
 */
export type ClearReason = 'idle' | 'person' | 'away'

export type ViewerPhase =
  | { what: 'fetching'; received: number; length: number | undefined }
  | { what: 'shown'; file: PdfFile; sizes: readonly PageSize[] }
  | { what: 'cleared'; why: ClearReason }
  | { what: 'failed'; error: AppError }
  | { what: 'unreadable'; why: UnreadableReason }

export interface ViewerDeps {
  api: Api
  clock: Clock
  reference: string
  kind: PdfKind
  openPdf: OpenPdf
}

export class PdfViewer {
  #phase = $state.raw<ViewerPhase>({ what: 'fetching', received: 0, length: undefined })
  #name = $state<string>()
  #source = $state<string>()
  /** Incremented by each start and each clearing, so that results of earlier rounds are ignored. */
  #generation = 0
  #touchedAt = 0
  #cancelIdleTimer = () => {}
  #release = () => {}
  readonly #deps: ViewerDeps

  constructor(deps: ViewerDeps) {
    this.#deps = deps
  }

  get phase() {
    return this.#phase
  }
  /** The document's name, once known. */
  get name() {
    return this.#name
  }

  /** Where a signed document comes from, if not the account's own service. */
  get source() {
    return this.#source
  }

  /** Fetches and shows it. It may be cleared at any time if the page isn't used. */
  async show(): Promise<void> {
    const generation = this.#begin()
    this.#phase = { what: 'fetching', received: 0, length: undefined }
    const bytes = await this.#fetch(generation)
    if (!bytes || generation !== this.#generation) return
    let file: PdfFile | undefined
    try {
      file = await this.#deps.openPdf(bytes)
      const sizes = await sizesOf(file)
      if (generation !== this.#generation) return file.close()
      const shown = file
      this.#release = () => shown.close()
      this.#phase = { what: 'shown', file, sizes }
    } catch (error) {
      file?.close()
      if (generation === this.#generation)
        this.#phase = { what: 'unreadable', why: error instanceof UnreadablePdf ? error.why : 'broken' }
    }
  }

  /** Records that the page is being used. */
  touch(): void {
    this.#touchedAt = this.#deps.clock.monotonic()
  }

  /** Discards the PDF and shows that it was cleared. An error stays shown. */
  clear(why: ClearReason): void {
    if (this.#phase.what !== 'shown' && this.#phase.what !== 'fetching') return
    this.#end()
    this.#phase = { what: 'cleared', why }
  }

  /** Discards the PDF when the page is left. */
  leave(): void {
    this.#end()
  }

  #begin(): number {
    this.#end()
    this.touch()
    this.#waitUntilIdle(IDLE_TIMEOUT)
    return this.#generation
  }

  #end(): void {
    this.#generation++
    this.#cancelIdleTimer()
    this.#release()
    this.#release = () => {}
  }

  #waitUntilIdle(wait: number): void {
    const { clock } = this.#deps
    this.#cancelIdleTimer = clock.after(wait, () => {
      const remaining = this.#touchedAt + IDLE_TIMEOUT - clock.monotonic()
      if (remaining > 0) this.#waitUntilIdle(remaining)
      else this.clear('idle')
    })
  }

  async #fetch(generation: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { api, reference, kind } = this.#deps
    const opened = await settled(api.pdf.open({ reference, kind }))
    if (!opened.ok) {
      if (generation === this.#generation) this.#phase = { what: 'failed', error: opened.error }
      return undefined
    }
    const { id, length, documentName } = opened.value
    const close = () => void settled(api.pdf.close({ id }))
    if (generation !== this.#generation) {
      close()
      return undefined
    }
    this.#release = close
    this.#name = documentName
    this.#source = opened.value.from
    const parts: Uint8Array[] = []
    let received = 0
    for (;;) {
      this.#phase = { what: 'fetching', received, length }
      const next = await settled(api.pdf.next({ id }))
      if (generation !== this.#generation) return undefined
      if (!next.ok) {
        this.#phase = { what: 'failed', error: next.error }
        return undefined
      }
      parts.push(next.value.bytes)
      received += next.value.bytes.byteLength
      if (next.value.isLast) return joinChunks(parts, received)
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

function joinChunks(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
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

export interface PaintOptions {
  /** Canvas pixels per CSS pixel at 100 %. */
  scale: number
  /** paper: includes content meant only for print. */
  purpose: 'screen' | 'paper'
  signal: AbortSignal
}

/** The operations needed on a PDF, independent of the library. Pages count from 1; sizes are CSS pixels at 100 %. */
export interface PdfFile {
  readonly pages: number
  sizeOf(page: number): Promise<PageSize>
  /** Sets the canvas's size and paints the page on it, as far as the page can be read. Rejects if `signal` aborts. */
  paint(page: number, canvas: HTMLCanvasElement, painting: PaintOptions): Promise<void>
  /** Returns the page's text by lines. */
  textOf(page: number): Promise<string[]>
  /** Discards the PDF and everything derived from it. */
  close(): void
}

/**
 * Opens a PDF. Takes ownership of the bytes.
 * @throws UnreadablePdf
 */
export type OpenPdf = (bytes: Uint8Array<ArrayBuffer>) => Promise<PdfFile>

/** broken: not a readable PDF. password: it needs a password. */
type UnreadableReason = 'broken' | 'password'

export class UnreadablePdf extends Error {
  override readonly name = 'UnreadablePdf'
  readonly why: UnreadableReason

  constructor(why: UnreadableReason) {
    super(why)
    this.why = why
  }
}
