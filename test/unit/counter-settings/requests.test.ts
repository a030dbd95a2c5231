import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CounterSettingsKeeper } from '../../../src/main/core/counter/counter-settings.ts'
import { MAX_LOGO_BYTES } from '../../../src/main/core/counter/logo.ts'
import { OfficeLock } from '../../../src/main/core/counter/office-lock.ts'
import type { StaffDeps } from '../../../src/main/core/counter/staff.ts'
import { counterSettingsHandlers } from '../../../src/main/ipc/counter.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { database, MINUTE, staffOffice } from './office.ts'
import { PNG } from './pictures.ts'

const context = { from: 'office' as const, stillAsking: () => true }

function office(change: Partial<StaffDeps> = {}) {
  const folder = temporaryFolder()
  let chosen: string[] = []
  let choose = async () => chosen
  const settings = new CounterSettingsKeeper({
    db: database(),
    userName: () => 'grace',
    otherDisplay: () => undefined,
    note: () => undefined,
    changed: () => undefined
  })
  const signing = { isRunning: false }
  const pins = staffOffice(change)
  const staff = pins.run()
  const lock = new OfficeLock({
    db: database(),
    pin: staff,
    time: pins.time.run(),
    minutes: () => settings.read().lockAfter,
    isHandedOver: () => signing.isRunning,
    note: () => undefined,
    changed: () => undefined,
    onError: () => undefined
  })
  const access = pins.accessOf(staff)
  const tests: string[] = []
  const cameraTest = {
    open: async () => void tests.push('open'),
    close: () => void tests.push('closed')
  }
  const handlers = counterSettingsHandlers({
    officeName: () => 'Harbour & Co',
    calling: () => undefined,
    cameraTest,
    staff,
    lock,
    settings,
    access,
    note: (record) => void pins.notes.push(record),
    time: { now: pins.time.clock },
    isRunning: () => signing.isRunning,
    chooseFiles: () => choose()
  })
  /** Runs `happens` while the dialog is open. */
  function whileChoosing(happens: () => Promise<void>) {
    choose = async () => {
      await happens()
      return chosen
    }
  }
  async function choosing(name: string, bytes?: Uint8Array) {
    chosen = [join(folder, name)]
    if (bytes) await writeFile(join(folder, name), bytes)
    return handlers['counter.chooseLogo'](undefined, context)
  }
  return {
    folder,
    handlers,
    choosing,
    whileChoosing,
    signing,
    tests,
    access,
    lock,
    staff,
    notes: pins.notes,
    entries: pins.entries,
    pass: pins.time.pass
  }
}

const badFile = (message: RegExp) => ({ appError: { code: 'bad-file', message: expect.stringMatching(message) } })

