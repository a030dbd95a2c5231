import { expect, test } from 'vitest'
import { CounterBoard } from '../../../src/main/core/appointments/board.ts'
import type { ConnectionView, CounterSession } from '../../../src/shared/contract/index.ts'
import { sessionOf, turnOf } from '../../renderer/fakes/counter.ts'
import { MINUTE, office, TEN } from './office.ts'

function counter() {
  const one = office()
  let session: CounterSession | null = null
  let connection: ConnectionView = { state: 'online', since: TEN }
  const board = new CounterBoard({
    time: { now: () => one.clock.at },
    appointments: one.appointments,
    session: () => session,
    staff: () => 'Grace',
    counterName: () => 'Counter 2',
    connection: () => connection,
    hasOtherDisplay: () => true,
    accountId: () => undefined,
    office: { view: () => undefined }
  })
  return {
    ...one,
    board: () => board.board(),
    firstCounter: () => board.board().counters[0],
    become(change: Partial<CounterSession> | null) {
      session =
        change &&
        sessionOf({ place: 'other-display', turns: [turnOf(), turnOf({ signerName: 'Tama Brooks' })], ...change })
      board.sessionChanged()
    },
    connect: (view: ConnectionView) => {
      connection = view
    }
  }
}

test('the board shows who signs, since when, and how long a cover has lasted', () => {
  const { become, firstCounter, pass } = counter()
  expect(firstCounter()).toEqual({
    id: 'here',
    name: 'Counter 2',
    staff: 'Grace',
    state: 'free',
    wantsStaff: false,
    hasOtherDisplay: true
  })
  become({ phase: 'open' })
  pass(4 * MINUTE)
  become({ phase: 'open', zoom: 1.5 })
  expect(firstCounter()).toMatchObject({
    state: 'signing',
    signer: 'Mere Parata',
    document: 'Tenancy agreement Parata',
    since: TEN
  })
  become({ phase: 'covered', cover: 'help' })
  pass(MINUTE)
  expect(firstCounter()).toMatchObject({
    state: 'covered',
    coveredSince: TEN + 4 * MINUTE,
    since: TEN,
    wantsStaff: true
  })
  become({ phase: 'covered', cover: 'idle', isLocked: true })
  expect(firstCounter()).toMatchObject({ state: 'locked', coveredSince: TEN + 4 * MINUTE })
  become({ phase: 'open', current: 1 })
  expect(firstCounter()).toMatchObject({ signer: 'Tama Brooks', since: TEN + 5 * MINUTE, wantsStaff: false })
  expect(firstCounter()).not.toHaveProperty('coveredSince')
  become({ phase: 'asking', current: 1 })
  expect(firstCounter()).toMatchObject({ state: 'between' })
  become({ phase: 'ended', current: 1 })
  expect(firstCounter()).toMatchObject({ state: 'free' })
  expect(firstCounter()).not.toHaveProperty('signer')
})

test('a lost connection is shown with its start', () => {
  const { connect, firstCounter } = counter()
  connect({ state: 'offline', since: TEN - MINUTE })
  expect(firstCounter()).toMatchObject({ downSince: TEN - MINUTE })
  connect({ state: 'online', since: TEN })
  expect(firstCounter()).not.toHaveProperty('downSince')
})

test('those waiting are shown in order of arrival, with their numbers', async () => {
  const { add, appointments, board, pass } = counter()
  const [mere, tama, aroha] = [await add('Mere Parata', 30), await add('Tama Brooks', 40), await add('Aroha Ngata', 50)]
  await add('Wiremu Pohe', 60, { place: 'Room 2' })
  appointments.mark(tama, 'arrived')
  pass(MINUTE)
  appointments.mark(mere, 'arrived')
  appointments.call(mere)
  appointments.mark(aroha, 'no-show')
  appointments.mark(await add('Hemi Fraser', 20), 'here')
  expect(board()).toMatchObject({
    waiting: [
      { number: 1, name: 'Tama Brooks', isCalled: false, arrivedAt: TEN },
      { number: 2, name: 'Mere Parata', isCalled: true, arrivedAt: TEN + MINUTE }
    ],
    counts: { expected: 1, here: 1, done: 0, noShow: 1 },
    next: { name: 'Wiremu Pohe', place: 'Room 2' }
  })
})
