import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { officeAccount } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open(account: Partial<ReturnType<typeof officeAccount>> = {}) {
  opened = await openOffice(fakeApi({ accounts: [{ ...officeAccount(), chosen: true, ...account }] }))
  opened.app.router.go('settings')
  show(opened, Settings)
  await settle()
  return opened.api
}
const type = (name: string | RegExp, value: string) =>
  fireEvent.input(screen.getByLabelText(name), { target: { value } })
const press = async (name: string | RegExp) => {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const inputsOf = (name: string) =>
  opened.api.control.calls.filter((call) => call.name === name).map(({ input }) => input)

async function fillIn() {
  await press('Connect an account')
  await fireEvent.click(screen.getByRole('radio', { name: /^OAuth 2/ }))
  await type('Name', 'Harbour')
  await type('Service address', 'https://signing.example.com/v1.4')
}

test('signing in comes first, then the account is checked and added with that sign-in', async () => {
  const api = await open()
  await fillIn()
  await press('Sign in…')
  expect(screen.getByText('Enter the client ID.')).toBeTruthy()
  await type('Client ID', 'harbour')
  await type('Sign-in service', 'login.example.com')
  api.control.fail('accounts.try', { code: 'refused', message: 'Nobody there.' })
  await press('Sign in…')
  const authentication = {
    scheme: 'oauth',
    grant: 'code',
    clientId: 'harbour',
    issuer: 'https://login.example.com',
    signIn: 'sign-in-1'
  }
  expect(inputsOf('accounts.try')).toEqual([{ baseUrl: 'https://signing.example.com/v1.4', authentication }])
  api.control.heal('accounts.try')
  await press('Try again')
  expect(inputsOf('accounts.add')).toMatchObject([{ authentication }])
  // The service failed, not the sign-in, so no second sign-in is needed.
  expect(inputsOf('accounts.signIn')).toHaveLength(1)
})

test('changing the client requires signing in again', async () => {
  const api = await open()
  await fillIn()
  await type('Client ID', 'harbour')
  await type('Sign-in service', 'https://login.example.com')
  api.control.fail('accounts.try', { code: 'refused', message: 'Nobody there.' })
  await press('Sign in…')
  await type('Client ID', 'another')
  await press('Try again')
  expect(inputsOf('accounts.signIn')).toHaveLength(2)
})

test('an API key or a scope entered for an existing sign-in is never left out in silence', async () => {
  await open({ scheme: 'oauth', hasSecret: true })
  await press(/^Edit/)
  await type(/^Scope/, 'packages')
  await press(/^(Check and save|Sign in…)$/)
  expect(screen.getByText('Enter the client ID.')).toBeTruthy()
  await type(/^Scope/, '')
  await fireEvent.click(screen.getByRole('checkbox', { name: /^Send an API key as well/ }))
  await type('API key', 'key-1')
  await type('Secret', 'secret-1')
  await type('Registered access URL', 'https://office.example.com')
  await press(/^(Check and save|Sign in…)$/)
  expect(screen.getByText('Enter the client ID.')).toBeTruthy()
  expect(inputsOf('accounts.update')).toEqual([])
})

test('a failed sign-in is reported, and the service isn’t contacted', async () => {
  const api = await open()
  await fillIn()
  await type('Client ID', 'harbour')
  await type('Sign-in service', 'https://login.example.com')
  api.control.fail('accounts.signIn', { code: 'unauthorised', message: 'The sign-in was declined.' })
  await press('Sign in…')
  expect(screen.getByRole('alert').textContent).toContain('The sign-in was declined.')
  expect(inputsOf('accounts.try')).toEqual([])
})

test('client credentials need a secret but no browser, and addresses can be entered', async () => {
  await open()
  await fillIn()
  await fireEvent.click(screen.getByRole('radio', { name: /Client credentials/ }))
  await fireEvent.click(screen.getByRole('checkbox', { name: /Enter each address/ }))
  await type('Client ID', 'harbour')
  await press('Connect')
  expect(screen.getByText('Enter the client secret.')).toBeTruthy()
  expect(screen.getByText('Enter the address for tokens.')).toBeTruthy()
  await type('Client secret', 'made-up')
  await type('Token address', 'https://login.example.com/token')
  await press('Connect')
  expect(inputsOf('accounts.add')).toMatchObject([
    {
      authentication: {
        scheme: 'oauth',
        grant: 'client',
        clientId: 'harbour',
        secret: 'made-up',
        tokenUrl: 'https://login.example.com/token'
      }
    }
  ])
  expect(inputsOf('accounts.signIn')).toEqual([])
})

test('an account whose sign-in has expired says so, and can sign in again', async () => {
  await open({ scheme: 'oauth', waitsForSignIn: true })
  expect(screen.getByText('This account’s sign-in is no longer valid.')).toBeTruthy()
  await press(/^Sign in again/)
  expect(inputsOf('accounts.signInAgain')).toEqual([{ id: 'harbour' }])
  expect(screen.queryByText('This account’s sign-in is no longer valid.')).toBeNull()
})

test('the practice office is added once, however often it is pressed', async () => {
  const api = await open()
  const answer = api.control.hold('accounts.add')
  await press('Add practice office')
  await press('Add practice office')
  answer()
  await settle()
  expect(inputsOf('accounts.add')).toHaveLength(1)
})

test('removing an account whose sign-in couldn’t be revoked says so', async () => {
  const api = await open({ scheme: 'oauth' })
  api.accounts.remove = async () => ({ ok: true, value: { signIn: 'still valid' } })
  await press(/^Remove ?Harbour/)
  await press('Remove account')
  expect(screen.getByRole('dialog').textContent).toContain('may stay valid there')
})
