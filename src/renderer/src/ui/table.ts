/** What a table is given: its columns and its rows; and where those stand. */
import type { Snippet } from 'svelte'
import type { MenuEntry } from './commands.ts'

export interface Column {
  key: string
  label: string
  /** A track of CSS grid (`120px`, `minmax(0, 2fr)`); a share of the rest where absent. */
  width?: string
  align?: 'start' | 'end'
  /** Its label is said to those who hear the page only: what stands in it speaks for itself to those who see it. */
  isUnseen?: true
  /** Whether the list can be in its order. */
  isSortable?: boolean
  /** The width in CSS pixels that dragging its edge begins with; absent where it can't be changed. */
  size?: number
}

/** How deep a row stands in a tree, and whether what is under it is shown; absent where nothing is. */
export interface Branch {
  level: number
  isExpanded?: boolean
}

/** What a table shows and tells. */
export interface TableProps<Row> {
  label: string
  columns: readonly Column[]
  count: number
  /** The row at an index, where it is here already. */
  row: (index: number) => Row | undefined
  keyOf: (row: Row) => string
  /** The key of the row that is chosen. */
  chosen?: string | undefined
  cell: Snippet<[Row, Column]>
  /** isPassing: a selection goes over it. */
  onchoose?: (row: Row, index: number, isPassing: boolean) => void
  onopen?: (row: Row) => void
  /** Rows in sight, first and last, so that they can be fetched. */
  onneed?: (first: number, last: number) => void
  /** Shows what is in a row while the keys stay in the list, or hides it; then Space does this, and Ctrl with Space selects. */
  onpeek?: ((row: Row) => void) | undefined
  /** What can be done with a row: by right click, the menu key and Shift+F10. */
  menu?: (row: Row) => readonly MenuEntry[]
  /** A key pressed on the chosen row; answer true where it was used. */
  onkey?: (event: KeyboardEvent, row: Row) => boolean
  /** Least width of a row in pixels: a narrower table scrolls sideways. */
  breadth?: number
  /** What is listed: where it changes, the list begins at its top. */
  place?: string
  /** Grows when rows of the same list were read again: what is in sight then stays where it was. */
  version?: number
  sort?: { by: string; descending: boolean }
  onsort?: (key: string) => void
  onresize?: (key: string, width: number) => void
  /** Where rows stand under others. */
  branch?: (row: Row) => Branch
  onexpand?: (row: Row, isExpanded: boolean) => void
  /** Where rows can be selected; undefined for one that can't. */
  isSelected?: (row: Row) => boolean | undefined
  onselect?: (row: Row) => void
  /** Selects all rows from one index to another. */
  onrange?: (from: number, to: number) => void
  onall?: () => void
  /** Whether a row is set off from the others. */
  isStrong?: (row: Row) => boolean
}

/** Pixels of a row. */
export const ROW = 36
/** A browser lays out no more than some 33 million device pixels: this holds at a zoom and a screen of three each. */
const TALLEST = 3_700_000

/**
 * Where rows stand in a list that may be longer than a page can be tall. Up to some 100,000 rows scrolling is true to
 * the pixel; beyond it the scroll bar's way is the list's in small.
 */
export function sheetOf(count: number, inSight: number) {
  const whole = count * ROW
  const height = Math.min(whole, TALLEST)
  const scale = height < whole ? (whole - inSight) / Math.max(1, height - inSight) : 1
  return {
    /** Of the element that is scrolled. */
    height,
    /** How far down the list what stands at the top of the scrolled element is. */
    depthAt: (scrolled: number) => scrolled * scale,
    /** How far to scroll so that a depth of the list stands at the top. */
    scrollFor: (depth: number) => depth / scale
  }
}
