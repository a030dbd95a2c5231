/** Which of our pages may make which session requests. */
import { describe, expect, test } from 'vitest'
import { counterHandlers } from '../../../src/main/ipc/counter.ts'
import type { CounterSession } from '../../../src/shared/contract/index.ts'
import { BOUNDS, openOffice, PIN, signer } from './office.ts'

const clerk = { from: 'office', stillAsking: () => true } as const
const person = { from: 'person', stillAsking: () => true } as const
const notAllowed = { appError: { code: 'not-allowed' } }

async function signing(place: 'here' | 'other-display') {
  const office = openOffice()
  office.place = place
  const handle = counterHandlers(office.counter, () => [office.chosen])
  const turns = [{ documentReference: 'will', signer: 0, evidence: [] }]
  const { id } = await handle['counter.start']({ turns, allowsCamera: false }, clerk)
  return { office, handle, id }
}

describe.each([
  ['here', clerk, person],
  ['other-display', person, clerk]
] as const)('when the person’s screen is “%s”', (place, theirs, other) => {
  test('the person’s commands are accepted only from that screen', async () => {
    const { handle, id, office } = await signing(place)
    await expect(handle['counter.begin']({ id }, other)).rejects.toMatchObject(notAllowed)
    expect((await handle['counter.begin']({ id }, theirs)).phase).toBe('loading')
    await expect(handle['counter.show']({ id, bounds: BOUNDS }, other)).rejects.toMatchObject(notAllowed)
    expect(office.page()?.state).toBe('hidden')
    await handle['counter.show']({ id, bounds: BOUNDS }, theirs)
    expect(office.page()?.state).toBe('shown')
    for (const name of ['resume', 'finish', 'next', 'retry', 'touched'] as const) {
      await expect(handle[`counter.${name}`]({ id }, other)).rejects.toMatchObject(notAllowed)
    }
    await expect(handle['counter.cover']({ id, why: 'help' }, other)).rejects.toMatchObject(notAllowed)
    await expect(handle['counter.adjust']({ id, language: 'mi' }, other)).rejects.toMatchObject(notAllowed)
    expect((await handle['counter.adjust']({ id, language: 'mi' }, theirs)).preferences.language).toBe('mi')
    await expect(handle['counter.zoom']({ id, factor: 2 }, other)).rejects.toMatchObject(notAllowed)
    expect((await handle['counter.cover']({ id, why: 'help' }, theirs)).cover).toBe('help')
    expect(await handle['counter.touched']({ id }, theirs)).toBeUndefined()
  })

  test('the PIN is accepted from both', async () => {
    const { handle, id } = await signing(place)
    expect((await handle['counter.unlock']({ id, pin: PIN }, theirs)).cover).toBe('staff')
    expect((await handle['counter.unlock']({ id, pin: PIN }, other)).cover).toBe('staff')
    expect((await handle['counter.staff']({ id, does: 'continue' }, theirs))?.phase).toBe('handover')
  })
})

test('the second display sees a session only while someone signs on it', async () => {
  const session = await signing('here')
  expect(await session.handle['counter.state'](undefined, person)).toBeNull()
  expect((await session.handle['counter.state'](undefined, clerk))?.id).toBe(session.id)
  const { handle, id } = await signing('other-display')
  expect((await handle['counter.state'](undefined, person))?.id).toBe(id)
  await handle['counter.staff']({ id, does: 'end' }, clerk)
  expect(await handle['counter.state'](undefined, person)).toBeNull()
  expect((await handle['counter.state'](undefined, clerk))?.phase).toBe('ended')
  expect(await handle['counter.close']({ id }, clerk)).toBeUndefined()
  expect(await handle['counter.state'](undefined, clerk)).toBeNull()
})

test('the queue can be read, pinned and offered from', async () => {
  const office = openOffice()
  const handle = counterHandlers(office.counter, () => [office.chosen])
  await handle['counter.pinEntry']({ documentReference: 'will', signer: 0, isToday: true }, clerk)
  expect(await handle['counter.queue'](undefined, clerk)).toMatchObject([{ signerName: 'Ann Example', isToday: true }])
  const offer = await handle['counter.offer']({ documentReference: 'will', signer: 0 }, clerk)
  expect(offer.first.isToday).toBe(true)
})

test('the second display sees only the contact of the person whose turn it is', async () => {
  const office = openOffice({
    will: [
      signer('Ann Example', { Email: 'ann@first.example' }),
      signer('Ann Example', { Email: 'ann@second.example' })
    ]
  })
  office.place = 'other-display'
  const handle = counterHandlers(office.counter, () => [office.chosen])
  const turns = [0, 1].map((index) => ({ documentReference: 'will', signer: index, evidence: [] }))
  const { id } = await handle['counter.start']({ turns, allowsCamera: false }, clerk)
  const contacts = (session: CounterSession | null) => session?.turns.map(({ contact }) => contact)
  const both = ['ann@first.example', 'ann@second.example']
  expect(contacts(await handle['counter.state'](undefined, clerk))).toEqual(both)
  expect(contacts(await handle['counter.state'](undefined, person))).toEqual([both[0], undefined])
  expect(contacts(await handle['counter.begin']({ id }, person))).toEqual([both[0], undefined])
  expect(contacts(await handle['counter.unlock']({ id, pin: PIN }, person))).toEqual([both[0], undefined])
  expect(contacts(await handle['counter.staff']({ id, does: 'continue' }, person))).toEqual([both[0], undefined])
  expect(contacts(await handle['counter.staff']({ id, does: 'cover' }, clerk))).toEqual(both)
})
