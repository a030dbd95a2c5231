/** Moves the focus to a control by its place, opening whatever it lies closed in. */
import { tick } from 'svelte'
import { idOf } from './composing.svelte.ts'

/** Those who draw a part of a long list only: asked to draw the place that is gone to. */
export const drawing = new Set<(at: string) => void>()

/** Answers whether there was such a control. */
export async function focusPlace(at: string): Promise<boolean> {
  for (const draw of drawing) draw(at)
  return focusFirst(idOf(at))
}

export async function focusFirst(id: string): Promise<boolean> {
  await tick()
  const target = document.getElementById(id)
  if (!target) return false
  for (let part = target.closest('details'); part; part = part.parentElement?.closest('details') ?? null)
    part.open = true
  target.focus({ preventScroll: true })
  target.scrollIntoView?.({ block: 'center' })
  return true
}
