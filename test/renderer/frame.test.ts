import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { commandsFor } from '../../src/renderer/src/frame/commands.ts'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import {
  hrefOf,
  parentScreens,
  readRoute,
  type ScreenName,
  screenNames
} from '../../src/renderer/src/state/router.svelte.ts'
import { blankComposition } from '../../src/shared/composition/composition.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { fakePin } from './fakes/counter.ts'
import { membershipOf } from './fakes/desk.ts'
import { type Opened, openOffice } from './office.ts'
import { NOW, officeAccount, practiceAccount } from './people.ts'

beforeAll(loadScreens)

async function open(change: Partial<FakeState> = {}, at: ScreenName = 'compose'): Promise<Opened> {
  const opened = await openOffice(fakeApi(change))
  opened.app.router.go(at)
  render(App, { props: { app: opened.app } })
  await settle()
  return opened
}

describe('the address', () => {
  test('survives being written and read, with anything in it', () => {
    const route = readRoute(hrefOf('documents', ['InBox', 'a/b?c#d%'], { search: 'Smith & Son?' }))
    expect(route.screen).toBe('documents')
    expect(route.rest).toEqual(['InBox', 'a/b?c#d%'])
    expect(route.query.get('search')).toBe('Smith & Son?')
  })
  test.each(['', '#', '#/', '#/nowhere', '#/%E0%A4%A', '#//'])('%j that names no screen is Today', (hash) => {
    expect(readRoute(hash).screen).toBe('today')
  })
})

test('the way back to a document leads among what was searched for, as long as it was left there', async () => {
  const { app } = await openOffice(fakeApi())
  const { router } = app
  expect(router.hrefOfDocument({ document: 'doc-6' })).toBe('#/documents/all?document=doc-6')
  router.go('documents', ['InBox'], { search: 'arjun', document: 'doc-6' })
  router.go('identity', ['doc-6'])
  router.go('identity-pdf', ['doc-6'])
  expect(router.hrefOfDocument({ document: 'doc-6' })).toBe('#/documents/InBox?search=arjun&document=doc-6')
  expect(router.hrefOfDocument({ document: 'doc-7' })).toBe('#/documents/all?document=doc-7')
})

test('a screen that the role of who works here refuses is nowhere to be gone to, until someone else unlocks Countersign', async () => {
  const { api } = await open()
  const shown = async () => {
    await settle()
    const entry = screen.queryByRole('link', { name: /^Activity/ }) !== null
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
    const field = await screen.findByRole('combobox')
    await fireEvent.input(field, { target: { value: 'go to' } })
    await settle()
    const found = screen.getAllByRole('option').map(({ textContent }) => textContent.trim())
    await fireEvent.keyDown(field, { key: 'Escape' })
    await settle()
    return [entry, ...['Activity', 'Audit trail', 'Outbox'].map((name) => found.some((one) => one.includes(name)))]
  }
  expect(await shown()).toEqual([true, true, true, true])
  const lock = { isLocked: false, opensBySignIn: false }
  const WHY = 'Only managers and administrators can do this.'
  api.control.state.lock = { ...lock, closed: { activity: WHY, audit: WHY } }
  api.control.emit('lock.changed', null)
  expect(await shown()).toEqual([false, false, false, true])
  api.control.state.lock = lock
  api.control.emit('lock.changed', null)
  expect(await shown()).toEqual([true, true, true, true])
})

