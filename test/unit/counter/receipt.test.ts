/** Who is given a receipt at the counter, and when: the person who has finished, and only their own. */
import { expect, test } from 'vitest'
import { openCrashMarker } from '../../../src/main/core/counter/interrupted-session.ts'
import { counterHandlers } from '../../../src/main/ipc/counter.ts'
import { database } from '../audit/office.ts'
import { openOffice, signer } from './office.ts'

function counter(people: string[] = ['Ann Example', 'Ben Example']) {
  const office = openOffice({ will: people.map((name) => signer(name)), deed: people.map((name) => signer(name)) })
  const requests: unknown[] = []
  office.deps.receiptOf = async (session, person) => {
    requests.push([session, person])
    return { number: 'R-2026-000001-3F2A', sha256: '', size: 21, path: '' }
  }
  return { office, requests }
}

test('a person gets a receipt once the service has been asked about all their documents', async () => {
  const { office, requests } = counter()
  const { id } = await office.start(['will', 0], ['deed', 0], ['will', 1])
  const refused = { appError: { code: 'not-allowed' } }
  await expect(office.counter.receipt(id)).rejects.toMatchObject(refused)
  await office.opens()
  await expect(office.counter.receipt(id)).rejects.toMatchObject(refused)
  office.signs('will', 0)
  office.events().returned()
  await office.settled()
  // Their second document hasn't been signed yet.
  await expect(office.counter.receipt(id)).rejects.toMatchObject(refused)
  await office.handedOn()
  office.signs('deed', 0)
  office.events().returned()
  await office.settled()
  await office.counter.receipt(id)
  expect(requests).toEqual([[id, { name: 'Ann Example', contact: undefined }]])
  await expect(office.counter.receipt('another')).rejects.toMatchObject({ appError: { code: 'gone' } })
  await office.handedOn()
  await expect(office.counter.receipt(id)).rejects.toMatchObject(refused)
})

test('no receipt is given if the office offers none, and only the person’s own screen can request it', async () => {
  const { office } = counter()
  office.settings.receipt = 'never'
  const { id } = await office.start(['will', 0])
  await office.opens()
  office.signs('will', 0)
  office.events().returned()
  await office.settled()
  expect(office.state().receipt).toBeUndefined()
  await expect(office.counter.receipt(id)).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  const handlers = counterHandlers(office.counter, () => [office.chosen])
  const person = { from: 'person' as const, stillAsking: () => true }
  await expect(handlers['counter.receipt']({ id }, person)).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
})

test('the trail records the turn’s number, the account, and which of two people with one name signed', async () => {
  const { office } = counter(['Ann Example'])
  office.service.set('deed', { Signers: [signer('Ann Example', { Email: 'another.ann@example.com' })] })
  await office.looked()
  await office.start(['will', 0], ['deed', 0])
  await office.opens()
  office.events().returned()
  await office.handedOn()
  expect(office.notesOf('session-started')[0]?.detail).toMatchObject({ account: 'Harbour Lawyers' })
  expect(office.notesOf('turn-ended')[0]?.detail).toMatchObject({ turn: '1', contact: 'ann.example@example.com' })
})

test('the person’s contact survives a crash, so that a receipt doesn’t take one person for two', () => {
  const marker = openCrashMarker({ db: database(), onError: (error) => expect.unreachable(String(error)) })
  const turn = { documentReference: 'will', documentName: 'Will', signer: 0, signerName: 'Ann', person: 'ann' }
  const finished = { ...turn, contact: 'ann@example.com', identity: { person: 'ann' }, hasBegun: true }
  marker.save({ id: 's', accountId: 'a', startedAt: 1, staff: 'Grace', current: 0, turns: [finished] })
  expect(marker.read()).toMatchObject({ turns: [{ contact: 'ann@example.com' }] })
})
