import { fireEvent, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import Identity from '../../src/renderer/src/screens/identity/Identity.svelte'
import type { IdentityRecordView } from '../../src/shared/contract/views.ts'
import { pageOf, signerOf } from './document-pages.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { identityRecordOf, identityTexts, PIXEL, pictureOf } from './fakes/identity.ts'
import { type Opened, openOffice, show } from './office.ts'

const REFERENCE = 'doc-6'
let opened: Opened
let addresses: Map<string, Blob>
let unmount: () => void
const before = { create: URL.createObjectURL, revoke: URL.revokeObjectURL }

beforeEach(() => {
  addresses = new Map()
  let next = 0
  // jsdom can't create object URLs.
  URL.createObjectURL = (blob) => {
    const url = `blob:test/${++next}`
    addresses.set(url, blob as Blob)
    return url
  }
  URL.revokeObjectURL = (url) => void addresses.delete(url)
})
afterEach(() => {
  opened?.close()
  URL.createObjectURL = before.create
  URL.revokeObjectURL = before.revoke
})

const mere = signerOf({
  firstName: 'Mere',
  lastName: 'Parata',
  name: 'Mere Parata',
  identity: 'passed',
  state: 'signed',
  identityWords: [{ field: 'IDVerificationLivenessResult', value: 'Live' }]
})

async function open(change: Partial<FakeState> = {}, arrange: (api: ReturnType<typeof fakeApi>) => void = () => {}) {
  const api = fakeApi({ documents: [pageOf({ name: 'Deed of gift', people: [mere] })], ...change })
  arrange(api)
  opened = await openOffice(api)
  opened.app.router.go('identity', [REFERENCE])
  unmount = show(opened, Identity).unmount
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const glance = () =>
  within(screen.getByRole('list', { name: 'Summary' }))
    .getAllByRole('listitem')
    .map((item) => item.textContent?.trim())
const stage = (name: RegExp) => screen.getByRole('group', { name })
const second = (): IdentityRecordView =>
  identityRecordOf({
    isPassed: false,
    texts: { ...identityTexts, firstName: 'TAMA', lastName: 'BROOKES', userFirstName: 'Tama', userLastName: 'Brooks' },
    attentions: [{ name: 'Face match', detail: 'Not alike enough.' }]
  })

describe('a record', () => {
  test('summarises the result in words', async () => {
    await open()
    expect(screen.getByRole('heading', { name: 'Mere Aroha Parata' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Deed of gift' })).toBeTruthy()
    expect(glance()).toEqual([
      expect.stringMatching(/^Passed/),
      expect.stringMatching(/^Faces match.*Score 0.9641 of 1/),
      expect.stringMatching(/^Live person/),
      expect.stringMatching(/^Names match.*Except capitals/),
      expect.stringMatching(/^Card is valid/)
    ])
    const meter = screen.getByRole('meter', { name: 'Face-match score' })
    expect(meter.getAttribute('aria-valuenow')).toBe('0.9641')
    expect(screen.getByText('A live person was in front of the camera.')).toBeTruthy()
  })

  test('shows the portrait beside the compared picture, both from memory only', async () => {
    await open()
    const shown = screen.getAllByRole('img').map((image) => image.getAttribute('src'))
    expect(shown).toHaveLength(2)
    for (const url of shown) expect(addresses.get(url ?? '')?.type).toBe('image/png')
    expect(addresses.get(shown[0] ?? '')?.size).toBe(PIXEL.length)
    expect(screen.getByRole('radio', { name: /Front compared with the face/ })).toHaveProperty('checked', true)
    await fireEvent.click(screen.getByRole('radio', { name: 'Back' }))
    await settle()
    expect(screen.getByRole('img', { name: 'Back of the card' })).toBeTruthy()
    expect(calls('identity.picture')).toHaveLength(3)
  })

  test('shows a separate compared picture as its own choice', async () => {
    await open({
      identity: [identityRecordOf({ pictures: [pictureOf({ name: 'front' }), pictureOf({ name: 'selected' })] })]
    })
    expect(screen.getByRole('radio', { name: 'Compared' })).toHaveProperty('checked', true)
    expect(screen.getByRole('img', { name: 'Compared picture' })).toBeTruthy()
    expect(screen.getByText('No picture')).toBeTruthy()
  })

  test('labels differences', async () => {
    await open({ identity: [second()] })
    const row = screen.getByRole('row', { name: /Last name/ })
    expect(row.textContent).toContain('Different')
    expect(screen.getByText('Needs review')).toBeTruthy()
    expect(screen.getByText('Not alike enough.')).toBeTruthy()
    expect(screen.getByText(/It isn’t clear which signer this record belongs to/)).toBeTruthy()
  })

  test('explains a picture that isn’t a photograph instead of showing it, and can’t save it', async () => {
    const why = 'The service sent a drawing with code (SVG) instead of a photograph. It isn’t opened.'
    await open({ identity: [identityRecordOf({ pictures: [{ name: 'portrait', isShown: false, why }] })] })
    expect(screen.getByText(why)).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Save picture/ })).toBeNull()
    expect(calls('identity.picture')).toHaveLength(0)
  })

  test('reports a picture that can’t be drawn as damaged', async () => {
    await open()
    await fireEvent.error(screen.getByRole('img', { name: 'Portrait' }))
    expect(screen.getByText(/This picture is damaged/)).toBeTruthy()
  })

  test('lists what an empty record lacks', async () => {
    await open({ identity: [{ texts: {}, pictures: [], attentions: [], others: [] }] })
    expect(screen.getByRole('heading', { name: 'Unnamed person' })).toBeTruthy()
    expect(screen.getByText(/This record is empty/)).toBeTruthy()
    expect(screen.getAllByText('Not given').length).toBeGreaterThan(4)
    expect(screen.getByText('Date of the check not given')).toBeTruthy()
  })

  test('shows unknown members as received', async () => {
    await open({ identity: [identityRecordOf({ others: [{ name: 'ChipRead', value: '<b>yes</b>' }] })] })
    expect(screen.getByText('ChipRead')).toBeTruthy()
    expect(screen.getByText('<b>yes</b>')).toBeTruthy()
  })

  test('has no accessibility violations', async () => {
    await open({ identity: [identityRecordOf(), second()], identityLeftOut: 1 })
    await press('Side by side')
    const { violations } = await axe.run(document.body, {
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } }
    })
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
  })
})

