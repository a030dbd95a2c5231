/**
 * The drafts that an office's workstations edit together, as its server has them. One content is current, changes come
 * in an order in which no reader can miss one, and a content that doesn't derive from the current one is kept beside it
 * as a conflict. Each content is sealed under its draft's identity, which includes the account.
 */
import type { Pool } from 'pg'
import { defined } from '../lib/objects.ts'
import { queriesOf } from './queries.ts'
import type { Queryable } from './query-batching.ts'
import { itemIdentityOf, seal, unsealIfIntact } from './sealing.ts'

export type OfficeDrafts = ReturnType<typeof openOfficeDrafts>

/** The latest saved content: `by` is the name of a workstation, `ago` in milliseconds. */
interface OfficeDraftContent {
  readonly version: string
  readonly revision: number
  readonly ago: number
  readonly by: string
  /** Absent if the reader has it, or it was altered on the server. */
  readonly content?: Buffer
}

export interface OfficeDraftChange extends OfficeDraftContent {
  readonly id: string
  readonly seq: number
  /** Whether this workstation created it. */
  readonly isMine: boolean
  /** Who is editing it, and for how much longer at least, in milliseconds. */
  readonly editing?: { readonly by: string; readonly isMe: boolean; readonly remaining: number }
  /** How long it has been in the trash, in milliseconds; absent if it isn't. */
  readonly trashedFor?: number
  readonly isGone: boolean
  /** It is gone because it belongs only to the workstation that created it. */
  readonly isMakersOwn: boolean
  /**
   * It is gone because it was sent, but its last content was written without knowing of that. That content goes on as
   * another draft.
   */
  readonly isSplitOff: boolean
  /** It was sent while contents beside it were undecided. Each of those goes on as another draft. */
  readonly hasOpenConflicts: boolean
  /**
   * Its content is from before the server was restored, whether the server had it or was told since. It may lack what
   * was written in between.
   */
  readonly isFromBeforeRestore: boolean
  /** How many conflicts it has, including resolved ones. */
  readonly conflictCount: number
}

/** A content that conflicts with a draft's current one. */
interface ConflictingContent extends Pick<OfficeDraftContent, 'version' | 'by' | 'ago' | 'content'> {
  readonly isResolved: boolean
}

/**
 * The result of a save. newest: it is now current. conflict: another content is current, which is included, and this
 * one is kept beside it. contained: as conflict, but the other derives from this one, which isn't kept. gone: the draft no longer exists. split-off: as gone, because the draft was sent without this
 * content, or deleted by someone who hadn't seen it; the content goes on as another draft. sent: the draft is being sent
 * as it is. older: a restored server has a later one.
 */
export interface SaveResult extends OfficeDraftContent {
  readonly outcome: 'newest' | 'conflict' | 'contained' | 'gone' | 'split-off' | 'sent' | 'older'
  /** The id of that send. */
  readonly sentAs?: string
}

/** A draft, and the versions that this workstation's content derives from. */
interface DraftRef {
  readonly id: string
  readonly basedOn: readonly string[]
  readonly revision: number
  /** For a draft: see `save`. */
  readonly own?: readonly string[]
}

/** What they are among the office's shared items. */
const KIND = 'draft'
/** How many are read at a time. */
const PAGE = 50
/** How many bytes are transferred at a time, in either direction, but at least one content, which can be megabytes. */
export const MAX_TRANSFER_BYTES = 1_000_000
/** How long a draft is held for someone typing after the last save, in milliseconds. */
const HOLD_MS = 60_000

interface SavedRow extends Omit<SaveResult, 'ago' | 'content'> {
  atMs: number
  sealed?: Buffer
}
interface ChangeRow extends Omit<OfficeDraftChange, 'ago' | 'editing' | 'trashedFor' | 'content'> {
  atMs: number
  editing?: string
  isEditing?: boolean
  editingMs?: number
  trashedMs?: number
  sealed?: Buffer
}

/**
 * Opens the office's drafts. Each method rejects with the database's error if the query fails.
 * @param deps `key`: the office's key; `atOnce`: runs the queries for the state.
 */
