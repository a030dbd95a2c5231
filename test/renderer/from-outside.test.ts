/** Opened links and files on the screens: shown with their content, used only after confirmation, one at a time. */
import { fireEvent, screen } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import Notices from '../../src/renderer/src/frame/Notices.svelte'
import type { OutsideView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { openOffice, show } from './office.ts'

const DRAFT: OutsideView = {
  id: 'o-1',
  what: 'draft',
  kind: 'form',
  name: 'Deed of gift',
  reference: 'deed-1',
  signers: [{ name: 'Mere Tāmati', details: ['mere@example.com'] }]
}

async function open(...outside: OutsideView[]) {
  const opened = await openOffice(fakeApi({ outside }))
  show(opened, Notices)
  await settle()
  return opened
}

const press = async (name: string | RegExp) => {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const outsideCalls = (api: Awaited<ReturnType<typeof open>>['api']) =>
  api.control.calls.filter(({ name }) => /^outside\.(accept|dismiss)|^sends\.start/.test(name)).map(({ name }) => name)

test('a link shows its content, and opens as a draft after confirmation', async () => {
  const { api, app } = await open(DRAFT)
  const dialog = await screen.findByRole('dialog', { name: 'Make this draft?' })
  for (const text of ['Deed of gift', 'deed-1', 'Mere Tāmati', 'mere@example.com', 'Nothing is sent.'])
    expect(dialog.textContent).toContain(text)
  expect(document.activeElement?.textContent?.trim()).toBe('Cancel')
  expect(outsideCalls(api)).toEqual([])
  await press('Make draft')
  expect(outsideCalls(api)).toEqual(['outside.accept'])
  expect(app.router.route).toMatchObject({ screen: 'compose', rest: [expect.any(String)] })
})

test('cancelling discards it and shows the next one', async () => {
  const { api } = await open(DRAFT, { id: 'o-2', what: 'file', file: 'sent.countersign', drafts: 3, presets: 1 })
  await screen.findByRole('dialog', { name: 'Make this draft?' })
  await press('Cancel')
  const dialog = await screen.findByRole('dialog', { name: 'Import “sent.countersign”?' })
  expect(dialog.textContent).toContain('3 drafts and 1 preset')
  expect(dialog.textContent).toContain('Nothing is replaced.')
  await press('Import')
  expect(outsideCalls(api)).toEqual(['outside.dismiss', 'outside.accept'])
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a link that can’t be used explains why, and can only be dismissed', async () => {
  const error = { code: 'invalid' as const, message: 'This link says “kind” twice.', next: 'No draft was made.' }
  const { api } = await open({ id: 'o-1', what: 'refused', error })
  const dialog = await screen.findByRole('dialog', { name: 'This link can’t be used' })
  expect(dialog.textContent).toContain('This link says “kind” twice.')
  await press('Dismiss')
  expect(outsideCalls(api)).toEqual(['outside.dismiss'])
})

test('it waits while another dialog is open, and stays open after a failure', async () => {
  const { api } = await open()
  const other = document.createElement('div')
  other.setAttribute('role', 'dialog')
  document.body.append(other)
  api.control.state.outside = [DRAFT]
  api.control.emit('outside.changed', null)
  await settle()
  expect(screen.queryByRole('dialog', { name: 'Make this draft?' })).toBeNull()
  expect(screen.getByText('A link was opened.')).not.toBeNull()
  other.remove()
  await press('Review…')
  await screen.findByRole('dialog', { name: 'Make this draft?' })
  api.control.fail('outside.accept', { code: 'gone', message: 'This account has no preset called “Deed”.' })
  await press('Make draft')
  expect(screen.getByRole('dialog').textContent).toContain('no preset called “Deed”')
})