describe('while Countersign is locked', () => {
  const isThere = () => screen.queryByRole('dialog', { name: 'Countersign is locked' }) !== null
  async function give(pin: string) {
    for (const digit of pin) await fireEvent.click(screen.getByRole('button', { name: digit }))
    await fireEvent.click(screen.getByRole('button', { name: 'Unlock' }))
    await settle()
  }

  test('nothing of the office is seen or reached, and what was open is there again after the PIN', async () => {
    const { api, app } = await open({}, 'documents')
    api.control.state.lock = { isLocked: true, opensBySignIn: true }
    api.control.emit('lock.changed', null)
    await settle()
    expect([isThere(), document.querySelector<HTMLElement>('.frame')?.inert]).toEqual([true, true])
    expect(screen.getByText(/sign in again/)).toBeTruthy()
    expect((await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } })).violations).toEqual([])
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
    await fireEvent.keyDown(window, { key: 'n', ctrlKey: true })
    await settle()
    expect([screen.queryByRole('dialog', { name: /Search/ }), app.router.route.screen]).toEqual([null, 'documents'])
    await give('0000')
    expect([isThere(), screen.getByRole('alert').textContent]).toEqual([true, 'Wrong PIN.'])
    await give(fakePin)
    expect([isThere(), document.querySelector<HTMLElement>('.frame')?.inert]).toEqual([false, false])
    expect(app.router.route.screen).toBe('documents')
  })

  test('who unlocks it goes on where the focus was, or reads from the heading', async () => {
    const { api } = await open({}, 'documents')
    const lock = async () => {
      api.control.state.lock = { isLocked: true, opensBySignIn: true }
      api.control.emit('lock.changed', null)
      await settle()
      expect(isThere()).toBe(true)
    }
    const field = screen.getByRole('searchbox')
    field.focus()
    await lock()
    await give(fakePin)
    expect(document.activeElement).toBe(field)
    // Otherwise the button that locks it would be pressed once too often.
    screen.getByRole('button', { name: /^Account:/ }).focus()
    await lock()
    await give(fakePin)
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
    // The same goes for any other button, such as one that sends.
    const button = document.querySelector<HTMLElement>('#main button:not(:disabled)')
    button?.focus()
    expect(document.activeElement).toBe(button)
    await lock()
    await give(fakePin)
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
  })

  test('who unlocks it over a question goes on in the question, on none of its buttons', async () => {
    // An element without a position isn't accepted as one to return the focus to.
    const placed = vi
      .spyOn(Element.prototype, 'getClientRects')
      .mockReturnValue([new DOMRect()] as unknown as DOMRectList)
    onTestFinished(() => placed.mockRestore())
    const { api, app } = await open({ membership: membershipOf(NOW) }, 'settings')
    app.router.go('settings', ['office'])
    await settle()
    await fireEvent.click(screen.getByRole('button', { name: 'Leave the office…' }))
    await settle()
    const question = screen.getByRole('dialog')
    const cancel = within(question).getByRole('button', { name: 'Cancel' })
    cancel.focus()
    expect(document.activeElement).toBe(cancel)
    api.control.state.lock = { isLocked: true, opensBySignIn: true }
    api.control.emit('lock.changed', null)
    await settle()
    expect(isThere()).toBe(true)
    await give(fakePin)
    expect(isThere()).toBe(false)
    expect(document.activeElement).toBe(question)
  })

  test('nor in what is typed there, where Enter would answer', async () => {
    const placed = vi
      .spyOn(Element.prototype, 'getClientRects')
      .mockReturnValue([new DOMRect()] as unknown as DOMRectList)
    onTestFinished(() => placed.mockRestore())
    const { api, app } = await open({}, 'settings')
    app.router.go('settings', ['office'])
    await settle()
    await fireEvent.click(screen.getByRole('button', { name: 'Join an office…' }))
    await settle()
    const question = screen.getByRole('dialog')
    const [field] = within(question).getAllByRole('textbox')
    field?.focus()
    expect(document.activeElement).toBe(field)
    api.control.state.lock = { isLocked: true, opensBySignIn: true }
    api.control.emit('lock.changed', null)
    await settle()
    await give(fakePin)
    expect(isThere()).toBe(false)
    expect(document.activeElement).toBe(question)
  })

  test('staff locks it from the menu or the search, and is told why it can’t be', async () => {
    const { api } = await open()
    const choose = async () => {
      await fireEvent.click(screen.getByRole('button', { name: /^Account:/ }))
      await fireEvent.click(await screen.findByRole('menuitem', { name: 'Lock Countersign' }))
      await settle()
    }
    api.control.fail('counter.lockOffice', { code: 'no-pin', message: 'There is no staff PIN yet.' })
    await choose()
    expect(isThere()).toBe(false)
    expect(screen.getByText(/Countersign wasn’t locked\./)).toBeTruthy()
    api.control.heal('counter.lockOffice')
    await choose()
    expect(isThere()).toBe(true)
    await give(fakePin)
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
    const field = await screen.findByRole('combobox')
    await fireEvent.input(field, { target: { value: 'lock' } })
    await settle()
    await fireEvent.keyDown(field, { key: 'Enter' })
    await settle()
    expect(isThere()).toBe(true)
  })

  test('a window that is loaded shows no more than that, and the office once it is opened', async () => {
    const { api } = await open({ lock: { isLocked: true, opensBySignIn: false } })
    expect([isThere(), document.querySelector('.frame')]).toEqual([true, null])
    expect(screen.queryByText(/sign in again/)).toBeNull()
    const asked = api.control.calls.map(({ name }) => name)
    expect(new Set(asked)).toEqual(new Set(['counter.state', 'counter.lock', 'settings.get']))
    await give(fakePin)
    expect([isThere(), document.querySelector('.frame') === null]).toEqual([false, false])
  })
})

