import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Documents from '../../src/renderer/src/screens/documents/Documents.svelte'
import { ShownColumns } from '../../src/renderer/src/screens/documents/shown-columns.svelte.ts'
import { documentsHref } from '../../src/renderer/src/state/document-query.ts'
import type { DocumentQuery } from '../../src/shared/contract/document-query.ts'
import type { DocumentPage, SavedView } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, NOW } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

async function openAt(hash: string, api: FakeApi = fakeApi()) {
  opened = await openOffice(api)
  window.location.hash = hash
  window.dispatchEvent(new HashChangeEvent('hashchange'))
  show(opened, Documents)
  await settle()
}
const open = (api: FakeApi = fakeApi(), query: Partial<DocumentQuery> = { folder: 'Progress' }, document?: string) =>
  openAt(documentsHref(query, document === undefined ? {} : { document }), api)

/** Returns the made-up office with one document changed. */
function withOne(reference: string, change: Partial<DocumentPage>): FakeApi {
  return fakeApi({ documents: documents(40).map((one) => (one.reference === reference ? { ...one, ...change } : one)) })
}
const view = (change: Partial<SavedView> = {}): SavedView => ({
  id: 'v1',
  name: 'Declined ones',
  query: { search: '', families: ['declined'], sort: { by: 'due', descending: false }, grouped: false },
  tell: false,
  ...change
})

const grid = () => document.querySelector<HTMLElement>('[role=grid], [role=treegrid]') as HTMLElement
const rows = () => screen.getAllByRole('row').slice(1)
const names = () => rows().map((row) => row.querySelector('.name')?.textContent?.trim())
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
function last<Input>(name: string): Input {
  const call = calls(name).at(-1)
  if (!call) throw new Error(`Nothing called ${name}.`)
  return call.input as Input
}
const lastQuery = () => last<{ query: DocumentQuery }>('documents.list').query
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const hasStatus = (text: string | RegExp) =>
  screen
    .getAllByRole('status')
    .some(({ textContent }) => (typeof text === 'string' ? textContent === text : text.test(textContent ?? '')))
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
async function key(pressed: string, more: Partial<KeyboardEventInit> = {}, at: Element | Window = grid()) {
  await fireEvent.keyDown(at, { key: pressed, ...more })
  await settle()
}
/** Clicks something in a popover, which stays hidden here because positioning it needs a layout. */
async function pick(label: string) {
  await fireEvent.click(await screen.findByLabelText(label))
  await settle()
}
/** Chooses a menu entry by keyboard. */
async function choose(menu: string, entry: string | RegExp) {
  await fireEvent.keyDown(button(menu), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: entry }))
  await settle()
}

describe('the folder navigation', () => {
  test('lists all documents and the account’s folders with their counts', async () => {
    await open()
    const folders = within(screen.getByRole('navigation', { name: 'Folders' })).getAllByRole('link')
    expect(folders.map((link) => link.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
      'All',
      'InBox 10',
      'Progress 25',
      'Signed 5'
    ])
    expect(hasStatus('25 documents')).toBe(true)
  })

  test('follows a document that is in a different folder from the link’s', async () => {
    await open(fakeApi(), { folder: 'InBox' }, 'doc-3')
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Tax declaration Lindqvist')
    expect(opened.app.router.route.rest).toEqual(['Signed'])
  })

  test('shows a link’s filters and their results', async () => {
    await open(fakeApi(), { families: ['declined', 'expired'], unread: true })
    expect(lastQuery()).toMatchObject({ families: ['declined', 'expired'], unread: true })
    expect(lastQuery().folder).toBeUndefined()
    const chips = within(screen.getByRole('group', { name: 'Filters' }))
    expect(chips.getByText('Declined or Expired')).toBeTruthy()
    expect(chips.getByText('Unread')).toBeTruthy()
  })
})

