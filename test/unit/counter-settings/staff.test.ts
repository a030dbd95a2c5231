import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { StaffContent } from '../../../src/main/core/counter/staff-sync.ts'
import { lastingKeychain } from '../storage/keychains.ts'
import { MINUTE, SECOND, staffOffice } from './office.ts'

const refusal = (error: object) => ({ appError: error })
const WRONG = { ok: false, code: 'wrong-pin' }

/** Returns an office with Grace, whose PIN was everyone's, Ben, a clerk, and Ana, a manager. */
async function named(change: Parameters<typeof staffOffice>[0] = {}) {
  const office = staffOffice(change)
  const staff = office.run()
  await staff.set('74918')
  await staff.add({ name: 'Ben Tui', role: 'clerk', pin: '60417' })
  await staff.add({ name: 'Ana Reweti', role: 'manager', pin: '83920' })
  office.notes.length = 0
  return { ...office, staff }
}

async function wrongly(office: Awaited<ReturnType<typeof named>>, times: number, name?: string, staff = office.staff) {
  for (let time = 0; time < times; time++) {
    const answer = await staff.check('0001', name)
    if (answer.ok) throw new Error('That was right.')
    if (answer.waitUntil !== undefined && time < times - 1)
      await office.time.pass(answer.waitUntil - office.time.now + 1)
  }
}

describe('a PIN reset that arrives from the office', () => {
  type Gives = Awaited<ReturnType<typeof named>>['staff']
  /**
   * Lets a reset of Ben's PIN arrive while he enters a PIN: at the `moment`-th read of the clock or the keychain, or,
   * if `moment` is 0, `turns` microtasks after he began.
   */
  async function cameAt(moment: number, gives: (staff: Gives) => Promise<unknown>, turns = 50) {
    let comes: (() => void) | undefined
    let calls = 0
    const { time, entries, run } = staffOffice()
    const now = () => {
      calls += 1
      // What began at this moment is stored first; scrypt never finishes in a microtask.
      if (calls === moment) later(turns, () => comes?.())
      return time.clock()
    }
    const keychain = lastingKeychain(entries).staffPin
    const get = () => {
      calls += 1
      if (calls === moment) comes?.()
      return keychain.get()
    }
    const slot = { ...keychain, get }
    const staff = run({ isInOffice: () => true, slot, time: { now, elapsed: time.elapsed } })
    await staff.set('74918')
    await staff.add({ name: 'Ben Tui', role: 'administrator', pin: '60417' })
    const list = staff.sync.content() ?? expect.fail('There is no list.')
    const [grace, ben] = list.members
    if (!grace || !ben) expect.fail('They are not on the list.')
    const resets = [{ id: 'reset', member: ben.id, name: ben.name, by: 'postgres', at: 1 }]
    let hasCome = false
    calls = 0
    comes = () => {
      hasCome = true
      staff.sync.applyFromOffice({ members: [grace, { ...ben, pin: grace.pin, isPinOnce: true }], resets })
    }
    const call = gives(staff).catch(() => undefined)
    if (moment === 0) later(turns, comes)
    await call
    // The last moment comes after the answer: wait for the end of this turn, so that it doesn't leak into the next
    // test.
    await setImmediate()
    return { staff, hasCome }
  }
  const later = (turns: number, run: () => void): void =>
    queueMicrotask(() => (turns === 0 ? run() : later(turns - 1, run)))

  test.each([
    ['is checked', '60417', (its: Gives) => its.check('60417', 'Ben Tui')],
    ['is replaced', '91736', (its: Gives) => its.set('91736', '60417', 'Ben Tui')]
  ] as const)(
    'while the old PIN %s takes effect, and the person who entered it isn’t signed in',
    async (_what, pin, gives) => {
      let moments = 0
      for (;;) {
        const { staff, hasCome } = await cameAt(moments + 1, gives)
        if (!hasCome) break
        moments += 1
        expect(staff.authenticated()?.name, `moment ${moments}`).not.toBe('Ben Tui')
        expect(await staff.check(pin, 'Ben Tui'), `moment ${moments}`).toMatchObject(WRONG)
        expect(await staff.check('74918', 'Ben Tui'), `moment ${moments}`).toMatchObject({
          ok: false,
          code: 'pin-once'
        })
      }
      expect(moments).toBeGreaterThan(1)
    }
  )

  test('while the one-time PIN is entered doesn’t let anyone in with it', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const { staff } = await cameAt(0, (its) => its.check('74918', 'Ben Tui'), turns)
      expect(staff.authenticated()?.name, `${turns} turns`).not.toBe('Ben Tui')
    }
  })
})

