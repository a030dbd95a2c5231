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
import { membershipOf } from './fakes/membership.ts'
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

describe('the URL', () => {
  test('survives encoding and decoding with any content', () => {
    const route = readRoute(hrefOf('documents', ['InBox', 'a/b?c#d%'], { search: 'Smith & Son?' }))
    expect(route.screen).toBe('documents')
    expect(route.rest).toEqual(['InBox', 'a/b?c#d%'])
    expect(route.query.get('search')).toBe('Smith & Son?')
  })
  test.each(['', '#', '#/', '#/nowhere', '#/%E0%A4%A', '#//'])('%j, which names no screen, leads to Today', (hash) => {
    expect(readRoute(hash).screen).toBe('today')
  })
})

test('the link back to a document keeps the search it was opened from', async () => {
  const { app } = await openOffice(fakeApi())
  const { router } = app
  expect(router.hrefOfDocument({ document: 'doc-6' })).toBe('#/documents/all?document=doc-6')
  router.go('documents', ['InBox'], { search: 'arjun', document: 'doc-6' })
  router.go('identity', ['doc-6'])
  router.go('identity-pdf', ['doc-6'])
  expect(router.hrefOfDocument({ document: 'doc-6' })).toBe('#/documents/InBox?search=arjun&document=doc-6')
  expect(router.hrefOfDocument({ document: 'doc-7' })).toBe('#/documents/all?document=doc-7')
})

test('where nobody has signed in that is said on every screen, with the way to do it', async () => {
  const lock = { isLocked: false, opensBySignIn: false, asksName: true, needsName: true } as const
  const { api } = await open({ lock }, 'outbox')
  expect(await screen.findByText('Nobody has signed in at this computer.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Enter name and PIN' }))
  expect(api.control.calls.some(({ name }) => name === 'counter.lockOffice')).toBe(true)
})

