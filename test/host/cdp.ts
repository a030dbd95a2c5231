// The line to Chromium: typed commands and events of the DevTools protocol, over a pipe or a socket. When either end goes away
// the other notices: a host that is killed can't leave a browser behind, nor its pages in one that it has borrowed.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { WebSocket } from 'ws'
import type { Protocol } from '../../node_modules/playwright-core/types/protocol.d.ts'

export type { Protocol }

type Commands = Protocol.CommandParameters
type Answers = Protocol.CommandReturnValues
type Events = Protocol.Events
type Listener = (params: never) => void

/** A command that Chromium refused; `message` is Chromium's own. */
class CdpError extends Error {
  override readonly name = 'CdpError'
  readonly method: string

  constructor(method: string, message: string) {
    super(`${method}: ${message}`)
    this.method = method
  }
}

/** One conversation on the line: the browser's own, or that of a page, frame or worker. */
export class CdpSession {
  readonly id: string
  readonly #line: CdpLine
  readonly #listeners = new Map<string, Set<Listener>>()
  #all: ((event: string, params: unknown) => void) | undefined

  constructor(line: CdpLine, id: string) {
    this.#line = line
    this.id = id
  }

  /** Sends one command; rejects with CdpError when it is refused or the conversation has ended. */
  send<M extends keyof Commands>(
    method: M,
    ...params: Record<never, never> extends Commands[M] ? [Commands[M]?] : [Commands[M]]
  ): Promise<Answers[M]> {
    return this.#line.send(this.id, method, params[0]) as Promise<Answers[M]>
  }

  /** Sends a command whose refusal means only that the page has gone, which is no news here. */
  tell<M extends keyof Commands>(
    method: M,
    ...params: Record<never, never> extends Commands[M] ? [Commands[M]?] : [Commands[M]]
  ): void {
    this.send(method, ...params).catch(() => {})
  }

  /** Answers what stops listening: the browser's own conversation outlives every page that listens to it. */
  on<E extends keyof Events>(event: E, listener: (params: Events[E]) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set()
    set.add(listener as Listener)
    this.#listeners.set(event, set)
    return () => void set.delete(listener as Listener)
  }

  /** Hears every event of this conversation, for the one who passes it on. */
  onAny(listener: (event: string, params: unknown) => void): void {
    this.#all = listener
  }

  /** @internal called by the line for each event of this conversation */
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

/** What carries the line: whole messages, as text. */
export interface Carrier {
  send(text: string): void
  hear(listener: (text: string) => void): void
  /** Settles once nothing comes any more. */
  readonly closed: Promise<void>
}

/** Chromium's own pipe: each message is ended by a zero byte. */
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

/** A socket to a Chromium that another process started: one that listens there. Rejects where nothing does. */
export async function socket(endpoint: string): Promise<Carrier & { close(): void }> {
  // Node's own packs each message, on both sides: a tenth of a start.
  const line = new WebSocket(endpoint, { perMessageDeflate: false, maxPayload: 0 })
  await once(line, 'open')
  // It closes then, which is all that matters here.
  line.on('error', () => {})
  return {
    send: (text) => line.send(text),
    hear: (listener) => line.on('message', (data) => listener(String(data))),
    closed: new Promise((resolve) => line.once('close', () => resolve())),
    close: () => line.close()
  }
}

/** All conversations with one Chromium. */
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

  /** The conversation of that id; made on first asking. */
  session(id: string): CdpSession {
    const known = this.#sessions.get(id) ?? new CdpSession(this, id)
    this.#sessions.set(id, known)
    return known
  }

  /** Ends a conversation: what still waits in it is refused. */
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
      // Events of a conversation can come before anyone has asked for it: auto-attached targets speak at once.
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
