/** An office with its own database, and a keychain that outlives each "run" of the application. */
import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { type PinDeps, StaffPinKeeper } from '../../../src/main/core/counter/pin.ts'
import { SettingsAccess } from '../../../src/main/core/counter/settings-access.ts'
import { Staff, type StaffDeps } from '../../../src/main/core/counter/staff.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { lastingKeychain } from '../storage/keychains.ts'

export const TEN = Date.UTC(2026, 10, 20, 21)
export const SECOND = 1000
export const MINUTE = 60_000

/** Real scrypt, but fast. */
export const LITTLE_COST = { n: 2 ** 10, r: 8, p: 1 }

export function database() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  return db
}

/** Runs of the application with one keychain, and what they reported. */
export function pinOffice(change: Partial<PinDeps> = {}) {
  const time = testTime(TEN)
  const entries = new Map<string, string>()
  const notes: AuditNote[] = []
  const notified = { changed: 0 }
  function run(more: Partial<PinDeps> = {}) {
    // The monotonic clock starts again with each run.
    const began = time.elapsed()
    return new StaffPinKeeper({
      slot: lastingKeychain(entries).staffPin,
      keeps: 'in-os',
      time: { now: time.clock, elapsed: () => time.elapsed() - began },
      randomBytes,
      platform: 'win32',
      note: (record) => void notes.push(record),
      changed: () => {
        notified.changed += 1
      },
      cost: LITTLE_COST,
      ...change,
      ...more
    })
  }
  return { time, entries, notes, notified, run, storedPin: () => JSON.parse(entries.get('staff-pin') ?? 'null') }
}

/** The same with a database, in which staff have names. */
export function staffOffice(change: Partial<StaffDeps> = {}) {
  const { time, entries, notes, notified } = pinOffice()
  const db = database()
  let ids = 0
  function run(more: Partial<StaffDeps> = {}) {
    const began = time.elapsed()
    return new Staff({
      db,
      randomBytes,
      platform: 'win32',
      keeps: 'in-os',
      cost: LITTLE_COST,
      slot: lastingKeychain(entries).staffPin,
      time: { now: time.clock, elapsed: () => time.elapsed() - began },
      note: (record) => void notes.push(record),
      changed: () => {
        notified.changed += 1
      },
      newId: () => `staff-${++ids}`,
      firstName: () => 'Grace Okafor',
      ...change,
      ...more
    })
  }
  const accessOf = (staff: Staff) =>
    new SettingsAccess({
      staff,
      time: time.run(),
      note: (record) => void notes.push(record),
      changed: () => {
        notified.changed += 1
      }
    })
  return { db, time, entries, notes, notified, run, accessOf }
}
