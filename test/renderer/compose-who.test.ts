import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, test } from 'vitest'
import { Composing } from '../../src/renderer/src/screens/compose/composing.svelte.ts'
import { dropIndex, moved } from '../../src/renderer/src/screens/compose/edits.ts'
import WhoSection from '../../src/renderer/src/screens/compose/who/WhoSection.svelte'
import { blankSigner, type ComposedSigner, type Composition } from '../../src/shared/composition/composition.ts'
import type { PersonView } from '../../src/shared/contract/views.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { personOf } from './fakes/remembered.ts'
import { type Opened, openOffice, show } from './office.ts'

// jsdom draws nothing, so pointers are never captured.
Element.prototype.setPointerCapture ??= () => {}

let opened: Opened
let composing: Composing

async function openWho(composition: Composition, api: FakeApi = fakeApi()) {
  opened = await openOffice(api)
  composing = new Composing(composition, () => opened.clock.now())
  show(opened, WhoSection, { composing })
  await settle()
}

const signers = () => composing.snapshot().items[0]?.signers ?? []
const signerAt = (index: number) => signers()[index] as ComposedSigner
const names = () => signers().map((one) => one.FirstName)
const boxes = (name: string) => screen.getAllByLabelText<HTMLInputElement>(name)
const box = (name: string, index = 0) => boxes(name)[index] as HTMLInputElement
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const statuses = () => screen.getAllByRole('status').map((one) => one.textContent)

async function type(input: HTMLInputElement, value: string) {
  input.focus()
  await fireEvent.input(input, { target: { value } })
  await settle()
}

async function choose(menu: RegExp, entry: string) {
  const trigger = screen.getByRole('button', { name: menu })
  trigger.focus()
  await fireEvent.keyDown(trigger, { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: entry }))
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  await settle()
}

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

describe('signers', () => {
  beforeEach(() => openWho(three()))

  test('a new one is added at the end, with the focus in the first name', async () => {
    await press('Add a signer')
    await settle()
    expect(names()).toEqual(['Mere', 'Tama', 'Grace', ''])
    expect(document.activeElement).toBe(box('First name', 3))
  })

  test('one who signs face to face turns on signing in this application', async () => {
    await fireEvent.click(screen.getAllByLabelText('Face to face')[1] as HTMLElement)
    expect(screen.getByText('Signing opens in this application.')).toBeTruthy()
    expect(composing.snapshot().embedded).toBe(true)
  })

  test('turning off the last face-to-face signing restores the earlier setting', async () => {
    const tick = (index: number) => fireEvent.click(screen.getAllByLabelText('Face to face')[index] as HTMLElement)
    const isHere = () => composing.snapshot().embedded
    await tick(0)
    await tick(1)
    await tick(0)
    expect(isHere()).toBe(true)
    await tick(1)
    expect(isHere()).toBe(false)
    composing.composition.embedded = true
    await tick(1)
    await tick(1)
    expect(isHere()).toBe(true)
  })

  test('a duplicate appears below its original, with all its data, and is independent', async () => {
    await fireEvent.click(screen.getAllByLabelText('Face to face')[1] as HTMLElement)
    await choose(/^Actions for Tama/, 'Duplicate')
    expect(names()).toEqual(['Mere', 'Tama', 'Tama', 'Grace'])
    expect(signerAt(2).faceToFace).toBe(true)
    expect(document.activeElement).toBe(box('First name', 2))
    await type(box('First name', 2), 'Anahera')
    expect(names()).toEqual(['Mere', 'Tama', 'Anahera', 'Grace'])
  })

  test('removing one moves the focus to its neighbour', async () => {
    await choose(/^Actions for Grace/, 'Remove')
    expect(names()).toEqual(['Mere', 'Tama'])
    expect(document.activeElement).toBe(box('First name', 1))
  })

  test('the only one can’t be removed', async () => {
    await choose(/^Actions for Grace/, 'Remove')
    await choose(/^Actions for Tama/, 'Remove')
    screen.getByRole('button', { name: /^Actions for/ }).focus()
    await fireEvent.keyDown(screen.getByRole('button', { name: /^Actions for/ }), { key: 'Enter' })
    await screen.findByRole('menuitem', { name: 'Duplicate' })
    // Like the button that opens it.
    expect(screen.getByRole('menu', { name: /^Actions for/ })).toBeTruthy()
    expect(screen.queryByRole('menuitem', { name: 'Remove' })).toBeNull()
  })
})

