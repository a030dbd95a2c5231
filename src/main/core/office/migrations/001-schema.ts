/**
 * The office's schema as the first version creates it, one file for each subject. What holds everywhere:
 *
 * - A workstation has no right on any table. It may only call functions, each of which identifies it by `me()`.
 * - All times are the server's.
 * - Contents are sealed with the office's key: the server can't read them.
 * - A function written in SQL comes after everything that it names; one in PL/pgSQL only after the types that it names.
 */
import { claims, claimsForWorkstations } from './001-schema/claims.ts'
import { counters, countersForWorkstations } from './001-schema/counters.ts'
import { drafts, draftsForWorkstations } from './001-schema/drafts.ts'
import { feed, feedForWorkstations } from './001-schema/feed.ts'
import { heads, headsForWorkstations } from './001-schema/heads.ts'
import { lineage } from './001-schema/lineage.ts'
import { lives, livesForWorkstations } from './001-schema/lives.ts'
import { movingDrafts, movingDraftsForWorkstations } from './001-schema/moving-drafts.ts'
import { office, officeForWorkstations } from './001-schema/office.ts'
import { outbox, outboxForWorkstations } from './001-schema/outbox.ts'
import { polling, pollingForWorkstations } from './001-schema/polling.ts'
import { records, recordsForWorkstations } from './001-schema/records.ts'
import { release, releaseForWorkstations } from './001-schema/release.ts'
import { sends, sendsForWorkstations } from './001-schema/sends.ts'
import { sendsOfDrafts, sendsOfDraftsForWorkstations } from './001-schema/sends-of-drafts.ts'
import { sharedItems, sharedItemsForWorkstations } from './001-schema/shared-items.ts'
import { tasks, tasksForWorkstations } from './001-schema/tasks.ts'

export const schema = [
  ...[office, outbox, sends, claims, release, feed, polling, lives, tasks],
  ...[sharedItems, lineage, drafts, movingDrafts, sendsOfDrafts, records, heads, counters]
].join('')

export const schemaForWorkstations = [
  ...officeForWorkstations,
  ...outboxForWorkstations,
  ...sendsForWorkstations,
  ...claimsForWorkstations,
  ...releaseForWorkstations,
  ...feedForWorkstations,
  ...pollingForWorkstations,
  ...livesForWorkstations,
  ...tasksForWorkstations,
  ...sharedItemsForWorkstations,
  ...draftsForWorkstations,
  ...movingDraftsForWorkstations,
  ...sendsOfDraftsForWorkstations,
  ...recordsForWorkstations,
  ...headsForWorkstations,
  ...countersForWorkstations
] as const
