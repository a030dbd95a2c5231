import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened?.close())

async function open() {
  opened = await openOffice(fakeApi())
  opened.app.router.go('settings')
  show(opened, Settings)
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

test('each enrolment file gets its own code, which must be noted before saving', async () => {
  await open()
  const codes: string[] = []
  for (let time = 0; time < 2; time++) {
    await fireEvent.keyDown(screen.getByRole('button', { name: /^More for Harbour/ }), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Prepare for other computers…' }))
    await settle()
    await press('Save file…')
    expect(screen.getByText('Note the code first. It can’t be shown again.')).toBeTruthy()
    await fireEvent.click(screen.getByRole('checkbox', { name: /I’ve noted the code/ }))
    await press('Save file…')
    expect(screen.queryByRole('dialog')).toBeNull()
    const [code = ''] = calls('enrolment.prepare')
      .flatMap(({ input }) => (input as { code: string }).code)
      .slice(-1)
    codes.push(code)
    expect(document.body.textContent).not.toContain(code.slice(0, 5))
  }
  expect(codes[0]).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
  expect(codes[0]).not.toBe(codes[1])
})

test('the practice office and enrolled accounts can’t be prepared', async () => {
  await open()
  opened.api.control.state.accounts = opened.api.control.state.accounts.map((one) => ({ ...one, isEnrolled: true }))
  opened.api.control.emit('accounts.changed', null)
  await settle()
  for (const name of [/^More for Harbour/, /^More for Practice/]) {
    await fireEvent.keyDown(screen.getByRole('button', { name }), { key: 'Enter' })
    await screen.findByRole('menuitem', { name: 'Mark and colour…' })
    expect(screen.queryByRole('menuitem', { name: 'Prepare for other computers…' })).toBeNull()
    await fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' })
    await settle()
  }
  expect(screen.getAllByText('Connected with an enrolment file')).toHaveLength(2)
})

test('an account is connected with its file and code, and a wrong code is reported at its field', async () => {
  await open()
  await press('Connect with an enrolment file…')
  await press('Connect')
  expect(screen.getByText('Enter the code.')).toBeTruthy()
  const field = screen.getByRole('textbox', { name: 'Code' })
  await fireEvent.input(field, { target: { value: 'WRONG' } })
  await press('Connect')
  expect(screen.getByText('This isn’t the code of this file.')).toBeTruthy()
  await fireEvent.input(field, { target: { value: 'ABCDE-FGHJK-MNPQR-STVWX' } })
  await press('Connect')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(opened.app.accounts.chosen?.name).toBe('Enrolled')
  expect(document.body.innerHTML).not.toContain('ABCDE')
})

test('a file that can’t be used is reported, and cancelling closes a chosen file', async () => {
  await open()
  const message = 'This isn’t a complete enrolment file.'
  opened.api.control.fail('enrolment.choose', { code: 'bad-file', message })
  await press('Connect with an enrolment file…')
  expect(screen.getByText(message)).toBeTruthy()
  opened.api.control.heal('enrolment.choose')
  await press('Connect with an enrolment file…')
  await press('Cancel')
  expect(calls('enrolment.close')).toHaveLength(1)
})
