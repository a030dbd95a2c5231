import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Drafts from '../../src/renderer/src/screens/drafts/Drafts.svelte'
import { signersInWords, titleOf } from '../../src/shared/composition/names.ts'
import type { DraftView } from '../../src/shared/contract/views.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { madeUpDrafts, madeUpTrash, madeUpVersions } from './fakes/drafts.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

function draft(id: string, title: string, age: number): DraftView {
  const composition = forms({ items: [form({ Name: title, signers: [signer()] })] })
  return {
    id,
    accountId: 'practice',
    kind: 'form-direct',
    title: titleOf(composition),
    who: signersInWords(composition),
    updatedAt: NOW - age,
    composition
  }
}

let opened: Opened
afterEach(() => opened.close())

async function open(change: Partial<FakeState> = {}, rest: string[] = [], query: Record<string, string> = {}) {
  opened = await openOffice(
    fakeApi({
      drafts: [draft('one', 'Older', 5000), draft('two', 'Newer', 100), draft('three', 'Oldest', 9000)],
      ...change
    })
  )
  opened.app.router.go('drafts', rest, query)
  show(opened, Drafts)
  await settle()
}

const grid = (name = 'Drafts') => screen.getByRole('grid', { name })
const titles = () =>
  screen
    .queryAllByRole('link')
    .filter((link) => link.closest('[role=row]'))
    .map((link) => link.textContent)
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const keptTitles = () =>
  opened.api.control.state.drafts.filter((one) => one.trashedAt === undefined).map((one) => one.title)

async function key(name: string, options: object = {}, target: Element = grid()) {
  await fireEvent.keyDown(target, { key: name, ...options })
  await settle()
}

async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

/** Chooses an entry of a row's menu. */
async function chooseOf(title: string, entry: RegExp) {
  await fireEvent.keyDown(screen.getByRole('button', { name: `Actions for ${title}` }), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: entry }))
  await settle()
}

describe('the list of drafts', () => {
  test('is sorted newest first, and shows the signers', async () => {
    await open()
    expect(titles()).toEqual(['Newer', 'Older', 'Oldest'])
    expect(within(screen.getAllByRole('row')[1] as HTMLElement).getByText('Mere Tamati')).toBeTruthy()
  })

  test('has named columns, and row names without the buttons', async () => {
    await open()
    expect(screen.getAllByRole('columnheader').every((head) => head.textContent?.trim())).toBe(true)
    expect(screen.getByRole('row', { name: /^Newer Mere Tamati/ }).getAttribute('aria-labelledby')).toBeTruthy()
    expect(screen.queryByRole('row', { name: /Select Newer|Actions for/ })).toBeNull()
  })

  test('loads only the visible rows of 10,000', async () => {
    await open({ drafts: madeUpDrafts(10_000, NOW) })
    expect(grid().getAttribute('aria-rowcount')).toBe('10001')
    expect(calls('drafts.list').every(({ input }) => (input as { limit: number }).limit <= 200)).toBe(true)
    expect(screen.getAllByRole('row').length).toBeLessThan(60)
  })

  test('is searched once typing pauses; “/” focuses the search, Escape clears it', async () => {
    await open()
    const field = screen.getByRole('searchbox')
    await key('/', {}, document.body)
    expect(document.activeElement).toBe(field)
    const before = calls('drafts.list').length
    await fireEvent.input(field, { target: { value: 'newer' } })
    expect(calls('drafts.list').length).toBe(before)
    await opened.clock.pass(200)
    expect(titles()).toEqual(['Newer'])
    await key('Escape', {}, field)
    await opened.clock.pass(200)
    expect(titles()).toEqual(['Newer', 'Older', 'Oldest'])
  })

  test('reports no results, and offers to clear the search', async () => {
    await open({}, [], { search: 'zebra' })
    expect(screen.getByText('No drafts match “zebra”.')).toBeTruthy()
    await press('Clear search')
    expect(titles()).toHaveLength(3)
  })

  test('follows frequent changes elsewhere with few requests', async () => {
    await open()
    const before = calls('drafts.list').length
    const { state, emit } = opened.api.control
    for (let keys = 0; keys < 20; keys++) {
      state.drafts = state.drafts.map((one) => (one.id === 'one' ? { ...one, title: `Word ${keys}` } : one))
      emit('drafts.changed', { id: 'one' })
      await opened.clock.pass(100)
    }
    await opened.clock.pass(1000)
    expect(titles()).toContain('Word 19')
    // The list, and the newest drafts in the frame and in Compose, are each requested at most once a second.
    expect(calls('drafts.list').length - before).toBeLessThanOrEqual(8)
  })

  test('shows an error if it can’t be loaded, and can be retried', async () => {
    opened = await openOffice(fakeApi({ drafts: [draft('one', 'Older', 5000)] }))
    opened.api.control.fail('drafts.list', { code: 'storage', message: 'Not now.' })
    opened.app.router.go('drafts')
    show(opened, Drafts)
    await settle()
    expect(screen.getByText('The drafts couldn’t be loaded.')).toBeTruthy()
    opened.api.control.heal('drafts.list')
    await press('Try again')
    expect(titles()).toEqual(['Older'])
  })
})

