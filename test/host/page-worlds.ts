// Which script world of which frame is speaking. Chromium numbers worlds again in each process, so a number means
// something only together with the session it came by.
import type { CdpSession, Protocol } from './cdp.ts'
import { names, preloadWorld } from './page-scripts.ts'

type BindingCall = Protocol.Runtime.bindingCalledPayload

/** The receivers of messages from a page's worlds. */
export interface WorldListeners {
  /** From the preload of the main frame only. */
  preload(frameId: string, text: string, contextId: number): void
  /** The page is about to ask the browser for something. */
  ask(session: CdpSession, frameId: string, text: string, contextId: number): void
  report(session: CdpSession, frameId: string, text: string, contextId: number): void
}

export class PageWorlds {
  /** The id of the preload's world in the current document. */
  preload: number | undefined
  readonly #frames = new Map<CdpSession, Map<number, string>>()
  readonly #listeners: WorldListeners

  constructor(listeners: WorldListeners) {
    this.#listeners = listeners
  }

  /** Follows a frame's session; `mainFrame` is given for the page's own session, which alone has a preload. */
  follow(session: CdpSession, mainFrame?: string): void {
    const frames = new Map<number, string>()
    this.#frames.set(session, frames)
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const { frameId } = context.auxData as { frameId?: string }
      if (!frameId) return
      frames.set(context.id, frameId)
      if (context.name === preloadWorld && frameId === mainFrame) this.preload = context.id
    })
    session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      frames.delete(executionContextId)
      if (mainFrame && this.preload === executionContextId) this.preload = undefined
    })
    session.on('Runtime.executionContextsCleared', () => {
      frames.clear()
      if (mainFrame) this.preload = undefined
    })
    session.on('Runtime.bindingCalled', (called) => this.#called(session, called, mainFrame))
  }

  #called(
    session: CdpSession,
    { name, payload, executionContextId }: BindingCall,
    mainFrame: string | undefined
  ): void {
    const frameId = this.#frames.get(session)?.get(executionContextId)
    if (!frameId) return
    if (name === names.ask) this.#listeners.ask(session, frameId, payload, executionContextId)
    if (name === names.report) this.#listeners.report(session, frameId, payload, executionContextId)
    if (name !== names.post || !mainFrame || executionContextId !== this.preload) return
    this.#listeners.preload(frameId, payload, executionContextId)
  }
}
