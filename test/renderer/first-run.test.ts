import { fireEvent, render, screen } from '@testing-library/svelte'
import { beforeAll, describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import LockedPage from '../../src/renderer/src/screens/first-run/LockedPage.svelte'
import type { AccountFailure } from '../../src/renderer/src/state/accounts.svelte.ts'
import type { ErrorCode } from '../../src/shared/contract/errors.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice } from './office.ts'

beforeAll(loadScreens)

async function open(change: Partial<FakeState> = {}): Promise<Opened> {
  const opened = await openOffice(fakeApi({ accounts: [], ...change }))
  render(App, { props: { app: opened.app } })
  await settle()
  return opened
}

const type = (name: string | RegExp, value: string) =>
  fireEvent.input(screen.getByLabelText(name), { target: { value } })

describe('the first run', () => {
  test('opens the practice office with one click, on the Today screen', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Open the practice office/ }))
    await screen.findByRole('heading', { name: 'Today', level: 1 })
    expect(api.control.calls.find((call) => call.name === 'accounts.add')?.input).toEqual({
      kind: 'practice',
      name: 'Practice office'
    })
    expect(screen.getByRole('button', { name: /Practice office/ }).textContent).toContain('Practice')
  })

  test('focuses the recommended choice', async () => {
    await open()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: /Open the practice office/ }))
  })

  test('connects and checks an account, and shows the result', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await type('Name', 'Harbour & Co.')
    await type('Service address', 'https://signing.example.com/Web/v1.4')
    await type('API key', 'key-1')
    await type('Secret', 'made-up')
    await type('Registered access URL', 'https://harbour.example.com')
    await type(/^Send on behalf of/, 'grace@example.org')
    await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
    await screen.findByText(/^Connected\. \d+ documents? found/)
    expect(screen.getByRole('link', { name: 'set up the counter' }).getAttribute('href')).toBe('#/settings/counter')
    expect(screen.getByRole('button', { name: 'Go to Today' })).toBeTruthy()
    expect(api.control.calls.find((call) => call.name === 'accounts.add')?.input).toEqual({
      kind: 'service',
      name: 'Harbour & Co.',
      baseUrl: 'https://signing.example.com/Web/v1.4',
      authentication: {
        scheme: 'api-key',
        key: 'key-1',
        secret: 'made-up',
        referer: 'https://harbour.example.com',
        sender: 'grace@example.org'
      }
    })
  })

  test('adds no account if the form is left while it is checked', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await type('Name', 'Harbour')
    await type('Service address', 'https://signing.example.com')
    await fireEvent.click(screen.getByRole('radio', { name: /^None/ }))
    const answer = api.control.hold('accounts.try')
    await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Back' }))
    answer()
    await settle()
    expect(api.control.calls.map(({ name }) => name)).not.toContain('accounts.add')
    expect(screen.getByRole('heading', { name: 'Welcome to Countersign' })).toBeTruthy()
  })

  test('accepts an address without https://', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await type('Name', 'Harbour')
    await type('Service address', ' signing.example.com/web/v1.4 ')
    await fireEvent.click(screen.getByRole('radio', { name: /^None/ }))
    await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
    await screen.findByText(/^Connected\./)
    const added = api.control.calls.find((call) => call.name === 'accounts.add')
    expect(added?.input).toMatchObject({ baseUrl: 'https://signing.example.com/web/v1.4' })
  })

  test('reports missing values at their fields, and focuses the first', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
    expect(document.activeElement).toBe(screen.getByLabelText('Name'))
    expect(screen.getByText(/Enter the secret/)).toBeTruthy()
    expect(api.control.calls.some((call) => call.name === 'accounts.add')).toBe(false)
  })

  test('lists the sign-in details that the organisation requires', async () => {
    const { api, app } = await open()
    expect(screen.getByText(/address of the signing service and a key, token or password\.$/)).toBeTruthy()
    api.control.state.policy = { ...api.control.state.policy, state: 'followed', signInMethods: ['basic'] }
    api.control.emit('settings.changed', null)
    await screen.findByText(/address of the signing service, a user name and a password\.$/)
    expect(app.accounts.list).toEqual([])
  })

  test('warns that nothing is kept without a keychain, and continues', async () => {
    await open({
      system: {
        version: '0.1.0',
        platform: 'linux',
        keychain: { state: 'unavailable', reason: 'missing' },
        storage: { state: 'memory', reason: 'no-keychain', hasData: false },
        troubles: []
      }
    })
    expect(screen.getByRole('status').textContent).toMatch(
      /This computer has no working keychain\..*only until you close/
    )
    expect(screen.getByRole('button', { name: /Open the practice office/ })).toBeTruthy()
  })

  test('reports that the practice office couldn’t be opened, and can be retried', async () => {
    const { api } = await open()
    api.control.fail('accounts.add', { code: 'internal', message: 'No port was free.' })
    await fireEvent.click(screen.getByRole('button', { name: /Open the practice office/ }))
    await screen.findByText('The practice office couldn’t be opened.')
    api.control.heal('accounts.add')
    await fireEvent.click(screen.getByRole('button', { name: /Open the practice office/ }))
    await screen.findByRole('heading', { name: 'Today', level: 1 })
  })

  test('reports data that was set aside', async () => {
    await open({
      system: {
        version: '0.1.0',
        platform: 'linux',
        keychain: { state: 'available' },
        storage: { state: 'memory', reason: 'no-space', hasData: false },
        troubles: [{ kind: 'set-aside', store: 'database', name: 'office.set-aside', reason: 'unreadable', at: 0 }]
      }
    })
    expect(screen.getByText(/kept as “office\.set-aside”/)).toBeTruthy()
    expect(screen.getByText(/^The disk is full\./)).toBeTruthy()
  })

  const locked = (reason: 'keychain-locked' | 'key-missing') => ({
    system: {
      version: '0.1.0',
      platform: 'linux',
      keychain: { state: 'unavailable', reason: 'locked' } as const,
      storage: { state: 'memory', reason, hasData: true } as const,
      troubles: []
    }
  })

  test('offers a retry, or to continue without saving, when existing data is locked', async () => {
    const { api } = await open(locked('keychain-locked'))
    expect(screen.getByText('Your data is here, but it’s locked.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Open the practice office/ })).toBeNull()
    expect(screen.queryByRole('button', { name: /Start with an empty database/ })).toBeNull()
    api.control.fail('storage.tryAgain', { code: 'keychain', message: 'The keychain is still locked.' })
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByText('Your data still can’t be opened.')
    await fireEvent.click(screen.getByRole('button', { name: 'Continue without saving for now' }))
    expect(screen.getByRole('button', { name: /Open the practice office/ })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
  })

  test('doesn’t ask again after continuing without saving', async () => {
    const { system } = locked('keychain-locked')
    await open({ system: { ...system, storage: { ...system.storage, isWithout: true } } })
    expect(screen.getByRole('button', { name: /Open the practice office/ })).toBeTruthy()
    expect(screen.getByText(/kept only until you close Countersign/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Continue without saving for now' })).toBeNull()
  })

  test('opens the data with the recovery key while the keychain is unavailable', async () => {
    const api = fakeApi()
    const page = render(LockedPage, { props: { api, keychain: 'missing' } })
    expect(screen.getByText(/^This computer has no working keychain/)).toBeTruthy()
    const open = screen.getByRole('button', { name: 'Open my data' })
    expect(open.getAttribute('aria-disabled')).toBe('true')
    const message = 'Group 2 isn’t right. Compare it with the printed key.'
    api.control.fail('storage.recover', { code: 'invalid', message, fields: [{ field: 'key', message }] })
    await type('Recovery key', '0123')
    await fireEvent.click(open)
    await screen.findByText(message)
    api.control.fail('storage.tryAgain', { code: 'keychain', message: 'The keychain is still locked.' })
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByText('The keychain is still locked.')
    expect(screen.queryByText(message)).toBeNull()
    api.control.heal('storage.recover')
    await fireEvent.click(open)
    await settle()
    expect(api.control.calls.filter(({ name }) => name === 'storage.recover').at(-1)?.input).toEqual({ key: '0123' })
    // The application is about to replace this page.
    for (const button of screen.getAllByRole('button')) expect(button.getAttribute('aria-busy')).toBe('true')
    page.unmount()
  })

  test('warns, after opening with the recovery key, that the keychain can’t be used yet', async () => {
    const { api } = await open({
      system: {
        version: '0.1.0',
        platform: 'linux',
        keychain: { state: 'unavailable', reason: 'locked' },
        storage: { state: 'encrypted', isByRecoveryKey: true },
        troubles: []
      }
    })
    expect(screen.queryByText(/only until you close Countersign/)).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: /Open the practice office/ }))
    await screen.findByText('Opened with the recovery key: the keychain can’t be used yet.')
    api.control.fail('storage.lookForKeychain', { code: 'keychain', message: 'The keychain is still locked.' })
    await fireEvent.click(screen.getByRole('button', { name: 'Check again' }))
    await screen.findByText(/The keychain is still locked/)
  })

  test('starts with an empty database only after confirmation if the key is lost', async () => {
    const { api } = await open(locked('key-missing'))
    const hasStartedEmpty = () => api.control.calls.some(({ name }) => name === 'storage.startEmpty')
    await fireEvent.click(screen.getByRole('button', { name: 'Start with an empty database…' }))
    await screen.findByRole('dialog', { name: 'Start with an empty database?' })
    expect(hasStartedEmpty()).toBe(false)
    await fireEvent.click(screen.getByRole('button', { name: 'Start with an empty database' }))
    expect(hasStartedEmpty()).toBe(true)
  })
})

