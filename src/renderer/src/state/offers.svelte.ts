/** The current screen's actions, offered to the palette, the application menu and the global shortcuts. */

import type { FileText } from '@lucide/svelte'
import { SvelteSet } from 'svelte/reactivity'
import type { RequestName } from '../../../shared/contract/requests.ts'

/** An action available now. */
export interface Offer {
  /** Unique; menus refer to the action by this name. */
  name: string
  label: string
  /**
   * What the action applies to, such as “Deed of gift” or “3 documents”. Blank if it has its own shortcut or button
   * everywhere.
   */
  about: string
  icon?: typeof FileText
  key?: string
  /** Why it is unavailable now. */
  why?: string
  /** The request it leads to, which the staff member's role may refuse. */
  request?: RequestName
  run: () => void
}

type Source = () => readonly Offer[]

export class Offers {
  readonly #sources = new SvelteSet<Source>()

  /**
   * Registers a source, which is read on every access so that its actions are current. @returns a function that
   * unregisters it.
   */
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
