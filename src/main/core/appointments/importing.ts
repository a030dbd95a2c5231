/**
 * Imports a file of appointments: its changes are shown first, and then applied as shown. What was imported before is
 * updated, not added again; what the calendar has cancelled is removed.
 */
import { basename } from 'node:path'
import type {
  AppointmentInFile,
  AppointmentsImported,
  AppointmentsInFile,
  DecodedInput
} from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { Ask } from '../bulk/worker.ts'
import { fail } from '../lib/failure.ts'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import type { AppointmentQuestions } from './appointment-files.ts'
import { type Appointments, RESET_PROGRESS } from './appointments.ts'
import type { StoredAppointment } from './appointments-table.ts'
import type { FoundAppointment, FoundInFile } from './found.ts'

export interface ImportingDeps {
  db: Db
  appointments: Appointments
  worker: { ask: Ask<AppointmentQuestions>; end(): Promise<void> }
  time: Pick<Time, 'now' | 'zone'>
  newId: () => string
  note: NoteInAudit
  accountId: () => string
  changed: () => void
}

type OpenFile = { id: string; accountId: string; fileName: string; found: FoundInFile }
/** What happens to one appointment: its stored state, and the new one. */
interface Step {
  kind: AppointmentInFile['kind']
  /** What is here is newer, and stays. */
  isOlder?: boolean
  was?: StoredAppointment
  found?: FoundAppointment
}

const MAX_ROWS = 200
const MAX_REFUSED = 100

export class AppointmentImports {
  readonly #deps: ImportingDeps
  /** One file at a time: opening another replaces it. */
  #open: OpenFile | undefined

  constructor(deps: ImportingDeps) {
    this.#deps = deps
  }

  /** Opens a file. @throws AppFailure `bad-file` if it can't be used; the message says why. */
  open(path: string): Promise<AppointmentsInFile> {
    // The worker ends after each file, whatever else it reads.
    return inTurn(this, () => this.#read(path))
  }

  async #read(path: string): Promise<AppointmentsInFile> {
    const { accountId, newId, time, worker } = this.#deps
    const account = accountId()
    const fileName = basename(path)
    try {
      const ask = { path, fileName, now: time.now(), zone: time.zone() }
      const found = await worker.ask('appointments', ask)
      if (account === '' || accountId() !== account) fail('gone', 'Another account was chosen.')
      this.#open = { id: newId(), accountId: account, fileName, found }
      return this.#preview(this.#open)
    } finally {
      await worker.end()
    }
  }

  close({ id }: DecodedInput<'appointments.closeFile'>): void {
    if (this.#open?.id === id) this.#open = undefined
  }

  /** Imports all of it or nothing. @throws AppFailure `gone`; the database's error. */
  import({ id }: DecodedInput<'appointments.import'>): AppointmentsImported {
    const { accountId, appointments, changed, db, note } = this.#deps
    const open = this.#open
    if (open?.id !== id || open.accountId !== accountId())
      return fail('gone', 'This file is no longer open.', { next: 'Import it again.' })
    // Recomputed, because someone may have arrived in the meantime.
    const steps = this.#planSteps(open)
    const ofKind = (kind: Step['kind']) => steps.filter((step) => step.kind === kind)
    const counts = { added: ofKind('new').length, changed: ofKind('changed').length, removed: ofKind('gone').length }
    const write = db.transaction(() => {
      for (const { kind, was, found } of steps) {
        if (kind === 'gone' && was) appointments.table.remove(was.id)
        else if (kind !== 'same' && found) appointments.table.put(this.#mergedWith(open.accountId, found, was))
      }
    })
    const detail = {
      file: open.fileName,
      added: String(counts.added),
      moved: String(counts.changed),
      cancelled: String(counts.removed)
    }
    note({ what: 'appointments-imported', detail }, 'now-or-never', () => write())
    this.#open = undefined
    changed()
    return counts
  }

  #preview({ id, fileName, found, accountId }: OpenFile): AppointmentsInFile {
    const steps = this.#planSteps({ id, fileName, found, accountId })
    const counts = { new: 0, changed: 0, same: 0, gone: 0 }
    for (const { kind } of steps) counts[kind] += 1
    // If not all can be shown, changes come first.
    const changesFirst = steps.toSorted((one, other) => Number(one.kind === 'same') - Number(other.kind === 'same'))
    return {
      id,
      fileName,
      counts,
      rows: changesFirst
        .slice(0, MAX_ROWS)
        .flatMap((step) => rowOf(step) ?? [])
        .toSorted((one, other) => one.at - other.at),
      refused: found.refused.slice(0, MAX_REFUSED),
      refusedCount: found.refused.length,
      notes: [
        ...found.notes,
        ...(steps.some(({ isOlder }) => isOlder)
          ? ['Some events are older than what is here already. They stay as they are here.']
          : [])
      ]
    }
  }

  #planSteps({ accountId, found }: OpenFile): Step[] {
    const { table } = this.#deps.appointments
    const olderSeries = this.#olderSeries(accountId, found)
    const steps: Step[] = found.appointments.map((inFile) => {
      const was = table.byKey(accountId, inFile.key)
      const one = was ? withKnown(inFile, was) : inFile
      const isOlder = was ? one.version < was.version : olderSeries.has(one.series ?? '')
      if (isOlder) return { kind: 'same', found: one, isOlder, ...(was && { was }) }
      if (!was) return { kind: 'new', found: one }
      return { kind: isUnchanged(was, one) ? 'same' : 'changed', was, found: one }
    })
    const kept = new Set(found.appointments.map(({ key }) => key))
    const gone = new Map<string, StoredAppointment>()
    for (const { key, version } of found.cancelled) {
      const one = table.byKey(accountId, key)
      // An old file doesn't remove what a newer one has brought, and no file removes people who have come.
      for (const each of [...(one ? [one] : []), ...table.bySeries(accountId, key)])
        if (each.version <= version && !hasCome(each)) gone.set(each.id, each)
    }
    for (const { key: series } of found.whole) {
      if (olderSeries.has(series)) continue
      for (const each of this.#comingDates(accountId, series)) {
        const isMissing = each.key !== undefined && !kept.has(each.key) && each.at < found.until
        if (isMissing) gone.set(each.id, each)
      }
    }
    return [...steps, ...[...gone.values()].map((was): Step => ({ kind: 'gone', was }))]
  }

