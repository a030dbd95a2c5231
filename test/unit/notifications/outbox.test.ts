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
  const workstation = office()
  await workstation.atWork()
  workstation.pause = { by: 'service', since: TEN, error: { code: 'payment-required', message: 'Account on hold.' } }
  await workstation.goOn()
  await workstation.goOn(HOUR)
  await workstation.atWork()
  expect(workstation.shown).toEqual([
    {
      title: 'The Outbox is paused',
      body: 'Account on hold. Nothing is sent until someone resumes.',
      isSilent: true,
      leadsTo: { accountId: 'office', place: 'outbox' },
      changes: []
    }
  ])
  workstation.pause = undefined
  await workstation.goOn()
  workstation.pause = { by: 'service', since: TEN + HOUR }
  await workstation.goOn()
  expect(workstation.titles()).toHaveLength(2)
})

test('a keychain that fails is notified once, however many accounts wait for it, until it works again', async () => {
  const workstation = office()
  workstation.accounts = [{ id: 'office' }, { id: 'harbour' }]
  await workstation.atWork()
  const error = { code: 'keychain', message: 'This computer’s keychain is locked.' } as const
  workstation.pause = { by: 'service', since: TEN, error }
  await workstation.goOn()
  await workstation.atWork()
  const [notified] = workstation.shown
  expect(workstation.shown).toHaveLength(1)
  expect(notified).toMatchObject({
    title: 'The Outbox is paused',
    body: 'This computer’s keychain is locked. Nothing is sent until someone resumes.',
    leadsTo: { place: 'outbox' }
  })
  workstation.pause = undefined
  await workstation.goOn()
  workstation.pause = { by: 'service', since: TEN + HOUR, error }
  await workstation.goOn()
  expect(workstation.shown).toHaveLength(2)
})

test('pauses by a person or the connection, and uncertain packages, aren’t notified', async () => {
  const workstation = office()
  await workstation.atWork()
  workstation.attention = [send({ state: 'uncertain' })]
  for (const by of ['person', 'line'] as const) {
    workstation.pause = { by, since: TEN }
    await workstation.goOn()
  }
  expect(workstation.shown).toEqual([])
})

test('unsent packages are notified with the reason, several in one notice', async () => {
  const workstation = office()
  await workstation.atWork()
  const error = { code: 'invalid', message: 'The e-mail address is wrong.' } as const
  workstation.attention = [send({ state: 'refused', error })]
  await workstation.goOn()
  expect(workstation.bodies()).toEqual(['Deed of gift: The e-mail address is wrong.'])
  workstation.attention = ['two', 'three'].map((id) => send({ id, title: id, state: 'not-sent' }))
  await workstation.goOn()
  expect(workstation.shown.at(-1)).toMatchObject({ title: '2 packages weren’t sent', body: 'two, three' })
})

test('with more packages than are read at a time, old ones aren’t notified again once newer ones are over', async () => {
  const workstation = office()
  await workstation.atWork()
  const refused = (id: number) => send({ id: `${id}`, state: 'refused' })
  const old = Array.from({ length: 50 }, (_, id) => refused(id))
  workstation.attention = old
  await workstation.goOn()
  workstation.attention = [...Array.from({ length: 60 }, (_, id) => refused(100 + id)), ...old]
  await workstation.goOn()
  expect(workstation.titles()).toEqual(['50 packages weren’t sent', '50 packages weren’t sent'])
  workstation.attention = old
  await workstation.goOn()
  await workstation.atWork()
  expect(workstation.titles()).toHaveLength(2)
  // Retried, and refused once more.
  workstation.attention = old.slice(1)
  await workstation.goOn()
  workstation.attention = old
  await workstation.goOn()
  expect(workstation.titles()).toHaveLength(3)
})

test('a package to be released is notified to others than its sender, and a refusal to others than the refuser', async () => {
  const workstation = office()
  workstation.who = 'Anna Lee'
  await workstation.atWork()
  workstation.attention = [held()]
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
  workstation.who = 'Rua Cole'
  await workstation.goOn()
  expect(workstation.shown).toMatchObject([
    { title: 'A package is waiting for release', body: 'Deed of gift, prepared by Anna Lee' }
  ])
  workstation.attention = [held({ release: { by: 'Anna Lee', refused: { by: 'Rua Cole', reason: 'Wrong e-mail' } } })]
  await workstation.goOn()
  expect(workstation.shown).toHaveLength(1)
  workstation.who = 'Anna Lee'
  await workstation.goOn()
  expect(workstation.shown.at(-1)).toMatchObject({
    title: 'A package wasn’t released',
    body: 'Deed of gift: Rua Cole: “Wrong e-mail”'
  })
})

test('nothing about the Outbox is notified if that is turned off', async () => {
  const workstation = office()
  workstation.settings = { ...workstation.settings, kinds: { ...workstation.settings.kinds, outbox: 'never' } }
  await workstation.atWork()
  workstation.attention = [send({ state: 'refused' })]
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
})

test.each(['outbox-notified', 'telling-cursor'])(
  'a package that wasn’t sent is notified once the disk has room, if it was full while %s was stored',
  async (key) => {
    const workstation = office()
    await workstation.atWork()
    const full = `SELECT RAISE(ABORT, 'database or disk is full')`
    workstation.db.exec(`CREATE TRIGGER full BEFORE INSERT ON meta WHEN NEW.key = '${key}' BEGIN ${full}; END`)
    workstation.attention = [send({ state: 'refused' })]
    workstation.worker.happens({ kind: 'declined' })
    await workstation.goOn()
    expect(workstation.shown).toEqual([])
    expect(workstation.failures).not.toEqual([])
    workstation.db.exec('DROP TRIGGER full')
    await workstation.goOn()
    expect(workstation.titles()).toEqual(['A package wasn’t sent', 'Declined'])
    await workstation.goOn(HOUR)
    expect(workstation.shown).toHaveLength(2)
  }
)