describe('viewing a picture closely', () => {
  test('keys and buttons zoom and rotate, and Ctrl shortcuts are left alone', async () => {
    await open()
    const portrait = stage(/^Portrait/)
    const image = screen.getByRole('img', { name: 'Portrait' })
    await fireEvent.keyDown(portrait, { key: '+' })
    expect(image.style.transform).toContain('scale(1.25)')
    await fireEvent.keyDown(portrait, { key: 'r' })
    expect(image.style.transform).toContain('rotate(90deg)')
    await fireEvent.keyDown(portrait, { key: '+', ctrlKey: true })
    expect(image.style.transform).toContain('scale(1.25)')
    await press(/^Reset: Portrait/)
    expect(image.style.transform).toMatch(/rotate\(0deg\) scale\(1\)/)
    await press(/^Zoom in: Portrait/)
    expect(image.style.transform).toContain('scale(1.25)')
    expect(screen.getByText('125%')).toBeTruthy()
  })

  test('the wheel zooms only a focused picture', async () => {
    await open()
    const portrait = stage(/^Portrait/)
    const image = screen.getByRole('img', { name: 'Portrait' })
    expect(await fireEvent.wheel(portrait, { deltaY: -100 })).toBe(true)
    expect(image.style.transform).toContain('scale(1)')
    await fireEvent.focus(portrait)
    expect(await fireEvent.wheel(portrait, { deltaY: -100 })).toBe(false)
    expect(image.style.transform).toContain('scale(1.25)')
  })

  test('a picture can’t be dragged or copied with the context menu', async () => {
    await open()
    const image = screen.getByRole('img', { name: 'Portrait' })
    expect(image.getAttribute('draggable')).toBe('false')
    expect(await fireEvent.dragStart(image)).toBe(false)
    expect(await fireEvent.contextMenu(image)).toBe(false)
  })

  test('saving stores the picture shown, and names the file', async () => {
    await open()
    await press('Save picture…: Front of the card')
    expect(calls('identity.savePicture')[0]?.input).toMatchObject({ record: 0, name: 'front' })
    expect(opened.app.toasts.shown.at(-1)?.text).toBe('Saved as front.png.')
  })

  test('a copied number is cleared from the clipboard automatically, with a note', async () => {
    await open()
    await press('Copy the document number')
    expect(calls('system.copyBriefly')[0]?.input).toEqual({ text: 'DX418220' })
    expect(calls('system.copy')).toEqual([])
    expect(screen.getByText('Copied. Clears in 30 seconds.')).toBeTruthy()
    await opened.clock.pass(30_000)
    expect(screen.getByText('Cleared from the clipboard.')).toBeTruthy()
  })
})

describe('several records', () => {
  test('can be viewed one at a time or side by side', async () => {
    await open({ identity: [identityRecordOf(), second()] })
    expect(screen.getAllByRole('article')).toHaveLength(1)
    await press(/Tama Aroha Brooks/)
    expect(screen.getByRole('heading', { name: 'Tama Aroha Brooks' })).toBeTruthy()
    await press('Side by side')
    expect(screen.getAllByRole('article')).toHaveLength(2)
    expect(screen.getAllByRole('img')).toHaveLength(4)
    await press('One at a time')
    expect(screen.getAllByRole('article')).toHaveLength(1)
  })
})

