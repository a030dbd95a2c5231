/**
 * The small shared records of an office, as its server has them: presets, views, staff, people and appointments, but
 * not drafts. Each content is sealed under its record's identity, which includes the account. Records that are
 * identified by what they describe, such as a person, have the same id at every workstation: a tag made with the
 * office's key.
 */
import type { Pool } from 'pg'
import { parsedJson } from '../lib/json-scanning.ts'
import { MAX_TRANSFER_BYTES } from './office-drafts.ts'
import { queriesOf } from './queries.ts'
import type { Queryable } from './query-batching.ts'
import { itemIdentityOf, seal, tagBy, unsealIfIntact } from './sealing.ts'

export type RecordKind = 'preset' | 'view' | 'staff' | 'appointment' | 'person'
export type OfficeRecords = ReturnType<typeof openOfficeRecords>

/**
 * The current state of a record. Without content it was deleted, or altered on the server. `by`: the workstation that
 * saved it.
 */
interface RecordState {
  readonly id: string
  readonly version: string
  readonly revision: number
  readonly by: string
  /** The marks of the contents merged into it, its own last; see `mark_of` in the office's schema. */
  readonly lineage: readonly string[]
  /** Of a deleted one: whether what others changed meanwhile is deleted, too. */
  readonly isFinalEnd: boolean
  readonly content?: unknown
}
export interface RecordChange extends RecordState {
  readonly seq: number
  readonly isGone: boolean
}

/** A record to save, or to delete if it has no content. */
export interface RecordToPut {
  readonly id: string
  readonly version: string
  /** The versions that it derives from. */
  readonly basedOn: readonly string[]
  readonly content?: unknown
  /** Deletes whatever others changed. */
  readonly isFinal?: boolean
  /**
   * For a restored server: the revision number of what it had before, or of a change made since (`isChangedSince`). If
   * such a change has the version that is current, only its base is updated.
   */
  readonly revision?: number
  readonly isChangedSince?: boolean
  /** What the office had before the restore, from which such a change derives. */
  readonly base?: unknown
  /** The marks of the contents in what it derives from and, if it is told again, in itself. */
  readonly lineage?: readonly string[]
  /** In how many milliseconds it expires. */
  readonly until?: number
}

/**
 * The result of a put. newest: it is now current. gone: the record is deleted. conflict: another content is current,
 * which is returned; this one wasn't kept. older: a restored server has a later one. superseded: it was current until
 * another one derived from it. other-account: another account has this id.
 */
export interface PutResult extends RecordState {
  readonly outcome: 'newest' | 'gone' | 'conflict' | 'older' | 'superseded' | 'other-account'
  /** The common base of the two, if a content that was told again conflicts with one changed since. */
  readonly base?: unknown
}

/**
 * Opens the office's records. Each method rejects with the database's error if the query fails.
 * @param deps `key`: the office's key; `atOnce`: runs the queries for the state.
 */
export function openOfficeRecords({ pool, key, atOnce = pool }: { pool: Pool; key: Buffer; atOnce?: Queryable }) {
  const { rows: ask } = queriesOf(pool)
  const states = queriesOf(atOnce)

  function unsealBody(
    kind: RecordKind,
    accountId: string,
    id: string,
    body: Buffer | undefined
  ): { content?: unknown } {
    const content = body && unsealIfIntact(key, itemIdentityOf(kind, accountId, id), body)
    return content ? { content: parsedJson(content.toString('utf8')) } : {}
  }

  return {
    /**
     * Makes the id of a record that is the same at every workstation.
     * @param accountId the office's id of the account.
     */
    idFor: (kind: RecordKind, accountId: string, identity: string): string =>
      tagBy(key, `record:${kind}\n${accountId}\n${identity}`).toString('base64url'),

    /**
     * Returns the number of the last change of each kind, and the office's life; 0 for a life that no workstation has
     * noticed yet.
     */
    async state(accountId: string): Promise<{ seqs: ReadonlyMap<string, number>; life: number }> {
      const rows = await states.rows<{ kind: string; seq: number; life: number }>(
        'SELECT * FROM office.records_state($1)',
        accountId
      )
      return { seqs: new Map(rows.map(({ kind, seq }) => [kind, seq])), life: rows[0]?.life ?? 0 }
    },

    /** Begins a new life of the server, because this workstation has read further than the server is. */
    async startNewLife(life: number): Promise<void> {
      await ask('SELECT office.start_new_life($1)', life)
    },

    /**
     * Returns changes in order: at most `limit`, and fewer if they are large.
     * @param life the life of which everything is known here; rejects if it is another.
     */
    async changes(
      kind: RecordKind,
      accountId: string,
      after: number,
      limit: number,
      life?: number
    ): Promise<RecordChange[]> {
      const rows = await ask<Omit<RecordChange, 'content'> & { sealed?: Buffer }>(
        'SELECT * FROM office.item_changes($1, $2, $3, $4, 0, $5, $6)',
        ...[kind, accountId, after, limit, MAX_TRANSFER_BYTES, life]
      )
      return rows.map(({ sealed, ...row }) => ({ ...row, ...unsealBody(kind, accountId, row.id, sealed) }))
    },

    /**
     * Saves or deletes records; repeating a version repeats the same save. Returns the results in the same order.
     * @param life see `changes`.
     */
    async put(
      kind: RecordKind,
      accountId: string,
      records: readonly RecordToPut[],
      life?: number
    ): Promise<PutResult[]> {
      const sealed = (id: string, content: unknown) =>
        content === undefined
          ? null
          : seal(key, itemIdentityOf(kind, accountId, id), Buffer.from(JSON.stringify(content)))
      const bodies = records.map(({ id, content }) => sealed(id, content))
      const rows = await ask<
        Omit<PutResult, 'content' | 'base' | 'lineage'> & { lineage?: string[]; sealed?: Buffer; base?: Buffer }
      >(
        'SELECT * FROM office.put_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
        ...[kind, accountId, records.map(({ id }) => id), records.map(({ version }) => version)],
        ...[records.map(({ basedOn }) => basedOn.join(',')), bodies, records.map(({ isFinal }) => isFinal === true)],
        ...[
          records.map(({ revision }) => revision ?? null),
          records.map(({ isChangedSince }) => isChangedSince === true)
        ],
        records.map(({ until }) => until ?? null),
        records.map(({ id, base }) => sealed(id, base)),
        ...[records.map(({ lineage = [] }) => lineage.join(',')), life]
      )
      return rows.map(({ lineage = [], sealed: body, base, ...row }) => ({
        ...row,
        lineage,
        base: unsealBody(kind, accountId, row.id, base).content,
        ...unsealBody(kind, accountId, row.id, body)
      }))
    }
  }
}
