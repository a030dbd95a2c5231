/** Appointments in the encrypted database, where they are kept until the end of their day. */
import type { AppointmentState } from '../../../shared/contract/index.ts'
import { optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

const APPOINTMENTS = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  key: optional(value<string>()),
  series: optional(value<string>()),
  version: value<number>(),
  name: value<string>(),
  email: value<string>(),
  mobile: value<string>(),
  at: value<number>(),
  minutes: value<number>(),
  place: value<string>(),
  about: value<string>(),
  person: optional(value<string>()),
  state: value<AppointmentState>(),
  before: optional(value<AppointmentState>()),
  number: optional(value<number>()),
  arrivedAt: optional(value<number>()),
  calledAt: optional(value<number>()),
  calls: value<number>(),
  /** The name of the other workstation that called them, or where they are. */
  workstation: optional(value<string>())
})

export type StoredAppointment = RecordOf<typeof APPOINTMENTS>
export type AppointmentsTable = ReturnType<typeof openAppointmentsTable>

export function openAppointmentsTable(db: Db) {
  const table = new TableStatements(db, 'appointments', APPOINTMENTS)
  const put = table.run<[appointment: object]>(
    `INSERT INTO appointments (id, account_id, key, series, version, name, email, mobile, at, minutes, place, about, person,
       state, before, number, arrived_at, called_at, calls, workstation)
     VALUES (@id, @accountId, @key, @series, @version, @name, @email, @mobile, @at, @minutes, @place, @about, @person,
       @state, @before, @number, @arrivedAt, @calledAt, @calls, @workstation)
     ON CONFLICT (id) DO UPDATE SET key = excluded.key, series = excluded.series, version = excluded.version,
       name = excluded.name, email = excluded.email, mobile = excluded.mobile, at = excluded.at,
       minutes = excluded.minutes, place = excluded.place, about = excluded.about, person = excluded.person,
       state = excluded.state, before = excluded.before, number = excluded.number, arrived_at = excluded.arrived_at,
       called_at = excluded.called_at, calls = excluded.calls, workstation = excluded.workstation`
  )
  const removeBefore = table.run<[at: number]>('DELETE FROM appointments WHERE at < ?')
  const deleteSyncRecords = table.run<[at: number]>(
    "DELETE FROM office_records WHERE kind = 'appointment' AND local IN (SELECT id FROM appointments WHERE at < ?)"
  )
  return {
    put: (appointment: StoredAppointment) => void put(APPOINTMENTS.write(appointment)),
    byId: table.one<[id: string]>('WHERE id = ?'),
    find: table.one<[accountId: string, id: string]>('WHERE account_id = ? AND id = ?'),
    byKey: table.one<[accountId: string, key: string]>('WHERE account_id = ? AND key = ?'),
    bySeries: table.all<[accountId: string, series: string]>('WHERE account_id = ? AND series = ? ORDER BY at'),
    between: table.all<[accountId: string, from: number, until: number]>(
      'WHERE account_id = ? AND at >= ? AND at < ? ORDER BY at, name, id'
    ),
    remove: table.run<[id: string]>('DELETE FROM appointments WHERE id = ?'),
    /**
     * Removes those of past days. The office isn't told: each workstation has its own clock, and the server's records
     * expire by themselves.
     */
    removeBefore: db.transaction((at: number): void => {
      deleteSyncRecords(at)
      removeBefore(at)
    }),
    places: table.values<[accountId: string], string>(
      `SELECT place FROM appointments WHERE account_id = ? AND place <> '' GROUP BY place ORDER BY count(*) DESC LIMIT 20`
    )
  }
}
