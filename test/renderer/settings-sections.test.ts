import { sections } from 'virtual:handbook'
import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test, vi } from 'vitest'
import { commandsFor } from '../../src/renderer/src/frame/commands.ts'
import { screenLabels } from '../../src/renderer/src/frame/screens.ts'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(rest: string[] = []) {
  opened = await openOffice(fakeApi())
  opened.app.router.go('settings', rest)
  show(opened, Settings)
  await settle()
}

test('every section is in the list, and each link leads to a heading', async () => {
  await open()
  const links = within(screen.getByRole('navigation', { name: 'Settings sections' })).getAllByRole<HTMLAnchorElement>(
    'link'
  )
  expect(links.length).toBe(document.querySelectorAll('section[aria-labelledby]').length)
  for (const link of links) {
    const name = link.hash.replace('#/settings/', '')
    expect(document.getElementById(`${name}-title`)?.tagName).toBe('H2')
  }
})

test('the command palette lists every section', async () => {
  await open()
  const links = within(screen.getByRole('navigation', { name: 'Settings sections' })).getAllByRole<HTMLAnchorElement>(
    'link'
  )
  const found = commandsFor('settings:', screenLabels, []).flatMap((one) =>
    'go' in one && one.go[0] === 'settings' ? one.go[1] : []
  )
  expect(found).toEqual(links.map((link) => link.hash.replace('#/settings/', '')))
})

test('the data folder can be opened, and a link explains backups', async () => {
  await open(['safety'])
  await fireEvent.click(screen.getByRole('button', { name: 'Show data folder' }))
  await settle()
  expect(opened.api.control.calls.filter(({ name }) => name === 'system.showData')).toHaveLength(1)
  const { hash } = screen.getByRole<HTMLAnchorElement>('link', { name: 'Where data is kept, and backups' })
  expect(sections.map(({ id }) => id)).toContain(hash.replace('#/help/', ''))
  expect(screen.getByText('Countersign 0.1.0 on Linux')).toBeTruthy()
})

test('what can’t be saved is shown as it was', async () => {
  await open()
  const { control } = opened.api
  const failure = { code: 'storage', message: 'Not now.' } as const
  for (const request of ['settings.set', 'downloads.configure', 'support.keepCrashReports'] as const)
    control.fail(request, failure)
  const zoom = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Zoom' })
  await fireEvent.change(zoom(), { target: { value: '150' } })
  await settle()
  expect(zoom().value).toBe('100')
  const dark = () => screen.getByRole<HTMLInputElement>('radio', { name: 'Dark' })
  await fireEvent.click(dark())
  await settle()
  expect(dark().checked).toBe(false)
  const crashes = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Keep crash reports on this computer' })
  await fireEvent.click(crashes())
  await settle()
  expect(crashes().checked).toBe(false)
  const parallel = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Parallel downloads' })
  const before = parallel().value
  await fireEvent.change(parallel(), { target: { value: '8' } })
  await settle()
  expect(parallel().value).toBe(before)
})

test('a second choice stays while the first is still being saved', async () => {
  await open()
  const { control } = opened.api
  const crashes = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Keep crash reports on this computer' })
  const before = crashes().checked
  const first = control.hold('support.keepCrashReports')
  await fireEvent.click(crashes())
  const second = control.hold('support.keepCrashReports')
  await fireEvent.click(crashes())
  first()
  await settle()
  expect(crashes().checked).toBe(before)
  second()
  await settle()
  expect(crashes().checked).toBe(before)
})

test('the URL of a section moves the focus to its heading', async () => {
  await open(['counter'])
  expect(document.activeElement?.textContent).toBe('Counter')
  opened.app.router.go('settings', ['notifications'])
  await settle()
  expect(document.activeElement?.textContent).toBe('Notifications')
})

test('the list marks the section that was opened, then the one scrolled to', async () => {
  await open(['about'])
  const marked = () => {
    const links = within(screen.getByRole('navigation', { name: 'Settings sections' })).getAllByRole('link')
    return links.filter((link) => link.getAttribute('aria-current') === 'location').map((link) => link.textContent)
  }
  // jsdom has no layout: each heading is 1000 pixels below the previous one, minus the scroll position.
  let scrolled = 0
  const headings = [...document.querySelectorAll<HTMLElement>('section > h2, section h2[id$=-title]')]
  for (const [index, heading] of headings.entries())
    heading.getBoundingClientRect = () => new DOMRect(0, index * 1000 - scrolled, 600, 20)
  const scroll = async (to: number) => {
    scrolled = to
    await fireEvent.scroll(screen.getByRole('heading', { level: 1 }).closest('.page') as HTMLElement)
  }
  expect(marked()).toEqual(['About'])
  opened.app.router.go('settings', ['hints'])
  await settle()
  expect(marked()).toEqual(['Instant updates'])
  // Content loaded above the section also scrolls the page, without user input.
  await scroll(1950)
  expect(marked()).toEqual(['Instant updates'])
  await fireEvent.wheel(document.body)
  await scroll(1951)
  expect(marked()).toEqual(['Notifications'])
  await scroll(0)
  expect(marked()).toEqual(['Accounts'])
})

