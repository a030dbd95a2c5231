// Appointments that an office's workstations share: who is expected, who came and who was called is the same at each,
// with the server running, unreachable and restored. Concurrent changes to one are merged where possible; otherwise it
// becomes two appointments.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { StoredAppointment } from '../../src/main/core/appointments/appointments-table.ts'
import type { Input } from '../../src/shared/contract/requests.ts'
import { dumpOf, OfficeWorkstation, openOfficeWorkstation, twoWorkstations } from '../fixtures/office-workstation.ts'

const HOUR = 3_600_000
type Values = Partial<Input<'appointments.add'>>

class Workstation extends OfficeWorkstation {
  /** Which part of its saves is lost. */
  loses: 'nothing' | 'requests' | 'answers' = 'nothing'

  override join(name: string): Promise<void> {
    this.wrapPut(async (put, ...args) => {
      const answers = this.loses === 'requests' ? undefined : await put(...args)
      if (!answers || this.loses === 'answers') throw new Error('The line broke.')
      return answers
    })
    return super.join(name)
  }

  get #appointments() {
    return this.work.parts.appointments
  }
  all(): StoredAppointment[] {
    return this.#appointments.table.between(this.work.accountId, 0, Number.MAX_SAFE_INTEGER)
  }
  /** Adds an appointment as an import of a calendar event with that key would. */
  imported(key: string, values: Partial<StoredAppointment> = {}): void {
    const before = this.#appointments.table.byKey(this.work.accountId, key)
    const blank = { series: undefined, version: 0, email: '', mobile: '', minutes: 30, place: '', about: '', calls: 0 }
    const none = { person: undefined, before: undefined, number: undefined, arrivedAt: undefined, calledAt: undefined }
    this.#appointments.table.put({
      ...blank,
      ...none,
      workstation: undefined,
      id: randomUUID(),
      accountId: this.work.accountId,
      key,
      name: key,
      at: noon(),
      state: 'expected',
      ...before,
      ...values
    })
    this.work.parts.records.localChanged()
  }
  add(name: string, values: Values = {}): string {
    const before = new Set(this.all().map(({ id }) => id))
    this.#appointments.add({ name, at: noon(), minutes: 30, ...values })
    return this.all().find(({ id }) => !before.has(id))?.id ?? expect.fail('It was not added.')
  }
  change(id: string, values: Omit<Input<'appointments.change'>, 'id'>): void {
    this.#appointments.change({ id, ...values })
  }
  mark(id: string, as: Input<'appointments.mark'>['as']): void {
    this.#appointments.mark(id, as)
  }
  call(id: string): void {
    this.#appointments.call(id)
  }
  remove(id: string): void {
    this.#appointments.remove(id)
  }
  /** As the day's list shows them. */
  list(): string[] {
    const words = ({ name, state, place, workstation }: StoredAppointment) =>
      [name, place, state, workstation !== undefined && `at ${workstation}`].filter(Boolean).join(', ')
    return this.all().map(words).sort()
  }
}

const two = twoWorkstations(Workstation)
const { at, workstations, joinBoth, whenSynced } = two
/** On a future day, whenever this runs. */
const noon = () => Math.ceil(at(0).work.time.now / (24 * HOUR)) * 24 * HOUR + 36 * HOUR
function expectAll(...expected: unknown[]): void {
  for (const workstation of workstations) expect(workstation.list()).toEqual(expected)
}

test('joining shares all appointments; each change, mark and removal applies at every workstation', async () => {
  const mere = at(0).add('Mere Parata')
  const tama = at(1).add('Tama Brooks', { place: 'Room 1' })
  await joinBoth()
  await whenSynced()
  expectAll('Mere Parata, expected', 'Tama Brooks, Room 1, expected')
  at(1).mark(mere, 'arrived')
  at(0).change(tama, { place: 'Room 2' })
  await whenSynced()
  expectAll('Mere Parata, arrived', 'Tama Brooks, Room 2, expected')
  expect(
    at(0)
      .all()
      .map(({ number }) => number)
  ).toEqual([1, undefined])
  at(1).mark(tama, 'no-show')
  at(0).remove(mere)
  await whenSynced()
  expectAll('Tama Brooks, Room 2, no-show')
  at(0).mark(tama, 'undo')
  await whenSynced()
  expectAll('Tama Brooks, Room 2, expected')
})