describe('the frame', () => {
  test('names the account and the connection', async () => {
    await open({
      accounts: [{ ...officeAccount(), chosen: true }],
      connection: { state: 'offline', since: NOW - 1000, error: { code: 'offline', message: 'No network.' } }
    })
    expect(screen.getByRole('button', { name: /Harbour & Co/ })).toBeTruthy()
    expect(screen.getByRole('status', { name: /^Connection: Offline since/ })).toBeTruthy()
  })

  test('waits for no connection where nobody has entered what the service wants', async () => {
    await open({
      accounts: [{ ...officeAccount(), hasSecret: false, chosen: true }],
      connection: { state: 'unknown', since: NOW }
    })
    expect(screen.getByRole('status', { name: 'Connection: Not signed in' })).toBeTruthy()
  })

  test('follows the connection as it changes', async () => {
    const { api } = await open()
    api.control.state.connection = { state: 'offline', since: NOW }
    api.control.emit('connection.changed', null)
    expect(await screen.findByRole('status', { name: /Offline/ })).toBeTruthy()
  })

  test('begins at the heading where what was pressed went with its screen, and leaves a focus that is still there', async () => {
    const { app } = await open({}, 'identity')
    screen.getByRole('button', { name: 'Go to Documents' }).focus()
    app.router.go('identity-pdf', ['doc-6'])
    await settle()
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'Identity report' }))
    const link = screen.getByRole('link', { name: /^Drafts/ })
    link.focus()
    app.router.go('drafts')
    await settle()
    expect(document.activeElement).toBe(link)
  })

  test('has all the screens in its side bar, with what waits in them', async () => {
    await open()
    const links = within(screen.getByRole('navigation', { name: 'Screens' })).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(
      expect.arrayContaining(
        screenNames.filter((name) => parentScreens[name] === undefined).map((name) => hrefOf(name))
      )
    )
    expect(screen.getByRole('link', { name: /^InBox, \d+/ })).toBeTruthy()
  })

  test('marks the counter while the audit trail is shown, which is reached from there', async () => {
    const opened = await open()
    opened.app.router.go('audit')
    await settle()
    expect(screen.getByRole('link', { name: /^Counter/ }).getAttribute('aria-current')).toBe('true')
    expect(screen.queryByRole('link', { name: 'Audit trail' })).toBeNull()
  })

  test('has the folders of the account and its saved views under Documents, with what is unread', async () => {
    const view = { search: '', sort: { by: 'due' as const, descending: false }, grouped: false }
    await open({
      accounts: [{ ...practiceAccount(), folders: ['Eingang', 'all'] }, officeAccount()],
      views: [{ id: 'v1', name: 'Declined ones', query: { ...view, families: ['declined'] }, tell: false }]
    })
    const link = (name: RegExp) => screen.getByRole('link', { name }).getAttribute('href')
    expect(link(/^Eingang/)).toBe('#/documents/Eingang')
    expect(link(/^all/)).toBe('#/documents/folder/all')
    expect(link(/^Declined ones, 5$/)).toBe('#/documents/view/v1')
    expect(link(/^Documents, 6 unread$/)).toBe('#/documents')
  })

  test('says that nothing is kept, and what was set aside', async () => {
    await open({
      system: {
        version: '0.1.0',
        platform: 'linux',
        keychain: { state: 'unavailable', reason: 'missing' },
        storage: { state: 'memory', reason: 'no-keychain', hasData: false },
        troubles: [{ kind: 'set-aside', store: 'database', name: 'office.set-aside', reason: 'unreadable', at: 0 }]
      }
    })
    expect(screen.getByText('Nothing is being saved on this computer.')).toBeTruthy()
    expect(screen.getByText('Your earlier data couldn’t be opened.')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'See what to do in Settings' }).getAttribute('href')).toBe(
      '#/settings/safety'
    )
  })

  test('tells of trouble with a store until it is settled in Settings, and not only once', async () => {
    const { app } = await open({
      system: {
        version: '0.1.0',
        platform: 'linux',
        keychain: { state: 'available' },
        storage: { state: 'encrypted' },
        troubles: [{ kind: 'set-aside', store: 'documents', name: 'set-aside-1', reason: 'damaged', at: 0 }]
      }
    })
    app.router.go('settings', ['safety'])
    await screen.findByRole('heading', { name: 'Data and security' })
    expect(screen.getAllByText('The saved list of documents couldn’t be opened.')).toHaveLength(2)
    expect(screen.getByText(/“set-aside-1” in the data folder/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Mark as resolved' }))
    await settle()
    expect(screen.queryAllByText('The saved list of documents couldn’t be opened.')).toHaveLength(0)
  })

  test('says wherever one is that the check at the start found something wrong with the audit trail', async () => {
    const { api, clock } = await open()
    expect(screen.queryByText('Something is wrong with the audit trail.')).toBeNull()
    api.control.state.auditAtStart = { isWhole: false, entries: 4, isCutOff: true, missing: 'cut' }
    api.control.emit('audit.changed', null)
    await clock.pass(1100)
    expect(screen.getByText('Something is wrong with the audit trail.')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'See what was found' }).getAttribute('href')).toBe('#/audit')
    await fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
    expect(screen.queryByText('Something is wrong with the audit trail.')).toBeNull()
  })

  test('shows nothing of the account before once another is chosen', async () => {
    const { app } = await open()
    await app.accounts.choose('harbour')
    await settle()
    expect(app.accounts.chosen?.id).toBe('harbour')
    expect(app.drafts.list).toEqual([])
  })

  test('keeps what was typed with the account it was typed for', async () => {
    const { app, api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /^Forms/ }))
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Half a wo' } })
    await app.accounts.choose('harbour')
    await settle()
    expect(api.control.state.drafts.map((draft) => [draft.accountId, draft.title])).toEqual([['practice', 'Half a wo']])
  })
})

