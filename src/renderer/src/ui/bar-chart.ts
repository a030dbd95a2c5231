/** What a bar chart is made of. */
export interface Bar {
  key: string
  /** Under the bar: "21", "Mon". */
  name: string
  /** Under that, quietly: "Fri". */
  more?: string
  /** The bar that stands for now. */
  isMarked?: boolean
  isQuiet?: boolean
  parts: readonly BarPart[]
}

interface BarPart {
  tone: 'first' | 'second'
  count: number
  /** "3 documents are due on Friday 21 November". */
  sentence: string
  href: string
}