describe('clearing identity data', () => {
  test('leaving the page clears it here and in the main process', async () => {
    await open()
    expect(addresses.size).toBe(2)
    unmount()
    await settle()
    expect(addresses.size).toBe(0)
    expect(calls('identity.close')).toHaveLength(1)
  })

  test('an answer that arrives after leaving is cleared immediately', async () => {
    let answer = () => {}
    await open({}, (api) => {
      answer = api.control.hold('identity.read')
    })
    unmount()
    answer()
    await settle()
    expect(calls('identity.close')).toHaveLength(1)
  })

  test('after being cleared, the page says so and can load it again', async () => {
    await open()
    opened.api.control.emit('identity.cleared', { reading: 'reading-1', why: 'idle' })
    await settle()
    expect(screen.getByText('Cleared after 5 minutes without use.')).toBeTruthy()
    expect(document.body.textContent).not.toContain('DX418220')
    expect(document.body.textContent).not.toContain('Parata')
    expect([addresses.size, screen.queryAllByRole('img').length]).toEqual([0, 0])
    expect(calls('identity.close')).toEqual([])
    screen.getByRole('button', { name: 'Show again' }).focus()
    await press('Show again')
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Identity check' }))
    expect(screen.getByRole('heading', { name: 'Mere Aroha Parata' })).toBeTruthy()
    expect(addresses.size).toBe(2)
  })

  test('clearing another reading doesn’t affect the page', async () => {
    await open()
    opened.api.control.emit('identity.cleared', { reading: 'reading-7', why: 'others' })
    await settle()
    expect(screen.getByRole('heading', { name: 'Mere Aroha Parata' })).toBeTruthy()
  })

  test('news about the accounts leaves the check that is shown alone', async () => {
    await open()
    opened.api.control.emit('accounts.changed', null)
    await settle()
    expect(calls('identity.read')).toHaveLength(1)
    expect(calls('identity.close')).toEqual([])
  })

  test('using the page keeps the data, with few requests', async () => {
    await open()
    for (let second = 0; second < 60; second++) {
      await opened.clock.pass(1000)
      await fireEvent.pointerMove(window)
    }
    expect(calls('identity.keep').length).toBeGreaterThan(1)
    expect(calls('identity.keep').length).toBeLessThan(5)
  })

  test('the page says so once main has cleared it', async () => {
    await open({}, (api) => api.control.fail('identity.keep', { code: 'gone', message: 'Cleared.' }))
    await opened.clock.pass(25_000)
    await fireEvent.keyDown(window, { key: 'a' })
    await settle()
    expect(screen.getByText('Cleared after 5 minutes without use.')).toBeTruthy()
    expect(addresses.size).toBe(0)
  })
})

describe('when there is nothing to show', () => {
  test('without a record, checking again is offered', async () => {
    await open({ identity: [] })
    expect(screen.getByText('No identity check yet.')).toBeTruthy()
    await press('Try again')
    expect(calls('identity.read')).toHaveLength(2)
  })

  test('data no longer kept by the service refers to Downloads', async () => {
    await open({}, (api) => api.control.fail('identity.read', { code: 'not-found', message: 'No.' }))
    expect(screen.getByText('No identity data for this document.')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Go to Downloads' })).toBeTruthy()
  })

  test('offline, it is loaded once online', async () => {
    const offline = { state: 'offline' as const, since: 0 }
    await open({ connection: offline }, (api) => api.control.fail('identity.read', { code: 'offline', message: 'No.' }))
    expect(screen.getByText('You’re offline, so the identity check can’t be shown.')).toBeTruthy()
    opened.api.control.heal('identity.read')
    opened.api.control.state.connection = { state: 'online', since: 1 }
    opened.api.control.emit('connection.changed', null)
    await settle()
    expect(screen.getByRole('heading', { name: 'Mere Aroha Parata' })).toBeTruthy()
  })

  test('without an answer, it is loaded once the connection was lost and restored', async () => {
    await open({}, (api) => api.control.fail('identity.read', { code: 'refused', message: 'Nobody answers.' }))
    expect(screen.getByText('Nobody answers.')).toBeTruthy()
    const setConnection = async (state: 'offline' | 'online') => {
      opened.api.control.state.connection = { state, since: 1 }
      opened.api.control.emit('connection.changed', null)
      await settle()
    }
    await setConnection('offline')
    opened.api.control.heal('identity.read')
    await setConnection('online')
    expect(screen.getByRole('heading', { name: 'Mere Aroha Parata' })).toBeTruthy()
  })

  test('an error can be retried', async () => {
    await open({}, (api) => api.control.fail('identity.read', { code: 'server', message: 'It answered 500.' }))
    expect(screen.getByText('Couldn’t load the identity check.')).toBeTruthy()
    opened.api.control.heal('identity.read')
    await press('Try again')
    expect(screen.getByRole('heading', { name: 'Mere Aroha Parata' })).toBeTruthy()
  })

  test('while loading, a placeholder is shown', async () => {
    await open({}, (api) => api.control.hold('identity.read'))
    expect(screen.getByLabelText('Loading the identity check…')).toBeTruthy()
  })

  test('records that can’t be read are counted', async () => {
    await open({ identityLeftOut: 2 })
    expect(screen.getByText('2 records of this check can’t be shown.')).toBeTruthy()
  })

  test('without a document, the page says that none is selected', async () => {
    opened = await openOffice(fakeApi())
    opened.app.router.go('identity')
    show(opened, Identity)
    await settle()
    expect(screen.getByText('No document selected.')).toBeTruthy()
    expect(calls('identity.read')).toEqual([])
  })
})
