/**
 * The context menu for text, in our own pages and on signing pages: undo, cut, copy, paste, select all, and spelling
 * suggestions if the system checks spelling itself. A page's own context menu, such as a list row's, comes first: its
 * click never gets here.
 */
import {
  type BrowserWindow,
  type ContextMenuParams,
  Menu,
  type MenuItemConstructorOptions,
  type Point,
  type WebContents
} from 'electron'

/** As many as can be read at a glance. */
const MAX_SUGGESTIONS = 5
const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' }

interface Offer {
  /** Whether the menu is available just now. */
  isOffered?: () => boolean
  /** Where the page begins in the window, if it doesn't fill it. */
  origin?: () => Point
}

/**
 * Shows our menu where the page would have one: only what can be done with the text there.
 * @returns a function that closes the menu if it's open.
 */
export function offerTextMenu(
  contents: WebContents,
  window: BrowserWindow,
  { isOffered = () => true, origin = () => ({ x: 0, y: 0 }) }: Offer = {}
): () => void {
  let openMenu: Menu | undefined
  contents.on('context-menu', (_event, params) => {
    const items = itemsFor(contents, params)
    if (items.length === 0 || window.isDestroyed() || !isOffered()) return
    const menu = Menu.buildFromTemplate(items)
    openMenu = menu
    // The keyboard's menu key opens it at the text, wherever the pointer is. The page counts from its own corner.
    const place = params.menuSourceType === 'keyboard' ? sumOf(origin(), params) : {}
    menu.popup({ window, ...place, callback: () => (openMenu = undefined) })
  })
  return () => {
    if (openMenu && !window.isDestroyed()) openMenu.closePopup(window)
  }
}

const sumOf = (one: Point, other: Point): Point => ({ x: one.x + other.x, y: one.y + other.y })

function itemsFor(
  contents: WebContents,
  { editFlags, isEditable, selectionText, dictionarySuggestions }: ContextMenuParams
): MenuItemConstructorOptions[] {
  const copy: MenuItemConstructorOptions = { label: 'Copy', enabled: editFlags.canCopy, click: () => contents.copy() }
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy]
  const suggestions = dictionarySuggestions
    .slice(0, MAX_SUGGESTIONS)
    .map((word): MenuItemConstructorOptions => ({ label: word, click: () => contents.replaceMisspelling(word) }))
  return [
    ...suggestions,
    ...(suggestions.length > 0 ? [SEPARATOR] : []),
    { label: 'Undo', enabled: editFlags.canUndo, click: () => contents.undo() },
    { label: 'Redo', enabled: editFlags.canRedo, click: () => contents.redo() },
    SEPARATOR,
    { label: 'Cut', enabled: editFlags.canCut, click: () => contents.cut() },
    copy,
    { label: 'Paste', enabled: editFlags.canPaste, click: () => contents.paste() },
    SEPARATOR,
    { label: 'Select all', enabled: editFlags.canSelectAll, click: () => contents.selectAll() }
  ]
}
