import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import Activity from '../../src/renderer/src/screens/activity/Activity.svelte'
import { startPackageFor } from '../../src/renderer/src/screens/compose/presets/start-package.ts'
import Start from '../../src/renderer/src/screens/compose/Start.svelte'
import Counter from '../../src/renderer/src/screens/counter/Counter.svelte'
import Documents from '../../src/renderer/src/screens/documents/Documents.svelte'
import Downloads from '../../src/renderer/src/screens/downloads/Downloads.svelte'
import Drafts from '../../src/renderer/src/screens/drafts/Drafts.svelte'
import Outbox from '../../src/renderer/src/screens/outbox/Outbox.svelte'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import { AllDocumentsSearch } from '../../src/renderer/src/state/document-search.svelte.ts'
import type { DocumentPage } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { appointmentOf } from './fakes/appointments.ts'
import { personOf } from './fakes/remembered.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, downloadOf, NOW, officeAccount, practiceAccount, sendOf } from './people.ts'

await loadScreens()

let opened: Opened
afterEach(() => opened?.close())

const [ours, theirs] = documents(2) as [DocumentPage, DocumentPage]
const api = () =>
  fakeApi({
    documents: [
      { ...ours, name: 'Deed of ours' },
      { ...theirs, accountId: 'harbour', name: 'Deed of theirs' }
    ],
    sends: [
      sendOf({ id: 'one', title: 'Lease of ours' }),
      sendOf({ id: 'two', accountId: 'harbour', title: 'Lease of theirs' })
    ],
    downloads: [
      downloadOf({ id: 'one' }),
      downloadOf({ id: 'two', accountId: 'harbour', documentName: 'Report of theirs' })
    ]
  })

async function withAll(): Promise<Opened> {
  opened = await openOffice(api())
  await opened.app.choose(' all')
  await settle()
  return opened
}

const rowOf = (name: string) => screen.getByText(name).closest<HTMLElement>('[role=row]') as HTMLElement

test('an offer to undo something goes when another account is shown', async () => {
  const { app } = await withAll()
  await app.choose('practice')
  app.toasts.say('Link copied.')
  app.toasts.say('Deleted “Deed”.', { label: 'Undo', run: () => undefined })
  await app.choose('harbour')
  await settle()
  expect(app.toasts.shown.map(({ text }) => text)).toEqual(['Link copied.'])
})

test('a document of another account stays open when the accounts change while that one is selected', async () => {
  opened = await openOffice(api())
  const { app, api: office } = opened
  const firstRead = office.control.hold('accounts.list')
  const choosing = app.choose('harbour').then(() => app.router.go('documents', ['all'], { document: theirs.reference }))
  await settle()
  const secondRead = office.control.hold('accounts.list')
  office.control.emit('accounts.changed', null)
  firstRead()
  await settle()
  secondRead()
  await choosing
  await settle()
  expect(window.location.hash).toBe(`#/documents/all?document=${theirs.reference}`)
})

