// Before each file of the screens’ tests: what jsdom lacks, and what is left of one test is taken away before the next.
import { cleanup, configure } from '@testing-library/svelte'
import { afterAll, afterEach, expect } from 'vitest'

afterEach(cleanup)

// What is waited for comes when it comes: only what never does is a failure.
configure({ asyncUtilTimeout: 30_000 })

// jsdom lays nothing out, so there is nothing to observe either.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}

// Frames come with the next turn: dialogs and menus leave after one or two of them, and jsdom's own, sixty a second,
// come before or after what a test looks at as the machine is quick or slow.
window.requestAnimationFrame = (run) => Number(setTimeout(() => run(performance.now())))
window.cancelAnimationFrame = (frame) => clearTimeout(frame)

// The office is in New Zealand, wherever the tests run: its screens write dates as it does.
Object.defineProperty(navigator, 'language', { value: 'en-NZ' })

// jsdom draws nothing, so nothing lies at a point but the page.
document.elementsFromPoint = () => [document.body]

// What Svelte warns of is a fault: a part of a page that changes what it was only given, a value that is read too late.
const warnings: string[] = []
const { warn } = console
console.warn = (...words: unknown[]) => {
  if (String(words[0]).includes('[svelte]')) warnings.push(words.join(' '))
  warn(...words)
}
afterEach(() => expect(warnings.splice(0)).toEqual([]))
// The next file has its own.
afterAll(() => {
  console.warn = warn
})
