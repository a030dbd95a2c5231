/** What is open over the page: asked of the page itself, as menus and dialogs belong to many screens. */

const DIALOG = '[role=dialog], [role=alertdialog]'
const DIALOG_OR_MENU = `${DIALOG}, [role=menu]`
/** The counter's layer over the window is a `dialog` element; whether it is open, `isOfficeHidden` says. */
const TAKES_KEYS = `input, textarea, select, [contenteditable], dialog, ${DIALOG_OR_MENU}`

/** Returns whether a dialog is open: nothing else may open before it is answered. */
export function isDialogOpen(): boolean {
  return document.querySelector(DIALOG) !== null
}

/** Returns whether a dialog or menu is open: the keys of the page below do nothing then. */
export function isDialogOrMenuOpen(): boolean {
  return document.querySelector(DIALOG_OR_MENU) !== null
}

/** Returns the dialog that contains this element. */
export function dialogAround(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>(DIALOG) ?? null
}

/** Returns whether a key was pressed in a field, dialog or menu, so that it is no shortcut of the page. */
export function isKeyTaken({ target }: Event): boolean {
  return target instanceof Element && target.closest(TAKES_KEYS) !== null
}
