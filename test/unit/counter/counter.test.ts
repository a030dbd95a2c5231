import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Counter, openCounter } from '../../../src/main/core/counter/counter.ts'
import type { SigningViewEvents } from '../../../src/main/core/counter/signing-view.ts'
import { asAppError } from '../../../src/main/ipc/errors.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const BOUNDS = { x: 0, y: 0, width: 800, height: 600 }

let work: Workplace
let counter: Counter
/** The first signer's. */
let link = ''
let page: { url: string; events: SigningViewEvents; state: 'open' | 'covered' | 'destroyed' } | undefined

/** Whether the screen was in a signer's hands, each time that the counter told of a change. */
const handedOver: boolean[] = []

beforeEach(async () => {
  work = await openWorkplace()
  handedOver.length = 0
  page = undefined
  link = ''
  let next = 0
  counter = openCounter({
    waitingHere: () => work.ask('waitingHere', { accountId: work.accountId }),
    documentOf: (reference) => work.ask('get', { accountId: work.accountId, reference }),
    refresh: () => work.watch.refresh(work.accountId),
    // The signing links that come through the line are of the service's own address.
    account: () => ({ kind: 'practice', baseUrl: new URL(link || work.line.url).origin }),
    returnAddressOf: () => undefined,
    openView: ({ url, events }) => {
      page = { url, events, state: 'open' }
      const mine = page
      const become = (state: typeof mine.state) => {
        mine.state = state
      }
      return {
        show: () => become('open'),
        cover: () => become('covered'),
        zoom: () => undefined,
        destroy: async () => become('destroyed')
      }
    },
    zoom: () => 1,
    describe: asAppError,
    clock: work.clock,
    newId: () => `turn-${++next}`,
    changed: () => handedOver.push(counter.isHandedOver())
  })
})
afterEach(() => work.close())

/** The document that was sent, as last known. */
async function sent() {
  const [entry] = await counter.queue()
  const known = await work.ask('get', { accountId: work.accountId, reference: entry?.documentReference ?? '' })
  if (!known) throw new Error('nothing was sent')
  return known
}

async function send(changes = {}) {
  const two = [signer(), signer({ key: 's2', FirstName: 'Wiremu', Email: 'wiremu@example.com' })]
  await work.send(forms({ embedded: true, items: [form({ signers: two, ...changes })] }))
  await work.watch.refresh(work.accountId)
  link = (await sent()).document.Signers?.[0]?.SigningKey ?? ''
}