describe('searching', () => {
  test('starts with each key press, and updates the URL after a pause', async () => {
    await open()
    const field = screen.getByRole('searchbox')
    for (const text of ['g', 'gi', 'gif', 'gift']) {
      await fireEvent.input(field, { target: { value: text } })
      await settle()
      expect(lastQuery().search).toBe(text)
    }
    expect(names().every((name) => name?.includes('gift'))).toBe(true)
    expect(opened.app.router.route.query.get('search')).toBeNull()
    await opened.clock.pass(400)
    expect(opened.app.router.route.query.get('search')).toBe('gift')
    expect((field as HTMLInputElement).value).toBe('gift')
  })

  test('keeps the list until the latest results arrive, and ignores older ones', async () => {
    const api = fakeApi()
    await open(api)
    const before = names()
    const field = screen.getByRole('searchbox')
    const answer = api.control.hold('documents.list')
    await fireEvent.input(field, { target: { value: 'gift' } })
    await settle()
    expect(names()).toEqual(before)
    api.control.free('documents.list')
    await fireEvent.input(field, { target: { value: 'tenancy' } })
    await waitFor(() => expect(names().every((name) => name?.includes('Tenancy'))).toBe(true))
    answer()
    await settle()
    expect(names().every((name) => name?.includes('Tenancy'))).toBe(true)
  })

  test('reports no results, and can be cleared', async () => {
    await open(fakeApi(), { folder: 'InBox', search: 'zebra' })
    expect(screen.getByText(/No documents match “zebra”/)).toBeTruthy()
    expect(hasStatus('No documents, by due')).toBe(false)
    await press('Clear search')
    expect(names()).toHaveLength(10)
  })

  test('keeps an open document and says if it doesn’t match', async () => {
    await open(fakeApi(), { folder: 'Progress' }, 'doc-6')
    expect(screen.queryByText(/doesn’t match/)).toBeNull()
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'gift' } })
    await settle()
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Statement of advice Marchetti')
    expect(screen.getByText('This document doesn’t match “gift”.')).toBeTruthy()
    await press('Clear search')
    expect(screen.queryByText(/doesn’t match/)).toBeNull()
    expect(names()).toHaveLength(25)
  })
})

describe('filters', () => {
  test('can be switched on in the menu and removed again', async () => {
    await open()
    await choose('Filter', 'Unread')
    expect(lastQuery().unread).toBe(true)
    expect(opened.app.router.route.query.get('unread')).toBe('1')
    await press('Remove filter: Unread')
    expect(lastQuery().unread).toBeUndefined()
    expect(document.activeElement).toBe(button('Filter'))
  })

  test('with several options open at their chip and apply immediately', async () => {
    await open()
    await choose('Filter', 'Status')
    await pick('Declined')
    expect(lastQuery().families).toEqual(['declined'])
    await pick('Expired')
    expect(lastQuery().families).toEqual(['declined', 'expired'])
    expect(screen.getByRole('button', { name: 'Declined or Expired' })).toBeTruthy()
  })

  test('for due dates replace one another', async () => {
    await open(fakeApi(), { overdue: true })
    await press('Overdue')
    await pick('Within 14 days')
    expect(lastQuery()).toMatchObject({ dueWithinDays: 14 })
    expect(lastQuery().overdue).toBeUndefined()
  })

  test('for unread documents say when none is left', async () => {
    await open(fakeApi({ documents: [] }), { unread: true })
    expect(screen.getByText('No unread documents left.')).toBeTruthy()
    await press('Show all documents')
    expect(lastQuery().unread).toBeUndefined()
  })

  test('without results can all be cleared at once', async () => {
    await open(fakeApi(), { families: ['complete'], overdue: true })
    expect(screen.getByText('No documents match these filters.')).toBeTruthy()
    await press('Clear filters')
    expect(hasStatus('40 documents')).toBe(true)
  })

  test('across accounts name them', async () => {
    await open(fakeApi(), { accounts: ['harbour'] })
    expect(screen.getByRole('button', { name: 'Also Harbour & Co. Conveyancing' })).toBeTruthy()
  })
})

