// Electron's View and WebContentsView: what lies over a window's page, and where.
import type * as Electron from 'electron'
import { acceptOnly, Emulated } from './strict.ts'
import { WebContents } from './web-contents.ts'

type Offered = Pick<
  Electron.View,
  'setBounds' | 'getBounds' | 'setVisible' | 'getVisible' | 'setBackgroundColor' | 'setBorderRadius'
>

const viewEvents = { emits: ['bounds-changed'] } as const

export class View extends Emulated implements Offered {
  /** @internal from the lowest to the topmost */
  readonly #children: View[] = []
  #bounds: Electron.Rectangle = { x: 0, y: 0, width: 0, height: 0 }
  #visible = true
  /** @internal */
  background = ''
  /** @internal in pixels */
  borderRadius = 0

  constructor(name = 'View') {
    super(name, viewEvents)
  }

  get children(): View[] {
    return [...this.#children]
  }

  addChildView(view: View, index?: number): void {
    if (!(view instanceof View)) throw new TypeError('addChildView takes a View')
    // As in Electron, a view that is already there moves to the top.
    this.removeChildView(view)
    this.#children.splice(index ?? this.#children.length, 0, view)
  }

  removeChildView(view: View): void {
    const at = this.#children.indexOf(view)
    if (at >= 0) this.#children.splice(at, 1)
  }

  setBounds(bounds: Electron.Rectangle, options?: Electron.BoundsOptions): void {
    acceptOnly('setBounds', options, ['animate'])
    const { x, y, width, height } = bounds
    for (const value of [x, y, width, height]) {
      if (!Number.isFinite(value)) throw new TypeError('Error processing argument at index 0, conversion failure')
    }
    this.#bounds = { x: Math.trunc(x), y: Math.trunc(y), width: Math.trunc(width), height: Math.trunc(height) }
    this.resized()
    this.emit('bounds-changed')
  }

  getBounds(): Electron.Rectangle {
    return { ...this.#bounds }
  }

  setVisible(visible: boolean): void {
    this.#visible = visible
  }

  getVisible(): boolean {
    return this.#visible
  }

  setBackgroundColor(color: string): void {
    this.background = color
  }

  setBorderRadius(radius: number): void {
    this.borderRadius = radius
  }

  /** @internal for a view that has a page */
  protected resized(): void {}
}

export class WebContentsView extends View {
  readonly #contents: WebContents

  constructor(options: Electron.WebContentsViewConstructorOptions = {}) {
    super('WebContentsView')
    acceptOnly('new WebContentsView', options, ['webPreferences', 'webContents'])
    this.#contents =
      (options.webContents as unknown as WebContents | undefined) ?? new WebContents(options.webPreferences)
  }

  /**
   * Undefined once the contents are destroyed, and while that event is emitted (electron#50249), though the type says
   * otherwise.
   */
  get webContents(): WebContents {
    return (this.#contents.isDestroyed() ? undefined : this.#contents) as WebContents
  }

  protected override resized(): void {
    const { width, height } = this.getBounds()
    this.#contents.setSize({ width, height })
  }
}
