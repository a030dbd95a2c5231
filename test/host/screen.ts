// Electron's `screen`: one display, and others that a test plugs in and out.
import type * as Electron from 'electron'
import { app } from './app.ts'
import { BaseWindow } from './base-window.ts'
import { type ConnectedDisplay, displayAt, displays, isOnDisplay, plugIn, unplug } from './displays.ts'
import { Emulated } from './strict.ts'

type Offered = Pick<
  Electron.Screen,
  'getPrimaryDisplay' | 'getAllDisplays' | 'getDisplayMatching' | 'getDisplayNearestPoint'
>

function toElectron({ id, bounds }: ConnectedDisplay): Electron.Display {
  const emulated: Partial<Electron.Display> = {
    id,
    bounds: { ...bounds },
    workArea: { ...bounds },
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
  return emulated as Electron.Display
}

class Screen extends Emulated implements Offered {
  constructor() {
    super('screen', { emits: ['display-added', 'display-removed'], never: ['display-metrics-changed'] })
  }

  getPrimaryDisplay(): Electron.Display {
    return this.getAllDisplays()[0] as Electron.Display
  }

  getAllDisplays(): Electron.Display[] {
    this.#ready()
    return displays().map(toElectron)
  }

  getDisplayMatching(rectangle: Electron.Rectangle): Electron.Display {
    this.#ready()
    return toElectron(displayAt(rectangle))
  }

  getDisplayNearestPoint({ x, y }: Electron.Point): Electron.Display {
    return this.getDisplayMatching({ x, y, width: 1, height: 1 })
  }

  /** @internal plugs another display in, to the right of the others, and returns its id */
  add(size: { width: number; height: number }): number {
    const added = plugIn(size)
    this.emit('display-added', {}, toElectron(added))
    return added.id
  }

  /** @internal unplugs a display; as on a desktop, its windows move to the primary one */
  remove(id: number): void {
    const removed = unplug(id)
    this.emit('display-removed', {}, toElectron(removed))
    for (const window of BaseWindow.getAllWindows()) if (!isOnDisplay(window.getBounds())) window.moveToPrimaryDisplay()
  }

  #ready(): void {
    if (!app.isReady()) throw new Error("The 'screen' module can't be used before the app 'ready' event")
  }
}

export const screen = new Screen()
