import { describe, expect, test } from 'vitest'
import { editCommandOf, isBlockedKey, type Key } from '../../../src/main/core/policy/blocked-keys.ts'

/** Returns a key from its short name, such as `Control+Shift+I`; `code` if it differs from the key's own. */
function key(name: string, code?: string): Key {
  const parts = name.split('+')
  const last = parts.at(-1) ?? ''
  return {
    key: last,
    code: code ?? (/^[A-Za-z]$/.test(last) ? `Key${last.toUpperCase()}` : last),
    control: parts.includes('Control', 0) && last !== 'Control',
    meta: parts.includes('Meta') && last !== 'Meta',
    alt: parts.includes('Alt') && last !== 'Alt',
    shift: parts.includes('Shift') && last !== 'Shift'
  }
}

describe('a signing page doesn’t get', () => {
  test.each([
    ...['p', 's', 'o', 'u', 'r', 'w', 'n', 't', 'f', 'g', 'j', 'h', 'd', 'e', 'l', 'k', 'q', 'i', 'b', 'm'].map(
      (letter) => `Control+${letter}`
    ),
    'Control+Shift+I',
    'Control+Shift+J',
    'Control+Shift+C',
    'Control+Shift+N',
    'Control+Shift+P',
    'Control+Shift+R',
    'Control+Shift+Delete+a',
    'Control+Tab',
    'Control+0',
    'Control+PageDown',
    'Control+F4',
    'Meta+p',
    'Meta+Alt+i',
    'F1',
    'F3',
    'F5',
    'F7',
    'F11',
    'F12',
    'Shift+F10',
    'F24',
    'BrowserBack',
    'BrowserRefresh',
    'BrowserHome',
    'GoBack',
    'LaunchMail',
    'Print',
    'Save',
    'Alt+ArrowLeft',
    'Alt+ArrowRight',
    'Alt+Home'
  ])('%s', (name) => expect(isBlockedKey(key(name), false)).toBe(true))

  test('Control with a letter of another alphabet on the key of a browser command', () => {
    expect(isBlockedKey(key('Control+з', 'KeyP'), false)).toBe(true)
  })
})

describe('a signing page gets', () => {
  test.each([
    ...['a', 'Z', 'é', '€', '1', ' ', 'Enter', 'Tab', 'Escape', 'Backspace', 'ArrowLeft', 'PageDown', 'Home', 'Dead'],
    ...['Control', 'Shift', 'Alt', 'Meta', 'CapsLock', 'ContextMenu'],
    ...['Control+a', 'Control+c', 'Control+v', 'Control+x', 'Control+z', 'Control+y', 'Control+Shift+Z'],
    ...['Control+Shift+V', 'Control+ArrowLeft', 'Control+Shift+ArrowRight', 'Control+Backspace', 'Shift+Insert'],
    ...['Meta+c', 'Meta+v', 'Control+Alt+@', 'Control+Alt+€', 'Shift+Tab', 'Alt+Shift']
  ])('%s', (name) => expect(isBlockedKey(key(name), false)).toBe(false))

  test('Control with a letter of another alphabet on the key of an editing command', () => {
    expect(isBlockedKey(key('Control+с', 'KeyC'), false)).toBe(false)
  })

  test('moving by words on a Mac, where going back uses other keys', () => {
    expect(isBlockedKey(key('Alt+ArrowLeft'), true)).toBe(false)
    expect(isBlockedKey(key('Meta+['), true)).toBe(true)
  })
})

describe('on macOS, where editing keys belong to the menu, a page receives', () => {
  test.each([
    ['Meta+c', 'copy'],
    ['Meta+x', 'cut'],
    ['Meta+v', 'paste'],
    ['Meta+Shift+v', 'pasteAndMatchStyle'],
    ['Meta+a', 'selectAll'],
    ['Meta+z', 'undo'],
    ['Meta+Shift+z', 'redo']
  ])('%s as %s', (name, edit) => expect(editCommandOf(key(name))).toBe(edit))

  test.each(['c', 'Control+c', 'Meta+Control+c', 'Meta+Alt+v', 'Meta+Shift+c', 'Meta+p', 'Meta+ArrowLeft'])(
    'nothing for %s',
    (name) => expect(editCommandOf(key(name))).toBeUndefined()
  )

  test('the command of the key’s position, on a keyboard of another alphabet', () =>
    expect(editCommandOf(key('Meta+с', 'KeyC'))).toBe('copy'))
})
