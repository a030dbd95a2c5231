// The connection to Chromium: typed commands and events of the DevTools protocol, over a pipe or a socket. Each end
// notices when the other goes away, so a host that is killed can't leave a browser behind, or its pages in a borrowed
// one.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { WebSocket } from 'ws'
import type { Protocol } from '../../node_modules/playwright-core/types/protocol.d.ts'

export type { Protocol }

type Commands = Protocol.CommandParameters
type Answers = Protocol.CommandReturnValues
type Events = Protocol.Events
type Listener = (params: never) => void

/** A command that Chromium refused, with Chromium's own message, or one whose target has gone. */
class CdpError extends Error {
  override readonly name = 'CdpError'
  readonly method: string

  constructor(method: string, message: string) {
    super(`${method}: ${message}`)
    this.method = method
  }
}

/** One session of the protocol: the browser's own, or that of a page, frame or worker. */
export class CdpSession {
  readonly id: string
  readonly #connection: CdpConnection
  readonly #listeners = new Map<string, Set<Listener>>()
  #all: ((event: string, params: unknown) => void) | undefined

  constructor(connection: CdpConnection, id: string) {
    this.#connection = connection
    this.id = id
  }

  /** Sends one command. Rejects with CdpError if it is refused or the session has ended. */
  send<M extends keyof Commands>(
    method: M,
    ...params: Record<never, never> extends Commands[M] ? [Commands[M]?] : [Commands[M]]
  ): Promise<Answers[M]> {
    return this.#connection.send(this.id, method, params[0]) as Promise<Answers[M]>
  }

  /** Sends a command whose failure only means that the page has gone, and ignores the failure. */
  sendAndForget<M extends keyof Commands>(
    method: M,
    ...params: Record<never, never> extends Commands[M] ? [Commands[M]?] : [Commands[M]]
  ): void {
    this.send(method, ...params).catch(() => {})
  }

  /**
   * Adds a listener. Returns a function that removes it: the browser's own session outlives every page that listens to
   * it.
   */
  on<E extends keyof Events>(event: E, listener: (params: Events[E]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set()
    set.add(listener as Listener)
    this.#listeners.set(event, set)
    return () => void set.delete(listener as Listener)
  }

  /** Sets the listener for all events of this session, for passing them on. */
  onAny(listener: (event: string, params: unknown) => void): void {
    this.#all = listener
  }

  /** @internal called by the CdpLine for each event of this session */
  receive(event: string, params: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(params as never)
    this.#all?.(event, params)
  }
}

interface PendingCommand {
  readonly sessionId: string
  readonly method: string
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The transport of a CdpLine: whole messages, as text. */
export interface Transport {
  send(text: string): void
  onMessage(listener: (text: string) => void): void
  /** Resolves once no more messages can arrive. */
  readonly closed: Promise<void>
}

/** Returns the transport over Chromium's own pipe, where a zero byte ends each message. */
export function pipeTransport(output: Writable, input: Readable): Transport {
  let deliver: (text: string) => void = () => {}
  let rest: Buffer[] = []
  input.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      rest.push(chunk.subarray(from, end))
      deliver(Buffer.concat(rest).toString())
      rest = []
      from = end + 1
    }
    rest.push(chunk.subarray(from))
  })
  return {
    send: (text) => void output.write(`${text}\0`),
    onMessage: (listener) => (deliver = listener),
    closed: new Promise((resolve) => {
      input.once('close', resolve)
      input.once('error', () => resolve())
      output.once('error', () => resolve())
    })
  }
}

/**
 * Connects to a Chromium that another process started and that listens at `endpoint`. Rejects if nothing listens there.
 */
export async function socketTransport(endpoint: string): Promise<Transport & { close(): void }> {
  // Node's own WebSocket compresses each message, on both sides, which costs a tenth of a start.
  const webSocket = new WebSocket(endpoint, { perMessageDeflate: false, maxPayload: 0 })
  await once(webSocket, 'open')
  // An error is followed by a close, which is all that matters here.
  webSocket.on('error', () => {})
  return {
    send: (text) => webSocket.send(text),
    onMessage: (listener) => webSocket.on('message', (data) => listener(String(data))),
    closed: new Promise((resolve) => webSocket.once('close', () => resolve())),
    close: () => webSocket.close()
  }
}

/** All sessions with one Chromium. */
export class CdpConnection {
  readonly browser: CdpSession
  readonly #transport: Transport
  readonly #sessions = new Map<string, CdpSession>()
  readonly #pending = new Map<number, PendingCommand>()
  #lastId = 0
  #open = true

  constructor(transport: Transport) {
    this.#transport = transport
    this.browser = this.session('')
    transport.onMessage((text) => this.#receive(text))
    transport.closed.then(() => this.#end())
  }

  /** Returns the session with this id, creating it on first use. */
  session(id: string): CdpSession {
    const session = this.#sessions.get(id) ?? new CdpSession(this, id)
    this.#sessions.set(id, session)
    return session
  }

  /** Ends a session and rejects its pending commands. */
  drop(id: string): void {
    this.#sessions.delete(id)
    for (const [key, pending] of this.#pending) {
      if (pending.sessionId !== id) continue
      this.#pending.delete(key)
      pending.reject(new CdpError(pending.method, 'the target has gone'))
    }
  }

  /** @internal use CdpSession.send */
  send(sessionId: string, method: string, params: unknown = {}): Promise<unknown> {
    if (!this.#open) return Promise.reject(new CdpError(method, 'the browser has gone'))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { sessionId, method, resolve, reject })
      this.#transport.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
    })
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as {
      id?: number
      sessionId?: string
      method?: string
      params?: unknown
      result?: unknown
      error?: { message: string }
    }
    if (message.id === undefined) {
      // Events can arrive before anyone has asked for their session: auto-attached targets send some at once.
      if (message.method) this.#sessions.get(message.sessionId ?? '')?.receive(message.method, message.params)
      return
    }
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    if (message.error) pending?.reject(new CdpError(pending.method, message.error.message))
    else pending?.resolve(message.result)
  }

  #end(): void {
    this.#open = false
    for (const pending of this.#pending.values()) pending.reject(new CdpError(pending.method, 'the browser has gone'))
    this.#pending.clear()
  }
}
