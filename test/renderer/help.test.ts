import { sections } from 'virtual:handbook'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { commandsFor } from '../../src/renderer/src/frame/commands.ts'
import { loadScreens, screenLabels } from '../../src/renderer/src/frame/screens.ts'
import { highlight, sectionOfScreen } from '../../src/renderer/src/screens/help/sections.ts'
import { type Router, screenNames } from '../../src/renderer/src/state/router.svelte.ts'
import type { FakeState } from './fake-api.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { openOffice } from './office.ts'

await loadScreens()

async function open(change: Partial<FakeState>, ...at: Parameters<Router['go']>) {
  const opened = await openOffice(fakeApi(change))
  opened.app.router.go(...at)
  render(App, { props: { app: opened.app } })
  await settle()
  return opened
}
const press = async (key: string, from: Element | Window = window, more: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  from.dispatchEvent(event)
  await settle()
}
const article = () => screen.getByRole('article')
const field = () => screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search the help' })
const nav = () => within(screen.getByRole('navigation', { name: 'Sections' }))
async function type(words: string) {
  await fireEvent.input(field(), { target: { value: words } })
  await settle()
}

describe('F1', () => {
  test('opens the section about the screen, and inside Help focuses the search', async () => {
    const { app } = await open({}, 'bulk')
    await press('F1')
    expect(app.router.route).toMatchObject({ screen: 'help', rest: ['for', 'bulk'] })
    expect(within(article()).getByRole('heading', { level: 2, name: 'Bulk send' })).toBeTruthy()
    expect(nav().getByRole('link', { current: 'page' }).textContent).toBe('Bulk send')
    await press('F1')
    expect(document.activeElement).toBe(field())
  })

  test('has an existing section for each screen', () => {
    const ids = new Set(sections.map(({ id }) => id))
    for (const name of screenNames.filter((one) => one !== 'help'))
      expect([name, ids.has(sectionOfScreen[name] ?? '')]).toEqual([name, true])
  })

  test('helps during set-up, and returning keeps the typed values', async () => {
    const { app } = await open({ accounts: [] }, 'today')
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Harbour' } })
    await press('F1')
    expect(within(article()).getByRole('heading', { level: 2, name: 'Setting up a computer' })).toBeTruthy()
    await press('F1')
    expect(document.activeElement).toBe(field())
    await press('n', window, { ctrlKey: true })
    expect(app.router.route.screen).toBe('help')
    await fireEvent.click(screen.getByRole('button', { name: 'Back to set-up' }))
    await settle()
    expect(screen.queryByRole('article')).toBeNull()
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Harbour')
    const ids = sections.map(({ id }) => id)
    for (const link of screen.getAllByRole<HTMLAnchorElement>('link', { name: /Help/ }))
      expect(ids).toContain(link.hash.replace('#/help/', ''))
  })

  test('does nothing while a dialog is open or the application is locked', async () => {
    const { app, api } = await open({}, 'drafts')
    await press('?', window, { shiftKey: true })
    await press('F1')
    expect(app.router.route.screen).toBe('drafts')
    api.control.state.lock = { isLocked: true, opensBySignIn: true }
    api.control.emit('lock.changed', null)
    await settle()
    await press('F1')
    expect(app.router.route.screen).toBe('drafts')
  })
})

test('words are marked where they begin, and none as short as “a” beside longer ones', () => {
  const marked = (text: string, ...words: string[]) =>
    highlight(text, words)
      .filter(({ isMarked }) => isMarked)
      .map(({ text }) => text)
  expect(marked('Cancel a document: all that was cancelled', 'cancel', 'a', 'document')).toEqual([
    'Cancel',
    'document',
    'cancel'
  ])
  expect(marked('A plan', 'a')).toEqual(['A'])
})

describe('the search', () => {
  test('finds sections while typing, marks the words, and Escape clears it', async () => {
    await open({}, 'help')
    expect(nav().getAllByRole('link')).toHaveLength(sections.length)
    await type('Duplicates FLAGGED')
    const results = nav().getAllByRole('link')
    expect(results).toHaveLength(1)
    expect(results[0]?.textContent).toContain('Bulk send')
    expect([...(results[0]?.querySelectorAll('mark') ?? [])].map((mark) => mark.textContent)).toEqual(
      expect.arrayContaining(['duplicates', 'flagged'])
    )
    expect(screen.getByText('1 section found')).toBeTruthy()
    await press('Escape', field())
    expect(nav().getAllByRole('link')).toHaveLength(sections.length)
  })

  test('can be used by keyboard: slash, Enter, arrows, and up to the search again', async () => {
    const { app } = await open({}, 'help')
    await press('/')
    expect(document.activeElement).toBe(field())
    await type('signer')
    await press('Enter', field())
    const links = nav().getAllByRole('link')
    expect(links.length).toBeGreaterThan(2)
    expect(document.activeElement).toBe(links[0])
    await press('ArrowDown', links[0])
    expect(document.activeElement).toBe(links[1])
    links[1]?.click()
    await settle()
    expect(app.router.route.query.get('search')).toBe('signer')
    expect(article().querySelectorAll('mark').length).toBeGreaterThan(0)
    await press('ArrowUp', nav().getAllByRole('link')[1])
    await press('ArrowUp', nav().getAllByRole('link')[0])
    expect(document.activeElement).toBe(field())
  })

  test('reports no results', async () => {
    await open({}, 'help')
    await type('xyzzy')
    expect(screen.getByText('Nothing found for “xyzzy”.')).toBeTruthy()
  })

  test('is restored from the URL', async () => {
    await open({}, 'help', ['guide', 'drafts'], { search: 'preset' })
    expect(field().value).toBe('preset')
    expect(within(article()).getByRole('heading', { level: 2 }).textContent).toBe('Drafts')
  })
})

