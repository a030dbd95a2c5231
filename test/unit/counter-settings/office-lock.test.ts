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
  const here = {
    minutes: 5,
    idle: 0,
    isHandedOver: false,
    changes: 0,
    hasNames: false,
    keychain: undefined as Error | undefined
  }
  const notes: AuditNote[] = []
  const troubles: unknown[] = []
  const asked = {
    canReset: pin.canReset,
    get hasNames() {
      return here.hasNames
    },
    authenticated: () => undefined,
    state: () => (here.keychain ? Promise.reject(here.keychain) : pin.state()),
    check: (given: string) => (here.keychain ? Promise.reject(here.keychain) : pin.check(given))
  }
  function run() {
    const lock = new OfficeLock({
      db,
      pin: asked,
      time: pins.time.run(),
      minutes: () => here.minutes,
      isHandedOver: () => here.isHandedOver,
      note: (note) => void notes.push(note),
      changed: () => void here.changes++,
      onError: (error) => void troubles.push(error)
    })
    lock.watch(() => here.idle)
    return lock
  }
  /** Reports that many seconds without input, and waits for the next check. */
  const idle = async (seconds: number) => {
    here.idle = seconds
    await pins.time.pass(5_000)
  }
  return { db, here, idle, notes, pins, run, troubles }
}

test('it locks once nobody was there for as long as is set, tells it once, and the PIN opens it', async () => {
  const { here, idle, notes, run } = await office()
  const lock = run()
  await idle(299)
  expect(lock.isLocked).toBe(false)
  await idle(300)
  await idle(315)
  expect([lock.isLocked, here.changes]).toEqual([true, 1])
  await expect(lock.unlock('0001')).rejects.toMatchObject({ appError: { code: 'wrong-pin' } })
  expect(lock.isLocked).toBe(true)
  expect(await lock.unlock(PIN)).toEqual({ isLocked: false, opensBySignIn: true })
  expect([lock.isLocked, here.changes]).toEqual([false, 2])
  expect(notes.map(({ what, detail }) => [what, detail])).toEqual([
    ['office-locked', { seconds: '300' }],
    ['pin-wrong', { where: 'Countersign was locked' }],
    ['office-unlocked', { how: 'with the PIN' }]
  ])
})

test('staff locks it as they leave, where a PIN opens it again, and not while a person has the window', async () => {
  const { here, notes, pins, run } = await office()
  here.minutes = 0
  const lock = run()
  expect(await lock.lock()).toMatchObject({ isLocked: true })
  await lock.lock()
  expect([here.changes, notes]).toEqual([1, [{ what: 'office-locked', detail: { how: 'by staff' } }]])
  await lock.unlock(PIN)
  here.isHandedOver = true
  expect(await lock.lock()).toMatchObject({ isLocked: false })
  here.isHandedOver = false
  pins.entries.clear()
  await expect(lock.lock()).rejects.toMatchObject({ appError: { code: 'no-pin' } })
  expect(lock.isLocked).toBe(false)
})

test.each([
  ['where it is set to never', { minutes: 0 }],
  ['while a person has the window', { isHandedOver: true }],
  ['where the keychain doesn’t say whether there is a PIN', { keychain: new KeychainError('locked', 'Not now.') }]
])('it doesn’t lock %s', async (_why, change) => {
  const { here, idle, run } = await office()
  Object.assign(here, change)
  const lock = run()
  await idle(100_000)
  expect(lock.isLocked).toBe(false)
})

test('it doesn’t lock without a PIN, and one that is gone keeps nobody out', async () => {
  const { idle, pins, run } = await office()
  const lock = run()
  await idle(300)
  pins.entries.clear()
  expect(await lock.unlock('1')).toMatchObject({ isLocked: false })
  await idle(300)
  expect(lock.isLocked).toBe(false)
})

test('where staff have names, it opens without a PIN only where nobody has one any more', async () => {
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

test('wrong PINs make the next one wait, as anywhere', async () => {
  const { idle, run } = await office()
  const lock = run()
  await idle(300)
  for (let time = 0; time < 3; time++) await lock.unlock('0001').catch(() => undefined)
  await expect(lock.unlock(PIN)).rejects.toMatchObject({
    appError: { code: 'pin-wait', retryAfterMs: expect.any(Number) }
  })
  expect(await lock.state()).toMatchObject({ isLocked: true, waitUntil: expect.any(Number) })
})

test('signing in to the computer opens it', async () => {
  const { idle, notes, run } = await office()
  const lock = run()
  await idle(300)
  lock.screenUnlocked()
  lock.screenUnlocked()
  expect(lock.isLocked).toBe(false)
  expect(notes.at(-1)).toEqual({ what: 'office-unlocked', detail: { how: 'by signing in to the computer' } })
  expect(notes).toHaveLength(2)
})

test('signing in to the computer opens nothing where staff have names: it doesn’t say who of them it was', async () => {
  const { here, idle, run } = await office()
  here.hasNames = true
  const lock = run()
  await idle(300)
  lock.screenUnlocked()
  expect(await lock.state()).toMatchObject({ isLocked: true, opensBySignIn: false })
})

test('a screen saver that ends on Linux is no sign-in, and opens nothing', async () => {
  const { idle, run } = await office('linux')
  const lock = run()
  await idle(300)
  lock.screenUnlocked()
  expect(await lock.state()).toEqual({ isLocked: true, opensBySignIn: false })
})

test('it is locked after a restart, too, and open after one once it was opened', async () => {
  const { idle, run } = await office()
  const before = run()
  await idle(300)
  before.stop()
  const after = run()
  expect(after.isLocked).toBe(true)
  await after.unlock(PIN)
  expect(run().isLocked).toBe(false)
})

test('a disk that can’t keep it is told, and it locks all the same', async () => {
  const { db, idle, run, troubles } = await office()
  const lock = run()
  db.pragma('query_only = ON')
  await idle(300)
  expect([lock.isLocked, troubles.length]).toEqual([true, 1])
})

test('a keychain that is locked by then keeps nobody from being told that it is locked, and why the PIN is not taken', async () => {
  const { here, idle, run } = await office()
  const lock = run()
  await idle(300)
  here.keychain = new KeychainError('locked', 'Not now.')
  expect(await lock.state()).toEqual({ isLocked: true, opensBySignIn: true })
  await expect(lock.unlock(PIN)).rejects.toBe(here.keychain)
  expect(lock.isLocked).toBe(true)
  here.keychain = undefined
  expect(await lock.unlock(PIN)).toMatchObject({ isLocked: false })
})

test('with its state it tells what who works here is refused, and where nobody has a name nothing', async () => {
  const { here, run } = await office()
  const lock = run()
  expect(await lock.state()).not.toHaveProperty('refused')
  here.hasNames = true
  expect(await lock.state()).toMatchObject({
    refused: {
      'sends.start':
        'No staff member has entered their PIN here yet. Lock Countersign, then unlock it with your name and PIN.'
    }
  })
})
