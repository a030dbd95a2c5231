/** What the person's hands do in a signing page: that they do something, which keys the page gets, and a menu of ours. */
import { type BrowserWindow, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron'
import { isHeldKey } from '../core/policy/held-keys.ts'

export interface Hands {
  /** They touched, typed or scrolled; at most once a second. */
  touched(): void
  /** The key that leads out of the page to what lies around it. */
  wantsOut(): void
}

const TOUCH_MS = 1000

/** Only moved by the system as windows come and go. */
const NOT_BY_HAND = new Set(['undefined', 'mouseEnter', 'mouseLeave'])

/** @param isShown whether the person sees the page: one that they don't gets no key. */
export function followHands(contents: WebContents, isShown: () => boolean, hands: Hands): void {
  let last = Number.NEGATIVE_INFINITY
  const touched = () => {
    const now = performance.now()
    if (now - last < TOUCH_MS) return
    last = now
    hands.touched()
  }
  // Three events, for each sees what the others don't: all of the main frame's, and keys and clicks in any frame.
  contents.on('input-event', (_event, { type }) => {
    if (!NOT_BY_HAND.has(type)) touched()
  })
  contents.on('before-mouse-event', (_event, { type }) => {
    if (!NOT_BY_HAND.has(type)) touched()
  })
  contents.on('before-input-event', (event, input) => {
    touched()
    if (input.key === 'F6' && input.type === 'keyDown') hands.wantsOut()
    if (!isShown() || isHeldKey(input, process.platform === 'darwin')) event.preventDefault()
  })
}

/**
 * Shows our menu where the page would have one: what can be done with the text at that place, and nothing else.
 * @returns what closes the menu, where one is open.
 */
export function offerMenu(contents: WebContents, window: BrowserWindow): () => void {
  let open: Menu | undefined
  contents.on('context-menu', (_event, { editFlags, isEditable, selectionText }) => {
    const items: MenuItemConstructorOptions[] = isEditable
      ? [
          { label: 'Undo', enabled: editFlags.canUndo, click: () => contents.undo() },
          { type: 'separator' },
          { label: 'Cut', enabled: editFlags.canCut, click: () => contents.cut() },
          { label: 'Copy', enabled: editFlags.canCopy, click: () => contents.copy() },
          { label: 'Paste', enabled: editFlags.canPaste, click: () => contents.paste() },
          { type: 'separator' },
          { label: 'Select all', enabled: editFlags.canSelectAll, click: () => contents.selectAll() }
        ]
      : selectionText.trim() === ''
        ? []
        : [{ label: 'Copy', enabled: editFlags.canCopy, click: () => contents.copy() }]
    if (items.length === 0 || window.isDestroyed()) return
    const menu = Menu.buildFromTemplate(items)
    open = menu
    menu.popup({ window, callback: () => (open = undefined) })
  })
  return () => {
    if (open && !window.isDestroyed()) open.closePopup(window)
  }
}
