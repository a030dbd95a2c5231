import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { dialogAround, isDialogOpen, isDialogOrMenuOpen, isKeyTaken } from '../../src/renderer/src/ui/open-dialogs.ts'

afterEach(() => document.body.replaceChildren())

function put(html: string): Element {
  document.body.innerHTML = html
  return document.body.querySelector('[data-here]') ?? document.body
}
/** Returns whether a key pressed at the marked element is taken by something there. */
function isTakenAt(html: string): boolean {
  let isTaken: boolean | undefined
  const listen = (event: Event) => (isTaken = isKeyTaken(event))
  window.addEventListener('keydown', listen)
  put(html).dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true }))
  window.removeEventListener('keydown', listen)
  if (isTaken === undefined) throw new Error('The key reached nobody.')
  return isTaken
}

test.each([
  ['a dialog', '<div role="dialog"></div>', true, true],
  ['an alert', '<div role="alertdialog"></div>', true, true],
  ['a menu', '<div role="menu"></div>', false, true],
  ['a message', '<div role="alert"></div>', false, false],
  // It covers the window while a person has the screen; the office beneath must not take that for a question of its own.
  ['the counter’s layer', '<dialog open></dialog>', false, false]
])('%s is taken for what it is', (_, html, isDialog, isDialogOrMenu) => {
  put(html)
  expect([isDialogOpen(), isDialogOrMenuOpen()]).toEqual([isDialog, isDialogOrMenu])
})

test('an element knows the dialog around it', () => {
  const within = put('<div role="dialog" id="it"><p><button data-here></button></p></div>')
  expect(dialogAround(within)?.id).toBe('it')
  expect(dialogAround(document.body)).toBeNull()
  expect(dialogAround(null)).toBeNull()
})

describe('a letter is a shortcut of the page', () => {
  test.each(['<button data-here></button>', '<div role="grid" tabindex="0" data-here></div>', ''])('at %s', (html) => {
    expect(isTakenAt(html)).toBe(false)
  })
  test.each([
    '<input data-here>',
    '<textarea data-here></textarea>',
    '<select data-here></select>',
    '<p contenteditable><b data-here></b></p>',
    '<div role="dialog"><button data-here></button></div>',
    '<div role="alertdialog"><button data-here></button></div>',
    '<div role="menu"><div role="menuitem" data-here></div></div>',
    '<dialog open><button data-here></button></dialog>'
  ])('but not at %s', (html) => {
    expect(isTakenAt(html)).toBe(true)
  })
  test('and one that no element was focused for, too', () => {
    expect(isKeyTaken(new KeyboardEvent('keydown', { key: 'x' }))).toBe(false)
  })
})

test('every screen asks here, so that all agree on what is open', () => {
  const folder = path.resolve(import.meta.dirname, '../../src/renderer/src')
  const asking = globSync('**/*.{svelte,ts}', { cwd: folder }).filter((file) =>
    /\[role=["']?(?:alert)?dialog|\[role=["']?menu["']?\]/.test(readFileSync(path.join(folder, file), 'utf8'))
  )
  expect(asking).toEqual([path.join('ui', 'open-dialogs.ts')])
})
