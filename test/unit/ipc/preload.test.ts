import { createRequire } from 'node:module'
import { build } from 'vite'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { requestNamesPlugin } from '../../../scripts/request-names.ts'
import { eventNames, requestNames } from '../../../src/shared/contract/index.ts'

type Bridge = Record<string, Record<string, (...args: unknown[]) => unknown>> & {
  on(name: unknown, listener: unknown): () => void
}

let code: string

beforeAll(async () => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [requestNamesPlugin()],
    build: {
      write: false,
      ssr: 'src/preload/index.ts',
      rollupOptions: { external: ['electron'], output: { format: 'cjs' } }
    }
  })
  const output = (Array.isArray(built) ? built[0] : built) as { output: { code: string }[] }
  code = output.output[0]?.code ?? ''
})

/** Runs the built preload with a fake Electron that only records. */
function loaded() {
  const exposed: Record<string, unknown> = {}
  const required: string[] = []
  const ipcRenderer = { invoke: vi.fn(async () => 'answer'), on: vi.fn(), removeListener: vi.fn() }
  const inPage: (() => void)[] = []
  const contextBridge = {
    exposeInMainWorld: (name: string, api: unknown) => Object.assign(exposed, { [name]: api }),
    executeInMainWorld: ({ func }: { func: () => void }) => void inPage.push(func)
  }
  const require = (name: string) => {
    required.push(name)
    return name === 'electron' ? { contextBridge, ipcRenderer } : createRequire(import.meta.url)(name)
  }
  new Function('require', 'module', 'exports', code)(require, { exports: {} }, {})
  return { exposed, required, ipcRenderer, inPage, bridge: exposed.countersign as Bridge }
}

describe('the bridge that pages see', () => {
  test('is one name, in one file that requires only electron, as a sandboxed preload must', () => {
    const { exposed, required } = loaded()
    expect(Object.keys(exposed)).toEqual(['countersign'])
    expect(required).toEqual(['electron'])
  })

  test('removes the page’s ways to connect that its content policy doesn’t cover', () => {
    const ways = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'WebSocketStream']
    for (const name of ways) vi.stubGlobal(name, class {})
    for (const run of loaded().inPage) run()
    expect(ways.filter((name) => name in globalThis)).toEqual([])
    vi.unstubAllGlobals()
  })

  test('has one function for each request, "on", and nothing else', () => {
    const { on, ...domains } = loaded().bridge
    const names = Object.entries(domains).flatMap(([domain, actions]) =>
      Object.keys(actions).map((action) => `${domain}.${action}`)
    )
    expect(names.sort()).toEqual([...requestNames].sort())
    expect(typeof on).toBe('function')
  })

  test('passes on one input and the account it is for on the request’s channel, and no further arguments', async () => {
    const { bridge, ipcRenderer } = loaded()
    expect(await bridge.drafts?.get?.({ id: 'a' }, 'accounts.remove', { id: 'b' })).toBe('answer')
    await bridge.drafts?.get?.({ id: 'a' }, { id: 'b' })
    expect(ipcRenderer.invoke.mock.calls).toEqual([
      ['drafts.get', { id: 'a' }, 'accounts.remove'],
      ['drafts.get', { id: 'a' }]
    ])
  })

  test('passes on an event’s payload but never the event, whose sender would bypass the contract', () => {
    const { bridge, ipcRenderer } = loaded()
    const listener = vi.fn()
    bridge.on('drafts.changed', listener)
    const [channel, receive] = ipcRenderer.on.mock.calls[0] ?? []
    receive({ sender: ipcRenderer }, { id: 'a' })
    expect(channel).toBe('drafts.changed')
    expect(listener.mock.calls).toEqual([[{ id: 'a' }]])
  })

  test('removes the same listener that was added', () => {
    const { bridge, ipcRenderer } = loaded()
    const off = bridge.on(eventNames[0], () => undefined)
    off()
    expect(ipcRenderer.removeListener.mock.calls).toEqual(ipcRenderer.on.mock.calls)
  })

  test.each([
    'drafts.get',
    'ipc-message',
    '__proto__',
    '',
    undefined,
    ['drafts.changed'],
    { toString: () => 'drafts.changed' }
  ])('doesn’t listen to %j', (name) => {
    const { bridge, ipcRenderer } = loaded()
    expect(() => bridge.on(name, () => undefined)).toThrow('no such event')
    expect(ipcRenderer.on).not.toHaveBeenCalled()
  })
})
