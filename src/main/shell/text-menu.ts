/**
 * The menu of a right click on text, in our own pages and on signing pages: undo, cut, copy, paste, select all, and what a
 * misspelt word may have meant where the system checks spelling itself. A page's own menu, as of a row of a list, comes first: its
 * click never gets here.
 */
import {
  type BrowserWindow,
  type ContextMenuParams,
  Menu,
  type MenuItemConstructorOptions,
  type WebContents
} from 'electron'

/** As many suggestions as are read at a glance. */
const MOST_SUGGESTIONS = 5
const LINE: MenuItemConstructorOptions = { type: 'separator' }

/**
 * Shows our menu where the page would have one: what can be done with the text at that place, and nothing else.
 * @param isOffered whether there is a menu at all just now.
 * @returns what closes the menu, where one is open.
 */
export function offerTextMenu(
  contents: WebContents,
  window: BrowserWindow,
  isOffered: () => boolean = () => true
): () => void {
  let open: Menu | undefined
  contents.on('context-menu', (_event, params) => {
    const items = itemsFor(contents, params)
    if (items.length === 0 || window.isDestroyed() || !isOffered()) return
    const menu = Menu.buildFromTemplate(items)
    open = menu
    // The keyboard’s menu belongs to the text, wherever the pointer was left.
    const place = params.menuSourceType === 'keyboard' ? { x: params.x, y: params.y } : {}
    menu.popup({ window, ...place, callback: () => (open = undefined) })
  })
  return () => {
    if (open && !window.isDestroyed()) open.closePopup(window)
  }
}

function itemsFor(
  contents: WebContents,
  { editFlags, isEditable, selectionText, dictionarySuggestions }: ContextMenuParams
): MenuItemConstructorOptions[] {
  const copy: MenuItemConstructorOptions = { label: 'Copy', enabled: editFlags.canCopy, click: () => contents.copy() }
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy]
  const suggestions = dictionarySuggestions
    .slice(0, MOST_SUGGESTIONS)
    .map((word): MenuItemConstructorOptions => ({ label: word, click: () => contents.replaceMisspelling(word) }))
  return [
    ...suggestions,
    ...(suggestions.length > 0 ? [LINE] : []),
    { label: 'Undo', enabled: editFlags.canUndo, click: () => contents.undo() },
    { label: 'Redo', enabled: editFlags.canRedo, click: () => contents.redo() },
    LINE,
    { label: 'Cut', enabled: editFlags.canCut, click: () => contents.cut() },
    copy,
    { label: 'Paste', enabled: editFlags.canPaste, click: () => contents.paste() },
    LINE,
    { label: 'Select all', enabled: editFlags.canSelectAll, click: () => contents.selectAll() }
  ]
}
