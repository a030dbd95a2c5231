/**
 * Documents that are due on the next day: each is found once for that due date, from eight in the morning of the day
 * before, however often the clock passes that hour.
 */
import { z } from 'zod'
import type { AskDesk } from '../documents/questions.ts'
import { dayAfter, localTimeOf } from '../lib/calendar.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from './json-values.ts'

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

export function openDueTomorrow({ db, ask }: { db: Db; ask: AskDesk }) {
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
