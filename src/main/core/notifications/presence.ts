/**
 * Tracks when the person last looked at the application, and what they have to catch up on. A period without looking
 * becomes an absence when they come back, and is kept per account until they have seen what happened in it.
 */

import { z } from 'zod'
import type { AwayView, ChangeKind } from '../../../shared/contract/index.ts'
import type { AskDocuments } from '../documents/questions.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'

export interface PresenceDeps {
  db: Db
  accountIds: () => readonly string[]
  time: Time
  /** Called when an absence is to be shown, or has been seen. */
  changed: () => void
  onError: (error: unknown) => void
}

const LAST_LOOKED_KEY = 'looked-at'
const MINUTE = 60_000
/** In milliseconds; a shorter absence doesn't count. */
const MIN_ABSENCE = 30 * MINUTE

/** The period in which nobody looked. */
const Away = z.object({ since: z.number(), until: z.number() })
export type Away = z.output<typeof Away>

export type Presence = ReturnType<typeof openPresence>

export function openPresence({ db, accountIds, time, changed, onError }: PresenceDeps) {
  const kept = openJsonMeta(db)
  // Erased with the account: see the statements on `meta` in accounts/account.ts.
  const keyOf = (accountId: string) => `away:${accountId}:`
  const awayOf = (accountId: string): Away | undefined => kept.read(keyOf(accountId), Away)
  let isNew = true
  let isLooking = false
  let cancelNext = () => {}

  function recordLook(): void {
    const now = time.now()
    const last = kept.read(LAST_LOOKED_KEY, z.number())
    const wasAway = last !== undefined && (isNew || now - last > MIN_ABSENCE)
    db.transaction(() => {
      kept.write(LAST_LOOKED_KEY, now)
      if (wasAway) for (const id of accountIds()) recordAbsence(id, { since: Math.min(last, now), until: now })
    })()
    isNew = false
    if (wasAway) changed()
  }

  function recordAbsence(accountId: string, { since, until }: Away): void {
    const unseen = awayOf(accountId)
    kept.write(keyOf(accountId), { since: unseen ? Math.min(unseen.since, since) : since, until })
  }

  /** A full disk mustn't keep anyone from working. */
  function reportingErrors(work: () => void): void {
    try {
      work()
    } catch (error) {
      onError(error)
    }
  }

  function recordEachMinute(): void {
    reportingErrors(recordLook)
    cancelNext = time.after(MINUTE, recordEachMinute)
  }

  function leave(): void {
    if (!isLooking) return
    isLooking = false
    cancelNext()
    // If the clock advanced while the computer slept, the last recorded minute remains the last time they looked.
    reportingErrors(() => {
      const last = kept.read(LAST_LOOKED_KEY, z.number()) ?? 0
      if (Math.abs(time.now() - last) <= 2 * MINUTE) kept.write(LAST_LOOKED_KEY, time.now())
    })
  }

  return {
    /** Call when the window gets the focus. */
    arrived(): void {
      if (isLooking) return
      isLooking = true
      recordEachMinute()
    },
    /** Call when the window loses the focus, the screen is locked, or the application quits. */
    departed: leave,
    /** Returns an account's absence that the person hasn't seen yet. */
    awayOf,
    /** Call when they have seen what happened in it. */
    markSeen(accountId: string): void {
      if (!awayOf(accountId)) return
      kept.erase(keyOf(accountId))
      changed()
    }
  }
}

const MAX_SHOWN = 100
/**
 * The folders are read again when the person comes back: what is found in this time, in milliseconds, happened before.
 */
const LATE_FINDS = 2 * 60_000

/** Returns what happened to an account's documents during an absence, without this workstation's own actions. */
export async function awayView(ask: AskDocuments, accountId: string, away: Away | undefined): Promise<AwayView> {
  if (!away) return { total: 0, byKind: {}, changes: [] }
  const until = away.until + LATE_FINDS
  const found = await ask('activity', {
    accountId,
    since: away.since,
    until,
    isOwn: false,
    offset: 0,
    limit: MAX_SHOWN
  })
  return found.total === 0 ? found : { ...found, ...away }
}

export function combinedAway(one: AwayView, other: AwayView): AwayView {
  const kinds = [...new Set([...Object.keys(one.byKind), ...Object.keys(other.byKind)])] as ChangeKind[]
  const sums = kinds.map((kind) => [kind, (one.byKind[kind] ?? 0) + (other.byKind[kind] ?? 0)] as const)
  const since = Math.min(one.since ?? Number.POSITIVE_INFINITY, other.since ?? Number.POSITIVE_INFINITY)
  const until = Math.max(one.until ?? 0, other.until ?? 0)
  return {
    total: one.total + other.total,
    byKind: Object.fromEntries(sums),
    changes: [...one.changes, ...other.changes].sort((a, b) => b.id - a.id).slice(0, MAX_SHOWN),
    ...(until > 0 && { since, until })
  }
}
