// Messages between the application and its pages, with structured clone's types and the frame that really sent them.
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import { makeCodec } from './codec.ts'
import type { WebFrame } from './frames.ts'
import { notEmulated } from './strict.ts'
import type { WebContents } from './web-contents.ts'

export const codec = makeCodec()
type Handler = (event: Electron.IpcMainInvokeEvent, ...args: unknown[]) => unknown
type Listener = (event: Electron.IpcMainEvent, ...args: unknown[]) => void

type Offered = Pick<Electron.IpcMain, 'handle' | 'handleOnce' | 'removeHandler'>

/** `ipcMain`, and each webContents' own `ipc`. */
export class IpcMain implements Offered {
  readonly #handlers = new Map<string, Handler>()
  readonly #listeners = new EventEmitter().setMaxListeners(0)

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    if (typeof handler !== 'function')
      throw new TypeError(`Expected handler to be a function, but found type '${typeof handler}'`)
    this.#handlers.set(channel, handler)
  }

  handleOnce(channel: string, handler: Handler): void {
    this.handle(channel, (event, ...args) => {
      this.removeHandler(channel)
      return handler(event, ...args)
    })
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }

  on(channel: string, listener: Listener): this {
    this.#listeners.on(channel, listener)
    return this
  }

  addListener(channel: string, listener: Listener): this {
    return this.on(channel, listener)
  }

  once(channel: string, listener: Listener): this {
    this.#listeners.once(channel, listener)
    return this
  }

  off(channel: string, listener: Listener): this {
    this.#listeners.off(channel, listener)
    return this
  }

  removeListener(channel: string, listener: Listener): this {
    return this.off(channel, listener)
  }

  removeAllListeners(channel?: string): this {
    this.#listeners.removeAllListeners(channel)
    return this
  }

  /** @internal */
  handler(channel: string): Handler | undefined {
    return this.#handlers.get(channel)
  }

  /** @internal */
  deliver(channel: string, event: Electron.IpcMainEvent, args: unknown[]): void {
    this.#listeners.emit(channel, event, ...args)
  }
}

export const ipcMain = new IpcMain()

type Message =
  | { t: 'invoke'; id: number; channel: string; args: unknown[] }
  | { t: 'send'; channel: string; args: unknown[] }
  | { t: 'preload-error'; error: Error }
  | { t: 'main-world'; source: string }

/** Handles one message from a page's preload; `reply` sends text to the very document that sent the message. */
export async function receive(
  contents: WebContents,
  frame: WebFrame,
  text: string,
  reply: (text: string) => void
): Promise<void> {
  const message = codec.decode(text) as Message
  if (message.t === 'preload-error') {
    console.error('Unable to load preload script:', message.error)
    contents.emit('preload-error', {}, contents.preloadPath, message.error)
    return
  }
  if (message.t === 'main-world') {
    await contents.command((page) => page.send('Runtime.evaluate', { expression: message.source }))
    return
  }
  const event = {
    type: 'frame' as const,
    sender: contents.asElectron(),
    processId: frame.processId,
    frameId: frame.routingId,
    // As in Electron: null once the document that sent the message has gone.
    get senderFrame() {
      return (frame.isDestroyed() ? null : frame) as unknown as Electron.WebFrameMain | null
    },
    defaultPrevented: false,
    preventDefault() {}
  }
  if (message.t === 'send') {
    const sent = Object.defineProperties(event, {
      ports: { value: [] },
      reply: { value: (channel: string, ...args: unknown[]) => contents.send(channel, ...args) },
      returnValue: { get: () => notEmulated('event.returnValue'), set: () => notEmulated('event.returnValue') }
    }) as unknown as Electron.IpcMainEvent
    contents.emit('ipc-message', sent, message.channel, ...message.args)
    contents.ipc.deliver(message.channel, sent, message.args)
    ipcMain.deliver(message.channel, sent, message.args)
    return
  }
  const { id, channel, args } = message
  try {
    const handler = contents.ipc.handler(channel) ?? ipcMain.handler(channel)
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    reply(codec.encode({ t: 'reply', id, ok: true, value: await handler(event, ...args) }))
  } catch (error) {
    console.error(`Error occurred in handler for '${channel}':`, error)
    reply(codec.encode({ t: 'reply', id, ok: false, value: `Error invoking remote method '${channel}': ${error}` }))
  }
}