describe('the table', () => {
  test('lists every signer', async () => {
    await open()
    const one = opened.api.control.state.documents.find(
      (each) => each.name === names()[0] && each.folder === 'Progress'
    )
    expect(rows()[0]?.textContent).toContain(one?.signers.map((signer) => signer.name).join(', '))
  })

  test('can be sorted by any heading, which shows the direction', async () => {
    await open()
    expect(screen.getByRole('columnheader', { name: /^Due/ }).getAttribute('aria-sort')).toBe('ascending')
    await press('Name')
    expect(lastQuery().sort).toEqual({ by: 'name', descending: false })
    await press('Name')
    expect(lastQuery().sort).toEqual({ by: 'name', descending: true })
    expect(screen.getByRole('columnheader', { name: /^Name/ }).getAttribute('aria-sort')).toBe('descending')
    expect(names()).toEqual([...names()].sort().reverse())
  })

  test('keeps columns chosen while the last choice is being saved', async () => {
    opened = await openOffice()
    const columns = new ShownColumns(opened.app, () => undefined)
    const first = [{ column: 'name' as const, width: 300 }]
    const second = [{ column: 'name' as const, width: 400 }]
    columns.set(first)
    const answer = opened.api.control.hold('settings.set')
    await opened.clock.pass(500)
    columns.set(second)
    answer()
    await settle()
    expect(columns.all).toEqual(second)
    await opened.clock.pass(500)
    expect(opened.app.settings.view.documentColumns).toEqual(second)
    expect(columns.all).toEqual(second)
  })

  test('lets columns be chosen, ordered and resized, and saves them', async () => {
    await open()
    await press('Columns')
    await pick('Document reference')
    await pick('Move Document reference left')
    await opened.clock.pass(500)
    const saved = opened.api.control.state.settings.documentColumns ?? []
    expect(saved.at(-2)?.column).toBe('reference')
    const heads = screen.getAllByRole('columnheader').map((head) => head.textContent?.trim())
    expect(heads.at(-2)).toBe('Document reference')
    await fireEvent.keyDown(button('Name'), { key: 'ArrowRight', shiftKey: true })
    await opened.clock.pass(500)
    const width = (column: string) =>
      opened.api.control.state.settings.documentColumns?.find((one) => one.column === column)?.width
    expect(width('name')).toBe((saved[0]?.width ?? 0) + 16)
    await fireEvent.click(screen.getByText('Reset columns'))
    await opened.clock.pass(500)
    expect(opened.api.control.state.settings.documentColumns).toBeUndefined()
  })

  test('saves a column change made just before leaving', async () => {
    await open()
    await press('Columns')
    await pick('Document reference')
    cleanup()
    await settle()
    const { documentColumns } = opened.api.control.state.settings
    expect(documentColumns?.some(({ column }) => column === 'reference')).toBe(true)
  })

  test('marks unread documents with text too', async () => {
    await open(fakeApi(), { folder: 'Progress', unread: true })
    expect(rows().every((row) => row.textContent?.includes(', unread'))).toBe(true)
  })

  test('continues with the next document when the current one leaves a list of unread ones', async () => {
    await open(fakeApi(), { unread: true })
    const [first, second] = names()
    await key('ArrowDown')
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(first)
    await opened.clock.pass(2000)
    expect(names()[0]).toBe(second)
    await key('ArrowDown')
    await opened.clock.pass(300)
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(second)
  })

  test('groups documents by package, expanded and collapsed by keyboard', async () => {
    await open(fakeApi(), { grouped: true })
    const tree = screen.getByRole('treegrid')
    const at = rows().findIndex((row) => row.getAttribute('aria-expanded') === 'false')
    for (let step = 0; step <= at; step++) await key('ArrowDown', {}, tree)
    expect(rows()[at]?.getAttribute('aria-level')).toBe('1')
    await key('ArrowRight', {}, tree)
    expect(rows()[at]?.getAttribute('aria-expanded')).toBe('true')
    expect(rows()[at + 1]?.getAttribute('aria-level')).toBe('2')
    await key('ArrowRight', {}, tree)
    expect(tree.getAttribute('aria-activedescendant')).toBe(rows()[at + 1]?.id)
    await key('ArrowLeft', {}, tree)
    expect(tree.getAttribute('aria-activedescendant')).toBe(rows()[at]?.id)
    await key('ArrowLeft', {}, tree)
    expect(rows()[at]?.getAttribute('aria-expanded')).toBe('false')
  })

  test('draws only the visible rows of many documents', async () => {
    await open(fakeApi({ documents: documents(5000) }), {})
    expect(hasStatus('5,000 documents')).toBe(true)
    expect(rows().length).toBeLessThan(60)
    expect(grid().getAttribute('aria-rowcount')).toBe('5001')
  })

  test('keeps the selected row when the documents change', async () => {
    await open(fakeApi(), { folder: 'Progress' }, 'doc-6')
    const { state } = opened.api.control
    const chosen = () => rows().findIndex((row) => row.getAttribute('aria-current') === 'true')
    const before = chosen()
    const first = documents(41)[40] as DocumentPage
    state.documents = [
      ...state.documents,
      { ...first, folder: 'Progress', due: { at: 0, offset: 0, precision: 'time' } }
    ]
    opened.api.control.emit('documents.changed', { accountId: 'practice', version: 2 })
    await settle()
    expect(chosen()).toBe(before + 1)
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Statement of advice Marchetti')
  })

  test('ignores changes in another account', async () => {
    await open()
    const before = calls('documents.list').length
    opened.api.control.emit('documents.changed', { accountId: 'harbour', version: 2 })
    await settle()
    expect(calls('documents.list').length).toBe(before)
  })
})