describe('an account that fails its check', () => {
  async function connect(code: ErrorCode = 'refused') {
    const opened = await open()
    opened.api.control.fail('accounts.try', { code, message: 'Nobody there.' })
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await type('Name', 'Harbour')
    await type('Service address', 'https://signing.example.com:9/v1.4')
    await fireEvent.click(screen.getByRole('radio', { name: /^Bearer token/ }))
    await type('Token', 'made-up')
    await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
    await screen.findByText(/Nobody there\./, { ignore: 'pre' })
    return opened
  }

  test('keeps the typed values and adds nothing', async () => {
    const { api } = await connect()
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Harbour')
    expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('made-up')
    expect(api.control.state.accounts).toEqual([])
  })

  test('can be corrected and tried again, and is added once', async () => {
    const { api } = await connect()
    await type('Service address', 'https://signing.example.com/v1.4')
    api.control.heal('accounts.try')
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByText(/^Connected\./)
    expect(api.control.state.accounts.map((one) => one.baseUrl)).toEqual(['https://signing.example.com/v1.4'])
  })

  test('can be saved anyway', async () => {
    const { api } = await connect()
    await fireEvent.click(screen.getByRole('button', { name: 'Save anyway' }))
    await screen.findByRole('heading', { name: 'Settings' })
    expect(api.control.state.accounts.map((one) => one.name)).toEqual(['Harbour'])
  })

  test.each(['invalid', 'keychain'] as const)('can’t be saved if the service was never contacted: %s', async (code) => {
    await connect(code)
    expect(screen.queryByRole('button', { name: 'Save anyway' })).toBeNull()
  })

  test('doesn’t mention the Outbox before there is one', async () => {
    await connect('offline')
    expect(screen.getByText('Try again when you’re back online.')).toBeTruthy()
    expect(screen.queryByText(/Outbox/, { selector: 'main *' })).toBeNull()
  })

  test('because of one field shows the error there, focuses it, and clears it on correction', async () => {
    const opened = await open()
    const message = 'Leave out everything from “?” or “#”.'
    opened.api.control.fail('accounts.try', {
      code: 'invalid',
      message,
      fields: [{ field: 'baseUrl', message }]
    })
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await type('Name', 'Harbour')
    await type('Service address', 'https://signing.example.com/#x')
    await fireEvent.click(screen.getByRole('radio', { name: /^None/ }))
    await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
    expect(await screen.findAllByText(message)).toHaveLength(1)
    expect(screen.queryByRole('alert')).toBeNull()
    expect(screen.getByRole('button', { name: 'Connect' })).toBeTruthy()
    await settle()
    expect(document.activeElement).toBe(screen.getByLabelText('Service address'))
    await type('Service address', 'https://signing.example.com')
    expect(screen.queryByText(message)).toBeNull()
  })

  test('leaves the chosen account selected', async () => {
    const opened = await openOffice(fakeApi())
    opened.api.control.fail('accounts.try', { code: 'unauthorised', message: 'No.' })
    const { error } = (await opened.app.accounts.addIfItWorks(
      {
        kind: 'service',
        name: 'Harbour',
        baseUrl: 'https://signing.example.com',
        authentication: { scheme: 'none' }
      },
      () => true
    )) as AccountFailure
    expect(error.code).toBe('unauthorised')
    expect(opened.app.accounts.list.map((one) => [one.id, one.chosen])).toEqual([
      ['practice', true],
      ['harbour', false]
    ])
  })
})

