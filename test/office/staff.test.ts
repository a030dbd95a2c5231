// Staff that an office's workstations share, with their PINs: anyone named at one is known at all, and anyone removed
// at one is gone everywhere. The server can read none of it.
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditNote } from '../../src/main/core/audit/audit.ts'
import { resetPin } from '../../src/main/core/counter/pin-reset.ts'
import { SharedStaff } from '../../src/main/core/counter/shared-staff.ts'
import { Staff } from '../../src/main/core/counter/staff.ts'
import { withConnection } from '../../src/main/core/office/connection.ts'
import { openOfficeRecords } from '../../src/main/core/office/records.ts'
import { seal, unseal } from '../../src/main/core/office/sealing.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import type { TestOffice } from '../fixtures/office.ts'
import { dumpOf, OfficeStation, poolAs, twoStations } from '../fixtures/office-station.ts'
import type { Workplace } from '../fixtures/workplace.ts'

const WRONG = { ok: false, code: 'wrong-pin' }
const run = promisify(execFile)
const SCRIPT = new URL('../../scripts/office.ts', import.meta.url).pathname

class Station extends OfficeStation {
  readonly slot: ReturnType<typeof memoryKeychain>['staffPin']
  readonly its: { staff: Staff; shared: SharedStaff }
  /**
   * `meanwhile` runs once, right after the server has answered that another list counts; `isUnanswered` loses its
   * answers.
   */
  readonly next: { meanwhile?: (() => Promise<unknown>) | undefined; isUnanswered?: boolean }
  readonly notes: AuditNote[] = []

  constructor(work: Workplace, office: TestOffice) {
    const slot = memoryKeychain().staffPin
    const its = {} as { staff: Staff; shared: SharedStaff }
    const next: Station['next'] = {}
    const notes: AuditNote[] = []
    super(work, office, ({ parts: { db }, time }) => {
      const shared = new SharedStaff({ db, time: time.run(), newId: randomUUID, onError: () => undefined })
      const staff = new Staff({
        db,
        slot,
        randomBytes,
        platform: 'win32',
        keeps: 'in-os',
        cost: { n: 2 ** 10, r: 8, p: 1 },
        newId: randomUUID,
        firstName: () => 'Grace Okafor',
        note(note, _when, along) {
          along?.()
          notes.push(note)
        },
        time: { now: time.clock, elapsed: time.elapsed },
        isInOffice: () => shared.isInOffice,
        changed: () => shared.changedHere()
      })
      shared.follow(staff)
      const connect = shared.connect.bind(shared)
      shared.connect = ({ store, records }, ...more) => {
        const put: typeof records.put = async (...asked) => {
          const answers = await records.put(...asked)
          if (next.isUnanswered) {
            shared.disconnect()
            throw new Error('The line broke.')
          }
          const { meanwhile } = next
          next.meanwhile = undefined
          if (meanwhile) expect(answers).toMatchObject([{ outcome: 'conflict' }])
          await meanwhile?.()
          return answers
        }
        return connect({ store, records: { ...records, put } }, ...more)
      }
      Object.assign(its, { staff, shared })
      return { staff: shared }
    })
    this.slot = slot
    this.notes = notes
    this.its = its
    this.next = next
  }

  get staff(): Staff {
    return this.its.staff
  }
  /** Names Grace, who administers, and Ben, a clerk. */
  async name(): Promise<void> {
    await this.staff.set('74918')
    await this.staff.add({ name: 'Ben Tui', role: 'clerk', pin: '60417', badge: 'CARD-0042' })
  }
  names(): string[] {
    return this.staff
      .list()
      .map(({ name, role }) => `${name}, ${role}`)
      .sort()
  }
  idOf(name: string): string {
    return this.staff.list().find((one) => one.name === name)?.id ?? expect.fail('They are not on the list.')
  }
  override disconnect(): void {
    super.disconnect()
    this.its.shared.disconnect()
  }
  override async whenSynced(): Promise<void> {
    await super.whenSynced()
    for (let round = 0; round < 2; round++) await this.its.shared.syncNow()
  }
}

const two = twoStations(Station)
const { at, desks, whenSynced } = two
async function joined(): Promise<void> {
  await two.joinBoth()
  await whenSynced()
}

