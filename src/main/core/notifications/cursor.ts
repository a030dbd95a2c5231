/**
 * Up to which change everything was told. Ids count within one mirror, so the place belongs to the mirror that gave it; in
 * another, what is there already was told by its own run, or never was news. Due dates are no changes: of these it is kept by
 * the day which were told.
 */
import { z } from 'zod'
import type { AskDocuments } from '../documents/questions.ts'
import { dayAfter, localTimeOf } from '../lib/calendar.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'

const KEY = 'telling-cursor'
const Kept = z.object({ mirror: z.string(), change: z.number().int().min(0) })

export interface Cursor {
  mirror: string
  change: number
  /** Whether the mirror is there in the next run, too. */
  isKept: boolean
}

export function openCursor({ db, ask }: { db: Db; ask: AskDocuments }) {
  const kept = keptIn(db)
  let cursor: Cursor | undefined

  /** A mirror that ends with this run must not take the place of the one that is kept. */
  function write(at: Cursor): void {
    if (at.isKept) kept.write(KEY, { mirror: at.mirror, change: at.change })
  }

  return {
    /** Asked of the worker again each time: the mirror may be another one than it was. */
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

/**
 * Documents that are due on the next day: each is found once for that due date, from eight in the morning of the day
 * before, however often the clock passes that hour.
 */

export interface DueDocument {
  accountId: string
  reference: string
  name: string
  /** The day it is due on. */
  day: string
}

/** The first minute of a day that something is told at: before it, nobody is there. */
const MORNING = 8 * 60
/** Of so many days it is kept what was told, counted by days and not by the clock, which may jump. */
const DAYS_KEPT = 30
const ToldDays = z.array(z.object({ day: z.string(), references: z.array(z.string()) }))

export function openDueTomorrow({ db, ask }: { db: Db; ask: AskDocuments }) {
  const kept = keptIn(db)
  // Erased with the account: see the statements of accounts/account.ts over `meta`.
  const keyOf = (accountId: string) => `told-due:${accountId}:`
  const toldOf = (accountId: string) => kept.read(keyOf(accountId), ToldDays) ?? []

  return {
    /** What is due on the next day of the zone, and was not told yet. */
    async find(accountIds: string[], now: number, zone: string): Promise<DueDocument[]> {
      const today = localTimeOf(now, zone)
      if (today.minute < MORNING) return []
      const day = dayAfter(today.day, 1)
      const found: DueDocument[] = []
      for (const accountId of accountIds) {
        const told = new Set(toldOf(accountId).find((one) => one.day === day)?.references)
        const documents = await ask('dueOn', { accountId, day, zone })
        for (const document of documents) if (!told.has(document.reference)) found.push({ ...document, accountId, day })
      }
      return found
    },

    /** To be called before they are told. */
    remember(documents: DueDocument[]): void {
      for (const [accountId, mine] of Map.groupBy(documents, (one) => one.accountId)) {
        let days = toldOf(accountId)
        for (const [day, due] of Map.groupBy(mine, (one) => one.day)) {
          const before = days.find((one) => one.day === day)?.references ?? []
          const references = [...new Set([...before, ...due.map(({ reference }) => reference)])]
          days = [...days.filter((one) => one.day !== day), { day, references }]
        }
        kept.write(keyOf(accountId), days.slice(-DAYS_KEPT))
      }
    }
  }
}