describe('requests about the counter’s settings', () => {
  test('refuse a first PIN while someone signs, but allow replacing one', async () => {
    const { handlers, signing } = office()
    signing.isRunning = true
    await expect(handlers['counter.setPin']({ pin: '74918' }, context)).rejects.toMatchObject({
      appError: { code: 'busy' }
    })
    expect(await handlers['counter.pin'](undefined, context)).toMatchObject({ isSet: false })
    signing.isRunning = false
    await handlers['counter.setPin']({ pin: '74918' }, context)
    signing.isRunning = true
    expect(await handlers['counter.setPin']({ pin: '60417', current: '74918' }, context)).toMatchObject({ isSet: true })
  })

  test('let an administrator’s PIN be set again only when nobody signs', async () => {
    const { handlers, signing, entries } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    await handlers['counter.addStaff']({ name: 'Ben Tui', role: 'clerk', pin: '60417' }, context)
    entries.clear()
    signing.isRunning = true
    await expect(handlers['counter.setPin']({ pin: '52947' }, context)).rejects.toMatchObject({
      appError: { code: 'busy' }
    })
    signing.isRunning = false
    expect(await handlers['counter.setPin']({ pin: '52947' }, context)).toMatchObject({ reset: 'none' })
    expect(await handlers['counter.openSettings']({ pin: '52947' }, context)).toMatchObject({ settings: 'open' })
  })

  test.each([
    ['on a single workstation', false],
    ['in an office, where the first member has an id of their own', true]
  ])('keep the settings open for the person who named the first staff member, %s', async (_where, isOffices) => {
    const { handlers } = office({ isInOffice: () => isOffices })
    await handlers['counter.setPin']({ pin: '74918' }, context)
    const added = await handlers['counter.addStaff']({ name: 'Ben Tui', role: 'clerk', pin: '60417' }, context)
    expect(added).toMatchObject({ settings: 'open', members: [{}, {}] })
    await handlers['counter.addStaff']({ name: 'Ana Reweti', role: 'manager', pin: '82640' }, context)
  })

  test('keep the settings locked if staff leave while a PIN is checked or set', async () => {
    const { access, handlers } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    await handlers['counter.closeSettings'](undefined, context)
    const opening = handlers['counter.openSettings']({ pin: '74918' }, context)
    access.close()
    expect(await opening).toMatchObject({ settings: 'locked' })
    const replacing = handlers['counter.setPin']({ pin: '60417', current: '74918' }, context)
    access.close()
    await replacing
    expect(await handlers['counter.staffList'](undefined, context)).toMatchObject({ settings: 'locked' })
    expect(await handlers['counter.openSettings']({ pin: '60417' }, context)).toMatchObject({ settings: 'open' })
  })

  test('lock the window after the configured minutes, and unlock it again', async () => {
    const { handlers, lock, pass } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    await handlers['counter.configure']({ lockAfter: 5 }, context)
    lock.watch(() => 300)
    await pass(5_000)
    expect(await handlers['counter.lock'](undefined, context)).toMatchObject({ isLocked: true })
    expect(await handlers['counter.unlockOffice']({ pin: '74918' }, context)).toMatchObject({ isLocked: false })
  })

  test('set, check and replace the PIN', async () => {
    const { handlers } = office()
    expect(await handlers['counter.pin'](undefined, context)).toMatchObject({ isSet: false })
    expect(await handlers['counter.setPin']({ pin: '74918' }, context)).toMatchObject({ isSet: true })
    await expect(handlers['counter.setPin']({ pin: '60417', current: '0001' }, context)).rejects.toMatchObject({
      appError: { code: 'wrong-pin' }
    })
    expect(await handlers['counter.resetPin'](undefined, context)).toMatchObject({ reset: 'asked' })
  })

  test('read and change the settings', async () => {
    const { handlers } = office()
    await handlers['counter.configure']({ idleText: 'Haere mai' }, context)
    expect(await handlers['counter.settings'](undefined, context)).toMatchObject({ idleText: 'Haere mai' })
    expect(await handlers['counter.idleScreen'](undefined, context)).toEqual({
      text: 'Haere mai',
      name: 'Harbour & Co',
      callSound: false,
      languages: ['mi', 'sm', 'to', 'zh-Hans', 'hi', 'pa', 'ar'],
      pictures: []
    })
  })

  test('accept a chosen picture by its content, ignoring its name', async () => {
    const { handlers, choosing, folder } = office()
    expect(await handlers['counter.chooseLogo'](undefined, context)).toBeNull()
    const settings = await choosing('logo.svg', PNG)
    expect(settings?.logo).toMatch(/^data:image\/png;base64,/)
    expect(JSON.stringify(settings)).not.toContain(folder)
    await expect(choosing('drawing.png', Buffer.from('<svg/>'))).rejects.toMatchObject(badFile(/isn’t a PNG/))
    expect((await handlers['counter.settings'](undefined, context)).logo).toBe(settings?.logo)
  })

  test('refuse a picture that is too large, missing or a folder, without revealing its path', async () => {
    const { choosing, folder } = office()
    const large = Buffer.concat([PNG, Buffer.alloc(3 * MAX_LOGO_BYTES)])
    await expect(choosing('large.png', large)).rejects.toMatchObject(badFile(/1 MB/))
    await expect(choosing('gone.png')).rejects.toMatchObject(badFile(/couldn’t be read/))
    await mkdir(join(folder, 'folder.png'))
    await expect(choosing('folder.png')).rejects.toMatchObject(badFile(/couldn’t be read/))
  })

  test('don’t wait for a pipe in place of a logo or a picture', async () => {
    const { choosing, folder, handlers } = office()
    execFileSync('mkfifo', [join(folder, 'pipe.png')])
    await expect(choosing('pipe.png')).rejects.toMatchObject(badFile(/couldn’t be read/))
    await expect(handlers['counter.addPictures'](undefined, context)).rejects.toMatchObject(badFile(/couldn’t be read/))
  })
})

const LOCKED = { appError: { code: 'not-allowed', message: expect.stringMatching(/Unlock the counter’s settings/) } }

