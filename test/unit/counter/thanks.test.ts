/**
 * Between two turns: thanks for those who are done, a way back for those who haven't signed, and a way out for the
 * wrong person.
 */
import { describe, expect, test } from 'vitest'
import { gate, later, openOffice, PIN, signer } from './office.ts'

/** Returns an office where the first of two people who sign one document in order has the page open. */
async function first() {
  const office = openOffice({ will: [signer('Ann Example'), later('Ben Example')] })
  const { id } = await office.start(['will', 0], ['will', 1])
  await office.opens()
  return { office, counter: office.counter, id }
}

const outcomes = (office: ReturnType<typeof openOffice>) => office.state().turns.map(({ outcome }) => outcome?.signed)

describe('a person who has signed', () => {
  test('is thanked before the next one is called, without a PIN', async () => {
    const { office, counter, id } = await first()
    office.signs('will', 0)
    office.events().returned()
    expect(await office.settled()).toMatchObject({ phase: 'between', current: 0, isLocked: false })
    expect(outcomes(office)).toEqual(['signed', undefined])
    await counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'handover', current: 1, isLocked: false })
    expect(office.notesOf('unlocked')).toEqual([])
  })

  test('can’t be asked to sign again', async () => {
    const { office, counter, id } = await first()
    office.signs('will', 0)
    office.events().returned()
    await office.settled()
    await counter.retry(id)
    expect([office.state().phase, office.pages.length]).toEqual(['between', 1])
  })
})

describe('a person who says they have finished', () => {
  test.each([
    ['and has declined', 'declines', 'declined'],
    ['and has signed', 'signs', 'signed']
  ] as const)('%s, isn’t asked whether they have signed', async (_what, does, outcome) => {
    const { office, counter, id } = await first()
    office[does]('will', 0)
    expect((await counter.cover(id, 'finish')).cover).toBeUndefined()
    await office.settled()
    expect(outcomes(office)[0]).toBe(outcome)
    expect(office.notesOf('left')).toEqual([])
  })

  test('is asked if the service takes too long', async () => {
    const { office, counter, id } = await first()
    office.declines('will', 0)
    const service = gate()
    office.line = service.passed
    void counter.cover(id, 'finish')
    await office.time.pass(1000)
    expect(office.state().cover).toBeUndefined()
    await office.time.pass(1000)
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'finish' })
  })
})

describe('a person who says they have finished but hasn’t', () => {
  async function finishing() {
    const one = await first()
    await one.counter.cover(one.id, 'finish')
    void one.counter.finish(one.id)
    await one.office.settled()
    return one
  }

  test('can open the page again and sign, and the next person follows', async () => {
    const { office, counter, id } = await finishing()
    expect(office.state()).toMatchObject({ phase: 'between', current: 0 })
    expect(outcomes(office)).toEqual(['not-yet', undefined])
    await counter.retry(id)
    expect(office.state()).toMatchObject({ phase: 'loading', current: 0 })
    office.signs('will', 0)
    office.events().returned()
    await office.settled()
    await counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'handover', current: 1 })
    expect(office.notesOf('turn-ended').map(({ detail }) => detail?.outcome)).toEqual(['not-yet', 'signed'])
  })

  test('can leave, and those after them are skipped', async () => {
    const { office, counter, id } = await finishing()
    await counter.next(id)
    expect(office.state().phase).toBe('return')
    expect(outcomes(office)).toEqual(['not-yet', 'skipped'])
  })

  test('can be the only signer', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    await office.counter.cover(id, 'finish')
    void office.counter.finish(id)
    expect((await office.settled()).phase).toBe('between')
    await office.counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'return', isLocked: true })
  })

  test('and has left the screen sees no further page', async () => {
    const { office, counter, id } = await finishing()
    const following = counter.next(id)
    counter.screenLeft('blur')
    await following
    expect(office.state()).toMatchObject({ phase: 'between', cover: 'away', isLocked: true })
    expect(office.pages).toHaveLength(1)
  })
})

describe('the wrong person at the handover', () => {
  test('can say so, which locks the screen for staff, is recorded, and opens nothing', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.counter.cover(id, 'not-me')
    expect(office.state()).toMatchObject({ phase: 'handover', cover: 'not-me', isLocked: true })
    await office.counter.begin(id)
    await office.counter.resume(id)
    expect(office.state()).toMatchObject({ phase: 'handover', cover: 'not-me' })
    expect(office.notesOf('left')).toMatchObject([{ signerName: 'Ann Example', detail: { by: 'not-me' } }])
    expect(office.pages).toHaveLength(0)
    await office.counter.unlock(id, PIN)
    await office.counter.staff(id, 'continue', 'person')
    expect(office.state()).toMatchObject({ phase: 'handover', isLocked: false })
  })

  test('can’t say so once the page is open', async () => {
    const { office, counter, id } = await first()
    await counter.cover(id, 'not-me')
    expect(office.state().phase).toBe('open')
  })
})
