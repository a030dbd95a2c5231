/**
 * Appointments that an office's workstations share: their storage for the sync, and the merging of two changes of one.
 * If one workstation changed the person and another marked that they came, both changes apply. If both changed the same
 * thing, one stays and the other is kept beside it.
 */
import { z } from 'zod'
import type { AppointmentState } from '../../../shared/contract/index.ts'
import { dayAfter, dayAt, LAST_MOMENT, startOfDay } from '../lib/calendar.ts'
import { shortened } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { SharedKind } from '../office/shared-kind.ts'
import type { Db } from '../storage/connection.ts'
import { RESET_PROGRESS } from './appointments.ts'
import { openAppointmentsTable, type StoredAppointment } from './appointments-table.ts'

const text = z.string().max(200)
const state = z.enum(['expected', 'arrived', 'called', 'here', 'done', 'no-show'])
const moment = z.int().min(0).max(LAST_MOMENT)
const Shared = z.object({
  key: z.string().max(500).optional(),
  series: z.string().max(500).optional(),
  version: z.int(),
  name: text.min(1),
  email: text,
  mobile: text,
  person: text.optional(),
  at: moment,
  minutes: z.int().min(1).max(1440),
  place: text,
  about: z.string().max(300),
  state,
  before: state.optional(),
  number: z.int().min(1).max(99_999).optional(),
  calls: z.int().min(0),
  arrivedAt: moment.optional(),
  calledAt: moment.optional(),
  /** The workstation that called them, or where they are. */
  workstation: text.optional()
})
export type SharedAppointment = z.output<typeof Shared>

/** Members that change together: the name of one change with the address of another would match nobody. */
const GROUPS = [['name', 'email', 'mobile', 'person'], ['at', 'minutes'], ['place'], ['about'], ['series']] as const
const PROGRESS_MEMBERS = ['state', 'before', 'number', 'arrivedAt', 'calledAt', 'calls', 'workstation'] as const
/** The states by progress: someone who came outranks a no-show. */
const ORDER: readonly AppointmentState[] = ['expected', 'no-show', 'arrived', 'called', 'here', 'done']

interface SharedAppointmentsDeps {
  db: Db
  time: Pick<Time, 'now' | 'zone'>
  newId: () => string
  /** This workstation's name in the office; '' until it is known. */
  workstationName: () => string
}

export function openSharedAppointments({
  db,
  time,
  newId,
  workstationName
}: SharedAppointmentsDeps): SharedKind<SharedAppointment> {
  const table = openAppointmentsTable(db)
  const isOtherDay = (one: number, other: number) => dayAt(one, time.zone()) !== dayAt(other, time.zone())
  return {
    kind: 'appointment',
    page: 100,
    localIds: (accountId) =>
      table.between(accountId, startOfDay(dayAt(time.now(), time.zone()), time.zone()), Infinity).map(({ id }) => id),
    ownerOf: (local) => table.byId(local)?.accountId,
    content(local) {
      const row = table.byId(local)
      if (!row) return undefined
      const isAtWorkstation = row.state === 'called' || row.state === 'here'
      return Shared.safeParse({
        ...row,
        workstation: isAtWorkstation ? (row.workstation ?? workstationName()) : undefined
      }).data
    },
    read: (content) => Shared.safeParse(content).data,
    write(accountId, { workstation, ...content }, id, local = id) {
      table.put({
        ...UNSET,
        ...content,
        id: local,
        accountId,
        workstation: workstation === workstationName() ? undefined : workstation
      })
      return local
    },
    erase: (local) => void table.remove(local),
    // The same event of one calendar is the same appointment, wherever it was imported.
    identity: ({ key }) => key,
    merge: (mine, theirs, base) => merge(mine, theirs, base, isOtherDay),
    addCopy(accountId, content, conflictLabel) {
      const about = [content.about, conflictLabel && `(${conflictLabel})`].filter(Boolean).join(' ')
      // Kept beside the other, it is independent, and no file updates it.
      const own = conflictLabel === undefined ? {} : { key: undefined, series: undefined }
      table.put({
        ...UNSET,
        ...content,
        ...own,
        id: newId(),
        accountId,
        workstation: undefined,
        about: shortened(about, 300)
      })
    },
    // A day longer than here, because clocks and zones differ.
    expiresIn: ({ at }) => startOfDay(dayAfter(dayAt(at, time.zone()), 2), time.zone()) - time.now()
  }
}

const UNSET = {
  key: undefined,
  series: undefined,
  person: undefined,
  before: undefined,
  number: undefined,
  arrivedAt: undefined,
  calledAt: undefined
} satisfies Partial<StoredAppointment>

/** Merges two contents that derive from `base`; undefined if both changed the same thing differently. */
function merge(
  mine: SharedAppointment,
  theirs: SharedAppointment,
  base: SharedAppointment | undefined,
  isOtherDay: (one: number, other: number) => boolean
): SharedAppointment | undefined {
  const progress = mergeProgress(mine, theirs, base)
  const merged = { ...theirs, ...progress.steps, version: Math.max(mine.version, theirs.version) }
  // A calendar says itself which version is newer. If it doesn't, what the office has stays.
  const isFromCalendar = mine.key !== undefined && (base === undefined || mine.version !== theirs.version)
  for (const members of GROUPS) {
    const isSame = (one: SharedAppointment, other: SharedAppointment | undefined) =>
      members.every((member) => one[member] === other?.[member])
    if (isSame(mine, theirs) || (base && isSame(mine, base))) continue
    const onlyMineChanged = base && isSame(theirs, base)
    if (!onlyMineChanged && !isFromCalendar) return undefined
    if (onlyMineChanged || mine.version > theirs.version) Object.assign(merged, pickMembers(mine, members))
  }
  // Someone who came today hasn't come on the day that the other change moved it to.
  return isOtherDay(merged.at, progress.at) ? { ...merged, ...RESET_PROGRESS } : merged
}

/**
 * Merges the progress, and returns it with the appointment's time. Someone who came is here at each workstation; if
 * both progressed, the further state wins.
 */
function mergeProgress(mine: SharedAppointment, theirs: SharedAppointment, base: SharedAppointment | undefined) {
  const isSame = (one: SharedAppointment, other: SharedAppointment | undefined) =>
    PROGRESS_MEMBERS.every((member) => one[member] === other?.[member])
  if (base && isSame(mine, base)) return { at: theirs.at, steps: pickMembers(theirs, PROGRESS_MEMBERS) }
  if (base && isSame(theirs, base)) return { at: mine.at, steps: pickMembers(mine, PROGRESS_MEMBERS) }
  const [ahead, behind] = ORDER.indexOf(mine.state) > ORDER.indexOf(theirs.state) ? [mine, theirs] : [theirs, mine]
  const steps = {
    ...pickMembers(ahead, PROGRESS_MEMBERS),
    // Their number is kept, because they were told it, and so is the fact that they were called.
    number: theirs.number ?? mine.number,
    arrivedAt: ahead.arrivedAt ?? behind.arrivedAt,
    calledAt: ahead.calledAt ?? behind.calledAt,
    calls: Math.max(mine.calls, theirs.calls)
  }
  return { at: ahead.at, steps }
}

function pickMembers<Member extends keyof SharedAppointment>(
  source: SharedAppointment,
  members: readonly Member[]
): Pick<SharedAppointment, Member> {
  return Object.fromEntries(members.map((member) => [member, source[member]])) as Pick<SharedAppointment, Member>
}
