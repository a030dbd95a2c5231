import { EventEmitter } from 'node:events'
import type { BrowserWindow, Display, Rectangle } from 'electron'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CounterWindows } from '../../../src/main/shell/counter-windows.ts'

/** The machine's displays: plugged in by a test, and reported as Electron reports them. */
const screen = await vi.hoisted(async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  const displays: Display[] = []
  const middleOf = ({ x, width }: Rectangle) => x + width / 2
  const fake = Object.assign(new Emitter(), {
    displays,
    getAllDisplays: () => [...displays],
    getDisplayMatching: (bounds: Rectangle) =>
      displays.find(({ bounds: { x, width } }) => middleOf(bounds) >= x && middleOf(bounds) < x + width) ?? displays[0]
  })
  return fake
})
vi.mock('electron', () => ({ screen }))

const display = (id: number) =>
  ({ id, label: `Display ${id}`, bounds: { x: (id - 1) * 1000, y: 0, width: 1000, height: 800 } }) as Display

/** The parts of a window that the place uses, with Electron's events. */
class FakeWindow extends EventEmitter {
  readonly webContents = Object.assign(new EventEmitter(), {
    isCrashed: () => this.hasCrashed,
    setZoomFactor: (factor: number) => {
      this.zoom = factor
    }
  })
  zoom = 1
  hasCrashed = false
  bounds: Rectangle
  #isVisible = true
  #isFull = false
  #isFocused = true
  #isDestroyed = false

  constructor(bounds: Rectangle, isVisible = true) {
    super()
    this.bounds = bounds
    this.#isVisible = isVisible
  }

  getBounds = () => this.#unlessDestroyed(this.bounds)
  isVisible = () => this.#unlessDestroyed(this.#isVisible)
  isFullScreen = () => this.#unlessDestroyed(this.#isFull)
  isFocused = () => this.#unlessDestroyed(this.#isFocused)
  isMinimized = () => this.#unlessDestroyed(false)
  isDestroyed = () => this.#isDestroyed

  #unlessDestroyed<T>(value: T): T {
    if (this.#isDestroyed) throw new TypeError('Object has been destroyed')
    return value
  }

  setFullScreen(flag: boolean): void {
    if (flag === this.#isFull) return
    this.#isFull = flag
    this.emit(flag ? 'enter-full-screen' : 'leave-full-screen')
  }

  show(): void {
    this.#isVisible = true
    this.emit('show')
  }

  focus(): void {
    this.#isFocused = true
    this.emit('focus')
  }

  blur(): void {
    this.#isFocused = false
    this.emit('blur')
  }

  moveTo(bounds: Rectangle): void {
    this.bounds = bounds
    this.emit('move')
  }

  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.emit('closed')
  }

  asElectron = () => this as unknown as BrowserWindow
}

/** Everything that happened, in order. */
let recorded: string[]
/** Number of changes that the place announced. */
let changes = 0
let officeWindow: FakeWindow
let people: FakeWindow[]
/** Where the system puts a window that was requested on a display. */
let putAt: (target: Display) => Rectangle
let isShownAtOnce: boolean
const settings = { fullScreen: true, useOtherDisplay: true }

function placeOn(...ids: number[]) {
  screen.displays.splice(0, Infinity, ...ids.map(display))
  return new CounterWindows({
    office: officeWindow.asElectron(),
    settings: () => settings,
    zoom: () => 1,
    openPersonWindow(target) {
      const opened = new FakeWindow(putAt(target), isShownAtOnce)
      people.push(opened)
      return opened.asElectron()
    },
    clipboard: {
      stash: async () => void recorded.push('clipboard aside'),
      restore: async () => void recorded.push('clipboard back')
    },
    screenLeft: (by) => recorded.push(`left: ${by}`),
    placeLost: () => recorded.push(`place lost, ${people.filter((each) => !each.isDestroyed()).length} open`),
    changed: () => void changes++,
    onError: (error) => recorded.push(String(error))
  })
}

function plugIn(id: number): void {
  screen.displays.push(display(id))
  screen.emit('display-added', {}, display(id))
}

function unplug(id: number): void {
  screen.displays.splice(
    screen.displays.findIndex((each) => each.id === id),
    1
  )
  screen.emit('display-removed', {}, display(id))
}

beforeEach(() => {
  vi.useFakeTimers()
  recorded = []
  people = []
  putAt = ({ bounds }) => bounds
  isShownAtOnce = true
  officeWindow = new FakeWindow({ x: 0, y: 0, width: 900, height: 700 })
})

