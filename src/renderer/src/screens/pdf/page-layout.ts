/**
 * The layout of a PDF's pages in one column at a zoom, which of them are in view, and the resolution they are painted
 * at.
 */
import type { PageSize } from './pdf-viewer.svelte.ts'

/** Space between and around pages, in CSS pixels. */
export const GAP = 16
/** The range of the zoom, 1 being 100 %. */
export const MIN_ZOOM = 0.25
export const MAX_ZOOM = 4
const STEPS = [MIN_ZOOM, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, MAX_ZOOM]
/** Limits of a canvas, which takes four bytes a pixel; larger pages are scaled up from a smaller canvas. */
const MAX_PIXELS = 16_000_000
const MAX_SIDE = 8192

export interface PageLayout {
  /** The top and size of each page as shown, in CSS pixels. */
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

/** Returns the pages that keep a canvas, as indexes: those in view, and one on either side. */
export function pagesInView({ places }: PageLayout, top: number, height: number): { first: number; last: number } {
  const isInView = ({ top: from, height: size }: PageLayout['places'][number]) =>
    from < top + height && from + size > top
  // A view lower than a gap may contain no page: then the one above it counts.
  const above = Math.max(
    0,
    places.findLastIndex((place) => place.top <= top)
  )
  const seen = places.findIndex(isInView)
  const first = seen < 0 ? above : seen
  const last = seen < 0 ? above : places.findLastIndex(isInView)
  return { first: Math.max(0, first - 1), last: Math.min(places.length - 1, last + 1) }
}

/** Returns the current page, counted from 1: the one a third of the way down the view. */
export function currentPageAt({ places }: PageLayout, top: number, height: number): number {
  const line = top + height / 3
  return Math.max(1, places.findLastIndex((place) => place.top <= line) + 1)
}

/** Returns the zoom at which the widest page fills the given width. */
export function zoomToFitWidth(sizes: readonly PageSize[], width: number): number {
  const widest = Math.max(...sizes.map((size) => size.width), 1)
  return clampZoom((width - 2 * GAP) / widest)
}

export function nextLargerZoom(zoom: number): number {
  return STEPS.find((step) => step > zoom * 1.01) ?? MAX_ZOOM
}

export function nextSmallerZoom(zoom: number): number {
  return STEPS.findLast((step) => step < zoom * 0.99) ?? MIN_ZOOM
}

/** Returns the canvas pixels per CSS pixel at 100 %: as wanted, within the limits of a canvas. */
export function paintScale({ width, height }: PageSize, desired: number): number {
  const byArea = Math.sqrt(MAX_PIXELS / (width * height))
  const bySide = MAX_SIDE / Math.max(width, height)
  return Math.min(desired, byArea, bySide)
}

function clampZoom(zoom: number): number {
  return Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom))
}