test('a slow removal of an account is reported by its name, and leaves the question about another open', async () => {
  const opened = await openOffice(fakeApi())
  render(App, { props: { app: opened.app } })
  opened.app.router.go('settings')
  const answer = opened.api.control.hold('accounts.remove')
  await fireEvent.click(await screen.findByRole('button', { name: /^Remove\s*Harbour/ }))
  await fireEvent.click(screen.getByRole('button', { name: 'Remove account' }))
  await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await fireEvent.click(screen.getByRole('button', { name: /^Remove\s*Practice office/ }))
  answer()
  await settle()
  expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/^“Harbour.*” was removed\.$/)
  expect(screen.getByRole('dialog', { name: 'Remove “Practice office”?' })).toBeTruthy()
})

describe('editing an account', () => {
  async function edit() {
    const opened = await openOffice(fakeApi())
    render(App, { props: { app: opened.app } })
    opened.app.router.go('settings')
    await fireEvent.click(await screen.findByRole('button', { name: /^Edit…\s*Harbour/ }))
    await screen.findByRole('dialog')
    return opened
  }
  const updates = (opened: Opened) =>
    opened.api.control.calls.filter((call) => call.name === 'accounts.update').map((call) => call.input)

  test('keeps its secrets if none are entered', async () => {
    const opened = await edit()
    await type('Name', 'Harbour Law')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    expect(updates(opened)).toEqual([
      { id: 'harbour', name: 'Harbour Law', baseUrl: 'https://signing.example.com/web/v1.4' }
    ])
  })

  test('changes nothing if it is cancelled while the change is checked', async () => {
    const opened = await edit()
    await type('Name', 'Harbour Law')
    const answer = opened.api.control.hold('accounts.try')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    opened.app.router.go('drafts')
    answer()
    await settle()
    expect(updates(opened)).toEqual([])
    expect(window.location.hash).toBe('#/drafts')
  })

  test('stays where someone went while a change was being stored', async () => {
    const opened = await edit()
    await type('Name', 'Harbour Law')
    const answer = opened.api.control.hold('accounts.update')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await settle()
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    opened.app.router.go('drafts')
    answer()
    await settle()
    expect(updates(opened)).toHaveLength(1)
    expect(window.location.hash).toBe('#/drafts')
  })

  test('checks the account again after each change', async () => {
    const opened = await edit()
    const saveAs = async (name: string) => {
      await type('Name', name)
      await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
      await screen.findByText(/^Connected\./)
      await settle()
    }
    await saveAs('Harbour Law')
    await fireEvent.click(screen.getByRole('button', { name: /^Edit…\s*Harbour/ }))
    await saveAs('Harbour & Co.')
    expect(opened.api.control.calls.filter(({ name }) => name === 'accounts.check')).toHaveLength(2)
  })

  test('takes folders separated by lines or commas, in order and without duplicates', async () => {
    const opened = await edit()
    const folders = screen.getByRole('textbox', { name: 'Folders' })
    await fireEvent.input(folders, { target: { value: 'Signed, InBox\n\n inbox ' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    expect(screen.getByText('“inbox” is listed twice.')).toBeTruthy()
    expect(document.activeElement).toBe(folders)
    expect(updates(opened)).toEqual([])
    await fireEvent.input(folders, { target: { value: 'Signed, InBox\nNot yet begun' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    expect(updates(opened)).toMatchObject([{ folders: ['Signed', 'InBox', 'Not yet begun'] }])
  })

  test('can change the spelling of data types', async () => {
    const opened = await edit()
    const spelling = screen.getByRole('combobox', { name: 'Data type spelling', hidden: true })
    expect((spelling as HTMLSelectElement).value).toBe('lower-then-upper')
    await fireEvent.change(spelling, { target: { value: 'upper' } })
    expect(screen.getByText('upper case only')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    expect(updates(opened)).toMatchObject([{ id: 'harbour', dataTypeSpelling: 'upper' }])
  })

  test('keeps the key if only another part of the sign-in is changed', async () => {
    const opened = await edit()
    await type('Registered access URL', 'https://harbour.example.com/new')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    expect(updates(opened)).toMatchObject([
      { authentication: { scheme: 'api-key', referer: 'https://harbour.example.com/new' } }
    ])
  })

  test('requires a complete new key', async () => {
    const opened = await edit()
    await type('API key', 'key-2')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    expect(screen.getByText(/Enter the secret/)).toBeTruthy()
    expect(updates(opened)).toEqual([])
  })

  test('can switch to a bearer token', async () => {
    const opened = await edit()
    await fireEvent.click(screen.getByRole('radio', { name: /^Bearer token/ }))
    await type('Token', 'made-up')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    expect(updates(opened)).toMatchObject([{ authentication: { scheme: 'bearer', token: 'made-up' } }])
  })

  test('can add an API key to a token, and requires all of it', async () => {
    const opened = await edit()
    await fireEvent.click(screen.getByRole('radio', { name: /^Bearer token/ }))
    await type('Token', 'made-up')
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Send an API key as well' }))
    await type('API key', 'key-2')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    expect(screen.getByText(/Enter the secret/)).toBeTruthy()
    await type('Secret', 'made-up-secret')
    await type('Registered access URL', 'https://harbour.example.com/')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    const apiKey = { key: 'key-2', secret: 'made-up-secret', referer: 'https://harbour.example.com/' }
    expect(updates(opened)).toMatchObject([{ authentication: { scheme: 'bearer', token: 'made-up', apiKey } }])
  })

  test('can switch to a user name and password', async () => {
    const opened = await edit()
    await fireEvent.click(screen.getByRole('radio', { name: /^Password/ }))
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    expect(screen.getByText('Enter the user name.')).toBeTruthy()
    await type('User name', 'office')
    await type('Password', ' made up ')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    expect(updates(opened)).toMatchObject([
      { authentication: { scheme: 'basic', user: 'office', password: ' made up ' } }
    ])
  })

  test('can switch to custom headers, each with a name and a value', async () => {
    const opened = await edit()
    await fireEvent.click(screen.getByRole('radio', { name: /^Headers/ }))
    await type('Header 1', 'X-Gateway-Key')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    expect(screen.getByText('Each header needs a name and a value.')).toBeTruthy()
    await type('Value 1', 'made-up')
    await fireEvent.click(screen.getByRole('button', { name: 'Add a header' }))
    await type('Header 2', 'X-Branch')
    await type('Value 2', '7')
    await fireEvent.click(screen.getByRole('button', { name: 'Check and save' }))
    await screen.findByText(/^Connected\./)
    const headers = [
      { name: 'X-Gateway-Key', value: 'made-up' },
      { name: 'X-Branch', value: '7' }
    ]
    expect(updates(opened)).toMatchObject([{ authentication: { scheme: 'headers', headers } }])
  })
})

describe('update signals from other software', () => {
  test('are accepted when switched on, at an address that can be copied', async () => {
    const opened = await openOffice(fakeApi())
    render(App, { props: { app: opened.app } })
    opened.app.router.go('settings')
    const listen = await screen.findByRole('checkbox', { name: 'Accept update signals on this computer' })
    await fireEvent.click(listen)
    const address = await screen.findByText(/^http:\/\/127\.0\.0\.1:/)
    await fireEvent.click(screen.getByRole('button', { name: 'Copy address' }))
    expect(opened.api.control.calls.find(({ name }) => name === 'system.copy')?.input).toEqual({
      text: address.textContent
    })
    await fireEvent.click(listen)
    await expect.poll(() => screen.queryByText(/^http:\/\/127/)).toBeNull()
  })
})