describe('the keyboard', () => {
  test('arrow keys open the document beside the list', async () => {
    await open()
    await key('ArrowDown')
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(names()[0])
    await key('Escape', {}, window)
    expect(screen.queryByRole('heading', { level: 2 })).toBeNull()
    expect(document.activeElement).toBe(grid())
  })

  test('documents skipped quickly with the arrow keys are not loaded', async () => {
    await open()
    for (let step = 0; step < 6; step++) await fireEvent.keyDown(grid(), { key: 'ArrowDown' })
    await opened.clock.pass(200)
    expect(calls('documents.get')).toHaveLength(2)
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(names()[5])
  })

  test('slash moves the focus to the search field', async () => {
    await open()
    await key('/', {}, window)
    expect(document.activeElement).toBe(screen.getByRole('searchbox'))
  })

  test('letter shortcuts are off while typing', async () => {
    await open(fakeApi(), { folder: 'Progress' }, 'doc-6')
    const before = calls('documents.markRead').length
    await key('u', {}, screen.getByRole('searchbox'))
    await key('e', {}, screen.getByRole('searchbox'))
    expect([calls('documents.markRead').length, calls('documents.export').length]).toEqual([before, 0])
  })

  test('u marks the selected row as unread, g groups by package', async () => {
    await open(withOne('doc-6', { unread: false }), { folder: 'Progress' }, 'doc-6')
    await key('u')
    expect(calls('documents.markRead').at(-1)?.input).toEqual({
      some: { documents: [{ accountId: 'practice', reference: 'doc-6' }] },
      read: false
    })
    await key('g')
    expect(lastQuery().grouped).toBe(true)
  })
})

