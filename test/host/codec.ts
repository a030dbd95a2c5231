// Structured clone as text, for messages between the application and its pages. `makeCodec` is self-contained because its
// source text also runs inside the page.

export interface Codec {
  /**
   * Returns the value as JSON text.
   * @throws Error "An object could not be cloned." for values that structured clone refuses
   */
  encode(value: unknown): string
  decode(text: string): unknown
}

type Json = null | boolean | number | string | Tagged
interface Tagged {
  $: string
  v?: unknown
  k?: string
  st?: string
  c?: Json
}

export function makeCodec(): Codec {
  const globals = globalThis as unknown as Record<string, new (...args: unknown[]) => object>
  const views = [
    'Int8Array',
    'Uint8Array',
    'Uint8ClampedArray',
    'Int16Array',
    'Uint16Array',
    'Int32Array',
    'Uint32Array',
    'Float32Array',
    'Float64Array',
    'BigInt64Array',
    'BigUint64Array',
    'DataView'
  ]
  const errors = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError']
  const uncloneable = ['Promise', 'WeakMap', 'WeakSet', 'WeakRef', 'Window', 'HTMLDocument']
  const refuse = (): never => {
    throw new Error('An object could not be cloned.')
  }
  const toBase64 = (bytes: Uint8Array): string => {
    let text = ''
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
    return btoa(text)
  }
  const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (c) => c.charCodeAt(0))

  function encode(root: unknown): string {
    const seen = new Map<object, number>()
    const write = (value: unknown): Json => {
      if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
      if (typeof value === 'number') {
        if (Object.is(value, -0)) return { $: 'n', v: '-0' }
        return Number.isFinite(value) ? value : { $: 'n', v: String(value) }
      }
      if (value === undefined) return { $: 'u' }
      if (typeof value === 'bigint') return { $: 'b', v: String(value) }
      if (typeof value !== 'object') return refuse()
      const reference = seen.get(value)
      if (reference !== undefined) return { $: 'r', v: reference }
      seen.set(value, seen.size)
      const type = Object.prototype.toString.call(value).slice(8, -1)
      if (Array.isArray(value)) return { $: 'a', v: value.map(write) }
      if (type === 'Date') return { $: 'd', v: Number(value) }
      if (type === 'RegExp') return { $: 'x', v: [(value as RegExp).source, (value as RegExp).flags] }
      if (type === 'ArrayBuffer') return { $: 'ab', v: toBase64(new Uint8Array(value as ArrayBuffer)) }
      if (ArrayBuffer.isView(value)) {
        return { $: 't', k: type, v: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) }
      }
      if (type === 'Map')
        return { $: 'm', v: [...(value as Map<unknown, unknown>)].map(([k, v]) => [write(k), write(v)]) }
      if (type === 'Set') return { $: 's', v: [...(value as Set<unknown>)].map(write) }
      if (value instanceof Error || type === 'Error') {
        const error = value as Error
        const out: Tagged = { $: 'e', k: errors.includes(error.name) ? error.name : 'Error', v: String(error.message) }
        if (error.stack !== undefined) out.st = error.stack
        if ('cause' in error) out.c = write(error.cause)
        return out
      }
      if (uncloneable.includes(type) || /Element$|^Node/.test(type)) return refuse()
      return { $: 'o', v: Object.fromEntries(Object.entries(value).map(([k, v]) => [k, write(v)])) }
    }
    return JSON.stringify(write(root))
  }

  function decode(text: string): unknown {
    const refs: unknown[] = []
    const remember = <T>(made: T): T => {
      refs.push(made)
      return made
    }
    const make = (name: string, ...args: unknown[]): object => {
      const type = globals[name]
      return type ? new type(...args) : refuse()
    }
    const read = (json: Json): unknown => {
      if (json === null || typeof json !== 'object') return json
      const value = json.v as never
      if (json.$ === 'n') return Number(value)
      if (json.$ === 'u') return undefined
      if (json.$ === 'b') return BigInt(value)
      if (json.$ === 'r') return refs[value as number]
      if (json.$ === 'd') return remember(new Date(value))
      if (json.$ === 'x') return remember(new RegExp((value as string[])[0] ?? '', (value as string[])[1]))
      if (json.$ === 'ab') return remember(fromBase64(value).buffer)
      if (json.$ === 't') {
        const bytes = fromBase64(value)
        return remember(json.k && views.includes(json.k) ? make(json.k, bytes.buffer) : bytes)
      }
      if (json.$ === 'a') {
        const list = remember<unknown[]>([])
        for (const item of value as Json[]) list.push(read(item))
        return list
      }
      if (json.$ === 'm') {
        const map = remember(new Map())
        for (const [k, v] of value as [Json, Json][]) map.set(read(k), read(v))
        return map
      }
      if (json.$ === 's') {
        const set = remember(new Set())
        for (const item of value as Json[]) set.add(read(item))
        return set
      }
      if (json.$ === 'e') {
        const error = remember(make(json.k ?? 'Error', value)) as Error
        if (json.st !== undefined) error.stack = json.st
        if (json.c !== undefined) error.cause = read(json.c)
        return error
      }
      const object = remember<Record<string, unknown>>({})
      for (const [k, v] of Object.entries(value as Record<string, Json>)) {
        Object.defineProperty(object, k, { value: read(v), enumerable: true, configurable: true, writable: true })
      }
      return object
    }
    return read(JSON.parse(text) as Json)
  }
  return { encode, decode }
}
