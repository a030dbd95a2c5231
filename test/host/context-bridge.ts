// The page's side of the preload: an isolated world with `ipcRenderer` and `contextBridge`, and what it exposes in the
// main world. All functions here are self-contained because their source text is what runs inside the page.
import type { Codec } from './codec.ts'

type Message =
  | { t: 'call'; cid: number; fid: number; args: unknown }
  | { t: 'ret'; cid: number; ok: boolean; v: unknown }
  | { t: 'settle'; pid: number; ok: boolean; v: unknown }
  | { t: 'expose'; key: string; v: unknown }

export interface Bridge {
  send(message: Message): void
  pack(value: unknown): unknown
}

/**
 * Creates one end of the bridge between the two worlds of a document; runs in both. Chromium clones an event's detail
 * from world to world synchronously, so functions can be called across, as with Electron's contextBridge.
 */
export function bridge(token: string, side: 'I' | 'M', onExpose?: (key: string, value: unknown) => void): Bridge {
  const other = side === 'I' ? 'M' : 'I'
  const NativeEvent = CustomEvent
  const dispatch = window.dispatchEvent.bind(window)
  const functionKey = `${token}f`
  const promiseKey = `${token}p`
  const exportedFunctions = new Map<number, (...args: unknown[]) => unknown>()
  const ids = new WeakMap<object, number>()
  const proxies = new Map<number, (...args: unknown[]) => unknown>()
  const promises = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  const answers = new Map<number, { ok: boolean; v: unknown } | undefined>()
  let lastId = 0
  const send = (detail: Message) => void dispatch(new NativeEvent(token + other, { detail }))
  const isPlain = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Object]'
  // As with contextBridge, only an error's message crosses.
  const toPlainError = (error: unknown) => (error instanceof Error ? new Error(error.message) : error)
  const settle = (pid: number, ok: boolean, value: unknown) => {
    try {
      send({ t: 'settle', pid, ok, v: ok ? pack(value) : toPlainError(value) })
    } catch (error) {
      send({ t: 'settle', pid, ok: false, v: toPlainError(error) })
    }
  }
  const pack = (value: unknown): unknown => {
    if (typeof value === 'function') {
      const id = ids.get(value) ?? ++lastId
      ids.set(value, id)
      exportedFunctions.set(id, value as (...args: unknown[]) => unknown)
      return { [functionKey]: id }
    }
    if (typeof value === 'symbol') throw new TypeError('A symbol cannot cross the context bridge')
    if (value instanceof Promise) {
      const id = ++lastId
      value.then(
        (v) => settle(id, true, v),
        (e) => settle(id, false, e)
      )
      return { [promiseKey]: id }
    }
    if (Array.isArray(value)) return value.map(pack)
    // Throws for values that can't be cloned; the event between the worlds would drop them silently.
    if (!isPlain(value)) return structuredClone(value)
    return Object.fromEntries(Object.keys(value).map((key) => [key, pack(value[key])]))
  }
  const unpack = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(unpack)
    if (!isPlain(value)) return value
    if (functionKey in value) {
      const id = value[functionKey] as number
      const proxy = proxies.get(id) ?? ((...args: unknown[]) => call(id, args))
      proxies.set(id, proxy)
      return proxy
    }
    if (promiseKey in value) {
      return new Promise((resolve, reject) => promises.set(value[promiseKey] as number, { resolve, reject }))
    }
    return Object.fromEntries(Object.keys(value).map((key) => [key, unpack(value[key])]))
  }
  const call = (fid: number, args: unknown[]): unknown => {
    const cid = ++lastId
    answers.set(cid, undefined)
    send({ t: 'call', cid, fid, args: pack(args) })
    const answer = answers.get(cid)
    answers.delete(cid)
    if (!answer) throw new Error('The context bridge did not answer')
    if (!answer.ok) throw answer.v
    return answer.v
  }
  const receive = (message: Message) => {
    if (message.t === 'ret') return void answers.set(message.cid, { ok: message.ok, v: unpack(message.v) })
    if (message.t === 'expose') return onExpose?.(message.key, unpack(message.v))
    if (message.t === 'settle') {
      const promise = promises.get(message.pid)
      promises.delete(message.pid)
      return message.ok ? promise?.resolve(unpack(message.v)) : promise?.reject(unpack(message.v))
    }
    try {
      const target = exportedFunctions.get(message.fid)
      if (!target) throw new Error('That function has gone')
      send({ t: 'ret', cid: message.cid, ok: true, v: pack(target(...(unpack(message.args) as unknown[]))) })
    } catch (error) {
      send({ t: 'ret', cid: message.cid, ok: false, v: toPlainError(error) })
    }
  }
  window.addEventListener(
    token + side,
    (event) => {
      event.stopImmediatePropagation()
      receive((event as CustomEvent<Message>).detail)
    },
    true
  )
  return { send, pack }
}

/** Runs in the main world of the main frame: puts what the preload exposes on `window`, frozen. */
export function mainWorld(token: string, makeBridge: typeof bridge): void {
  if (window.top !== window) return
  const freeze = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    for (const inner of Object.values(value)) freeze(inner)
    return Object.freeze(value)
  }
  makeBridge(token, 'M', (key, value) => {
    Object.defineProperty(window, key, { value: freeze(value), enumerable: true, configurable: false, writable: false })
  })
}