describe('with all accounts shown', () => {
  test('someone searched for at the counter is found in every account’s documents', async () => {
    const { app, clock } = await withAll()
    const search = new AllDocumentsSearch(app.api, clock)
    search.find('deed')
    await clock.pass(300)
    expect(search.pages.map(({ name }) => name).toSorted()).toEqual(['Deed of ours', 'Deed of theirs'])
  })

  test('each document shows its account, and opens under that account', async () => {
    const { app, api } = await withAll()
    app.router.go('documents', ['all'])
    show(opened, Documents)
    await settle()
    expect(within(rowOf('Deed of ours')).getByTitle('Practice office')).toBeTruthy()
    expect(within(rowOf('Deed of theirs')).getByTitle('Harbour & Co. Conveyancing')).toBeTruthy()
    api.control.calls.length = 0
    await fireEvent.click(screen.getByText('Deed of theirs'))
    await settle()
    expect(window.location.hash).toContain('account=harbour')
    expect(app.accounts.chosen?.id).toBe('practice')
    expect(screen.getByRole('heading', { name: 'Deed of theirs' })).toBeTruthy()
  })

  test('packages and downloads show their account', async () => {
    await withAll()
    opened.app.router.go('outbox')
    show(opened, Outbox)
    await settle()
    expect(within(rowOf('Lease of theirs')).getByTitle('Harbour & Co. Conveyancing')).toBeTruthy()
    opened.app.router.go('downloads')
    show(opened, Downloads)
    await settle()
    expect(within(rowOf('Report of theirs')).getByTitle('Harbour & Co. Conveyancing')).toBeTruthy()
  })

  test('the documents of a package are those of its account', async () => {
    await withAll()
    const { state } = opened.api.control
    const sent = [{ reference: theirs.reference, name: 'Deed of theirs', hasLink: true as const }]
    state.sends = state.sends.map((one) => (one.id === 'two' ? { ...one, documents: sent } : one))
    opened.app.router.go('outbox', ['two'])
    show(opened, Outbox)
    await settle()
    const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'Deed of theirs' })
    expect(link.hash).toContain('account=harbour')
    await fireEvent.click(screen.getByRole('button', { name: 'Copy link: Deed of theirs' }))
    await settle()
    expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['Link copied.'])
  })

  test('one account’s Outbox can be paused and resumed separately', async () => {
    await withAll()
    opened.app.router.go('outbox')
    show(opened, Outbox)
    await settle()
    const press = async (name: string | RegExp) => {
      await fireEvent.click(screen.getByRole('button', { name }))
      await settle()
    }
    await fireEvent.keyDown(screen.getByRole('button', { name: 'Pause' }), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: /^Harbour/ }))
    await settle()
    expect(opened.app.outbox.pause).toBeUndefined()
    expect(opened.app.outbox.pauseOf('harbour')).toMatchObject({ by: 'person' })
    expect(opened.app.outbox.pauseOf('practice')).toBeUndefined()
    await fireEvent.keyDown(screen.getByRole('button', { name: 'Pause' }), { key: 'Enter' })
    expect((await screen.findByRole('menuitem', { name: /^Harbour/ })).getAttribute('aria-disabled')).toBe('true')
    await fireEvent.click(screen.getByRole('menuitem', { name: 'All accounts' }))
    await settle()
    expect(screen.getAllByText(/^Paused since/)).toHaveLength(1)
    await press('Resume')
    expect(screen.queryByText(/^Paused since/)).toBeNull()
    await fireEvent.keyDown(screen.getByRole('button', { name: 'Pause' }), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: /^Practice/ }))
    await settle()
    await press(/^Resume\s*Practice office/)
    expect(opened.app.outbox.view).not.toHaveProperty('paused')
  })

  test('appointments of all accounts are listed together, and a new one has an account', async () => {
    const at = NOW
    opened = await openOffice(
      fakeApi({
        appointments: [
          appointmentOf({ id: 'ours', name: 'Amy Quill', at }),
          appointmentOf({ id: 'theirs', accountId: 'harbour', name: 'Zoe Quill', at })
        ]
      })
    )
    opened.app.router.go('counter')
    show(opened, Counter)
    await settle()
    expect(screen.queryByText('Zoe Quill')).toBeNull()
    await opened.app.choose(' all')
    await settle()
    const list = within(screen.getByRole('region', { name: 'Today' })).getAllByRole('listitem')
    const today = list.filter((row) => row.textContent?.includes('Quill'))
    expect(today.map((row) => within(row).getByTitle(/Practice|Harbour/).title)).toEqual([
      'Practice office',
      'Harbour & Co. Conveyancing'
    ])
    await fireEvent.keyDown(screen.getByRole('button', { name: 'Appointments' }), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: /^Add/ }))
    await settle()
    const account = screen.getByLabelText<HTMLSelectElement>('Account')
    await fireEvent.change(account, { target: { value: 'harbour' } })
    await settle()
    await fireEvent.input(screen.getByRole('textbox', { name: /^Name/ }), { target: { value: 'Aroha Ngata' } })
    const dialog = within(screen.getByRole('dialog'))
    await fireEvent.click(dialog.getByRole('button', { name: 'Add appointment' }))
    await settle()
    expect(opened.api.control.state.appointments.at(-1)).toMatchObject({ name: 'Aroha Ngata', accountId: 'harbour' })
  })

  test('a new package begins in the account used for the last, not in the practice office', async () => {
    const accounts = [practiceAccount(), { ...officeAccount(), beginsPackages: true as const }]
    opened = await openOffice(fakeApi({ accounts }))
    const { app } = opened
    app.router.go('compose')
    render(App, { props: { app } })
    await settle()
    // Chosen alone, the practice office is meant.
    expect(app.accounts.chosen?.id).toBe('practice')
    await app.choose(' all')
    await settle()
    const account = () => screen.getByLabelText<HTMLSelectElement>('Account')
    expect(account().value).toBe('harbour')
    // Chosen here, it is meant for this package.
    await fireEvent.change(account(), { target: { value: 'practice' } })
    await settle()
    expect(account().value).toBe('practice')
    await fireEvent.click(screen.getByRole('button', { name: /^Forms/ }))
    await settle()
    const summary = within(screen.getByRole('complementary', { name: 'Summary' }))
    expect(summary.getByText('Practice office')).toBeTruthy()
    expect(summary.getByText('Nothing is really sent.')).toBeTruthy()
    app.router.go('compose')
    await settle()
    expect(account().value).toBe('harbour')
    // A person of its address book is sent a package from there; the package after that is begun as usual.
    await app.workIn('practice')
    startPackageFor(app, personOf({ FirstName: 'Mere', LastName: 'Parata', Email: 'mere@example.com' }))
    await settle()
    expect(account().value).toBe('practice')
    app.router.go('compose')
    await settle()
    expect(account().value).toBe('harbour')
  })

  test('composing shows the account and lets another be chosen', async () => {
    const { app } = await withAll()
    app.router.go('compose')
    show(opened, Start)
    await settle()
    const account = screen.getByLabelText<HTMLSelectElement>('Account')
    expect(account.value).toBe('practice')
    await fireEvent.change(account, { target: { value: 'harbour' } })
    await settle()
    expect(app.accounts.chosen?.id).toBe('harbour')
    expect(app.accounts.showsSeveral).toBe(true)
  })
})

