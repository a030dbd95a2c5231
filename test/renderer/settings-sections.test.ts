import { screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(rest: string[] = []) {
  opened = await openOffice(fakeApi())
  opened.office.router.go('settings', rest)
  show(opened, Settings)
  await settle()
}

test('every section is in the list, and each of its links leads to a heading', async () => {
  await open()
  const links = within(
    screen.getByRole('navigation', { name: 'Sections of the settings' })
  ).getAllByRole<HTMLAnchorElement>('link')
  expect(links.length).toBe(document.querySelectorAll('section[aria-labelledby]').length)
  for (const link of links) {
    const name = link.hash.replace('#/settings/', '')
    expect(document.getElementById(`${name}-title`)?.tagName).toBe('H2')
  }
})

test('the counter leads to its own section', async () => {
  await open(['counter'])
  expect(document.activeElement?.textContent).toBe('Counter')
  opened.office.router.go('settings', ['telling'])
  await settle()
  expect(document.activeElement?.textContent).toBe('Notifications')
})
