/** Who is expected at the counter and who is called there, and the board that shows both: requests and views. */
import { z } from 'zod'
import { answers, byId, id, noInput } from './request.ts'

const shortText = z.string().trim().max(200)
const details = z.strictObject({
  name: shortText.min(1),
  email: shortText.optional(),
  mobile: shortText.max(40).optional(),
  at: z.number().int().min(0).max(8.64e15),
  minutes: z.number().int().min(1).max(1440),
  place: shortText.max(60).optional(),
  about: shortText.optional()
})

export const appointmentRequests = {
  /** Today's appointments in the accounts shown, in order of time. */
  'appointments.today': answers<AppointmentsToday>()(noInput),
  /** Adds an appointment to the current account. */
  'appointments.add': answers<null>()(
    details.extend({
      /** Who it is in the queue; '' for no one there. */
      person: z.string().max(200).optional(),
      /** They are here already, and get their number at once. */
      hasArrived: z.boolean().optional()
    })
  ),
  /** Changes what is given. The rest stays as it is by now: another counter may have changed it meanwhile. */
  'appointments.change': answers<null>()(details.partial().extend({ id })),
  'appointments.remove': answers<null>()(byId),
  /** `undo` reverts the last step, also their removal. */
  'appointments.mark': answers<null>()(
    z.strictObject({ id, as: z.enum(['arrived', 'here', 'done', 'no-show', 'undo']) })
  ),
  /** Calls their number on the second display, or calls it again. */
  'appointments.call': answers<null>()(byId),
  /** Ends the call on the second display. */
  'appointments.endCall': answers<null>()(noInput),
  /** Chooses which of several possible people in the queue it is; '' for none of them. */
  'appointments.choosePerson': answers<null>()(z.strictObject({ id, person: z.string().max(200) })),
  /** Lets a person choose a calendar or a table; null if they cancel. Nothing is imported yet. */
  'appointments.openFile': answers<AppointmentsInFile | null>()(noInput),
  /** Imports what was shown. */
  'appointments.import': answers<AppointmentsImported>()(byId),
  'appointments.closeFile': answers<null>()(byId),

  /** The overview for supervisors, readable from across the room. */
  'board.get': answers<Board>()(noInput)
}

/**
 * arrived: has a number and is waiting. called: the second display shows their number. here: at the counter, or
 * signing. no-show: didn't come.
 */
export type AppointmentState = 'expected' | 'arrived' | 'called' | 'here' | 'done' | 'no-show'

/** A person in the queue who may be the one with the appointment. */
export interface AppointmentPerson {
  /** As in `CounterEntry`. */
  person: string
  name: string
  /** E-mail, if known. */
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
  /** A counter or a room; '' if not given. */
  place: string
  /** The purpose, in the office's words. */
  about?: string
  state: AppointmentState
  /** The number they are called by, from 1 each day. */
  number?: number
  arrivedAt?: number
  calledAt?: number
  /** The office's other workstation that called them, or where they are. */
  workstation?: string
  /** Who it is in the queue, as in `CounterEntry`. */
  person?: string
  /** The candidates if no one in the queue is certain; staff choose. */
  choices: AppointmentPerson[]
}

export interface AppointmentsToday {
  appointments: Appointment[]
  /** Counters and rooms used before, as suggestions. */
  places: string[]
  /** Minutes after which Countersign suggests that someone didn't come. */
  noShowAfter: number
  /** This counter's name; '' if the office gave it none. */
  counterName: string
  /** Who is being called on the second display now. */
  calling?: string
  /** A second display is connected and in use. Without one, people can't see their number being called. */
  hasDisplay: boolean
}

/** An entry of a file before it is imported. */
export interface AppointmentInFile {
  /** same: already here, unchanged. gone: cancelled, or no longer in the calendar. */
  kind: 'new' | 'changed' | 'same' | 'gone'
  name: string
  email?: string
  at: number
  minutes: number
  place: string
  about?: string
  /** What was interpreted rather than read as written, in words. */
  notes: string[]
}

export interface AppointmentsInFile {
  id: string
  fileName: string
  /** In order of time, at most two hundred. */
  rows: AppointmentInFile[]
  counts: Record<AppointmentInFile['kind'], number>
  /** Entries that can't be imported, and why; at most a hundred. */
  refused: { name: string; why: string }[]
  refusedCount: number
  /** Notes on the file as a whole, in words. */
  notes: string[]
}

export interface AppointmentsImported {
  added: number
  changed: number
  removed: number
}

/** A counter on the board. Each computer has one; in an office, the board includes the other workstations' counters. */
export interface BoardCounter {
  id: string
  name: string
  /** The current member of staff there. */
  staff: string
  /**
   * free: no one is signing. signing, covered: a page is open, or hidden. between: documents or people change over.
   * locked: only staff can continue. For other workstations, closed: its application has quit. unknown: what it
   * reported can't be read here.
   */
  state: 'free' | 'signing' | 'covered' | 'between' | 'locked' | 'closed' | 'unknown'
  /** Who is signing there, and what. */
  signer?: string
  document?: string
  /** When that began; when it was covered; milliseconds since 1970 UTC. */
  since?: number
  coveredSince?: number
  /** Someone can't continue without staff. */
  wantsStaff: boolean
  /** When its connection went down, if it is down. */
  downSince?: number
  /** Whether people sign on a display of their own there. */
  hasOtherDisplay: boolean
  /** For another workstation: its name in the office, and when it last reported, in milliseconds since 1970 UTC. */
  office?: {
    workstation: string
    heardAt: number
    /** A report is overdue, so everything shown may be out of date. */
    isSilent?: true
  }
}

/** Someone who is waiting, with their number. */
interface BoardWaiting {
  id: string
  number?: number
  name: string
  place: string
  /** The time of their appointment. */
  at: number
  arrivedAt: number
  isCalled: boolean
}

export interface Board {
  /** This computer's counter comes first. */
  counters: BoardCounter[]
  /**
   * Absent if it belongs to no office. away: the office's server can't be reached. apart: not connected for another
   * reason, given in Settings → Office. `readAt`: when the other counters were last read; absent if not yet.
   */
  office?: { state: 'connecting' | 'connected' | 'away' | 'apart'; readAt?: number }
  waiting: BoardWaiting[]
  /** Today's appointments: still expected; at the counter, now or earlier, and not done; done; didn't come. */
  counts: { expected: number; here: number; done: number; noShow: number }
  /** The next person expected. */
  next?: { name: string; at: number; place: string }
}

/** A number on the second display, which shows nothing else about the person. */
export interface IdleCall {
  number: number
  /** Where to go; '' if the office gave it no name. */
  place: string
  /** How often they were called; the display announces each call. */
  calls: number
}