test('links within Help work, and none leaves the application', async () => {
  const { app } = await open({}, 'help', ['guide', 'identity-data'])
  within(article()).getByRole('link', { name: 'Reading a check' }).click()
  await settle()
  expect(app.router.route.rest).toEqual(['guide', 'reading-a-check'])
  for (const { id } of sections) {
    app.router.go('help', id.split('/'))
    await settle()
    for (const link of article().querySelectorAll('a')) expect(link.getAttribute('href')).toMatch(/^#\/help\//)
  }
})

test('the next start continues in the section that was open, without its search', async () => {
  const { api, clock, close } = await open({}, 'help', ['administration', 'setting-up-a-computer'])
  await type('keychain')
  await clock.pass(1000)
  const kept = api.control.calls.findLast(({ name }) => name === 'system.keepPlace')?.input as { place: string }
  cleanup()
  close()
  const next = await openOffice(fakeApi(), kept.place)
  render(App, { props: { app: next.app } })
  await settle()
  expect(article().getAttribute('aria-label')).toBe('Setting up a computer')
  expect(nav().getByRole('link', { current: 'page' }).textContent).toBe('Setting up a computer')
  expect(field().value).toBe('')
})

test('the palette finds help sections by title once something is typed', () => {
  const help = (typed: string) =>
    commandsFor(typed, screenLabels, [], { help: sections }).filter(({ group }) => group === 'Help')
  expect(help('')).toEqual([])
  expect(help('bulk').map(({ label }) => label)).toEqual(['Help: Bulk send'])
  expect(help('cancel').map(({ label }) => label)).toEqual(['Help: Withdraw a document'])
  expect(help('help bulk')[0]).toMatchObject({ go: ['help', ['guide', 'bulk-send']] })
})

test('the menu and the list of shortcuts link to Help', async () => {
  const { api, app } = await open({}, 'counter')
  api.control.emit('menu.chosen', { command: 'help' })
  await settle()
  expect(article().getAttribute('aria-label')).toBe('The counter')
  api.control.emit('menu.chosen', { command: 'news' })
  await settle()
  expect(article().getAttribute('aria-label')).toBe(sections.find(({ page }) => page === 'What’s new')?.title)
  app.router.go('drafts')
  await settle()
  await press('?', window, { shiftKey: true })
  const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
  within(sheet).getByRole('link', { name: 'Help' }).click()
  await settle()
  expect([app.router.route.screen, screen.queryByRole('dialog')]).toEqual(['help', null])
})

describe('what is new after an update', () => {
  const news = { settings: { theme: 'system', zoom: 1, news: '0.2.0' } } satisfies Partial<FakeState>
  const notice = () => screen.queryByText('Countersign 0.2.0: what’s new')

  test('is announced on Today until dismissed', async () => {
    const { api } = await open(news, 'today')
    expect(await screen.findByText('Countersign 0.2.0: what’s new')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
    await settle()
    expect(notice()).toBeNull()
    expect(api.control.calls).toContainEqual({ name: 'settings.set', input: { news: null } })
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'Today' }))
  })

  test('opens in Help, and is not announced again', async () => {
    const { app } = await open(news, 'today')
    await fireEvent.click(await screen.findByRole('button', { name: 'Open' }))
    await settle()
    expect([app.router.route.screen, app.router.route.rest]).toEqual(['help', ['changelog']])
    app.router.go('today')
    await settle()
    expect(notice()).toBeNull()
  })

  test('is not announced when nothing is new', async () => {
    await open({}, 'today')
    expect(screen.queryByText(/what’s new/)).toBeNull()
  })

  test('is hidden while the application is locked, and shown afterwards', async () => {
    const { api } = await open(news, 'today')
    await screen.findByText('Countersign 0.2.0: what’s new')
    const setLocked = async (isLocked: boolean) => {
      api.control.state.lock = { isLocked, opensBySignIn: true }
      api.control.emit('lock.changed', null)
      await settle()
    }
    await setLocked(true)
    expect(notice()).toBeNull()
    await setLocked(false)
    expect(await screen.findByText('Countersign 0.2.0: what’s new')).toBeTruthy()
  })

  test('shows an error if the dismissal can’t be saved', async () => {
    const { api } = await open(news, 'today')
    api.control.fail('settings.set', { code: 'storage', message: 'The disk is full.' })
    await fireEvent.click(await screen.findByRole('button', { name: 'Dismiss' }))
    await settle()
    expect(screen.getByText(/^This couldn’t be saved\./)).toBeTruthy()
  })
})