afterEach(() => {
  officeWindow.destroy()
  screen.removeAllListeners()
  vi.useRealTimers()
})

test.each([
  ['person’s', 2],
  ['desk’s', 1]
])('when the %s display is unplugged, the page ends and the person gets our own window', async (_whose, gone) => {
  const place = placeOn(1, 2)
  expect(await place.handOver()).toBe('other-display')
  const [person] = people as [FakeWindow]
  expect(place.window()).toBe(person)
  unplug(gone)
  await vi.advanceTimersByTimeAsync(0)
  // Announced while its window still existed, so that the page could be ended first.
  expect(recorded).toEqual(['place lost, 1 open', 'clipboard aside'])
  expect(person.isDestroyed()).toBe(true)
  expect(place.window()).toBe(officeWindow)
  expect(officeWindow.isFullScreen()).toBe(true)
  officeWindow.blur()
  expect(recorded.at(-1)).toBe('left: blur')
  place.giveBack()
  await vi.advanceTimersByTimeAsync(0)
  expect(officeWindow.isFullScreen()).toBe(false)
  expect(recorded.at(-1)).toBe('clipboard back')
})

test('the person’s zoom is at most doubled, and staff get their window back as it was', async () => {
  const place = placeOn(1)
  place.enlarge(2)
  expect(officeWindow.zoom).toBe(1)
  await place.handOver()
  place.enlarge(1.5)
  expect(officeWindow.zoom).toBe(1.5)
  place.enlarge(3)
  expect(officeWindow.zoom).toBe(2)
  place.giveBack()
  expect(officeWindow.zoom).toBe(1)
})

test('a third display can come and go without effect', async () => {
  const place = placeOn(1, 2, 3)
  await place.handOver()
  unplug(3)
  expect(recorded).toEqual([])
  // Systems move windows when displays go, briefly or permanently: that doesn't end an open page.
  people[0]?.moveTo(display(1).bounds)
  people[0]?.setFullScreen(true)
  expect(people[0]?.isDestroyed()).toBe(false)
  expect(place.window()).toBe(people[0])
})

test('when the desk’s display is unplugged during signing, the screen is covered and the person keeps our window', async () => {
  const place = placeOn(1)
  await place.handOver()
  plugIn(2)
  unplug(1)
  expect(recorded).toEqual(['clipboard aside', 'left: display'])
  expect(place.window()).toBe(officeWindow)
})

test('a second display plugged in during signing is used for the next person', async () => {
  const place = placeOn(1)
  expect(await place.handOver()).toBe('here')
  plugIn(2)
  expect(people).toEqual([])
  expect(place.window()).toBe(officeWindow)
  officeWindow.setFullScreen(false)
  expect(recorded.at(-1)).toBe('left: full-screen')
  place.restoreFullScreen()
  expect(officeWindow.isFullScreen()).toBe(true)
  place.giveBack()
  expect(people).toHaveLength(1)
  expect(await place.handOver()).toBe('other-display')
})

test('if the person’s window closes during signing, they get our own', async () => {
  const place = placeOn(1, 2)
  await place.handOver()
  people[0]?.destroy()
  await vi.advanceTimersByTimeAsync(0)
  expect(recorded).toEqual(['left: hidden', 'place lost, 0 open', 'clipboard aside'])
  expect(place.window()).toBe(officeWindow)
  place.giveBack()
  expect(people).toHaveLength(2)
})

test('a person’s window whose page crashed is announced, and replaced for the next person', async () => {
  const place = placeOn(1, 2)
  await place.handOver()
  const [person] = people as [FakeWindow]
  person.hasCrashed = true
  person.webContents.emit('render-process-gone')
  expect(recorded).toEqual(['left: page'])
  place.giveBack()
  expect(person.isDestroyed()).toBe(true)
  expect(await place.handOver()).toBe('other-display')
  expect(place.window()).toBe(people[1])
})

