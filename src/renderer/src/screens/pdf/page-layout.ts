/** Where the pages of a PDF lie below each other at a size, which of them are in view, and how finely they are painted. */
import type { PageSize } from './pdf-look.svelte.ts'

/** Between pages and around them, in CSS pixels. */
export const GAP = 16
/** What a person can choose between, 1 being 100 %. */
export const SMALLEST = 0.25
export const LARGEST = 4
const STEPS = [SMALLEST, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, LARGEST]
/** A canvas of more pixels, or a longer side, is scaled up from a smaller one: it takes four bytes a pixel. */
const MOST_PIXELS = 16_000_000
const LONGEST_SIDE = 8192

export interface PageLayout {
  /** The upper edge of each page, and its size, in CSS pixels as they are shown. */
  places: readonly (PageSize & { top: number })[]
  width: number
  height: number
}

export function layoutOf(sizes: readonly PageSize[], zoom: number): PageLayout {
  let top = GAP
  let widest = 0
  const places = sizes.map((size) => {
    const place = { top, width: Math.round(size.width * zoom), height: Math.round(size.height * zoom) }
    top += place.height + GAP
    widest = Math.max(widest, place.width)
    return place
  })
  return { places, width: widest + 2 * GAP, height: top }
}

/** The pages that keep a canvas, as places in the layout: those in view, and one on either side. */
export function pagesInView({ places }: PageLayout, top: number, height: number): { first: number; last: number } {
  const isInView = ({ top: from, height: size }: PageLayout['places'][number]) =>
    from < top + height && from + size > top
  // A view as narrow as a gap may hold none: then the page above it counts.
  const above = Math.max(
    0,
    places.findLastIndex((place) => place.top <= top)
  )
  const seen = places.findIndex(isInView)
  const first = seen < 0 ? above : seen
  const last = seen < 0 ? above : places.findLastIndex(isInView)
  return { first: Math.max(0, first - 1), last: Math.min(places.length - 1, last + 1) }
}

/** The page that is read, counted from 1: the one that a line a third below the upper edge runs through. */
export function pageRead({ places }: PageLayout, top: number, height: number): number {
  const line = top + height / 3
  return Math.max(1, places.findLastIndex((place) => place.top <= line) + 1)
}

/** So that the widest page fills the width that there is. */
export function fittingWidth(sizes: readonly PageSize[], width: number): number {
  const widest = Math.max(...sizes.map((size) => size.width), 1)
  return within((width - 2 * GAP) / widest)
}

export function larger(zoom: number): number {
  return STEPS.find((step) => step > zoom * 1.01) ?? LARGEST
}

export function smaller(zoom: number): number {
  return STEPS.findLast((step) => step < zoom * 0.99) ?? SMALLEST
}

/** Canvas pixels for each CSS pixel at 100 %: as fine as asked for, as far as a canvas may go. */
export function paintScale({ width, height }: PageSize, wanted: number): number {
  const byArea = Math.sqrt(MOST_PIXELS / (width * height))
  const bySide = LONGEST_SIDE / Math.max(width, height)
  return Math.min(wanted, byArea, bySide)
}

function within(zoom: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, zoom))
}
