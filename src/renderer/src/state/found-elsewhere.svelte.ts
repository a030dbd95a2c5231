/** Someone who was looked for at the counter and isn't in the queue: looked for in all documents, with what keeps them away. */
import type { DocumentPage } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'
import { FoundDocuments } from './found-documents.svelte.ts'

/** Milliseconds without a key until they are looked for. */
const TYPING = 250

export class FoundElsewhere {
  #pages = $state.raw<readonly DocumentPage[]>([])
  #words = $state('')
  #newest = 0
  #stop = () => {}
  readonly #api: Api
  readonly #clock: Clock
  readonly #found: FoundDocuments

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#clock = clock
    this.#found = new FoundDocuments(api)
  }

  /** The few documents that were found, in full. */
  get pages() {
    return this.#pages
  }
  /** What was looked for; '' while nothing was, or it isn't known yet. */
  get words() {
    return this.#words
  }

  /** Looks for them once nothing was typed for a moment; '' forgets what was found. */
  find(words: string): void {
    this.#stop()
    const mine = ++this.#newest
    if (words === '') {
      this.#pages = []
      this.#words = ''
      return
    }
    this.#stop = this.#clock.after(TYPING, () => void this.#look(words, mine))
  }

  async #look(words: string, mine: number): Promise<void> {
    await this.#found.find(words)
    const results = await Promise.all(
      this.#found.rows.map(({ reference }) => settled(this.#api.documents.get({ reference })))
    )
    if (mine !== this.#newest) return
    this.#pages = results.flatMap((result) => (result.ok ? [result.value] : []))
    this.#words = words
  }
}
