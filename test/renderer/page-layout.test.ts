import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  currentPageAt,
  GAP,
  layoutOf,
  MAX_ZOOM,
  MIN_ZOOM,
  nextLargerZoom,
  nextSmallerZoom,
  pagesInView,
  paintScale,
  zoomToFitWidth
} from '../../src/renderer/src/screens/pdf/page-layout.ts'

const size = fc.record({ width: fc.integer({ min: 1, max: 20_000 }), height: fc.integer({ min: 1, max: 20_000 }) })
const sizes = fc.array(size, { minLength: 1, maxLength: 60 })
const zoom = fc.double({ min: MIN_ZOOM, max: MAX_ZOOM, noNaN: true })

test('every page in view keeps its canvas, plus at most one on either side', () => {
  fc.assert(
    fc.property(
      sizes,
      zoom,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 3000 }),
      (all, at, share, height) => {
        const layout = layoutOf(all, at)
        const top = share * Math.max(0, layout.height - height)
        const { first, last } = pagesInView(layout, top, height)
        const visible = layout.places.flatMap((place, index) =>
          place.top < top + height && place.top + place.height > top ? [index] : []
        )
        for (const index of visible) expect(index >= first && index <= last).toBe(true)
        expect(last - first + 1).toBeLessThanOrEqual(Math.max(1, visible.length) + 2)
        expect(first >= 0 && last < all.length && first <= last).toBe(true)
      }
    )
  )
})

test('a canvas never exceeds the memory limit, even if a page claims to be huge', () => {
  fc.assert(
    fc.property(size, fc.double({ min: 0.01, max: 16, noNaN: true }), (page, requested) => {
      const scale = paintScale(page, requested)
      expect(scale).toBeLessThanOrEqual(requested)
      expect(page.width * scale * page.height * scale).toBeLessThanOrEqual(16_000_001)
      expect(Math.max(page.width, page.height) * scale).toBeLessThanOrEqual(8193)
    })
  )
})

test('pages are stacked with gaps, and the current page follows the scroll position', () => {
  const layout = layoutOf(
    [
      { width: 600, height: 800 },
      { width: 800, height: 600 }
    ],
    0.5
  )
  expect(layout.places.map(({ top }) => top)).toEqual([GAP, GAP + 400 + GAP])
  expect(layout.width).toBe(400 + 2 * GAP)
  expect(currentPageAt(layout, 0, 500)).toBe(1)
  expect(currentPageAt(layout, 300, 500)).toBe(2)
})

test('zooming steps through fixed sizes, from any size up to the limits', () => {
  const up: number[] = []
  for (let at = MIN_ZOOM; at < MAX_ZOOM; at = nextLargerZoom(at)) up.push(at)
  expect(up.slice(0, 5)).toEqual([0.25, 0.5, 0.75, 1, 1.25])
  expect([nextLargerZoom(0.98), nextLargerZoom(0.999), nextLargerZoom(1.31), nextLargerZoom(MAX_ZOOM)]).toEqual([
    1,
    1.25,
    1.5,
    MAX_ZOOM
  ])
  expect([nextSmallerZoom(1.02), nextSmallerZoom(1.001), nextSmallerZoom(1.31), nextSmallerZoom(MIN_ZOOM)]).toEqual([
    1,
    0.75,
    1.25,
    MIN_ZOOM
  ])
})

test('fitting to the width uses the widest page', () => {
  expect(
    zoomToFitWidth(
      [
        { width: 600, height: 800 },
        { width: 800, height: 600 }
      ],
      832
    )
  ).toBe(1)
  expect(zoomToFitWidth([{ width: 600, height: 800 }], 0)).toBe(MIN_ZOOM)
})
