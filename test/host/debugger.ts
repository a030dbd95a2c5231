// Electron's webContents.debugger: a second session with the page's target, next to the host's own, so that Chromium
// itself carries out what the application sends. As in Electron, the frames that it attaches to communicate through it,
// by session id.
import type * as Electron from 'electron'
import type { CdpSession } from './cdp.ts'
import { chromium } from './host.ts'
import { Emulated } from './strict.ts'

type Offered = Pick<Electron.Debugger, 'attach' | 'detach' | 'isAttached' | 'sendCommand'>

export class Debugger extends Emulated implements Offered {
  readonly #target: () => Promise<string>
  readonly #frames = new Map<string, CdpSession>()
  #own: Promise<CdpSession> | undefined
  #ownId: string | undefined
  #stopListening: (() => void) | undefined

  constructor(target: () => Promise<string>) {
    super('Debugger', { emits: ['message', 'detach'] })
    this.#target = target
  }

  attach(protocolVersion?: string): void {
    if (this.#own) throw new Error('Debugger is already attached to the target')
    if (protocolVersion !== undefined && !/^1\.[0-3]$/.test(protocolVersion)) {
      throw new Error('Requested protocol version is not supported')
    }
    this.#own = this.#open()
    this.#own.catch(() => this.targetClosed())
  }

  detach(): void {
    if (this.#ownId) chromium().root.sendAndForget('Target.detachFromTarget', { sessionId: this.#ownId })
    this.targetClosed()
  }

  isAttached(): boolean {
    return this.#own !== undefined
  }

  async sendCommand(method: string, commandParams?: object, sessionId?: string): Promise<unknown> {
    if (!this.#own) throw new Error('No target available')
    const own = await this.#own
    const session = sessionId ? this.#frames.get(sessionId) : own
    if (!session) throw new Error('Session with given id not found.')
    return session.send(method as 'Page.enable', (commandParams ?? {}) as never)
  }

  /** @internal the page has gone, or Chromium has ended the session */
  targetClosed(): void {
    if (!this.#own) return
    this.#own = undefined
    this.#ownId = undefined
    this.#stopListening?.()
    this.#frames.clear()
    this.emit('detach', {}, 'target closed')
  }

  async #open(): Promise<CdpSession> {
    const { root } = chromium()
    const { sessionId } = await root.send('Target.attachToTarget', { targetId: await this.#target(), flatten: true })
    this.#ownId = sessionId
    this.#stopListening = root.on('Target.detachedFromTarget', (gone) => {
      if (gone.sessionId === this.#ownId) this.targetClosed()
    })
    return this.#follow(sessionId, '')
  }

  #follow(id: string, reportedId: string): CdpSession {
    const session = chromium().session(id)
    session.onAny((method, params) => {
      if (method === 'Target.attachedToTarget') {
        const { sessionId } = params as { sessionId: string }
        this.#frames.set(sessionId, this.#follow(sessionId, sessionId))
      }
      if (method === 'Target.detachedFromTarget') {
        const { sessionId } = params as { sessionId: string }
        this.#frames.delete(sessionId)
        chromium().drop(sessionId)
      }
      this.emit('message', {}, method, params, reportedId)
    })
    return session
  }
}