describe('a selected draft', () => {
  test('opens with Enter, is duplicated with D, and shows its history with H', async () => {
    await open()
    await key('ArrowDown')
    await key('ArrowDown')
    await key('d')
    expect(keptTitles().filter((title) => title === 'Older')).toHaveLength(2)
    expect(opened.app.toasts.shown[0]?.text).toBe('Duplicated “Older”.')
    await key('h')
    expect(opened.app.router.route.query.get('history')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'History' }))
    await key('Escape', {}, document.activeElement as Element)
    expect(document.activeElement).toBe(grid())
    await key('End')
    await key('Enter')
    expect(window.location.hash).toBe('#/compose/three')
  })

  test('is deleted with Delete, the focus moves to its neighbour, and that can be undone', async () => {
    await open()
    await key('ArrowDown')
    await key('Delete')
    expect(titles()).toEqual(['Older', 'Oldest'])
    expect(document.activeElement).toBe(grid())
    expect(screen.getByRole('row', { selected: true }).textContent).toContain('Older')
    const [toast] = opened.app.toasts.shown
    expect(toast?.text).toBe('Deleted “Newer”.')
    toast?.action?.run()
    await settle()
    expect(titles()).toEqual(['Newer', 'Older', 'Oldest'])
  })

  test('that can’t be deleted stays, with the reason', async () => {
    await open()
    opened.api.control.fail('drafts.remove', { code: 'storage', message: 'Not now.' })
    await chooseOf('Newer', /^Delete/)
    expect(opened.app.toasts.shown[0]?.text).toContain('wasn’t deleted')
    expect(titles()).toContain('Newer')
  })

  test('that can’t be restored shows an error', async () => {
    await open()
    await key('Home')
    await key('Delete')
    opened.api.control.fail('drafts.restore', { code: 'gone', message: 'It is gone.' })
    opened.app.toasts.shown.at(-1)?.action?.run()
    await settle()
    expect(opened.app.toasts.shown.at(-1)?.kind).toBe('danger')
  })

  test('that was the last leaves the focus on the heading', async () => {
    await open({ drafts: [draft('one', 'Older', 5000)] })
    await key('ArrowDown')
    await key('Delete')
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Drafts' }))
    expect(screen.getByText('No drafts.')).toBeTruthy()
  })

  test('can be used for bulk send', async () => {
    await open()
    await chooseOf('Newer', /^Bulk send/)
    expect(window.location.hash).toBe('#/bulk?draft=two')
  })
})

describe('several drafts', () => {
  test('are selected with Space, and deleted and restored together', async () => {
    await open()
    await key('ArrowDown')
    await key(' ')
    await key('ArrowDown')
    await key(' ')
    expect(screen.getByText('2 drafts selected')).toBeTruthy()
    await press('Delete 2 drafts')
    expect(keptTitles()).toEqual(['Oldest'])
    opened.app.toasts.shown[0]?.action?.run()
    await settle()
    expect(keptTitles().sort()).toEqual(['Newer', 'Older', 'Oldest'])
  })

  test('are selected with Ctrl and click, and as a range with Shift', async () => {
    await open({ drafts: madeUpDrafts(1000, NOW) })
    const rows = screen.getAllByRole('row')
    await fireEvent.click(rows[2] as Element, { ctrlKey: true })
    await fireEvent.click(rows[6] as Element, { shiftKey: true })
    await settle()
    expect(screen.getByText('5 drafts selected')).toBeTruthy()
    await fireEvent.click(screen.getAllByRole('checkbox')[1] as Element)
    expect(screen.getByText('4 drafts selected')).toBeTruthy()
    await key('Escape')
    expect(screen.queryByText(/selected$/)).toBeNull()
  })

  test('are exported to one file after a note that it isn’t encrypted', async () => {
    await open()
    await key('ArrowDown')
    await key(' ')
    await key('ArrowDown')
    await key(' ')
    await key('e')
    const dialog = await screen.findByRole('dialog', { name: 'Export 2 drafts' })
    expect(dialog.textContent).toContain('not encrypted')
    expect(calls('drafts.export')).toHaveLength(0)
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Export…' }))
    await settle()
    expect(calls('drafts.export').map(({ input }) => input)).toEqual([{ ids: ['two', 'one'] }])
    expect(opened.app.toasts.shown[0]?.text).toBe('Exported 2 drafts to “Drafts.countersign”.')
    expect(screen.queryByText(/selected$/)).toBeNull()
  })

  test('that couldn’t be exported show the reason', async () => {
    await open()
    opened.api.control.fail('drafts.export', { code: 'no-space', message: 'The disk is full.' })
    await key('ArrowDown')
    await key('e')
    await screen.findByRole('dialog')
    await press('Export…')
    expect(screen.getByText('The file wasn’t exported.')).toBeTruthy()
  })
})

