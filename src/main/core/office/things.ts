/**
 * What the workstations of an office work on together, such as drafts, as its server has it: one content counts, changes come in an
 * order that no reader skips, and what doesn't go on from the content that counts is kept beside it. Contents are sealed as the thing that
 * they are of.
 */
import type { Pool } from 'pg'
import type { Asking } from './at-once.ts'
import { seal, unsealIfWhole } from './sealing.ts'

type ThingKind = 'draft'
export type OfficeThings = ReturnType<typeof openOfficeThings>

/** What of a thing's content was saved last: `by` is the name of a workstation, `ago` in milliseconds. */
interface ThingContent {
  readonly version: string
  readonly round: number
  readonly ago: number
  readonly by: string
  /** Absent where the reader has it, or it was altered on the server. */
  readonly content?: Buffer
}

/** A thing that was changed, as it is now. */
export interface ThingChange extends ThingContent {
  readonly id: string
  readonly rev: number
  /** This workstation made it. */
  readonly isMine: boolean
  /** Who is at work on it, and for how long at least, in milliseconds. */
  readonly editing?: { readonly by: string; readonly isMe: boolean; readonly left: number }
  /** For how long it has been in the trash, in milliseconds; absent where it isn't. */
  readonly asideFor?: number
  readonly isGone: boolean
  /** It is no more because it is the own one of the workstation that made it. */
  readonly isMakers: boolean
  /** It is no more because it was sent, and its last content was written by someone who didn't know: that goes on as another thing. */
  readonly isFurther: boolean
  /** Its content is of before the server was put back, whether that had it or was told it since: what was written meanwhile may be no part of it. */
  readonly isFormer: boolean
  /** How many contents are kept beside it, those that someone has decided on among them. */
  readonly beside: number
}

/** What is kept beside a thing. */
interface ThingVersion extends Pick<ThingContent, 'version' | 'by' | 'ago' | 'content'> {
  readonly isSettled: boolean
}

/**
 * What came of a save. newest: it counts. beside: another does, which is here, and this is kept beside it. gone: there is no such thing
 * any more. sent: it is a draft that is being sent as it is. older: of a server that was put back, that it has a later one.
 */
export interface ThingSaved extends ThingContent {
  readonly outcome: 'newest' | 'beside' | 'gone' | 'sent' | 'older'
  /** By which send. */
  readonly sentAs?: string
}

/** Which thing, and which of its contents this workstation's goes on from. */
interface Known {
  readonly id: string
  readonly basedOn: readonly string[]
  readonly round: number
  /** Of a draft: see `save`. */
  readonly own?: readonly string[]
}

/** So many are read at a time. */
const PAGE = 50
/** So much goes over at a time, each way, and one content at least: in bytes. One can be megabytes. */
export const MOST_BYTES = 1_000_000
/** How long one who types has a thing, in milliseconds, if nothing more is typed. */
const HOLD = 60_000

interface SavedRow {
  outcome: ThingSaved['outcome']
  version: string
  round: number
  at_ms: number
  by: string
  sealed: Buffer | null
  sent_as: string | null
}
interface ChangeRow
  extends Omit<
    ThingChange,
    'isMine' | 'ago' | 'editing' | 'asideFor' | 'isGone' | 'isMakers' | 'isFurther' | 'isFormer' | 'content'
  > {
  is_mine: boolean
  at_ms: number
  editing: string | null
  is_editing: boolean | null
  editing_ms: number | null
  aside_ms: number | null
  is_gone: boolean
  is_makers: boolean
  is_further: boolean
  is_former: boolean
  sealed: Buffer | null
}

