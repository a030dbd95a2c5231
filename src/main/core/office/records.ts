/**
 * What an office's workstations have in common beside drafts, in small pieces, as its server has it: presets, views, people, appointments.
 * Contents are sealed as what they are of. What is told apart by who or what it is, such as a person, has the same id at each of them: a
 * tag, made by the office's key.
 */
import type { Pool } from 'pg'
import { parsedJson } from '../lib/json-scanning.ts'
import type { Asking } from './at-once.ts'
import { seal, tagBy, unsealIfWhole } from './sealing.ts'
import { MOST_BYTES } from './things.ts'

export type RecordKind = 'preset' | 'view' | 'staff' | 'appointment' | 'person'
/** What a content is sealed as. */
export const identityOf = (kind: RecordKind, id: string) => `${kind}:${id}`
export type OfficeRecords = ReturnType<typeof openOfficeRecords>

/** What counts of one. Without content it is no more, or was altered on the server. `by`: the workstation that saved it. */
interface RecordNow {
  readonly id: string
  readonly version: string
  readonly round: number
  readonly by: string
  /** The contents that are in it, itself the last of them, by their marks: see `mark_of` of the server. */
  readonly lineage: readonly string[]
  readonly content?: unknown
}
export interface RecordChange extends RecordNow {
  readonly rev: number
  readonly isGone: boolean
}

/** One to be saved, or ended where it has no content. */
export interface RecordToPut {
  readonly id: string
  readonly version: string
  /** The contents that it goes on from. */
  readonly basedOn: readonly string[]
  readonly content?: unknown
  /** It ends whatever others did to it. */
  readonly isFinal?: boolean
  /**
   * A server that was put back is told again what it had, as its how manieth content; or what that was changed to since. Such a change under the
   * version that counts is told for its base alone: it changes nothing.
   */
  readonly round?: number
  readonly isChangedSince?: boolean
  /** What the office had of it before the server was put back, which such a change goes on from. */
  readonly base?: unknown
  /** The contents that are in what it goes on from, and in what is told again itself. */
  readonly lineage?: readonly string[]
  /** In how many milliseconds nobody needs it any more. */
  readonly until?: number
}

/**
 * newest: it counts. gone: there is none any more. beside: another content counts, which is here; nothing was kept of this one. older: a server
 * that was put back has a later one. over: it counted, until another went on from it. elsewhere: another account has that id.
 */
export interface RecordPut extends RecordNow {
  readonly outcome: 'newest' | 'gone' | 'beside' | 'older' | 'over' | 'elsewhere'
  /** What both go on from, where one that is told again is beside what was changed since. */
  readonly base?: unknown
}

/** Each rejects with the database's error where the server can't be asked. @param its `key`: the office's; `atOnce`: how it stands is asked by this. */
export function openOfficeRecords({ pool, key, atOnce = pool }: { pool: Pool; key: Buffer; atOnce?: Asking }) {
  function opened(kind: RecordKind, id: string, body: Buffer | null): { content?: unknown } {
    const content = body && unsealIfWhole(key, identityOf(kind, id), body)
    return content ? { content: parsedJson(content.toString('utf8')) } : {}
  }

  return {
    /** Of what is the same at each workstation. @param accountId the office's. */
    tag: (kind: RecordKind, accountId: string, what: string): string =>
      tagBy(key, `record:${kind}\n${accountId}\n${what}`).toString('base64url'),

    /** Up to where changes of each kind have come, and in which of the office's lives: 0 for one that nobody has noticed yet. */
    async state(accountId: string): Promise<{ revs: ReadonlyMap<string, number>; life: number }> {
      const { rows } = await atOnce.query<{ kind: string; rev: number; life: number }>(
        'SELECT * FROM office.records_state($1)',
        [accountId]
      )
      return { revs: new Map(rows.map(({ kind, rev }) => [kind, rev])), life: rows[0]?.life ?? 0 }
    },

    /** This workstation has read further than the server is: it begins another life. */
    async setBack(life: number): Promise<void> {
      await pool.query('SELECT office.set_back($1)', [life])
    },

    /** In their order, so many at most, and fewer where they are large. @param life the one of which all is known here: rejects in another. */
    async changes(
      kind: RecordKind,
      accountId: string,
      after: number,
      most: number,
      life?: number
    ): Promise<RecordChange[]> {
      const { rows } = await pool.query<
        Omit<RecordNow, 'content'> & { rev: number; is_gone: boolean; sealed: Buffer | null }
      >('SELECT * FROM office.thing_changes($1, $2, $3, $4, 0, $5, $6)', [
        kind,
        accountId,
        after,
        most,
        MOST_BYTES,
        life
      ])
      return rows.map(({ id, rev, version, round, by, is_gone: isGone, lineage, sealed }) => ({
        ...{ id, rev, version, round, by, isGone, lineage },
        ...opened(kind, id, sealed)
      }))
    },

    /** Saves or ends these; the same version again is the same save. Answers what came of each, in their order. @param life see `changes`. */
    async put(kind: RecordKind, accountId: string, some: readonly RecordToPut[], life?: number): Promise<RecordPut[]> {
      const sealed = (id: string, content: unknown) =>
        content === undefined ? null : seal(key, identityOf(kind, id), Buffer.from(JSON.stringify(content)))
      const bodies = some.map(({ id, content }) => sealed(id, content))
      const { rows } = await pool.query<
        Omit<RecordPut, 'content' | 'base' | 'lineage'> & {
          lineage: string[] | null
          sealed: Buffer | null
          base: Buffer | null
        }
      >('SELECT * FROM office.put_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
        ...[kind, accountId, some.map(({ id }) => id), some.map(({ version }) => version)],
        ...[some.map(({ basedOn }) => basedOn.join(',')), bodies, some.map(({ isFinal }) => isFinal === true)],
        ...[some.map(({ round }) => round ?? null), some.map(({ isChangedSince }) => isChangedSince === true)],
        some.map(({ until }) => until ?? null),
        some.map(({ id, base }) => sealed(id, base)),
        ...[some.map(({ lineage = [] }) => lineage.join(',')), life]
      ])
      return rows.map(({ id, outcome, version, round, by, lineage, sealed: body, base }) => ({
        ...{ id, outcome, version, round, by, lineage: lineage ?? [], base: opened(kind, id, base).content },
        ...opened(kind, id, body)
      }))
    }
  }
}
