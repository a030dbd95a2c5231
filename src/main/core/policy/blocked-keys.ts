/**
 * Decides which keys a signing page receives: those for typing and editing. Browser keys (printing, saving, viewing
 * source, going back, developer tools) are blocked before the page or the browser sees them.
 */

/** A key as reported by Electron: `key` and `code` as in the web's KeyboardEvent. */
export interface Key {
  key: string
  code: string
  control: boolean
  meta: boolean
  alt: boolean
  shift: boolean
}

/** With Control or Command: cut, copy, paste, select all, undo, redo, and moving the cursor. */
const EDITING = new Set(['a', 'c', 'v', 'x', 'y', 'z'])
const EDITING_SHIFTED = new Set(['v', 'z'])
const MOVING = new Set([
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  'Backspace',
  'Delete',
  'Insert',
  'Enter'
])
const MODIFIERS = new Set(['Control', 'Meta', 'Alt', 'AltGraph', 'Shift', 'CapsLock', 'NumLock', 'Fn'])

/** Dedicated keys for browser functions. */
const BROWSER_KEYS =
  /^(F\d+|Browser.*|Launch.*|Go(Back|Home)|Print|PrintScreen|Open|Save|Close|New|Find|Help|ZoomIn|ZoomOut)$/

/**
 * Returns whether a key must not reach the page.
 * @param isMac on macOS, Option moves by words; elsewhere, Alt with an arrow navigates back and forth.
 */
export function isBlockedKey(input: Key, isMac: boolean): boolean {
  if (MODIFIERS.has(input.key)) return false
  if (BROWSER_KEYS.test(input.key)) return true
  // On some keyboards, Control and Alt together type @, € and the like.
  const isTyping = input.control && input.alt && input.key.length === 1
  if (isTyping) return false
  if (input.control || input.meta) return !isEditing(input)
  return input.alt && !isMac && MOVING.has(input.key)
}

function isEditing(input: Key): boolean {
  return MOVING.has(input.key) || (input.shift ? EDITING_SHIFTED : EDITING).has(letterOf(input))
}

/** Keyboards of other alphabets report their own letters; then the key's position counts. */
function letterOf({ key, code }: Key): string {
  return (/^[a-z]$/i.test(key) ? key : code.replace(/^Key/, '')).toLowerCase()
}

/** Edit commands for the focused text; named as in Electron's webContents. */
export type EditCommand = 'undo' | 'redo' | 'cut' | 'copy' | 'paste' | 'pasteAndMatchStyle' | 'selectAll'

const EDITS: Readonly<Record<string, EditCommand>> = { z: 'undo', x: 'cut', c: 'copy', v: 'paste', a: 'selectAll' }
const EDITS_SHIFTED: Readonly<Record<string, EditCommand>> = { z: 'redo', v: 'pasteAndMatchStyle' }

/**
 * Returns the edit command of a key on macOS, where these keys belong to the menu: a page whose keys never reach our
 * menu needs them passed on. Undefined for any other key.
 */
export function editCommandOf(input: Key): EditCommand | undefined {
  if (!input.meta || input.control || input.alt) return undefined
  return (input.shift ? EDITS_SHIFTED : EDITS)[letterOf(input)]
}
