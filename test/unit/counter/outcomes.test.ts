/** The outcome of a turn is what the service says, whenever it says it. */
import { describe, expect, test } from 'vitest'
import { later, OFFLINE, openOffice, PIN, signer } from './office.ts'

async function reading(office = openOffice()) {
  const { id } = await office.start(['will', 0])
  await office.opens()
  return { office, counter: office.counter, id }
}

describe('asking the service for an outcome', () => {
  test('is repeated for a while after the page returned', async () => {
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

  test('stops after four requests without news', async () => {
    const { office } = await reading()
    const before = office.refreshes
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'not-yet' })
    expect(office.refreshes - before).toBe(4)
  })

  test('takes two requests if the person stopped', async () => {
    const { office, counter, id } = await reading()
    const before = office.refreshes
    void counter.finish(id)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'not-yet' })
    expect(office.refreshes - before).toBe(2)
  })

  test('succeeds if a retry after a failure succeeds', async () => {
    const { office } = await reading()
    office.signs('will', 0)
    office.trouble = OFFLINE
    office.events().returned()
    await office.time.pass(1)
    await office.time.pass(1500)
    office.trouble = undefined
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
  })

  test('times out, and the outcome is unknown', async () => {
    const { office } = await reading()
    office.line = new Promise(() => undefined)
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'timeout' } })
    expect(office.state().phase).toBe('return')
  })

  test('about a document it no longer has keeps the last known outcome, or none', async () => {
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

  test('gives an unknown outcome if it reports no signing status', async () => {
    const { office } = await reading()
    office.service.set('will', { Signers: [signer('Ann Example', { HasSigned: undefined, SignedStatus: undefined })] })
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'no-data' } })
  })

  test('overrules the page: one that returned without a signature is not yet signed', async () => {
    const { office } = await reading()
    office.events().loading()
    office.events().open()
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome?.signed).toBe('not-yet')
  })

  test('finds a signature made elsewhere while the page was open', async () => {
    const { office, counter, id } = await reading()
    office.signs('will', 0)
    await office.looked()
    expect(office.state()).toMatchObject({ phase: 'open' })
    void counter.finish(id)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
  })

  test('finds this signer even if others were inserted before them', async () => {
    const { office } = await reading(openOffice({ will: [signer('Ann Example', { SignerReference: 'A' })] }))
    const ben = signer('Ben Example', { SignerReference: 'B' })
    office.service.set('will', {
      Signers: [{ ...ben, SignedStatus: 'Signed' }, signer('Ann E', { SignerReference: 'A' })]
    })
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome?.signed).toBe('not-yet')
  })
})

describe('an outcome that wasn’t known', () => {
  test('is updated while the session is shown, even after it has ended', async () => {
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
    expect(office.notesOf('turn-ended').map(({ detail }) => detail?.outcome)).toEqual(['not-yet', 'signed'])
    expect(office.marker).toBeNull()
  })

  test('because the service was unreachable becomes “not yet” only after a successful answer', async () => {
    const { office } = await reading()
    office.trouble = OFFLINE
    office.events().returned()
    expect((await office.settled()).turns[0]?.outcome?.signed).toBe('unknown')
    await office.counter.documentsChanged('office')
    expect(office.state().turns[0]?.outcome?.signed).toBe('unknown')
    await office.looked()
    expect(office.state().turns[0]?.outcome).toEqual({ signed: 'not-yet' })
  })

  test('of another account, or one already known, isn’t touched', async () => {
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
