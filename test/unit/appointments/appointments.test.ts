import { describe, expect, test } from 'vitest'
import { Calls } from '../../../src/main/core/appointments/calls.ts'
import { matcherFor } from '../../../src/main/core/appointments/matching.ts'
import { sessionOf, turnOf } from '../../renderer/fakes/counter.ts'
import { HOUR, MINUTE, office, TEN } from './office.ts'

describe('today’s appointments', () => {
  test('are in order of time, with place, and end with the day', async () => {
    const { appointments, add, pass } = office()
    await add('Tama Brooks', 60, { place: 'Room 2', email: 'tama@example.com', about: 'Will' })
    await add('Mere Parata', 30)
    await add('Far Away', 24 * 60)
    const { appointments: today, places } = await appointments.today()
    expect(today.map(({ name, place }) => [name, place])).toEqual([
      ['Mere Parata', ''],
      ['Tama Brooks', 'Room 2']
    ])
    expect(places).toEqual(['Room 2'])
    pass(14 * HOUR)
    expect((await appointments.today()).appointments.map(({ name }) => name)).toEqual(['Far Away'])
    expect(appointments.table.between('office', 0, Number.MAX_SAFE_INTEGER)).toHaveLength(1)
  })

  test('belong to their account, and are deleted with it', async () => {
    const { appointments, add, chosen, db } = office()
    await add('Mere Parata')
    chosen.account = 'branch'
    expect((await appointments.today()).appointments).toEqual([])
    db.exec(`DELETE FROM accounts WHERE id = 'office'`)
    chosen.account = 'office'
    expect((await appointments.today()).appointments).toEqual([])
  })

  test('of all shown accounts are listed together, and matched with their own account’s queue', async () => {
    const { appointments, add, chosen, waits, queueReadCount } = office()
    waits({ name: 'Mere Parata', person: 'p1' })
    await add('Mere Parata', 30)
    chosen.account = 'branch'
    const theirs = await add('Mere Parata', 10, { place: 'Branch desk' })
    chosen.others.push('office')
    const before = queueReadCount()
    const today = await appointments.today()
    expect(today.appointments.map(({ accountId, person }) => [accountId, person])).toEqual([
      ['branch', undefined],
      ['office', 'p1']
    ])
    expect(today.places).toEqual(['Branch desk'])
    expect(queueReadCount()).toBe(before + 2)
    // A change to an appointment goes to its own account, whichever account is chosen.
    chosen.account = 'office'
    chosen.others = ['branch']
    appointments.call(theirs)
    expect(appointments.currentCall()).toMatchObject({ number: 1, place: 'Branch desk' })
    expect(appointments.table.find('branch', theirs)).toMatchObject({ state: 'called' })
  })

  describe('while the office’s answer is awaited', () => {
    /** An office in which another account is chosen before the answer. */
    function switching() {
      const { appointments, chosen, clock, add } = office()
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
      const claim = async () => {
        await answered
        return { isGranted: true }
      }
      const exclusiveTasks = { of: (accountId: string) => ({ accountId, tasks: { claim } }) } as never
      const time = { now: () => clock.at, zone: () => 'Pacific/Auckland', after: () => () => undefined } as never
      const deps = { appointments, exclusiveTasks, time, accountId: () => chosen.account, newId: () => 'claim' }
      async function whileSwitching(asked: Promise<void>): Promise<void> {
        chosen.account = 'branch'
        answer()
        await asked
      }
      return { appointments, add, calls: new Calls(deps), whileSwitching }
    }
    const arrived = [{ name: 'Mere Parata', state: 'arrived', number: 1 }]

    test('someone who has just come stays with the account they were added in', async () => {
      const { appointments, calls, whileSwitching } = switching()
      await whileSwitching(calls.add({ name: 'Mere Parata', at: TEN, minutes: 30, hasArrived: true }))
      expect(appointments.ofToday(['branch'])).toEqual([])
      expect(appointments.ofToday(['office'])).toMatchObject(arrived)
    })

    test('someone is marked as arrived also if another account is chosen', async () => {
      const { appointments, add, calls, whileSwitching } = switching()
      const id = await add('Mere Parata')
      await whileSwitching(calls.mark(id, 'arrived'))
      expect(appointments.ofToday(['office'])).toMatchObject(arrived)
    })
  })

  test('aren’t marked as here because of another account’s session with that name', async () => {
    const { appointments, add, chosen, waits } = office()
    waits({ name: 'Mere Parata', person: 'p1' })
    const ours = await add('Mere Parata', 30)
    chosen.account = 'branch'
    chosen.others = ['office']
    const theirs = await add('Mere Parata', 10, { person: 'p1' })
    const session = sessionOf({ accountId: 'office', turns: [turnOf({ person: 'p1' })] })
    await appointments.sessionChanged(session)
    expect(appointments.table.find('office', ours)).toMatchObject({ state: 'here' })
    expect(appointments.table.find('branch', theirs)).toMatchObject({ state: 'expected' })
  })

  test('change state step by step, each recorded in the trail', async () => {
    const { appointments, add, notes, only, notified } = office()
    const id = await add('Mere Parata', 30, { place: 'Room 2' })
    appointments.mark(id, 'arrived')
    expect(await only()).toMatchObject({ state: 'arrived', number: 1 })
    appointments.call(id)
    appointments.call(id)
    appointments.mark(id, 'here')
    appointments.mark(id, 'done')
    expect(notes.map(({ what, signerName, detail }) => [what, signerName, detail])).toEqual([
      ['appointment-saved', 'Mere Parata', { appointment: '2026-11-21 10:30', at: 'Room 2', how: 'added' }],
      ['appointment-arrived', 'Mere Parata', { appointment: '2026-11-21 10:30', at: 'Room 2', number: '1' }],
      ['appointment-called', 'Mere Parata', { appointment: '2026-11-21 10:30', at: 'Room 2', number: '1', times: '1' }],
      ['appointment-called', 'Mere Parata', { appointment: '2026-11-21 10:30', at: 'Room 2', number: '1', times: '2' }],
      ['appointment-marked', 'Mere Parata', { appointment: '2026-11-21 10:30', at: 'Room 2', number: '1', to: 'here' }],
      ['appointment-marked', 'Mere Parata', { appointment: '2026-11-21 10:30', at: 'Room 2', number: '1', to: 'done' }]
    ])
    expect(notified.changed).toBeGreaterThanOrEqual(6)
  })

  test('marked as missed can be undone by one step, keeping the number', async () => {
    const { appointments, add, notes, only } = office()
    const id = await add('Mere Parata')
    appointments.mark(id, 'arrived')
    appointments.mark(id, 'no-show')
    expect(await only()).toMatchObject({ state: 'no-show' })
    appointments.mark(id, 'undo')
    expect(await only()).toMatchObject({ state: 'arrived', number: 1 })
    expect(notes.map(({ what }) => what).slice(-2)).toEqual(['appointment-missed', 'appointment-undone'])
  })

  test('can be undone step by step, back to expected', async () => {
    const { appointments, add, notes, only } = office()
    const id = await add('Mere Parata')
    appointments.mark(id, 'arrived')
    appointments.call(id)
    appointments.call(id)
    appointments.mark(id, 'here')
    appointments.mark(id, 'done')
    const undone: unknown[] = []
    for (let presses = 0; presses < 6; presses++) {
      appointments.mark(id, 'undo')
      const left = await only()
      undone.push([left?.state, left?.number, left?.arrivedAt !== undefined])
    }
    expect(undone).toEqual([
      ['here', 1, true],
      ['called', 1, true],
      ['arrived', 1, true],
      ...Array.from({ length: 3 }, () => ['expected', 1, false])
    ])
    expect(notes.filter(({ what }) => what === 'appointment-undone')).toHaveLength(4)
  })

  test('that are changed keep what isn’t given, and lose it if it is given as empty', async () => {
    const { appointments, add, only } = office()
    const id = await add('Mere Parata', 30, { email: 'mere@example.com', place: 'Room 2', about: 'Deed of gift' })
    appointments.mark(id, 'arrived')
    appointments.change({ id, minutes: 45, place: '' })
    expect(await only()).toMatchObject({ state: 'arrived', minutes: 45, email: 'mere@example.com', place: '' })
    appointments.change({ id, about: undefined })
    expect((await only())?.about).toBe('Deed of gift')
  })

  test('that were removed are put back as they were, once, with their number', async () => {
    const { appointments, add, only, refusing, chosen } = office()
    const id = await add('Mere Parata')
    appointments.change({ id, minutes: 45, email: 'mere@example.com', place: 'Room 2' })
    appointments.mark(id, 'arrived')
    const { id: _, ...before } = (await only()) ?? {}
    appointments.remove(id)
    refusing.notes = true
    expect(() => appointments.mark(id, 'undo')).toThrow('full')
    refusing.notes = false
    chosen.account = 'branch'
    expect(() => appointments.mark(id, 'undo')).toThrow()
    chosen.account = 'office'
    appointments.mark(id, 'undo')
    expect(await only()).toMatchObject(before)
    expect(before).toMatchObject({ number: 1, state: 'arrived' })
    expect(() => appointments.mark(id, 'undo')).toThrow()
  })

  test('don’t change state if the trail can’t record it', async () => {
    const { appointments, add, only, refusing } = office()
    const id = await add('Mere Parata')
    refusing.notes = true
    expect(() => appointments.mark(id, 'no-show')).toThrow('full')
    expect(() => appointments.call(id)).toThrow('full')
    expect(await only()).toMatchObject({ state: 'expected' })
    expect(appointments.currentCall()).toBeUndefined()
  })

  test('that are gone or belong to another account are refused', async () => {
    const { appointments, add, chosen } = office()
    const id = await add('Mere Parata')
    chosen.account = 'branch'
    for (const act of [
      () => appointments.mark(id, 'arrived'),
      () => appointments.call(id),
      () => appointments.remove(id)
    ])
      expect(act).toThrow(expect.objectContaining({ appError: expect.objectContaining({ code: 'gone' }) }))
  })
})

