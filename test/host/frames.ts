// A page's frames as the application sees them (Electron's WebFrameMain): one object per document, gone once its
// document is.
import type * as Electron from 'electron'
import type { Protocol } from './cdp.ts'
import { toApp } from './schemes.ts'
import { notEmulated } from './strict.ts'

type Members =
  | 'url'
  | 'origin'
  | 'name'
  | 'parent'
  | 'top'
  | 'frames'
  | 'framesInSubtree'
  | 'detached'
  | 'processId'
  | 'routingId'
  | 'frameTreeNodeId'
  | 'isDestroyed'

let lastNodeId = 0

/** One document in one frame. */
export class WebFrame {
  readonly id: string
  readonly parentId: string | undefined
  readonly processId = 1
  readonly frameTreeNodeId: number
  readonly routingId: number
  /** Chromium's id for the load of the document; undefined until the first navigation. */
  loaderId: string | undefined
  #tree: FrameTree
  #url = ''
  #origin = 'null'
  #name = ''
  #gone = false

  constructor(tree: FrameTree, id: string, parentId: string | undefined) {
    this.#tree = tree
    this.id = id
    this.parentId = parentId
    this.frameTreeNodeId = ++lastNodeId
    this.routingId = this.frameTreeNodeId
  }

  get url(): string {
    this.#assertAlive()
    return this.#url
  }

  get origin(): string {
    this.#assertAlive()
    return this.#origin
  }

  get name(): string {
    this.#assertAlive()
    return this.#name
  }

  get parent(): WebFrame | null {
    this.#assertAlive()
    return (this.parentId && this.#tree.get(this.parentId)) || null
  }

  get top(): WebFrame | null {
    this.#assertAlive()
    return this.#tree.main ?? null
  }

  get frames(): WebFrame[] {
    return this.#tree.all().filter((frame) => frame.parentId === this.id)
  }

  get framesInSubtree(): WebFrame[] {
    return [this, ...this.frames.flatMap((frame) => frame.framesInSubtree)]
  }

  get detached(): boolean {
    return this.#gone
  }

  isDestroyed(): boolean {
    return this.#gone
  }

  executeJavaScript(): never {
    return notEmulated('WebFrameMain.executeJavaScript')
  }

  send(): never {
    return notEmulated('WebFrameMain.send')
  }

  get ipc(): never {
    return notEmulated('WebFrameMain.ipc')
  }

  /** @internal a document was committed to the frame */
  commit(frame: Protocol.Page.Frame): void {
    this.#url = toApp(frame.unreachableUrl ?? frame.url + (frame.urlFragment ?? ''))
    this.#origin = frame.securityOrigin === '://' ? 'null' : toApp(frame.securityOrigin)
    this.#name = frame.name ?? ''
    this.loaderId = frame.loaderId
  }

  /** @internal same document, new address */
  move(url: string): void {
    this.#url = toApp(url)
  }

  /** @internal */
  dispose(): void {
    this.#gone = true
  }

  #assertAlive(): void {
    if (this.#gone) throw new Error('Render frame was disposed before WebFrameMain could be accessed')
  }
}

/** Returns the frame as the type that Electron's API names; only `Members` are emulated. */
export function asWebFrameMain(frame: WebFrame): Electron.WebFrameMain {
  // Checks that WebFrame has all of `Members`; `parent` and `top` are frames of this host again.
  const offered: Pick<WebFrame, Members> = frame
  return offered as unknown as Electron.WebFrameMain
}

/** All frames of one page, by Chromium's ids. */
export class FrameTree {
  main: WebFrame | undefined
  readonly #frames = new Map<string, WebFrame>()

  get(id: string): WebFrame | undefined {
    return this.#frames.get(id)
  }

  all(): WebFrame[] {
    return [...this.#frames.values()]
  }

  attach(id: string, parentId: string | undefined): WebFrame {
    const existing = this.#frames.get(id)
    if (existing) return existing
    const frame = new WebFrame(this, id, parentId)
    this.#frames.set(id, frame)
    if (!parentId) this.main = frame
    return frame
  }

  /** Handles a new document: the previous document's object dies, as in Electron. */
  navigated(details: Protocol.Page.Frame): WebFrame {
    const before = this.#frames.get(details.id)
    const isSameDocument = before?.loaderId === undefined || before.loaderId === details.loaderId
    if (before && !isSameDocument) {
      before.dispose()
      this.#frames.delete(details.id)
    }
    const frame = this.attach(details.id, details.parentId ?? before?.parentId)
    frame.commit(details)
    return frame
  }

  detach(id: string): void {
    this.#frames.get(id)?.dispose()
    this.#frames.delete(id)
    for (const frame of this.all()) if (frame.parentId === id) this.detach(frame.id)
  }

  clear(): void {
    for (const frame of this.all()) frame.dispose()
    this.#frames.clear()
    this.main = undefined
  }
}
