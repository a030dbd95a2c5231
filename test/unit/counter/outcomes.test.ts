/** The outcome of a turn is what the service says, whenever it says it. */
import { describe, expect, test } from 'vitest'
import { later, OFFLINE, openOffice, PIN, signer } from './office.ts'

async function reading(office = openOffice()) {
  const { id } = await office.start(['will', 0])
  await office.opens()
  return { office, counter: office.counter, id }
}

describe('the service', () => {
  test('is asked again for a while after the page came back', async () => {
    const { office } = await reading()
    const before = office.refreshes
    office.events().returned()
    await office.time.pass(1)
    await office.time.pass(2500)
    expect(office.state().phase).toBe('asking')
    office.signs('will', 0)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
    expect(office.refreshes - before).toBeGreaterThan(2)
  })

  test('that says nothing new is asked four times and no more', async () => {
    const { office } = await reading()
    const before = office.refreshes
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'not-yet' })
    expect(office.refreshes - before).toBe(4)
  })

  test('is asked twice where the person stopped', async () => {
    const { office, counter, id } = await reading()
    const before = office.refreshes
    void counter.finish(id)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'not-yet' })
    expect(office.refreshes - before).toBe(2)
  })

  test('that fails at first and then answers is believed', async () => {
    const { office } = await reading()
    office.signs('will', 0)
    office.trouble = OFFLINE
    office.events().returned()
    await office.time.pass(1)
    await office.time.pass(1500)
    office.trouble = undefined
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
  })

  test('that never answers leaves it unknown, and nobody waits for ever', async () => {
    const { office } = await reading()
    office.line = new Promise(() => undefined)
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'timeout' } })
    expect(office.state().phase).toBe('return')
  })

  test('no longer has the document: what it said last stands', async () => {
    const { office } = await reading()
    office.signs('will', 0)
    await office.deps.refresh('office')
    office.service.delete('will')
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
    const gone = await reading()
    gone.office.service.delete('will')
    gone.office.events().returned()
    expect((await gone.office.settled()).turns[0]?.outcome).toMatchObject({
      signed: 'unknown',
      error: { code: 'gone' }
    })
  })

  test('is not known where the service doesn’t say whether it is signed', async () => {
    const { office } = await reading()
    office.service.set('will', { Signers: [signer('Ann Example', { HasSigned: undefined, SignedStatus: undefined })] })
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'no-data' } })
  })

  test('and no page decides: a page that says it is signed and comes back is not yet signed', async () => {
    const { office } = await reading()
    office.events().loading()
    office.events().open()
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome?.signed).toBe('not-yet')
  })

  test('says who signed elsewhere while the page was open here', async () => {
    const { office, counter, id } = await reading()
    office.signs('will', 0)
    await office.looked()
    expect(office.state()).toMatchObject({ phase: 'open' })
    void counter.finish(id)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
  })

  test('speaks of this signer, though others were put before them', async () => {
    const { office } = await reading(openOffice({ will: [signer('Ann Example', { SignerReference: 'A' })] }))
    const ben = signer('Ben Example', { SignerReference: 'B' })
    office.service.set('will', {
      Signers: [{ ...ben, SignedStatus: 'Signed' }, signer('Ann E', { SignerReference: 'A' })]
    })
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome?.signed).toBe('not-yet')
  })
})

describe('what wasn’t known', () => {
  test('becomes known while the session is shown, and after it has ended', async () => {
    const { office, counter, id } = await reading(openOffice({ will: [signer('Ann Example'), later('Ben Example')] }))
    office.events().returned()
    await office.settled()
    await counter.unlock(id, PIN)
    office.changes.length = 0
    await office.looked()
    expect([office.state().turns[0]?.outcome, office.changes]).toEqual([{ signed: 'not-yet' }, []])
    office.signs('will', 0)
    await office.looked()
    expect(office.state()).toMatchObject({ phase: 'ended', turns: [{ outcome: { signed: 'signed' } }] })
    expect(office.changes).toEqual([id])
    expect(office.told('turn-ended').map(({ detail }) => detail?.outcome)).toEqual(['not-yet', 'signed'])
    expect(office.kept).toBeNull()
  })

  test('as the service was out of reach becomes “not yet” only once the service has said so since', async () => {
    const { office } = await reading()
    office.trouble = OFFLINE
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome?.signed).toBe('unknown')
    await office.counter.documentsChanged('office')
    expect(office.state().turns[0]?.outcome?.signed).toBe('unknown')
    await office.looked()
    expect(office.state().turns[0]?.outcome).toEqual({ signed: 'not-yet' })
  })

  test('of another account, or of what is known, is left alone', async () => {
    const { office } = await reading()
    office.signs('will', 0)
    office.events().returned()
    await office.settled()
    const before = office.state()
    await office.looked()
    await office.counter.documentsChanged('another')
    expect(office.state()).toBe(before)
  })
})
