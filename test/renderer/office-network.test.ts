/**
 * The office's network on the screens: a proxy that requires a sign-in, a client certificate, the certificate authority
 * of the service.
 */
import { fireEvent, render, screen } from '@testing-library/svelte'
import { beforeAll, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import type { ProxyView } from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice } from './office.ts'
import { officeAccount } from './people.ts'

beforeAll(loadScreens)

async function open(change: Partial<FakeState> = {}, prepare: (api: Opened['api']) => void = () => undefined) {
  const api = fakeApi(change)
  prepare(api)
  const opened = await openOffice(api)
  render(App, { props: { app: opened.app } })
  await settle()
  return opened
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const type = (name: string | RegExp, value: string) =>
  fireEvent.input(screen.getByLabelText(name), { target: { value } })

test('a proxy that requires a sign-in is reported on every screen, and can be signed in to', async () => {
  let waiting: ProxyView | null = { proxy: 'proxy.office.example:8080', wasRefused: false }
  const { api } = await open({}, (fake) => {
    fake.system.proxy = async () => ({ ok: true, value: waiting })
  })
  const setProxy = async (next: ProxyView | null) => {
    waiting = next
    api.control.emit('proxy.changed', null)
    await settle()
  }
  expect(screen.getByRole('alert').textContent).toContain('Your network’s proxy needs you to sign in.')
  await press('Sign in…')
  await screen.findByText(/through proxy\.office\.example:8080/)
  await type('User name', 'grace')
  await type('Password', 'wrong')
  await press('Sign in')
  await settle()
  const calls = api.control.calls.filter(({ name }) => name === 'system.signInToProxy')
  expect(calls.map(({ input }) => input)).toEqual([{ user: 'grace', password: 'wrong' }])
  expect(screen.queryByLabelText('Password')).toBeNull()

  await setProxy({ proxy: 'proxy.office.example:8080', wasRefused: true })
  expect(screen.getByRole('alert').textContent).toContain('didn’t accept the user name and password')
  await setProxy(null)
  expect(screen.queryByRole('button', { name: 'Sign in…' })).toBeNull()
})

test('a client certificate is chosen from those the service accepts, and saved with the account', async () => {
  const grace = { fingerprint: 'sha256/a', subject: 'Grace', issuer: 'Harbour Law Root', validTo: Date.UTC(2027, 4, 3) }
  const { api } = await open({ accounts: [] }, (fake) => {
    fake.accounts.certificates = async () => ({ ok: true, value: [grace] })
  })
  await press(/Connect your office/)
  await type('Name', 'Harbour')
  await type('Service address', 'sign.example.com')
  await fireEvent.click(screen.getByRole('radio', { name: /^None/ }))
  await press('Look for certificates')
  await settle()
  const choice = screen.getByLabelText('Certificate')
  expect(choice.textContent).toContain('Grace – issued by Harbour Law Root, valid until')
  await fireEvent.change(choice, { target: { value: 'sha256/a' } })
  await press('Connect')
  await settle()
  const { validTo: _, ...certificate } = grace
  for (const name of ['accounts.try', 'accounts.add']) {
    expect(api.control.calls.find((call) => call.name === name)?.input).toMatchObject({ certificate })
  }
})

test('an account’s client certificate can be removed', async () => {
  const certificate = { subject: 'Grace', issuer: 'Harbour Law Root' }
  const { api, app } = await open({ accounts: [{ ...officeAccount(), chosen: true, certificate }] })
  app.router.go('settings')
  await settle()
  await press(/^Edit…/)
  await press('Stop showing it')
  await press('Check and save')
  await settle()
  expect(api.control.calls.find(({ name }) => name === 'accounts.update')?.input).toMatchObject({ certificate: null })
})

test('checking the connection names the organisation’s certificate authority', async () => {
  const { app } = await open({ accounts: [{ ...officeAccount(), chosen: true }] }, (fake) => {
    const vouchedBy = { name: 'Harbour Law Root', validTo: Date.UTC(2027, 4, 3) }
    fake.accounts.check = async () => ({
      ok: true,
      value: { folders: [{ name: 'InBox', documents: 3 }], may: {}, vouchedBy }
    })
  })
  app.router.go('settings')
  await settle()
  await press(/^Check connection/)
  await settle()
  expect(screen.getByText(/certificate authority “Harbour Law Root” vouches/).textContent).toContain('3 May 2027')
})
