/**
 * The office's schema as the first version creates it, one file for each subject. What holds everywhere:
 *
 * - A workstation has no right on any table. It may only call functions, each of which identifies it by `me()`.
 * - All times are the server's.
 * - Contents are sealed with the office's key: the server can't read them.
 * - A function written in SQL comes after everything that it names; one in PL/pgSQL only after the types that it names.
 */
import { claims, claimsForStations } from './001-schema/claims.ts'
import { counters, countersForStations } from './001-schema/counters.ts'
import { drafts, draftsForStations } from './001-schema/drafts.ts'
import { feed, feedForStations } from './001-schema/feed.ts'
import { heads, headsForStations } from './001-schema/heads.ts'
import { lineage } from './001-schema/lineage.ts'
import { lives, livesForStations } from './001-schema/lives.ts'
import { movingDrafts, movingDraftsForStations } from './001-schema/moving-drafts.ts'
import { office, officeForStations } from './001-schema/office.ts'
import { outbox, outboxForStations } from './001-schema/outbox.ts'
import { polling, pollingForStations } from './001-schema/polling.ts'
import { records, recordsForStations } from './001-schema/records.ts'
import { release, releaseForStations } from './001-schema/release.ts'
import { sends, sendsForStations } from './001-schema/sends.ts'
import { sendsOfDrafts, sendsOfDraftsForStations } from './001-schema/sends-of-drafts.ts'
import { sharedItems, sharedItemsForStations } from './001-schema/shared-items.ts'
import { tasks, tasksForStations } from './001-schema/tasks.ts'

export const schema = [
  ...[office, outbox, sends, claims, release, feed, polling, lives, tasks],
  ...[sharedItems, lineage, drafts, movingDrafts, sendsOfDrafts, records, heads, counters]
].join('')

/** The functions that a workstation may call. */
export const schemaForWorkstations = [
  ...officeForStations,
  ...outboxForStations,
  ...sendsForStations,
  ...claimsForStations,
  ...releaseForStations,
  ...feedForStations,
  ...pollingForStations,
  ...livesForStations,
  ...tasksForStations,
  ...sharedItemsForStations,
  ...draftsForStations,
  ...movingDraftsForStations,
  ...sendsOfDraftsForStations,
  ...recordsForStations,
  ...headsForStations,
  ...countersForStations
] as const
