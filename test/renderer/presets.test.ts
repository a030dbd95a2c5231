import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Drafts from '../../src/renderer/src/screens/drafts/Drafts.svelte'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { madeUpPresets } from './fakes/drafts.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(change: Partial<FakeState> = {}) {
  opened = await openOffice(fakeApi({ presets: madeUpPresets(NOW), ...change }))
  opened.app.router.go('drafts', ['presets'])
  show(opened, Drafts)
  await settle()
}

const grid = () => screen.getByRole('grid', { name: 'Presets' })
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('gridcell')[0]?.textContent?.trim())

async function key(name: string) {
  await fireEvent.keyDown(grid(), { key: name })
  await settle()
}

async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

test('presets are listed by name, and can be searched', async () => {
  await open()
  expect(names()).toEqual(['Adviser’s annual letter', 'Loan variation, branch', 'New employee', 'Tenancy, two tenants'])
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'tenant' } })
  expect(names()).toEqual(['Tenancy, two tenants'])
})

test('a typing error in the search is forgiven, and said', async () => {
  await open()
  const search = (value: string) => fireEvent.input(screen.getByRole('searchbox'), { target: { value } })
  await search('tenacny')
  expect(names()).toEqual(['Tenancy, two tenants'])
  expect(screen.getByText('Nothing has all of these words. Closest:')).toBeTruthy()
  await search('tenancy')
  expect(screen.queryByText(/Closest/)).toBeNull()
  await search('mortgage')
  expect(screen.getByText('No presets match “mortgage”.')).toBeTruthy()
})

test('Enter starts a package from a preset, as a new draft', async () => {
  await open()
  await key('End')
  await key('Enter')
  const [draft] = opened.api.control.state.drafts
  expect(draft?.composition).toEqual(madeUpPresets(NOW)[0]?.composition)
  expect(window.location.hash).toBe(`#/compose/${draft?.id}`)
})

test('a preset’s due date in the past is not used', async () => {
  const [preset] = madeUpPresets(NOW)
  if (!preset) throw new Error('There is no preset.')
  const composition = { ...preset.composition, due: '2020-01-01T17:00', gmt: '0', zone: '' }
  await open({ presets: [{ ...preset, composition }] })
  await key('ArrowDown')
  await key('Enter')
  expect(opened.api.control.state.drafts[0]?.composition.due).toBe('')
})

test('F2 renames a preset, and rejects an empty name', async () => {
  await open()
  await key('Home')
  await key('F2')
  await screen.findByRole('dialog', { name: 'Rename preset' })
  const field = screen.getByLabelText('Name')
  await waitFor(() => expect(document.activeElement).toBe(field))
  await fireEvent.input(field, { target: { value: '  ' } })
  await press('Rename')
  expect(screen.getByText('Enter a name.')).toBeTruthy()
  await fireEvent.input(field, { target: { value: 'Annual letter' } })
  await press('Rename')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(names()[0]).toBe('Annual letter')
})

test('an organisation’s preset is marked, can be used, and can’t be renamed or deleted', async () => {
  await open({ presets: madeUpPresets(NOW).map((preset) => ({ ...preset, isOrganisations: true })) })
  expect(names()[0]).toContain('From your organisation')
  await key('Home')
  await key('F2')
  await key('Delete')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(opened.api.control.calls.filter(({ name }) => /presets\.(rename|remove)/.test(name))).toEqual([])
  await key('Enter')
  expect(opened.api.control.state.drafts).toHaveLength(1)
})

test('a shared preset shows its workstation, or that it hasn’t reached the office yet', async () => {
  const marks = [{ isUntold: true }, { isUntold: false, by: 'Counter 2' }, { isUntold: false }]
  await open({
    presets: madeUpPresets(NOW).map((preset, at) => ({ ...preset, ...(marks[at] && { office: marks[at] }) }))
  })
  const origins = names().map((name) => /Not yet with the office|From Counter 2/.exec(name ?? '')?.[0])
  expect(origins.filter(Boolean).sort()).toEqual(['From Counter 2', 'Not yet with the office'])
})

test('a deleted preset can be restored with its contents', async () => {
  await open()
  await key('Home')
  await key('Delete')
  expect(names()).toHaveLength(3)
  expect(document.activeElement).toBe(grid())
  opened.app.toasts.shown[0]?.action?.run()
  await waitFor(() => expect(names()).toHaveLength(4))
  const back = opened.api.control.state.presets.find(({ name }) => name === 'Adviser’s annual letter')
  expect(back?.composition).toEqual(madeUpPresets(NOW)[3]?.composition)
})

test('exporting a preset warns that the file isn’t encrypted', async () => {
  await open()
  await key('Home')
  await key('e')
  const dialog = await screen.findByRole('dialog', { name: 'Export the preset “Adviser’s annual letter”' })
  expect(dialog.textContent).toContain('not encrypted')
  await press('Export…')
  expect(opened.app.toasts.shown[0]?.text).toContain('Presets.countersign')
})

test('presets saved elsewhere appear', async () => {
  await open({ presets: [] })
  expect(screen.getByText('No presets yet.')).toBeTruthy()
  opened.api.control.state.presets = madeUpPresets(NOW)
  opened.api.control.emit('presets.changed', null)
  await settle()
  expect(names()).toHaveLength(4)
})
