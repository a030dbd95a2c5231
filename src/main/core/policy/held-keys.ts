/**
 * Which keys a signing page gets: those one types and edits with. The rest belong to browsers (printing, saving, the
 * source, going back, the tools of developers) and are held before the page or the browser sees them.
 */

/** A key as Electron tells it: `key` and `code` as in the web's KeyboardEvent. */
export interface Key {
  key: string
  code: string
  control: boolean
  meta: boolean
  alt: boolean
  shift: boolean
}

/** With Control or Command: cut, copy, paste, all, undo and redo, and moving about in a text. */
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

/** Keys of their own for what a browser does. */
const OF_BROWSERS =
  /^(F\d+|Browser.*|Launch.*|Go(Back|Home)|Print|PrintScreen|Open|Save|Close|New|Find|Help|ZoomIn|ZoomOut)$/

/**
 * Whether a key must not reach the page.
 * @param isMac there Option moves by words; elsewhere Alt with an arrow goes back and forth.
 */
export function isHeldKey(input: Key, isMac: boolean): boolean {
  if (MODIFIERS.has(input.key)) return false
  if (OF_BROWSERS.test(input.key)) return true
  // Control and Alt together are how some keyboards type @, € and the like.
  const isTyping = input.control && input.alt && input.key.length === 1
  if (isTyping) return false
  if (input.control || input.meta) return !isEditing(input)
  return input.alt && !isMac && MOVING.has(input.key)
}

function isEditing(input: Key): boolean {
  return MOVING.has(input.key) || (input.shift ? EDITING_SHIFTED : EDITING).has(letterOf(input))
}

/** Keyboards of other alphabets give their own letter; then the place of the key counts. */
function letterOf({ key, code }: Key): string {
  return (/^[a-z]$/i.test(key) ? key : code.replace(/^Key/, '')).toLowerCase()
}

/** What is done to the text where the person types; the names are those of Electron's webContents. */
export type Edit = 'undo' | 'redo' | 'cut' | 'copy' | 'paste' | 'pasteAndMatchStyle' | 'selectAll'

const EDITS: Readonly<Record<string, Edit>> = { z: 'undo', x: 'cut', c: 'copy', v: 'paste', a: 'selectAll' }
const EDITS_SHIFTED: Readonly<Record<string, Edit>> = { z: 'redo', v: 'pasteAndMatchStyle' }

/**
 * What a key does on macOS, where these keys are the menu's: a page whose keys never reach our menu has to be given them. Undefined
 * for any other key.
 */
export function editOf(input: Key): Edit | undefined {
  if (!input.meta || input.control || input.alt) return undefined
  return (input.shift ? EDITS_SHIFTED : EDITS)[letterOf(input)]
}
