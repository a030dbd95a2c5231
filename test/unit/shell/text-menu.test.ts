// The context menu of text, with Electron's click event and menu.
import { EventEmitter } from 'node:events'
import type { BrowserWindow, ContextMenuParams, MenuItemConstructorOptions, WebContents } from 'electron'
import { beforeEach, expect, test, vi } from 'vitest'
import { offerTextMenu } from '../../../src/main/shell/text-menu.ts'

const { shown } = vi.hoisted(() => ({ shown: [] as { items: MenuItemConstructorOptions[]; place: object }[] }))
vi.mock('electron', () => ({
  Menu: {
    buildFromTemplate: (items: MenuItemConstructorOptions[]) => ({
      popup: ({ window: _window, callback: _callback, ...place }: object & { window: unknown; callback: unknown }) =>
        shown.push({ items, place })
    })
  }
}))
beforeEach(() => {
  shown.length = 0
})

const all = { canUndo: true, canRedo: true, canCut: true, canCopy: true, canPaste: true, canSelectAll: true }

/** Right-clicks there. Returns what choosing each entry in turn did. */
function click(
  params: Partial<Omit<ContextMenuParams, 'editFlags'>> & { editFlags?: object },
  offer?: Parameters<typeof offerTextMenu>[2]
) {
  const done: string[] = []
  const names = ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll'] as const
  const acts = Object.fromEntries(names.map((name) => [name, () => done.push(name)]))
  const replaceMisspelling = (word: string) => done.push(`replaced by ${word}`)
  const contents = Object.assign(new EventEmitter(), acts, { replaceMisspelling })
  const window = { isDestroyed: () => false }
  offerTextMenu(contents as unknown as WebContents, window as BrowserWindow, offer)
  contents.emit('context-menu', {}, { editFlags: all, selectionText: '', dictionarySuggestions: [], ...params })
  for (const item of shown.at(-1)?.items ?? []) (item.click as (() => void) | undefined)?.()
  return done
}
const labels = () => shown.at(-1)?.items.map(({ label, type }) => label ?? type)

test('a field has undo, redo, cut, copy, paste and select all, each done by the page', () => {
  expect(click({ isEditable: true })).toEqual(['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll'])
  expect(labels()).toEqual(['Undo', 'Redo', 'separator', 'Cut', 'Copy', 'Paste', 'separator', 'Select all'])
})

test('entries that can’t be used now are shown disabled', () => {
  click({ isEditable: true, editFlags: { ...all, canCut: false, canCopy: false } })
  const barred = shown.at(-1)?.items.filter(({ enabled }) => enabled === false)
  expect(barred?.map(({ label }) => label)).toEqual(['Cut', 'Copy'])
})

test('a misspelt word can be replaced by up to five suggestions', () => {
  const words = ['their', 'there', 'three', 'theme', 'the', 'them']
  expect(click({ isEditable: true, misspelledWord: 'thier', dictionarySuggestions: words })).toContain(
    'replaced by their'
  )
  expect(labels()?.slice(0, 6)).toEqual([...words.slice(0, 5), 'separator'])
})

test('selected read-only text can be copied, and without a selection there is no menu', () => {
  expect(click({ isEditable: false, selectionText: 'DOC-17' })).toEqual(['copy'])
  click({ isEditable: false, selectionText: '  ' })
  expect(shown).toHaveLength(1)
})

test('opened by keyboard the menu is at the text, by mouse at the pointer', () => {
  click({ isEditable: true, x: 40, y: 60, menuSourceType: 'keyboard' })
  click({ isEditable: true, x: 40, y: 60, menuSourceType: 'mouse' })
  expect(shown.map(({ place }) => place)).toEqual([{ x: 40, y: 60 }, {}])
})

test('opened by keyboard on a page that lies in the window, it is at the text in the window', () => {
  const origin = () => ({ x: 12, y: 100 })
  click({ isEditable: true, x: 40, y: 60, menuSourceType: 'keyboard' }, { origin })
  click({ isEditable: true, x: 40, y: 60, menuSourceType: 'mouse' }, { origin })
  expect(shown.map(({ place }) => place)).toEqual([{ x: 52, y: 160 }, {}])
})

test('the menu isn’t offered while a person signs', () => {
  click({ isEditable: true }, { isOffered: () => false })
  expect(shown).toEqual([])
})
