/** Removes an item from a list of the package, and offers an undo for a while. */
import { onDestroy } from 'svelte'
import { useApp } from '../../state/app-state.svelte.ts'
import type { Toast, Toasts } from '../../state/toasts.svelte.ts'

export interface Removal<Item> {
  /** The message: "Mere was removed." */
  message: string
  /** Moves the focus to the removed item's neighbour (undefined if it was the last), or to the restored item. */
  focus: (item: Item | undefined) => void
  /** The list's maximum length: an item can't be restored if others have filled the list. */
  maxItems: number
  /** Called once it is removed. Returns what has to be undone with that. */
  after?: () => (() => void) | undefined
}

/** All Undos offered, of any component. */
const allOffered = new WeakSet<NonNullable<Toast['action']>>()

/** Withdraws every Undo, because what is being composed can't be changed any more, or was replaced. */
export function withdrawUndos(toasts: Toasts): void {
  for (const { id, action } of toasts.shown) if (action && allOffered.has(action)) toasts.dismiss(id)
}

/**
 * Returns a function that reports an action with an Undo. Call during component initialisation: when the component is
 * destroyed there is nothing to restore to, so the offers are withdrawn.
 */
export function useUndo() {
  const { toasts } = useApp()
  const offered = new Set<unknown>()
  onDestroy(() => {
    for (const toast of toasts.shown) if (offered.has(toast.action)) toasts.dismiss(toast.id)
  })

  return function offer(message: string, run: () => void): void {
    const undo = { label: 'Undo', run, request: 'drafts.save' } as const
    offered.add(undo)
    allOffered.add(undo)
    toasts.say(message, undo)
  }
}

/** Returns a function that removes items. Call during component initialisation, like `useUndo`. */
export function useRemoval() {
  const { toasts } = useApp()
  const offer = useUndo()

  return function remove<Item extends { key: string }>(
    list: () => Item[],
    index: number,
    { message, focus, maxItems, after }: Removal<Item>
  ): void {
    const before = list()[index - 1]?.key
    const [removed] = list().splice(index, 1)
    if (!removed) return
    const undoMore = after?.()
    focus(list()[Math.min(index, list().length - 1)])
    offer(message, () => {
      const items = list()
      if (items.length >= maxItems) return toasts.warn('There’s no room to put it back.')
      const place = items.findIndex((one) => one.key === before)
      items.splice(before === undefined ? 0 : place < 0 ? index : place + 1, 0, removed)
      undoMore?.()
      focus(removed)
    })
  }
}
