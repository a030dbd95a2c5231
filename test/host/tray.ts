// Electron's Tray: recorded, so that a test can read it and click it and its menu; nothing is drawn.
import type * as Electron from 'electron'
import { type Menu, type MenuSnapshot, snapshotOfMenu } from './menu.ts'
import { NativeImage, nativeImage } from './native-image.ts'
import { Emulated } from './strict.ts'
import { trayEvents } from './tray-events.ts'

type Offered = Pick<Electron.Tray, 'setToolTip' | 'isDestroyed' | 'destroy' | 'setIgnoreDoubleClickEvents'>

let currentTray: Tray | undefined

export class Tray extends Emulated implements Offered {
  /** @internal */
  toolTip = ''
  /** @internal */
  image: NativeImage
  /** @internal */
  menu: Menu | null = null
  #destroyed = false

  constructor(image: NativeImage | string, guid?: string) {
    super('Tray', trayEvents)
    if (guid !== undefined && typeof guid !== 'string') throw new TypeError('Invalid GUID format')
    this.image = imageOf(image)
    currentTray = this
  }

  setImage(image: NativeImage | string): void {
    this.#assertAlive()
    this.image = imageOf(image)
  }

  setToolTip(toolTip: string): void {
    this.#assertAlive()
    if (typeof toolTip !== 'string') throw new TypeError('Error processing argument at index 0, conversion failure')
    this.toolTip = toolTip
  }

  setContextMenu(menu: Menu | null): void {
    this.#assertAlive()
    this.menu = menu
  }

  /** Has an effect on macOS and Windows only. */
  setIgnoreDoubleClickEvents(): void {
    this.#assertAlive()
  }

  destroy(): void {
    this.#destroyed = true
    if (currentTray === this) currentTray = undefined
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  /** @internal what a person's click does */
  click(): void {
    const event = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false }
    this.emit('click', event, { x: 0, y: 0, width: 16, height: 16 }, { x: 8, y: 8 })
  }

  #assertAlive(): void {
    if (this.#destroyed) throw new TypeError('Object has been destroyed')
  }
}

function imageOf(image: NativeImage | string): NativeImage {
  if (image instanceof NativeImage) return image
  const read = nativeImage.createFromPath(image)
  if (read.isEmpty()) throw new Error(`Failed to load image from path '${image}'`)
  return read
}

/** The tray's icon as a test reads it. */
export interface TraySnapshot {
  readonly toolTip: string
  /** Whether the icon has a visible picture. */
  readonly hasImage: boolean
  readonly items: readonly MenuSnapshot[]
}

/**
 * Returns the icon in the tray.
 * @throws Error if there is none
 */
export function tray(): Tray {
  if (!currentTray) throw new Error('The application has no icon in the tray')
  return currentTray
}

export function snapshotOfTray(): TraySnapshot | null {
  if (!currentTray) return null
  const { toolTip, image, menu } = currentTray
  return { toolTip, hasImage: !image.isEmpty(), items: menu ? snapshotOfMenu(menu) : [] }
}
