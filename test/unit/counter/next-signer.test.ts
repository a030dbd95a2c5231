/** If a signer hasn't signed, the screen isn't handed to those who sign after them, and the session says why. */
import { expect, test } from 'vitest'
import { Counter } from '../../../src/main/core/counter/counter.ts'
import { later, OFFLINE, openOffice, PIN, signer } from './office.ts'

const outcomes = (office: ReturnType<typeof openOffice>) => office.state().turns.map(({ outcome }) => outcome?.signed)

/** Returns a session in which three people sign one document in order. */
async function three(others: Record<string, Record<string, unknown>[]> = {}) {
  const office = openOffice({ will: [signer('Ann Example'), later('Ben Example'), later('Cy Example')], ...others })
  const more = Object.keys(others).map((reference): [string, number] => [reference, 0])
  const { id } = await office.start(['will', 0], ['will', 1], ['will', 2], ...more)
  await office.opens()
  return { office, counter: office.counter, id }
}

test('a signer who stops ends the session for those who sign after them', async () => {
  const { office, counter, id } = await three()
  void counter.finish(id)
  expect(await office.settled()).toMatchObject({ phase: 'return', isLocked: true, current: 0 })
  expect(outcomes(office)).toEqual(['not-yet', 'skipped', 'skipped'])
  expect(office.state().turns[1]?.outcome?.error).toEqual({
    code: 'not-signable',
    message: 'Ann Example has to sign first.'
  })
  expect(office.notesOf('turn-ended').map(({ signerName, detail }) => [signerName, detail?.outcome])).toEqual([
    ['Ann Example', 'not-yet'],
    ['Ben Example', 'skipped'],
    ['Cy Example', 'skipped']
  ])
  expect(office.pages).toHaveLength(1)
  expect((await counter.unlock(id, PIN)).phase).toBe('ended')
})

test('a signer who declines ends it for everyone on that document', async () => {
  const { office } = await three()
  office.declines('will', 0)
  office.events().returned()
  expect((await office.settled()).phase).toBe('return')
  expect(outcomes(office)).toEqual(['declined', 'skipped', 'skipped'])
  expect(office.state().turns[2]?.outcome?.error?.message).toBe(
    'Ann Example declined, so nobody else can sign this document.'
  )
})

test('the next person isn’t asked to sign a document that someone declined', async () => {
  const both = () => [signer('Ann Example'), signer('Ben Example')]
  const office = openOffice({ deed: both(), will: both(), lease: both() })
  await office.start(['will', 0], ['deed', 1], ['will', 1], ['lease', 1])
  await office.opens()
  office.declines('will', 0)
  office.events().returned()
  expect(await office.handedOn()).toMatchObject({ phase: 'handover', current: 1 })
  expect(outcomes(office)).toEqual(['declined', undefined, 'skipped', undefined])
})

test('the session continues with other documents', async () => {
  const { office, counter, id } = await three({ deed: [signer('Dee Example')], lease: [signer('Ann Example')] })
  void counter.finish(id)
  expect(await office.handedOn()).toMatchObject({ phase: 'handover', current: 3 })
  expect(outcomes(office)).toEqual(['not-yet', 'skipped', 'skipped', undefined, undefined])
})

test('the same person’s next document follows, even if turns in between were skipped', async () => {
  const office = openOffice({ will: [signer('Ann Example'), later('Ben Example')], deed: [signer('Ann Example')] })
  const { id } = await office.start(['will', 0], ['will', 1], ['deed', 0])
  await office.opens()
  void office.counter.finish(id)
  expect((await office.settled()).phase).toBe('between')
  await office.counter.next(id)
  expect(office.state()).toMatchObject({ phase: 'loading', current: 2 })
})

test('who stops after declining isn’t asked for their other documents, and the next person is', async () => {
  const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ann Example'), signer('Ben Example')] })
  const { id } = await office.start(['will', 0], ['deed', 0], ['deed', 1])
  await office.opens()
  office.declines('will', 0)
  office.events().returned()
  expect((await office.settled()).phase).toBe('between')
  await office.counter.next(id, true)
  expect(office.state()).toMatchObject({ phase: 'handover', current: 2 })
  expect(outcomes(office)).toEqual(['declined', 'skipped', undefined])
  expect(office.notesOf('turn-ended').map(({ detail }) => [detail?.outcome, detail?.error])).toEqual([
    ['declined', undefined],
    ['skipped', 'cancelled']
  ])
})

test('a signer who needn’t wait gets their turn, even if the previous one didn’t sign', async () => {
  const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
  const { id } = await office.start(['will', 0], ['will', 1])
  await office.opens()
  void office.counter.finish(id)
  expect(await office.handedOn()).toMatchObject({ phase: 'handover', current: 1 })
})

test('an unknown outcome doesn’t stop the next signer’s turn', async () => {
  const { office } = await three()
  office.trouble = OFFLINE
  office.events().returned()
  expect(await office.handedOn()).toMatchObject({ phase: 'handover', current: 1 })
})

test('a signer whose page couldn’t open stops those after them once staff continues', async () => {
  const office = openOffice({ will: [signer('Ann Example'), later('Ben Example')] })
  const { id } = await office.start(['will', 0], ['will', 1])
  office.change('will', 0, { SigningKey: 'http://sign.example.com/s/1' })
  await office.counter.begin(id)
  expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'unsafe-address' } })
  await office.counter.next(id)
  expect(office.state().phase).toBe('return')
  expect(outcomes(office)).toEqual(['skipped', 'skipped'])
  expect(office.notesOf('turn-ended')).toHaveLength(2)
})

test('a signature that the service reports a moment after “I’ve signed” counts', async () => {
  const { office, counter, id } = await three()
  await counter.cover(id, 'finish')
  void counter.finish(id)
  await office.time.pass(2500)
  expect(office.state().phase).toBe('asking')
  office.signs('will', 0)
  expect(await office.handedOn()).toMatchObject({ phase: 'handover', current: 1 })
})

test('a failed turn is recorded once, despite several crashes', async () => {
  const office = openOffice({ will: [signer('Ann Example')] })
  const { id } = await office.start(['will', 0])
  office.change('will', 0, { SigningKey: 'http://sign.example.com/s/1' })
  await office.counter.begin(id)
  expect(office.notesOf('turn-ended')).toEqual([])
  for (let crash = 0; crash < 3; crash++) await new Counter(office.deps).resumeInterrupted()
  expect(office.notesOf('turn-ended')).toMatchObject([
    { signerName: 'Ann Example', detail: { outcome: 'skipped', error: 'unsafe-address' } }
  ])
})

test('a failed turn that was left before the crash isn’t recorded again', async () => {
  const office = openOffice({ will: [signer('Ann Example')] })
  const { id } = await office.start(['will', 0])
  office.change('will', 0, { SigningKey: 'http://sign.example.com/s/1' })
  await office.counter.begin(id)
  await office.counter.next(id)
  await new Counter(office.deps).resumeInterrupted()
  expect(office.notesOf('turn-ended')).toHaveLength(1)
})