/** Each rejects with the database's error where the server can't be asked. @param its `key`: the office's; `atOnce`: how it stands is asked by this. */
export function openOfficeThings(its: { pool: Pool; key: Buffer; atOnce?: Asking }, kind: ThingKind) {
  const { pool, key, atOnce = pool } = its
  async function ask<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await pool.query<Row>(sql, values)).rows
  }
  const sealed = (id: string, content: Buffer) => seal(key, `${kind}:${id}`, content)
  function opened(id: string, body: Buffer | null): { content?: Buffer } {
    const content = body && unsealIfWhole(key, `${kind}:${id}`, body)
    return content ? { content } : {}
  }
  function savedOf(id: string, [row]: SavedRow[]): ThingSaved {
    if (!row) throw new Error('The office answered nothing.')
    const { at_ms: ago, sent_as: sentAs, sealed: body, ...saved } = row
    return { ...saved, ago, ...(sentAs !== null && { sentAs }), ...opened(id, body) }
  }

  return {
    /** Up to where changes have come, and in which of the office's lives: 0 for one that nobody has noticed yet. */
    async state(accountId: string): Promise<{ rev: number; life: number }> {
      const { rows } = await atOnce.query<{ rev: number; life: number }>('SELECT * FROM office.things_state($1, $2)', [
        ...[kind, accountId]
      ])
      return rows[0] ?? { rev: 0, life: 0 }
    },

    /** This workstation has read further than the server is: it begins another life. */
    async setBack(life: number): Promise<void> {
      await ask('SELECT office.set_back($1)', life)
    },

    /** @param bodiesAfter up to where every thing was read: 0 while that isn't so of all. @param life see `save`. */
    async changes(accountId: string, after: number, bodiesAfter: number, life?: number): Promise<ThingChange[]> {
      const rows = await ask<ChangeRow>(
        'SELECT * FROM office.thing_changes($1, $2, $3, $4, $5, $6, $7)',
        ...[kind, accountId, after, PAGE, bodiesAfter, MOST_BYTES, life]
      )
      return rows.map(({ id, rev, version, round, by, beside, ...row }) => ({
        ...{ id, rev, version, round, by, beside, isMine: row.is_mine, ago: row.at_ms },
        ...{ isGone: row.is_gone, isMakers: row.is_makers, isFurther: row.is_further, isFormer: row.is_former },
        ...(row.editing !== null && {
          editing: { by: row.editing, isMe: row.is_editing === true, left: row.editing_ms ?? 0 }
        }),
        ...(row.aside_ms !== null && { asideFor: row.aside_ms }),
        ...opened(id, row.sealed)
      }))
    },

    /** What is kept beside one, the oldest first; without the contents of those that were had. */
    async versions(id: string, had: readonly string[]): Promise<ThingVersion[]> {
      const contents = new Map<string, Pick<ThingVersion, 'content'>>()
      for (;;) {
        const rows = await ask<Pick<SavedRow, 'version' | 'by' | 'at_ms' | 'sealed'> & { is_settled: boolean }>(
          'SELECT * FROM office.thing_versions($1, $2, $3, $4)',
          ...[kind, id, [...had, ...contents.keys()], MOST_BYTES]
        )
        for (const { version, sealed: body } of rows) if (body) contents.set(version, opened(id, body))
        // What comes after so many bytes is asked for once more.
        if (rows.every(({ version }) => contents.has(version) || had.includes(version))) {
          return rows.map(({ version, by, at_ms: ago, is_settled: isSettled }) => ({
            ...{ version, by, ago, isSettled },
            ...contents.get(version)
          }))
        }
      }
    },

    /**
     * Keeps a content; the same version again is the same save. @param own sends of the draft that this workstation has as its own, and
     * that didn't arrive. @param isTyped it is held for the one who typed it. @param life the one of which all is known here: rejects in
     * another, where one is given.
     */
    async save(
      accountId: string,
      { id, basedOn, round, own = [] }: Known,
      version: string,
      content: Buffer,
      isTyped: boolean,
      life?: number
    ): Promise<ThingSaved> {
      const rows = await ask<SavedRow>(
        'SELECT * FROM office.save_thing($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
        ...[kind, id, accountId, version, basedOn, sealed(id, content), isTyped ? HOLD : null, own],
        // Who goes on from nothing that is known counts from the beginning.
        ...[basedOn.length > 0 ? round : 0, life]
      )
      return savedOf(id, rows)
    },

    /** Tells a server that was put back what it had before, in which round. */
    async know(
      accountId: string,
      { id, round, own = [] }: Omit<Known, 'basedOn'>,
      version: string,
      content: Buffer
    ): Promise<ThingSaved> {
      const rows = await ask<SavedRow>(
        'SELECT * FROM office.know_thing($1, $2, $3, $4, $5, $6, $7)',
        ...[kind, id, accountId, version, round, sealed(id, content), own]
      )
      return savedOf(id, rows)
    },

    /** Who works on it, once this workstation has asked to. @param isTaking also where that is another. */
    async hold(accountId: string, id: string, isTaking = true): Promise<{ by: string; isMe: boolean } | undefined> {
      const [row] = await ask<{ name: string; is_me: boolean }>(
        'SELECT * FROM office.hold_thing($1, $2, $3, $4, $5)',
        ...[kind, id, accountId, HOLD, isTaking]
      )
      return row && { by: row.name, isMe: row.is_me }
    },

    async letGo(accountId: string, id: string): Promise<void> {
      await ask('SELECT office.let_go_of_thing($1, $2, $3)', kind, id, accountId)
    },

    /**
     * Into the trash, back out of it, out of it for ever, or back to this workstation, which made it; whether it is so. It isn't where another
     * content counts than the one that is known here, or another works on it.
     */
    async move(
      accountId: string,
      { id, basedOn, round }: Known,
      to: 'aside' | 'back' | 'gone' | 'maker'
    ): Promise<boolean> {
      const [row] = await ask<{ done: boolean }>(
        'SELECT office.move_thing($1, $2, $3, $4, $5, $6) AS done',
        ...[kind, id, accountId, basedOn, round, to]
      )
      return row?.done === true
    },

    /**
     * A draft is no more, as this send of it was sent, or goes along with its workstation; whether the office knows of that.
     * @param basedOn of one that goes along: which content it has. Where another counts by now, the draft stays.
     */
    async sent(accountId: string, id: string, sendId: string, basedOn: readonly string[] = []): Promise<boolean> {
      const [row] = await ask<{ done: boolean }>(
        'SELECT office.draft_sent($1, $2, $3, $4) AS done',
        ...[id, accountId, sendId, basedOn]
      )
      return row?.done === true
    },

    /** Of these that are kept beside it someone has decided. */
    async settle(accountId: string, id: string, versions: readonly string[]): Promise<void> {
      await ask('SELECT office.settle_versions($1, $2, $3, $4)', kind, id, accountId, versions)
    }
  }
}
