/** Files that are dropped on the window: what can be done with each kind, and who takes it. */
import { SvelteSet } from 'svelte/reactivity'

/** What a file is, as far as its name and type tell. Before it is dropped, the system tells only its type. */
export type DroppedKind = 'rows' | 'xml' | 'pdf' | 'picture' | 'drafts' | 'other' | 'unknown'

/** A field that takes an XML file. */
interface XmlTaker {
  element: () => HTMLElement | undefined
  take: (file: File) => void
}

const byEnding: Record<string, DroppedKind> = {
  ...{ csv: 'rows', tsv: 'rows', txt: 'rows', xlsx: 'rows', xlsm: 'rows', xls: 'rows' },
  ...{ xml: 'xml', pdf: 'pdf', countersign: 'drafts' }
}

const byType: Record<string, DroppedKind> = {
  'text/csv': 'rows',
  'text/plain': 'rows',
  'text/tab-separated-values': 'rows',
  'application/csv': 'rows',
  'application/vnd.ms-excel': 'rows',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'rows',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'application/pdf': 'pdf'
}

/** @param name undefined while it isn't known. */
export function kindOfDropped(type: string, name?: string): DroppedKind {
  const ending = name?.match(/\.([^.]+)$/)?.[1]?.toLowerCase()
  const known = (ending && byEnding[ending]) || byType[type]
  if (known) return known
  if (type.startsWith('image/')) return 'picture'
  return type === '' && name === undefined ? 'unknown' : 'other'
}

export class Drops {
  #rows = $state.raw<File>()
  readonly #xml = new SvelteSet<XmlTaker>()

  /** A file of rows that waits for the screen of bulk sending. */
  get rows(): File | undefined {
    return this.#rows
  }

  bringRows(file: File): void {
    this.#rows = file
  }

  rowsTaken(): void {
    this.#rows = undefined
  }

  /** @returns what takes it back. */
  provideXml(taker: XmlTaker): () => void {
    this.#xml.add(taker)
    return () => this.#xml.delete(taker)
  }

  /** How many fields there are that take XML. */
  get xmlFields(): number {
    return this.#xml.size
  }

  /** Gives XML to the field that it was dropped on, or to the only one there is; answers whether there is such a field. */
  bringXml(file: File, target: Element | undefined): boolean {
    const all = [...this.#xml]
    const under = all.find((taker) => target && taker.element()?.contains(target))
    const taker = under ?? (all.length === 1 ? all[0] : undefined)
    taker?.take(file)
    return taker !== undefined
  }
}
