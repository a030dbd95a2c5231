// The displays of the emulated machine: one, and others that a test plugs in and out, side by side.
import type * as Electron from 'electron'

/** A connected display. All of it is work area, as no task bar is drawn here. */
export interface ConnectedDisplay {
  readonly id: number
  readonly bounds: Electron.Rectangle
}

const primary: ConnectedDisplay = { id: 1, bounds: { x: 0, y: 0, width: 1920, height: 1080 } }
const connected: ConnectedDisplay[] = [primary]
let lastId = primary.id

/** Returns the connected displays, the primary one first. */
export function displays(): readonly ConnectedDisplay[] {
  return [...connected]
}

/** Plugs another display in, to the right of the others. */
export function plugIn(size: { width: number; height: number }): ConnectedDisplay {
  const x = Math.max(...connected.map(({ bounds }) => bounds.x + bounds.width))
  const added = { id: ++lastId, bounds: { x, y: 0, ...size } }
  connected.push(added)
  return added
}

/**
 * Unplugs a display.
 * @throws Error for an unknown display, and for the primary one, which always stays
 */
export function unplug(id: number): ConnectedDisplay {
  const at = connected.findIndex((each) => each.id === id)
  const [removed] = at < 1 ? [] : connected.splice(at, 1)
  if (!removed) throw new Error(`There is no display ${id} to unplug`)
  return removed
}

/** Returns the display that the largest part of a rectangle lies on, or the nearest one if it lies on none. */
export function displayAt(rectangle: Electron.Rectangle): ConnectedDisplay {
  const [best = primary] = connected.toSorted(
    (a, b) =>
      overlap(b.bounds, rectangle) - overlap(a.bounds, rectangle) ||
      distance(a.bounds, rectangle) - distance(b.bounds, rectangle)
  )
  return best
}

/** Returns whether any part of a rectangle is visible on a display. */
export function isOnDisplay(rectangle: Electron.Rectangle): boolean {
  return connected.some(({ bounds }) => overlap(bounds, rectangle) > 0)
}

const overlap = (a: Electron.Rectangle, b: Electron.Rectangle) =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y))

const distance = (a: Electron.Rectangle, b: Electron.Rectangle) =>
  Math.abs(a.x + a.width / 2 - (b.x + b.width / 2)) + Math.abs(a.y + a.height / 2 - (b.y + b.height / 2))
