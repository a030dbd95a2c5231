/** Requests about counter appointments, calls, and the board. */
import type { Appointments } from '../core/appointments/appointments.ts'
import type { CounterBoard } from '../core/appointments/board.ts'
import type { Calls } from '../core/appointments/calls.ts'
import type { AppointmentImports } from '../core/appointments/importing.ts'
import type { Dialogs, FileKind } from './dialogs.ts'
import type { HandlersOf } from './registration.ts'

export interface AppointmentParts extends Pick<Dialogs, 'chooseFiles'> {
  appointments: Appointments
  calls: Calls
  imports: AppointmentImports
  board: CounterBoard
}

const FILES: readonly FileKind[] = [
  { name: 'Calendars and tables', extensions: ['ics', 'ical', 'csv', 'xlsx', 'txt', 'tsv'] }
]

export function appointmentHandlers({
  appointments,
  calls,
  imports,
  board,
  chooseFiles
}: AppointmentParts): HandlersOf<'appointments'> & HandlersOf<'board'> {
  return {
    'appointments.today': () => appointments.today(),
    'appointments.add': (given) => calls.add(given),
    'appointments.change': async (changes) => appointments.change(changes),
    'appointments.remove': async ({ id }) => appointments.remove(id),
    'appointments.mark': ({ id, as }) => calls.mark(id, as),
    'appointments.call': ({ id }) => calls.call(id),
    'appointments.endCall': async () => appointments.endCall(),
    'appointments.choosePerson': async ({ id, person }) => appointments.choosePerson(id, person),
    'appointments.openFile': async (_input, { stillAsking }) => {
      const [path] = await chooseFiles('Import appointments', FILES, stillAsking)
      return path === undefined ? null : imports.open(path)
    },
    'appointments.import': async (input) => imports.import(input),
    'appointments.closeFile': async (input) => imports.close(input),
    'board.get': async () => board.board()
  }
}
