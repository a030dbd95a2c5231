// What keeps the host honest: whatever it does not emulate throws when it is used, and never passes in silence.
import { EventEmitter } from 'node:events'

/** Thrown where the application uses a part of Electron that the host does not emulate. */
export class NotEmulatedError extends Error {
  override readonly name = 'NotEmulatedError'

  constructor(what: string) {
    super(`${what} is not emulated by the test host (test/host)`)
    // The application may catch this, or log no more than its kind.
    process.stderr.write(`${this.message}\n`)
  }
}

export function notEmulated(what: string): never {
  throw new NotEmulatedError(what)
}

/** Fails the process, so that a use that can't be refused to its caller (an event's answer, say) still can't pass unseen. */
export function refuseLater(what: string): void {
  setImmediate(() => notEmulated(what))
}

/** Throws for an option that the host does not know: Electron would have done something with it. */
export function acceptOnly(what: string, options: object | undefined, accepted: readonly string[]): void {
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && !accepted.includes(name)) notEmulated(`${what}: option '${name}'`)
  }
}

// Read by Node, by promises and by test runners of any object they meet; asking is not using.
const asked = new Set([
  'then',
  'toJSON',
  'inspect',
  'domain',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
  'tagName',
  '__esModule'
])

function guard(name: string, key: string | symbol): undefined {
  if (typeof key === 'symbol' || asked.has(key)) return undefined
  return notEmulated(`${name}.${key}`)
}

/** What an object may say: the events it emits here, and those that are safe because they can never happen here. */
export interface Says {
  readonly emits: readonly string[]
  readonly never?: readonly string[]
}

/** An emitter that accepts only the events it can emit, and whose absent members throw instead of being undefined. */
export class Emulated extends EventEmitter {
  readonly #name: string
  readonly #says: Says

  constructor(name: string, says: Says) {
    super()
    this.#name = name
    this.#says = says
    this.setMaxListeners(0)
  }

  override on(event: string | symbol, listener: (...args: never[]) => void): this {
    this.#check(event)
    return super.on(event, listener as (...args: unknown[]) => void)
  }

  override addListener(event: string | symbol, listener: (...args: never[]) => void): this {
    return this.on(event, listener)
  }

  override once(event: string | symbol, listener: (...args: never[]) => void): this {
    this.#check(event)
    return super.once(event, listener as (...args: unknown[]) => void)
  }

  override prependListener(event: string | symbol, listener: (...args: never[]) => void): this {
    this.#check(event)
    return super.prependListener(event, listener as (...args: unknown[]) => void)
  }

  /** What a listener throws ends this telling, and is the process's to catch: whoever made it happen hears nothing. */
  override emit(event: string | symbol, ...told: unknown[]): boolean {
    try {
      return super.emit(event, ...told)
    } catch (error) {
      process.nextTick(() => {
        throw error
      })
      return true
    }
  }

  #check(event: string | symbol): void {
    if (typeof event === 'symbol' || this.#says.emits.includes(event) || this.#says.never?.includes(event)) return
    notEmulated(`${this.#name}: event '${event}'`)
  }
}

// Behind every emulated object's own members stands this proxy: a member that nobody defined is one that the host lacks.
Object.setPrototypeOf(
  Emulated.prototype,
  new Proxy(EventEmitter.prototype, {
    get: (target, key, receiver) =>
      key in target ? Reflect.get(target, key, receiver) : guard(receiver?.constructor?.name ?? 'object', key)
  })
)

/** The same strictness for a plain object with no events, such as `shell` or `clipboard`. */
export function strictly<T extends object>(name: string, part: T): T {
  return new Proxy(part, { get: (target, key) => (key in target ? Reflect.get(target, key) : guard(name, key)) })
}

/** Electron's event object for what can be prevented. */
export interface Preventable {
  readonly defaultPrevented: boolean
  preventDefault(): void
}

export function preventable<T extends object>(details: T): T & Preventable {
  let prevented = false
  const event = details as T & Preventable
  Object.defineProperties(event, {
    defaultPrevented: { get: () => prevented, enumerable: true },
    preventDefault: { value: () => (prevented = true), enumerable: true }
  })
  return event
}
