/**
 * The worker for sheets of bulk sending, dropped files and files of appointments, in a thread of its own so that
 * reading and checking them can't hold up the windows.
 */
import { type AppointmentQuestions, appointmentAnswers } from '../core/appointments/appointment-files.ts'
import { askOf, bulkAnswers } from '../core/bulk/worker.ts'
import { type FileQuestions, packageAnswers } from '../core/drop-folders/package-files.ts'
import { serveRequests } from './worker-thread.ts'

const ask = askOf<FileQuestions & AppointmentQuestions>({
  ...bulkAnswers(),
  ...packageAnswers,
  ...appointmentAnswers
}) as (name: string, ask: unknown) => Promise<unknown>

serveRequests(ask, () => ({
  code: 'internal',
  message: 'Something went wrong with this file. Nothing was sent.'
}))
