import { fireEvent, render, screen } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice } from './office.ts'

async function open(change: Partial<FakeState> = {}): Promise<Opened> {
  const opened = await openOffice(fakeApi({ accounts: [], ...change }))
  render(App, { props: { office: opened.office } })
  await settle()
  return opened
}

const type = (name: string | RegExp, value: string) =>
  fireEvent.input(screen.getByLabelText(name), { target: { value } })

describe('the first run', () => {
  test('one click opens the practice office, and composing can begin', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Open the practice office/ }))
    await screen.findByRole('heading', { name: 'What do you want to send?' })
    expect(api.control.calls.find((call) => call.name === 'accounts.add')?.input).toEqual({
      kind: 'practice',
      name: 'Practice office'
    })
    expect(screen.getByRole('button', { name: /Practice office/ }).textContent).toContain('Practice')
  })

  test('an account of the office is connected, checked, and the result said plainly', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await type('Name', 'Harbour & Co.')
    await type('Address of the service', 'https://signing.example.com/Web/v1.4')
    await type('API key', 'key-1')
    await type('Secret', 'made-up')
    await type('Registered access URL', 'https://harbour.example.com')
    await type(/^Send on behalf of/, 'grace@example.org')
    await fireEvent.click(screen.getByRole('button', { name: 'Connect and check' }))
    await screen.findByText(/It works: the service answered/)
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

  test('what is missing is said at its field, and the first of it has the focus', async () => {
    const { api } = await open()
    await fireEvent.click(screen.getByRole('button', { name: /Connect your office/ }))
    await fireEvent.click(screen.getByRole('button', { name: 'Connect and check' }))
    expect(document.activeElement).toBe(screen.getByLabelText('Name'))
    expect(screen.getByText(/Enter the secret/)).toBeTruthy()
    expect(api.control.calls.some((call) => call.name === 'accounts.add')).toBe(false)
  })

  test('without a keychain it says so and what it means, and goes on', async () => {
    await open({
      system: {
        version: '0.1.0',
        platform: 'linux',
        keychain: { state: 'unavailable', reason: 'missing' },
        storage: { state: 'memory', reason: 'no-keychain' }
      }
    })
    expect(screen.getByRole('status').textContent).toMatch(/No keychain answers on this computer\..*memory only/)
    expect(screen.getByRole('button', { name: /Open the practice office/ })).toBeTruthy()
  })

  test('a practice office that cannot be opened is said, with the way still open', async () => {
    const { api } = await open()
    api.control.fail('accounts.add', { code: 'internal', message: 'No port was free.' })
    await fireEvent.click(screen.getByRole('button', { name: /Open the practice office/ }))
    await screen.findByText("The practice office couldn't be opened.")
    api.control.heal('accounts.add')
    await fireEvent.click(screen.getByRole('button', { name: /Open the practice office/ }))
    await screen.findByRole('heading', { name: 'What do you want to send?' })
  })
})
