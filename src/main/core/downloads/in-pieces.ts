/** Many rows of the queue, written with pauses in which other work has its turn. */
import { inSlices, type Sliced } from '../lib/slices.ts'
import type { Db } from '../storage/connection.ts'

/** Writes each piece of them whole. */
export const inPieces = <Answer>(db: Db, work: Sliced<Answer>): Promise<Answer> =>
  inSlices(work, (piece) => db.transaction(piece)())

/** Does something with all that there are, some at a time: what is done takes them out of what comes next. */
export async function whileThereAre(next: () => string[], work: (ids: string[]) => Promise<void>): Promise<void> {
  for (let ids = next(); ids.length > 0; ids = next()) await work(ids)
}

export function* each(ids: readonly string[], work: (id: string) => void): Sliced<void> {
  for (const id of ids) {
    work(id)
    yield
  }
}