describe('a selection of several documents', () => {
  test('by keyboard is counted, and its actions appear above the list', async () => {
    await open(fakeApi({ documents: documents(40).map((one) => ({ ...one, unread: false })) }))
    await key('ArrowDown')
    await key('Escape', {}, window)
    await key(' ', { ctrlKey: true })
    await key('ArrowDown', { shiftKey: true })
    await key('ArrowDown', { shiftKey: true })
    expect(hasStatus('3 selected')).toBe(true)
    expect(rows().filter((row) => row.getAttribute('aria-selected') === 'true')).toHaveLength(3)
    expect(screen.queryByRole('heading', { level: 2 })).toBeNull()
    await press('Mark unread')
    expect(calls('documents.markRead').at(-1)?.input).toMatchObject({
      read: false,
      some: { documents: { length: 3 } }
    })
    await press('Clear selection')
    expect(rows().some((row) => row.getAttribute('aria-selected') === 'true')).toBe(false)
  })

  test('can include all results, even those never shown', async () => {
    await open(fakeApi({ documents: documents(5000) }))
    await key('a', { ctrlKey: true })
    expect(hasStatus('3,125 selected')).toBe(true)
    await press('Extend due date…')
    expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/^Select at most 500 documents/)
    await press('Export…')
    const { some } = last<{ some: { documents: object[] } }>('documents.export')
    expect(some.documents).toHaveLength(3125)
    expect(some.documents[0]).toEqual({ accountId: 'practice', reference: expect.any(String) })
  })

  test('is cleared by a new search, but kept when sorting', async () => {
    await open()
    await key('a', { ctrlKey: true })
    await press('Name')
    expect(hasStatus('25 selected')).toBe(true)
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'gift' } })
    await settle()
    expect(hasStatus(/selected/)).toBe(false)
  })

  test('downloads the identity data of documents with a check', async () => {
    const some = documents(12).map((one) => ({
      ...one,
      ...(one.identity === 'asked' && { identity: 'partly' as const })
    }))
    await open(fakeApi({ documents: some, downloads: [] }), { folder: 'Progress' })
    await key('a', { ctrlKey: true })
    const withCheck = opened.api.control.state.documents.filter(
      (one) => one.folder === 'Progress' && one.idVerificationRequested
    )
    await press('Download identity data…')
    await press(`Download ${withCheck.length} PDFs`)
    const { what } = last<{ what: { references: string[] } }>('downloads.add')
    expect(what.references.sort()).toEqual(withCheck.map(({ reference }) => reference).sort())
    expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/without a completed identity check/)
  })

  test('across accounts keeps them apart, and downloads only this account’s', async () => {
    const theirs = { accountId: 'harbour', folder: 'Progress' } as const
    const ours = documents(40).filter(({ folder }) => folder === 'Progress')
    const checked = { idVerificationRequested: true, identity: 'passed' as const }
    const both = [
      ...ours.slice(0, 2).map((one) => ({ ...one, ...checked })),
      ...ours.slice(0, 3).map((one) => ({ ...one, ...theirs, ...checked, name: `${one.name}, theirs` }))
    ]
    await open(fakeApi({ documents: both, downloads: [] }), { folder: 'Progress', accounts: ['harbour'] })
    await key('a', { ctrlKey: true })
    expect(hasStatus('5 selected')).toBe(true)
    await press('Export…')
    const { some } = last<{ some: { documents: { accountId: string; reference: string }[] } }>('documents.export')
    const keys = both.map(({ accountId, reference }) => `${accountId} ${reference}`)
    expect(some.documents.map(({ accountId, reference }) => `${accountId} ${reference}`).sort()).toEqual(keys.sort())
    await press('Download identity data…')
    await expect.poll(() => hasStatus(/3 in other accounts left out/)).toBe(true)
    await press('Download 2 PDFs')
    const { what } = last<{ what: { references: string[] } }>('downloads.add')
    expect(what.references).toHaveLength(2)
    expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/3 documents in other accounts were left out\.$/)
  })

  test('can be extended together', async () => {
    await open()
    await key('ArrowDown')
    await key('x')
    await fireEvent.click(
      within(screen.getByRole('group', { name: 'Selected documents' })).getByText('Extend due date…')
    )
    expect(await screen.findByRole('dialog')).toBeTruthy()
  })
})