describe('the order of signers', () => {
  beforeEach(() => openWho(three()))
  const handle = (name: string) => screen.getByRole('button', { name: `Move ${name} Tamati` })

  test('is changed with arrow keys on the handle, which keeps the focus, and is announced', async () => {
    handle('Grace').focus()
    await fireEvent.keyDown(handle('Grace'), { key: 'ArrowUp', altKey: true })
    await settle()
    expect(names()).toEqual(['Mere', 'Grace', 'Tama'])
    expect(document.activeElement).toBe(handle('Grace'))
    expect(statuses()).toContain('Grace Tamati is now 2 of 3.')
  })

  test('is unchanged when the first is moved up', async () => {
    await fireEvent.keyDown(handle('Mere'), { key: 'ArrowUp', altKey: true })
    expect(names()).toEqual(['Mere', 'Tama', 'Grace'])
  })

  test('is changed with the menu', async () => {
    await choose(/^Actions for Mere/, 'Move down')
    expect(names()).toEqual(['Tama', 'Mere', 'Grace'])
  })

  /** Gives the cards a layout of 100 pixels each. */
  function layOut() {
    for (const [index, name] of names().entries()) {
      const place = handle(name).closest('[role=group]')?.parentElement as HTMLElement
      place.getBoundingClientRect = () => new DOMRect(0, index * 100, 600, 100)
    }
  }

  test('is changed by dragging', async () => {
    layOut()
    await fireEvent.pointerDown(handle('Mere'), { button: 0, pointerId: 1, clientY: 20 })
    await fireEvent.pointerMove(handle('Mere'), { pointerId: 1, clientY: 160 })
    expect(names()).toEqual(['Mere', 'Tama', 'Grace'])
    await fireEvent.pointerMove(handle('Mere'), { pointerId: 1, clientY: 290 })
    await fireEvent.pointerUp(handle('Mere'), { pointerId: 1 })
    await settle()
    expect(names()).toEqual(['Tama', 'Grace', 'Mere'])
    expect(statuses()).toContain('Mere Tamati is now 3 of 3.')
  })

  test('is unchanged when Escape cancels dragging', async () => {
    layOut()
    await fireEvent.pointerDown(handle('Mere'), { button: 0, pointerId: 1, clientY: 20 })
    await fireEvent.pointerMove(handle('Mere'), { pointerId: 1, clientY: 290 })
    await fireEvent.keyDown(handle('Mere'), { key: 'Escape' })
    await fireEvent.pointerUp(handle('Mere'), { pointerId: 1 })
    expect(names()).toEqual(['Mere', 'Tama', 'Grace'])
  })

  test('puts a dropped signer below those whose middle is above the pointer', () => {
    expect([10, 60, 160, 290].map((y) => dropIndex([50, 150, 250], 1, y))).toEqual([0, 1, 1, 2])
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  })
})

