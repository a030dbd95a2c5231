/** Takes something out of a list of the package, and offers for a while to put it back where it was. */
import { onDestroy } from 'svelte'
import { useApp } from '../../state/app-state.svelte.ts'

export interface Removal<Item> {
  /** What is said of it: “Mere was removed.” */
  said: string
  /** To the neighbour of what is gone, nowhere where it was the last; and to what was put back. */
  focus: (item: Item | undefined) => void
  /** How many the list may have: where others took the place meanwhile, there is none to put it back to. */
  most: number
}

/**
 * Says what was done, with an Undo. Call while a component is made: once it goes, there is nothing to put anything back
 * to, and nothing is offered any more.
 */
export function useUndo() {
  const { toasts } = useApp()
  const offered = new Set<unknown>()
  onDestroy(() => {
    for (const toast of toasts.shown) if (offered.has(toast.action)) toasts.drop(toast.id)
  })

  return function offer(said: string, run: () => void): void {
    const undo = { label: 'Undo', run, takes: 'drafts.save' } as const
    offered.add(undo)
    toasts.say(said, undo)
  }
}

/** Call while a component is made, as `useUndo`. */
export function useRemoval() {
  const { toasts } = useApp()
  const offer = useUndo()

  return function remove<Item extends { key: string }>(
    list: () => Item[],
    index: number,
    { said, focus, most }: Removal<Item>
  ): void {
    const before = list()[index - 1]?.key
    const [gone] = list().splice(index, 1)
    if (!gone) return
    focus(list()[Math.min(index, list().length - 1)])
    offer(said, () => {
      const items = list()
      if (items.length >= most) return toasts.warn('There’s no room to put it back.')
      const after = items.findIndex((one) => one.key === before)
      items.splice(before === undefined ? 0 : after < 0 ? index : after + 1, 0, gone)
      focus(gone)
    })
  }
}
