import { describe, expect, test } from 'vitest'
import { openPinnedEntries } from '../../../src/main/core/counter/signing-queue.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { database, TEN } from './office.ts'

const HOUR = 3_600_000

function office() {
  const db = database()
  const insert = db.prepare(
    `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, json_by_query, folders, created_at, position)
  VALUES (?, 'Office', 'service', 'https://sign.example.com', 'none', '#123456', 0, '[]', 1, 0)`
  )
  for (const id of ['office', 'branch']) insert.run(id)
  const now = { at: TEN, zone: 'Pacific/Auckland' }
  const appointments = openPinnedEntries({ db, time: { ...systemTime, now: () => now.at, zone: () => now.zone } })
  const rows = () => db.prepare<[], number>('SELECT count(*) FROM counter_appointments').pluck().get()
  return { db, now, appointments, rows }
}

describe('a queue entry pinned for today', () => {
  test('applies to one signer of one document of one account, until it is unpinned', () => {
    const { appointments } = office()
    expect(appointments.isToday('office', 'lease', 1)).toBe(false)
    appointments.set('office', 'lease', 1, true)
    appointments.set('office', 'lease', 1, true)
    expect(appointments.isToday('office', 'lease', 1)).toBe(true)
    expect(appointments.isToday('office', 'lease', 0)).toBe(false)
    expect(appointments.isToday('office', 'deed', 1)).toBe(false)
    expect(appointments.isToday('branch', 'lease', 1)).toBe(false)
    appointments.set('office', 'lease', 1, false)
    appointments.set('office', 'lease', 1, false)
    expect(appointments.isToday('office', 'lease', 1)).toBe(false)
  })

  test('lasts until midnight in the office’s time zone', () => {
    const { appointments, now } = office()
    appointments.set('office', 'lease', 1, true)
    // 10:00 in Auckland is the previous evening in UTC.
    now.at = TEN + 14 * HOUR - 1
    expect(appointments.isToday('office', 'lease', 1)).toBe(true)
    now.at += 1
    expect(appointments.isToday('office', 'lease', 1)).toBe(false)
  })

  test('is removed after its day', () => {
    const { appointments, now, rows } = office()
    appointments.set('office', 'lease', 1, true)
    appointments.set('branch', 'deed', 0, true)
    now.at += 24 * HOUR
    appointments.set('office', 'will', 0, true)
    expect(rows()).toBe(1)
    expect(appointments.isToday('office', 'will', 0)).toBe(true)
  })

  test('is deleted with its account', () => {
    const { appointments, db, rows } = office()
    appointments.set('office', 'lease', 1, true)
    appointments.set('branch', 'deed', 0, true)
    db.exec(`DELETE FROM accounts WHERE id = 'office'`)
    expect(rows()).toBe(1)
  })
})
