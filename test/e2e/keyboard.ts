/** What a person does without a pointer. */
import type { Locator, Page } from 'playwright'

/** More tab stops than any screen has. */
export const STOPS = 150

type Kind = 'pointer' | 'key'

/**
 * Starts counting what a person does in the page with a pointer or with keys. Returns a function that reads the counts.
 */
export async function countTouches(window: Page): Promise<(kind: Kind) => Promise<number>> {
  await window.evaluate(() => {
    const touches = { pointer: 0, key: 0 }
    Object.assign(globalThis, { touches })
    for (const name of ['pointerdown', 'pointermove', 'mousedown', 'mousemove', 'wheel', 'dblclick', 'auxclick'])
      addEventListener(name, ({ isTrusted }) => isTrusted && touches.pointer++, { capture: true, passive: true })
    addEventListener('keydown', ({ isTrusted }) => isTrusted && touches.key++, true)
  })
  return (kind) =>
    window.evaluate((kind) => (globalThis as typeof globalThis & { touches: Record<Kind, number> }).touches[kind], kind)
}

/** Presses Tab until a control has the focus. */
export async function tabTo({ keyboard }: Page, control: Locator): Promise<void> {
  await control.waitFor()
  for (let stop = 0; stop < STOPS; stop++) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not lead to ${control}`)
}

export async function pressByKey(window: Page, control: Locator): Promise<void> {
  await tabTo(window, control)
  await window.keyboard.press('Enter')
}

export async function typeInto(window: Page, field: Locator, text: string): Promise<void> {
  await tabTo(window, field)
  await window.keyboard.type(text)
}
