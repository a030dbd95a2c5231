/**
 * Up to which change everything was told. Ids count within one mirror, so the place belongs to the mirror that gave it; in
 * another, what is there already was told by whoever had it, or never was news.
 */
import { z } from 'zod'
import type { AskDesk } from '../documents/questions.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from './json-values.ts'

const KEY = 'telling-cursor'
const Kept = z.object({ mirror: z.string(), change: z.number().int().min(0) })

export interface Cursor {
  mirror: string
  change: number
  /** Whether the mirror is there in the next run, too. */
  isKept: boolean
}

export function openCursor({ db, ask }: { db: Db; ask: AskDesk }) {
  const kept = keptIn(db)
  let cursor: Cursor | undefined

  /** A mirror that ends with this run must not take the place of the one that is kept. */
  function write(at: Cursor): void {
    if (at.isKept) kept.write(KEY, { mirror: at.mirror, change: at.change })
  }

  return {
    /** Asked of the desk anew each time: the mirror may be another one than it was. */
    async read(): Promise<Cursor> {
      const { mirror, change, isKept } = await ask('newestChange', null)
      if (cursor?.mirror === mirror) return cursor
      const last = kept.read(KEY, Kept)
      const isKnown = isKept && last?.mirror === mirror
      cursor = { mirror, change: isKnown ? Math.min(last.change, change) : change, isKept }
      if (!isKnown) write(cursor)
      return cursor
    },

    /** Everything up to this one is told from now on; to be called before it is, in the transaction that notes it. */
    write,

    /** To be called once that is on the disk. */
    moved(to: Cursor): void {
      cursor = to
    }
  }
}