  /**
   * Returns the series of which everything to come here is newer than everything in the file: its dates may be at times
   * that the file doesn't know.
   */
  #olderSeries(accountId: string, { appointments, whole }: FoundInFile): Set<string> {
    const versions = new Map<string, number>()
    for (const { series, version } of [...whole.map(({ key, version }) => ({ series: key, version })), ...appointments])
      if (series !== undefined) versions.set(series, Math.max(version, versions.get(series) ?? version))
    const older = [...versions].filter(([series, version]) => {
      const known = this.#comingDates(accountId, series)
      return known.length > 0 && known.every((one) => one.version > version)
    })
    return new Set(older.map(([series]) => series))
  }

  /** The dates of a series that a newer file would remove: not past ones, nor those to which someone has come. */
  #comingDates(accountId: string, series: string): StoredAppointment[] {
    const { appointments } = this.#deps
    const { from } = appointments.todaySpan()
    return appointments.table.bySeries(accountId, series).filter(({ at, state }) => at >= from && state === 'expected')
  }

  #mergedWith(accountId: string, found: FoundAppointment, was: StoredAppointment | undefined): StoredAppointment {
    const { notes: _notes, series, ...members } = found
    const base = was ?? {
      ...RESET_PROGRESS,
      id: this.#deps.newId(),
      accountId,
      person: undefined
    }
    const isMoved = was !== undefined && was.at !== found.at
    const isOtherPerson = was !== undefined && (was.name !== found.name || was.email !== found.email)
    return {
      ...base,
      ...members,
      series,
      // Someone who missed the old time is expected at the new one.
      ...(isMoved && was.state === 'no-show' && { state: 'expected' as const, before: undefined }),
      ...(isMoved && this.#deps.appointments.isOtherDay(was.at, found.at) && RESET_PROGRESS),
      ...(isOtherPerson && { person: undefined })
    }
  }
}

const hasCome = ({ state }: StoredAppointment): boolean => state !== 'expected' && state !== 'no-show'

/** What the file leaves blank stays as staff have it, unless the file now names someone else. */
function withKnown(found: FoundAppointment, was: StoredAppointment): FoundAppointment {
  const isOtherEmail = found.email !== '' && was.email !== '' && found.email !== was.email
  if (found.name !== was.name || isOtherEmail) return found
  return {
    ...found,
    email: found.email || was.email,
    mobile: found.mobile || was.mobile,
    place: found.place || was.place,
    about: found.about || was.about
  }
}

function isUnchanged(was: StoredAppointment, found: FoundAppointment): boolean {
  const members = ['name', 'email', 'mobile', 'at', 'minutes', 'place', 'about'] as const
  return members.every((member) => was[member] === found[member])
}

function rowOf({ kind, was, found }: Step): AppointmentInFile | undefined {
  const one = found ?? was
  if (!one) return undefined
  const { name, email, at, minutes, place, about } = one
  return { kind, name, at, minutes, place, notes: found?.notes ?? [], ...(email && { email }), ...(about && { about }) }
}