describe('a list that arrives from the office while someone is added or changed', () => {
  /** Lets the office's list become another one while a code is hashed. */
  async function meanwhile(
    begin: (staff: ReturnType<ReturnType<typeof staffOffice>['run']>, ben: string) => Promise<unknown>,
    become: (list: StaffContent) => StaffContent
  ) {
    const staff = staffOffice().run({ isInOffice: () => true })
    await staff.set('74918')
    await staff.add({ name: 'Ben Tui', role: 'administrator', pin: '60417' })
    const ben = staff.list().find(({ name }) => name === 'Ben Tui')?.id ?? ''
    const list = staff.sync.content() ?? expect.fail('There is no list.')
    const result = begin(staff, ben).catch((error: unknown) => error)
    // scrypt never finishes in a microtask.
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    staff.sync.applyFromOffice(become(list))
    return { staff, ben, result: await result, roles: () => staff.list().map(({ name, role }) => `${name}, ${role}`) }
  }
  /** Returns what changes Grace, or Ben, in a list. */
  const withGrace = (change: object) => (list: StaffContent) => ({
    ...list,
    members: list.members.map((one) => (one.name === 'Grace Okafor' ? { ...one, ...change } : one))
  })
  const withBen = (change: object) => (list: StaffContent) => ({
    ...list,
    members: list.members.map((one) => (one.name === 'Ben Tui' ? { ...one, ...change } : one))
  })

  test('doesn’t leave the office without an administrator', async () => {
    const { staff, ben, result, roles } = await meanwhile(
      (its, id) => its.change(id, { role: 'clerk', pin: '91736' }),
      withGrace({ role: 'manager' })
    )
    expect(result).toMatchObject(refusal({ code: 'bad-input' }))
    expect(roles()).toEqual(['Grace Okafor, manager', 'Ben Tui, administrator'])
    expect(await staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    await staff.change(ben, { pin: '91736' })
    expect(await staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
  })

  test('keeps what it changed of the same person', async () => {
    const { staff, ben, result, roles } = await meanwhile(
      (its, id) => its.change(id, { badge: 'CARD-0042' }),
      withBen({ role: 'clerk', name: 'Ben Tui-Reid' })
    )
    expect([result, roles()]).toEqual([undefined, ['Grace Okafor, administrator', 'Ben Tui-Reid, clerk']])
    expect(await staff.check('CARD-0042')).toEqual({ ok: true, by: 'badge' })
    expect(staff.current()?.id).toBe(ben)
  })

  test('keeps a one-time PIN good for choosing another only', async () => {
    const { staff } = await meanwhile(
      (its, id) => its.change(id, { badge: 'CARD-0042' }),
      (list) => {
        const [grace, ben] = list.members
        const resets = [{ id: 'reset', member: ben?.id ?? '', name: 'Ben Tui', by: 'postgres', at: 1 }]
        return { ...withBen({ pin: grace?.pin, isPinOnce: true })(list), resets }
      }
    )
    expect(await staff.check('74918', 'Ben Tui')).toMatchObject({ ok: false, code: 'pin-once' })
    expect(staff.sync.content()?.resets).toMatchObject([{ id: 'reset' }])
    expect(staff.sync.content()?.resets?.[0]).not.toHaveProperty('isOver')
  })

  test('refuses the change of someone whom it removed, and the name of someone whom it added', async () => {
    const without = await meanwhile(
      (its, id) => its.change(id, { pin: '91736' }),
      (list) => ({ ...list, members: list.members.filter(({ name }) => name !== 'Ben Tui') })
    )
    expect(without.result).toMatchObject(refusal({ code: 'gone' }))
    const withAna = await meanwhile(
      (its) => its.add({ name: 'Ana Reweti', role: 'clerk', pin: '91736' }),
      (list) => ({ ...list, members: [...list.members, { id: 'ana', name: 'ana reweti', role: 'manager' }] })
    )
    expect(withAna.result).toMatchObject(refusal({ code: 'invalid', fields: [{ field: 'name' }] }))
    expect(withAna.roles()).toEqual(['Grace Okafor, administrator', 'Ben Tui, administrator', 'ana reweti, manager'])
  })
})

describe('a single PIN for everyone', () => {
  test('works as before after the update, and nobody has a name', async () => {
    const { run, entries } = staffOffice()
    await run().set('74918')
    const storedPin = entries.get('staff-pin')
    const staff = run()
    expect(staff.hasNames).toBe(false)
    expect(staff.current()).toBeUndefined()
    expect(await staff.state()).toEqual({ isSet: true, keptIn: 'keychain', reset: 'none', canReset: true })
    expect(await staff.check('74918')).toEqual({ ok: true })
    expect(await staff.check('0001')).toMatchObject(WRONG)
    expect(storedPin).toBeDefined()
  })

  test('becomes the first administrator’s once someone is added, and keeps working', async () => {
    const { staff, run } = await named()
    expect(staff.list().map(({ name, role }) => [name, role])).toEqual([
      ['Grace Okafor', 'administrator'],
      ['Ben Tui', 'clerk'],
      ['Ana Reweti', 'manager']
    ])
    expect(await run().check('74918')).toEqual({ ok: true })
    expect(await run().state()).toMatchObject({ isSet: true, asksName: true })
  })

  test('is needed before anyone can be added', async () => {
    const staff = staffOffice().run()
    await expect(staff.add({ name: 'Ben', role: 'clerk', pin: '60417' })).rejects.toMatchObject(
      refusal({ code: 'no-pin' })
    )
    expect(staff.hasNames).toBe(false)
  })

  test('is everyone’s again once the others have been removed', async () => {
    const { staff } = await named()
    await staff.remove('staff-1')
    await staff.remove('staff-2')
    await staff.remove('first')
    expect(staff.hasNames).toBe(false)
    expect(await staff.check('74918')).toEqual({ ok: true })
  })
})

describe('staff with names', () => {
  test('have a PIN each, accepted with their name, or without it for the current member', async () => {
    const { staff, notes } = await named()
    expect(await staff.check('60417')).toMatchObject(WRONG)
    expect(await staff.check('60417', 'Ana Reweti')).toMatchObject(WRONG)
    expect(await staff.check('60417', 'ben tui ')).toEqual({ ok: true })
    expect(staff.current()?.name).toBe('Ben Tui')
    expect(notes).toContainEqual({ what: 'staff-chosen', detail: { from: 'Grace Okafor', how: 'PIN' } })
    expect(await staff.check('60417')).toEqual({ ok: true })
    expect(await staff.check('83920', 'ÁNA Reweti')).toEqual({ ok: true })
  })

  test('are found only by their full name', async () => {
    const { staff } = await named()
    expect(await staff.check('60417', 'Ben')).toMatchObject(WRONG)
    expect(await staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
  })

  test('include the administrator under their own name, if it was entered', async () => {
    const office = staffOffice()
    const staff = office.run()
    await staff.set('74918')
    await expect(
      staff.add({ name: 'Jane Smith', role: 'clerk', pin: '60417', ownName: 'Jane Smith' })
    ).rejects.toThrow()
    await staff.add({ name: 'Ben Tui', role: 'clerk', pin: '60417', ownName: 'Jane Smith' })
    expect(staff.list().map(({ name, role }) => [name, role])).toEqual([
      ['Jane Smith', 'administrator'],
      ['Ben Tui', 'clerk']
    ])
  })

  test('survive a restart, together with the current member', async () => {
    const { staff, run } = await named()
    await staff.check('60417', 'Ben Tui')
    expect(run().current()?.name).toBe('Ben Tui')
    expect(await run().check('60417')).toEqual({ ok: true })
  })

  test('are changed by an administrator, which is recorded without the PIN', async () => {
    const { staff, notes } = await named()
    await staff.change('staff-1', { name: 'Ben Tui-Smith', role: 'manager', pin: '91736', badge: 'CARD-0042' })
    expect(await staff.check('60417', 'Ben Tui-Smith')).toMatchObject(WRONG)
    expect(await staff.check('91736', 'Ben Tui-Smith')).toEqual({ ok: true })
    const changed = notes.find(({ what }) => what === 'staff-changed')
    expect(changed?.detail).toEqual({
      name: 'Ben Tui → Ben Tui-Smith',
      role: 'clerk → manager',
      pin: 'another',
      badge: 'another'
    })
    await staff.remove('staff-1')
    expect(notes.at(-1)).toEqual({ what: 'staff-removed', detail: { name: 'Ben Tui-Smith', role: 'manager' } })
    expect(await staff.check('91736', 'Ben Tui-Smith')).toMatchObject(WRONG)
    expect(JSON.stringify(notes)).not.toMatch(/91736|CARD-0042/)
  })

  test('can change only their own PIN, with the current one', async () => {
    const { staff } = await named()
    await expect(staff.set('52947', '74918', 'Ben Tui')).rejects.toMatchObject(refusal({ code: 'wrong-pin' }))
    await expect(staff.set('52947', undefined, 'Ben Tui')).rejects.toMatchObject(refusal({ code: 'invalid' }))
    await staff.set('52947', '60417', 'Ben Tui')
    expect(await staff.check('52947', 'Ben Tui')).toEqual({ ok: true })
    // A badge isn't a PIN that could be replaced.
    await staff.change('staff-2', { badge: 'CARD-0042' })
    await expect(staff.set('91736', 'CARD-0042')).rejects.toMatchObject(refusal({ code: 'wrong-pin' }))
    await expect(staff.set('52947', '60417', 'Nobody')).rejects.toMatchObject(refusal({ code: 'wrong-pin' }))
  })

  test('can’t have a name or badge in use, or a common PIN', async () => {
    const { staff } = await named()
    const add = (name: string, pin: string) => staff.add({ name, role: 'clerk', pin })
    await expect(add('BEN TUI', '52947')).rejects.toMatchObject(refusal({ fields: [{ field: 'name' }] }))
    await expect(add('Mere', '1234')).rejects.toMatchObject(refusal({ fields: [{ field: 'pin' }] }))
    await staff.change('staff-1', { badge: 'CARD-0042' })
    await expect(staff.change('staff-2', { badge: 'CARD-0042' })).rejects.toMatchObject(
      refusal({ fields: [{ field: 'badge' }] })
    )
    expect(staff.list()).toHaveLength(3)
  })

  test('can need a release only if two members can release', async () => {
    const { staff, notes } = await named()
    await staff.remove('staff-2')
    expect(() => staff.setReleaseNeeded({ above: 0 })).toThrow(
      expect.objectContaining({ appError: expect.objectContaining({ code: 'bad-input' }) })
    )
    expect(staff.releaseNeeded()).toBeUndefined()
    await staff.change('staff-1', { role: 'manager' })
    staff.setReleaseNeeded({ above: 0 })
    expect(staff.releaseNeeded()).toEqual({ above: 0 })
    expect(notes.at(-1)).toEqual({ what: 'staff-changed', detail: { releaseBefore: '-', release: '0' } })
    staff.setReleaseNeeded(null)
    expect(staff.releaseNeeded()).toBeUndefined()
  })

  test('must keep two members who can release, unless concurrent changes left fewer', async () => {
    const { staff } = await named()
    staff.setReleaseNeeded({ above: 0 })
    const refused = refusal({ code: 'bad-input', next: expect.stringContaining('“None”') })
    await expect(staff.remove('staff-2')).rejects.toMatchObject(refused)
    await expect(staff.change('staff-2', { role: 'clerk' })).rejects.toMatchObject(refused)
    expect(staff.list()).toHaveLength(3)
    // A member who can't release can be demoted without loss, and another may take their place.
    await staff.change('staff-2', { role: 'administrator' })
    await staff.change('staff-1', { role: 'manager' })
    await staff.change('staff-2', { role: 'clerk' })
    // As another workstation of the office has it.
    const now = staff.sync.content() ?? {
      members: staff.list().map(({ id, name, role }) => ({ id, name, role })),
      release: { above: 0 }
    }
    staff.sync.applyFromOffice({
      ...now,
      members: now.members.map((one) => (one.id === 'staff-1' ? { ...one, role: 'clerk' } : one))
    })
    await staff.remove('staff-2')
    staff.setReleaseNeeded(null)
    await staff.remove('staff-1')
    expect(staff.list()).toHaveLength(1)
  })

  test('always have an administrator', async () => {
    const { staff } = await named()
    await expect(staff.remove('first')).rejects.toMatchObject(refusal({ code: 'bad-input' }))
    await expect(staff.change('first', { role: 'clerk' })).rejects.toMatchObject(refusal({ code: 'bad-input' }))
    await staff.change('staff-2', { role: 'administrator' })
    await staff.remove('first')
    expect(staff.current()?.name).toBe('Ana Reweti')
    await expect(staff.remove('staff-2')).rejects.toMatchObject(refusal({ code: 'bad-input' }))
  })

  test('keep everything as it was if one part of a change is refused', async () => {
    const { staff, notes, db } = await named()
    await staff.change('staff-2', { badge: 'CARD-0042' })
    notes.length = 0
    const taken = refusal({ fields: [{ field: 'badge' }] })
    await expect(staff.change('staff-1', { pin: '91736', role: 'manager', badge: 'CARD-0042' })).rejects.toMatchObject(
      taken
    )
    await expect(staff.change('staff-1', { pin: '1234', role: 'manager', badge: 'CARD-0077' })).rejects.toMatchObject(
      refusal({ fields: [{ field: 'pin' }] })
    )
    await expect(staff.add({ name: 'Mere', role: 'clerk', pin: '52947', badge: 'CARD-0042' })).rejects.toMatchObject(
      taken
    )
    expect(await staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    expect(staff.list()[1]).toMatchObject({ name: 'Ben Tui', role: 'clerk', hasBadge: false })
    expect(notes.map(({ what }) => what)).toEqual(['staff-chosen'])
    expect(db.prepare(`SELECT key FROM meta WHERE key LIKE 'staff-pin-%'`).all()).toHaveLength(2)
  })

  test('keep their PINs if a full disk prevents a change', async () => {
    const { staff, db } = await named()
    db.exec(`CREATE TRIGGER full BEFORE UPDATE ON meta WHEN new.key = 'staff' BEGIN SELECT RAISE(ABORT, 'full'); END`)
    await expect(staff.remove('staff-1')).rejects.toThrow('full')
    await expect(staff.change('staff-1', { pin: '91736' })).rejects.toThrow('full')
    await expect(staff.add({ name: 'Mere', role: 'clerk', pin: '52947' })).rejects.toThrow('full')
    expect(staff.list()).toHaveLength(3)
    expect(await staff.check('91736', 'Ben Tui')).toMatchObject(WRONG)
    expect(await staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    expect(db.prepare(`SELECT key FROM meta WHERE key LIKE 'staff-pin-%'`).all()).toHaveLength(2)
  })

  test('can’t get in without their PIN entry, with the same answer as an unknown name', async () => {
    const { staff, db, entries } = await named()
    db.prepare(`DELETE FROM meta WHERE key = 'staff-pin-staff-1'`).run()
    await expect(staff.set('52947', undefined, 'Ben Tui')).rejects.toMatchObject(refusal({ code: 'invalid' }))
    entries.delete('staff-pin')
    for (const name of ['Ben Tui', 'Grace Okafor', undefined])
      expect(await staff.check('0001', name)).toMatchObject(WRONG)
    expect(await staff.check('83920', 'Ana Reweti')).toEqual({ ok: true })
  })

  test('leave no usable PIN in the keychain once the first member was removed', async () => {
    const { staff, entries } = await named()
    await staff.change('staff-2', { role: 'administrator' })
    const before = entries.get('staff-pin')
    await staff.remove('first')
    expect([entries.has('staff-pin'), entries.get('staff-pin') === before]).toEqual([true, false])
  })

  test('have PINs and badges stored as scrypt hashes with their own salts', async () => {
    const { staff, db } = await named()
    await staff.change('staff-1', { badge: 'CARD-0042' })
    const rows = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key LIKE 'staff%'`).all()
    const text = rows.map((row: { value: string }) => row.value).join()
    expect(text).not.toMatch(/60417|83920|CARD-0042/)
    expect(new Set(text.match(/salt[^,]*/g)).size).toBe(3)
  })
})

describe('an unreadable staff list', () => {
  const broken = (office: Awaited<ReturnType<typeof named>>, change: (text: string) => string) => {
    const text = office.db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'staff'`).get()?.value
    office.db.prepare(`UPDATE meta SET value = ? WHERE key = 'staff'`).run(change(text ?? ''))
    return office.run()
  }
  const storedStaff = ({ db }: Awaited<ReturnType<typeof named>>) =>
    db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'staff'`).get()?.value

  test('with one unreadable entry works for the others, and keeps that entry', async () => {
    const office = await named()
    const staff = broken(office, (text) => text.replace('"clerk"', '"auditor"'))
    expect(staff.list().map(({ name }) => name)).toEqual(['Grace Okafor', 'Ana Reweti'])
    expect(await staff.check('60417', 'Ben Tui')).toMatchObject(WRONG)
    expect(await staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
    await staff.remove('staff-2')
    await expect(staff.remove('first')).rejects.toMatchObject(refusal({ code: 'bad-input' }))
    expect(storedStaff(office)).toContain('auditor')
  })

  test.each([
    ['that is entirely invalid', () => '[{"id": 1}]'],
    ['that isn’t JSON', () => '[[[']
  ])('%s stays locked, and accepts no PIN', async (_how, change) => {
    const office = await named()
    const staff = broken(office, change)
    expect([staff.hasNames, (await staff.state()).isSet]).toEqual([true, true])
    expect(await office.accessOf(staff).isOpen()).toBe(false)
    expect(() => office.accessOf(staff).open()).toThrow('not-allowed')
    for (const pin of ['74918', '0001']) expect(await staff.check(pin)).toMatchObject(WRONG)
    await expect(staff.set('52947')).rejects.toMatchObject(refusal({ code: 'invalid' }))
    await expect(staff.reset()).rejects.toMatchObject(refusal({ code: 'bad-input' }))
    office.entries.clear()
    await staff.set('52947')
    expect(staff.list()).toMatchObject([{ name: 'Grace Okafor', role: 'administrator', isCurrent: true }])
    expect(await office.run().check('52947')).toEqual({ ok: true })
  })
})

describe('an administrator’s forgotten PIN', () => {
  test('can be replaced by the first administrator once the keychain’s entry was removed', async () => {
    const { staff, entries, notes, run } = await named()
    await staff.check('60417', 'Ben Tui')
    entries.delete('staff-pin')
    expect(await staff.state()).toMatchObject({
      isSet: true,
      canReset: false,
      reset: 'allowed',
      resetOf: 'Grace Okafor'
    })
    await expect(staff.set('1234')).rejects.toMatchObject(refusal({ code: 'invalid' }))
    await staff.set('91736', '60417', 'Ben Tui')
    expect(await staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
    notes.length = 0
    expect(await staff.set('52947')).toMatchObject({ isSet: true, reset: 'none' })
    expect(notes).toEqual([
      { what: 'pin-reset', detail: { how: 'after the keychain’s entry was removed', name: 'Grace Okafor' } },
      { what: 'staff-chosen', detail: { from: 'Ben Tui', how: 'PIN' } }
    ])
    expect(await run().check('52947', 'Grace Okafor')).toEqual({ ok: true })
    expect(await staff.check('91736', 'Ben Tui')).toEqual({ ok: true })
    await expect(staff.set('91736')).rejects.toMatchObject(refusal({ code: 'invalid' }))
  })

  test('can be replaced in the same way if the first member has left', async () => {
    const { staff, entries, accessOf } = await named()
    await staff.change('staff-2', { role: 'administrator' })
    await staff.remove('first')
    await expect(staff.set('52947')).rejects.toMatchObject(refusal({ code: 'invalid' }))
    entries.delete('staff-pin')
    await staff.set('52947')
    expect(await staff.check('52947')).toEqual({ ok: true })
    expect(staff.current()?.name).toBe('Ana Reweti')
    accessOf(staff).open()
    await expect(staff.set('91736')).rejects.toMatchObject(refusal({ code: 'invalid' }))
  })

  test('can’t be replaced because the keychain fails', async () => {
    const slot = {
      get: () => Promise.reject(new Error('locked')),
      set: async () => undefined,
      delete: async () => undefined
    }
    const { staff, run } = await named()
    await staff.check('60417', 'Ben Tui')
    expect(await run({ slot }).state()).toMatchObject({ isSet: true, reset: 'none' })
    await expect(run({ slot }).set('52947')).rejects.toThrow('locked')
  })
})

describe('a badge', () => {
  test('is accepted instead of a PIN, for the person it belongs to', async () => {
    const { staff, notes } = await named()
    await staff.change('staff-1', { badge: 'CARD-0042' })
    await staff.change('staff-2', { badge: 'CARD-0077' })
    expect(await staff.check('CARD-0077')).toEqual({ ok: true, by: 'badge' })
    expect(staff.current()?.name).toBe('Ana Reweti')
    expect(notes.at(-1)).toMatchObject({ what: 'staff-chosen', detail: { how: 'badge' } })
    expect(await staff.check('CARD-0078')).toMatchObject(WRONG)
    // A badge stands for itself, not for a name.
    expect(await staff.check('CARD-0042', 'Ana Reweti')).toMatchObject(WRONG)
  })

  test('with the same digits as the current member’s PIN doesn’t switch to another member', async () => {
    const { staff } = await named()
    await staff.change('staff-2', { badge: '740918' })
    await staff.change('staff-1', { pin: '740918' })
    await staff.check('740918', 'Ben Tui')
    expect(await staff.check('740918')).toEqual({ ok: true })
    expect(staff.current()?.name).toBe('Ben Tui')
    await staff.check('74918', 'Grace Okafor')
    expect(await staff.check('740918')).toEqual({ ok: true, by: 'badge' })
    expect(staff.current()?.name).toBe('Ana Reweti')
  })

  test('that the office removes while it is read isn’t accepted', async () => {
    const staff = staffOffice().run({ isInOffice: () => true })
    await staff.set('74918')
    await staff.add({ name: 'Ben Tui', role: 'administrator', pin: '60417', badge: 'CARD-0042' })
    await staff.check('74918', 'Grace Okafor')
    const list = staff.sync.content() ?? expect.fail('There is no list.')
    const checking = staff.check('CARD-0042')
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    staff.sync.applyFromOffice({ ...list, members: list.members.map(({ badge: _, ...member }) => member) })
    expect(await checking).toMatchObject(WRONG)
    expect(staff.current()?.name).toBe('Grace Okafor')
  })

  test('that was removed isn’t accepted', async () => {
    const { staff } = await named()
    await staff.change('staff-1', { badge: 'CARD-0042' })
    await staff.change('staff-1', { badge: null })
    expect(await staff.check('CARD-0042')).toMatchObject(WRONG)
  })
})

describe('guessing PINs', () => {
  test('delays only the guessed name, and a manager’s PIN is accepted and ends the delay', async () => {
    const office = await named()
    const { staff, notes } = office
    await wrongly(office, 7)
    expect(await staff.check('74918')).toMatchObject({ ok: false, code: 'pin-wait' })
    expect(await staff.check('83920', 'Ana Reweti')).toEqual({ ok: true })
    expect(notes).toContainEqual({ what: 'pin-wait-ended', detail: { how: 'Ana Reweti, manager' } })
    expect(await staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
  })

  test('still delays the name after a clerk’s right PIN', async () => {
    const office = await named()
    await wrongly(office, 7)
    expect(await office.staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
    expect(await office.staff.check('74918', 'Grace Okafor')).toMatchObject({ ok: false, code: 'pin-wait' })
  })

  test('gets the same answers for an unknown name, even after a restart', async () => {
    const office = await named()
    const answers = async (name: string) => {
      const results: unknown[] = []
      for (let time = 0; time < 6; time++) {
        const staff = time > 3 ? office.run() : office.staff
        const answer = await staff.check('0001', name)
        results.push(
          answer.ok || [answer.code, answer.waitUntil && Math.round((answer.waitUntil - office.time.now) / SECOND)]
        )
      }
      return results
    }
    const there = await answers('Ben Tui')
    expect(await answers('Nobody Here')).toEqual(there)
    expect(there.map((one) => Array.isArray(one) && one[0])).toEqual([
      ...['wrong-pin', 'wrong-pin', 'wrong-pin', 'pin-wait', 'pin-wait', 'pin-wait']
    ])
  })

  test('of many names delays the whole computer, except for names without wrong tries', async () => {
    const office = await named()
    const { staff } = office
    for (let name = 0; name < 9; name++) await wrongly(office, 2, `Name ${name}`)
    await wrongly(office, 2, 'Ben Tui')
    expect(await staff.check('60417', 'Ben Tui')).toMatchObject({ ok: false, code: 'pin-wait' })
    expect(await staff.check('0001', 'Name 1')).toMatchObject({ ok: false, code: 'pin-wait' })
    expect(await office.run().check('60417', 'Ben Tui')).toMatchObject({ ok: false, code: 'pin-wait' })
    expect(await staff.check('74918', 'Grace Okafor')).toEqual({ ok: true })
    expect(await staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
  })

  test('during a name’s delay doesn’t delay anyone else', async () => {
    const office = await named()
    await wrongly(office, 1, 'Ben Tui')
    await wrongly(office, 3)
    for (let tries = 0; tries < 30; tries++)
      expect(await office.staff.check('0001')).toMatchObject({ code: 'pin-wait' })
    expect(await office.staff.check('60417', 'Ben Tui')).toEqual({ ok: true })
  })

  test('when choosing a new PIN counts, too', async () => {
    const office = await named()
    const { staff } = office
    for (let tries = 0; tries < 3; tries++) {
      await expect(staff.set('52947', '0001', 'Ben Tui')).rejects.toMatchObject(refusal({ code: 'wrong-pin' }))
    }
    await expect(staff.set('52947', '60417', 'Ben Tui')).rejects.toMatchObject(refusal({ code: 'pin-wait' }))
    for (let name = 0; name < 17; name++) {
      await expect(staff.set('52947', '0001', `Name ${name}`)).rejects.toMatchObject(refusal({ code: 'wrong-pin' }))
    }
    expect(await staff.check('0001', 'Name 1')).toMatchObject({ ok: false, code: 'pin-wait' })
  })

  test('or badges delays the whole computer, too', async () => {
    const office = await named()
    const { staff, time } = office
    await staff.change('staff-1', { badge: 'CARD-0042' })
    for (let tries = 0; tries < 20; tries++) await staff.check(`CARD-1${tries}`)
    expect(await staff.check('CARD-0042')).toMatchObject({ ok: false })
    await time.pass(6 * MINUTE)
    expect(await staff.check('CARD-0042')).toEqual({ ok: true, by: 'badge' })
  })

  test('or badges isn’t forgotten after one’s own right PIN, only after a manager’s or signing in', async () => {
    const office = await named()
    const { staff, time } = office
    await staff.change('staff-2', { badge: 'CARD-0042' })
    await staff.change('staff-1', { pin: '604172' })
    await staff.check('604172', 'Ben Tui')
    for (let tries = 0; tries < 20; tries++) {
      await staff.check(`CARD-1${tries}`)
      if (tries % 2 === 0) await time.pass(6 * SECOND)
      if (tries % 2 === 0) expect(await staff.check('604172')).toEqual({ ok: true })
    }
    expect(await staff.check('CARD-0042')).toMatchObject({ ok: false })
    expect(await office.run().check('CARD-0042')).toMatchObject({ ok: false })
    expect(await staff.check('83920', 'Ana Reweti')).toEqual({ ok: true })
    expect(await staff.check('CARD-0042')).toEqual({ ok: true, by: 'badge' })

    for (let tries = 0; tries < 20; tries++) await staff.check(`CARD-1${tries}`)
    expect(await staff.check('CARD-0042')).toMatchObject({ ok: false })
    staff.screenLocked()
    staff.screenUnlocked()
    expect(await staff.check('CARD-0042')).toEqual({ ok: true, by: 'badge' })
  })

  test('isn’t suspected when someone often enters a long PIN or mistypes a short one', async () => {
    const { staff } = await named()
    await staff.change('staff-2', { badge: 'CARD-0042' })
    await staff.change('staff-1', { pin: '604172' })
    await staff.check('604172', 'Ben Tui')
    for (let times = 0; times < 21; times++) await staff.check('604172')
    for (let times = 0; times < 21; times++) await staff.check('0001')
    expect(await staff.check('CARD-0042')).toEqual({ ok: true, by: 'badge' })
  })

  test('shows the computer’s delay as soon as it applies', async () => {
    const office = await named()
    const { staff, time, run } = office
    await staff.check('0001')
    for (let name = 0; name < 18; name++) await staff.check('0001', `Name ${name}`)
    expect(await staff.state()).not.toHaveProperty('waitUntil')
    const twentieth = await staff.check('0001', 'Name 18')
    expect(!twentieth.ok && Math.round(((twentieth.waitUntil ?? 0) - time.now) / MINUTE)).toBe(5)
    expect(await staff.check('74918')).toMatchObject({ code: 'pin-wait' })
    for (const one of [staff, run()])
      expect(Math.round((((await one.state()).waitUntil ?? 0) - time.now) / MINUTE)).toBe(5)
    await time.pass(5 * MINUTE)
    expect(await staff.state()).not.toHaveProperty('waitUntil')
    expect(await staff.check('74918')).toEqual({ ok: true })
  })

  test.each([
    ['trying part of a name first', (name: string) => [...Array(3).fill(name.split(' ')[0]), name]],
    ['trying many other names in between', (name: string) => [name, ...others(60), name]],
    ['entering a manager’s PIN in between', (name: string) => [name, name, name, undefined, name, name]]
  ])('doesn’t reveal names by %s', async (_how, tries) => {
    const resultsFor = async (fullName: string) => {
      const office = await named()
      const results: unknown[] = []
      for (const name of tries(fullName)) {
        const answer = name ? await office.staff.check('0001', name) : await office.staff.check('83920', 'Ana Reweti')
        results.push(answer.ok || [answer.code, Math.round(((answer.waitUntil ?? 0) - office.time.now) / SECOND) > 0])
      }
      return results
    }
    expect(await resultsFor('Ben Tui')).toEqual(await resultsFor('Zoe Tui'))
  })

  test('stores at most 500 unknown names', async () => {
    const office = await named()
    const stored = office.db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'staff-strangers'`)
    const before = Object.fromEntries(others(499).map((name) => [name, '{}']))
    office.db.prepare(`INSERT INTO meta VALUES ('staff-strangers', ?)`).run(JSON.stringify(before))
    for (const name of ['One', 'Two', 'Three']) await office.staff.check('0001', name)
    const names = Object.keys(JSON.parse(stored.get()?.value ?? '{}'))
    expect([names.length, names.includes('Nobody 1'), names.includes('Nobody 2')]).toEqual([500, false, true])
  })
})

const others = (count: number) => Array.from({ length: count }, (_, at) => `Nobody ${at}`)

test('a wrong PIN is recorded with the member’s name, but never with an unknown name', async () => {
  const { staff, notes } = await named()
  await staff.set('52947', '0001', 'ben tui').catch(() => undefined)
  await staff.set('52947', '0001', 'Mere Tamati').catch(() => undefined)
  const where = 'choosing a new PIN'
  expect(notes).toEqual([
    { what: 'pin-wrong', detail: { where, name: 'Ben Tui' } },
    { what: 'pin-wrong', detail: { where } }
  ])
  expect(await staff.check('0001')).toMatchObject({ at: 'Grace Okafor' })
})

describe('signing in to the computer', () => {
  test('ends the delay, even with a single PIN, and a wrong PIN then causes the next longer one', async () => {
    const { run, time, notes } = staffOffice()
    const staff = run()
    await staff.set('74918')
    for (let tries = 0; tries < 3; tries++) await staff.check('0001')
    expect(await staff.check('74918')).toMatchObject({ code: 'pin-wait' })
    staff.screenLocked()
    staff.screenUnlocked()
    expect(await staff.state()).not.toHaveProperty('waitUntil')
    expect(notes.at(-1)).toEqual({ what: 'pin-wait-ended', detail: { how: 'by signing in to the computer' } })
    const answer = await staff.check('0001')
    expect(!answer.ok && Math.round(((answer.waitUntil ?? 0) - time.now) / SECOND)).toBe(15)
    staff.screenLocked()
    staff.screenUnlocked()
    expect(await staff.check('74918')).toEqual({ ok: true })
  })

  test('isn’t detected without a preceding lock, or on a system that doesn’t report it', async () => {
    for (const platform of ['win32', 'linux'] as const) {
      const staff = staffOffice({ platform }).run()
      await staff.set('74918')
      for (let tries = 0; tries < 3; tries++) await staff.check('0001')
      if (platform === 'linux') staff.screenLocked()
      staff.screenUnlocked()
      expect(await staff.check('74918')).toMatchObject({ code: 'pin-wait' })
    }
  })

  test('doesn’t allow replacing a PIN if an administrator can', async () => {
    const { staff } = await named()
    expect(await staff.state()).toMatchObject({ canReset: false })
    await expect(staff.reset()).rejects.toMatchObject(
      refusal({ code: 'bad-input', message: expect.stringMatching(/administrator/) })
    )
  })
})

describe('settings opened by an administrator', () => {
  async function opened() {
    const office = await named()
    const { staff, accessOf } = office
    const access = accessOf(staff)
    await staff.change('staff-2', { role: 'administrator' })
    await staff.check('74918', 'Grace Okafor')
    access.open()
    expect(await access.isOpen()).toBe(true)
    return { ...office, access }
  }

  test('are locked when another member takes over', async () => {
    const { staff, access } = await opened()
    await staff.check('60417', 'Ben Tui')
    await expect(access.mustBeOpen()).rejects.toMatchObject(refusal({ code: 'not-allowed' }))
    expect(await access.isOpen()).toBe(false)
    await staff.check('83920', 'Ana Reweti')
    expect(await access.isOpen()).toBe(false)
  })

  test('are locked when they lose the role', async () => {
    const { staff, access } = await opened()
    await staff.change('first', { role: 'clerk' })
    expect(await access.isOpen()).toBe(false)
  })

  test('are locked when they are removed', async () => {
    const { staff, access } = await opened()
    await staff.remove('first')
    expect(await access.isOpen()).toBe(false)
  })

  test('are locked ten minutes after the last change, and announce it', async () => {
    const { access, notified, time, notes } = await opened()
    await time.pass(9 * MINUTE)
    await access.mustBeOpen()
    notes.length = notified.changed = 0
    await time.pass(10 * MINUTE - 1)
    expect([await access.isOpen(), notified.changed]).toEqual([true, 0])
    await time.pass(1)
    expect([await access.isOpen(), notified.changed]).toEqual([false, 1])
    await time.pass(20 * MINUTE)
    expect(notified.changed).toBe(1)
  })
})
