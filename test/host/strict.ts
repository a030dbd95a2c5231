// Keeps the host honest: anything it doesn't emulate throws when used, instead of passing silently.
import { EventEmitter } from 'node:events'

/** Thrown when the application uses a part of Electron that the host doesn't emulate. */
export class NotEmulatedError extends Error {
  override readonly name = 'NotEmulatedError'

  constructor(what: string) {
    super(`${what} is not emulated by the test host (test/host)`)
    // The application may catch this error, or log only its kind.
    process.stderr.write(`${this.message}\n`)
  }
}

export function notEmulated(what: string): never {
  throw new NotEmulatedError(what)
}

/**
 * Fails the process later, so that a use that can't be refused to its caller (such as an event's answer) doesn't go
 * unnoticed.
 */
export function refuseLater(what: string): void {
  setImmediate(() => notEmulated(what))
}

/** Throws for an option that the host doesn't know: Electron would have acted on it. */
export function acceptOnly(what: string, options: object | undefined, accepted: readonly string[]): void {
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && !accepted.includes(name)) notEmulated(`${what}: option '${name}'`)
  }
}

// Properties that Node, promises and test runners read on any object; reading them doesn't count as use.
const ignoredKeys = new Set([
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

function refuseMissing(name: string, key: string | symbol): undefined {
  if (typeof key === 'symbol' || ignoredKeys.has(key)) return undefined
  return notEmulated(`${name}.${key}`)
}

/**
 * An object's events: those it emits here, and those that are safe to listen for because they can never happen here.
 */
export interface EventNames {
  readonly emits: readonly string[]
  readonly never?: readonly string[]
}

/**
 * An emitter that accepts listeners only for events it can emit, and whose missing members throw instead of being
 * undefined.
 */
export class Emulated extends EventEmitter {
  readonly #name: string
  readonly #events: EventNames

  constructor(name: string, events: EventNames) {
    super()
    this.#name = name
    this.#events = events
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

  /**
   * Emits an event. An error thrown by a listener stops the emission and becomes an uncaught exception of the process;
   * the emitting code never sees it.
   */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    try {
      return super.emit(event, ...args)
    } catch (error) {
      process.nextTick(() => {
        throw error
      })
      return true
    }
  }

  #check(event: string | symbol): void {
    if (typeof event === 'symbol' || this.#events.emits.includes(event) || this.#events.never?.includes(event)) return
    notEmulated(`${this.#name}: event '${event}'`)
  }
}

// This proxy sits behind every emulated object's own members: a member that nothing else defines is one that the host
// lacks.
Object.setPrototypeOf(
  Emulated.prototype,
  new Proxy(EventEmitter.prototype, {
    get: (target, key, receiver) =>
      key in target ? Reflect.get(target, key, receiver) : refuseMissing(receiver?.constructor?.name ?? 'object', key)
  })
)

/**
 * Makes an object behave as in Electron once its native part is gone: its members throw.
 * @param kept those that still work, and those of the host's own.
 * @param fields those that aren't accessors here, though Electron's are.
 */
export function markDestroyed(gone: Emulated, kept: readonly string[], fields: readonly string[]): void {
  const refuse = (): never => {
    throw new TypeError('Object has been destroyed')
  }
  const throwing = (name: string, member?: PropertyDescriptor) => {
    if (name === 'constructor' || kept.includes(name)) return
    Object.defineProperty(
      gone,
      name,
      typeof member?.value === 'function' ? { value: refuse } : { get: refuse, set: refuse }
    )
  }
  for (const name of fields) throwing(name)
  for (let part = Object.getPrototypeOf(gone); part !== Emulated.prototype; part = Object.getPrototypeOf(part)) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(part))) {
      if (!Object.hasOwn(gone, name)) throwing(name, member)
    }
  }
}

/** Applies the same strictness to a plain object without events, such as `shell` or `clipboard`. */
export function strictly<T extends object>(name: string, part: T): T {
  return new Proxy(part, {
    get: (target, key) => (key in target ? Reflect.get(target, key) : refuseMissing(name, key))
  })
}

/** Electron's event object for events that can be prevented. */
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