/** What a sandboxed preload sees of its `process`. */
export interface PreloadProcess {
  readonly versions: Record<string, string>
  readonly platform: string
  readonly arch: string
  readonly argv: readonly string[]
}

/**
 * Runs in the isolated world of the main frame: the preload script, with the few modules that a sandboxed preload may
 * require.
 */
export function isolatedWorld(
  token: string,
  names: { post: string; deliver: string },
  makeBridge: typeof bridge,
  codec: Codec,
  info: PreloadProcess,
  preload: (require: unknown, process: unknown, module: { exports: unknown }, exports: unknown) => void
): void {
  const globals = globalThis as unknown as Record<string, unknown>
  const post = globals[names.post] as (text: string) => void
  delete globals[names.post]
  // A preload runs in the main frame only, as `nodeIntegrationInSubFrames` is off.
  if (window.top !== window) return
  const refuse = (what: string) => {
    throw new Error(`${what} is not emulated by the test host (test/host)`)
  }
  type Listener = (event: unknown, ...args: unknown[]) => void
  const listeners = new Map<string, { listener: Listener; once: boolean }[]>()
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  let lastId = 0
  const { send, pack } = makeBridge(token, 'I')
  const listen = (channel: string, listener: Listener, once: boolean) => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), { listener, once }])
    return ipcRenderer
  }
  const ipcRenderer = {
    invoke: (channel: string, ...args: unknown[]) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        const text = codec.encode({ t: 'invoke', id, channel, args })
        pending.set(id, { resolve, reject })
        post(text)
      }),
    send: (channel: string, ...args: unknown[]) => post(codec.encode({ t: 'send', channel, args })),
    on: (channel: string, listener: Listener) => listen(channel, listener, false),
    addListener: (channel: string, listener: Listener) => listen(channel, listener, false),
    once: (channel: string, listener: Listener) => listen(channel, listener, true),
    off: (channel: string, listener: Listener) => ipcRenderer.removeListener(channel, listener),
    removeListener: (channel: string, listener: Listener) => {
      const list = listeners.get(channel) ?? []
      const at = list.findIndex((each) => each.listener === listener)
      listeners.set(
        channel,
        list.filter((_, index) => index !== at)
      )
      return ipcRenderer
    },
    removeAllListeners: (channel?: string) => {
      if (channel === undefined) listeners.clear()
      else listeners.delete(channel)
      return ipcRenderer
    },
    listenerCount: (channel: string) => listeners.get(channel)?.length ?? 0,
    sendSync: () => refuse('ipcRenderer.sendSync'),
    postMessage: () => refuse('ipcRenderer.postMessage'),
    sendToHost: () => refuse('ipcRenderer.sendToHost')
  }
  globals[names.deliver] = (text: string) => {
    const message = codec.decode(text) as
      | { t: 'reply'; id: number; ok: boolean; value: unknown }
      | { t: 'event'; channel: string; args: unknown[] }
    if (message.t === 'reply') {
      const promise = pending.get(message.id)
      pending.delete(message.id)
      if (message.ok) promise?.resolve(message.value)
      else promise?.reject(new Error(String(message.value)))
      return
    }
    for (const { listener, once } of [...(listeners.get(message.channel) ?? [])]) {
      if (once) ipcRenderer.removeListener(message.channel, listener)
      listener({ sender: ipcRenderer, ports: [] }, ...message.args)
    }
  }
  const exposed = new Set<string>()
  const contextBridge = {
    exposeInMainWorld: (key: string, value: unknown) => {
      if (exposed.has(key))
        throw new Error(`Cannot bind an API on top of an existing property on the window object: ${key}`)
      exposed.add(key)
      send({ t: 'expose', key, v: pack(value) })
    },
    // Goes through the host, because a page's CSP forbids running text. It runs before the page's load ends, and
    // returns nothing.
    executeInMainWorld: ({ func, args = [] }: { func: unknown; args?: unknown[] }) =>
      post(codec.encode({ t: 'main-world', source: `(${func})(...${JSON.stringify(args)})` }))
  }
  const strict = (name: string, part: object) =>
    new Proxy(part, {
      get: (target, key) =>
        key in target || typeof key === 'symbol' || key === '__esModule' || key === 'then' || key === 'default'
          ? Reflect.get(target, key)
          : refuse(`${name}.${key}`)
    })
  const electron = strict('electron (preload)', {
    contextBridge: strict('contextBridge', contextBridge),
    ipcRenderer: strict('ipcRenderer', ipcRenderer)
  })
  const require = (name: string) => {
    if (name === 'electron' || name === 'electron/renderer' || name === 'electron/common') return electron
    throw new Error(`module not found: ${name}`)
  }
  const process = {
    ...info,
    env: {},
    contextIsolated: true,
    sandboxed: true,
    type: 'renderer',
    nextTick: (f: (...args: unknown[]) => void, ...args: unknown[]) => queueMicrotask(() => f(...args))
  }
  const module = { exports: {} }
  try {
    preload(require, process, module, module.exports)
  } catch (error) {
    post(codec.encode({ t: 'preload-error', error }))
  }
}
