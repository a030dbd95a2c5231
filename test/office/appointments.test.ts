// Appointments that an office's workstations share: who is expected, who came and who was called is the same at each,
// with the server running, away and restored. What two change of one is merged where possible, and otherwise becomes
// two appointments.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredAppointment } from '../../src/main/core/appointments/appointments-table.ts'
import type { Input } from '../../src/shared/contract/requests.ts'
import { dumpOf, OfficeStation, openStation, twoStations } from '../fixtures/office-station.ts'

const HOUR = 3_600_000
type Given = Partial<Omit<Input<'appointments.save'>, 'id'>>

class Station extends OfficeStation {
  /** The part of its saves that gets lost. */
  loses: 'nothing' | 'requests' | 'answers' = 'nothing'

  override join(name: string): Promise<void> {
    this.wrapPut(async (put, ...asked) => {
      const answers = this.loses === 'requests' ? undefined : await put(...asked)
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
  imported(key: string, given: Partial<StoredAppointment> = {}): void {
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
      ...given
    })
    this.work.parts.records.localChanged()
  }
  add(name: string, given: Given = {}): string {
    const before = new Set(this.all().map(({ id }) => id))
    this.#appointments.save({ name, at: noon(), minutes: 30, ...given })
    return this.all().find(({ id }) => !before.has(id))?.id ?? expect.fail('It was not added.')
  }
  change(id: string, given: Given): void {
    const one = this.all().find((other) => other.id === id) ?? expect.fail('It is not there.')
    const { name, at, minutes, email, mobile, place, about } = one
    this.#appointments.save({ id, name, at, minutes, email, mobile, place, about, ...given })
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

const two = twoStations(Station)
const { at, desks, joinBoth, whenSynced } = two
/** On a future day, whenever this runs. */
const noon = () => Math.ceil(at(0).work.time.now / (24 * HOUR)) * 24 * HOUR + 36 * HOUR
function expectAll(...wanted: unknown[]): void {
  for (const desk of desks) expect(desk.list()).toEqual(wanted)
}

test('joining brings all along; what is changed, marked and removed at one is so at each', async () => {
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

test('each says where someone was called, but for where that is here', async () => {
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

describe('who is called', () => {
  const called = (index: number, id: string) => at(index).work.parts.calls.call(id)
  const refused = {
    appError: { code: 'busy', message: expect.stringMatching(/^Front desk called this person at \d\d:\d\d\.$/) }
  }

  test('at one counter can’t be at another in the same moment, until they have come or some minutes are over', async () => {
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

  test('gets a number that nobody else has, and is called while the server is away, too', async () => {
    await joinBoth()
    const ids = Array.from({ length: 6 }, (_, index) => at(0).add(`Person ${index}`))
    await whenSynced()
    await Promise.all(ids.map((id, index) => at(index % 2).work.parts.calls.mark(id, 'arrived')))
    const numbers = desks.flatMap((desk) => desk.all().flatMap(({ number }) => number ?? []))
    expect(numbers).toHaveLength(6)
    expect(new Set(numbers).size).toBe(6)
    for (const desk of desks) {
      desk.disconnect()
      await desk.work.parts.calls.call(ids[0] ?? '')
    }
    expect(desks.map((desk) => desk.all().find(({ id }) => id === ids[0])?.state)).toEqual(['called', 'called'])
  })
})

describe('two who change one at the same time', () => {
  async function apart(given: Given = {}): Promise<string> {
    await joinBoth()
    const id = at(0).add('Mere Parata', given)
    await whenSynced()
    at(0).disconnect()
    return id
  }
  async function together(): Promise<void> {
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
  }

  test('both have their way where it isn’t the same that they changed', async () => {
    const id = await apart()
    at(0).change(id, { name: 'Mere Parata-Reid' })
    at(1).change(id, { place: 'Room 2' })
    at(1).mark(id, 'arrived')
    await together()
    expectAll('Mere Parata-Reid, Room 2, arrived')
  })

  test('both have their way where what one gave before never came there', async () => {
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

  test('where both went on with one who came, the one who is further counts, and nobody who came didn’t', async () => {
    const id = await apart()
    at(0).mark(id, 'no-show')
    at(1).mark(id, 'arrived')
    await together()
    expectAll('Mere Parata, arrived')
    at(0).disconnect()
    at(0).mark(id, 'here')
    at(1).mark(id, 'done')
    await together()
    expectAll('Mere Parata, done')
    expect(at(0).all()[0]?.number).toBe(1)
  })

  test('who came isn’t there already on the day that the other moved it to', async () => {
    const id = await apart()
    at(0).change(id, { at: noon() + 24 * HOUR })
    at(1).mark(id, 'arrived')
    await together()
    expectAll('Mere Parata, expected')
    expect(at(1).all()).toMatchObject([{ at: noon() + 24 * HOUR, number: undefined, arrivedAt: undefined }])
    // Moved to later on the same day, they have arrived.
    at(0).disconnect()
    at(0).change(id, { at: noon() + 25 * HOUR })
    at(1).mark(id, 'arrived')
    await together()
    expectAll('Mere Parata, arrived')
  })

  test('where both changed the same, the office’s stays and the other is there beside it', async () => {
    const id = await apart()
    at(0).change(id, { name: 'Mere Reid' })
    at(1).change(id, { name: 'Mary Parata' })
    await together()
    expectAll('Mary Parata, expected', 'Mere Reid, expected')
    expect(
      at(1)
        .all()
        .find(({ name }) => name === 'Mere Reid')?.about
    ).toMatch(/^\(Front desk, \d\d:\d\d on .*\)$/)
  })

  test('what one removed and the other changed is there; what one removed alone isn’t', async () => {
    const id = await apart()
    at(0).remove(id)
    at(1).mark(id, 'arrived')
    await together()
    expectAll('Mere Parata, arrived')
    const [one] = at(1).all()
    at(0).disconnect()
    at(0).mark(one?.id ?? '', 'here')
    at(1).remove(one?.id ?? '')
    await together()
    expect(at(1).list()).toEqual(['Mere Parata, here, at Front desk'])
  })
})

describe('an event of a calendar', () => {
  test('that two imported is one, as the newer file has it, also once it was removed and is imported again', async () => {
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

  test('of which no file is the newer stays as the office has it', async () => {
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

describe('what is over', () => {
  test('is gone here and at the office, and is nobody’s removal', async () => {
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

  test('before the office has heard of it stays here as long as it does, and no copy is made of it', async () => {
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

test('a server that was put back has again what came since', async () => {
  await joinBoth()
  const id = at(0).add('Mere Parata')
  const gone = at(0).add('Aroha King')
  await whenSynced()
  const putBack = await dumpOf(two.office)
  at(1).mark(id, 'arrived')
  at(1).add('Tama Brooks')
  at(1).remove(gone)
  await whenSynced()
  for (const desk of desks) desk.disconnect()
  at(0).mark(id, 'here')
  await putBack()
  await at(1).reconnect()
  await at(0).reconnect()
  await whenSynced()
  expect(at(1).list()).toEqual(['Mere Parata, here, at Front desk', 'Tama Brooks, expected'])
})

test.each([[[0, 1]], [[1, 0]]])(
  'a server that was put back has what was changed later, and what wasn’t told: %s',
  async (order) => {
    await joinBoth()
    const mere = at(0).add('Mere Parata')
    await whenSynced()
    const putBack = await dumpOf(two.office)
    at(0).disconnect()
    for (const place of ['Room 1', 'Room 2']) {
      at(1).change(mere, { place })
      await at(1).whenSynced()
    }
    at(1).disconnect()
    at(0).change(mere, { place: 'Room 3' })
    await putBack()
    for (const index of order) await at(index).reconnect()
    await whenSynced()
    expectAll('Mere Parata, Room 2, expected', 'Mere Parata, Room 3, expected')
  }
)

test('a server that was put back has one of an appointment that two went on with in other ways', async () => {
  await joinBoth()
  const mere = at(0).add('Mere Parata')
  await whenSynced()
  const putBack = await dumpOf(two.office)
  await at(1).powerOff()
  at(0).change(mere, { place: 'Room 1' })
  await at(0).whenSynced()
  await at(0).powerOff()
  at(1).change(mere, { about: 'Lease' })
  await putBack()
  for (const index of [1, 0]) await at(index).killAndRestart()
  await whenSynced()
  expectAll('Mere Parata, Room 1, expected')
  for (const desk of desks) expect(desk.all()).toMatchObject([{ about: 'Lease' }])
})

test('a server that was put back has once what someone removed since, and several had changed before', async () => {
  await joinBoth()
  const third = await openStation(Station, two.office, at(0))
  await third.join('Counter 3')
  const mere = at(0).add('Mere Parata')
  await whenSynced()
  await third.whenSynced()
  const putBack = await dumpOf(two.office)
  await at(1).powerOff()
  at(0).change(mere, { place: 'Room 1' })
  for (const desk of [at(0), third]) await desk.whenSynced()
  for (const desk of [at(0), third]) await desk.powerOff()
  at(1).remove(mere)
  await putBack()
  for (const desk of [at(1), at(0), third]) await desk.killAndRestart()
  await whenSynced()
  expectAll('Mere Parata, Room 1, expected')
  expect(third.list()).toEqual(at(0).list())
})

test('the server keeps no name, and what another workstation writes that isn’t right isn’t taken', async () => {
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

test('whatever happens in whatever order, each has the same in the end, and nothing that someone wrote is lost', async () => {
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
      const away = new Set<number>()
      for (const { who, what, which } of commands) {
        const desk = at(who)
        const all = desk.all()
        const one = all[which % Math.max(1, all.length)]
        const name = `Name ${++count}`
        if (what === 'add') {
          desk.add(name)
          written.add(name)
        } else if (what === 'away') {
          desk.disconnect()
          away.add(who)
        } else if (what === 'lose requests' || what === 'lose answers') {
          desk.loses = what === 'lose requests' ? 'requests' : 'answers'
        } else if (what === 'back') {
          desk.loses = 'nothing'
          await desk.reconnect()
          away.delete(who)
        } else if (what === 'sync' && !away.has(who)) {
          await desk.whenSynced().catch((error: unknown) => {
            if (desk.loses === 'nothing') throw error
          })
        }
        if (!one) continue
        if (what === 'rename') {
          desk.change(one.id, { name })
          written.delete(one.name)
          written.add(name)
        } else if (what === 'move') desk.change(one.id, { at: one.at + count * 60_000 })
        else if (what === 'remove') {
          desk.remove(one.id)
          written.delete(one.name)
        } else if (what === 'mark') {
          const next = steps[steps.indexOf(one.state as 'arrived') + 1]
          if (next === 'called') desk.call(one.id)
          else if (next && next !== 'expected') desk.mark(one.id, next)
        }
      }
      for (const desk of desks) desk.loses = 'nothing'
      for (const desk of desks) await desk.reconnect()
      await whenSynced()
      await whenSynced()
      const [mine = [], theirs] = desks.map((desk) =>
        desk.all().map(({ workstation: _, accountId: __, ...one }) => one)
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
