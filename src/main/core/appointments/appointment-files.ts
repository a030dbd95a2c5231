/**
 * Reads a file of appointments in the worker for sheets, within limits and only as a whole: a file that changes while
 * it is read is refused.
 */
import { firstFilledSheet, openTable } from '../bulk/open-file.ts'
import { decodeText } from '../bulk/read-csv.ts'
import type { Answers } from '../bulk/worker.ts'
import { codeOf } from '../lib/failure.ts'
import { openChosen } from '../storage/chosen-file.ts'
import { readCalendar } from './calendar-file.ts'
import { type FoundInFile, type ReadContext, refuseFile } from './found.ts'
import { readAppointmentTable } from './table-file.ts'

/** In bytes. A year of a busy office's calendar takes less than 1 MB. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

export interface AppointmentQuestions {
  /** @throws AppFailure `bad-file`; the message says why. */
  appointments: { ask: { path: string; fileName: string } & ReadContext; answer: FoundInFile }
}

export const appointmentAnswers: Answers<AppointmentQuestions> = {
  appointments: (file) => readAppointments(file)
}

/** @throws AppFailure `bad-file`; the message says why. */
export async function readAppointments(
  { path, fileName, ...context }: AppointmentQuestions['appointments']['ask'],
  openFile = openChosen
): Promise<FoundInFile> {
  const bytes = await readUnchanged(path, openFile)
  if (bytes.length === 0) refuseFile('This file is empty.')
  if (isCalendar(bytes, fileName)) return readCalendar(decodeText(bytes).text, context)
  const table = openTable(bytes, fileName)
  return firstFilledSheet(table, (sheet, name) => {
    const found = readAppointmentTable(sheet, context)
    const others = table.shown.length > 1 ? [`Only the sheet “${name}” of this workbook was read.`] : []
    return { ...found, notes: [...others, ...found.notes] }
  })
}

/** Tells by the first bytes or, if they are inconclusive, by the file name. */
function isCalendar(bytes: Uint8Array, fileName: string): boolean {
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  return /BEGIN:VCALENDAR/i.test(start) || (/\.(ics|ical|ifb|icalendar)$/i.test(fileName) && !start.startsWith('PK'))
}

/** Reads a whole file, if it isn't too large and nobody writes to it meanwhile. @throws AppFailure `bad-file` */
async function readUnchanged(path: string, openFile: typeof openChosen): Promise<Uint8Array> {
  const file = await openFile(path).catch((error: unknown) => {
    if (codeOf(error) === '') throw error
    return refuseFile(unreadableMessage(error))
  })
  try {
    const before = await file.stat()
    if (before.size > MAX_FILE_BYTES)
      refuseFile('This file is larger than 5 MB.', 'Export fewer days, and import that.')
    const bytes = Buffer.alloc(before.size + 1)
    let read = 0
    while (read < bytes.length) {
      const { bytesRead } = await file.read(bytes, read, bytes.length - read, read)
      if (bytesRead === 0) break
      read += bytesRead
    }
    const after = await file.stat()
    if (read !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs)
      refuseFile('This file changed while it was read.', 'Import it again once it’s saved.')
    return bytes.subarray(0, read)
  } catch (error) {
    if (codeOf(error) === '') throw error
    return refuseFile(unreadableMessage(error))
  } finally {
    await file.close()
  }
}

function unreadableMessage(error: unknown): string {
  return codeOf(error) === 'ENOENT'
    ? 'The file is no longer there.'
    : 'The file couldn’t be read. Copy it to this computer and try again.'
}
