/**
 * Who is expected at the counter today, and how far each of them is. Each step by staff is in the audit trail together
 * with the step itself, or neither happens. Nobody is matched with someone in the queue while another person could be
 * meant.
 */
import type {
  Appointment,
  AppointmentState,
  AppointmentsToday,
  CounterSession,
  DecodedInput,
  IdleCall
} from '../../../shared/contract/index.ts'
import type { AuditNote, NoteInAudit } from '../audit/audit.ts'
import { dayAfter, dayAt, localTimeOf, startOfDay } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { defined, getOrMake } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import { type AppointmentsTable, openAppointmentsTable, type StoredAppointment } from './appointments-table.ts'
import { type KnownAddresses, type Match, matcherFor, type QueueDeps, queuePeople } from './matching.ts'

export interface AppointmentsDeps extends QueueDeps {
  db: Db
  time: Pick<Time, 'now' | 'after' | 'zone'>
  newId: () => string
  note: NoteInAudit
  /** The current account, to which new appointments belong; '' if there is none. */
  accountId: () => string
  shownIds: () => readonly string[]
  settings: () => { counterName: string; noShowAfter: number }
  /** Whether a second display shows who is called. When this changes, a settings change is announced. */
  hasDisplay: () => boolean
  /** Called when the appointments and the second display's picture must be refreshed. */
  changed: () => void
}

type Mark = DecodedInput<'appointments.mark'>['as']

/** How long a number stays on the second display, in milliseconds. */
export const CALL_DURATION = 5 * 60_000
/** The states of people who haven't reached the counter yet. */
export const BEFORE_COUNTER: readonly AppointmentState[] = ['expected', 'arrived', 'called']
/** How many removed appointments are remembered, so that each can be put back. */
const MAX_REMOVED = 100
/** The entry of `meta` with today's day and last number: `DAY LAST`. */
const NUMBERS_KEY = 'counter-numbers'

export class Appointments {
  readonly table: AppointmentsTable
  readonly #deps: AppointmentsDeps
  readonly #meta: ReturnType<typeof openMeta>
  #call: { id: string; until: number; cancel: () => void } | undefined
  /** By account. */
  readonly #addresses = new Map<string, KnownAddresses>()
  /** What was removed in this run, by id, newest last. */
  readonly #removed = new Map<string, StoredAppointment>()
  #clearedDay = ''
  /** The last search for a session's people, and its inputs. */
  #lastSearch: { key: string; done: Promise<void> } | undefined
  /** The session whose people were last searched for. */
  #searchedSession = ''

  constructor(deps: AppointmentsDeps) {
    this.#deps = deps
    this.table = openAppointmentsTable(deps.db)
    this.#meta = openMeta(deps.db)
  }

