// Actions on documents in the list: by right-click, menu key and letter, on one or several.
import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Documents from '../../src/renderer/src/screens/documents/Documents.svelte'
import { documentsHref } from '../../src/renderer/src/state/document-query.ts'
import type { DocumentPage } from '../../src/shared/contract/views.ts'
import { signerOf } from './document-pages.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi(), folder = 'Progress') {
  opened = await openOffice(api)
  window.location.hash = documentsHref({ folder })
  window.dispatchEvent(new HashChangeEvent('hashchange'))
  show(opened, Documents)
  await settle()
}
/** Returns the made-up office with one document changed, and a service that sends reminders. */
function withOne(reference: string, change: Partial<DocumentPage>): FakeApi {
  return fakeApi({ documents: documents(40).map((one) => (one.reference === reference ? { ...one, ...change } : one)) })
}
const grid = () => document.querySelector<HTMLElement>('[role=grid]') as HTMLElement
const rows = () => screen.getAllByRole('row').slice(1)
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const entries = async () =>
  (await screen.findAllByRole('menuitem', { hidden: true })).map((item) =>
    item.querySelector('.words')?.textContent?.trim()
  )
const toast = () => opened.app.toasts.shown.at(-1)
async function rightClick(row: Element | undefined) {
  await fireEvent.contextMenu(row?.querySelector('[role=gridcell]') as Element, { button: 2, clientX: 40, clientY: 60 })
  await settle()
}
async function choose(entry: RegExp) {
  const all = await screen.findAllByRole('menuitem', { hidden: true })
  const item = all.find(({ textContent }) => entry.test((textContent ?? '').trim()))
  if (!item) throw new Error(`No entry ${entry}.`)
  await fireEvent.click(item)
  await settle()
}
async function key(pressed: string, more: Partial<KeyboardEventInit> = {}) {
  await fireEvent.keyDown(grid(), { key: pressed, ...more })
  await settle()
}

describe('a row’s context menu', () => {
  test('has every command, with the reason if disabled, and doesn’t open the document', async () => {
    await open()
    await rightClick(rows()[0])
    expect(await entries()).toEqual(
      expect.arrayContaining(['Extend due date…', 'Verify signatures', 'Copy reference', 'Open in browser'])
    )
    expect(screen.queryByRole('heading', { level: 2 })).toBeNull()
    expect(calls('documents.get')).toEqual([])
    // Its keys are announced as keys, not as part of its name.
    const extend = screen.getByRole('menuitem', { name: 'Extend due date…', hidden: true })
    expect(extend.getAttribute('aria-keyshortcuts')).toBe('D')
    expect(screen.getByRole('menu', { name: 'Actions', hidden: true })).toBeTruthy()
  })

  test('opens with the menu key at the selected row, and Escape returns to the list', async () => {
    await open()
    grid().focus()
    await key('ArrowDown')
    await fireEvent.contextMenu(grid(), { button: 0 })
    await settle()
    expect((await entries()).length).toBeGreaterThan(5)
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' })
    await settle()
    expect(document.activeElement).toBe(grid())
  })

  test('applies to the selection on a selected row, and to the single row otherwise', async () => {
    await open()
    grid().focus()
    await key('ArrowDown')
    await key('x')
    await key('ArrowDown', { shiftKey: true })
    await rightClick(rows()[1])
    await choose(/^Copy references/)
    expect(calls('system.copy').at(-1)?.input).toMatchObject({ text: expect.stringMatching(/^doc-\d+\ndoc-\d+$/) })
    await rightClick(rows()[5])
    await choose(/^Copy reference/)
    expect(calls('system.copy').at(-1)?.input).toMatchObject({ text: expect.stringMatching(/^doc-\d+$/) })
  })

  test('doesn’t open on the empty area below the rows', async () => {
    await open()
    await fireEvent.contextMenu(grid(), { button: 2 })
    await settle()
    expect(screen.queryAllByRole('menuitem', { hidden: true })).toEqual([])
  })
})

