/**
 * Problems with the application's files that someone has to deal with. A set-aside file is reported in every run until
 * a user settles it: a passing notice reaches only the person who is there at that moment.
 */
import { z } from 'zod'
import type { StoreTrouble } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from './connection.ts'
import { openJsonMeta } from './meta.ts'

const KEY = 'store-troubles'
/** Maximum number of entries, for a disk that ruins one file after another. */
const MAX_TROUBLES = 20

type SetAsideTrouble = Extract<StoreTrouble, { kind: 'set-aside' }>

const Kept = z.array(
  z.object({
    kind: z.literal('set-aside'),
    store: z.enum(['database', 'documents', 'settings']),
    name: z.string().min(1).max(100),
    reason: z.enum(['unreadable', 'damaged', 'incomplete', 'newer-version', 'upgrade-failed']),
    at: z.number()
  })
)

export interface StoreTroublesDeps {
  /** The main database. */
  db: Db
  time: Pick<Time, 'now'>
  changed: () => void
}

export type StoreTroubles = ReturnType<typeof openStoreTroubles>

export function openStoreTroubles({ db, time, changed }: StoreTroublesDeps) {
  const meta = openJsonMeta(db)
  const inThisRun = new Map<StoreTrouble['store'], StoreTrouble>()
  let aside: SetAsideTrouble[] = read()

  function read(): SetAsideTrouble[] {
    try {
      return meta.read(KEY, Kept) ?? []
    } catch {
      // If reading fails now, the next read reports it.
      return []
    }
  }

  /** @throws if it can't be stored; it applies to this run in any case. */
  function save(troubles: SetAsideTrouble[]): void {
    aside = troubles
    changed()
    meta.write(KEY, aside)
  }

  return {
    list: (): StoreTrouble[] => [...aside, ...inThisRun.values()],

    /** Reports a set-aside file. Never throws: if the disk is full, it is at least reported in this run. */
    setAside(store: SetAsideTrouble['store'], { name, reason }: Pick<SetAsideTrouble, 'name' | 'reason'>): void {
      try {
        save(
          [...aside, { kind: 'set-aside', store, name, reason, at: time.now() }].slice(
            -MAX_TROUBLES
          ) as SetAsideTrouble[]
        )
      } catch {
        return
      }
    },

    /** Reports a file that can't be written in this run, or a key change that failed at its start. */
    reportForThisRun(trouble: Extract<StoreTrouble, { kind: 'in-memory' | 'no-new-key' }>): void {
      inThisRun.set(trouble.store, trouble)
      changed()
    },

    /** Removes the report about the folder of this name, which a user has dealt with. @throws the database's error. */
    dismiss(name: string): void {
      save(aside.filter((trouble) => trouble.name !== name))
    }
  }
}
