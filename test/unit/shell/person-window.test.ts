import type { EventEmitter } from 'node:events'
import type { Display } from 'electron'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPersonWindow } from '../../../src/main/shell/own-windows.ts'

/** The window's requests to Electron, and their results. */
interface FakeWindow extends EventEmitter {
  options: Record<string, unknown>
  webContents: EventEmitter
  reloads: number
}

const electron = await vi.hoisted(async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  class BrowserWindow extends Emitter {
    reloads = 0
    #isDestroyed = false
    readonly options: unknown
    readonly webContents = Object.assign(new Emitter(), {
      setIgnoreMenuShortcuts() {},
      setWebRTCIPHandlingPolicy() {},
      setWindowOpenHandler() {},
      reload: () => {
        this.reloads += 1
      }
    })

    constructor(options: unknown) {
      super()
      this.options = options
    }

    removeMenu() {}
    loadURL = async () => {}
    isDestroyed = () => this.#isDestroyed
    destroy() {
      this.#isDestroyed = true
      this.emit('closed')
    }
  }
  return { BrowserWindow, app: new Emitter(), nativeTheme: new Emitter(), screen: new Emitter(), session: {} }
})
vi.mock('electron', () => electron)

const log = { error: vi.fn() }

function open() {
  const display = { id: 2, bounds: { x: 1000, y: 0, width: 1000, height: 800 } } as Display
  const window = openPersonWindow(display, {
    start: 'app://person',
    preload: '/preload.cjs',
    zoom: () => 1,
    log,
    devServer: undefined
  })
  return { window, fake: window as unknown as FakeWindow }
}

const crash = ({ webContents }: FakeWindow) =>
  webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('the person in front of it can’t close it', () => {
  const { fake } = open()
  const event = { preventDefault: vi.fn() }
  fake.emit('close', event)
  expect(event.preventDefault).toHaveBeenCalledOnce()
  expect(fake.options).toMatchObject({ closable: false, frame: false, x: 1000 })
})

test('a crashed page is reloaded; one that crashes again immediately closes its window', async () => {
  const { window, fake } = open()
  crash(fake)
  await vi.advanceTimersByTimeAsync(60_000)
  crash(fake)
  expect(fake.reloads).toBe(2)
  expect(window.isDestroyed()).toBe(false)
  await vi.advanceTimersByTimeAsync(1000)
  crash(fake)
  await vi.advanceTimersByTimeAsync(0)
  expect(fake.reloads).toBe(2)
  expect(window.isDestroyed()).toBe(true)
})
