/**
 * Remembers how a sheet's columns were matched, by what is sent and the headings. A monthly sheet is matched by hand
 * only once, and its date order is asked only once. Only headings and labels are stored, nothing from the rows.
 */
import { z } from 'zod'
import { type ColumnMapping, DateOrders } from '../../../shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../../shared/composition/bulk-targets.ts'
import { type Composition, subjectOf } from '../../../shared/composition/index.ts'
import type { RememberedMapping } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import { PROBLEM_COLUMN } from './table-file.ts'

const MAX_REMEMBERED = 100

const StoredMappings = z.array(
  z.object({
    subject: z.string(),
    headings: z.array(z.string()),
    /** Which column fills which target, by the target's label: its internal name differs in each package. */
    filled: z.array(z.object({ label: z.string(), column: z.number().int().min(0) })),
    /** Unknown in data of an earlier version. */
    dateOrders: DateOrders.default([]),
    at: z.number()
  })
)

/** Returns the headings without the problem column: rows exported to be fixed come back with it, as the same sheet. */
function withoutProblemColumn(headings: readonly string[]): readonly string[] {
  return headings.at(-1) === PROBLEM_COLUMN ? headings.slice(0, -1) : headings
}

export type RememberedColumns = ReturnType<typeof openRememberedColumns>

export function openRememberedColumns({ db, time }: { db: Db; time: Pick<Time, 'now'> }) {
  const kept = openJsonMeta(db)
  const keyOf = (accountId: string) => `sheet-columns:${accountId}:`
  const read = (accountId: string) => kept.read(keyOf(accountId), StoredMappings) ?? []

  function isSameSheet(
    one: z.output<typeof StoredMappings>[number],
    subject: string,
    headings: readonly string[]
  ): boolean {
    const [stored, current] = [withoutProblemColumn(one.headings), withoutProblemColumn(headings)]
    return (
      one.subject === subject &&
      stored.length === current.length &&
      stored.every((name, index) => name === current[index])
    )
  }

  return {
    /** Stores a match, replacing the last one for the same sheet. The oldest beyond the limit are dropped. */
    remember(
      accountId: string,
      composition: Composition,
      headings: readonly string[],
      { mapping, dateOrders }: { mapping: ColumnMapping; dateOrders: DateOrders }
    ): void {
      const subject = subjectOf(composition)
      const labels = new Map(bulkTargets(composition).map(({ target, label }) => [target, label]))
      const filled = mapping.flatMap(({ target, column }) => {
        const label = labels.get(target)
        return label === undefined ? [] : { label, column }
      })
      const others = read(accountId).filter((one) => !isSameSheet(one, subject, headings))
      kept.write(
        keyOf(accountId),
        [{ subject, headings, filled, dateOrders, at: time.now() }, ...others].slice(0, MAX_REMEMBERED)
      )
    },

    /** Returns the last stored match, without targets that the package no longer has. */
    find(accountId: string, composition: Composition, headings: readonly string[]): RememberedMapping | undefined {
      const subject = subjectOf(composition)
      const found = read(accountId).find((one) => isSameSheet(one, subject, headings))
      const targets = new Map(bulkTargets(composition).map(({ target, label }) => [label, target]))
      const mapping = found?.filled.flatMap(({ label, column }) => {
        const target = targets.get(label)
        return target === undefined ? [] : { target, column }
      })
      return found && mapping && mapping.length > 0
        ? { mapping, dateOrders: found.dateOrders, at: found.at }
        : undefined
    }
  }
}