test('an office that shows one account sees no account marks', async () => {
  opened = await openOffice(api())
  opened.app.router.go('outbox')
  show(opened, Outbox)
  show(opened, Drafts)
  show(opened, Activity)
  await settle()
  expect(screen.queryByTitle('Practice office')).toBeNull()
})

describe('the account settings', () => {
  const more = (name: RegExp) => screen.getByRole('button', { name })
  async function open(change: Parameters<typeof fakeApi>[0] = {}) {
    opened = await openOffice(fakeApi(change))
    opened.app.router.go('settings')
    show(opened, Settings)
    await settle()
  }
  const order = () => opened.api.control.state.accounts.map(({ id }) => id)
  async function choose(menu: RegExp, item: string) {
    await fireEvent.keyDown(more(menu), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: item }))
    await settle()
  }

  test('set a mark and a colour that are then shown with the account', async () => {
    await open()
    await choose(/^More for Harbour/, 'Mark and colour…')
    await fireEvent.input(screen.getByRole('textbox', { name: /^Mark/ }), { target: { value: '&' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(screen.getByText('Use one or two letters or numbers.')).toBeTruthy()
    await fireEvent.input(screen.getByRole('textbox', { name: /^Mark/ }), { target: { value: 'H1' } })
    await fireEvent.click(screen.getByRole('radio', { name: 'Pink' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await settle()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(opened.app.accounts.find('harbour')).toMatchObject({ mark: 'H1', colour: '#c2487a' })
    expect(within(screen.getByTitle('Harbour & Co. Conveyancing')).getByText('H1')).toBeTruthy()
  })

  test('refuse a mark that another account uses', async () => {
    await open()
    await choose(/^More for Harbour/, 'Mark and colour…')
    opened.api.control.state.accounts = opened.api.control.state.accounts.map((one) =>
      one.id === 'practice' ? { ...one, mark: 'X', hasOwnMark: true } : one
    )
    await fireEvent.input(screen.getByRole('textbox', { name: /^Mark/ }), { target: { value: 'X' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await settle()
    expect(screen.getByText('Another account has this mark. Choose different letters.')).toBeTruthy()
    expect(screen.getByRole('dialog')).toBeTruthy()
  })

  test('lock the colour of the practice office and of accounts managed by policy', async () => {
    const policy = { state: 'followed', place: '/etc', locked: [], accountIds: ['harbour'], problems: [] } as const
    await open({ policy: { ...policy, colouredIds: ['harbour'] } })
    await choose(/^More for Practice/, 'Mark and colour…')
    expect(screen.queryByRole('radio', { name: 'Pink' })).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await settle()
    await choose(/^More for Harbour/, 'Mark and colour…')
    expect(screen.getByRole('radio', { name: 'Pink' }).closest('fieldset[disabled]')).toBeTruthy()
  })

  test('reorder accounts by menu and by Alt with the arrows, and keep the focus', async () => {
    await open()
    await choose(/^More for Harbour/, 'Move up')
    expect(order()).toEqual(['harbour', 'practice'])
    const check = more(/^Check connection\s*of Harbour/)
    check.focus()
    await fireEvent.keyDown(check, { key: 'ArrowDown', altKey: true })
    await settle()
    expect(order()).toEqual(['practice', 'harbour'])
    expect(document.activeElement).toBe(more(/^Check connection\s*of Harbour/))
    expect(screen.getByText('“Harbour & Co. Conveyancing” is now 2 of 2.')).toBeTruthy()
    // The last account can't move further down.
    await fireEvent.keyDown(check, { key: 'ArrowDown', altKey: true })
    await settle()
    expect(order()).toEqual(['practice', 'harbour'])
  })

  test('reorder accounts by dragging, and Escape cancels', async () => {
    await open()
    const rows = () => [...document.querySelectorAll<HTMLElement>('section[aria-labelledby=accounts-title] li')]
    // jsdom has no layout: each row is 100 pixels high.
    const lay = () => {
      for (const [index, row] of rows().entries())
        row.getBoundingClientRect = () => new DOMRect(0, index * 100, 600, 100)
    }
    const drag = async (from: number, y: number) => {
      lay()
      await fireEvent.pointerDown(rows()[from]?.querySelector('.grip') as HTMLElement, { button: 0, pointerId: 1 })
      await fireEvent.pointerMove(window, { clientY: y })
    }
    await drag(1, 20)
    expect(rows()[0]?.className).toContain('before')
    await fireEvent.keyDown(window, { key: 'Escape' })
    await fireEvent.pointerUp(window)
    await settle()
    expect(order()).toEqual(['practice', 'harbour'])
    await drag(0, 190)
    expect(rows()[1]?.className).toContain('after')
    await fireEvent.pointerUp(window)
    await settle()
    expect(order()).toEqual(['harbour', 'practice'])
  })

  test('show no marks or ordering with only one account', async () => {
    await open({ accounts: [practiceAccount()] })
    expect(screen.queryByRole('button', { name: /^More for/ })).toBeNull()
    expect(screen.queryByTitle('Drag to reorder')).toBeNull()
    expect(screen.queryByTitle('Practice office')).toBeNull()
  })
})