describe('while typing a name', () => {
  const mere = personOf({ MiddleName: 'Aroha', MobileCountry: '64', MobileNumber: '021 555 010' })
  const meri = personOf({ FirstName: 'Meri', LastName: 'Tane', Email: 'meri.tane@example.org' })
  const options = () => screen.queryAllByRole('option').map((one) => one.textContent)
  const blank = () => forms({ items: [form({ signers: [blankSigner('s1')] })] })

  beforeEach(() => openWho(blank(), fakeApi({ people: [mere, meri] })))

  test('people from the address book are suggested, and Enter fills in the selected one', async () => {
    await type(box('First name'), 'mer')
    expect(options()).toEqual(['Mere Aroha Paratamere.parata@example.com', 'Meri Tanemeri.tane@example.org'])
    await fireEvent.keyDown(box('First name'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('First name'), { key: 'Enter' })
    expect(signerAt(0)).toMatchObject({
      FirstName: 'Mere',
      MiddleName: 'Aroha',
      LastName: 'Parata',
      Email: 'mere.parata@example.com',
      MobileCountry: '64',
      MobileNumber: '021 555 010'
    })
    expect(options()).toEqual([])
    expect(document.activeElement).toBe(box('First name'))
  })

  test('people are found by their e-mail address too', async () => {
    await type(box('E-mail'), 'tane@')
    await fireEvent.keyDown(box('E-mail'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('E-mail'), { key: 'Enter' })
    expect(signerAt(0)).toMatchObject({ FirstName: 'Meri', Email: 'meri.tane@example.org' })
  })

  test('typed text is kept: Enter fills in nobody unless selected, and Escape closes the list', async () => {
    await type(box('First name'), 'Mer')
    await fireEvent.keyDown(box('First name'), { key: 'Enter' })
    expect(signerAt(0)).toMatchObject({ FirstName: 'Mer', LastName: '' })
    await fireEvent.keyDown(box('First name'), { key: 'Escape' })
    expect(options()).toEqual([])
    await fireEvent.blur(box('First name'))
    expect(signerAt(0)).toMatchObject({ FirstName: 'Mer', LastName: '' })
  })

  test('filling in a person clears a mobile number typed before', async () => {
    await type(box('Mobile optional'), '021 999 999')
    await type(box('First name'), 'Meri')
    await fireEvent.keyDown(box('First name'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('First name'), { key: 'Enter' })
    expect(signerAt(0).MobileNumber).toBe('')
  })

  test('a late answer does not replace a newer one', async () => {
    const answers: ((people: PersonView[]) => void)[] = []
    opened.api.people.find = () =>
      new Promise((resolve) => {
        answers.push((people) => resolve({ ok: true, value: { people } }))
      })
    await type(box('First name'), 'm')
    await type(box('First name'), 'meri')
    answers.at(-1)?.([meri])
    await settle()
    answers.at(-2)?.([mere, meri])
    await settle()
    expect(options()).toEqual(['Meri Tanemeri.tane@example.org'])
  })

  test('an address book that can’t be loaded does not interfere with typing', async () => {
    opened.api.control.fail('people.find', { code: 'storage', message: 'Locked.' })
    await type(box('First name'), 'Mere')
    expect(options()).toEqual([])
    expect(signerAt(0).FirstName).toBe('Mere')
  })
})

describe('a mobile number', () => {
  beforeEach(() => openWho(three()))

  test('shows its country and an example number', async () => {
    await type(box('Country code'), 'zeal')
    await fireEvent.keyDown(box('Country code'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('Country code'), { key: 'Enter' })
    expect(signerAt(0).MobileCountry).toBe('64')
    const [card] = screen.getAllByRole('group', { name: 'Mere Tamati' })
    expect(within(card as HTMLElement).getByText('New Zealand')).toBeTruthy()
    expect(within(card as HTMLElement).getByText(/^Example: 02/)).toBeTruthy()
  })

  test('takes a country by its full name, and keeps other text as typed', async () => {
    await type(box('Country code'), 'australia')
    await fireEvent.blur(box('Country code'))
    expect(signerAt(0).MobileCountry).toBe('61')
    await type(box('Country code'), '0064')
    await fireEvent.blur(box('Country code'))
    expect(signerAt(0).MobileCountry).toBe('0064')
  })
})

describe('leaving the mobile number field', () => {
  const usual = { settings: { theme: 'system' as const, zoom: 1, countryCode: { code: '64', isGuessed: true } } }

  test.each([
    ['021 555 0101', '64', '0215550101'],
    ['+61 412 345 678', '61', '0412345678'],
    ['ask her', '', 'ask her']
  ])('splits %j into country code and number where that is certain', async (typed, country, number) => {
    await openWho(forms(), fakeApi(usual))
    await type(box('Mobile optional'), typed)
    await fireEvent.blur(box('Mobile optional'))
    expect(signerAt(0)).toMatchObject({ MobileCountry: country, MobileNumber: number })
  })
})

describe('a mobile number in another format', () => {
  test('is corrected with one click after leaving the field', async () => {
    await openWho(three())
    await type(box('Mobile optional'), '+64 21 555 0123')
    expect(screen.queryByRole('button', { name: /^Write it as/ })).toBeNull()
    composing.markTouched(box('Mobile optional').id)
    await settle()
    await press('Change to 64, 0215550123')
    expect(signerAt(0)).toMatchObject({ MobileCountry: '64', MobileNumber: '0215550123' })
    await settle()
    expect(document.activeElement).toBe(box('Mobile optional'))
  })
})

describe('identity questions', () => {
  beforeEach(async () => {
    await openWho(forms(), fakeApi({ remembered: { 'IDData.Label': ['Staff number'] } }))
    await fireEvent.click(screen.getByLabelText('No mobile phone'))
    await settle()
  })
  const answer = () => box('Correct answer')

  test('start with the date of birth and a date field', () => {
    expect(box('Question').value).toBe('Date of birth')
    expect(answer().type).toBe('date')
  })

  test('hide an entered answer until it is revealed', async () => {
    answer().focus()
    await fireEvent.focus(answer())
    await fireEvent.input(answer(), { target: { value: '1980-02-29' } })
    expect(answer().type).toBe('date')
    await fireEvent.blur(answer())
    expect(answer().type).toBe('password')
    await press('Show answers')
    expect(answer().type).toBe('date')
    expect(answer().value).toBe('1980-02-29')
    await press('Hide answers')
    expect(answer().type).toBe('password')
  })

  test('suggest labels used before and common ones, with the right type of answer', async () => {
    await type(box('Question'), '')
    const offered = screen.getAllByRole('option').map((one) => one.textContent)
    expect(offered).toContain('Staff number')
    await type(box('Question'), 'personal')
    await fireEvent.keyDown(box('Question'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('Question'), { key: 'Enter' })
    expect(signerAt(0).IDData[0]).toMatchObject({ Label: 'Personal e-mail address', DataType: 'email' })
  })
})

test('filling in a person clears the identity answers of the one before, but not their own', async () => {
  const mere = personOf({ FirstName: 'Mere', LastName: 'Tamati', Email: 'Mere.Tamati@example.com' })
  const meri = personOf({ FirstName: 'Meri', LastName: 'Tane', Email: 'meri.tane@example.org' })
  const IDData = [{ key: 'q1', Label: 'Date of birth', Value: '1980-02-29', DataType: 'date' as const }]
  await openWho(
    forms({ items: [form({ signers: [signer({ UseIDData: true, IDData })] })] }),
    fakeApi({ people: [mere, meri] })
  )
  async function fillIn(name: string) {
    await type(box('First name'), name)
    await fireEvent.keyDown(box('First name'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('First name'), { key: 'Enter' })
    return signerAt(0)
  }
  expect(await fillIn('Mere')).toMatchObject({ Email: mere.Email, IDData })
  expect(await fillIn('Meri')).toMatchObject({ Email: meri.Email, IDData: [{ Label: 'Date of birth', Value: '' }] })
})

describe('a signer card', () => {
  test('offers the deepfake detector only with video confirmation', async () => {
    await openWho(forms())
    expect(screen.queryByLabelText('Deepfake detector')).toBeNull()
    await fireEvent.click(screen.getByLabelText('Video confirmation'))
    await fireEvent.click(screen.getByLabelText('Deepfake detector'))
    expect(signerAt(0)).toMatchObject({ video: true, deepfakeDetector: true })
  })

  test('summarises the options in its collapsed part', async () => {
    await openWho(
      forms({
        items: [
          form({
            signers: [
              signer({
                video: true,
                SignerType: 'Witness',
                ShareUsers: ['u1', 'u2'].map((key) => ({
                  key,
                  FirstName: 'Tama',
                  MiddleName: '',
                  LastName: 'Brooks',
                  Email: 'tama.brooks@example.com',
                  IsDefault: false,
                  IsOwner: false
                }))
              })
            ]
          })
        ]
      })
    )
    expect(screen.getByText('video, Witness, shared with 2')).toBeTruthy()
  })

  test('is titled like the messages about missing values', async () => {
    await openWho(forms({ items: [form({ signers: [signer({ FirstName: '', LastName: '', Email: '' })] })] }))
    expect(screen.getByRole('heading', { level: 3, name: 'Signer 1' })).toBeTruthy()
    await type(box('First name'), 'Mere')
    expect(screen.getByRole('heading', { level: 3, name: 'Mere' })).toBeTruthy()
  })

  test('suggests signer types used before, and accepts any other', async () => {
    await openWho(forms(), fakeApi({ remembered: { SignerType: ['Employee', 'Employer'] } }))
    await type(box('Signer type optional'), 'employer')
    await fireEvent.keyDown(box('Signer type optional'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('Signer type optional'), { key: 'Enter' })
    expect(signerAt(0).SignerType).toBe('Employer')
    await type(box('Signer type optional'), 'Guardian')
    expect(signerAt(0).SignerType).toBe('Guardian')
  })
})
