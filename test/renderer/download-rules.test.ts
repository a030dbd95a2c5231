import { fireEvent, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, expect, test } from 'vitest'
import Documents from '../../src/renderer/src/screens/documents/Documents.svelte'
import Downloads from '../../src/renderer/src/screens/downloads/Downloads.svelte'
import type { DownloadRule, SavedView } from '../../src/shared/contract/views.ts'
import { type FakeApi, type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened.close())

const view = (change: Partial<SavedView> = {}): SavedView => ({
  id: 'v1',
  name: 'Tenancies',
  query: { search: 'tenancy', sort: { by: 'name', descending: false }, grouped: false },
  tell: false,
  ...change
})
const rule = (change: Partial<DownloadRule> = {}): DownloadRule => ({
  id: 'rule-1',
  viewId: 'v1',
  viewName: 'Tenancies',
  folder: { id: 'folder-1', label: 'Downloads' },
  types: ['pdf'],
  pattern: '{document}',
  writesIndex: true,
  isOn: true,
  fetched: 1204,
  ...change
})

async function open(change: Partial<FakeState> = {}): Promise<FakeApi> {
  opened = await openOffice(fakeApi({ views: [view(), view({ id: 'v2', name: 'Deeds' })], ...change }))
  opened.app.router.go('downloads', [], { show: 'rules' })
  show(opened, Downloads)
  await settle()
  return opened.api
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const isShown = (text: string | RegExp) => screen.queryByText(text) !== null
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

test('a rule can cover all documents, even without saved views', async () => {
  await open({ views: [] })
  await press('Add a rule…')
  const dialog = within(screen.getByRole('dialog'))
  const documents = dialog.getByLabelText<HTMLSelectElement>('Documents')
  expect([...documents.options].map(({ text }) => text)).toEqual(['All documents'])
  await press('Add rule')
  expect(calls('downloads.addRule')[0]?.input).not.toHaveProperty('viewId')
  expect(opened.app.toasts.shown.at(-1)?.text).toBe('Rule for all documents saved.')
  const link = screen.getByRole('link', { name: 'All documents' })
  expect(link.getAttribute('href')).toBe('#/documents/all')
  await press('Turn off the rule for All documents')
  expect(isShown('Off')).toBe(true)
})

test('a rule for a view doesn’t include existing documents by default', async () => {
  await open()
  await press('Add a rule…')
  const dialog = within(screen.getByRole('dialog'))
  await fireEvent.change(dialog.getByLabelText('Documents'), { target: { value: 'v2' } })
  await fireEvent.click(dialog.getByLabelText(/^Identity data/))
  await press('Add rule')
  expect(calls('downloads.addRule')[0]?.input).toEqual({
    viewId: 'v2',
    alsoNow: false,
    types: ['pdf', 'json'],
    pattern: '{yyyy}/{document} – {signer} – {date}',
    writesIndex: true,
    folderId: 'folder-1'
  })
  expect(isShown(/Identity reports and identity data/)).toBe(true)
  expect(opened.app.toasts.shown.at(-1)?.text).toBe('Rule for “Deeds” saved.')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add a rule…' }))
})

test('a rule shows how many files it saved, and can be turned off and on', async () => {
  await open({ downloadRules: [rule()] })
  expect(isShown('1,204 files saved')).toBe(true)
  await press('Turn off the rule for Tenancies')
  expect(calls('downloads.changeRule')[0]?.input).toEqual({ id: 'rule-1', isOn: false })
  expect(isShown('Off')).toBe(true)
  await press('Turn on the rule for Tenancies')
  expect(isShown('On')).toBe(true)
})

test('a rule whose latest file failed explains why', async () => {
  await open({ downloadRules: [rule({ problem: { code: 'not-writable', message: 'The folder.' } })] })
  expect(isShown('The last file couldn’t be downloaded.')).toBe(true)
  expect(isShown(/Choose another folder, then try again/)).toBe(true)
  const way = screen.getByRole('link', { name: 'Show failed files' })
  expect(way.getAttribute('href')).toBe('#/downloads?show=failed')
})

test('a rule whose view was changed on another workstation says so until dismissed', async () => {
  await open({ downloadRules: [rule({ viewChangedBy: 'Counter 2' })] })
  expect(isShown('Counter 2 changed this view, so the rule may cover other documents now.')).toBe(true)
  await press('Dismiss for Tenancies')
  expect(calls('downloads.changeRule')[0]?.input).toEqual({ id: 'rule-1' })
})

test('a rule whose view was deleted is off and says so', async () => {
  const { viewName: _name, ...gone } = rule()
  await open({ downloadRules: [gone] })
  expect(isShown('Off: its view was deleted')).toBe(true)
  expect(screen.queryByRole('button', { name: /Turn o/ })).toBeNull()
})

test('editing a rule starts with its current options', async () => {
  await open({ downloadRules: [rule({ types: ['json'] })] })
  await press('Edit the rule for Tenancies')
  const dialog = within(screen.getByRole('dialog'))
  expect(dialog.getByLabelText<HTMLInputElement>(/^Identity data/).checked).toBe(true)
  expect(dialog.queryByLabelText('Documents')).toBeNull()
  await fireEvent.input(dialog.getByLabelText(/^File names/), { target: { value: '{matter}/{document}' } })
  await press('Save rule')
  expect(calls('downloads.changeRule')[0]?.input).toMatchObject({ id: 'rule-1', pattern: '{matter}/{document}' })
})

test('a rule that only verifies asks for no file names', async () => {
  await open()
  await press('Add a rule…')
  const dialog = within(screen.getByRole('dialog', { name: 'Add a rule' }))
  await fireEvent.click(dialog.getByLabelText(/^Verify signatures/))
  expect(dialog.getByLabelText(/^File names/)).toBeTruthy()
  await fireEvent.click(dialog.getByLabelText(/^Identity report/))
  expect(dialog.queryByLabelText(/^File names/)).toBeNull()
  expect(dialog.queryByText('Choose at least one.')).toBeNull()
  await press('Add rule')
  const input = calls('downloads.addRule')[0]?.input
  expect(input).toMatchObject({
    alsoNow: false,
    types: ['verification'],
    folderId: 'folder-1',
    pattern: '{yyyy}/{document} – {signer} – {date}'
  })
  // It covers all documents by default.
  expect(input).not.toHaveProperty('viewId')
  expect(screen.getByRole('heading', { level: 2 }).textContent).toContain('Verify signatures')
})

test('editing a rule that also verifies keeps the verification', async () => {
  const verifications = { done: 12, waiting: 3, failed: 0 }
  await open({ downloadRules: [rule({ types: ['pdf', 'verification'], verifications })] })
  expect(isShown('1,204 files saved · 12 documents verified · 3 waiting')).toBe(true)
  await press('Edit the rule for Tenancies')
  await press('Save rule')
  expect(calls('downloads.changeRule')[0]?.input).toMatchObject({ types: ['pdf', 'verification'] })
})

test('a rule shows what it couldn’t verify, and can retry once at a time', async () => {
  const problem = { code: 'not-found' as const, message: 'The signing service couldn’t find this.' }
  const verifications = { done: 4, waiting: 0, failed: 2, problem }
  await open({ downloadRules: [rule({ types: ['verification'], verifications })] })
  expect(isShown('4 documents verified · 2 couldn’t be verified')).toBe(true)
  expect(isShown('On, but some couldn’t be verified')).toBe(true)
  const answer = opened.api.control.hold('downloads.verifyAgain')
  await press('Verify again for Tenancies')
  await press('Verify again for Tenancies')
  answer()
  await settle()
  expect(calls('downloads.verifyAgain').map(({ input }) => input)).toEqual([{ id: 'rule-1' }])
})

test('a rule of a paused account says that verifying is on hold', async () => {
  const problem = {
    code: 'unauthorised' as const,
    message: 'The signing service didn’t accept this account’s key or token.'
  }
  const verifications = { done: 0, waiting: 2, failed: 0, problem }
  await open({ downloadRules: [rule({ types: ['verification'], verifications })] })
  expect(isShown('On, but verifying is on hold')).toBe(true)
  expect(screen.queryByRole('button', { name: /^Verify again/ })).toBeNull()
})

test('a rule that can’t be saved shows the error and stays open', async () => {
  const api = await open()
  api.control.fail('downloads.addRule', { code: 'storage', message: 'No.' })
  await press('Add a rule…')
  await press('Add rule')
  expect(isShown('Couldn’t save the rule.')).toBe(true)
})

test('a rule is removed only after confirmation, and the focus moves on', async () => {
  await open({ downloadRules: [rule()] })
  await press('Remove the rule for Tenancies')
  expect(calls('downloads.removeRule')).toHaveLength(0)
  await press('Remove rule')
  expect(calls('downloads.removeRule')[0]?.input).toEqual({ id: 'rule-1' })
  expect(isShown('No rules yet.')).toBe(true)
  expect(document.activeElement?.textContent).toContain('Add a rule…')
})

test('a rule can be added from its view’s menu', async () => {
  opened = await openOffice(fakeApi({ views: [view({ id: 'v9', name: 'Leases' }), view()] }))
  opened.app.router.go('documents', ['view', 'v1'])
  show(opened, Documents)
  await settle()
  await fireEvent.keyDown(screen.getByRole('button', { name: 'View' }), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: /^Download or verify automatically/ }))
  await settle()
  await press('Add rule')
  expect(calls('downloads.addRule')[0]?.input).toMatchObject({ viewId: 'v1' })
})

test('the rules have no accessibility violations', async () => {
  await open({ downloadRules: [rule(), rule({ id: 'rule-2', isOn: false })] })
  const { violations } = await axe.run(document.body, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } }
  })
  expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
})
