/** Keeps the focus from getting lost when a button's action removes the button itself. */
import type { Attachment } from 'svelte/attachments'

/**
 * Moves the focus to `next` if the focused element is removed from this part of the page and nothing else has received
 * the focus.
 * @param next returns what takes the place of the removed element; called after the removal.
 */
export function preserveFocus(next: () => HTMLElement | null | undefined): Attachment<HTMLElement> {
  return (part) => {
    let held: EventTarget | null = null
    const hold = ({ target }: FocusEvent) => {
      held = target
    }
    const clearHeld = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget) held = null
    }
    const observer = new MutationObserver(() => {
      if (!(held instanceof HTMLElement) || held.isConnected) return
      held = null
      if (isFocusLost()) next()?.focus()
    })
    part.addEventListener('focusin', hold)
    part.addEventListener('focusout', clearHeld)
    observer.observe(part, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      part.removeEventListener('focusin', hold)
      part.removeEventListener('focusout', clearHeld)
    }
  }
}

/** Returns whether nothing on the page has the focus. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