describe('exporting', () => {
  test('writes the documents found, with the visible columns', async () => {
    await open(fakeApi(), { folder: 'Signed' })
    await press('Export list…')
    const { some, columns } = last<{ some: object; columns: string[] }>('documents.export')
    expect(some).toMatchObject({ query: { folder: 'Signed' } })
    expect(columns).toEqual(expect.arrayContaining(['name', 'signers', 'status', 'lastSigned']))
    expect(opened.app.toasts.shown.at(-1)?.text).toBe('Exported as “documents.csv”.')
  })

  test('reports a failure', async () => {
    const api = fakeApi()
    api.control.fail('documents.export', { code: 'no-space', message: 'The disk is full.' })
    await open(api)
    await press('Export list…')
    expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/^Couldn’t export the list\./)
  })
})

describe('saved views', () => {
  const withViews = (...views: SavedView[]) => fakeApi({ views })

  test('save the current search and filters under a name', async () => {
    await open(fakeApi(), { families: ['declined'], search: 'loan' })
    await choose('Views', 'Save as view…')
    await press('Save')
    expect(screen.getByText('Enter a name.')).toBeTruthy()
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Declined loans' } })
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Notify me about this view' }))
    await press('Save')
    const [saved] = opened.api.control.state.views
    expect(saved).toMatchObject({
      name: 'Declined loans',
      tell: true,
      query: { families: ['declined'], search: 'loan' }
    })
    expect(window.location.hash).toBe(`#/documents/view/${saved?.id}`)
    expect(lastQuery()).toMatchObject({ families: ['declined'], search: 'loan' })
  })

  test('open by URL, and changes can be saved or discarded', async () => {
    await openAt('#/documents/view/v1', withViews(view()))
    expect(lastQuery().families).toEqual(['declined'])
    expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull()
    await press('Name')
    expect(lastQuery()).toMatchObject({ families: ['declined'], sort: { by: 'name' } })
    await press('Save changes')
    expect(opened.api.control.state.views[0]?.query.sort.by).toBe('name')
    expect(window.location.hash).toBe('#/documents/view/v1')
    await press('Name')
    await choose('View', 'Discard changes')
    expect(lastQuery().sort).toEqual({ by: 'name', descending: false })
  })

  test('can be reordered and renamed', async () => {
    await openAt('#/documents/view/v1', withViews(view(), view({ id: 'v2', name: 'Second' })))
    await choose('View', 'Move down')
    expect(opened.api.control.state.views.map(({ id }) => id)).toEqual(['v2', 'v1'])
    await choose('View', 'Rename and notifications…')
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Said no' } })
    await press('Save')
    expect(opened.app.views.find('v1')?.name).toBe('Said no')
  })

  test('from the organisation can’t be renamed or deleted', async () => {
    await openAt('#/documents/view/v1', withViews(view({ isOrganisations: true }), view({ id: 'v2', name: 'Second' })))
    await fireEvent.keyDown(button('View'), { key: 'Enter' })
    const [rename] = await screen.findAllByRole('menuitem', { name: /^Rename and notifications/ })
    const remove = screen.getByRole('menuitem', { name: /^Delete view/ })
    for (const entry of [rename, remove]) {
      expect(entry?.getAttribute('aria-disabled')).toBe('true')
      expect(entry?.textContent).toContain('From your organisation')
    }
  })

  test('can be deleted, and restored in place', async () => {
    await openAt('#/documents/view/v1', withViews(view(), view({ id: 'v2', name: 'Second' })))
    await choose('View', 'Delete view')
    expect(opened.api.control.state.views.map(({ name }) => name)).toEqual(['Second'])
    expect(opened.app.router.route.rest).toEqual(['all'])
    opened.app.toasts.shown.at(-1)?.action?.run()
    await settle()
    expect(opened.api.control.state.views.map(({ name }) => name)).toEqual(['Declined ones', 'Second'])
  })

  test('say so if saving or deleting one can’t be undone', async () => {
    await openAt('#/documents/view/v1', withViews(view()))
    await press('Name')
    await press('Save changes')
    for (const then of [() => undefined, () => choose('View', 'Delete view')]) {
      opened.api.control.heal('views.save')
      await then()
      opened.api.control.fail('views.save', { code: 'storage', message: 'The disk is full.' })
      expect(opened.app.toasts.undo()).toBe(true)
      await settle()
      expect(opened.app.toasts.shown.at(-1)).toMatchObject({
        kind: 'danger',
        text: 'Couldn’t restore the view. The disk is full.'
      })
    }
  })

  test('that no longer exist say so', async () => {
    await openAt('#/documents/view/gone', withViews(view()))
    expect(screen.getByText('This view no longer exists.')).toBeTruthy()
    await press('Show all documents')
    expect(hasStatus('40 documents')).toBe(true)
  })
})