test('each workstation shows where else someone was called', async () => {
  await joinBoth()
  const mere = at(0).add('Mere Parata')
  await whenSynced()
  at(1).call(mere)
  expect(at(1).work.parts.appointments.currentCall()).toMatchObject({ number: 1 })
  await whenSynced()
  expect(at(0).list()).toEqual(['Mere Parata, called, at Counter 2'])
  expect(at(1).list()).toEqual(['Mere Parata, called'])
  // Anyone called elsewhere since isn't called here any more.
  at(0).call(mere)
  await whenSynced()
  expect(at(1).work.parts.appointments.currentCall()).toBeUndefined()
  expect(at(1).list()).toEqual(['Mere Parata, called, at Front desk'])
  at(1).mark(mere, 'here')
  await whenSynced()
  expect(at(0).list()).toEqual(['Mere Parata, here, at Counter 2'])
  at(1).mark(mere, 'done')
  await whenSynced()
  expectAll('Mere Parata, done')
})

describe('calling someone', () => {
  const called = (index: number, id: string) => at(index).work.parts.calls.call(id)
  const refused = {
    appError: { code: 'busy', message: expect.stringMatching(/^Front desk called this person at \d\d:\d\d\.$/) }
  }

  test('is refused at a second counter until they have come or the call has expired', async () => {
    await joinBoth()
    const [mere, tama] = [at(0).add('Mere Parata'), at(0).add('Tama Brooks')]
    at(1).imported('event')
    await whenSynced()
    const event = (index: number) =>
      at(index)
        .all()
        .find(({ key }) => key === 'event')?.id ?? ''
    // None of these has been reported to the other.
    await called(0, mere)
    await called(0, event(0))
    await expect(called(1, mere)).rejects.toMatchObject(refused)
    await expect(called(1, event(1))).rejects.toMatchObject(refused)
    expect(at(1).list()).toEqual(['Mere Parata, expected', 'Tama Brooks, expected', 'event, expected'])
    await called(1, tama)
    await called(0, mere)
    // Calling someone else since changes nothing about that.
    await called(0, event(0))
    await at(0).work.parts.calls.mark(mere, 'here')
    await called(1, mere)
    await two.office.sql(`UPDATE office.task SET until = now() WHERE state = 'open'`)
    await called(1, event(1))
  })

  /** Lets something happen once the office has granted a workstation's next claim, before it knows. */
  function beforeItsClaim(index: number, happen: () => unknown): void {
    const place = at(index).work.parts.once.of(at(index).work.accountId)
    if (!place || place === 'away') expect.fail('It is not connected.')
    const { claim } = place.tasks
    place.tasks.claim = async (...asked) => {
      place.tasks.claim = claim
      const answer = await claim(...asked)
      await happen()
      return answer
    }
  }

  test.each(['here', 'no-show'] as const)('changes nothing for someone marked %s meanwhile', async (state) => {
    await joinBoth()
    const mere = at(0).add('Mere Parata')
    await whenSynced()
    at(0).mark(mere, 'arrived')
    beforeItsClaim(0, () => at(0).mark(mere, state))
    await called(0, mere)
    expect(at(0).list()).toEqual([`Mere Parata, ${state}`])
    expect(at(0).work.parts.appointments.currentCall()).toBeUndefined()
    // Others may call them.
    await vi.waitFor(() => called(1, mere))
  })

  test('or marking them as arrived doesn’t take someone back who is at the counter by now', async () => {
    await joinBoth()
    const mere = at(0).add('Mere Parata')
    beforeItsClaim(0, () => at(0).mark(mere, 'here'))
    await at(0).work.parts.calls.mark(mere, 'arrived')
    expect(at(0).list()).toEqual(['Mere Parata, here'])
  })

  test('leaves someone where they are if another counter has them by now', async () => {
    await joinBoth()
    const mere = at(0).add('Mere Parata')
    await whenSynced()
    beforeItsClaim(0, async () => {
      at(1).mark(mere, 'here')
      await whenSynced()
    })
    await called(0, mere)
    await whenSynced()
    expect(at(0).list()).toEqual(['Mere Parata, here, at Counter 2'])
    expect(at(1).list()).toEqual(['Mere Parata, here'])
  })

  test('is over for the other counters once a session has begun with them, or they were removed', async () => {
    await joinBoth()
    const [mere, tama] = [at(0).add('Mere Parata'), at(0).add('Tama Brooks')]
    await whenSynced()
    await called(0, mere)
    await called(0, tama)
    await expect(called(1, mere)).rejects.toMatchObject(refused)
    // As a session does.
    at(0).mark(mere, 'here')
    at(0).remove(tama)
    await vi.waitFor(() => called(1, mere))
    await vi.waitFor(() => called(1, tama))
  })

  test('gives everyone a number of their own, and works while the server is unreachable', async () => {
    await joinBoth()
    const ids = Array.from({ length: 6 }, (_, index) => at(0).add(`Person ${index}`))
    await whenSynced()
    await Promise.all(ids.map((id, index) => at(index % 2).work.parts.calls.mark(id, 'arrived')))
    const numbers = workstations.flatMap((workstation) => workstation.all().flatMap(({ number }) => number ?? []))
    expect(numbers).toHaveLength(6)
    expect(new Set(numbers).size).toBe(6)
    for (const workstation of workstations) {
      workstation.disconnect()
      await workstation.work.parts.calls.call(ids[0] ?? '')
    }
    expect(workstations.map((workstation) => workstation.all().find(({ id }) => id === ids[0])?.state)).toEqual([
      'called',
      'called'
    ])
  })
})