describe('choosing another account', () => {
  async function chooseByMenu(name: RegExp) {
    await fireEvent.click(screen.getByRole('button', { name: /^Account:/ }))
    await fireEvent.click(await screen.findByRole('menuitem', { name }))
  }

  test('from the menu leaves the page free to be used, and reading begins at its heading', async () => {
    const { app } = await open()
    await chooseByMenu(/Harbour/)
    await waitFor(() => expect(app.accounts.chosen?.id).toBe('harbour'))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })))
    expect(document.body.style.pointerEvents).toBe('')
    expect(document.body.style.overflow).toBe('')
  })

  test('closes the package that was being composed, and says where it is', async () => {
    const { app, api, clock } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /^Forms/ }))
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Half a word' } })
    await settle()
    await clock.pass(300)
    expect(window.location.hash).toBe(`#/compose/${api.control.state.drafts[0]?.id}`)
    await chooseByMenu(/Harbour/)
    await screen.findByText('The draft was kept in Drafts of Practice office.')
    await screen.findByRole('heading', { name: 'What do you want to send?' })
    expect(window.location.hash).toBe('#/compose')
    expect(app.accounts.chosen?.id).toBe('harbour')
  })

  test('does not open a draft of the other account by its address', async () => {
    const { app, api } = await open()
    const saved = await api.drafts.save({ composition: blankComposition('form-direct', 'a') })
    await app.accounts.choose('harbour')
    app.router.go('compose', [saved.ok ? saved.value.id : ''])
    expect(await screen.findByText('This draft can’t be opened.')).toBeTruthy()
  })
})

