/** Signing in by OAuth 2: the application opens the system's browser, which this test emulates over real HTTP. */
import { openPracticeOffice } from '../../src/practice/office.ts'
import { expect, test } from './office.ts'

test('a person signs in with the browser, and removing the account revokes the sign-in', async ({ open }) => {
  const office = await openPracticeOffice({ data: 'empty', auth: { scheme: 'oauth', clientId: 'harbour' } })
  try {
    const clerk = await open()
    const { app, window, button } = clerk
    await button(/Connect your office/).click()
    await window.getByLabel('Name', { exact: true }).fill('Harbour Law')
    await window.getByLabel('Service address').fill(office.url)
    await window.getByRole('radio', { name: /^OAuth 2/ }).check()
    await window.getByLabel('Client ID').fill('harbour')
    await window.getByLabel('Sign-in service').fill(office.url)
    await button('Sign in…').click()
    await expect(window.getByText('Continue in your browser.')).toBeVisible()
    await expect.poll(app.openedExternally).toHaveLength(1)
    const [address = ''] = await app.openedExternally()
    const body = new URLSearchParams({ answer: 'allow' })
    const allowed = await fetch(address, { method: 'POST', redirect: 'manual', body })
    const returned = await fetch(allowed.headers.get('location') ?? '')
    expect(await returned.text()).toContain('You can close this page and return to Countersign.')
    await expect(window.getByText(/^Connected\./)).toBeVisible()
    expect(office.service.signIn?.renewable()).toBe(1)
    await button('Remove Harbour Law').click()
    await button('Remove account').click()
    await expect(button(/Connect your office/)).toBeVisible()
    expect(office.service.signIn?.renewable()).toBe(0)
    expect(app.logs()).not.toContain(new URL(allowed.headers.get('location') ?? '').searchParams.get('code'))
  } finally {
    await office.close()
  }
})