describe('an appointment changed at two workstations at once', () => {
  async function addAndDisconnect(values: Values = {}): Promise<string> {
    await joinBoth()
    const id = at(0).add('Mere Parata', values)
    await whenSynced()
    at(0).disconnect()
    return id
  }
  async function reconnectAndSync(): Promise<void> {
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
  }

  test('keeps both changes to different fields', async () => {
    const id = await addAndDisconnect()
    at(0).change(id, { name: 'Mere Parata-Reid' })
    at(1).change(id, { place: 'Room 2' })
    at(1).mark(id, 'arrived')
    await reconnectAndSync()
    expectAll('Mere Parata-Reid, Room 2, arrived')
  })

  test('keeps both changes even if the request with one was lost at first', async () => {
    await joinBoth()
    const id = at(0).add('Mere Parata')
    await whenSynced()
    at(0).loses = 'requests'
    at(0).change(id, { name: 'Mere Parata-Reid' })
    await expect(at(0).whenSynced()).rejects.toThrow()
    at(1).change(id, { place: 'Room 2' })
    await at(1).whenSynced()
    at(0).loses = 'nothing'
    await whenSynced()
    expectAll('Mere Parata-Reid, Room 2, expected')
  })

  test('takes the later state, and an arrival wins over a no-show', async () => {
    const id = await addAndDisconnect()
    at(0).mark(id, 'no-show')
    at(1).mark(id, 'arrived')
    await reconnectAndSync()
    expectAll('Mere Parata, arrived')
    at(0).disconnect()
    at(0).mark(id, 'here')
    at(1).mark(id, 'done')
    await reconnectAndSync()
    expectAll('Mere Parata, done')
    expect(at(0).all()[0]?.number).toBe(1)
    // Also if the office heard of the earlier state first.
    const other = at(0).add('Tama Brooks')
    await whenSynced()
    at(0).disconnect()
    at(0).mark(other, 'here')
    at(1).mark(other, 'arrived')
    await reconnectAndSync()
    expect(workstations.map((workstation) => workstation.all().find((one) => one.id === other)?.state)).toEqual([
      'here',
      'here'
    ])
  })

  test('isn’t marked as arrived if the other moved it to another day', async () => {
    const id = await addAndDisconnect()
    at(0).change(id, { at: noon() + 24 * HOUR })
    at(1).mark(id, 'arrived')
    await reconnectAndSync()
    expectAll('Mere Parata, expected')
    expect(at(1).all()).toMatchObject([{ at: noon() + 24 * HOUR, number: undefined, arrivedAt: undefined }])
    // Moved to later on the same day, they have arrived.
    at(0).disconnect()
    at(0).change(id, { at: noon() + 25 * HOUR })
    at(1).mark(id, 'arrived')
    await reconnectAndSync()
    expectAll('Mere Parata, arrived')
  })

  test('becomes two if both changed the same field, and the office’s stays unchanged', async () => {
    const id = await addAndDisconnect()
    at(0).change(id, { name: 'Mere Reid' })
    at(1).change(id, { name: 'Mary Parata' })
    await reconnectAndSync()
    expectAll('Mary Parata, expected', 'Mere Reid, expected')
    expect(
      at(1)
        .all()
        .find(({ name }) => name === 'Mere Reid')?.about
    ).toMatch(/^\(Front desk, \d\d:\d\d on .*\)$/)
  })

  test('is kept if one removed it and the other changed it', async () => {
    const id = await addAndDisconnect()
    at(0).remove(id)
    at(1).mark(id, 'arrived')
    await reconnectAndSync()
    expectAll('Mere Parata, arrived')
    const [one] = at(1).all()
    at(0).disconnect()
    at(0).mark(one?.id ?? '', 'here')
    at(1).remove(one?.id ?? '')
    await reconnectAndSync()
    expect(at(1).list()).toEqual(['Mere Parata, here, at Front desk'])
  })

  test('is undone by one step where it was removed before it returned, and doesn’t become two', async () => {
    const id = await addAndDisconnect()
    at(0).remove(id)
    at(1).change(id, { place: 'Room 2' })
    await reconnectAndSync()
    expectAll('Mere Parata, Room 2, expected')
    at(0).mark(id, 'arrived')
    at(0).mark(id, 'undo')
    await whenSynced()
    expectAll('Mere Parata, Room 2, expected')
  })
})

