/**
 * Earlier versions of drafts: one for every ten minutes of editing, one for each time a draft was put in the outbox,
 * and one for what a restored version replaced. The same content is never kept twice in a row.
 */

import type { DraftVersion } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import { TableStatements } from '../storage/statements.ts'
import type { DraftDeps } from './draft-rows.ts'

/** How long a draft is edited before its previous content is kept, in milliseconds. */
const HISTORY_STEP = 10 * 60_000

/**
 * The maximum number of versions of one draft, and their maximum total size in bytes: a form's XML can be megabytes.
 */
export const MAX_VERSIONS = 200
export const MAX_VERSION_BYTES = 32 * 1024 * 1024

/** A draft's row as last saved. */
export interface KeepableDraft {
  number: number
  title: string
  who: string
  createdAt: number
  updatedAt: number
  body: string
}

const VERSIONS = new Rows({
  id: value<string>(),
  savedAt: value<number>(),
  reason: value<DraftVersion['reason']>(),
  title: value<string>(),
  who: value<string>(),
  workstation: optional(value<string>()),
  conflict: optional(value<'open' | 'resolved'>())
})

/** A content of the draft that isn't current, because another was saved at the office first. */
export interface ConflictingVersion extends Pick<KeepableDraft, 'title' | 'who' | 'body'> {
  id: string
  savedAt: number
  /** The name of the workstation that wrote it; for one of this workstation's own only once the office has told it. */
  workstation?: string
  isResolved: boolean
}

/** Opens the history. Write to it in the same transaction that changes the draft. */
export function openHistory({ db, time, newId }: DraftDeps) {
  const versions = new TableStatements(db, 'draft_versions', VERSIONS)
  const bodyOf = versions.value<[draftNumber: number, id: string], string>(
    'SELECT body FROM draft_versions WHERE draft_number = ? AND id = ?'
  )
  const lastKeptAt = versions.value<[draftNumber: number], number>(
    'SELECT kept_at FROM draft_versions WHERE draft_number = ? ORDER BY number DESC LIMIT 1'
  )
  const sameAsNewest = db.prepare<[string, number], { number: number; isSame: 0 | 1 }>(
    'SELECT number, body = ? AS isSame FROM draft_versions WHERE draft_number = ? ORDER BY number DESC LIMIT 1'
  )
  const add = versions.run<[version: object]>(
    `INSERT INTO draft_versions (id, draft_number, reason, title, who, saved_at, kept_at, body)
     VALUES (@id, @number, @reason, @title, @who, @savedAt, @now, @body)`
  )
  const touchVersion = versions.run<[{ version: number; reason: DraftVersion['reason']; now: number }]>(
    `UPDATE draft_versions SET kept_at = @now, reason = CASE WHEN @reason = 'change' THEN reason ELSE @reason END
     WHERE number = @version`
  )
  const sizes = db.prepare<[number], Size>(
    `SELECT number, reason, octet_length(body) AS bytes FROM draft_versions
     WHERE draft_number = ? AND conflict IS NOT 'open' ORDER BY number`
  )
  const addConflict = versions.run<[version: object]>(
    `INSERT INTO draft_versions (id, draft_number, reason, title, who, saved_at, kept_at, body, workstation, conflict)
     VALUES (@id, @number, 'change', @title, @who, @savedAt, @now, @body, @workstation, 'open')
     ON CONFLICT (id) DO UPDATE SET workstation = excluded.workstation, saved_at = excluded.saved_at`
  )
  const setConflictState = versions.run<[conflict: 'open' | 'resolved', id: string]>(
    'UPDATE draft_versions SET conflict = ? WHERE id = ?'
  )
  const allOf = versions.all<[draftNumber: number]>('WHERE draft_number = ? ORDER BY number DESC')
  const erase = versions.run<[number: number]>('DELETE FROM draft_versions WHERE number = ?')

  /**
   * Records whether someone has decided on a version beside the draft. After a restore of the office's server it can be
   * undecided again.
   */
  const setResolved = (id: string, isResolved = true): void =>
    void setConflictState(isResolved ? 'resolved' : 'open', id)

  function keep(draft: KeepableDraft, reason: DraftVersion['reason']): void {
    const newest = sameAsNewest.get(draft.body, draft.number)
    if (newest?.isSame) {
      touchVersion({ version: newest.number, reason, now: time.now() })
      return
    }
    const { number, title, who, body } = draft
    add({ id: newId(), number, reason, title, who, savedAt: draft.updatedAt, now: time.now(), body })
    for (const version of versionsToDelete(sizes.all(number))) erase(version)
  }

  return {
    keep,

    /** Keeps a draft's content before it changes, if the last version was kept at least ten minutes ago. */
    keepBeforeChange(draft: KeepableDraft): void {
      const last = lastKeptAt(draft.number) ?? draft.createdAt
      // Without `abs`, a clock that was set back would stop versions from being kept until it has caught up.
      if (Math.abs(time.now() - last) >= HISTORY_STEP) keep(draft, 'change')
    },

    /** Newest first. */
    list: (draftNumber: number): DraftVersion[] => allOf(draftNumber).map(viewOf),

    /** Stores a version that a workstation, possibly this one, wrote beside the draft, unless it is already stored. */
    keepConflict(number: number, { isResolved, ...version }: ConflictingVersion): void {
      addConflict({ workstation: null, ...version, number, now: time.now() })
      setResolved(version.id, isResolved)
    },

    setResolved,

    /** @throws AppFailure `gone`. */
    bodyOf: (draftNumber: number, id: string): string =>
      bodyOf(draftNumber, id) ?? fail('gone', 'This version is no longer kept.')
  }
}

function viewOf({ workstation, conflict, reason, ...version }: RecordOf<typeof VERSIONS>): DraftVersion {
  if (conflict === undefined) return { ...version, reason }
  return {
    ...version,
    reason: 'beside',
    ...(workstation !== undefined && { workstation }),
    ...(conflict === 'open' && { isOpen: true })
  }
}

interface Size {
  number: number
  reason: DraftVersion['reason']
  bytes: number
}

/**
 * Selects the versions to delete. If there are too many, every second one of the older half goes, so that an old draft
 * keeps a version per day when it no longer has one per ten minutes; sent versions stay longest. If they are too large,
 * the oldest go.
 * @param versions oldest first.
 */
function versionsToDelete(versions: readonly Size[]): number[] {
  const gone = new Set<number>()
  if (versions.length > MAX_VERSIONS) {
    const older = versions.slice(0, MAX_VERSIONS / 2)
    const changes = older.filter(({ reason }) => reason === 'change')
    // If the older half has hardly any changes, only sent and restored versions, the oldest goes.
    const thinned = changes.length > 1 ? changes.filter((_, index) => index % 2 === 1) : older.slice(0, 1)
    for (const { number } of thinned) gone.add(number)
  }
  let bytes = versions.reduce((sum, version) => sum + (gone.has(version.number) ? 0 : version.bytes), 0)
  for (const version of versions.slice(0, -1)) {
    if (bytes <= MAX_VERSION_BYTES) break
    if (gone.has(version.number)) continue
    gone.add(version.number)
    bytes -= version.bytes
  }
  return [...gone]
}