describe('the trash', () => {
  const trash = { drafts: [draft('one', 'Older', 5000), ...madeUpTrash(3, NOW)] }

  test('shows how long drafts are kept, and restores one', async () => {
    await open(trash, ['trash'])
    expect(screen.getByText(/stay here for 30 days/)).toBeTruthy()
    expect(screen.getByText('25 Dec')).toBeTruthy()
    await key('ArrowDown', {}, grid('Trash'))
    await key('r', {}, grid('Trash'))
    expect(keptTitles()).toHaveLength(2)
    expect(document.activeElement).toBe(grid('Trash'))
  })

  test('deletes permanently only after confirmation', async () => {
    await open(trash, ['trash'])
    await key('ArrowDown', {}, grid('Trash'))
    await key('Delete', {}, grid('Trash'))
    await screen.findByRole('dialog', { name: /^Permanently delete “.*”\?$/ })
    expect(calls('drafts.erase')).toHaveLength(0)
    await press('Delete permanently')
    expect(calls('drafts.erase')).toHaveLength(1)
    await waitFor(() => expect(document.activeElement).toBe(grid('Trash')))
    expect(opened.api.control.state.drafts).toHaveLength(3)
  })

  test('is emptied after confirming the number of drafts', async () => {
    await open(trash, ['trash'])
    await press('Empty trash…')
    await screen.findByRole('dialog', { name: 'Permanently delete all 3 drafts in the trash?' })
    await press('Delete 3 drafts')
    expect(screen.getByText('Trash is empty.')).toBeTruthy()
    expect(keptTitles()).toEqual(['Older'])
  })
})

describe('a draft’s history', () => {
  async function openHistory() {
    const [one] = madeUpDrafts(1, NOW)
    if (!one) throw new Error('There is no draft.')
    await open({ drafts: [one], versions: { [one.id]: madeUpVersions(one, NOW) } }, [], { history: one.id })
    return one
  }

  test('shows versions that arrive while it is open, so that none is decided against unseen', async () => {
    const one = await openHistory()
    const { control } = opened.api
    const [version] = control.state.versions[one.id] ?? []
    if (!version) throw new Error('There is no version.')
    const conflicting = {
      ...version,
      id: 'beside',
      reason: 'beside' as const,
      workstation: 'Counter 2',
      isOpen: true as const
    }
    control.state.versions[one.id] = [conflicting, ...(control.state.versions[one.id] ?? [])]
    control.emit('drafts.changed', { id: one.id })
    await opened.clock.pass(1000)
    await settle()
    expect(screen.getByText('also changed at Counter 2')).toBeTruthy()
  })

  test('shows when and why each version was saved, and the differences', async () => {
    await openHistory()
    const pane = screen.getByRole('region', { name: 'History' })
    expect(within(pane).getByText('sent')).toBeTruthy()
    expect(within(pane).getByText('autosaved')).toBeTruthy()
    expect(within(pane).getByRole('rowheader', { name: 'Due date' })).toBeTruthy()
    await press(/autosaved/)
    expect(within(pane).getByRole('row', { name: /^Document name .* Tenancy agreement$/ })).toBeTruthy()
    expect(within(pane).getByRole('row', { name: /^E-mail address of Mere Parata .* mere@example.org$/ })).toBeTruthy()
  })

  test('follows the selected draft', async () => {
    await open({}, [], { history: 'two' })
    await key('ArrowDown')
    await opened.clock.pass(150)
    expect(opened.app.router.route.query.get('history')).toBe('one')
    expect(within(screen.getByRole('region', { name: 'History' })).getByText('Older')).toBeTruthy()
  })

  test('restores a version, after which nothing differs', async () => {
    const one = await openHistory()
    await press(/autosaved/)
    await press('Restore this version')
    expect(opened.api.control.state.drafts[0]?.composition.items[0]?.Name).toBe('Tenancy agreement')
    expect(one.title).not.toBe('Tenancy agreement')
    expect((screen.getByRole('button', { name: 'Restore this version' }) as HTMLButtonElement).disabled).toBe(true)
    expect(screen.getByText('Same as the current draft')).toBeTruthy()
  })

  test('reports a failed restore', async () => {
    await openHistory()
    opened.api.control.fail('drafts.restoreVersion', { code: 'storage', message: 'Not now.' })
    await press('Restore this version')
    expect(screen.getByText('The version wasn’t restored.')).toBeTruthy()
  })

  test('without versions says so', async () => {
    await open({}, [], { history: 'one' })
    expect(screen.getByText('No earlier versions yet.')).toBeTruthy()
  })
})

