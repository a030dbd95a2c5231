/** Keeps the focus from getting lost when a button's action removes the button itself. */
import type { Attachment } from 'svelte/attachments'

/**
 * Moves the focus to `next` if the focused element is removed from this part of the page and nothing else has received
 * the focus.
 * @param next returns what takes the place of the removed element; called after the removal.
 */
export function keepsFocus(next: () => HTMLElement | null | undefined): Attachment<HTMLElement> {
  return (part) => {
    let held: EventTarget | null = null
    const hold = ({ target }: FocusEvent) => {
      held = target
    }
    const letGo = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget) held = null
    }
    const watch = new MutationObserver(() => {
      if (!(held instanceof HTMLElement) || held.isConnected) return
      held = null
      if (isFocusLost()) next()?.focus()
    })
    part.addEventListener('focusin', hold)
    part.addEventListener('focusout', letGo)
    watch.observe(part, { childList: true, subtree: true })
    return () => {
      watch.disconnect()
      part.removeEventListener('focusin', hold)
      part.removeEventListener('focusout', letGo)
    }
  }
}

/** Returns whether nothing on the page has the focus. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
