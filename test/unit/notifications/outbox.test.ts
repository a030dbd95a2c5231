/** What in the Outbox needs someone is notified once, to those it concerns. */
import { expect, test } from 'vitest'
import type { SendView } from '../../../src/shared/contract/index.ts'
import { HOUR, office, TEN } from './office.ts'

function send(changes: Partial<SendView>): SendView {
  return {
    id: 'one',
    accountId: 'office',
    kind: 'form-direct',
    title: 'Deed of gift',
    who: 'Mere Tamati',
    state: 'ready',
    createdAt: TEN,
    attempt: 0,
    documents: [],
    ...changes
  }
}
const held = (changes: Partial<SendView> = {}) => send({ hold: 'release', release: { by: 'Anna Lee' }, ...changes })

test('a pause by the service is notified once, with a link to the Outbox', async () => {
  const here = office()
  await here.atWork()
  here.pause = { by: 'service', since: TEN, error: { code: 'payment-required', message: 'Account on hold.' } }
  await here.goOn()
  await here.goOn(HOUR)
  await here.atWork()
  expect(here.shown).toEqual([
    {
      title: 'The Outbox is paused',
      body: 'Account on hold. Nothing is sent until someone resumes.',
      isSilent: true,
      leadsTo: { accountId: 'office', place: 'outbox' },
      changes: []
    }
  ])
  here.pause = undefined
  await here.goOn()
  here.pause = { by: 'service', since: TEN + HOUR }
  await here.goOn()
  expect(here.titles()).toHaveLength(2)
})

test('pauses by a person or the connection, and uncertain packages, aren’t notified', async () => {
  const here = office()
  await here.atWork()
  here.attention = [send({ state: 'uncertain' })]
  for (const by of ['person', 'line'] as const) {
    here.pause = { by, since: TEN }
    await here.goOn()
  }
  expect(here.shown).toEqual([])
})

test('unsent packages are notified with the reason, several in one notice', async () => {
  const here = office()
  await here.atWork()
  const error = { code: 'invalid', message: 'The e-mail address is wrong.' } as const
  here.attention = [send({ state: 'refused', error })]
  await here.goOn()
  expect(here.bodies()).toEqual(['Deed of gift: The e-mail address is wrong.'])
  here.attention = ['two', 'three'].map((id) => send({ id, title: id, state: 'not-sent' }))
  await here.goOn()
  expect(here.shown.at(-1)).toMatchObject({ title: '2 packages weren’t sent', body: 'two, three' })
})

test('with more packages than are read at a time, old ones aren’t notified again once newer ones are over', async () => {
  const here = office()
  await here.atWork()
  const refused = (id: number) => send({ id: `${id}`, state: 'refused' })
  const old = Array.from({ length: 50 }, (_, id) => refused(id))
  here.attention = old
  await here.goOn()
  here.attention = [...Array.from({ length: 60 }, (_, id) => refused(100 + id)), ...old]
  await here.goOn()
  expect(here.titles()).toEqual(['50 packages weren’t sent', '50 packages weren’t sent'])
  here.attention = old
  await here.goOn()
  await here.atWork()
  expect(here.titles()).toHaveLength(2)
  // Retried, and refused once more.
  here.attention = old.slice(1)
  await here.goOn()
  here.attention = old
  await here.goOn()
  expect(here.titles()).toHaveLength(3)
})

test('a package to be released is notified to others than its sender, and a refusal to others than the refuser', async () => {
  const here = office()
  here.who = 'Anna Lee'
  await here.atWork()
  here.attention = [held()]
  await here.goOn()
  expect(here.shown).toEqual([])
  here.who = 'Rua Cole'
  await here.goOn()
  expect(here.shown).toMatchObject([
    { title: 'A package is to be released', body: 'Deed of gift, prepared by Anna Lee' }
  ])
  here.attention = [held({ release: { by: 'Anna Lee', refused: { by: 'Rua Cole', reason: 'Wrong e-mail' } } })]
  await here.goOn()
  expect(here.shown).toHaveLength(1)
  here.who = 'Anna Lee'
  await here.goOn()
  expect(here.shown.at(-1)).toMatchObject({
    title: 'A package wasn’t released',
    body: 'Deed of gift: Rua Cole: “Wrong e-mail”'
  })
})

test('nothing about the Outbox is notified if that is turned off', async () => {
  const here = office()
  here.settings = { ...here.settings, kinds: { ...here.settings.kinds, outbox: 'never' } }
  await here.atWork()
  here.attention = [send({ state: 'refused' })]
  await here.goOn()
  expect(here.shown).toEqual([])
})