describe('a calendar event', () => {
  test('imported twice is one appointment as in the newer file, and returns if imported after removal', async () => {
    at(0).imported('event', { name: 'Mere Parata', version: 1 })
    at(1).imported('event', { name: 'Mere Parata', version: 2, place: 'Room 2', state: 'arrived' })
    await joinBoth()
    await whenSynced()
    expectAll('Mere Parata, Room 2, arrived')
    at(0).remove(at(0).all()[0]?.id ?? '')
    await whenSynced()
    expectAll()
    at(1).imported('event', { name: 'Mere Parata', version: 3 })
    await whenSynced()
    expectAll('Mere Parata, expected')
  })

  test('imported differently at two workstations is as in the newer file', async () => {
    at(0).imported('event', { name: 'Mere Parata', place: 'Room 1' })
    await joinBoth()
    await whenSynced()
    at(1).imported('event', { place: 'Room 3' })
    at(0).disconnect()
    at(0).imported('event', { place: 'Room 4', version: 1 })
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expectAll('Mere Parata, Room 4, expected')
  })
})

describe('a past appointment', () => {
  test('is purged by each workstation and the server separately, never as a removal', async () => {
    await joinBoth()
    at(0).add('Mere Parata')
    const later = at(0).add('Tama Brooks', { at: noon() + 48 * HOUR })
    await whenSynced()
    // One workstation's clock is wrong.
    at(1).work.time.now = noon() + 24 * HOUR
    at(1).work.parts.appointments.ofToday()
    expect(at(1).list()).toEqual(['Tama Brooks, expected'])
    await whenSynced()
    expect(at(0).list()).toEqual(['Mere Parata, expected', 'Tama Brooks, expected'])
    await two.office.sql(`UPDATE office.shared_item SET expires_at = now() - interval '1 s' WHERE id <> $1`, [later])
    await whenSynced()
    expect(await two.office.sql('SELECT id FROM office.shared_item')).toEqual([{ id: later }])
    expect(at(0).list()).toEqual(['Mere Parata, expected', 'Tama Brooks, expected'])
  })

  test('that the office never had stays on its workstation, and isn’t duplicated', async () => {
    await joinBoth()
    at(0).add('Mere Parata', { at: at(0).work.time.now - 72 * HOUR })
    for (let round = 0; round < 3; round++) await at(0).whenSynced()
    expect(at(0).list()).toEqual(['Mere Parata, expected'])
    expect(await two.office.sql('SELECT id FROM office.shared_item')).toEqual([])
    expect(
      at(0).work.parts.db.prepare('SELECT count(*) AS n FROM office_records WHERE edit_count <> pushed_edits').get()
    ).toEqual({
      n: 0
    })
  })
})