test('who works here stands at the top, and another can take over', async () => {
  const { api } = await open({ lock: { isLocked: false, opensBySignIn: false, asksName: true, who: 'Anna Lee' } })
  expect(screen.getByText('Anna Lee')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Switch…' }))
  expect(api.control.calls.some(({ name }) => name === 'counter.lockOffice')).toBe(true)
})

test('that the office’s server is away is said at the top, and since when if this window saw it', async () => {
  const outbox = { settings: { concurrency: 2, perMinute: null, undoSeconds: 10 } }
  const { api, clock } = await open({ outbox: { ...outbox, office: 'away' } })
  expect(screen.getByRole('link', { name: 'Office’s server not reachable' })).toBeTruthy()
  const become = async (office: 'connected' | 'away') => {
    api.control.state.outbox = { ...outbox, office }
    api.control.emit('outbox.changed', null)
    await clock.pass(1000)
    await settle()
  }
  await become('connected')
  expect(screen.queryByRole('link', { name: /^Office’s server/ })).toBeNull()
  await become('away')
  expect(screen.getByRole('link', { name: /^Office’s server not reachable since \d\d:\d\d$/ })).toBeTruthy()
})

test('screens that the role doesn’t allow are hidden from the side bar and palette until another person unlocks', async () => {
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

  test('nothing of the office can be reached, and the open screen returns after the PIN', async () => {
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

  test('unlocking returns the focus to a field, otherwise to the heading', async () => {
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
    // Otherwise another Enter would press the button that locks it.
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

  test('unlocking over a dialog focuses the dialog, none of its buttons', async () => {
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

  test('unlocking over a dialog doesn’t focus its text field, where Enter would submit', async () => {
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

  test('staff can lock it from the menu or palette, and a failure is explained', async () => {
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

  test('a reloaded window requests only the lock’s state, and shows the office once unlocked', async () => {
    const { api } = await open({ lock: { isLocked: true, opensBySignIn: false } })
    expect([isThere(), document.querySelector('.frame')]).toEqual([true, null])
    expect(screen.queryByText(/sign in again/)).toBeNull()
    const requested = api.control.calls.map(({ name }) => name)
    expect(new Set(requested)).toEqual(new Set(['counter.state', 'counter.lock', 'settings.get']))
    await give(fakePin)
    expect([isThere(), document.querySelector('.frame') === null]).toEqual([false, false])
  })
})

describe('the frame', () => {
  test('shows the account and the connection', async () => {
    await open({
      accounts: [{ ...officeAccount(), chosen: true }],
      connection: { state: 'offline', since: NOW - 1000, error: { code: 'offline', message: 'No network.' } }
    })
    expect(screen.getByRole('button', { name: /Harbour & Co/ })).toBeTruthy()
    expect(screen.getByRole('status', { name: /^Connection: Offline since/ })).toBeTruthy()
  })

  test('shows “Not signed in” for an account without credentials', async () => {
    await open({
      accounts: [{ ...officeAccount(), hasSecret: false, chosen: true }],
      connection: { state: 'unknown', since: NOW }
    })
    expect(screen.getByRole('status', { name: 'Connection: Not signed in' })).toBeTruthy()
  })

  test('updates when the connection changes', async () => {
    const { api } = await open()
    api.control.state.connection = { state: 'offline', since: NOW }
    api.control.emit('connection.changed', null)
    expect(await screen.findByRole('status', { name: /Offline/ })).toBeTruthy()
  })

  test('focuses the heading when the focused element disappears, and keeps the focus otherwise', async () => {
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

  test('lists all screens in the side bar, with counts', async () => {
    await open()
    const links = within(screen.getByRole('navigation', { name: 'Screens' })).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(
      expect.arrayContaining(
        screenNames.filter((name) => parentScreens[name] === undefined).map((name) => hrefOf(name))
      )
    )
    expect(screen.getByRole('link', { name: /^InBox, \d+/ })).toBeTruthy()
  })

  test('marks Counter while the audit trail is shown', async () => {
    const opened = await open()
    opened.app.router.go('audit')
    await settle()
    expect(screen.getByRole('link', { name: /^Counter/ }).getAttribute('aria-current')).toBe('true')
    expect(screen.queryByRole('link', { name: 'Audit trail' })).toBeNull()
  })

  test('lists the account’s folders and saved views under Documents, with unread counts', async () => {
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

  test('warns that nothing is saved, and that earlier data was set aside', async () => {
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

  test('shows a problem with stored data until it is marked as resolved', async () => {
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

  test('shows on every screen that the start-up check found a problem with the audit trail', async () => {
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

  test('shows nothing of the previous account after switching', async () => {
    const { app } = await open()
    await app.accounts.choose('harbour')
    await settle()
    expect(app.accounts.chosen?.id).toBe('harbour')
    expect(app.drafts.list).toEqual([])
  })

  test('saves typed text into the account it was typed in', async () => {
    const { app, api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /^Forms/ }))
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Half a wo' } })
    await app.accounts.choose('harbour')
    await settle()
    expect(api.control.state.drafts.map((draft) => [draft.accountId, draft.title])).toEqual([['practice', 'Half a wo']])
  })
})

describe('switching the account', () => {
  async function chooseByMenu(name: RegExp) {
    await fireEvent.click(screen.getByRole('button', { name: /^Account:/ }))
    await fireEvent.click(await screen.findByRole('menuitem', { name }))
  }

  test('leaves the page usable, with the focus on its heading', async () => {
    const { app } = await open()
    await chooseByMenu(/Harbour/)
    await waitFor(() => expect(app.accounts.chosen?.id).toBe('harbour'))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })))
    expect(document.body.style.pointerEvents).toBe('')
    expect(document.body.style.overflow).toBe('')
  })

  test('closes the package being composed, and says where it was saved', async () => {
    const { app, api, clock } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /^Forms/ }))
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Half a word' } })
    await settle()
    await clock.pass(300)
    expect(window.location.hash).toBe(`#/compose/${api.control.state.drafts[0]?.id}`)
    await chooseByMenu(/Harbour/)
    await screen.findByText('The draft was saved in Practice office’s Drafts.')
    await screen.findByRole('heading', { name: 'What do you want to send?' })
    expect(window.location.hash).toBe('#/compose')
    expect(app.accounts.chosen?.id).toBe('harbour')
  })

  test('doesn’t open the other account’s draft by its URL', async () => {
    const { app, api } = await open()
    const saved = await api.drafts.save({ composition: blankComposition('form-direct', 'a') })
    await app.accounts.choose('harbour')
    app.router.go('compose', [saved.ok ? saved.value.id : ''])
    expect(await screen.findByText('This draft can’t be opened.')).toBeTruthy()
  })
})

describe('opening a document from outside', () => {
  test('switches to its account and shows it', async () => {
    const { app, api } = await open()
    api.control.emit('document.asked', { accountId: 'practice', reference: 'doc-6' })
    await settle()
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Statement of advice Marchetti')
    api.control.emit('document.asked', { accountId: 'harbour', reference: 'doc-7' })
    await waitFor(() => expect(app.accounts.chosen?.id).toBe('harbour'))
    await waitFor(() => expect(app.router.route.query.get('document')).toBe('doc-7'))
  })

  test('can open a screen instead', async () => {
    const { app, api } = await open()
    api.control.emit('document.asked', { accountId: 'practice', place: 'activity' })
    await settle()
    expect(app.router.route.screen).toBe('activity')
    api.control.emit('document.asked', { accountId: 'practice', place: 'documents' })
    await settle()
    expect([app.router.route.screen, app.router.route.query.get('unread')]).toEqual(['documents', '1'])
  })

  test('reports an account that no longer exists', async () => {
    const { app, api } = await open()
    api.control.emit('document.asked', { accountId: 'nobody', reference: 'doc-6' })
    await settle()
    expect(app.toasts.shown.at(-1)?.text).toMatch(/couldn’t switch to the document’s account/)
  })
})

describe('a dialog', () => {
  test('doesn’t lock the page, and focuses its first field or its harmless button', async () => {
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

  test('finds screens, other accounts and documents', () => {
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

  test('offers to search the help if it has results', () => {
    const isInHelp = (typed: string) => typed === 'withdraw'
    const idsOf = (typed: string) => commandsFor(typed, labels, accounts, { isInHelp }).map(({ id }) => id)
    expect(idsOf('withdraw')).toEqual(['go-outbox', 'search', 'search-help'])
    expect(idsOf('smith deed')).toEqual(['search'])
  })

  test('finds a command by other words for the same, after those that have the word in their name', () => {
    const remind = { name: 'remind', label: 'Remind…', about: 'Deed of gift', run: () => undefined }
    const idsOf = (typed: string) => commandsFor(typed, labels, accounts, { offers: [remind] }).map(({ id }) => id)
    expect(idsOf('resend')).toEqual(['offer-remind', 'go-documents', 'search'])
    expect(idsOf('send again')).toEqual(['offer-remind', 'go-documents', 'search'])
    for (const word of ['cancel', 'void', 'withdraw']) expect(idsOf(word)).toEqual(['go-outbox', 'search'])
    expect(idsOf('sign out')).toEqual(['lock', 'search'])
    expect(idsOf('print')).toEqual(['go-documents', 'go-downloads', 'search'])
    expect(idsOf('delete')).toEqual(['settings-accounts', 'settings-safety', 'go-trash', 'search'])
    expect(idsOf('new')[0]).toEqual('compose')
    expect(commandsFor('resend', labels, accounts, { offers: [remind] })[0]?.label).toBe('Remind…')
  })

  test('forgives a typing error, below the search for what was typed', () => {
    const idsOf = (typed: string) => commandsFor(typed, labels, accounts).map(({ id }) => id)
    expect(idsOf('refersh')).toEqual(['search', 'refresh'])
    expect(idsOf('setings').slice(0, 2)).toEqual(['search', 'go-settings'])
    expect(idsOf('cancle')).toEqual(['search', 'go-outbox'])
  })

  test('a shortcut to another screen focuses its heading', async () => {
    await open({}, 'outbox')
    screen.getByRole('link', { name: /^Outbox/ }).focus()
    await fireEvent.keyDown(window, { key: 'n', ctrlKey: true })
    await settle()
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
  })

  test('opens with Ctrl+K and runs the selected command', async () => {
    await open()
    await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
    const field = await screen.findByRole('combobox', { name: 'Search or run a command' })
    await fireEvent.input(field, { target: { value: 'settings' } })
    await fireEvent.keyDown(field, { key: 'Enter' })
    expect(window.location.hash).toBe('#/settings')
  })

  test('offers folders, saved views and matching documents', async () => {
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

  test('returns the focus when closed with Escape', async () => {
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

describe('global shortcuts', () => {
  const press = async (key: string, more: Partial<KeyboardEventInit> = {}, at: Element | Window = window) => {
    const isLeft = await fireEvent.keyDown(at, { key, ...more })
    await settle()
    return isLeft
  }

  test('Ctrl+F focuses the screen’s search, or opens the palette', async () => {
    const { app } = await open({}, 'drafts')
    await press('f', { ctrlKey: true })
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search drafts' }))
    app.router.go('settings')
    await settle()
    await press('f', { ctrlKey: true })
    expect(await screen.findByRole('combobox', { name: 'Search or run a command' })).toBeTruthy()
  })

  test('Alt with arrows and the mouse’s side buttons navigate back, once per press', async () => {
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

  test('a dialog is answered before the mouse’s side buttons or the menu navigate', async () => {
    const { api } = await open({}, 'drafts')
    const moved = vi.spyOn(window.history, 'back').mockReturnValue()
    await press('k', { ctrlKey: true })
    await screen.findByRole('combobox', { name: 'Search or run a command' })
    await fireEvent.mouseUp(window, { button: 3 })
    api.control.emit('menu.chosen', { command: 'back' })
    await settle()
    expect(moved).not.toHaveBeenCalled()
    moved.mockRestore()
  })

  test('F5 and Ctrl+R refresh, and Ctrl with plus, minus and zero set the zoom', async () => {
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

  test('Ctrl+Z undoes the last action, except in text fields', async () => {
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

  test('question mark lists all shortcuts', async () => {
    await open({}, 'drafts')
    await press('?', { shiftKey: true })
    const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const words of ['Find on this screen', 'Remind', 'Select everything found', 'Zoom in']) {
      expect(within(sheet).getByText(words)).toBeTruthy()
    }
    await press('n', { ctrlKey: true })
    expect(window.location.hash).toBe('#/drafts')
  })

  test('the palette offers the screen’s actions, and says why one is unavailable', async () => {
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

  test('the current place is saved for the next start, without the search', async () => {
    const { app, api, clock } = await open({}, 'drafts')
    app.router.go('documents', ['Progress'], { search: 'Mere Tamati', document: 'doc-6' })
    await settle()
    await clock.pass(1000)
    const savedPlace = () => api.control.calls.filter(({ name }) => name === 'system.keepPlace').at(-1)?.input
    expect(savedPlace()).toEqual({ place: '#/documents/Progress?document=doc-6' })
    app.router.go('identity', ['doc-6'])
    await settle()
    await clock.pass(1000)
    expect(savedPlace()).toEqual({ place: '#/documents/all?document=doc-6' })
  })
})
