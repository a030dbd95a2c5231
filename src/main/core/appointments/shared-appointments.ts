/**
 * Appointments that an office's workstations share: their storage for the sync, and the merging of two changes of one.
 * If one workstation changed the person and another marked that they came, both changes apply. If both changed the same
 * thing, one stays and the other is kept beside it.
 */
import { z } from 'zod'
import type { AppointmentState } from '../../../shared/contract/index.ts'
import { beginningOf, dayAfter, dayAt, LAST_MOMENT } from '../lib/calendar.ts'
import { shortened } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { SharedKind } from '../office/shared-records.ts'
import type { Db } from '../storage/connection.ts'
import { TO_COME_AGAIN } from './appointments.ts'
import { type KeptAppointment, openAppointmentsTable } from './appointments-table.ts'

const text = z.string().max(200)
const state = z.enum(['expected', 'arrived', 'called', 'here', 'done', 'no-show'])
const moment = z.int().min(0).max(LAST_MOMENT)
const Shared = z.object({
  ...{ key: z.string().max(500).optional(), series: z.string().max(500).optional(), version: z.int() },
  ...{ name: text.min(1), email: text, mobile: text, person: text.optional() },
  ...{ at: moment, minutes: z.int().min(1).max(1440), place: text, about: z.string().max(300) },
  ...{ state, before: state.optional(), number: z.int().min(1).max(99_999).optional(), calls: z.int().min(0) },
  ...{ arrivedAt: moment.optional(), calledAt: moment.optional() },
  /** The workstation that called them, or where they are. */
  desk: text.optional()
})
export type SharedAppointment = z.output<typeof Shared>

/** Members that change together: the name of one change with the address of another would match nobody. */
const GROUPS = [['name', 'email', 'mobile', 'person'], ['at', 'minutes'], ['place'], ['about'], ['series']] as const
const STEPS = ['state', 'before', 'number', 'arrivedAt', 'calledAt', 'calls', 'desk'] as const
/** The states by progress: someone who came outranks a no-show. */
const ORDER: readonly AppointmentState[] = ['expected', 'no-show', 'arrived', 'called', 'here', 'done']

interface SharedAppointmentsDeps {
  db: Db
  time: Pick<Time, 'now' | 'zone'>
  newId: () => string
  /** This workstation's name in the office; '' until it is known. */
  here: () => string
}

/** Opens the storage of appointments for the office's sync. */
export function openSharedAppointments({
  db,
  time,
  newId,
  here
}: SharedAppointmentsDeps): SharedKind<SharedAppointment> {
  const table = openAppointmentsTable(db)
  const isOtherDay = (one: number, other: number) => dayAt(one, time.zone()) !== dayAt(other, time.zone())
  return {
    kind: 'appointment',
    page: 100,
    locals: (accountId) =>
      table.between(accountId, beginningOf(dayAt(time.now(), time.zone()), time.zone()), Infinity).map(({ id }) => id),
    ownerOf: (local) => table.byId(local)?.accountId,
    content(local) {
      const row = table.byId(local)
      if (!row) return undefined
      const isSomewhere = row.state === 'called' || row.state === 'here'
      return Shared.safeParse({ ...row, desk: isSomewhere ? (row.desk ?? here()) : undefined }).data
    },
    read: (content) => Shared.safeParse(content).data,
    write(accountId, { desk, ...content }, id, local = id) {
      table.put({ ...NOTHING, ...content, id: local, accountId, desk: desk === here() ? undefined : desk })
      return local
    },
    erase: (local) => void table.remove(local),
    // The same event of one calendar is the same appointment, wherever it was imported.
    identity: ({ key }) => key,
    together: (mine, theirs, base) => together(mine, theirs, base, isOtherDay),
    another(accountId, content, beside) {
      const about = [content.about, beside && `(${beside})`].filter(Boolean).join(' ')
      // Kept beside the other, it is independent, and no file updates it.
      const own = beside === undefined ? {} : { key: undefined, series: undefined }
      table.put({
        ...NOTHING,
        ...content,
        ...own,
        id: newId(),
        accountId,
        desk: undefined,
        about: shortened(about, 300)
      })
    },
    // A day longer than here, because clocks and zones differ.
    until: ({ at }) => beginningOf(dayAfter(dayAt(at, time.zone()), 2), time.zone()) - time.now()
  }
}

const NOTHING = {
  ...{ key: undefined, series: undefined, person: undefined, before: undefined, number: undefined },
  ...{ arrivedAt: undefined, calledAt: undefined }
} satisfies Partial<KeptAppointment>

/** Merges two contents that derive from `base`; undefined if both changed the same thing differently. */
function together(
  mine: SharedAppointment,
  theirs: SharedAppointment,
  base: SharedAppointment | undefined,
  isOtherDay: (one: number, other: number) => boolean
): SharedAppointment | undefined {
  const steps = stepsOf(mine, theirs, base)
  const both = { ...theirs, ...steps.steps, version: Math.max(mine.version, theirs.version) }
  // A calendar says itself which version is newer. If it doesn't, what the office has stays.
  const isByFile = mine.key !== undefined && (base === undefined || mine.version !== theirs.version)
  for (const members of GROUPS) {
    const isLike = (one: SharedAppointment, other: SharedAppointment | undefined) =>
      members.every((member) => one[member] === other?.[member])
    if (isLike(mine, theirs) || (base && isLike(mine, base))) continue
    const isMine = base && isLike(theirs, base)
    if (!isMine && !isByFile) return undefined
    if (isMine || mine.version > theirs.version) Object.assign(both, part(mine, members))
  }
  // Someone who came today hasn't come on the day that the other change moved it to.
  return isOtherDay(both.at, steps.at) ? { ...both, ...TO_COME_AGAIN } : both
}

/**
 * Merges the progress, and returns it with the appointment's time. Someone who came is here at each workstation; if
 * both progressed, the further state wins.
 */
function stepsOf(mine: SharedAppointment, theirs: SharedAppointment, base: SharedAppointment | undefined) {
  const isLike = (one: SharedAppointment, other: SharedAppointment | undefined) =>
    STEPS.every((member) => one[member] === other?.[member])
  if (base && isLike(mine, base)) return { at: theirs.at, steps: part(theirs, STEPS) }
  if (base && isLike(theirs, base)) return { at: mine.at, steps: part(mine, STEPS) }
  const [ahead, behind] = ORDER.indexOf(mine.state) > ORDER.indexOf(theirs.state) ? [mine, theirs] : [theirs, mine]
  const steps = {
    ...part(ahead, STEPS),
    // Their number is kept, because they were told it, and so is the fact that they were called.
    number: theirs.number ?? mine.number,
    arrivedAt: ahead.arrivedAt ?? behind.arrivedAt,
    calledAt: ahead.calledAt ?? behind.calledAt,
    calls: Math.max(mine.calls, theirs.calls)
  }
  return { at: ahead.at, steps }
}

function part<Member extends keyof SharedAppointment>(
  of: SharedAppointment,
  members: readonly Member[]
): Pick<SharedAppointment, Member> {
  return Object.fromEntries(members.map((member) => [member, of[member]])) as Pick<SharedAppointment, Member>
}