describe('outdated and incomplete data', () => {
  test('offline, the list shows when it was last updated', async () => {
    await open(fakeApi({ connection: { state: 'offline', since: NOW } }))
    const at = new Date(NOW - 120_000)
    const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
    expect(screen.getByText(`Offline. Updated ${time}, 26 November`)).toBeTruthy()
  })

  test('a folder that never loaded is not called empty', async () => {
    const api = fakeApi({ documents: [], connection: { state: 'refused', since: NOW } })
    const problem = { code: 'unauthorised' as const, message: 'No.' }
    api.documents.list = async () => ({ ok: true, value: { rows: [], total: 0, documents: 0, problem } })
    await open(api, { folder: 'InBox' })
    expect(screen.queryByText('The InBox is empty.')).toBeNull()
    expect(screen.getByText('The service didn’t accept this account.')).toBeTruthy()
    await press('Open Settings')
    expect(opened.app.router.route.screen).toBe('settings')
  })

  test('an empty folder says so', async () => {
    await open(fakeApi({ documents: [] }), { folder: 'InBox' })
    expect(screen.getByText('The InBox is empty.')).toBeTruthy()
  })

  test('a failed refresh is reported and keeps the list', async () => {
    const api = fakeApi()
    api.control.fail('documents.refresh', { code: 'offline', message: 'No network.' })
    await open(api)
    await press('Refresh')
    expect(screen.getByText('Couldn’t update this folder.')).toBeTruthy()
    expect(names()).not.toHaveLength(0)
  })

  test('unreadable documents are counted and named, with details to copy', async () => {
    const api = fakeApi()
    const { list } = api.documents
    const unreadable = {
      count: 3,
      documents: [
        { folder: 'Progress', path: '[7].Signers[0]', reference: 'doc-x', name: 'Deed <b>of</b> gift' },
        { folder: 'InBox', path: '[9]' }
      ]
    }
    api.documents.list = async (input) => {
      const answer = await list(input)
      return answer.ok ? { ok: true, value: { ...answer.value, unreadable } } : answer
    }
    await open(api)
    expect(screen.getByText('3 documents couldn’t be read.')).toBeTruthy()
    expect(screen.getByText('Deed <b>of</b> gift')).toBeTruthy()
    expect(screen.getByText('and 1 more')).toBeTruthy()
    await press('Copy details')
    expect(calls('system.copy')[0]?.input).toMatchObject({
      text: expect.stringContaining('[7].Signers[0], reference doc-x')
    })
  })

  test('a document that the service lists twice with differences is named', async () => {
    const api = fakeApi()
    const { list } = api.documents
    const documents = [{ folder: 'Progress', path: '[7]', reference: 'doc-x', name: 'Deed', isDoubled: true as const }]
    api.documents.list = async (input) => {
      const answer = await list(input)
      return answer.ok ? { ok: true, value: { ...answer.value, unreadable: { count: 1, documents } } } : answer
    }
    await open(api)
    expect(screen.getByText('1 document is listed twice with different details.')).toBeTruthy()
    await press('Copy details')
    expect(calls('system.copy')[0]?.input).toMatchObject({ text: expect.stringMatching(/doc-x, Deed, listed twice/) })
  })
})