test('the list marks the section in the upper third of the page, or the one with the focus', async () => {
  await open(['about'])
  const marked = () => document.querySelector('[aria-current=location]')?.textContent
  const page = screen.getByRole('heading', { level: 1 }).closest('.page') as HTMLElement
  Object.defineProperty(page, 'clientHeight', { value: 720 })
  const topsOf = (tops: Record<string, number>) => {
    for (const heading of document.querySelectorAll<HTMLElement>('section h2[id$=-title]'))
      heading.getBoundingClientRect = () => new DOMRect(0, tops[heading.textContent ?? ''] ?? 9000, 600, 20)
  }
  topsOf({ Accounts: -900, 'Drop folders': -80, 'Instant updates': 40, Office: 230 })
  await fireEvent.wheel(document.body)
  await fireEvent.scroll(page)
  expect(marked()).toBe('Office')
  topsOf({ Accounts: -900, 'Drop folders': 60, 'Instant updates': 320, Office: 480 })
  await fireEvent.pointerDown(document.body)
  screen.getByRole('button', { name: 'Join an office…' }).focus()
  await fireEvent.scroll(page)
  expect(marked()).toBe('Office')
  await fireEvent.wheel(document.body)
  await fireEvent.scroll(page)
  expect(marked()).toBe('Drop folders')
})

test('an opened section stays in view while sections above it load, until the user does something else', async () => {
  const resizeCallbacks: (() => void)[] = []
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(called: () => void) {
        resizeCallbacks.push(called)
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    }
  )
  try {
    await open(['about'])
    const heading = document.getElementById('about-title') as HTMLElement
    const scrollIntoView = vi.fn()
    heading.scrollIntoView = scrollIntoView
    for (const grow of resizeCallbacks) grow()
    expect(scrollIntoView).toHaveBeenCalledOnce()
    await fireEvent.keyDown(heading, { key: 'Tab' })
    for (const grow of resizeCallbacks) grow()
    expect(scrollIntoView).toHaveBeenCalledOnce()
  } finally {
    vi.unstubAllGlobals()
  }
})

test('an account that was just connected shows its folders and rights without being asked', async () => {
  const api = fakeApi()
  api.accounts.check = async () => ({
    ok: true,
    value: { folders: [{ name: 'InBox', documents: 3 }], may: { administrate: true, video: false } }
  })
  opened = await openOffice(api, '#/settings?check=harbour')
  show(opened, Settings)
  await settle()
  const notice = screen.getByText('Connected. 3 documents found.').closest('section')
  expect(notice?.textContent).toMatch(/InBox: 3.*This sign-in may use.*Administration.*It may not use.*Video/s)
})

test('checking the connection shows the folders, and which rights are known', async () => {
  await open()
  const folders = [
    { name: 'InBox', documents: 3 },
    { name: 'Progress', documents: 0 },
    { name: 'Singed', documents: null }
  ]
  const may = { administrate: true, video: false }
  opened.api.accounts.check = async () => ({ ok: true, value: { folders, may } })
  await fireEvent.click(screen.getAllByRole('button', { name: /^Check connection/ })[0] as HTMLElement)
  await settle()
  expect(screen.getByText(/no folder “Singed”. Check the spelling. 3 documents found/)).toBeTruthy()
  for (const text of ['InBox: 3', 'Progress: 0']) expect(screen.getByText(text)).toBeTruthy()
  expect(screen.queryByText(/^Singed/)).toBeNull()
  const after = (intro: string) => screen.getByText(intro).parentElement?.textContent
  expect(after('This sign-in may use')).toContain('Administration of the account')
  expect(after('It may not use')).toContain('Video confirmation')
  // Unknown rights aren't mentioned.
  for (const text of ['Reminders', 'Face-to-face signing']) expect(screen.queryByText(text)).toBeNull()
})

test('checking the connection reports how far the clock is off, if it is', async () => {
  await open()
  const check = () => fireEvent.click(screen.getAllByRole('button', { name: /^Check connection/ })[0] as HTMLElement)
  const answers = [{ clockAheadMinutes: -7 }, { clockAheadMinutes: 1 }, {}]
  opened.api.accounts.check = async () => ({
    ok: true,
    value: { folders: [{ name: 'InBox', documents: 3 }], may: {}, ...answers.shift() }
  })
  await check()
  await settle()
  expect(screen.getByText('This computer’s clock is 7 minutes behind the service’s.')).toBeTruthy()
  await check()
  await settle()
  expect(screen.getByText('This computer’s clock is 1 minute ahead of the service’s.')).toBeTruthy()
  await check()
  await settle()
  expect(screen.queryByText(/computer’s clock/)).toBeNull()
})
