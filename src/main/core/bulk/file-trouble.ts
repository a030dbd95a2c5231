/** How a file that can't be used is spoken of: what is the matter, in the user's words, and what to do about it. */
import { fail } from '../lib/failure.ts'

/** Throws the failure of a file that can't be used. The message is all that the person is told. */
export function refuseFile(message: string): never {
  return fail('bad-file', message)
}

/** "2,000" */
export function inFigures(count: number): string {
  return count.toLocaleString('en-GB')
}

export function refuseColumns(count: number, most: number): never {
  return refuseFile(
    `This table has ${inFigures(count)} columns, and ${inFigures(most)} are the most. Keep those that you need, and save it again.`
  )
}

export function refuseRows(count: number, most: number): never {
  return refuseFile(
    `This table has ${inFigures(count)} rows, and ${inFigures(most)} are the most that can be sent at a time. Split it into several files.`
  )
}
