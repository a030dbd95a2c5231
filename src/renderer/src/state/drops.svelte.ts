/** Files dropped on the window: what can be done with each kind, and who takes it. */
import { SvelteSet } from 'svelte/reactivity'

/** A file's kind, judged by its name and type. Until it is dropped, the system reveals only its type. */
export type DroppedKind = 'rows' | 'xml' | 'pdf' | 'picture' | 'drafts' | 'other' | 'unknown'

/** A field that takes an XML file. */
interface XmlDropTarget {
  element: () => HTMLElement | undefined
  load: (file: File) => void
}

const byExtension: Record<string, DroppedKind> = {
  csv: 'rows',
  tsv: 'rows',
  txt: 'rows',
  xlsx: 'rows',
  xlsm: 'rows',
  xls: 'rows',
  xml: 'xml',
  pdf: 'pdf',
  countersign: 'drafts'
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

/** Returns a file's kind. @param name undefined while unknown. */
export function kindOfDropped(type: string, name?: string): DroppedKind {
  const extension = name?.match(/\.([^.]+)$/)?.[1]?.toLowerCase()
  const known = (extension && byExtension[extension]) || byType[type]
  if (known) return known
  if (type.startsWith('image/')) return 'picture'
  return type === '' && name === undefined ? 'unknown' : 'other'
}

export class Drops {
  #rowsFile = $state.raw<File>()
  readonly #xmlTargets = new SvelteSet<XmlDropTarget>()

  /** A file of rows waiting for the bulk send screen. */
  get rowsFile(): File | undefined {
    return this.#rowsFile
  }

  setRows(file: File): void {
    this.#rowsFile = file
  }

  clearRows(): void {
    this.#rowsFile = undefined
  }

  /** @returns a function that unregisters the field. */
  provideXml(taker: XmlDropTarget): () => void {
    this.#xmlTargets.add(taker)
    return () => this.#xmlTargets.delete(taker)
  }

  get xmlFieldCount(): number {
    return this.#xmlTargets.size
  }

  /** Gives XML to the field it was dropped on, or to the only field there is. Returns whether a field took it. */
  dropXml(file: File, target: Element | undefined): boolean {
    const all = [...this.#xmlTargets]
    const under = all.find((taker) => target && taker.element()?.contains(target))
    const taker = under ?? (all.length === 1 ? all[0] : undefined)
    taker?.load(file)
    return taker !== undefined
  }
}
