/** When the office's own window locks itself, what opens it, and how a restart or a full disk affects that. */
import { expect, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { OfficeLock } from '../../../src/main/core/counter/office-lock.ts'
import { KeychainError } from '../../../src/main/core/storage/keychain.ts'
import { database, pinOffice, staffOffice } from './office.ts'

const PIN = '74918'

async function office(platform: NodeJS.Platform = 'win32') {
  const pins = pinOffice({ platform })
  const pin = pins.run()
  await pin.set(PIN)
  const db = database()
  const computer = {
    minutes: 5,
    idle: 0,
    isHandedOver: false,
    changes: 0,
    hasNames: false,
    keychain: undefined as Error | undefined,
    /** Delays the keychain. */
    prompt: Promise.resolve()
  }
  const notes: AuditNote[] = []
  const troubles: unknown[] = []
  const staffPin = {
    canReset: pin.canReset,
    get hasNames() {
      return computer.hasNames
    },
    authenticated: () => undefined,
    async state() {
      await computer.prompt
      if (computer.keychain) throw computer.keychain
      return pin.state()
    },
    check: (entered: string) => (computer.keychain ? Promise.reject(computer.keychain) : pin.check(entered))
  }
  function run() {
    const lock = new OfficeLock({
      db,
      pin: staffPin,
      time: pins.time.run(),
      minutes: () => computer.minutes,
      isHandedOver: () => computer.isHandedOver,
      note: (note) => void notes.push(note),
      changed: () => void computer.changes++,
      onError: (error) => void troubles.push(error)
    })
    lock.watch(() => computer.idle)
    return lock
  }
  /** Reports that many seconds without input, and waits for the next check. */
  const idle = async (seconds: number) => {
    computer.idle = seconds
    await pins.time.pass(5_000)
  }
  return { db, here: computer, idle, notes, pins, run, troubles }
}

test('the window doesn’t lock for someone who is back before the keychain answers', async () => {
  const { here: computer, idle, run } = await office()
  const lock = run()
  const { promise, resolve } = Promise.withResolvers<void>()
  computer.prompt = promise
  await idle(300)
  await idle(0)
  resolve()
  await idle(2)
  expect(lock.isLocked).toBe(false)
  await idle(300)
  expect(lock.isLocked).toBe(true)
})

test('the window locks once after the configured idle time, and the PIN unlocks it', async () => {
  const { here: computer, idle, notes, run } = await office()
  const lock = run()
  await idle(299)
  expect(lock.isLocked).toBe(false)
  await idle(300)
  await idle(315)
  expect([lock.isLocked, computer.changes]).toEqual([true, 1])
  await expect(lock.unlock('0001')).rejects.toMatchObject({ appError: { code: 'wrong-pin' } })
  expect(lock.isLocked).toBe(true)
  expect(await lock.unlock(PIN)).toEqual({ isLocked: false, opensBySignIn: true })
  expect([lock.isLocked, computer.changes]).toEqual([false, 2])
  expect(notes.map(({ what, detail }) => [what, detail])).toEqual([
    ['office-locked', { seconds: '300' }],
    ['pin-wrong', { where: 'Countersign was locked' }],
    ['office-unlocked', { how: 'with the PIN' }]
  ])
})

test('staff can lock it if there is a PIN, but not while a person has the window', async () => {
  const { here: computer, notes, pins, run } = await office()
  computer.minutes = 0
  const lock = run()
  expect(await lock.lock()).toMatchObject({ isLocked: true })
  await lock.lock()
  expect([computer.changes, notes]).toEqual([1, [{ what: 'office-locked', detail: { how: 'by staff' } }]])
  await lock.unlock(PIN)
  computer.isHandedOver = true
  expect(await lock.lock()).toMatchObject({ isLocked: false })
  computer.isHandedOver = false
  pins.entries.clear()
  await expect(lock.lock()).rejects.toMatchObject({ appError: { code: 'no-pin' } })
  expect(lock.isLocked).toBe(false)
})

test.each([
  ['if it is set to never', { minutes: 0 }],
  ['while a person has the window', { isHandedOver: true }],
  ['if the keychain can’t say whether there is a PIN', { keychain: new KeychainError('locked', 'Not now.') }]
])('the window doesn’t lock %s', async (_why, change) => {
  const { here: computer, idle, run } = await office()
  Object.assign(computer, change)
  const lock = run()
  await idle(100_000)
  expect(lock.isLocked).toBe(false)
})

test('the window doesn’t lock without a PIN, and unlocks if the PIN has been removed', async () => {
  const { idle, pins, run } = await office()
  const lock = run()
  await idle(300)
  pins.entries.clear()
  expect(await lock.unlock('1')).toMatchObject({ isLocked: false })
  await idle(300)
  expect(lock.isLocked).toBe(false)
})

test('with staff names, it unlocks without a PIN only once nobody has one', async () => {
  const office = staffOffice()
  const staff = office.run()
  await staff.set(PIN)
  await staff.add({ name: 'Ben Tui', role: 'clerk', pin: '60417' })
  const lock = new OfficeLock({
    db: database(),
    pin: staff,
    time: office.time.run(),
    minutes: () => 0,
    isHandedOver: () => false,
    note: (note) => void office.notes.push(note),
    changed: () => undefined,
    onError: () => undefined
  })
  await lock.lock()
  office.entries.clear()
  for (const name of ['Grace Okafor', 'Nobody', undefined]) {
    await expect(lock.unlock('0001', name)).rejects.toMatchObject({ appError: { code: 'wrong-pin' } })
  }
  expect(office.notes.filter(({ what }) => what === 'pin-wrong').map(({ detail }) => detail)).toEqual([
    { where: 'Countersign was locked', name: 'Grace Okafor' },
    { where: 'Countersign was locked' },
    { where: 'Countersign was locked', name: 'Grace Okafor' }
  ])
  expect(await lock.unlock('60417', 'Ben Tui')).toMatchObject({ isLocked: false })
  await lock.lock()
  await staff.remove('staff-1')
  expect(await lock.unlock('0001')).toMatchObject({ isLocked: false })
})

test('wrong PINs delay the next try, as elsewhere', async () => {
  const { idle, run } = await office()
  const lock = run()
  await idle(300)
  for (let time = 0; time < 3; time++) await lock.unlock('0001').catch(() => undefined)
  await expect(lock.unlock(PIN)).rejects.toMatchObject({
    appError: { code: 'pin-wait', retryAfterMs: expect.any(Number) }
  })
  expect(await lock.state()).toMatchObject({ isLocked: true, waitUntil: expect.any(Number) })
})

test('signing in to the computer unlocks it', async () => {
  const { idle, notes, run } = await office()
  const lock = run()
  await idle(300)
  lock.screenUnlocked()
  lock.screenUnlocked()
  expect(lock.isLocked).toBe(false)
  expect(notes.at(-1)).toEqual({ what: 'office-unlocked', detail: { how: 'by signing in to the computer' } })
  expect(notes).toHaveLength(2)
})

test('signing in to the computer doesn’t unlock it if staff have names', async () => {
  const { here: computer, idle, run } = await office()
  computer.hasNames = true
  const lock = run()
  await idle(300)
  lock.screenUnlocked()
  expect(await lock.state()).toMatchObject({ isLocked: true, opensBySignIn: false })
})

test('a screen saver ending on Linux doesn’t count as signing in', async () => {
  const { idle, run } = await office('linux')
  const lock = run()
  await idle(300)
  lock.screenUnlocked()
  expect(await lock.state()).toEqual({ isLocked: true, opensBySignIn: false })
})

test('it stays locked across a restart, and unlocked once it was unlocked', async () => {
  const { idle, run } = await office()
  const before = run()
  await idle(300)
  before.stop()
  const after = run()
  expect(after.isLocked).toBe(true)
  await after.unlock(PIN)
  expect(run().isLocked).toBe(false)
})

test('it locks even if the disk can’t store that, and the error is reported', async () => {
  const { db, idle, run, troubles } = await office()
  const lock = run()
  db.pragma('query_only = ON')
  await idle(300)
  expect([lock.isLocked, troubles.length]).toEqual([true, 1])
})

test('with a locked keychain the window still shows its lock, and why the PIN isn’t accepted', async () => {
  const { here: computer, idle, run } = await office()
  const lock = run()
  await idle(300)
  computer.keychain = new KeychainError('locked', 'Not now.')
  expect(await lock.state()).toEqual({ isLocked: true, opensBySignIn: true })
  await expect(lock.unlock(PIN)).rejects.toBe(computer.keychain)
  expect(lock.isLocked).toBe(true)
  computer.keychain = undefined
  expect(await lock.unlock(PIN)).toMatchObject({ isLocked: false })
})

test('the state lists the requests refused to the current staff member, if staff have names', async () => {
  const { here: computer, run } = await office()
  const lock = run()
  expect(await lock.state()).not.toHaveProperty('refused')
  computer.hasNames = true
  expect(await lock.state()).toMatchObject({
    refused: {
      'sends.start': 'Nobody has signed in at this computer. Press “Enter name and PIN” at the top.'
    }
  })
})
