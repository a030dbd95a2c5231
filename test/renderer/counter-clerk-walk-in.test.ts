import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import { blankComposition } from '../../src/shared/composition/composition.ts'
import type { PresetView } from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

/** Returns a package of one form that can be sent as it is, not yet set to be signed in this application. */
function preset(): PresetView {
  const composition = blankComposition('form-direct', 'a')
  const [item] = composition.items
  const signer = item?.signers[0]
  if (item) Object.assign(item, { Name: 'Tax declaration', Reference: 'form-1', FormType: '3' })
  if (signer) Object.assign(signer, { FirstName: 'Mere', LastName: 'Parata', Email: 'mere.parata@example.com' })
  return {
    id: 'preset-1',
    name: 'Tax declaration',
    kind: 'form-direct',
    title: 'Tax declaration',
    updatedAt: NOW,
    composition
  }
}

async function open(change: Partial<FakeState> = {}, more: Record<string, string> = {}) {
  opened = await openOffice(fakeApi({ presets: [preset()], ...change }))
  opened.api.control.state.now = () => opened.clock.now()
  opened.app.router.go('compose', [], { for: 'counter', ...more })
  show(opened, Compose)
  await settle()
}
const route = () => opened.app.router.route
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const note = () => screen.queryByText('After sending, Counter opens for this person.')
const SEND = 'Send and go to Counter'
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
async function fromPreset() {
  await press(/^Tax declaration/)
  await screen.findByRole('button', { name: /^Send (1 form|and go)/ })
}

describe('A walk-in', () => {
  test('starts from a preset with signing in this application on, and announces that Counter opens next', async () => {
    await open()
    expect(screen.getByRole('heading', { name: 'Walk-in: what are they signing?' })).toBeTruthy()
    await fromPreset()
    expect(opened.api.control.state.drafts[0]?.composition.embedded).toBe(true)
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Sign in this application' }).checked).toBe(true)
    expect(note()).toBeTruthy()
    expect(route().query.get('for')).toBe('counter')
  })

  test('can start blank, and stays a walk-in after saving', async () => {
    await open()
    await press(/^Forms/)
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Sign in this application' }).checked).toBe(true)
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Deed' } })
    await opened.clock.pass(400)
    expect(route().rest).toHaveLength(1)
    expect(route().query.get('for')).toBe('counter')
    expect(note()).toBeTruthy()
  })

  test('is kept short: face to face is ticked, other options are collapsed, and there is one send button', async () => {
    const half = preset()
    const [signer] = half.composition.items[0]?.signers ?? []
    if (signer) signer.Email = ''
    await open({ presets: [half] })
    await fromPreset()
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Face to face' }).checked).toBe(true)
    expect(document.querySelector<HTMLDetailsElement>('details:has(section)')?.open).toBe(false)
    expect(screen.queryByRole('button', { name: 'Send later' })).toBeNull()
    expect(document.activeElement).toBe(screen.getByLabelText('E-mail'))
  })

  test('without missing values has the focus on the send button', async () => {
    await open()
    await fromPreset()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: SEND }))
  })

  test('is filled in with the name searched for', async () => {
    await open({}, { name: 'Anna Maria Ruiz' })
    await press(/^Forms/)
    expect(screen.getByLabelText<HTMLInputElement>('First name').value).toBe('Anna Maria')
    expect(screen.getByLabelText<HTMLInputElement>('Last name').value).toBe('Ruiz')
  })

  test('is sent immediately, without undo, and leads to the start sheet', async () => {
    await open()
    await fromPreset()
    await press(SEND)
    await opened.clock.pass(300)
    expect(calls('sends.now')).toHaveLength(1)
    expect([route().screen, ...route().rest, route().query.get('document')]).toEqual(['counter', 'start', 'doc-0'])
  })

  test('refused by the service stays here with the reason, and can be sent again', async () => {
    const error = { code: 'invalid', message: 'Refused.', serviceMessage: 'Validation failed' } as const
    await open({ nextSend: { state: 'refused', documents: [], error } })
    await fromPreset()
    await press(SEND)
    await opened.clock.pass(300)
    expect(route().screen).toBe('compose')
    expect(screen.getByText('Not sent: the service rejected it.')).toBeTruthy()
    opened.api.control.state.nextSend = {}
    await press(SEND)
    await opened.clock.pass(300)
    expect(route().screen).toBe('counter')
  })

  test('without an answer keeps staff here, even once it turns out to have arrived', async () => {
    const error = { code: 'timeout', message: 'No answer.', mayHaveArrived: true } as const
    await open({ nextSend: { state: 'uncertain', documents: [], error } })
    await fromPreset()
    await press(SEND)
    await opened.clock.pass(300)
    expect(screen.getByText(/Don’t hand over the screen yet/)).toBeTruthy()
    expect(route().screen).toBe('compose')
    opened.api.control.state.nextSend = { documents: [{ reference: 'doc-0', name: 'Tax declaration.pdf' }] }
    await press('Check now')
    await opened.clock.pass(300)
    expect(screen.getByText(/^Sent/)).toBeTruthy()
    expect(route().screen).toBe('compose')
  })

  test('waits for the service to create its documents', async () => {
    await open({ nextSend: { documents: [] } })
    await fromPreset()
    await press(SEND)
    await opened.clock.pass(300)
    expect(screen.getByText('The counter opens as soon as the document is ready.')).toBeTruthy()
    const { state, emit } = opened.api.control
    const [send] = state.sends
    if (!send) throw new Error('Nothing was sent.')
    state.sends = [{ ...send, documents: [{ reference: 'doc-7', name: 'Tax declaration.pdf' }] }]
    emit('sends.changed', { ids: [send.id] })
    await opened.clock.pass(300)
    expect([route().screen, route().query.get('document')]).toEqual(['counter', 'doc-7'])
  })

  test('that can’t be signed in this application shows a note, fixed with one click', async () => {
    await open()
    await fromPreset()
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Sign in this application' }))
    expect(note()).toBeNull()
    await press('Turn it on')
    expect(note()).toBeTruthy()
  })
})

test('A walk-in with form-specific options also turns on signing in this application', async () => {
  const own = preset()
  const [item] = own.composition.items
  if (item) item.own = { embedded: false, ReturnUrl: 'https://office.example.com/own', NotifyUrl: '' }
  await open({ presets: [own] })
  await fromPreset()
  expect(opened.api.control.state.drafts[0]?.composition.items[0]?.own).toEqual({ ...item?.own, embedded: true })
})

describe('Any other package', () => {
  beforeEach(async () => {
    opened = await openOffice(fakeApi({ presets: [preset()] }))
    opened.app.router.go('compose')
    show(opened, Compose)
    await settle()
  })

  test('can be undone after Send, and stays on this screen', async () => {
    await fromPreset()
    expect(note()).toBeNull()
    expect(opened.api.control.state.drafts[0]?.composition.embedded).toBe(false)
    await press('Send 1 form')
    expect(calls('sends.now')).toHaveLength(0)
    expect(route().screen).toBe('compose')
  })
})