test('a restored server regains the changes that it lost', async () => {
  await joinBoth()
  const id = at(0).add('Mere Parata')
  const removed = at(0).add('Aroha King')
  await whenSynced()
  const restoreServer = await dumpOf(two.office)
  at(1).mark(id, 'arrived')
  at(1).add('Tama Brooks')
  at(1).remove(removed)
  await whenSynced()
  for (const workstation of workstations) workstation.disconnect()
  at(0).mark(id, 'here')
  await restoreServer()
  await at(1).reconnect()
  await at(0).reconnect()
  await whenSynced()
  expect(at(1).list()).toEqual(['Mere Parata, here, at Front desk', 'Tama Brooks, expected'])
})

test.each([[[0, 1]], [[1, 0]]])(
  'a restored server keeps both a lost and an unsynced change: order %s',
  async (order) => {
    await joinBoth()
    const mere = at(0).add('Mere Parata')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    at(0).disconnect()
    for (const place of ['Room 1', 'Room 2']) {
      at(1).change(mere, { place })
      await at(1).whenSynced()
    }
    at(1).disconnect()
    at(0).change(mere, { place: 'Room 3' })
    await restoreServer()
    for (const index of order) await at(index).reconnect()
    await whenSynced()
    expectAll('Mere Parata, Room 2, expected', 'Mere Parata, Room 3, expected')
  }
)

test('a restored server merges changes of two workstations to different fields', async () => {
  await joinBoth()
  const mere = at(0).add('Mere Parata')
  await whenSynced()
  const restoreServer = await dumpOf(two.office)
  await at(1).powerOff()
  at(0).change(mere, { place: 'Room 1' })
  await at(0).whenSynced()
  await at(0).powerOff()
  at(1).change(mere, { about: 'Lease' })
  await restoreServer()
  for (const index of [1, 0]) await at(index).killAndRestart()
  await whenSynced()
  expectAll('Mere Parata, Room 1, expected')
  for (const workstation of workstations) expect(workstation.all()).toMatchObject([{ about: 'Lease' }])
})

test('an appointment that several changed before a restore and one removed since is kept once', async () => {
  await joinBoth()
  const third = await openOfficeWorkstation(Workstation, two.office, at(0))
  await third.join('Counter 3')
  const mere = at(0).add('Mere Parata')
  await whenSynced()
  await third.whenSynced()
  const restoreServer = await dumpOf(two.office)
  await at(1).powerOff()
  at(0).change(mere, { place: 'Room 1' })
  for (const workstation of [at(0), third]) await workstation.whenSynced()
  for (const workstation of [at(0), third]) await workstation.powerOff()
  at(1).remove(mere)
  await restoreServer()
  for (const workstation of [at(1), at(0), third]) await workstation.killAndRestart()
  await whenSynced()
  expectAll('Mere Parata, Room 1, expected')
  expect(third.list()).toEqual(at(0).list())
})

