/**
 * What happened to the application's files that someone has to see to. A file that was set aside is shown in every run until a person
 * says that it is settled: a notice that passes is read only by the person who sat there.
 */
import { z } from 'zod'
import type { StoreTrouble } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from './connection.ts'
import { keptIn } from './meta.ts'

const KEY = 'store-troubles'
/** A disk that spoils one file after the other needs no longer list. */
const MOST = 20

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
  const kept = keptIn(db)
  const inThisRun = new Map<StoreTrouble['store'], StoreTrouble>()
  let aside: SetAsideTrouble[] = read()

  function read(): SetAsideTrouble[] {
    try {
      return kept.read(KEY, Kept) ?? []
    } catch {
      // What can't be read now is told by what reads it next.
      return []
    }
  }

  /** @throws where it can't be kept; it holds in this run. */
  function put(troubles: SetAsideTrouble[]): void {
    aside = troubles
    changed()
    kept.write(KEY, aside)
  }

  return {
    list: (): StoreTrouble[] => [...aside, ...inThisRun.values()],

    /** A file was set aside. Never throws: on a full disk it is told in this run at least. */
    setAside(store: SetAsideTrouble['store'], { name, reason }: Pick<SetAsideTrouble, 'name' | 'reason'>): void {
      try {
        put([...aside, { kind: 'set-aside', store, name, reason, at: time.now() }].slice(-MOST) as SetAsideTrouble[])
      } catch {
        return
      }
    },

    /** A file can't be written in this run, or what was to be done at its start couldn't be. */
    ofThisRun(trouble: Extract<StoreTrouble, { kind: 'in-memory' | 'no-new-key' }>): void {
      inThisRun.set(trouble.store, trouble)
      changed()
    },

    /** A person has seen to what is in the folder of this name. @throws the database's error. */
    settle(name: string): void {
      put(aside.filter((trouble) => trouble.name !== name))
    }
  }
}