describe('commands', () => {
  test('copy e-mail addresses as personal data, and links without exposing them to the screen', async () => {
    await open()
    await rightClick(rows()[0])
    await choose(/^Copy e-mail/)
    expect(calls('system.copy').at(-1)?.input).toMatchObject({ text: expect.stringContaining('@'), isPersonal: true })
    await rightClick(rows()[0])
    await choose(/^Copy link/)
    expect(calls('documents.copyLink')).toHaveLength(1)
    expect(toast()?.text).toBe('Link copied.')
  })

  test('reopen a declined document as a draft with its data', async () => {
    await open(withOne('doc-6', { status: { raw: 'Declined', family: 'declined' } }))
    const row = rows().find(({ textContent }) => textContent?.includes('Declined'))
    await rightClick(row)
    await choose(/^Send a new copy/)
    expect(calls('documents.correctedCopy').at(-1)?.input).toEqual({ reference: 'doc-6' })
    expect([opened.app.router.route.screen, opened.app.router.route.rest]).toEqual(['compose', ['copy of doc-6']])
  })

  test.each([
    [/^Send another like this/, 'nothing'],
    [/^Send another to the same people/, 'people and data']
  ] as const)('start another package from a document, keeping %s', async (entry, keeps) => {
    await open()
    await rightClick(rows()[0])
    await choose(entry)
    expect(calls('documents.duplicate').at(-1)?.input).toMatchObject({ keeps })
    expect(opened.app.router.route.screen).toBe('compose')
  })

  test('remind many signers with one confirmation and one notification', async () => {
    const waiting = documents(40).filter(
      ({ folder, people }) => folder === 'Progress' && people.some(({ state }) => state === 'waiting')
    )
    await open()
    grid().focus()
    await key('a', { ctrlKey: true })
    await key('m')
    const dialog = await screen.findByRole('dialog')
    const listed = within(dialog).getAllByRole('listitem', { hidden: true })
    expect(listed.length).toBeGreaterThanOrEqual(10)
    expect(waiting.length).toBeGreaterThan(0)
    await fireEvent.click(within(dialog).getByRole('button', { name: `Send ${listed.length} reminders`, hidden: true }))
    await settle()
    const ids = calls('actions.start').map(({ input }) => (input as { id: string }).id)
    expect([ids.length, new Set(ids).size]).toEqual([listed.length, listed.length])
    expect(opened.app.toasts.shown).toHaveLength(1)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('don’t remind signers who wait for someone else', async () => {
    const first = { ...signerOf({ signedStatus: 'Invitation' }), index: 0, name: 'Aroha Ngata', signerReference: 's-1' }
    const next = { ...first, index: 1, name: 'Ben Smith', signerReference: 's-2', signedStatus: 'Initialized' }
    await open(withOne('doc-6', { people: [first, next] }))
    grid().focus()
    await key('a', { ctrlKey: true })
    await key('m')
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('Aroha Ngata')).toBeTruthy()
    expect(dialog.queryByText('Ben Smith')).toBeNull()
  })

  test('don’t say that nobody can be reminded, or has an address, on documents that couldn’t be read', async () => {
    const api = fakeApi()
    await open(api)
    const get = api.documents.get
    const refused = new Set<string>()
    let readable = 'doc-6'
    api.documents.get = async (input) => {
      if (input.reference === readable) return get(input)
      refused.add(input.reference)
      return { ok: false, error: { code: 'internal', message: 'Not now.' } }
    }
    grid().focus()
    await key('a', { ctrlKey: true })
    await key('m')
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getAllByRole('listitem', { hidden: true }).length).toBeGreaterThan(0)
    expect(dialog.getByText(`${refused.size} documents couldn’t be read.`)).toBeTruthy()
    expect(dialog.queryByText(/left out/)).toBeNull()
    await fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
    await settle()
    refused.clear()
    await rightClick(rows()[0])
    await choose(/^Copy e-mail/)
    expect(toast()?.text).toMatch(new RegExp(`copied\\. ${refused.size} documents couldn’t be read\\.$`))
    readable = ''
    refused.clear()
    await rightClick(rows()[0])
    await choose(/^Copy e-mail/)
    expect(toast()?.text).toBe(`${refused.size} documents couldn’t be read.`)
  })

  test('undo marking many documents', async () => {
    await open()
    grid().focus()
    await key('a', { ctrlKey: true })
    await fireEvent.click(screen.getByRole('button', { name: 'Mark unread' }))
    await settle()
    const { some, read } = (calls('documents.markRead').at(-1)?.input ?? {}) as { some?: object; read?: boolean }
    expect([read, toast()?.action?.label]).toEqual([false, 'Undo'])
    expect(opened.app.toasts.undo()).toBe(true)
    await settle()
    expect(calls('documents.markRead').at(-1)?.input).toEqual({ some, read: true })
    expect(opened.app.toasts.undo()).toBe(false)
  })

  test('say so if marking many documents can’t be undone', async () => {
    await open()
    grid().focus()
    await key('a', { ctrlKey: true })
    await fireEvent.click(screen.getByRole('button', { name: 'Mark unread' }))
    await settle()
    opened.api.control.fail('documents.markRead', { code: 'storage', message: 'The disk is full.' })
    opened.app.toasts.undo()
    await settle()
    expect(toast()).toMatchObject({ kind: 'danger', text: 'Couldn’t mark these as read. The disk is full.' })
  })

  test('by letter apply to the selected row only', async () => {
    await open(withOne('doc-6', { status: { raw: 'Complete', family: 'complete' } }))
    grid().focus()
    await key('d')
    expect(screen.queryByRole('dialog')).toBeNull()
    await key('ArrowDown')
    await key('d')
    expect(await screen.findByRole('dialog', { name: /Extend/ })).toBeTruthy()
  })

  test('appear in the palette and menus with the document they apply to', async () => {
    await open()
    expect(opened.app.offers.find('remind')).toBeUndefined()
    grid().focus()
    await key('ArrowDown')
    const offer = opened.app.offers.find('extend')
    expect(offer?.about).toMatch(/^“.+”$/)
    offer?.run()
    await settle()
    expect(await screen.findByRole('dialog', { name: /Extend/ })).toBeTruthy()
  })

  test('verify several documents and show each result', async () => {
    await open(fakeApi(), 'Signed')
    grid().focus()
    await key('a', { ctrlKey: true })
    await key('v')
    const dialog = await screen.findByRole('dialog', { name: 'Verify signatures' })
    await settle()
    await settle()
    expect(within(dialog).getByText(/documents verified\.$/)).toBeTruthy()
    expect(calls('documents.validate').length).toBe(within(dialog).getAllByRole('listitem', { hidden: true }).length)
  })
})

test('Space toggles the preview of the selected row, and the list keeps the focus', async () => {
  await open()
  grid().focus()
  await key('ArrowDown')
  await key('Escape')
  await key(' ')
  expect(screen.getByRole('heading', { level: 2 })).toBeTruthy()
  expect(document.activeElement).toBe(grid())
  await key(' ')
  expect(screen.queryByRole('heading', { level: 2 })).toBeNull()
})