describe('an appointment’s number', () => {
  test('is the next of the day, never reused, and starts at 1 each morning', async () => {
    const { appointments, add, only, pass } = office()
    const first = await add('Mere Parata')
    appointments.mark(first, 'arrived')
    appointments.remove(first)
    appointments.mark(await add('Tama Brooks'), 'arrived')
    expect(await only()).toMatchObject({ number: 2 })
    pass(24 * HOUR)
    const next = await add('Aroha Ngata', 24 * 60 + 30)
    appointments.call(next)
    expect(await only()).toMatchObject({ number: 1, state: 'called' })
  })

  test('is dropped when it is moved to another day, where it gets another', async () => {
    const { appointments, add, only, pass } = office()
    const mere = await add('Mere Parata')
    appointments.call(mere)
    appointments.change({ id: mere, at: TEN + 24 * HOUR })
    expect(appointments.currentCall()).toBeUndefined()
    pass(23 * HOUR)
    const appointment = await only()
    expect(appointment).toMatchObject({ state: 'expected' })
    expect(appointment).not.toHaveProperty('number')
    expect(appointment).not.toHaveProperty('arrivedAt')
    appointments.mark(await add('Tama Brooks', 24 * 60 + 30), 'arrived')
    appointments.mark(mere, 'arrived')
    expect((await appointments.today()).appointments.map(({ number }) => number)).toEqual([2, 1])
  })

  test('is called with its place but no name, until the person is here or five minutes have passed', async () => {
    const { appointments, add, pass } = office()
    const mere = await add('Mere Parata', 30, { email: 'mere@example.com' })
    const tama = await add('Tama Brooks', 40, { place: 'Room 2' })
    appointments.mark(mere, 'arrived')
    appointments.call(mere)
    expect(appointments.currentCall()).toEqual({ number: 1, place: 'Counter 2', calls: 1 })
    appointments.call(tama)
    expect(appointments.currentCall()).toEqual({ number: 2, place: 'Room 2', calls: 1 })
    appointments.mark(tama, 'here')
    expect(appointments.currentCall()).toBeUndefined()
    appointments.call(mere)
    expect(appointments.currentCall()).toMatchObject({ number: 1, calls: 2 })
    pass(5 * MINUTE)
    expect(appointments.currentCall()).toBeUndefined()
  })
})

