/** Telling and the counter joined: what is told must not reach the person who has the screen. */
import { expect, test } from 'vitest'
import { openCounter } from '../../../src/main/core/counter/counter.ts'
import type { SigningViewEvents } from '../../../src/main/core/counter/signing-view.ts'
import { asAppError } from '../../../src/main/ipc/errors.ts'
import { office } from './office.ts'

const document = {
  Reference: 'will',
  Name: 'Will',
  Signers: [
    {
      FirstName: 'Ann',
      LastName: 'Example',
      SignedStatus: 'Invitation',
      SigningKey: 'https://service.example.com/sign/1',
      IsFaceToFaceSigning: true
    }
  ]
}

test('what happened while somebody signed is told once the clerk has left what became of the turn, and not before', async () => {
  const here = office()
  const telling = await here.atWork()
  const page: { events?: SigningViewEvents } = {}
  const counter = openCounter({
    waitingHere: async () => [],
    documentOf: async () => ({
      ...{ accountId: 'office', document, folder: 'InBox', seenAt: 1, changedAt: 1, unread: false, logsAreOld: false }
    }),
    refresh: async () => undefined,
    account: () => ({ kind: 'service', baseUrl: 'https://service.example.com' }),
    returnAddressOf: () => undefined,
    openView({ events }) {
      page.events = events
      return { show() {}, cover() {}, zoom() {}, destroy: async () => undefined }
    },
    zoom: () => 1,
    describe: asAppError,
    clock: here.time.clock,
    newId: () => 'turn',
    changed() {
      here.isHandedOver = counter.isHandedOver()
      telling.counterChanged()
    }
  })
  const { id } = await counter.start('will', 0)
  counter.show(id, { x: 0, y: 0, width: 1, height: 1 })
  here.desk.happens({ kind: 'declined', documentName: 'Somebody else’s deed' })
  await here.goOn()
  page.events?.returned()
  // The screen ends a turn that came back by itself; what is shown then is for the signer's eyes, too.
  await counter.end(id)
  await here.goOn(60_000)
  expect(here.shown).toEqual([])
  counter.leave()
  await here.goOn()
  expect(here.bodies()).toEqual(['Somebody else’s deed'])
})
