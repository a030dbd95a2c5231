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
  readonly #line: CdpLine
  readonly #listeners = new Map<string, Set<Listener>>()
  #all: ((event: string, params: unknown) => void) | undefined

  constructor(line: CdpLine, id: string) {
    this.#line = line
    this.id = id
  }

  /** Sends one command. Rejects with CdpError if it is refused or the session has ended. */
  send<M extends keyof Commands>(
    method: M,
    ...params: Record<never, never> extends Commands[M] ? [Commands[M]?] : [Commands[M]]
  ): Promise<Answers[M]> {
    return this.#line.send(this.id, method, params[0]) as Promise<Answers[M]>
  }

  /** Sends a command whose failure only means that the page has gone, and ignores the failure. */
  tell<M extends keyof Commands>(
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

interface Waiting {
  readonly sessionId: string
  readonly method: string
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The transport of a CdpLine: whole messages, as text. */
export interface Carrier {
  send(text: string): void
  hear(listener: (text: string) => void): void
  /** Resolves once no more messages can arrive. */
  readonly closed: Promise<void>
}

/** Returns the transport over Chromium's own pipe, where a zero byte ends each message. */
export function pipe(out: Writable, back: Readable): Carrier {
  let heard: (text: string) => void = () => {}
  let rest: Buffer[] = []
  back.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      rest.push(chunk.subarray(from, end))
      heard(Buffer.concat(rest).toString())
      rest = []
      from = end + 1
    }
    rest.push(chunk.subarray(from))
  })
  return {
    send: (text) => void out.write(`${text}\0`),
    hear: (listener) => (heard = listener),
    closed: new Promise((resolve) => {
      back.once('close', resolve)
      back.once('error', () => resolve())
      out.once('error', () => resolve())
    })
  }
}

/**
 * Connects to a Chromium that another process started and that listens at `endpoint`. Rejects if nothing listens there.
 */
export async function socket(endpoint: string): Promise<Carrier & { close(): void }> {
  // Node's own WebSocket compresses each message, on both sides, which costs a tenth of a start.
  const line = new WebSocket(endpoint, { perMessageDeflate: false, maxPayload: 0 })
  await once(line, 'open')
  // An error is followed by a close, which is all that matters here.
  line.on('error', () => {})
  return {
    send: (text) => line.send(text),
    hear: (listener) => line.on('message', (data) => listener(String(data))),
    closed: new Promise((resolve) => line.once('close', () => resolve())),
    close: () => line.close()
  }
}

/** All sessions with one Chromium. */
export class CdpLine {
  readonly browser: CdpSession
  readonly #carrier: Carrier
  readonly #sessions = new Map<string, CdpSession>()
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #open = true

  constructor(carrier: Carrier) {
    this.#carrier = carrier
    this.browser = this.session('')
    carrier.hear((text) => this.#receive(text))
    carrier.closed.then(() => this.#end())
  }

  /** Returns the session with this id, creating it on first use. */
  session(id: string): CdpSession {
    const known = this.#sessions.get(id) ?? new CdpSession(this, id)
    this.#sessions.set(id, known)
    return known
  }

  /** Ends a session and rejects its pending commands. */
  drop(id: string): void {
    this.#sessions.delete(id)
    for (const [key, waiting] of this.#waiting) {
      if (waiting.sessionId !== id) continue
      this.#waiting.delete(key)
      waiting.reject(new CdpError(waiting.method, 'the target has gone'))
    }
  }

  /** @internal use CdpSession.send */
  send(sessionId: string, method: string, params: unknown = {}): Promise<unknown> {
    if (!this.#open) return Promise.reject(new CdpError(method, 'the browser has gone'))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { sessionId, method, resolve, reject })
      this.#carrier.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
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
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.error) waiting?.reject(new CdpError(waiting.method, message.error.message))
    else waiting?.resolve(message.result)
  }

  #end(): void {
    this.#open = false
    for (const waiting of this.#waiting.values()) waiting.reject(new CdpError(waiting.method, 'the browser has gone'))
    this.#waiting.clear()
  }
}