test('a window lost while nobody signs is reopened, at growing intervals while it keeps failing', async () => {
  const place = placeOn(1, 2)
  place.updatePersonWindow()
  const lost = async (after: number) => {
    await vi.advanceTimersByTimeAsync(after)
    const before = people.length
    people.at(-1)?.destroy()
    return { isBack: () => people.length > before && place.personWindow() === people.at(-1)?.asElectron() }
  }
  for (const wait of [5_000, 10_000, 20_000]) {
    const window = await lost(9_000)
    await vi.advanceTimersByTimeAsync(wait - 1)
    expect(window.isBack()).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(window.isBack()).toBe(true)
  }
  const window = await lost(60_000)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(window.isBack()).toBe(true)
  expect(recorded).toEqual([])
  // If our own window is gone as well, nothing is opened any more.
  const { length } = people
  people.at(-1)?.destroy()
  officeWindow.destroy()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(people).toHaveLength(length)
})

test('if the system puts the window elsewhere than on the second display, it isn’t used or tried again', async () => {
  putAt = () => display(1).bounds
  isShownAtOnce = false
  const place = placeOn(1, 2)
  place.updatePersonWindow()
  people[0]?.show()
  expect(people[0]?.isDestroyed()).toBe(true)
  expect(await place.handOver()).toBe('here')
  expect(people).toHaveLength(1)
  expect(place.otherDisplay()).toBeUndefined()
})

test('a session waits for the window on the second display, and goes on without one that never appears', async () => {
  isShownAtOnce = false
  const place = placeOn(1, 2)
  const first = place.handOver()
  people[0]?.show()
  expect(await first).toBe('other-display')
  place.giveBack()
  people[0]?.destroy()
  const second = place.handOver()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await second).toBe('here')
  people[1]?.show()
  expect(place.personWindow()).toBe(people[1])
  expect(place.window()).toBe(officeWindow)
})

test('moving our window to the other display moves the person’s to the one it left, but not during signing', async () => {
  const place = placeOn(1, 2)
  place.updatePersonWindow()
  officeWindow.moveTo(display(2).bounds)
  await vi.advanceTimersByTimeAsync(1000)
  expect(people.map(({ bounds }) => bounds.x)).toEqual([1000, 0])
  expect(people[0]?.isDestroyed()).toBe(true)
  await place.handOver()
  officeWindow.moveTo(display(1).bounds)
  await vi.advanceTimersByTimeAsync(1000)
  expect(people).toHaveLength(2)
  expect(place.window()).toBe(people[1])
})

test('our window is brought to the front, so that leaving it can be noticed', async () => {
  const place = placeOn(1)
  officeWindow.blur()
  await place.handOver()
  expect(officeWindow.isFocused()).toBe(true)
  expect(recorded).toEqual(['clipboard aside'])
})

test('our own dialog doesn’t count as leaving the window; another window in front afterwards does', async () => {
  const place = placeOn(1)
  await place.handOver()
  recorded = []
  const ask = () => place.duringDialog(async () => officeWindow.blur())
  await ask()
  officeWindow.focus()
  await vi.advanceTimersByTimeAsync(2000)
  expect(recorded).toEqual([])
  await ask()
  await vi.advanceTimersByTimeAsync(2000)
  expect(recorded).toEqual(['left: blur'])
  officeWindow.focus()
  officeWindow.blur()
  expect(recorded).toEqual(['left: blur', 'left: blur'])
})

test('while staff print for a person on the second display, the person’s window needs no focus', async () => {
  const place = placeOn(1, 2)
  await place.handOver()
  people[0]?.blur()
  await place.duringDialog(async () => officeWindow.blur())
  await vi.advanceTimersByTimeAsync(2000)
  expect(recorded).toEqual([])
})

test('if staff get the screen back before it was filled, nothing is stashed or watched', async () => {
  const place = placeOn(1)
  const taking = place.handOver()
  place.giveBack()
  await taking
  officeWindow.blur()
  expect(recorded).toEqual(['clipboard back'])
  expect(officeWindow.isFullScreen()).toBe(false)
})

test('closing the second display’s window is announced, as unplugging it is', () => {
  const place = placeOn(1, 2)
  place.updatePersonWindow()
  expect(place.personWindow()).toBeDefined()
  changes = 0
  people[0]?.destroy()
  expect([place.personWindow(), changes]).toEqual([undefined, 1])
})

test('once our window is gone, no other display is named, and nothing moves', () => {
  const place = placeOn(1, 2)
  place.updatePersonWindow()
  expect(place.otherDisplay()).toBe('Display 2')
  officeWindow.destroy()
  expect(place.otherDisplay()).toBeUndefined()
  place.updatePersonWindow()
  place.giveBack()
  expect(people.map((person) => person.isDestroyed())).toEqual([true])
})