test('the server stores no readable name, and invalid appointments from others are ignored', async () => {
  await joinBoth()
  const id = at(0).add('Planted name', { email: 'planted@example.com', about: 'Planted deed' })
  at(1).imported('planted-key')
  await whenSynced()
  const rows = JSON.stringify(await two.office.sql('SELECT shared_item::text AS text FROM office.shared_item'))
  expect(rows).not.toMatch(/planted/i)
  expect(rows).not.toContain(Buffer.from('Planted').toString('hex'))
  const { officeId, records } = await two.third()
  const content = {
    ...at(0)
      .all()
      .find((one) => one.id === id),
    key: undefined
  }
  const some = [
    { ...content, at: 1e300 },
    { ...content, name: 'x'.repeat(300) },
    { ...content, state: 'gone' },
    { ...content, key: 'planted-key' },
    { ...content, number: 100_000 },
    { ...content, name: 'Good' }
  ]
  await records.put(
    'appointment',
    officeId,
    some.map((one, index) => ({ id: `bad-${index}`, version: randomUUID(), basedOn: [], content: one }))
  )
  await whenSynced()
  expectAll('Good, expected', 'Planted name, expected', 'planted-key, expected')
})

test('after any sequence of events, all have the same appointments, and nothing written is lost', async () => {
  await joinBoth()
  const steps = ['expected', 'arrived', 'called', 'here', 'done'] as const
  const command = fc.record({
    who: fc.nat(1),
    what: fc.constantFrom(
      ...(['add', 'rename', 'rename', 'move', 'mark', 'mark', 'remove'] as const),
      ...(['away', 'lose requests', 'lose answers', 'back', 'sync', 'sync'] as const)
    ),
    which: fc.nat(5)
  })
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 24 }), async (commands) => {
      for (const { id } of at(0).all()) at(0).remove(id)
      await whenSynced()
      let count = 0
      /** Written names that nobody who saw them has replaced. */
      const written = new Set<string>()
      const disconnected = new Set<number>()
      for (const { who, what, which } of commands) {
        const workstation = at(who)
        const all = workstation.all()
        const one = all[which % Math.max(1, all.length)]
        const name = `Name ${++count}`
        if (what === 'add') {
          workstation.add(name)
          written.add(name)
        } else if (what === 'away') {
          workstation.disconnect()
          disconnected.add(who)
        } else if (what === 'lose requests' || what === 'lose answers') {
          workstation.loses = what === 'lose requests' ? 'requests' : 'answers'
        } else if (what === 'back') {
          workstation.loses = 'nothing'
          await workstation.reconnect()
          disconnected.delete(who)
        } else if (what === 'sync' && !disconnected.has(who)) {
          await workstation.whenSynced().catch((error: unknown) => {
            if (workstation.loses === 'nothing') throw error
          })
        }
        if (!one) continue
        if (what === 'rename') {
          workstation.change(one.id, { name })
          written.delete(one.name)
          written.add(name)
        } else if (what === 'move') workstation.change(one.id, { at: one.at + count * 60_000 })
        else if (what === 'remove') {
          workstation.remove(one.id)
          written.delete(one.name)
        } else if (what === 'mark') {
          const next = steps[steps.indexOf(one.state as 'arrived') + 1]
          if (next === 'called') workstation.call(one.id)
          else if (next && next !== 'expected') workstation.mark(one.id, next)
        }
      }
      for (const workstation of workstations) workstation.loses = 'nothing'
      for (const workstation of workstations) await workstation.reconnect()
      await whenSynced()
      await whenSynced()
      const [mine = [], theirs] = workstations.map((workstation) =>
        workstation.all().map(({ workstation: _, accountId: __, ...one }) => one)
      )
      expect(theirs).toEqual(mine)
      const names = new Set(mine.map((one) => one.name))
      expect([...written].filter((name) => !names.has(name))).toEqual([])
      expect(
        mine.filter(
          ({ state, number }) => state !== 'expected' && number === undefined && state !== 'here' && state !== 'done'
        )
      ).toEqual([])
    }),
    { numRuns: 12, includeErrorInReport: true }
  )
})