describe('a document that was asked for from outside', () => {
  test('is shown, of its own account', async () => {
    const { app, api } = await open()
    api.control.emit('document.asked', { accountId: 'practice', reference: 'doc-6' })
    await settle()
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Statement of advice Marchetti')
    api.control.emit('document.asked', { accountId: 'harbour', reference: 'doc-7' })
    await waitFor(() => expect(app.accounts.chosen?.id).toBe('harbour'))
    await waitFor(() => expect(app.router.route.query.get('document')).toBe('doc-7'))
  })

  test('or a place is', async () => {
    const { app, api } = await open()
    api.control.emit('document.asked', { accountId: 'practice', place: 'activity' })
    await settle()
    expect(app.router.route.screen).toBe('activity')
    api.control.emit('document.asked', { accountId: 'practice', place: 'documents' })
    await settle()
    expect([app.router.route.screen, app.router.route.query.get('unread')]).toEqual(['documents', '1'])
  })

  test('of an account that is gone says so', async () => {
    const { app, api } = await open()
    api.control.emit('document.asked', { accountId: 'nobody', reference: 'doc-6' })
    await settle()
    expect(app.toasts.shown.at(-1)?.text).toMatch(/couldn’t switch to the document’s account/)
  })
})

describe('a dialog', () => {
  test('locks nothing of the page, and begins at its first field or its harmless button', async () => {
    const { app } = await open()
    app.router.go('settings')
    await fireEvent.click(await screen.findByRole('button', { name: 'Connect an account' }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')))
    expect(document.body.style.pointerEvents).toBe('')
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await fireEvent.click(screen.getByRole('button', { name: /^Remove\s*Harbour/ }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' })))
  })
})

describe('the command palette', () => {
  const labels = Object.fromEntries(screenNames.map((name) => [name, name])) as never
  const accounts = [practiceAccount(), officeAccount()]

  test('finds screens, accounts other than the chosen one, and documents', () => {
    const all = commandsFor('', labels, accounts)
    expect(all.map((command) => command.id)).toContain('account-harbour')
    expect(all.map((command) => command.id)).not.toContain('account-practice')
    expect(commandsFor('draf', labels, accounts).map((command) => command.id)).toEqual(['go-drafts', 'search'])
    const idsOf = (typed: string) => commandsFor(typed, labels, accounts).map((command) => command.id)
    expect(idsOf('staff pin')).toEqual(['settings-counter', 'search'])
    expect(idsOf('board of')).toEqual(['go-board', 'search'])
    expect(idsOf('backup')).toEqual(['settings-safety', 'search'])
    expect(all.map((command) => command.id)).not.toContain('settings-safety')
    const search = ['documents', ['all'], { search: 'smith deed' }]
    expect(commandsFor('smith deed', labels, accounts).at(-1)).toMatchObject({ id: 'search', go: search })
  })

  test('offers the search of the help where that says something of it', () => {
    const isInHelp = (typed: string) => typed === 'withdraw'
    const idsOf = (typed: string) => commandsFor(typed, labels, accounts, { isInHelp }).map(({ id }) => id)
    expect(idsOf('withdraw')).toEqual(['search', 'search-help'])
    expect(idsOf('smith deed')).toEqual(['search'])
  })

  test('what a key leads to is read from its heading, not from the side bar', async () => {
    await open({}, 'outbox')
    screen.getByRole('link', { name: /^Outbox/ }).focus()
    await fireEvent.keyDown(window, { key: 'n', ctrlKey: true })
    await settle()
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
  })

  test('opens by Ctrl+K, goes where the arrows point, and searches documents', async () => {
    await open()
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
    const field = await screen.findByRole('combobox', { name: 'Search or run a command' })
    await fireEvent.input(field, { target: { value: 'settings' } })
    await fireEvent.keyDown(field, { key: 'Enter' })
    expect(window.location.hash).toBe('#/settings')
  })

  test('offers folders, saved views, and the documents that the words find, after the search', async () => {
    const query = { search: '', sort: { by: 'due' as const, descending: false }, grouped: false }
    const { app } = await open({ views: [{ id: 'v1', name: 'Gifts', query, tell: false }] })
    // There is nothing to scroll without a layout.
    Element.prototype.scrollIntoView ??= () => {}
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
    const field = await screen.findByRole('combobox', { name: 'Search or run a command' })
    await fireEvent.input(field, { target: { value: 'gift' } })
    const options = await waitFor(() => {
      const found = screen.getAllByRole('option').map((one) => one.textContent?.replace(/\s+/g, ' ').trim() ?? '')
      expect(found).toHaveLength(7)
      return found
    })
    expect(options[0]).toMatch(/^Gifts \(view\)/)
    expect(options[1]).toMatch(/^Search documents for “gift”/)
    expect(options.slice(2).every((text) => text.startsWith('Deed of gift'))).toBe(true)
    await fireEvent.keyDown(field, { key: 'ArrowDown' })
    await fireEvent.keyDown(field, { key: 'ArrowDown' })
    await fireEvent.keyDown(field, { key: 'Enter' })
    expect(app.router.route.rest).toEqual(['all'])
    expect(app.router.route.query.get('document')).toMatch(/^doc-/)
  })

  test('closed by Escape gives the focus back', async () => {
    await open()
    const link = screen.getByRole('link', { name: /^Drafts/ })
    link.focus()
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
    const field = await screen.findByRole('combobox', { name: 'Search or run a command' })
    await waitFor(() => expect(document.activeElement).toBe(field))
    await fireEvent.keyDown(field, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(link))
  })
})

describe('keys that work anywhere', () => {
  const press = async (key: string, more: Partial<KeyboardEventInit> = {}, at: Element | Window = window) => {
    const isLeft = await fireEvent.keyDown(at, { key, ...more })
    await settle()
    return isLeft
  }

  test('Ctrl+F goes to the search of the screen, and where it has none, to that of everything', async () => {
    const { app } = await open({}, 'drafts')
    await press('f', { ctrlKey: true })
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search drafts' }))
    app.router.go('settings')
    await settle()
    await press('f', { ctrlKey: true })
    expect(await screen.findByRole('combobox', { name: 'Search or run a command' })).toBeTruthy()
  })

  test('Alt with the arrows and the side buttons go back and forward, and one press counts once', async () => {
    const { app, api } = await open({}, 'drafts')
    app.router.go('settings')
    await settle()
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    const moved = vi.spyOn(window.history, 'back').mockReturnValue()
    await press('ArrowLeft', { altKey: true })
    now += 1000
    await fireEvent.mouseUp(window, { button: 3 })
    api.control.emit('menu.chosen', { command: 'back' })
    expect(moved).toHaveBeenCalledTimes(2)
    // Two quick presses count as two.
    await fireEvent.mouseUp(window, { button: 3 })
    await press('ArrowLeft', { altKey: true })
    expect(moved).toHaveBeenCalledTimes(4)
    for (const spy of [clock, moved]) spy.mockRestore()
  })

  test('F5 and Ctrl+R read the folders, and Ctrl with plus, minus and nought are kept as the zoom', async () => {
    const { api, app } = await open({}, 'drafts')
    const calls = (name: string) => api.control.calls.filter((call) => call.name === name)
    await press('F5')
    await press('r', { ctrlKey: true })
    expect(calls('documents.refresh')).toHaveLength(2)
    for (const key of ['+', '=', '-', '-', '-', '0']) await press(key, { ctrlKey: true })
    expect(calls('settings.set').map(({ input }) => (input as { zoom: number }).zoom)).toEqual([
      1.1, 1.25, 1.1, 1, 0.9, 1
    ])
    expect(app.settings.view.zoom).toBe(1)
  })

  test('Ctrl+Z takes back what was done last, and is the text’s own while one types', async () => {
    const { app } = await open({}, 'drafts')
    const undone: string[] = []
    app.toasts.say('Deleted one.', { label: 'Undo', run: () => undone.push('one') })
    app.toasts.say('Made another.', { label: 'Open it', run: () => undone.push('opened') })
    expect(await press('z', { ctrlKey: true }, screen.getByRole('searchbox'))).toBe(true)
    expect(undone).toEqual([])
    expect(await press('z', { ctrlKey: true })).toBe(false)
    expect([undone, app.toasts.shown.length]).toEqual([['one'], 1])
    await press('z', { ctrlKey: true })
    expect(undone).toEqual(['one'])
  })

  test('a question mark lists them all, from the tables that they work by', async () => {
    await open({}, 'drafts')
    await press('?', { shiftKey: true })
    const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const words of ['Find in this screen', 'Remind', 'Select all that is found', 'Zoom in']) {
      expect(within(sheet).getByText(words)).toBeTruthy()
    }
    await press('n', { ctrlKey: true })
    expect(window.location.hash).toBe('#/drafts')
  })

  test('the palette offers what the screen can do with what is chosen, and says why where it can’t', async () => {
    const { app } = await open({}, 'drafts')
    const done: string[] = []
    const about = '“Deed of gift”'
    app.offers.provide(() => [
      { name: 'remind', label: 'Remind…', about, run: () => done.push('reminded') },
      { name: 'verify', label: 'Verify signatures', about, why: 'Nobody has signed.', run: () => done.push('verified') }
    ])
    for (const typed of ['remind', 'verify']) {
      await press('k', { ctrlKey: true })
      const field = await screen.findByRole('combobox', { name: 'Search or run a command' })
      await fireEvent.input(field, { target: { value: typed } })
      await fireEvent.keyDown(field, { key: 'Enter' })
      await settle()
    }
    expect([done, app.toasts.shown.at(-1)?.text]).toEqual([['reminded'], 'Nobody has signed.'])
  })

  test('where one is is kept for the next start, without what was searched for', async () => {
    const { app, api, clock } = await open({}, 'drafts')
    app.router.go('documents', ['Progress'], { search: 'Mere Tamati', document: 'doc-6' })
    await settle()
    await clock.pass(1000)
    const kept = () => api.control.calls.filter(({ name }) => name === 'system.keepPlace').at(-1)?.input
    expect(kept()).toEqual({ place: '#/documents/Progress?document=doc-6' })
    app.router.go('identity', ['doc-6'])
    await settle()
    await clock.pass(1000)
    expect(kept()).toEqual({ place: '#/documents/all?document=doc-6' })
  })
})
