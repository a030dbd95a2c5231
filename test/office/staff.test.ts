// The staff of an office and their PINs, shared by its workstations: a person added at one is known at all, and one
// removed at one is removed at all. The server can't read any of it.
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
import { itemIdentityOf, seal, unseal } from '../../src/main/core/office/sealing.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import type { TestOffice } from '../fixtures/office.ts'
import { dumpOf, OfficeWorkstation, poolAs, twoWorkstations } from '../fixtures/office-workstation.ts'
import type { Workplace } from '../fixtures/workplace.ts'

const WRONG = { ok: false, code: 'wrong-pin' }
const run = promisify(execFile)
const SCRIPT = new URL('../../scripts/office.ts', import.meta.url).pathname

class Workstation extends OfficeWorkstation {
  readonly slot: ReturnType<typeof memoryKeychain>['staffPin']
  readonly its: { staff: Staff; shared: SharedStaff }
  /**
   * `meanwhile` runs once, right after the server has reported a conflict; `isUnanswered` loses the server's answers.
   */
  readonly next: { meanwhile?: (() => Promise<unknown>) | undefined; isUnanswered?: boolean }
  readonly notes: AuditNote[] = []

  constructor(work: Workplace, office: TestOffice) {
    const slot = memoryKeychain().staffPin
    const its = {} as { staff: Staff; shared: SharedStaff }
    const next: Workstation['next'] = {}
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
        const put: typeof records.put = async (...args) => {
          const answers = await records.put(...args)
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
  /** Adds Grace, an administrator, and Ben, a clerk. */
  async addStaff(): Promise<void> {
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

const two = twoWorkstations(Workstation)
const { at, workstations, whenSynced } = two
async function joinAndSync(): Promise<void> {
  await two.joinBoth()
  await whenSynced()
}

describe('staff added at one workstation', () => {
  test('are listed at the others, and can sign in there by name and PIN or by badge', async () => {
    await at(0).addStaff()
    await joinAndSync()
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

  test('are stored on the server in a form that it can’t read', async () => {
    await at(0).addStaff()
    await joinAndSync()
    const [row, ...others] = await two.office.sql<{ id: string; sealed: Buffer }>(
      "SELECT id, sealed FROM office.shared_item WHERE kind = 'staff'"
    )
    expect(others).toEqual([])
    const stored = `${row?.id} ${row?.sealed.toString('latin1')}`
    for (const secret of ['Ben', 'Grace', 'clerk', 'salt', 'staff']) expect(stored).not.toContain(secret)
  })

  test('have no PIN in a keychain, so a missing entry lets nobody set a new one', async () => {
    await at(0).addStaff()
    await joinAndSync()
    for (const workstation of workstations) {
      expect(await workstation.slot.get()).toBeNull()
      expect(await workstation.staff.hasLostKeychainEntry()).toBe(false)
      await expect(workstation.staff.set('91736')).rejects.toMatchObject({ appError: { code: 'invalid' } })
      await expect(workstation.staff.reset()).rejects.toMatchObject({ appError: { code: 'bad-input' } })
    }
    expect(await at(1).staff.check('91736', 'Grace Okafor')).toMatchObject(WRONG)
  })

  test('that has already joined are shared with the office, too', async () => {
    await joinAndSync()
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
    await at(0).addStaff()
    await joinAndSync()
  })

  test('that removes someone removes them everywhere, even where they are working', async () => {
    await at(1).staff.check('60417', 'Ben Tui')
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await whenSynced()
    expect(at(1).names()).toEqual(['Grace Okafor, administrator'])
    expect(at(1).staff.current()).toBeUndefined()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject(WRONG)
    expect(await at(1).staff.check('CARD-0042')).toMatchObject(WRONG)
  })

  test('of a PIN or role applies at all workstations', async () => {
    await at(1).staff.change(at(1).idOf('Ben Tui'), { pin: '91736', role: 'administrator' })
    await whenSynced()
    expect(at(0).names()).toEqual(['Ben Tui, administrator', 'Grace Okafor, administrator'])
    expect(await at(0).staff.check('60417', 'Ben Tui')).toMatchObject(WRONG)
    expect(await at(0).staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
  })

  test('of which packages need a second person applies at all workstations', async () => {
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

  test('of one’s own PIN applies at all workstations', async () => {
    await at(1).staff.set('91736', '60417', 'Ben Tui')
    await whenSynced()
    expect(await at(0).staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
  })

  test('reaches a disconnected workstation once it reconnects; until then it uses the list it has', async () => {
    at(1).disconnect()
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await at(0).whenSynced()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    await at(1).reconnect()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject(WRONG)
  })

  test('must be read once before connecting succeeds, so that no package misses a new release rule', async () => {
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
    // The server answers everything except requests for changes.
    const failing = { ...records, changes: () => Promise.reject(new Error('It can’t be read just now.')) }
    await expect(shared.connect({ store, records: failing }, life, 'Counter 2')).rejects.toThrow()
    expect(shared.releaseRule.isNeeded(6)).toBe(false)
    await shared.connect({ store, records }, life, 'Counter 2')
    expect(shared.releaseRule.isNeeded(6)).toBe(true)
    // From then on, connecting doesn't wait for the rule.
    const silent = { ...records, state: () => Promise.reject(new Error('It was asked.')) }
    await shared.connect({ store, records: silent }, life, 'Counter 2')
    shared.disconnect()
  })

  test('and another elsewhere at the same time are both kept', async () => {
    at(1).disconnect()
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
    await at(0).staff.change(at(0).idOf('Ben Tui'), { pin: '91736' })
    await at(0).staff.add({ name: 'Wiremu Ngata', role: 'clerk', pin: '52819' })
    await at(0).whenSynced()
    await at(1).reconnect()
    await whenSynced()
    for (const { staff } of workstations) {
      expect(await staff.check('83920', 'Ana Reweti')).toEqual({ ok: true })
      expect(await staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
      expect(await staff.check('52819', 'Wiremu Ngata')).toEqual({ ok: true })
    }
    expect(at(0).names()).toEqual(at(1).names())
  })

  test('whose answer was lost doesn’t bring back someone removed since', async () => {
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
    for (const workstation of workstations)
      expect(workstation.names()).toEqual(['Ben Tui, clerk', 'Grace Okafor, administrator'])
  })

  test('made after its process was killed reaches the others, and nobody is signed out', async () => {
    await at(1).staff.check('60417', 'Ben Tui')
    await at(1).killAndRestart()
    expect(at(1).staff.current()?.name).toBe('Ben Tui')
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
    await whenSynced()
    expect(at(0).names()).toContain('Ana Reweti, clerk')
  })

  test('that removed someone still applies after the server is restored from a backup', async () => {
    const restoreServer = await dumpOf(two.office)
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await whenSynced()
    await restoreServer()
    for (const workstation of workstations) await workstation.reconnect()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.names()).toEqual(['Grace Okafor, administrator'])
  })
})

describe('a restored server', () => {
  beforeEach(async () => {
    await at(0).addStaff()
    await joinAndSync()
  })
  test.each([[[0, 1]], [[1, 0]]])(
    'keeps everyone who was added, synced or not, and nobody who was removed: order %s',
    { tags: ['full'] },
    async (order) => {
      const restoreServer = await dumpOf(two.office)
      await at(1).powerOff()
      await at(0).staff.remove(at(0).idOf('Ben Tui'))
      await at(0).staff.add({ name: 'Wiremu Ngata', role: 'clerk', pin: '52819' })
      await at(0).whenSynced()
      await at(0).powerOff()
      await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
      await restoreServer()
      for (const index of order) await at(index).killAndRestart()
      await whenSynced()
      for (const workstation of workstations) {
        expect(workstation.names()).toEqual(['Ana Reweti, clerk', 'Grace Okafor, administrator', 'Wiremu Ngata, clerk'])
      }
    }
  )
})

describe('a restored server whose list changes while another is merged into it', () => {
  beforeEach(async () => {
    await at(0).addStaff()
    await joinAndSync()
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    await at(0).staff.add({ name: 'Wiremu Ngata', role: 'clerk', pin: '52819' })
    await at(0).whenSynced()
    await at(0).powerOff()
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
    await restoreServer()
    await at(1).killAndRestart()
  })
  const others = ['Ben Tui, clerk', 'Grace Okafor, administrator']
  async function expectAll(meanwhile: () => Promise<unknown>, ...names: string[]): Promise<void> {
    at(0).next.meanwhile = () => meanwhile().then(() => at(1).whenSynced())
    await at(0).killAndRestart()
    expect(at(0).next.meanwhile).toBeUndefined()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.names()).toEqual([...others, ...names].sort())
  }

  test('keeps everyone added before and since', () =>
    expectAll(
      () => at(1).staff.add({ name: 'Hone Pita', role: 'clerk', pin: '61748' }),
      ...['Ana Reweti, clerk', 'Hone Pita, clerk', 'Wiremu Ngata, clerk']
    ))

  test('doesn’t bring back someone removed since', { tags: ['full'] }, () =>
    expectAll(() => at(1).staff.remove(at(1).idOf('Ana Reweti')), 'Wiremu Ngata, clerk')
  )
})

test('neither a workstation nor the server can delete an office’s staff', async () => {
  await at(0).addStaff()
  await joinAndSync()
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
  for (const workstation of workstations) {
    expect(workstation.names()).toEqual(['Ben Tui, clerk', 'Grace Okafor, administrator'])
    expect(await workstation.staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
  }
})

describe('resetting an administrator’s forgotten PIN with the office’s key', () => {
  const cost = { n: 2 ** 10, r: 8, p: 1 }
  const reset = (name = 'grace okafor', key = two.office.key) => resetPin(two.office.administrator, { name, key, cost })
  const ONCE = { ok: false, code: 'pin-once', at: 'Grace Okafor' }
  const storedList = async () => {
    const [row] = await two.office.sql<{ id: string; account: string; sealed: Buffer }>(
      "SELECT id, account, sealed FROM office.shared_item WHERE kind = 'staff'"
    )
    if (!row) return expect.fail('The office has no list of staff.')
    const identity = itemIdentityOf('staff', row.account, row.id)
    return {
      ...row,
      read: () => JSON.parse(unseal(two.office.key, identity, row.sealed).toString('utf8')),
      seal: (list: unknown) => seal(two.office.key, identity, Buffer.from(JSON.stringify(list)))
    }
  }
  /** Replaces the stored list, as anyone can who controls only the server. */
  const put = (sealed: Buffer) =>
    two.office.sql(
      `WITH feed AS (UPDATE office.shared_item_feed SET seq = seq + 1 WHERE kind = 'staff' RETURNING seq)
       UPDATE office.shared_item SET sealed = $1, version = gen_random_uuid(), revision = revision + 1, seq = feed.seq, body_seq = feed.seq
         FROM feed WHERE kind = 'staff'`,
      [sealed]
    )
  beforeEach(async () => {
    await at(0).addStaff()
    await joinAndSync()
  })

  test('gives a one-time PIN, and the old PIN stops working everywhere', async () => {
    await at(0).staff.check('74918', 'Grace Okafor')
    const { name, pin } = await reset()
    expect(name).toBe('Grace Okafor')
    await whenSynced()
    for (const { staff } of workstations) {
      expect(staff.authenticated()).toBeUndefined()
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      expect(staff.authenticated()).toBeUndefined()
      expect(await staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    }
  })

  test('works by the script while two workstations are connected', { timeout: 120_000 }, async () => {
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
      for (const { staff } of workstations) {
        expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
        expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      }
      await at(1).staff.set('83920', pin, 'Grace Okafor')
      await whenSynced()
      for (const { staff } of workstations) expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test.each(['before', 'between'] as const)(
    'isn’t undone by an older list on the server when a workstation rejoins: one from %s',
    async (when) => {
      const before = (await storedList()).sealed
      const { pin } = await reset()
      await whenSynced()
      const between = (await storedList()).sealed
      await at(0).staff.set('83920', pin, 'Grace Okafor')
      await whenSynced()
      await at(1).leave()
      // Nobody else is connected who could correct the list.
      at(0).disconnect()
      await put({ before, between }[when])
      await at(1).join('Counter 3')
      await at(1).whenSynced()
      const { staff, notes } = at(1)
      for (const removed of ['74918', pin]) expect(await staff.check(removed, 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
      expect((await storedList()).read().resets).toMatchObject([{ name: 'Grace Okafor', isOver: true }])
      expect(notes.filter(({ what }) => what === 'pin-reset')).toHaveLength(1)
    }
  )

  test('makes the person choose a new PIN first, which then applies everywhere', async () => {
    const { pin } = await reset()
    await whenSynced()
    const { staff } = at(1)
    await expect(staff.set(pin, pin, 'Grace Okafor')).rejects.toMatchObject({ appError: { code: 'invalid' } })
    await expect(staff.set('83920', '74918', 'Grace Okafor')).rejects.toMatchObject({ appError: { code: 'wrong-pin' } })
    await staff.set('83920', pin, 'Grace Okafor')
    expect(staff.authenticated()?.name).toBe('Grace Okafor')
    await whenSynced()
    for (const workstation of workstations) {
      expect(await workstation.staff.check(pin, 'Grace Okafor')).toMatchObject(WRONG)
      expect(await workstation.staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
    }
  })

  test('is recorded once in every workstation’s audit trail, even one that was disconnected meanwhile', {
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
    // The old PIN was entered there, which no longer counts.
    expect(at(1).staff.authenticated()).toBeUndefined()
    expect(at(0).staff.authenticated()?.name).toBe('Grace Okafor')
    await at(1).killAndRestart()
    const { user } = two.office.administrator
    for (const { notes } of workstations) {
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

  test('ends the wait after wrong PINs, and overrides a PIN change not yet synced', {
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
    for (const { staff } of workstations) {
      expect(await staff.check('83920', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
    }
  })

  test('can be repeated, and is over once someone sets a PIN for them at a workstation', {
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

  test('survives a restore of the server, and is refused until the restore was noticed', {
    tags: ['full']
  }, async () => {
    const restoreServer = await dumpOf(two.office)
    const { pin } = await reset()
    await whenSynced()
    await restoreServer()
    for (const workstation of workstations) await workstation.reconnect()
    await whenSynced()
    for (const { staff } of workstations) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
    }
    // For workstations that join later, too.
    expect((await storedList()).read().resets).toHaveLength(1)
    await two.office.sql("UPDATE office.office SET server_fingerprint = 'another'")
    await expect(reset()).rejects.toThrow('was restored')
  })

  test('brings back nobody who was removed, even as the first change on a restored server', {
    tags: ['full']
  }, async () => {
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    await at(0).staff.remove(at(0).idOf('Ben Tui'))
    await at(0).whenSynced()
    await at(0).powerOff()
    await restoreServer()
    await at(1).killAndRestart()
    const { pin } = await reset()
    await at(1).whenSynced()
    await at(0).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.names()).toEqual(['Grace Okafor, administrator'])
      expect(await workstation.staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
    }
  })

  test('is only for administrators, and the error names them', { tags: ['full'] }, async () => {
    for (const name of ['Ben Tui', 'Nobody'])
      await expect(reset(name)).rejects.toThrow('Its administrators are: Grace Okafor.')
    await whenSynced()
    expect(await at(1).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
  })

  test('needs the office’s current key, and can’t be done with a workstation’s database role', async () => {
    await expect(reset('Grace Okafor', randomBytes(32))).rejects.toThrow('uses a different key')
    const before = two.office.key
    await two.office.rotateKey()
    await expect(reset('Grace Okafor', before)).rejects.toThrow('uses a different key')
    const { place } = await two.office.join('Thief')
    await expect(resetPin(place, { name: 'Grace Okafor', key: two.office.key, cost })).rejects.toMatchObject({
      code: '42501'
    })
    const change = "UPDATE office.shared_item SET sealed = sealed WHERE kind = 'staff'"
    await expect(withConnection(place, (client) => client.query(change))).rejects.toMatchObject({ code: '42501' })
    for (const workstation of workstations) await workstation.reconnect()
    await whenSynced()
    for (const { staff } of workstations) expect(await staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
  })

  test('isn’t undone by an older list that the server’s administrator puts in place', async () => {
    const { sealed } = await storedList()
    const { pin } = await reset()
    await whenSynced()
    await put(sealed)
    await whenSynced()
    // Nor for workstations that join later.
    expect((await storedList()).read()).toMatchObject({
      members: expect.arrayContaining([expect.objectContaining({ name: 'Grace Okafor', isPinOnce: true })]),
      resets: [{ name: 'Grace Okafor' }]
    })
    for (const { staff } of workstations) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
    }
    await at(0).staff.set('83920', pin, 'Grace Okafor')
    await whenSynced()
    await put(sealed)
    await whenSynced()
    for (const { staff } of workstations) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
    }
  })

  test('isn’t undone by an older list that is merged with an unsynced change', {
    tags: ['full']
  }, async () => {
    const { sealed } = await storedList()
    const { pin } = await reset()
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '52819' })
    await put(sealed)
    await at(1).reconnect()
    expect((await storedList()).read().resets).toHaveLength(1)
    await at(0).reconnect()
    await whenSynced()
    for (const { staff } of workstations) {
      expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(pin, 'Grace Okafor')).toEqual(ONCE)
      expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
    }
  })

  test.each([false, true])(
    'stays over after the person chose a PIN, even if an older list returns: with an unsynced change, %s',
    { tags: ['full'] },
    async (hasUnsyncedChange) => {
      const { pin } = await reset()
      await whenSynced()
      const { sealed } = await storedList()
      await at(0).staff.set('83920', pin, 'Grace Okafor')
      await whenSynced()
      for (const workstation of workstations) workstation.disconnect()
      if (hasUnsyncedChange) await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '52819' })
      await put(sealed)
      await at(1).reconnect()
      await at(1).whenSynced()
      // For workstations that join later, too.
      const { members, resets } = (await storedList()).read()
      expect(members.find(({ name }: { name: string }) => name === 'Grace Okafor')).not.toHaveProperty('isPinOnce')
      expect(resets).toMatchObject([{ name: 'Grace Okafor', isOver: true }])
      await at(0).reconnect()
      await whenSynced()
      for (const { staff } of workstations) {
        expect(await staff.check(pin, 'Grace Okafor')).toMatchObject(WRONG)
        expect(await staff.check('83920', 'Grace Okafor')).toEqual({ ok: true })
        if (hasUnsyncedChange) expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
      }
    }
  )

  test('uses the later of two one-time PINs, even if the server’s clock was set back in between', {
    tags: ['full']
  }, async () => {
    const first = await reset()
    const { read, seal: sealList } = await storedList()
    const list = read()
    list.resets[0].at += 3_600_000
    const sealed = sealList(list)
    await put(sealed)
    await whenSynced()
    const second = await reset()
    await whenSynced()
    await put(sealed)
    await whenSynced()
    for (const { staff } of workstations) {
      expect(await staff.check(first.pin, 'Grace Okafor')).toMatchObject(WRONG)
      expect(await staff.check(second.pin, 'Grace Okafor')).toEqual(ONCE)
    }
  })

  test.each([1, 2])(
    'survives a restore after which a workstation that missed it syncs first: the newest of %i',
    { tags: ['full'] },
    async (times) => {
      const restoreServer = await dumpOf(two.office)
      at(1).disconnect()
      const pins = [await reset()]
      await at(0).whenSynced()
      at(0).disconnect()
      await restoreServer()
      await at(1).reconnect()
      await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '52819' })
      await at(1).whenSynced()
      if (times > 1) pins.push(await reset())
      await at(1).whenSynced()
      await at(0).reconnect()
      await whenSynced()
      for (const { staff } of workstations) {
        expect(await staff.check('74918', 'Grace Okafor')).toMatchObject(WRONG)
        for (const { pin } of pins.slice(0, -1)) expect(await staff.check(pin, 'Grace Okafor')).toMatchObject(WRONG)
        expect(await staff.check(pins.at(-1)?.pin ?? '', 'Grace Okafor')).toEqual(ONCE)
        expect(await staff.check('52819', 'Ana Reweti')).toEqual({ ok: true })
      }
    }
  )
})

test('wrong PINs are counted at each workstation separately', async () => {
  await at(0).addStaff()
  await joinAndSync()
  for (let tries = 0; tries < 3; tries++) await at(1).staff.check('0000', 'Ben Tui')
  expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject({ ok: false, code: 'pin-wait' })
  await at(0).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
  await whenSynced()
  // Changes to others don't end the wait.
  expect(await at(1).staff.check('60417', 'Ben Tui')).toMatchObject({ ok: false, code: 'pin-wait' })
  expect(await at(0).staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
})

test('when two staff lists are merged, each person appears once, as the office first had them', async () => {
  await at(0).addStaff()
  await at(1).staff.set('29384')
  await at(1).staff.add({ name: 'Ana Reweti', role: 'clerk', pin: '83920' })
  await joinAndSync()
  for (const workstation of workstations) {
    expect(workstation.names()).toEqual(['Ana Reweti, clerk', 'Ben Tui, clerk', 'Grace Okafor, administrator'])
    expect(await workstation.staff.check('29384', 'Grace Okafor')).toMatchObject(WRONG)
    expect(await workstation.staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
  }
})

test('a workstation that leaves keeps its staff, and on rejoining drops those removed meanwhile', async () => {
  await at(0).addStaff()
  await joinAndSync()
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
  for (const workstation of workstations) expect(workstation.names()).toEqual(['Grace Okafor, administrator'])
})
