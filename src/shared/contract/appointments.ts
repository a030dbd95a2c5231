/** Who is expected at the counter, who is called there, and the board that shows both: the requests, and what the screens are shown. */
import { z } from 'zod'
import { answers, byId, id, nothing } from './request.ts'

const line = z.string().trim().max(200)

export const appointmentRequests = {
  /** Those of today of the accounts that are shown, in the order of time. */
  'appointments.today': answers<AppointmentsToday>()(nothing),
  /** Adds one to the account that is worked in, or changes the one of that id. */
  'appointments.save': answers<null>()(
    z.strictObject({
      id: id.optional(),
      name: line.min(1),
      email: line.optional(),
      mobile: line.max(40).optional(),
      at: z.number().int().min(0).max(8.64e15),
      minutes: z.number().int().min(1).max(1440),
      place: line.max(60).optional(),
      about: line.optional(),
      /** Who of the queue it is; '' for nobody there. */
      person: z.string().max(200).optional(),
      /** They stand here: they get their number at once. */
      hasArrived: z.boolean().optional()
    })
  ),
  'appointments.remove': answers<null>()(byId),
  /** `undo` takes the last step back. */
  'appointments.mark': answers<null>()(
    z.strictObject({ id, as: z.enum(['arrived', 'here', 'done', 'no-show', 'undo']) })
  ),
  /** Calls their number on the second display; once more, where it was called already. */
  'appointments.call': answers<null>()(byId),
  /** The second display stops calling. */
  'appointments.endCall': answers<null>()(nothing),
  /** Of several in the queue whom it may be, the one who it is; '' for none of them. */
  'appointments.choosePerson': answers<null>()(z.strictObject({ id, person: z.string().max(200) })),
  /** A person chooses a calendar or a table; null where they thought better of it. Nothing is taken over yet. */
  'appointments.openFile': answers<AppointmentsInFile | null>()(nothing),
  /** Takes over what was shown. */
  'appointments.import': answers<AppointmentsImported>()(byId),
  'appointments.closeFile': answers<null>()(byId),

  /** What a supervisor looks at from across the room. */
  'board.get': answers<Board>()(nothing)
}

/**
 * arrived: has a number and waits. called: the second display shows their number. here: at the counter, or signing. no-show: didn't
 * come.
 */
export type AppointmentState = 'expected' | 'arrived' | 'called' | 'here' | 'done' | 'no-show'

/** Someone in the queue whom an appointment may be of. */
export interface AppointmentPerson {
  /** As of `CounterEntry`. */
  person: string
  name: string
  /** E-mail, where it is known. */
  contact?: string
}

export interface Appointment {
  id: string
  accountId: string
  name: string
  email?: string
  mobile?: string
  /** Milliseconds since 1970 UTC. */
  at: number
  minutes: number
  /** A counter or a room; '' where none was said. */
  place: string
  /** What they come for, in the office's words. */
  about?: string
  state: AppointmentState
  /** What they are called by: of the day, from 1. */
  number?: number
  arrivedAt?: number
  calledAt?: number
  /** The office's other workstation that called them, or where they are. */
  desk?: string
  /** Who of the queue it is, as of `CounterEntry`. */
  person?: string
  /** Nobody of the queue is surely the one, and these may be: staff says who. */
  choices: AppointmentPerson[]
}

export interface AppointmentsToday {
  appointments: Appointment[]
  /** Counters and rooms that were used, to be offered again. */
  places: string[]
  /** Minutes after which it is suggested that someone didn't come. */
  noShowAfter: number
  /** What this counter is called; '' where the office gave it no name. */
  counterName: string
  /** Who is being called on the second display now. */
  calling?: string
  /** A second display is connected and used. Without one nobody sees the number of who is called. */
  hasDisplay: boolean
}

/** A row of a file before it is taken over. */
export interface AppointmentInFile {
  /** new, changed, and as it is here already; gone: cancelled, or not in the calendar any more. */
  kind: 'new' | 'changed' | 'same' | 'gone'
  name: string
  email?: string
  at: number
  minutes: number
  place: string
  about?: string
  /** What was read otherwise than it stands there, in words. */
  notes: string[]
}

export interface AppointmentsInFile {
  id: string
  fileName: string
  /** In order of time, at most two hundred. */
  rows: AppointmentInFile[]
  counts: Record<AppointmentInFile['kind'], number>
  /** Who can't be taken over, and why; at most a hundred. */
  refused: { name: string; why: string }[]
  refusedCount: number
  /** In words, of the file as a whole. */
  notes: string[]
}

export interface AppointmentsImported {
  added: number
  changed: number
  removed: number
}

/** A counter on the board. There is one a computer; an office has those of its other workstations, too. */
export interface BoardDesk {
  id: string
  name: string
  /** Who of staff works there. */
  staff: string
  /**
   * free: nobody signs. signing, covered: a page is open, or hidden. between: documents or hands change. locked: only staff can go on.
   * Of others, closed: its application has ended. unknown: what it told can't be read here.
   */
  state: 'free' | 'signing' | 'covered' | 'between' | 'locked' | 'closed' | 'unknown'
  /** Who signs there, and what. */
  signer?: string
  document?: string
  /** Since when they do; when it was covered; milliseconds since 1970 UTC. */
  since?: number
  coveredSince?: number
  /** Someone can't go on without staff. */
  wantsStaff: boolean
  /** Their connection: since when it is down. */
  downSince?: number
  /** Whether people sign on a display of their own there. */
  hasOtherDisplay: boolean
  /** Of another workstation: what it is called in the office, and when it was heard of, in milliseconds since 1970 UTC. */
  office?: {
    workstation: string
    heardAt: number
    /** It should have been heard of since: all that is said here was so then. */
    isSilent?: true
  }
}

/** Someone who waits, by their number. */
interface BoardWaiting {
  id: string
  number?: number
  name: string
  place: string
  /** When their appointment is. */
  at: number
  arrivedAt: number
  isCalled: boolean
}

export interface Board {
  /** This computer's first. */
  desks: BoardDesk[]
  /**
   * Absent where it belongs to no office. away: its server can't be reached. apart: it isn't connected with it for another reason, which
   * Settings → Office says. `readAt`: when the others' were read; absent where they weren't yet.
   */
  office?: { state: 'connecting' | 'connected' | 'away' | 'apart'; readAt?: number }
  waiting: BoardWaiting[]
  /** Appointments of today: still to come; at the counter, now or before, and not done; done; and those who didn't come. */
  counts: { expected: number; here: number; done: number; noShow: number }
  /** The next who is expected. */
  next?: { name: string; at: number; place: string }
}

/** A number on the second display. Nothing else of the person. */
export interface IdleCall {
  number: number
  /** Where they are asked to come; '' where the office gave it no name. */
  place: string
  /** How often they were called: each time the display says so once more. */
  calls: number
}
