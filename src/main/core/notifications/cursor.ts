/**
 * The last change that was notified. Ids count within one mirror, so the cursor belongs to the mirror that assigned it;
 * in another mirror, existing changes were notified by its own run or never were news. Due dates aren't changes: those
 * notified are stored by day.
 */
import { z } from 'zod'
import type { AskDocuments } from '../documents/questions.ts'
import { dayAfter, localTimeOf } from '../lib/calendar.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'

const KEY = 'telling-cursor'
const StoredCursor = z.object({ mirror: z.string(), change: z.number().int().min(0) })

export interface Cursor {
  mirror: string
  change: number
  /** Whether the mirror survives this run. */
  isKept: boolean
}

export function openCursor({ db, ask }: { db: Db; ask: AskDocuments }) {
  const kept = openJsonMeta(db)
  let cursor: Cursor | undefined

  /** A mirror that ends with this run must not replace the stored one. */
  function write(at: Cursor): void {
    if (at.isKept) kept.write(KEY, { mirror: at.mirror, change: at.change })
  }

  return {
    /** Asks the worker each time: the mirror may have been replaced. */
    async read(): Promise<Cursor> {
      const { mirror, change, isKept } = await ask('newestChange', null)
      if (cursor?.mirror === mirror) return cursor
      const last = kept.read(KEY, StoredCursor)
      const isKnown = isKept && last?.mirror === mirror
      cursor = { mirror, change: isKnown ? Math.min(last.change, change) : change, isKept }
      if (!isKnown) write(cursor)
      return cursor
    },

    /**
     * Stores that everything up to this change is notified. Call before notifying, in the transaction that records it.
     */
    write,

    /** Call once that is on disk. */
    advance(to: Cursor): void {
      cursor = to
    }
  }
}

/**
 * Documents that are due the next day. Each is found once for that due date, from eight in the morning of the day
 * before, however often the clock passes that hour.
 */

export interface DueDocument {
  accountId: string
  reference: string
  name: string
  /** The day it is due. */
  day: string
}

/** Minute of the day from which notifications are sent; nobody is there earlier. */
const MORNING = 8 * 60
/** Days for which notified documents are remembered, counted in stored days and not by the clock, which may jump. */
const DAYS_KEPT = 30
const NotifiedDays = z.array(z.object({ day: z.string(), references: z.array(z.string()) }))

export function openDueTomorrow({ db, ask }: { db: Db; ask: AskDocuments }) {
  const kept = openJsonMeta(db)
  // Erased with the account: see the statements on `meta` in accounts/account.ts.
  const keyOf = (accountId: string) => `told-due:${accountId}:`
  const notifiedDaysOf = (accountId: string) => kept.read(keyOf(accountId), NotifiedDays) ?? []

  return {
    /** Returns what is due the next day in the zone and hasn't been notified yet. */
    async find(accountIds: string[], now: number, zone: string): Promise<DueDocument[]> {
      const today = localTimeOf(now, zone)
      if (today.minute < MORNING) return []
      const day = dayAfter(today.day, 1)
      const found: DueDocument[] = []
      for (const accountId of accountIds) {
        const notified = new Set(notifiedDaysOf(accountId).find((one) => one.day === day)?.references)
        const documents = await ask('dueOn', { accountId, day, zone })
        for (const document of documents)
          if (!notified.has(document.reference)) found.push({ ...document, accountId, day })
      }
      return found
    },

    /** Call before notifying. */
    markNotified(documents: DueDocument[]): void {
      for (const [accountId, mine] of Map.groupBy(documents, (one) => one.accountId)) {
        let days = notifiedDaysOf(accountId)
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
