/** Who has an appointment today: entries of the queue that staff pinned, gone at midnight by the office's clocks. */
import { dayAt } from '../lib/calendar.ts'
import type { Db } from '../storage/connection.ts'

export function openAppointments({ db, clock, zone }: { db: Db; clock: () => number; zone: () => string }) {
  const find = db
    .prepare<[string, string, number, string], 1>(
      `SELECT 1 FROM counter_appointments WHERE account_id = ? AND document_reference = ? AND signer = ? AND day = ?`
    )
    .pluck()
  const put = db.prepare<[string, string, number, string]>(
    `INSERT INTO counter_appointments (account_id, document_reference, signer, day) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET day = excluded.day`
  )
  const take = db.prepare<[string, string, number]>(
    'DELETE FROM counter_appointments WHERE account_id = ? AND document_reference = ? AND signer = ?'
  )
  const takeOld = db.prepare<[string]>('DELETE FROM counter_appointments WHERE day <> ?')
  const today = () => dayAt(clock(), zone())

  const change = db.transaction((accountId: string, documentReference: string, signer: number, isToday: boolean) => {
    const day = today()
    takeOld.run(day)
    if (isToday) put.run(accountId, documentReference, signer, day)
    else take.run(accountId, documentReference, signer)
  })

  return {
    isToday: (accountId: string, documentReference: string, signer: number): boolean =>
      find.get(accountId, documentReference, signer, today()) !== undefined,

    /** Pins it until midnight, or unpins it. @throws SQLite's error: then it is as it was. */
    set(accountId: string, documentReference: string, signer: number, isToday: boolean): void {
      change.immediate(accountId, documentReference, signer, isToday)
    }
  }
}