export function openOfficeDrafts(deps: { pool: Pool; key: Buffer; atOnce?: Queryable }) {
  const { pool, key, atOnce = pool } = deps
  const { rows: ask, isTrue: askWhether } = queriesOf(pool)
  const states = queriesOf(atOnce)
  const sealed = (accountId: string, id: string, content: Buffer) =>
    seal(key, itemIdentityOf(KIND, accountId, id), content)
  function unsealBody(accountId: string, id: string, body: Buffer | undefined): { content?: Buffer } {
    const content = body && unsealIfIntact(key, itemIdentityOf(KIND, accountId, id), body)
    return content ? { content } : {}
  }
  function saveResultOf(accountId: string, id: string, [row]: SavedRow[]): SaveResult {
    if (!row) throw new Error('The office answered nothing.')
    const { atMs: ago, sealed: body, ...saved } = row
    return { ...saved, ago, ...unsealBody(accountId, id, body) }
  }

  return {
    /**
     * Returns the number of the last change, and the office's life; 0 for a life that no workstation has noticed yet.
     */
    async state(accountId: string): Promise<{ seq: number; life: number }> {
      const sql = 'SELECT * FROM office.items_state($1, $2)'
      const [state] = await states.rows<{ seq: number; life: number }>(sql, KIND, accountId)
      return state ?? { seq: 0, life: 0 }
    },

    /** Begins a new life of the server, because this workstation has read further than the server is. */
    async startNewLife(life: number): Promise<void> {
      await ask('SELECT office.start_new_life($1)', life)
    },

    /**
     * Returns changes since `after`.
     * @param bodiesAfter up to where every draft was read; 0 until all were.
     * @param life see `save`.
     */
    async changes(accountId: string, after: number, bodiesAfter: number, life?: number): Promise<OfficeDraftChange[]> {
      const rows = await ask<ChangeRow>(
        'SELECT * FROM office.item_changes($1, $2, $3, $4, $5, $6, $7)',
        ...[KIND, accountId, after, PAGE, bodiesAfter, MAX_TRANSFER_BYTES, life]
      )
      return rows.map(({ atMs, editing: by, isEditing = false, editingMs = 0, trashedMs, sealed: body, ...row }) => ({
        ...row,
        ago: atMs,
        ...(by !== undefined && { editing: { by, isMe: isEditing, remaining: editingMs } }),
        ...defined({ trashedFor: trashedMs }),
        ...unsealBody(accountId, row.id, body)
      }))
    },

    /** Returns a draft's conflicts, oldest first; those in `knownVersions` without their content. */
    async conflicts(accountId: string, id: string, knownVersions: readonly string[]): Promise<ConflictingContent[]> {
      const contents = new Map<string, Pick<ConflictingContent, 'content'>>()
      for (;;) {
        const rows = await ask<Pick<SavedRow, 'version' | 'by' | 'atMs' | 'sealed'> & { isResolved: boolean }>(
          'SELECT * FROM office.item_conflicts($1, $2, $3, $4)',
          ...[KIND, id, [...knownVersions, ...contents.keys()], MAX_TRANSFER_BYTES]
        )
        for (const { version, sealed: body } of rows) if (body) contents.set(version, unsealBody(accountId, id, body))
        // The server stops at a number of bytes; the rest is requested next.
        if (rows.every(({ version }) => contents.has(version) || knownVersions.includes(version))) {
          return rows.map(({ atMs: ago, sealed: _, ...row }) => ({ ...row, ago, ...contents.get(row.version) }))
        }
      }
    },

    /**
     * Saves a content; repeating a version repeats the same save.
     * @param own the draft's sends that this workstation has as its own and that didn't arrive.
     * @param isTyped whether to hold the draft for the one who types.
     * @param life the life of which everything is known here; if given, rejects in any other.
     */
    async save(
      accountId: string,
      { id, basedOn, revision, own = [] }: DraftRef,
      version: string,
      content: Buffer,
      isTyped: boolean,
      life?: number
    ): Promise<SaveResult> {
      const rows = await ask<SavedRow>(
        'SELECT * FROM office.save_item($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        ...[id, accountId, version, basedOn, sealed(accountId, id, content), isTyped ? HOLD_MS : null, own],
        // Without a known base, the count starts from the beginning.
        ...[basedOn.length > 0 ? revision : 0, life]
      )
      return saveResultOf(accountId, id, rows)
    },

    /** Tells a restored server what it had, with its revision number. */
    async restore(
      accountId: string,
      { id, revision, own = [] }: Omit<DraftRef, 'basedOn'>,
      version: string,
      content: Buffer
    ): Promise<SaveResult> {
      const rows = await ask<SavedRow>(
        'SELECT * FROM office.restore_item($1, $2, $3, $4, $5, $6)',
        ...[id, accountId, version, revision, sealed(accountId, id, content), own]
      )
      return saveResultOf(accountId, id, rows)
    },

    /**
     * Tells a restored server a content that was kept beside a draft, unresolved as far as is known here. Returns whether
     * it is kept there: it isn't if the draft is gone or is being sent.
     */
    restoreConflict: (accountId: string, id: string, version: string, content: Buffer): Promise<boolean> =>
      askWhether(
        'SELECT office.restore_conflict($1, $2, $3, $4)',
        ...[id, accountId, version, sealed(accountId, id, content)]
      ),

    /**
     * Asks to edit a draft, and returns who is editing it then.
     * @param isTaking whether to take over from another workstation.
     */
    async hold(accountId: string, id: string, isTaking = true): Promise<{ by: string; isMe: boolean } | undefined> {
      const [row] = await ask<{ name: string; isMe: boolean }>(
        'SELECT * FROM office.hold_item($1, $2, $3, $4)',
        ...[id, accountId, HOLD_MS, isTaking]
      )
      return row && { by: row.name, isMe: row.isMe }
    },

    async releaseHold(accountId: string, id: string): Promise<void> {
      await ask('SELECT office.release_hold($1, $2)', id, accountId)
    },

    /**
     * Moves a draft to the trash, back out of it, out of it for good, or back to this workstation, which created it.
     * Returns whether it is there now: not if the current content is unknown here, or another is editing it.
     */
    move: (
      accountId: string,
      { id, basedOn, revision }: DraftRef,
      to: 'trash' | 'back' | 'gone' | 'maker'
    ): Promise<boolean> =>
      askWhether('SELECT office.move_item($1, $2, $3, $4, $5)', id, accountId, basedOn, revision, to),

    /**
     * Removes a draft, because this send of it was sent, or goes along with its workstation; one that may have arrived
     * then comes back at the same time. Returns whether the office accepts that.
     * @param basedOn for one that goes along: its content. If another is current by now, the draft stays.
     */
    removeSent: (accountId: string, id: string, sendId: string, basedOn: readonly string[] = []): Promise<boolean> =>
      askWhether('SELECT office.remove_sent_draft($1, $2, $3, $4)', id, accountId, sendId, basedOn),

    async resolveConflicts(accountId: string, id: string, versions: readonly string[]): Promise<void> {
      await ask('SELECT office.resolve_conflicts($1, $2, $3)', id, accountId, versions)
    }
  }
}
