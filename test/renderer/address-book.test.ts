import { fireEvent, screen } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import { Composing } from '../../src/renderer/src/screens/compose/composing.svelte.ts'
import WhoSection from '../../src/renderer/src/screens/compose/who/WhoSection.svelte'
import { blankSigner, type Composition } from '../../src/shared/composition/composition.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { personOf } from './fakes/remembered.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
let composing: Composing

async function openWho(composition: Composition, api: FakeApi = fakeApi()) {
  opened = await openOffice(api)
  composing = new Composing(composition, () => opened.clock.now())
  show(opened, WhoSection, { composing })
  await settle()
}

const signers = () => composing.snapshot().items[0]?.signers ?? []
const names = () => signers().map((one) => one.FirstName)
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

const three = () =>
  forms({
    items: [
      form({
        signers: ['Mere', 'Tama', 'Grace'].map((FirstName, index) =>
          signer({ key: `s${index}`, FirstName, Email: `${FirstName.toLowerCase()}@example.com` })
        )
      })
    ]
  })

describe('the address book', () => {
  const book = () => [
    personOf(),
    personOf({ FirstName: 'Tama', LastName: 'Brooks', Email: 'tama.brooks@example.com' }),
    personOf({ FirstName: 'Grace', LastName: 'Okafor', Email: 'grace.okafor@example.org', from: 'recipients' })
  ]
  const row = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name })

  async function openBook(composition = forms({ items: [form({ signers: [blankSigner('s1')] })] })) {
    await openWho(composition, fakeApi({ people: book() }))
    await press('Choose from the address book')
    await settle()
  }

  test('adds several people as signers, filling the blank one first', async () => {
    await openBook()
    await fireEvent.click(row(/Mere Parata/))
    await fireEvent.click(row(/Grace Okafor/))
    await press('Add 2 people')
    await settle()
    expect(names()).toEqual(['Mere', 'Grace'])
    expect(signers()[0]?.key).toBe('s1')
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('keeps the selection while searching', async () => {
    await openBook(three())
    await fireEvent.click(row(/Mere Parata/))
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Search people' }), { target: { value: 'okaf' } })
    await settle()
    expect(screen.queryByRole('checkbox', { name: /Mere Parata/ })).toBeNull()
    await fireEvent.click(row(/Grace Okafor/))
    await press('Add 2 people')
    await settle()
    expect(names()).toEqual(['Mere', 'Tama', 'Grace', 'Mere', 'Grace'])
  })

  test('works by keyboard: down to the list, Space selects, Enter adds', async () => {
    await openBook()
    const search = screen.getByRole('searchbox', { name: 'Search people' })
    search.focus()
    await fireEvent.keyDown(search, { key: 'ArrowDown' })
    expect(document.activeElement).toBe(row(/Mere Parata/))
    await fireEvent.keyDown(row(/Mere Parata/), { key: 'ArrowDown' })
    expect(document.activeElement).toBe(row(/Tama Brooks/))
    await fireEvent.click(row(/Tama Brooks/))
    await fireEvent.keyDown(row(/Tama Brooks/), { key: 'Enter' })
    await settle()
    expect(names()).toEqual(['Tama'])
  })

  test('removes a person after confirmation, but not those from the service’s lists', async () => {
    await openBook()
    expect(screen.queryByRole('button', { name: 'Remove Grace Okafor' })).toBeNull()
    await press('Remove Mere Parata')
    await settle()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Keep' }))
    expect(opened.api.control.calls.some((call) => call.name === 'people.forget')).toBe(false)
    await press('Remove')
    await settle()
    expect(screen.queryByRole('checkbox', { name: /Mere Parata/ })).toBeNull()
    expect(opened.api.control.state.people.map((one) => one.FirstName)).toEqual(['Tama', 'Grace'])
    expect(document.activeElement).toBe(row(/Tama Brooks/))
  })

  test('adds nobody on Enter while a search is still loading', async () => {
    // The results shown belong to the earlier text.
    const api = fakeApi()
    await openWho(three(), api)
    await press('Choose from the address book')
    await settle()
    const search = screen.getByRole('searchbox')
    const people = api.control.state.people
    api.control.state.people = people.slice(0, 1)
    await fireEvent.input(search, { target: { value: '' } })
    await settle()
    api.control.state.people = people
    const before = names()
    void fireEvent.input(search, { target: { value: 'zz' } })
    void fireEvent.keyDown(search, { key: 'Enter' })
    await settle()
    expect(names()).toEqual(before)
    expect(screen.getByRole('dialog')).toBeTruthy()
  })

  test('adds nobody on Enter who only has a similar name', async () => {
    await openBook()
    const [only] = opened.api.control.state.people
    if (!only) throw new Error('nobody in the address book')
    opened.api.people.find = async () => ({ ok: true, value: { people: [only], isNear: true } })
    const before = names()
    const search = screen.getByRole('searchbox', { name: 'Search people' })
    await fireEvent.input(search, { target: { value: 'mree' } })
    await settle()
    expect(screen.getByText('Nothing has all of these words. Closest:')).toBeTruthy()
    await fireEvent.keyDown(search, { key: 'Enter' })
    await settle()
    expect(names()).toEqual(before)
    expect(screen.getByRole('dialog')).toBeTruthy()
  })

  test('explains how people are added when it is empty', async () => {
    await openWho(three())
    await press('Choose from the address book')
    await settle()
    expect(screen.getByText(/^Nobody yet/)).toBeTruthy()
  })

  test('offers a retry when it can’t be loaded', async () => {
    const api = fakeApi({ people: book() })
    api.control.fail('people.find', { code: 'storage', message: 'Locked.' })
    await openWho(three(), api)
    await press('Choose from the address book')
    await settle()
    expect(screen.getByRole('alert').textContent).toContain('couldn’t be loaded')
    api.control.heal('people.find')
    await press('Try again')
    await settle()
    expect(row(/Mere Parata/)).toBeTruthy()
  })
})
