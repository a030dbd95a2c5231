/** A table's props, and the geometry of its rows. */
import type { Snippet } from 'svelte'
import type { MenuEntry } from './commands.ts'

export interface Column {
  key: string
  label: string
  /** A CSS grid track (`120px`, `minmax(0, 2fr)`); if absent, a share of the remaining width. */
  width?: string
  align?: 'start' | 'end'
  /** The label is only for screen readers: the column's content speaks for itself visually. */
  isUnseen?: true
  /** Whether the list can be sorted by this column. */
  isSortable?: boolean
  /** The width in CSS pixels at the start of a resize; absent if the column can't be resized. */
  size?: number
}

/** A row's depth in a tree, and whether its children are shown; absent if it has none. */
export interface Branch {
  level: number
  isExpanded?: boolean
}

export interface TableProps<Row> {
  label: string
  columns: readonly Column[]
  count: number
  row: (index: number) => Row | undefined
  keyOf: (row: Row) => string
  /** The key of the selected row. */
  chosen?: string | undefined
  cell: Snippet<[Row, Column]>
  /** isPassing: a range selection is passing over the row. */
  onchoose?: (row: Row, index: number, isPassing: boolean) => void
  onopen?: (row: Row) => void
  /** Called with the first and last row in view, so that they can be loaded. */
  onneed?: (first: number, last: number) => void
  /**
   * Shows a row's detail while the list keeps the focus, or hides it. If set, Space does this, and Ctrl+Space selects.
   */
  onpeek?: ((row: Row) => void) | undefined
  /** The actions on a row, opened by right-click, the menu key and Shift+F10. */
  menu?: (row: Row) => readonly MenuEntry[]
  /** Called for a key pressed on the selected row. Return true if it was handled. */
  onkey?: (event: KeyboardEvent, row: Row) => boolean
  /** Minimum row width in pixels: a narrower table scrolls sideways. */
  breadth?: number
  /** The height of a row in pixels, if its cells have more than one line. */
  rowHeight?: number
  /** Identifies what is listed: when it changes, the list scrolls to its top. */
  place?: string
  /** Incremented when rows of the same list were reloaded: visible rows then stay in place. */
  version?: number
  sort?: { by: string; descending: boolean }
  onsort?: (key: string) => void
  onresize?: (key: string, width: number) => void
  /** For rows below other rows. */
  branch?: (row: Row) => Branch
  onexpand?: (row: Row, isExpanded: boolean) => void
  /** For selectable rows. Returns undefined for a row that can't be selected. */
  isSelected?: (row: Row) => boolean | undefined
  onselect?: (row: Row) => void
  /** Selects all rows from one index to another. */
  onrange?: (from: number, to: number) => void
  onall?: () => void
  isStrong?: (row: Row) => boolean
}

/** The height of a row with one line, in pixels. */
export const ROW_HEIGHT = 36
/**
 * Browsers lay out no more than about 33 million device pixels: this fits at zoom 3 on a screen with a pixel ratio of
 * 3.
 */
const MAX_HEIGHT = 3_700_000

/**
 * Returns the geometry of a list that may be longer than a page can be tall. Up to about 100,000 rows, scrolling is
 * exact to the pixel; beyond that, the scroll bar's range is a scaled-down version of the list's.
 */
export function geometryOf(count: number, viewportHeight: number, rowHeight = ROW_HEIGHT) {
  const fullHeight = count * rowHeight
  const height = Math.min(fullHeight, MAX_HEIGHT)
  const scale = height < fullHeight ? (fullHeight - viewportHeight) / Math.max(1, height - viewportHeight) : 1
  return {
    /** The height of the scrolled element. */
    height,
    /** Returns the list depth shown at the top when scrolled this far. */
    offsetAt: (scrolled: number) => scrolled * scale,
    /** Returns the scroll position that puts a list depth at the top. */
    scrollFor: (depth: number) => depth / scale
  }
}
