/** A thread of its own for the sheets that are sent in bulk, so that reading and checking them can't hold up the windows. */
import { openDesk } from '../core/bulk/desk.ts'
import { answerOrders } from './answering.ts'

const desk = openDesk() as (name: string, ask: unknown) => Promise<unknown>

answerOrders(desk, () => ({
  code: 'internal',
  message: 'Something went wrong while this file was worked on. Nothing was sent.'
}))