describe('importing', () => {
  test('shows how many were imported, and why files were refused', async () => {
    await open({
      imported: {
        drafts: [draft('a', 'A', 0), draft('b', 'B', 0)],
        presets: [],
        refused: [{ file: 'half.countersign', message: 'This file was cut short.' }]
      }
    })
    await press('Import…')
    const notice = screen.getByRole('alert')
    expect(notice.textContent).toContain('Imported 2 drafts.')
    expect(notice.textContent).toContain('half.countersign: This file was cut short.')
    await press('Dismiss')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('reports a failure', async () => {
    await open({ imported: undefined })
    await press('Import…')
    expect(screen.getByText('Nothing was imported.')).toBeTruthy()
  })
})

describe('shared drafts', () => {
  const its = { isMine: false, canBeMine: true, versions: 0, edition: 0 }
  const shared = (office: Partial<DraftView['office']>) => ({
    drafts: [{ ...draft('one', 'Lease', 100), office: { ...its, ...office } }]
  })

  test('show who is editing, conflicting versions, and what is kept on this workstation', async () => {
    await open({
      drafts: [
        { ...draft('one', 'Lease', 1), office: { ...its, editingBy: 'Counter 2' } },
        { ...draft('two', 'Deed', 2), office: { ...its, versions: 1 } },
        { ...draft('three', 'Will', 3), office: { ...its, isMine: true } }
      ]
    })
    const texts = screen.getAllByRole('row').map((row) => row.textContent)
    expect(texts[1]).toContain('Being edited at Counter 2')
    expect(texts[2]).toContain('2 versions')
    expect(texts[3]).toContain('Only here')
  })

  test('can be kept on this workstation only, and shared again, from the menu', async () => {
    await open(shared({}))
    await chooseOf('Lease', /Keep only here/)
    expect(calls('drafts.setOwner').map(({ input }) => input)).toEqual([{ id: 'one', whose: 'mine' }])
    await chooseOf('Lease', /Share with the office/)
    expect(opened.api.control.state.drafts[0]?.office?.isMine).toBe(false)
  })

  test('made on another workstation can’t be kept on this one only', async () => {
    await open(shared({ canBeMine: false }))
    await fireEvent.keyDown(screen.getByRole('button', { name: 'Actions for Lease' }), { key: 'Enter' })
    await screen.findByRole('menuitem', { name: /Duplicate/ })
    expect(screen.queryByRole('menuitem', { name: /Keep only here/ })).toBeNull()
  })

  test('show a conflicting version with its workstation until one is kept', async () => {
    const one = draft('one', 'Lease', 100)
    const [first, ...rest] = madeUpVersions(one, NOW)
    if (!first) throw new Error('There is no version.')
    const conflicting = { ...first, reason: 'beside' as const, workstation: 'Counter 2', isOpen: true as const }
    await open({ ...shared({ versions: 1 }), versions: { one: [conflicting, ...rest] } }, [], { history: 'one' })
    expect(await screen.findByText('also changed at Counter 2')).toBeTruthy()
    await press('Keep the current draft')
    expect(calls('drafts.resolveConflicts')).toHaveLength(1)
    expect(screen.queryByRole('button', { name: 'Keep the current draft' })).toBeNull()
  })
})
