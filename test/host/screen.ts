// Electron's `screen`: one display, and others that a test plugs in and out.
import type * as Electron from 'electron'
import { app } from './app.ts'
import { workArea } from './base-window.ts'
import { Emulated } from './strict.ts'

type Offered = Pick<
  Electron.Screen,
  'getPrimaryDisplay' | 'getAllDisplays' | 'getDisplayMatching' | 'getDisplayNearestPoint'
>

function display(id: number, bounds: Electron.Rectangle): Electron.Display {
  const known: Partial<Electron.Display> = {
    id,
    bounds,
    workArea: bounds,
    size: { width: bounds.width, height: bounds.height },
    workAreaSize: { width: bounds.width, height: bounds.height },
    scaleFactor: 1,
    rotation: 0,
    internal: id === 1,
    touchSupport: 'unknown',
    label: `Display ${id}`,
    displayFrequency: 60,
    colorDepth: 24,
    depthPerComponent: 8
  }
  return known as Electron.Display
}

const overlap = (a: Electron.Rectangle, b: Electron.Rectangle) =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y))

class Screen extends Emulated implements Offered {
  readonly #displays = [display(1, workArea)]

  constructor() {
    super('screen', { emits: ['display-added', 'display-removed'], never: ['display-metrics-changed'] })
  }

  getPrimaryDisplay(): Electron.Display {
    this.#ready()
    return this.#displays[0] as Electron.Display
  }

  getAllDisplays(): Electron.Display[] {
    this.#ready()
    return [...this.#displays]
  }

  getDisplayMatching(rectangle: Electron.Rectangle): Electron.Display {
    this.#ready()
    const [best] = this.#displays.toSorted((a, b) => overlap(b.bounds, rectangle) - overlap(a.bounds, rectangle))
    return best as Electron.Display
  }

  getDisplayNearestPoint({ x, y }: Electron.Point): Electron.Display {
    return this.getDisplayMatching({ x, y, width: 1, height: 1 })
  }

  /** @internal plugs another display in, to the right of the others; its id */
  add(size: { width: number; height: number }): number {
    const id = Math.max(...this.#displays.map((each) => each.id)) + 1
    const x = Math.max(...this.#displays.map((each) => each.bounds.x + each.bounds.width))
    const added = display(id, { x, y: 0, ...size })
    this.#displays.push(added)
    this.emit('display-added', {}, added)
    return id
  }

  /** @internal */
  remove(id: number): void {
    const at = this.#displays.findIndex((each) => each.id === id)
    if (at < 1) throw new Error(`There is no display ${id} to unplug`)
    const [removed] = this.#displays.splice(at, 1)
    this.emit('display-removed', {}, removed)
  }

  #ready(): void {
    if (!app.isReady()) throw new Error("The 'screen' module can't be used before the app 'ready' event")
  }
}

export const screen = new Screen()