describe('staff named at one workstation', () => {
  test('are known at the others by their names, PINs and badges, and work there once they have proved it', async () => {
    await at(0).name()
    await joined()
    expect(at(1).names()).toEqual(['Ben Tui, clerk', 'Grace Okafor, administrator'])
    expect(at(1).staff.current()).toBeUndefined()
    expect(await at(1).staff.state()).toMatchObject({ isSet: true, asksName: true, needsName: true, canReset: false })
    expect(await at(1).staff.check('74918')).toMatchObject(WRONG)
    expect(await at(1).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    expect(at(1).staff.current()?.name).toBe('Ben Tui')
    expect(await at(1).staff.state()).not.toHaveProperty('needsName')
    expect(await at(1).staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
    expect(await at(1).staff.check('CARD-0042')).toEqual({ ok: true, by: 'badge' })
  })

  test('are nothing that the server can read', async () => {
    await at(0).name()
    await joined()
    const [row, ...others] = await two.office.sql<{ id: string; sealed: Buffer }>(
      "SELECT id, sealed FROM office.shared_item WHERE kind = 'staff'"
    )
    expect(others).toEqual([])
    const there = `${row?.id} ${row?.sealed.toString('latin1')}`
    for (const secret of ['Ben', 'Grace', 'clerk', 'salt', 'staff']) expect(there).not.toContain(secret)
  })

  test('have no PIN in a keychain any more, and one that is gone from there lets nobody choose another', async () => {
    await at(0).name()
    await joined()
    for (const desk of desks) {
      expect(await desk.slot.get()).toBeNull()
      expect(await desk.staff.hasLostKeychainEntry()).toBe(false)
      await expect(desk.staff.set('91736')).rejects.toMatchObject({ appError: { code: 'invalid' } })
      await expect(desk.staff.reset()).rejects.toMatchObject({ appError: { code: 'bad-input' } })
    }
    expect(await at(1).staff.check('91736', 'Grace Okafor')).toMatchObject(WRONG)
  })

  test('while the workstation belongs to an office already are the office’s, too', async () => {
    await joined()
    await at(1).staff.set('83920')
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '60417' })
    await whenSynced()
    expect(at(0).names()).toEqual(['Ana Reweti, clerk', 'Grace Okafor, administrator'])
    expect(await at(0).staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
    expect(
      at(0)
        .staff.list()
        .map(({ id }) => id)
    ).not.toContain('first')
  })
})

describe('a change at one workstation', () => {
  beforeEach(async () => {
    await at(0).name()
    await joined()
  })

  test('that removes someone makes them nobody everywhere, also where they work just now', async () => {
    await at(1).staff.check('60417', 'Ben Tui')
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await whenSynced()
    expect(at(1).names()).toEqual(['Grace Okafor, administrator'])
    expect(at(1).staff.current()).toBeUndefined()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject(WRONG)
    expect(await at(1).staff.check('CARD-0042')).toMatchObject(WRONG)
  })

  test('of a PIN or role holds at all', async () => {
    await at(1).staff.change(at(1).idOf('Ben Tui'), { pin: '91736', role: 'administrator' })
    await whenSynced()
    expect(at(0).names()).toEqual(['Ben Tui, administrator', 'Grace Okafor, administrator'])
    expect(await at(0).staff.check('60417', 'Ben Tui')).toMatchObject(WRONG)
    expect(await at(0).staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
  })

  test('of which packages take a second person holds at all', async () => {
    await at(0).staff.add({ name: 'Ana Reweti', role: 'manager', pin: '83920' })
    at(0).staff.setReleaseNeeded({ above: 5 })
    await whenSynced()
    expect(at(1).staff.releaseNeeded()).toEqual({ above: 5 })
    expect(at(1).its.shared.releaseRule.isNeeded(5)).toBe(false)
    expect(at(1).its.shared.releaseRule.isNeeded(6)).toBe(true)
    at(1).staff.setReleaseNeeded(null)
    await whenSynced()
    expect(at(0).staff.releaseNeeded()).toBeUndefined()
  })

  test('of one’s own PIN holds at all', async () => {
    await at(1).staff.set('91736', '60417', 'Ben Tui')
    await whenSynced()
    expect(await at(0).staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
  })

  test('comes to one that was off, which goes on with what it knew until then', async () => {
    at(1).disconnect()
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await at(0).whenSynced()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    await at(1).reconnect()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject(WRONG)
  })

  test('is waited for at each greeting until it could be read, before which a package might miss a new rule', async () => {
    at(1).disconnect()
    await at(0).staff.add({ name: 'Ana Reweti', role: 'manager', pin: '83920' })
    at(0).staff.setReleaseNeeded({ above: 5 })
    await at(0).whenSynced()
    const pool = await poolAs('Back room', two.office)
    const of = { pool, key: two.office.key }
    const store = openOfficeSends({ ...of, time: { elapsed: () => performance.now() } })
    const records = openOfficeRecords(of)
    const { life } = await records.state(await store.account('staff', { concurrency: 1, perMinute: null }))
    const { shared } = at(1).its
    // The server answers everything except what is new.
    const failing = { ...records, changes: () => Promise.reject(new Error('It can’t be read just now.')) }
    await expect(shared.connect({ store, records: failing }, life, 'Counter 2')).rejects.toThrow()
    expect(shared.releaseRule.isNeeded(6)).toBe(false)
    await shared.connect({ store, records }, life, 'Counter 2')
    expect(shared.releaseRule.isNeeded(6)).toBe(true)
    // From then on no greeting waits for the rule.
    const silent = { ...records, state: () => Promise.reject(new Error('It was asked.')) }
    await shared.connect({ store, records: silent }, life, 'Counter 2')
    shared.disconnect()
  })

  test('and one at another at the same time both hold', async () => {
    at(1).disconnect()
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
    await at(0).staff.change(at(0).idOf('Ben Tui'), { pin: '91736' })
    await at(0).staff.add({ name: 'Wiremu Ngata', role: 'clerk', pin: '52819' })
    await at(0).whenSynced()
    await at(1).reconnect()
    await whenSynced()
    for (const { staff } of desks) {
      expect(await staff.check('83920', 'Ana Reweti')).toEqual({ ok: true })
      expect(await staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
      expect(await staff.check('52819', 'Wiremu Ngata')).toEqual({ ok: true })
    }
    expect(at(0).names()).toEqual(at(1).names())
  })

  test('without an answer brings nobody back whom another removed since', async () => {
    at(0).disconnect()
    await at(0).staff.add({ name: 'Wiremu Ngata', role: 'clerk', pin: '52819' })
    at(0).next.isUnanswered = true
    await at(0)
      .reconnect()
      .catch(() => undefined)
    await at(1).its.shared.syncNow()
    await at(1).staff.remove(at(1).idOf('Wiremu Ngata'))
    await at(1).whenSynced()
    at(0).next.isUnanswered = false
    await at(0).reconnect()
    await whenSynced()
    for (const desk of desks) expect(desk.names()).toEqual(['Ben Tui, clerk', 'Grace Okafor, administrator'])
  })

  test('is known after a kill', async () => {
    await at(1).staff.check('60417', 'Ben Tui')
    await at(1).killAndRestart()
    expect(at(1).staff.current()?.name).toBe('Ben Tui')
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
    await whenSynced()
    expect(at(0).names()).toContain('Ana Reweti, clerk')
  })

  test('that removed someone holds after a backup was put in the server’s place', async () => {
    const putBack = await dumpOf(two.office)
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await whenSynced()
    await putBack()
    for (const desk of desks) await desk.reconnect()
    await whenSynced()
    for (const desk of desks) expect(desk.names()).toEqual(['Grace Okafor, administrator'])
  })
})

describe('a backup in the server’s place', () => {
  beforeEach(async () => {
    await at(0).name()
    await joined()
  })
  test.each([[[0, 1]], [[1, 0]]])(
    'loses nobody who was added, told or not, and brings nobody back: %s',
    { tags: ['full'] },
    async (order) => {
      const putBack = await dumpOf(two.office)
      await at(1).powerOff()
      await at(0).staff.remove(at(0).idOf('Ben Tui'))
      await at(0).staff.add({ name: 'Wiremu Ngata', role: 'clerk', pin: '52819' })
      await at(0).whenSynced()
      await at(0).powerOff()
      await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
      await putBack()
      for (const index of order) await at(index).killAndRestart()
      await whenSynced()
      for (const desk of desks) {
        expect(desk.names()).toEqual(['Ana Reweti, clerk', 'Grace Okafor, administrator', 'Wiremu Ngata, clerk'])
      }
    }
  )
})

describe('a backup in the server’s place, whose list is changed while another is put together with it,', () => {
  beforeEach(async () => {
    await at(0).name()
    await joined()
    const putBack = await dumpOf(two.office)
    await at(1).powerOff()
    await at(0).staff.add({ name: 'Wiremu Ngata', role: 'clerk', pin: '52819' })
    await at(0).whenSynced()
    await at(0).powerOff()
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
    await putBack()
    await at(1).killAndRestart()
  })
  const others = ['Ben Tui, clerk', 'Grace Okafor, administrator']
  async function expectAll(meanwhile: () => Promise<unknown>, ...names: string[]): Promise<void> {
    at(0).next.meanwhile = () => meanwhile().then(() => at(1).whenSynced())
    await at(0).killAndRestart()
    expect(at(0).next.meanwhile).toBeUndefined()
    await whenSynced()
    for (const desk of desks) expect(desk.names()).toEqual([...others, ...names].sort())
  }

  test('has who was added before and since', () =>
    expectAll(
      () => at(1).staff.add({ name: 'Hone Pita', role: 'clerk', pin: '61748' }),
      ...['Ana Reweti, clerk', 'Hone Pita, clerk', 'Wiremu Ngata, clerk']
    ))

  test('has nobody who was removed since', { tags: ['full'] }, () =>
    expectAll(() => at(1).staff.remove(at(1).idOf('Ana Reweti')), 'Wiremu Ngata, clerk')
  )
})

test('nobody takes staff from an office: not a workstation, and not its server', async () => {
  await at(0).name()
  await joined()
  const [{ id, account } = { id: '', account: '' }] = await two.office.sql<{ id: string; account: string }>(
    "SELECT id, account FROM office.shared_item WHERE kind = 'staff'"
  )
  const pool = await poolAs('Thief', two.office)
  const end = { id, version: randomUUID(), basedOn: [], isFinal: true }
  await expect(openOfficeRecords({ pool, key: two.office.key }).put('staff', account, [end])).rejects.toMatchObject({
    code: '22023'
  })
  await two.office.sql(
    `WITH feed AS (UPDATE office.shared_item_feed SET seq = seq + 1 WHERE kind = 'staff' RETURNING seq)
     UPDATE office.shared_item SET gone_at = now(), sealed = NULL, version = gen_random_uuid(), revision = revision + 1,
       seq = feed.seq, body_seq = feed.seq FROM feed WHERE kind = 'staff'`
  )
  await whenSynced()
  for (const desk of desks) {
    expect(desk.names()).toEqual(['Ben Tui, clerk', 'Grace Okafor, administrator'])
    expect(await desk.staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
  }
})

describe('where every administrator has forgotten their PIN, who has the server and the office’s key', () => {
  const cost = { n: 2 ** 10, r: 8, p: 1 }
  const reset = (name = 'grace okafor', key = two.office.key) => resetPin(two.office.administrator, { name, key, cost })
  const ONCE = { ok: false, code: 'pin-once', at: 'Grace Okafor' }
  const listThere = async () => {
    const [row = { id: '', sealed: Buffer.alloc(0) }] = await two.office.sql<{ id: string; sealed: Buffer }>(
      "SELECT id, sealed FROM office.shared_item WHERE kind = 'staff'"
    )
    return { ...row, read: () => JSON.parse(unseal(two.office.key, `staff:${row.id}`, row.sealed).toString('utf8')) }
  }
  /** As anyone can who has only the server. */
  const put = (sealed: Buffer) =>
    two.office.sql(
      `WITH feed AS (UPDATE office.shared_item_feed SET seq = seq + 1 WHERE kind = 'staff' RETURNING seq)
       UPDATE office.shared_item SET sealed = $1, version = gen_random_uuid(), revision = revision + 1, seq = feed.seq, body_seq = feed.seq
         FROM feed WHERE kind = 'staff'`,
      [sealed]
    )
  beforeEach(async () => {
    await at(0).name()
    await joined()
  })

  test('gives one a one-time PIN, and the old PIN works nowhere', async () => {
    await at(0).staff.check('74918', 'Grace Okafor')
    const { name, pin } = await reset()
    expect(name).toBe('Grace Okafor')
    await whenSynced()
    for (const { staff } of desks) {
      expect(staff.authenticated()).toBeUndefined()
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      expect(staff.authenticated()).toBeUndefined()
      expect(await staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    }
  })

  test('does so by the script, while two workstations are connected', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-office-'))
    try {
      const file = join(folder, 'office.key')
      await writeFile(file, `${two.office.key.toString('base64url')}\n`, { mode: 0o600 })
      const { host, port, user, password, database } = two.office.administrator
      const where = ['--server', `${host}:${port}`, '--user', user, '--database', database]
      const args = [SCRIPT, ...where, 'reset-pin', '--key-file', file, '--name', 'grace okafor']
      const { stdout } = await run(process.execPath, args, { env: { ...process.env, PGPASSWORD: password } })
      const pin = /^Grace Okafor has a one-time PIN: (\d{8})$/m.exec(stdout)?.[1] ?? expect.fail('It says no PIN.')
      await whenSynced()
      for (const { staff } of desks) {
        expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
        expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      }
      await at(1).staff.set('83920', pin, 'Grace Okafor')
      await whenSynced()
      for (const { staff } of desks) expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test.each(['before', 'between'] as const)(
    'has a workstation that left and joins again give no PIN back that was taken away, by a list of %s',
    async (when) => {
      const before = (await listThere()).sealed
      const { pin } = await reset()
      await whenSynced()
      const between = (await listThere()).sealed
      await at(0).staff.set('83920', pin, 'Grace Okafor')
      await whenSynced()
      await at(1).leave()
      // Nobody else is connected who could say so.
      at(0).disconnect()
      await put({ before, between }[when])
      await at(1).join('Counter 3')
      await at(1).whenSynced()
      const { staff, notes } = at(1)
      for (const gone of ['74918', pin]) expect(await staff.check(gone, 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
      expect((await listThere()).read().resets).toMatchObject([{ name: 'Grace Okafor', isOver: true }])
      expect(notes.filter(({ what }) => what === 'pin-reset')).toHaveLength(1)
    }
  )

  test('has them choose their own before anything, which is everyone’s who they are from then on', async () => {
    const { pin } = await reset()
    await whenSynced()
    const { staff } = at(1)
    await expect(staff.set(pin, pin, 'Grace Okafor')).rejects.toMatchObject({ appError: { code: 'invalid' } })
    await expect(staff.set('83920', '74918', 'Grace Okafor')).rejects.toMatchObject({ appError: { code: 'wrong-pin' } })
    await staff.set('83920', pin, 'Grace Okafor')
    expect(staff.authenticated()?.name).toBe('Grace Okafor')
    await whenSynced()
    for (const desk of desks) {
      expect(await desk.staff.check(pin, 'Grace Okafor')).toMatchObject(WRONG)
      expect(await desk.staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
    }
  })

  test('is in the audit trail of each workstation once, also of one that was off until it was over', {
    tags: ['full']
  }, async () => {
    await at(1).staff.check('74918', 'Grace Okafor')
    at(1).disconnect()
    const { pin } = await reset()
    await at(0).whenSynced()
    await at(0).staff.set('83920', pin, 'Grace Okafor')
    await at(0).whenSynced()
    await at(1).reconnect()
    await whenSynced()
    // Having entered the old PIN there no longer counts.
    expect(at(1).staff.authenticated()).toBeUndefined()
    expect(at(0).staff.authenticated()?.name).toBe('Grace Okafor')
    await at(1).killAndRestart()
    const { user } = two.office.administrator
    for (const { notes } of desks) {
      expect(notes.filter(({ what }) => what === 'pin-reset')).toEqual([
        {
          what: 'pin-reset',
          detail: {
            how: 'by the administrator’s command',
            name: 'Grace Okafor',
            user,
            from: expect.stringMatching(/^\d{4}-/)
          }
        }
      ])
    }
    expect(JSON.stringify([...at(0).notes, ...at(1).notes])).not.toContain(pin)
  })

  test('ends their wait after wrong PINs, and does so against a change that a workstation had not told yet', {
    tags: ['full']
  }, async () => {
    for (let tries = 0; tries < 3; tries++) await at(1).staff.check('0000', 'Grace Okafor')
    expect(await at(1).staff.check('74918', 'Grace Okafor')).toMatchObject({ ok: false, code: 'pin-wait' })
    at(1).disconnect()
    await at(1).staff.change(at(1).idOf('Grace Okafor'), { pin: '83920' })
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '52819' })
    const { pin } = await reset()
    await at(1).reconnect()
    await whenSynced()
    for (const { staff } of desks) {
      expect(await staff.check('83920', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
    }
  })

  test('does it again with another, and with one that someone sets for them at a workstation it is over', {
    tags: ['full']
  }, async () => {
    const first = await reset()
    const second = await reset()
    await whenSynced()
    expect(await at(0).staff.check(first.pin, 'Grace Okafor')).toMatchObject(WRONG)
    expect(await at(0).staff.check(second.pin, 'Grace Okafor')).toEqual(ONCE)
    await at(1).staff.change(at(1).idOf('Grace Okafor'), { pin: '83920' })
    await whenSynced()
    expect(await at(0).staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
  })

  test('holds after a backup was put in the server’s place, and waits until that was noticed', {
    tags: ['full']
  }, async () => {
    const putBack = await dumpOf(two.office)
    const { pin } = await reset()
    await whenSynced()
    await putBack()
    for (const desk of desks) await desk.reconnect()
    await whenSynced()
    for (const { staff } of desks) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
    }
    // For those who join later, too.
    expect((await listThere()).read().resets).toHaveLength(1)
    await two.office.sql("UPDATE office.office SET server_fingerprint = 'another'")
    await expect(reset()).rejects.toThrow('put back')
  })

  test('brings nobody back who was removed, where it is the first change of a server that was put back', {
    tags: ['full']
  }, async () => {
    const putBack = await dumpOf(two.office)
    await at(1).powerOff()
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await at(0).whenSynced()
    await at(0).powerOff()
    await putBack()
    await at(1).killAndRestart()
    const { pin } = await reset()
    await at(1).whenSynced()
    await at(0).killAndRestart()
    await whenSynced()
    for (const desk of desks) {
      expect(desk.names()).toEqual(['Grace Okafor, administrator'])
      expect(await desk.staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
    }
  })

  test('does it for administrators alone, and says who they are', { tags: ['full'] }, async () => {
    for (const name of ['Ben Tui', 'Nobody'])
      await expect(reset(name)).rejects.toThrow('Its administrators are: Grace Okafor.')
    await whenSynced()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
  })

  test('is nobody without that key: not who has the server, and not a workstation’s role', async () => {
    await expect(reset('Grace Okafor', randomBytes(32))).rejects.toThrow('Another key counts')
    const before = two.office.key
    await two.office.rotateKey()
    await expect(reset('Grace Okafor', before)).rejects.toThrow('Another key counts')
    const { place } = await two.office.join('Thief')
    await expect(resetPin(place, { name: 'Grace Okafor', key: two.office.key, cost })).rejects.toMatchObject({
      code: '42501'
    })
    const change = "UPDATE office.shared_item SET sealed = sealed WHERE kind = 'staff'"
    await expect(withConnection(place, (client) => client.query(change))).rejects.toMatchObject({ code: '42501' })
    for (const desk of desks) await desk.reconnect()
    await whenSynced()
    for (const { staff } of desks) expect(await staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
  })

  test('is not undone by a list of before that the server’s administrator puts in its place', async () => {
    const { sealed } = await listThere()
    const { pin } = await reset()
    await whenSynced()
    await put(sealed)
    await whenSynced()
    // Nor for those who join later.
    expect((await listThere()).read()).toMatchObject({
      members: expect.arrayContaining([expect.objectContaining({ name: 'Grace Okafor', isPinOnce: true })]),
      resets: [{ name: 'Grace Okafor' }]
    })
    for (const { staff } of desks) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
    }
    await at(0).staff.set('83920', pin, 'Grace Okafor')
    await whenSynced()
    await put(sealed)
    await whenSynced()
    for (const { staff } of desks) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
    }
  })

  test('is not undone by such a list where it meets what a workstation had not told yet', {
    tags: ['full']
  }, async () => {
    const { sealed } = await listThere()
    const { pin } = await reset()
    await whenSynced()
    for (const desk of desks) desk.disconnect()
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '52819' })
    await put(sealed)
    await at(1).reconnect()
    expect((await listThere()).read().resets).toHaveLength(1)
    await at(0).reconnect()
    await whenSynced()
    for (const { staff } of desks) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
    }
  })

  test.each([false, true])(
    'is over once they chose their own, also where a list of between is put back: with a change untold, %s',
    { tags: ['full'] },
    async (isUntold) => {
      const { pin } = await reset()
      await whenSynced()
      const { sealed } = await listThere()
      await at(0).staff.set('83920', pin, 'Grace Okafor')
      await whenSynced()
      for (const desk of desks) desk.disconnect()
      if (isUntold) await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '52819' })
      await put(sealed)
      await at(1).reconnect()
      await at(1).whenSynced()
      // For those who join later, too.
      const { members, resets } = (await listThere()).read()
      expect(members.find(({ name }: { name: string }) => name === 'Grace Okafor')).not.toHaveProperty('isPinOnce')
      expect(resets).toMatchObject([{ name: 'Grace Okafor', isOver: true }])
      await at(0).reconnect()
      await whenSynced()
      for (const { staff } of desks) {
        expect(await staff.check(pin, 'Grace Okafor')).toMatchObject(WRONG)
        expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
        if (isUntold) expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
      }
    }
  )

  test('is the last that counts of two, also where the server’s clock was set back between them', {
    tags: ['full']
  }, async () => {
    const first = await reset()
    const { id, read } = await listThere()
    const list = read()
    list.resets[0].at += 3_600_000
    const sealed = seal(two.office.key, `staff:${id}`, Buffer.from(JSON.stringify(list)))
    await put(sealed)
    await whenSynced()
    const second = await reset()
    await whenSynced()
    await put(sealed)
    await whenSynced()
    for (const { staff } of desks) {
      expect(await staff.check(first.pin, 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(second.pin, 'Grace Okafor')).toEqual(ONCE)
    }
  })

  test.each([1, 2])(
    'holds where a workstation that never heard of it goes on from a backup of before: the newest of %i',
    { tags: ['full'] },
    async (times) => {
      const putBack = await dumpOf(two.office)
      at(1).disconnect()
      const pins = [await reset()]
      await at(0).whenSynced()
      at(0).disconnect()
      await putBack()
      await at(1).reconnect()
      await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '52819' })
      await at(1).whenSynced()
      if (times > 1) pins.push(await reset())
      await at(1).whenSynced()
      await at(0).reconnect()
      await whenSynced()
      for (const { staff } of desks) {
        expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
        for (const { pin } of pins.slice(0, -1)) expect(await staff.check(pin, 'Grace Okafor')).toMatchObject(WRONG)
        expect(await staff.check(pins.at(-1)?.pin ?? '', 'Grace Okafor')).toEqual(ONCE)
        expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
      }
    }
  )
})

test('wrong PINs are counted where they were given', async () => {
  await at(0).name()
  await joined()
  for (let tries = 0; tries < 3; tries++) await at(1).staff.check('0000', 'Ben Tui')
  expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject({ ok: false, code: 'pin-wait' })
  await at(0).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
  await whenSynced()
  // Changes to others don't end the wait.
  expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject({ ok: false, code: 'pin-wait' })
  expect(await at(0).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
})

test('of two lists that come together each person is there once, as the office had them first', async () => {
  await at(0).name()
  await at(1).staff.set('29384')
  await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
  await joined()
  for (const desk of desks) {
    expect(desk.names()).toEqual(['Ana Reweti, clerk', 'Ben Tui, clerk', 'Grace Okafor, administrator'])
    expect(await desk.staff.check('29384', 'Grace Okafor')).toMatchObject(WRONG)
    expect(await desk.staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
  }
})

test('a workstation that leaves keeps staff as they were, and who was removed from the office meanwhile is so as it comes back', async () => {
  await at(0).name()
  await joined()
  await at(1).leave()
  // Nobody had entered a PIN there, so nobody is taken for the administrator now.
  expect(at(1).staff.authenticated()).toBeUndefined()
  expect(await at(1).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
  // Its keychain had no entry that could have been lost.
  expect(await at(1).staff.hasLostKeychainEntry()).toBe(false)
  await at(0).staff.remove(at(0).idOf('Ben Tui'))
  await at(0).whenSynced()
  expect(at(1).names()).toContain('Ben Tui, clerk')
  await at(1).join('Counter 3')
  await whenSynced()
  for (const desk of desks) expect(desk.names()).toEqual(['Grace Okafor, administrator'])
})