describe('the signer of an appointment', () => {
  const mere = { person: 'a', name: 'Mere Parata', email: 'mere@example.com' }
  const other = { person: 'b', name: 'Mere Parata', email: 'm.parata@example.org' }
  const tama = { person: 'c', name: 'Tama Brooks' }

  test.each([
    [
      'the one with that address',
      { name: 'M Parata', email: 'MERE@example.com' },
      [mere, other],
      { person: 'a', choices: 0 }
    ],
    ['the only one with that name', { name: 'tama brooks', email: '' }, [mere, tama], { person: 'c', choices: 0 }],
    [
      'the one with that name, if nobody’s address is known',
      { name: 'Tama Brooks', email: 't@example.com' },
      [tama],
      { person: 'c', choices: 0 }
    ],
    ['nobody, if two have the name', { name: 'Mere Parata', email: '' }, [mere, other], { choices: 2 }],
    ['nobody, if the address is another’s', { name: 'Mere Parata', email: 'x@example.com' }, [mere], { choices: 1 }],
    [
      'the one with both, if two share the address',
      { name: 'Mere Parata', email: 'mere@example.com' },
      [mere, { ...tama, email: 'mere@example.com' }],
      { person: 'a', choices: 0 }
    ],
    [
      'nobody, in a family that shares the address',
      { name: 'Parata', email: 'mere@example.com' },
      [mere, { ...tama, email: 'mere@example.com' }],
      { choices: 2 }
    ],
    [
      'the one that staff chose',
      { name: 'Mere Parata', email: '', person: 'b' },
      [mere, other],
      { person: 'b', choices: 0 }
    ],
    ['nobody, if staff said so', { name: 'Tama Brooks', email: '', person: '' }, [tama], { choices: 0 }],
    ['nobody, if the chosen person is gone', { name: 'Mere Parata', email: '', person: 'z' }, [mere], { choices: 0 }]
  ])('is %s', (_, expected, people, { choices, ...fit }) => {
    const { choices: found, ...rest } = matcherFor(people)(expected)
    expect(rest).toEqual(fit)
    expect(found).toHaveLength(choices)
  })

  test('can be chosen by staff from the queue, which is recorded', async () => {
    const { appointments, add, only, waits, notes, refusing } = office()
    waits({ name: 'Mere Parata', email: 'mere@example.com' }, { name: 'Mere Parata', email: 'm.parata@example.org' })
    const id = await add('Mere Parata')
    expect(await only()).toMatchObject({
      choices: [
        { person: 'person-0', contact: 'mere@example.com' },
        { person: 'person-1', contact: 'm.parata@example.org' }
      ]
    })
    appointments.choosePerson(id, 'person-1')
    expect(notes.at(-1)).toMatchObject({
      what: 'appointment-matched',
      signerName: 'Mere Parata',
      detail: { matched: 'signer' }
    })
    expect(await only()).toMatchObject({ person: 'person-1', choices: [] })
    refusing.notes = true
    expect(() => appointments.choosePerson(id, '')).toThrow('The disk is full.')
    expect(await only()).toMatchObject({ person: 'person-1' })
    refusing.notes = false
    // The appointment is someone else's now.
    appointments.change({ id, name: 'Tama Brooks' })
    expect(await only()).not.toHaveProperty('person')
  })

  test('is matched among a thousand waiting, reading one document of each once', async () => {
    const { appointments, add, only, notified, waits } = office()
    const others = Array.from({ length: 998 }, (_, at) => ({ name: `Ann ${at}`, email: `ann-${at}@example.com` }))
    const last = { name: 'Mere Parata', email: 'another@example.org' }
    waits(...others, { ...last, person: 'last' }, { ...last, person: 'last' })
    await add('Mere Parata', 30, { email: 'mere@example.com' })
    // They don't count as another person only because their address wasn't read.
    expect(await only()).toMatchObject({ choices: [{ person: 'last', contact: 'another@example.org' }] })
    expect(notified.documentsRead).toBe(999)
    const turns = [turnOf({ person: 'stranger' })]
    for (let event = 0; event < 20; event++) await appointments.sessionChanged(sessionOf({ turns }))
    await appointments.today()
    expect(notified.documentsRead).toBe(999)
  })

  test('is matched for 200 appointments among a thousand waiting, reading each person once', () => {
    let reads = 0
    const people = Array.from({ length: 1000 }, (_, at) => ({
      person: `person-${at}`,
      get name() {
        reads++
        return `Ann Example ${at}`
      },
      get email() {
        reads++
        return `ann-${at}@example.com`
      }
    }))
    const fitOf = matcherFor(people)
    for (let at = 0; at < 200; at++) expect(fitOf({ name: `ann example ${at}`, email: '' }).person).toBe(`person-${at}`)
    expect(reads).toBe(2000)
  })

  test('is looked up once per session, and again if someone else is expected', async () => {
    const { appointments, add, queueReadCount, waits } = office()
    waits({ name: 'Ann Example', person: 'ann' })
    await add('Mere Parata')
    const before = queueReadCount()
    const turns = [turnOf({ person: 'ann' })]
    for (let event = 0; event < 20; event++) await appointments.sessionChanged(sessionOf({ turns }))
    expect(queueReadCount() - before).toBe(1)
    const id = await add('Ann Example', 60)
    await appointments.sessionChanged(sessionOf({ turns }))
    expect((await appointments.today()).appointments.find((one) => one.id === id)).toMatchObject({ state: 'here' })
  })

  test('is marked here when signing, and done once everything is signed', async () => {
    const { appointments, add, only, waits } = office()
    waits({ name: 'Mere Parata', person: 'mere' })
    appointments.mark(await add('Mere Parata'), 'arrived')
    const turns = [turnOf({ person: 'mere' }), turnOf({ person: 'mere', documentReference: 'doc-1' })]
    await appointments.sessionChanged(sessionOf({ turns }))
    expect(await only()).toMatchObject({ state: 'here' })
    const half = [
      turnOf({ person: 'mere', outcome: { signed: 'signed' } }),
      turnOf({ person: 'mere', outcome: { signed: 'not-yet' } })
    ]
    await appointments.sessionChanged(sessionOf({ phase: 'ended', turns: half }))
    expect(await only()).toMatchObject({ state: 'here' })
    const all = half.map((turn) => ({ ...turn, outcome: { signed: 'signed' as const } }))
    await appointments.sessionChanged(sessionOf({ phase: 'ended', turns: all }))
    expect(await only()).toMatchObject({ state: 'done' })
  })

  test('isn’t marked here again because of a session that is over', async () => {
    const { appointments, add, only, waits } = office()
    waits({ name: 'Mere Parata', person: 'mere' })
    const id = await add('Mere Parata')
    appointments.mark(id, 'arrived')
    const turns = [turnOf({ person: 'mere', outcome: { signed: 'not-yet' } })]
    await appointments.sessionChanged(sessionOf({ phase: 'open', turns }))
    for (const phase of ['return', 'ended'] as const) {
      appointments.mark(id, 'undo')
      // As another counter does by calling them.
      appointments.call(id)
      await appointments.sessionChanged(sessionOf({ phase, turns }))
      expect(await only()).toMatchObject({ state: 'called' })
      appointments.mark(id, 'here')
    }
  })

  test('isn’t marked here if they were marked otherwise, or removed, while the queue was read', async () => {
    const { appointments, add, waits } = office()
    waits(
      { name: 'Mere Parata', person: 'mere' },
      { name: 'Tama Brooks', person: 'tama' },
      { name: 'Ann', person: 'ann' }
    )
    const [mere, tama, ann] = [await add('Mere Parata', 10), await add('Tama Brooks', 20), await add('Ann', 30)]
    const turns = ['mere', 'tama', 'ann'].map((person) => turnOf({ person }))
    const searching = appointments.sessionChanged(sessionOf({ turns }))
    appointments.mark(mere, 'no-show')
    appointments.remove(tama)
    await searching
    expect([mere, ann].map((id) => appointments.get(id).state)).toEqual(['no-show', 'here'])
  })
})

test('today’s list says whether a display shows who is called', async () => {
  const at = office()
  expect((await at.appointments.today()).hasDisplay).toBe(true)
  at.chosen.hasDisplay = false
  expect((await at.appointments.today()).hasDisplay).toBe(false)
})
