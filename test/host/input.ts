// Electron's sendInputEvent: input as the system would deliver it to a page. It passes the application's before-…
// listeners first, and input that they prevent never reaches the page. (Keys that a test presses through Playwright
// come from outside the host: the page gets them at once, and the application only sees input-event.)
import type * as Electron from 'electron'
import type { CdpSession, Protocol } from './cdp.ts'
import { notEmulated } from './strict.ts'

export type Sent = Electron.MouseInputEvent | Electron.MouseWheelInputEvent | Electron.KeyboardInputEvent

const modifierBits: Readonly<Record<string, number>> = {
  alt: 1,
  control: 2,
  ctrl: 2,
  meta: 4,
  command: 4,
  cmd: 4,
  shift: 8
}

/** Accelerators' key names, with the web's `key` and `code` and Windows' key code. */
const namedKeys: Readonly<Record<string, [key: string, code: string, number: number]>> = {
  Backspace: ['Backspace', 'Backspace', 8],
  Tab: ['Tab', 'Tab', 9],
  Enter: ['Enter', 'Enter', 13],
  Return: ['Enter', 'Enter', 13],
  Escape: ['Escape', 'Escape', 27],
  Esc: ['Escape', 'Escape', 27],
  Space: [' ', 'Space', 32],
  PageUp: ['PageUp', 'PageUp', 33],
  PageDown: ['PageDown', 'PageDown', 34],
  End: ['End', 'End', 35],
  Home: ['Home', 'Home', 36],
  Left: ['ArrowLeft', 'ArrowLeft', 37],
  Up: ['ArrowUp', 'ArrowUp', 38],
  Right: ['ArrowRight', 'ArrowRight', 39],
  Down: ['ArrowDown', 'ArrowDown', 40],
  Delete: ['Delete', 'Delete', 46],
  Control: ['Control', 'ControlLeft', 17],
  Alt: ['Alt', 'AltLeft', 18],
  Shift: ['Shift', 'ShiftLeft', 16]
}

interface Key {
  readonly key: string
  readonly code: string
  readonly number: number
}

function keyOf(keyCode: string, isShifted: boolean): Key {
  const [key, code, number] = namedKeys[keyCode] ?? []
  if (key !== undefined && code !== undefined && number !== undefined) return { key, code, number }
  const digit = /^F(\d\d?)$/.exec(keyCode)?.[1]
  if (digit) return { key: keyCode, code: keyCode, number: 111 + Number(digit) }
  if (/^[a-z]$/i.test(keyCode)) {
    const upper = keyCode.toUpperCase()
    return { key: isShifted ? upper : keyCode.toLowerCase(), code: `Key${upper}`, number: upper.charCodeAt(0) }
  }
  if (/^\d$/.test(keyCode)) return { key: keyCode, code: `Digit${keyCode}`, number: keyCode.charCodeAt(0) }
  return notEmulated(`sendInputEvent: the key '${keyCode}'`)
}

function modifiersOf({ modifiers = [] }: Sent): number {
  return modifiers.reduce((sum, name) => sum | (modifierBits[name.toLowerCase()] ?? 0), 0)
}

/** Returns what `before-input-event` reports for a key event; undefined for events that it doesn't report. */
export function asInput(event: Sent): Electron.Input | undefined {
  if (event.type !== 'keyDown' && event.type !== 'rawKeyDown' && event.type !== 'keyUp') return undefined
  const pressed = modifiersOf(event)
  const { key, code } = keyOf((event as Electron.KeyboardInputEvent).keyCode, (pressed & 8) !== 0)
  return {
    type: event.type === 'keyUp' ? 'keyUp' : 'keyDown',
    key,
    code,
    isAutoRepeat: event.modifiers?.includes('isautorepeat') ?? false,
    isComposing: false,
    alt: (pressed & 1) !== 0,
    control: (pressed & 2) !== 0,
    meta: (pressed & 4) !== 0,
    shift: (pressed & 8) !== 0,
    location: 0,
    modifiers: [...(event.modifiers ?? [])]
  }
}

/** Returns what `before-mouse-event` reports; undefined for events other than the mouse's. */
export function asMouse(event: Sent): Electron.MouseInputEvent | undefined {
  return /^mouse/.test(event.type) ? (event as Electron.MouseInputEvent) : undefined
}

/** Passes an event on to the page. */
export async function dispatch(page: CdpSession, event: Sent): Promise<void> {
  const modifiers = modifiersOf(event)
  const mouse = asMouse(event)
  if (mouse) {
    await page.send('Input.dispatchMouseEvent', { ...mouseEvent(mouse), x: mouse.x, y: mouse.y, modifiers })
    return
  }
  const { keyCode } = event as Electron.KeyboardInputEvent
  if (event.type === 'char') {
    await page.send('Input.dispatchKeyEvent', { type: 'char', text: keyCode, modifiers })
    return
  }
  const { key, code, number } = keyOf(keyCode, (modifiers & 8) !== 0)
  const type = event.type === 'keyUp' ? 'keyUp' : 'rawKeyDown'
  await page.send('Input.dispatchKeyEvent', { type, key, code, windowsVirtualKeyCode: number, modifiers })
}

function mouseEvent(
  event: Electron.MouseInputEvent
): Pick<Protocol.Input.dispatchMouseEventParameters, 'type' | 'button' | 'clickCount' | 'deltaX' | 'deltaY'> {
  const { button = 'left', clickCount = 1 } = event
  if (event.type === 'mouseDown') return { type: 'mousePressed', button, clickCount }
  if (event.type === 'mouseUp') return { type: 'mouseReleased', button, clickCount }
  if (event.type === 'mouseMove') return { type: 'mouseMoved', button: 'none' }
  if (event.type !== 'mouseWheel') return notEmulated(`sendInputEvent: '${event.type}'`)
  // Electron's deltas count towards the top and the left, the protocol's away from them.
  const { deltaX = 0, deltaY = 0 } = event as Electron.MouseWheelInputEvent
  return { type: 'mouseWheel', deltaX: 0 - deltaX, deltaY: 0 - deltaY }
}
