/** Many rows of the queue, written with pauses in which other work has its turn. */
import { inSlices, type Sliced } from '../slices.ts'
import type { Db } from '../storage/connection.ts'

/** Writes each piece of them whole. */
export const inPieces = <Answer>(db: Db, work: Sliced<Answer>): Promise<Answer> =>
  inSlices(work, (piece) => db.transaction(piece)())

export function* each(ids: readonly string[], work: (id: string) => void): Sliced<void> {
  for (const id of ids) {
    work(id)
    yield
  }
}