describe('the counter’s settings', () => {
  test('can be changed by anyone before there is a PIN, and only with it from then on', async () => {
    const { handlers, pass, notes, tests } = office()
    expect(await handlers['counter.staffList'](undefined, context)).toEqual({ members: [], settings: 'unguarded' })
    await handlers['counter.configure']({ fullScreen: false }, context)
    await handlers['counter.setPin']({ pin: '74918' }, context)
    // Choosing a PIN counts as entering it.
    expect(await handlers['counter.staffList'](undefined, context)).toMatchObject({ settings: 'open' })
    await pass(10 * MINUTE)
    expect(await handlers['counter.staffList'](undefined, context)).toMatchObject({ settings: 'locked' })
    await expect(handlers['counter.configure']({ lockAfter: 0 }, context)).rejects.toMatchObject(LOCKED)
    await expect(handlers['counter.chooseLogo'](undefined, context)).rejects.toMatchObject(LOCKED)
    await expect(handlers['counter.openCamera'](undefined, context)).rejects.toMatchObject(LOCKED)
    expect(tests).toEqual([])
    notes.length = 0
    await expect(handlers['counter.openSettings']({ pin: '0001' }, context)).rejects.toMatchObject({
      appError: { code: 'wrong-pin' }
    })
    expect(notes).toEqual([{ what: 'pin-wrong', detail: { where: 'the counter’s settings' } }])
    expect(await handlers['counter.openSettings']({ pin: '74918' }, context)).toMatchObject({ settings: 'open' })
    expect(notes.at(-1)).toEqual({ what: 'settings-unlocked' })
    expect(await handlers['counter.configure']({ lockAfter: 5 }, context)).toMatchObject({ lockAfter: 5 })
    await handlers['counter.openCamera'](undefined, context)
    await handlers['counter.closeCamera'](undefined, context)
    expect(tests).toEqual(['open', 'closed'])
  })

  test('stay open while they are being changed, and can be locked', async () => {
    const { handlers, pass } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    for (let time = 0; time < 4; time++) {
      await pass(9 * MINUTE)
      await handlers['counter.configure']({ lockAfter: time }, context)
    }
    expect(await handlers['counter.closeSettings'](undefined, context)).toMatchObject({ settings: 'locked' })
    await expect(handlers['counter.configure']({ lockAfter: 9 }, context)).rejects.toMatchObject(LOCKED)
  })

  test('ignore a picture chosen in a dialog if they were locked in the meantime', async () => {
    const { handlers, choosing, whileChoosing, pass } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    whileChoosing(() => pass(10 * MINUTE))
    await expect(choosing('logo.png', PNG)).rejects.toMatchObject(LOCKED)
    expect((await handlers['counter.settings'](undefined, context)).logo).toBeFalsy()
  })

  test('let anyone enter who works here if staff have no names', async () => {
    const { handlers, pass } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    await pass(10 * MINUTE)
    expect(await handlers['counter.configure']({ staffName: 'Ben' }, context)).toMatchObject({ staffName: 'Ben' })
    await expect(handlers['counter.configure']({ staffName: 'Ben', fullScreen: false }, context)).rejects.toMatchObject(
      LOCKED
    )
  })

  test('and the staff list can be changed only by an administrator', async () => {
    const { handlers, pass, notes } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    const ben = { name: 'Ben Tui', role: 'clerk' as const, pin: '60417' }
    const { members } = await handlers['counter.addStaff'](ben, context)
    expect(members).toEqual([
      { id: 'first', name: 'Grace Okafor', role: 'administrator', hasBadge: false, isCurrent: true },
      { id: 'staff-1', name: 'Ben Tui', role: 'clerk', hasBadge: false, isCurrent: false }
    ])
    expect(JSON.stringify(notes)).not.toMatch(/60417|74918/)
    await pass(10 * MINUTE)
    for (const change of [
      () => handlers['counter.addStaff']({ ...ben, name: 'Ana' }, context),
      () => handlers['counter.changeStaff']({ id: 'staff-1', role: 'administrator' }, context),
      () => handlers['counter.removeStaff']({ id: 'first' }, context),
      () => handlers['counter.configure']({ staffName: 'Someone' }, context)
    ])
      await expect(change()).rejects.toMatchObject(LOCKED)
    await expect(handlers['counter.openSettings']({ name: 'Ben Tui', pin: '60417' }, context)).rejects.toMatchObject({
      appError: { code: 'not-allowed', message: expect.stringMatching(/Only an administrator/) }
    })
    await expect(handlers['counter.configure']({ lockAfter: 0 }, context)).rejects.toMatchObject(LOCKED)
    await handlers['counter.openSettings']({ name: 'Grace Okafor', pin: '74918' }, context)
    await handlers['counter.configure']({ lockAfter: 1 }, context)
  })

  test('record who works here once they enter their PIN', async () => {
    const { handlers, notes } = office()
    await handlers['counter.setPin']({ pin: '74918' }, context)
    await handlers['counter.addStaff']({ name: 'Ben Tui', role: 'clerk', pin: '60417' }, context)
    await expect(handlers['counter.chooseStaff']({ name: 'Ben Tui', pin: '74918' }, context)).rejects.toMatchObject({
      appError: { code: 'wrong-pin' }
    })
    expect(notes.at(-1)?.detail).toEqual({ where: 'choosing who works here', name: 'Ben Tui' })
    const { members } = await handlers['counter.chooseStaff']({ name: 'Ben Tui', pin: '60417' }, context)
    expect(members.find(({ isCurrent }) => isCurrent)).toMatchObject({ name: 'Ben Tui' })
  })
})
