/**
 * A thread of its own for the sheets that are sent in bulk, the files that are dropped and those of appointments, so that reading and checking
 * them can't hold up the windows.
 */
import { type AppointmentQuestions, appointmentAnswers } from '../core/appointments/appointment-files.ts'
import { askOf, bulkAnswers } from '../core/bulk/worker.ts'
import { type FileQuestions, packageAnswers } from '../core/drop-folders/package-files.ts'
import { answerOrders } from './worker-thread.ts'

const ask = askOf<FileQuestions & AppointmentQuestions>({
  ...bulkAnswers(),
  ...packageAnswers,
  ...appointmentAnswers
}) as (name: string, ask: unknown) => Promise<unknown>

answerOrders(ask, () => ({
  code: 'internal',
  message: 'Something went wrong with this file. Nothing was sent.'
}))
