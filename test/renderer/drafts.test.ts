import { fireEvent, screen } from '@testing-library/svelte'
import { beforeEach, expect, test } from 'vitest'
import Drafts from '../../src/renderer/src/screens/drafts/Drafts.svelte'
import { blankComposition } from '../../src/shared/composition/composition.ts'
import type { DraftView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

function draft(id: string, title: string, age: number): DraftView {
  const composition = blankComposition('form-direct', id)
  if (composition.items[0]) composition.items[0].Name = title
  return { id, accountId: 'practice', kind: 'form-direct', title, updatedAt: NOW - age, composition }
}

let opened: Opened
beforeEach(async () => {
  opened = await openOffice(fakeApi({ drafts: [draft('one', 'Older', 5000), draft('two', 'Newer', 100)] }))
  show(opened, Drafts)
  await settle()
})

test('drafts are listed newest first', () => {
  expect(screen.getAllByRole('link').map((link) => link.textContent)).toEqual(['Newer', 'Older'])
})

test('a deleted draft can be had back with all that was in it', async () => {
  await fireEvent.click(screen.getByRole('button', { name: 'Delete Newer' }))
  await settle()
  expect(screen.queryByText('Newer')).toBeNull()
  const [toast] = opened.office.toasts.shown
  expect(toast?.text).toBe('Deleted “Newer”.')
  toast?.action?.run()
  await settle()
  expect(opened.api.control.state.drafts.map((one) => one.composition.items[0]?.Name).sort()).toEqual([
    'Newer',
    'Older'
  ])
})

test('after a deletion the focus stays in the list, on the neighbour', async () => {
  await fireEvent.click(screen.getByRole('button', { name: 'Delete Newer' }))
  await settle()
  const grid = screen.getByRole('grid', { name: 'Drafts' })
  expect(document.activeElement).toBe(grid)
  expect(screen.getByRole('row', { selected: true }).textContent).toContain('Older')
})

test('arrows choose, Enter opens, Delete deletes', async () => {
  const grid = screen.getByRole('grid', { name: 'Drafts' })
  await fireEvent.keyDown(grid, { key: 'ArrowDown' })
  await fireEvent.keyDown(grid, { key: 'ArrowDown' })
  await fireEvent.keyDown(grid, { key: 'Enter' })
  expect(window.location.hash).toBe('#/compose/one')
  await fireEvent.keyDown(grid, { key: 'Delete' })
  await settle()
  expect(opened.api.control.state.drafts.map((one) => one.id)).toEqual(['two'])
})

test('a deletion that failed is said and nothing is lost', async () => {
  opened.api.control.fail('drafts.remove', { code: 'storage', message: 'Not now.' })
  await fireEvent.click(screen.getByRole('button', { name: 'Delete Newer' }))
  await settle()
  expect(opened.office.toasts.shown[0]?.text).toContain("wasn't deleted")
  expect(screen.getByText('Newer')).toBeTruthy()
})

test('when the last is deleted, the heading has the focus', async () => {
  for (const name of ['Delete Newer', 'Delete Older']) {
    await fireEvent.click(screen.getByRole('button', { name }))
    await settle()
  }
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Drafts' }))
})
