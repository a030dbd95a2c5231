// Runs before each file of the screens' tests: adds what jsdom lacks, and cleans up after each test.
import { cleanup, configure } from '@testing-library/svelte'
import { afterAll, afterEach, expect } from 'vitest'

afterEach(cleanup)

// Waits long: only what never appears should fail.
configure({ asyncUtilTimeout: 30_000 })

// jsdom has no layout, so there is nothing to observe either.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}

// Frames come with the next task: dialogs and menus close after one or two of them, and jsdom's own 60 per second would
// come before or after what a test checks, depending on the machine's speed.
window.requestAnimationFrame = (run) => Number(setTimeout(() => run(performance.now())))
window.cancelAnimationFrame = (frame) => clearTimeout(frame)

// The office is in New Zealand, wherever the tests run: its screens write dates accordingly.
Object.defineProperty(navigator, 'language', { value: 'en-NZ' })

// jsdom draws nothing, so any point contains only the page.
document.elementsFromPoint = () => [document.body]

// A Svelte warning is a bug, such as a component changing a prop, or a value read too late.
const warnings: string[] = []
const { warn } = console
console.warn = (...words: unknown[]) => {
  if (String(words[0]).includes('[svelte]')) warnings.push(words.join(' '))
  warn(...words)
}
afterEach(() => expect(warnings.splice(0)).toEqual([]))
// The next file sets its own.
afterAll(() => {
  console.warn = warn
})
