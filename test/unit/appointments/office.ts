/** An office with appointments: a real database, with the clock, the queue and the audit trail in the test's hands. */
import { onTestFinished } from 'vitest'
import { appointmentAnswers } from '../../../src/main/core/appointments/appointment-files.ts'
import { Appointments } from '../../../src/main/core/appointments/appointments.ts'
import { AppointmentImports } from '../../../src/main/core/appointments/importing.ts'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { askOf } from '../../../src/main/core/bulk/worker.ts'
import type { MirroredDocument } from '../../../src/main/core/documents/questions.ts'
import type { CounterEntry } from '../../../src/shared/contract/index.ts'
import { database } from '../counter-settings/office.ts'

/** Friday 21 November 2026, 10:00 in Auckland, which is 13 hours ahead of UTC. */
export const TEN = Date.parse('2026-11-21T10:00:00+13:00')
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

export function office() {
  const db = database()
  const insert = db.prepare(
    `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, json_by_query, folders, created_at, position)
  VALUES (?, 'Office', 'service', 'https://sign.example.com', 'none', '#123456', 0, '[]', 1, 0)`
  )
  for (const id of ['office', 'branch']) insert.run(id)
  const clock = { at: TEN }
  const timers: { at: number; run: () => void }[] = []
  const notes: AuditNote[] = []
  const notified = { changed: 0, documentsRead: 0 }
  const chosen = { account: 'office', others: [] as string[], hasDisplay: true }
  let queue: CounterEntry[] = []
  const documents = new Map<string, MirroredDocument>()
  let number = 0
  let queueReads = 0
  const refusing = { notes: false }
  const deps = {
    db,
    time: {
      now: () => clock.at,
      zone: () => 'Pacific/Auckland',
      after(delay: number, run: () => void) {
        const timer = { at: clock.at + delay, run }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), 1)
      }
    },
    newId: () => `id-${++number}`,
    note(note: AuditNote, _when?: 'now-or-never', along?: () => void) {
      if (refusing.notes) throw new Error('The disk is full.')
      along?.()
      notes.push(note)
    },
    accountId: () => chosen.account,
    shownIds: () => [chosen.account, ...chosen.others],
    changed: () => {
      notified.changed += 1
    }
  }
  const appointments = new Appointments({
    ...deps,
    async waitingHere(account) {
      queueReads += 1
      return queue.filter(({ accountId }) => accountId === account)
    },
    async documentOf(_account, reference) {
      notified.documentsRead += 1
      return documents.get(reference)
    },
    settings: () => ({ counterName: 'Counter 2', noShowAfter: 15 }),
    hasDisplay: () => chosen.hasDisplay
  })
  let endings = 0
  const answers = askOf(appointmentAnswers)
  const ask: typeof answers = async (...question) => {
    const before = endings
    const answer = await answers(...question)
    if (endings !== before) throw new Error('The thread ended.')
    return answer
  }
  const worker = { ask, end: async () => void endings++ }
  const imports = new AppointmentImports({ ...deps, appointments, worker })
  onTestFinished(() => void db.close())

  return {
    db,
    appointments,
    imports,
    notes,
    notified,
    chosen,
    refusing,
    clock,
    /** Returns how often the queue was read. */
    queueReadCount: () => queueReads,
    /** Moves the clock, and runs the timers due by then. */
    pass(milliseconds: number) {
      clock.at += milliseconds
      for (const timer of timers.filter(({ at }) => at <= clock.at)) {
        timers.splice(timers.indexOf(timer), 1)
        timer.run()
      }
    },
    /** Sets those who can sign here: `name`, and the address in their document. */
    waits(...people: { name: string; email?: string; person?: string }[]) {
      queue = people.map(({ name, person }, index) => ({
        accountId: 'office',
        documentReference: `doc-${index}`,
        documentName: 'Deed of gift',
        signer: 0,
        signerName: name,
        person: person ?? `person-${index}`,
        faceToFace: true,
        mayNeedCamera: false,
        isToday: false
      }))
      for (const [index, { name, email }] of people.entries()) {
        const document = { Reference: `doc-${index}`, Signers: [{ FirstName: name, ...(email && { Email: email }) }] }
        documents.set(`doc-${index}`, { document } as MirroredDocument)
      }
    },
    /** Adds an appointment that many minutes after ten. Returns its id. */
    async add(name: string, minutes = 30, more: Partial<Parameters<Appointments['add']>[0]> = {}): Promise<string> {
      appointments.add({ name, at: TEN + minutes * MINUTE, minutes: 30, ...more })
      const { appointments: all } = await appointments.today()
      return all.find((one) => one.name === name)?.id ?? ''
    },
    async only() {
      const { appointments: all } = await appointments.today()
      return all[0]
    }
  }
}
