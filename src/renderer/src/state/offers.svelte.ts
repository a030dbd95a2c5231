/** What the screen that is shown can do, offered to the palette, the application's menu and the keys that work anywhere. */

import type { FileText } from '@lucide/svelte'
import { SvelteSet } from 'svelte/reactivity'
import type { RequestName } from '../../../shared/contract/requests.ts'

/** Something that can be done at this moment. */
export interface Offer {
  /** Tells it from the others: menus ask for it by this name. */
  name: string
  label: string
  /** What it is done with, as “Deed of gift” or “3 documents”; blank for what has a key or a button of its own everywhere. */
  about: string
  icon?: typeof FileText
  key?: string
  /** Why it can't be done now. */
  why?: string
  /** The request that it leads to, which the role of who works here may refuse. */
  takes?: RequestName
  run: () => void
}

type Source = () => readonly Offer[]

export class Offers {
  readonly #sources = new SvelteSet<Source>()

  /** @returns what takes them back. Read whenever someone looks, so that they are as things stand then. */
  provide(source: Source): () => void {
    this.#sources.add(source)
    return () => this.#sources.delete(source)
  }

  get list(): readonly Offer[] {
    return [...this.#sources].flatMap((source) => source())
  }

  find(name: string): Offer | undefined {
    return this.list.find((offer) => offer.name === name)
  }
}
