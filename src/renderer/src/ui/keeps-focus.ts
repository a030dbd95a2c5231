/** Focus that is never lost: what is done with a button may take the button itself away. */
import type { Attachment } from 'svelte/attachments'

/**
 * Where what has the focus is taken out of this part of the page, and nothing else has been given it since, `next` has it.
 * @param next what stands in the place of what is gone; looked for once it is gone.
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

/** Whether nothing on the page has the focus. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