describe('at the counter', () => {
  test('everybody whose turn it is waits in the queue', async () => {
    await send()
    expect((await counter.queue()).map(({ signerName }) => signerName)).toEqual(['Mere Tamati', 'Wiremu Tamati'])
  })

  test('nothing is loaded before the handover is over, and the link is never shown', async () => {
    await send()
    const [entry] = await counter.queue()
    const state = await counter.start(entry?.documentReference ?? '', 0)
    expect(state).toMatchObject({ phase: 'handover', signerName: 'Mere Tamati' })
    expect(page).toBeUndefined()
    expect(JSON.stringify([state, await counter.queue()])).not.toContain('/sign/')
    counter.show(state.id, BOUNDS)
    expect(page?.url).toBe(link)
  })

  test('one signer at a time', async () => {
    await send()
    const [entry] = await counter.queue()
    await counter.start(entry?.documentReference ?? '', 0)
    await expect(counter.start(entry?.documentReference ?? '', 1)).rejects.toMatchObject({ appError: { code: 'busy' } })
  })

  test('a page that comes back does not decide: the service is asked', async () => {
    await send()
    const [entry] = await counter.queue()
    const { id } = await counter.start(entry?.documentReference ?? '', 0)
    counter.show(id, BOUNDS)
    page?.events.returned()
    expect(counter.state()?.phase).toBe('returned')
    expect(await counter.end(id)).toEqual({ signed: 'not-yet' })
    expect(page?.state).toBe('destroyed')
    expect(counter.state()).toBeNull()
  })

  test('the screen stays in the signer’s hands until the clerk has left what became of the turn', async () => {
    await send()
    const documentReference = (await counter.queue())[0]?.documentReference ?? ''
    expect(counter.isHandedOver()).toBe(false)
    const { id } = await counter.start(documentReference, 0)
    handedOver.length = 0
    counter.show(id, BOUNDS)
    page?.events.returned()
    await counter.end(id)
    expect(handedOver).not.toContain(false)
    expect(counter.isHandedOver()).toBe(true)
    counter.leave()
    expect(handedOver.at(-1)).toBe(false)
  })

  test('leaving ends no turn that lasts, and the next turn keeps the screen handed over', async () => {
    await send()
    const documentReference = (await counter.queue())[0]?.documentReference ?? ''
    await counter.end((await counter.start(documentReference, 0)).id)
    const { id } = await counter.start(documentReference, 1)
    counter.leave()
    expect(counter.state()?.id).toBe(id)
    expect(counter.isHandedOver()).toBe(true)
  })

  test('an account that is left takes the screen back, also from an outcome', async () => {
    await send()
    const documentReference = (await counter.queue())[0]?.documentReference ?? ''
    await counter.end((await counter.start(documentReference, 0)).id)
    await counter.close()
    expect(counter.isHandedOver()).toBe(false)
    expect(handedOver.at(-1)).toBe(false)
  })

  test('where the service cannot be asked, nobody is told that it is signed', async () => {
    await send()
    const [entry] = await counter.queue()
    const { id } = await counter.start(entry?.documentReference ?? '', 0)
    counter.show(id, BOUNDS)
    page?.events.returned()
    work.line.fault('rubbish')
    expect(await counter.end(id)).toMatchObject({ signed: 'unknown', error: { code: 'not-json' } })
  })

  test('a page that is covered stays covered, whatever it says of itself', async () => {
    await send()
    const [entry] = await counter.queue()
    const { id } = await counter.start(entry?.documentReference ?? '', 0)
    counter.show(id, BOUNDS)
    counter.cover(id)
    page?.events.open()
    expect(counter.state()?.phase).toBe('covered')
    expect(page?.state).toBe('covered')
    expect(counter.show(id, BOUNDS).phase).toBe('open')
  })

  test('what the page tried is remembered, the newest twenty', async () => {
    await send()
    const [entry] = await counter.queue()
    const { id } = await counter.start(entry?.documentReference ?? '', 0)
    counter.show(id, BOUNDS)
    for (let attempt = 1; attempt <= 30; attempt++) page?.events.refused(`attempt ${attempt}`)
    expect(
      counter
        .state()
        ?.refused.map(({ what }) => what)
        .at(0)
    ).toBe('attempt 11')
    expect(counter.state()?.refused).toHaveLength(20)
  })

  test.each([
    ['an unencrypted address elsewhere', 'http://sign.example.com/x'],
    ['a file', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['no address at all', 'sign me'],
    ['the office’s own network', 'https://192.168.1.1/admin']
  ])('a signing link that is %s is refused before anything is loaded', async (_what, address) => {
    await send()
    const mirrored = await sent()
    const Signers = mirrored.document.Signers?.map((one) => ({ ...one, SigningKey: address }))
    const tampered = openCounter({
      waitingHere: async () => [],
      documentOf: async () => ({ ...mirrored, document: { ...mirrored.document, Signers } }),
      refresh: async () => undefined,
      account: () => ({ kind: 'service', baseUrl: 'https://service.example.com/web/v1.4' }),
      returnAddressOf: () => undefined,
      openView: () => {
        throw new Error('a view was opened')
      },
      zoom: () => 1,
      describe: asAppError,
      clock: work.clock,
      newId: () => 't',
      changed: () => undefined
    })
    await expect(tampered.start(mirrored.document.Reference, 0)).rejects.toMatchObject({
      appError: { code: 'unsafe-address' }
    })
  })

  test('somebody who isn’t there, or whose turn it isn’t, can’t be handed the screen', async () => {
    await send()
    const { documentReference = '' } = (await counter.queue())[0] ?? {}
    await expect(counter.start(documentReference, 7)).rejects.toMatchObject({ appError: { code: 'not-signable' } })
    await expect(counter.start('no such document', 0)).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('somebody who has signed elsewhere meanwhile is no longer in the queue', async () => {
    await send()
    const { documentReference = '' } = (await counter.queue())[0] ?? {}
    const [first] = work.practice.state.documents[documentReference]?.signers ?? []
    if (!first) throw new Error('the practice office lost the document')
    first.status = 'Signed'
    await expect(counter.start(documentReference, 0)).rejects.toMatchObject({ appError: { code: 'not-signable' } })
    expect((await counter.queue()).map(({ signerName }) => signerName)).toEqual(['Wiremu Tamati'])
  })
})