  /** Returns today's appointments in order of time, each matched with the queue. */
  async today(): Promise<AppointmentsToday> {
    const { hasDisplay, settings, shownIds } = this.#deps
    const each = shownIds().map(async (account) => {
      const kept = this.ofToday([account])
      const known = getOrMake(this.#addresses, account, () => new Map())
      const people = kept.length === 0 ? [] : await queuePeople(this.#deps, account, kept, known)
      const matchOf = matcherFor(people)
      return kept.map((one) => viewOf(one, matchOf(one)))
    })
    const { counterName, noShowAfter } = settings()
    return {
      appointments: sortByTime((await Promise.all(each)).flat()),
      places: [...new Set(shownIds().flatMap((account) => this.table.places(account)))],
      counterName,
      noShowAfter,
      hasDisplay: hasDisplay(),
      ...(this.#call && { calling: this.#call.id })
    }
  }

  /** Returns today's appointments as stored, in order of time. Those of past days are removed. */
  ofToday(accountIds = this.#deps.shownIds()): StoredAppointment[] {
    const { from, until } = this.todaySpan()
    const day = String(from)
    if (this.#clearedDay !== day) {
      this.table.removeBefore(from)
      this.#clearedDay = day
    }
    return sortByTime(accountIds.flatMap((accountId) => this.table.between(accountId, from, until)))
  }

  /** Returns today's span from midnight to midnight, by the office's clocks. */
  todaySpan(): { from: number; until: number } {
    const { time } = this.#deps
    const today = dayAt(time.now(), time.zone())
    return { from: startOfDay(today, time.zone()), until: startOfDay(dayAfter(today), time.zone()) }
  }

  /**
   * Returns whether two times are on different days. Numbers are per day, so someone moved to another gets a new one.
   */
  isOtherDay(one: number, other: number): boolean {
    const { time } = this.#deps
    return dayAt(one, time.zone()) !== dayAt(other, time.zone())
  }

  /**
   * Adds an appointment.
   * @param number see {@link arrive}.
   * @param accountId its account, which may not be shown any more.
   * @throws AppFailure `gone`; the database's error. Then nothing has changed.
   */
  add(
    { hasArrived, ...given }: DecodedInput<'appointments.add'>,
    number?: number,
    accountId = this.#deps.accountId()
  ): void {
    if (accountId === '') fail('gone', 'There is no account.')
    const added = { ...blankAppointment, ...defined(given), id: this.#deps.newId(), accountId }
    this.#store(added, { what: 'appointment-saved', detail: { how: 'added' } })
    if (hasArrived) this.#advance(added, 'arrived', number)
  }

  /** Changes what is given of an appointment. @throws AppFailure `gone`; the database's error. */
  change({ id, ...changes }: DecodedInput<'appointments.change'>): void {
    const before = this.get(id)
    const saved: StoredAppointment = { ...before, ...defined(changes) }
    if (this.isOtherDay(before.at, saved.at)) Object.assign(saved, RESET_PROGRESS)
    // With another name it may be another person.
    if (before.name !== saved.name || before.email !== saved.email) saved.person = undefined
    this.#store(saved, { what: 'appointment-saved', detail: { how: 'changed' } })
    if (saved.state === 'expected') this.#endCallOf(id)
  }

  /** Removes an appointment, until `mark` undoes that. @throws AppFailure `gone`; the database's error. */
  remove(id: string): void {
    const one = this.get(id)
    this.#deps.note(auditNoteOf(one, { what: 'appointment-removed' }, this.#deps.time), 'now-or-never', () =>
      this.table.remove(id)
    )
    this.#removed.set(id, one)
    const [oldest] = this.#removed.keys()
    if (oldest !== undefined && this.#removed.size > MAX_REMOVED) this.#removed.delete(oldest)
    this.#endCallOf(id)
    this.#deps.changed()
  }

  /** Puts a removed appointment back as it was, with its number, and known to the file it came from. */
  #putBack(removed: StoredAppointment): void {
    const { newId, shownIds } = this.#deps
    const { accountId, id, key } = removed
    if (!shownIds().includes(accountId)) fail('gone', 'This appointment is no longer there.')
    // Unless the file has brought it again meanwhile.
    if (key === undefined || !this.table.byKey(accountId, key))
      this.#store({ ...removed, id: newId() }, { what: 'appointment-saved', detail: { how: 'added' } })
    this.#removed.delete(id)
  }

  /**
   * Marks how far someone is, or undoes their last step, which may be that they were removed.
   * @throws AppFailure `gone`; the database's error. Then nothing has changed.
   */
  mark(id: string, as: Mark): void {
    const removed = as === 'undo' ? this.#removed.get(id) : undefined
    // The office keeps it if another workstation changed it meanwhile.
    if (removed && !this.#find(id)) {
      this.#putBack(removed)
      return
    }
    const one = this.get(id)
    if (as === 'undo') {
      const state = one.before ?? stateBefore(one)
      if (state === undefined) return
      const undone: StoredAppointment = { ...one, state, before: undefined, workstation: undefined }
      // They keep their number for the day.
      if (state === 'expected') undone.arrivedAt = undefined
      if (state === 'expected' || state === 'arrived') undone.calledAt = undefined
      undone.before = stateBefore(undone)
      this.#store(undone, { what: 'appointment-undone', detail: { was: one.state } })
    } else if (one.state !== as) this.#advance(one, as)
    this.#endCallOf(id)
    this.#deps.changed()
  }

  /**
   * Marks someone as arrived, as `mark` does, also if their account isn't shown any more.
   * @param one as stored now.
   * @param number their number from now on, unless they have one; without it, this computer's next one.
   */
  arrive(one: StoredAppointment, number: number | undefined): void {
    this.#advance(one, 'arrived', number)
    this.#endCallOf(one.id)
    this.#deps.changed()
  }

  #advance(one: StoredAppointment, as: Exclude<Mark, 'undo'>, number?: number): void {
    const next: StoredAppointment = { ...one, state: as, before: one.state, workstation: undefined }
    if (as === 'arrived')
      Object.assign(next, { number: one.number ?? number ?? this.nextNumber(), arrivedAt: this.#deps.time.now() })
    const what = { arrived: 'appointment-arrived', 'no-show': 'appointment-missed' } as const
    const noted = as === 'arrived' || as === 'no-show' ? what[as] : 'appointment-marked'
    this.#store(next, { what: noted, detail: noted === 'appointment-marked' ? { to: as } : {} })
  }

  /**
   * Stores which person it is, as staff say; '' for nobody in the queue. @throws AppFailure `gone`; the database's
   * error. Then nothing has changed.
   */
  choosePerson(id: string, person: string): void {
    const matched = person === '' ? 'none' : 'signer'
    this.#store({ ...this.get(id), person }, { what: 'appointment-matched', detail: { matched } })
  }

  /** Calls someone: the second display shows their number for some minutes. @param number see {@link mark}. */
  call(id: string, number?: number): void {
    const one = this.get(id)
    const now = this.#deps.time.now()
    const called: StoredAppointment = {
      ...one,
      state: 'called',
      before: one.state === 'called' ? one.before : one.state,
      number: one.number ?? number ?? this.nextNumber(),
      arrivedAt: one.arrivedAt ?? now,
      calledAt: now,
      calls: one.calls + 1,
      workstation: undefined
    }
    this.#store(called, { what: 'appointment-called', detail: { times: String(called.calls) } })
    this.#call?.cancel()
    const cancel = this.#deps.time.after(CALL_DURATION, () => this.endCall())
    this.#call = { id, until: now + CALL_DURATION, cancel }
    this.#deps.changed()
  }

  endCall(): void {
    if (!this.#call) return
    this.#call.cancel()
    this.#call = undefined
    this.#deps.changed()
  }

  /** Returns what the second display shows of the call: a number and a place. */
  currentCall(): IdleCall | undefined {
    const { settings, time } = this.#deps
    const call = this.#call
    if (!call || time.now() >= call.until) return undefined
    const one = this.#find(call.id)
    // Another counter may have called them since.
    if (one?.state !== 'called' || one.number === undefined || one.workstation !== undefined) return undefined
    return { number: one.number, place: one.place || settings().counterName, calls: one.calls }
  }

  /**
   * Called when a session at the counter began, moved on or ended. Marks its people as here, and those who have signed
   * everything as done. Never rejects.
   */
  async sessionChanged(session: CounterSession | null): Promise<void> {
    if (!session) return
    const turnsByPerson = new Map(Object.entries(Object.groupBy(session.turns, ({ person }) => person)))
    try {
      // Persons are only identifiable within an account.
      const account = session.accountId ?? this.#deps.accountId()
      const isOver = session.phase === 'return' || session.phase === 'ended'
      // Nobody is at the counter any more: people who wait again by now were sent away, or called at another one.
      if (isOver && this.#searchedSession === session.id) await this.#lastSearch?.done
      else await this.#findPeople(session.id, account, new Set(turnsByPerson.keys()))
      if (session.phase !== 'ended') return
      for (const one of this.ofToday([account])) {
        if (one.state !== 'here') continue
        const turns = [...turnsByPerson.values()]
          .flatMap((all) => all ?? [])
          .filter(({ person }) => person === one.person)
        const isDone = turns.every(({ outcome }) => outcome?.signed === 'signed' || outcome?.signed === 'declined')
        if (turns.length > 0 && isDone) this.mark(one.id, 'done')
      }
    } catch {
      // What can't be stored now is marked by hand.
    }
  }

  /**
   * Matches a session's people with the appointments. Sessions report every touch, so the queue is only read again if
   * the result could differ.
   */
  #findPeople(session: string, account: string, people: ReadonlySet<string>): Promise<void> {
    this.#searchedSession = session
    const waiting = this.ofToday([account]).filter(({ state }) => BEFORE_COUNTER.includes(state))
    if (waiting.length === 0) return Promise.resolve()
    const key = JSON.stringify([
      session,
      [...people],
      waiting.map(({ id, name, email, person }) => [id, name, email, person])
    ])
    if (this.#lastSearch?.key === key) return this.#lastSearch.done
    const done = this.#markHere(account, people)
    this.#lastSearch = { key, done }
    done.catch(() => {
      this.#lastSearch = undefined
    })
    return done
  }

  async #markHere(account: string, people: ReadonlySet<string>): Promise<void> {
    const { appointments } = await this.today()
    for (const { id, accountId, person } of appointments) {
      if (accountId !== account || person === undefined || !people.has(person)) continue
      // They may have been marked otherwise, or removed, while the queue was read.
      const one = this.#find(id)
      if (!one || !BEFORE_COUNTER.includes(one.state)) continue
      // Stored now, because someone who has signed everything is no longer in the queue.
      this.table.put({ ...one, person })
      this.mark(id, 'here')
    }
  }

  /** Returns the next number, from 1 each day. No number is given twice a day, as far as is known here. */
  nextNumber(): number {
    const { time } = this.#deps
    const day = dayAt(time.now(), time.zone())
    const [keptDay, last = '0'] = (this.#meta.read(NUMBERS_KEY) ?? '').split(' ')
    // Another workstation of the office may have given some.
    const known = this.ofToday().map(({ number = 0 }) => number)
    const next = Math.max(keptDay === day ? Number(last) : 0, ...known) + 1
    this.#meta.write(NUMBERS_KEY, `${day} ${next}`)
    return next
  }

  #store(one: StoredAppointment, note: Pick<AuditNote, 'what' | 'detail'>): void {
    this.#deps.note(auditNoteOf(one, note, this.#deps.time), 'now-or-never', () => this.table.put(one))
    this.#deps.changed()
  }

  #endCallOf(id: string): void {
    if (this.#call?.id === id) this.endCall()
  }

  /** @throws AppFailure `gone` */
  get(id: string): StoredAppointment {
    return this.#find(id) ?? fail('gone', 'This appointment is no longer there.')
  }

  #find(id: string): StoredAppointment | undefined {
    for (const accountId of this.#deps.shownIds()) {
      const found = this.table.find(accountId, id)
      if (found) return found
    }
    return undefined
  }
}

/** Returns the step before, as far as their times tell, so that steps can be undone one after the other. */
function stateBefore({ state, arrivedAt, calledAt }: StoredAppointment): AppointmentState | undefined {
  if (state === 'expected') return undefined
  if (state === 'arrived') return 'expected'
  if (state !== 'called' && calledAt !== undefined) return 'called'
  return arrivedAt === undefined ? 'expected' : 'arrived'
}

/** The state of someone whose appointment is on another day than the one they came on. */
export const RESET_PROGRESS = {
  state: 'expected' as const,
  before: undefined,
  number: undefined,
  arrivedAt: undefined,
  calledAt: undefined,
  calls: 0,
  workstation: undefined
}

const blankAppointment = {
  ...RESET_PROGRESS,
  ...{ email: '', mobile: '', place: '', about: '' },
  ...{ key: undefined, series: undefined, person: undefined, version: 0 }
}

/** Sorts by time, then by name, across accounts. */
function sortByTime<One extends Pick<Appointment, 'at' | 'name'>>(all: One[]): One[] {
  return all.sort((one, other) => one.at - other.at || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}

function viewOf(one: StoredAppointment, { person, choices }: Match): Appointment {
  const { id, accountId, name, at, minutes, place, state, number, arrivedAt, calledAt, workstation } = one
  return {
    id,
    accountId,
    name,
    at,
    minutes,
    place,
    state,
    choices,
    ...defined({ number, arrivedAt, calledAt, person, workstation }),
    ...(one.email && { email: one.email }),
    ...(one.mobile && { mobile: one.mobile }),
    ...(one.about && { about: one.about })
  }
}

/** Builds the audit entry of an appointment: who, when, where, and their number. */
function auditNoteOf(
  { name, at, place, number }: StoredAppointment,
  { what, detail = {} }: Pick<AuditNote, 'what' | 'detail'>,
  time: Pick<Time, 'zone'>
): AuditNote {
  const { day, minute } = localTimeOf(at, time.zone())
  const padded = (value: number) => String(value).padStart(2, '0')
  return {
    what,
    signerName: name,
    detail: {
      appointment: `${day} ${padded(Math.floor(minute / 60))}:${padded(minute % 60)}`,
      ...(place && { at: place }),
      ...(number !== undefined && { number: String(number) }),
      ...detail
    }
  }
}
