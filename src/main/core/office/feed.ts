/**
 * What one workstation reads of an account's folders for the whole office. Who reads holds the account's lease and hands over what is
 * different; the others read from their cursor on. The bell says only that there is something: who missed it misses nothing.
 */
import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import type { WatchTrouble } from '../../../shared/contract/index.ts'
import { folded } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import { seal, tagBy, unsealIfWhole } from './sealing.ts'

/** One document as it was last, sealed; or that no folder has it any more. */
export interface FeedChange {
  /** Stands for the document's reference, which the server never has. */
  readonly tag: Uint8Array
  readonly sealed: Uint8Array | undefined
}

/** How the reading of an account stands; times are how long ago, in milliseconds. */
export interface FeedState {
  /** Absent where another has it, or nobody. `until` is on this computer's clock that never jumps, counted from before it was asked for. */
  readonly lease?: { readonly epoch: number; readonly until: number }
  /** Who has it, since when, and for how long it will at least; absent where nobody does. */
  readonly holder?: { readonly name: string; readonly since: number; readonly left: number }
  /** How many looks were asked for, and which of these the newest round began after. */
  readonly wished: number
  readonly answered: number
  readonly lookedAgo?: number
  /** For how long nobody has read; absent where someone does, or never did. */
  readonly quietFor?: number
  readonly rev: number
  /** Someone has the account's lists in view somewhere. */
  readonly isWatched: boolean
  /** What the newest round found of the folders, sealed. */
  readonly report?: Uint8Array
  readonly troubles: readonly { readonly name: string; readonly kind: WatchTrouble; readonly since: number }[]
}

export type OfficeFeed = ReturnType<typeof openOfficeFeed>

/** So many changes are read at a time. */
export const FEED_PAGE = 500
/** How long a workstation reads for the others before it says so once more, in milliseconds. */
export const POLL_LEASE = 30_000

export function tagOf(key: Uint8Array, reference: string): Buffer {
  return tagBy(key, `document:${reference}`)
}

const identityOf = (feedId: string, what: Uint8Array | 'report') =>
  what === 'report' ? `report:${feedId}` : `mirror:${feedId}:${Buffer.from(what).toString('hex')}`

/** @param what a document's tag, or what a round found. */
export function sealForFeed(key: Uint8Array, feedId: string, what: Uint8Array | 'report', content: unknown): Buffer {
  return seal(key, identityOf(feedId, what), Buffer.from(JSON.stringify(content)))
}

/** Undefined where it was altered on the server, or put in another’s place. */
export function openFromFeed(
  key: Uint8Array,
  feedId: string,
  what: Uint8Array | 'report',
  sealed: Uint8Array
): unknown {
  const content = unsealIfWhole(key, identityOf(feedId, what), Buffer.from(sealed))
  return content && JSON.parse(content.toString('utf8'))
}

/**
 * The id of what is read for all: the same where the service's address, the account's name and its folders are, so that nobody misses a
 * folder that the one who reads doesn't have.
 */
export function feedIdOf(
  key: Uint8Array,
  { baseUrl, name, folders }: { baseUrl: string; name: string; folders: readonly string[] }
): string {
  const about = JSON.stringify([new URL(baseUrl).href, folded(name), [...folders].sort()])
  const tag = tagBy(key, `folders:${about}`)
  const hex = createHash('sha256').update(tag).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-'
  )
}

interface WatchRow {
  is_mine: boolean
  epoch: number | null
  holder: string | null
  since_ms: number | null
  left_ms: number
  wished: number
  answered: number
  looked_ms: number | null
  rev: number
  is_watched: boolean
  sealed: Buffer | null
  troubles: { name: string; kind: WatchTrouble; sinceMs: number }[]
}

/** Each rejects with the database's error where the server can't be asked. */
export function openOfficeFeed({ pool, time }: { pool: Pool; time: Pick<Time, 'elapsed'> }) {
  async function ask<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await pool.query<Row>(sql, values)).rows
  }

  return {
    /**
     * How the reading stands.
     * @param ms takes or renews the lease for so long; undefined where this workstation isn't to have it.
     * @param trouble why it can't.
     */
    async watch(
      feedId: string,
      {
        ms,
        isShown = false,
        trouble
      }: { ms?: number | undefined; isShown?: boolean; trouble?: WatchTrouble | undefined }
    ): Promise<FeedState> {
      const asked = time.elapsed()
      const [row] = await ask<WatchRow>(
        'SELECT * FROM office.watch($1, $2, $3, $4)',
        ...[feedId, ms ?? null, isShown, trouble ?? null]
      )
      if (!row) throw new Error('The office answered nothing.')
      const { epoch, holder, since_ms, looked_ms } = row
      // One that was lost in its first round has left when it began alone.
      const quiet = holder === null && since_ms !== null ? Math.min(since_ms, looked_ms ?? since_ms) : undefined
      return {
        ...{ wished: row.wished, answered: row.answered, rev: row.rev, isWatched: row.is_watched },
        ...(row.is_mine && epoch !== null && { lease: { epoch, until: asked + row.left_ms } }),
        ...(holder !== null && { holder: { name: holder, since: since_ms ?? 0, left: row.left_ms } }),
        ...(looked_ms !== null && { lookedAgo: looked_ms }),
        ...(quiet !== undefined && { quietFor: quiet }),
        ...(row.sealed && { report: row.sealed }),
        troubles: row.troubles.map(({ name, kind, sinceMs }) => ({ name, kind, since: sinceMs }))
      }
    },

    /** Another may read at once. */
    async giveUp(feedId: string, epoch: number, trouble?: WatchTrouble): Promise<void> {
      await ask('SELECT office.give_up_poll($1, $2, $3)', feedId, epoch, trouble ?? null)
    },

    /** Asks for a look; answers which wish it is. */
    async wish(feedId: string): Promise<number> {
      const [row] = await ask<{ which: number }>('SELECT office.wish_look($1) AS which', feedId)
      return row?.which ?? 0
    },

    /** Hands over what is different, each document once. Answers whether this workstation still was the one who reads: else nothing was written. */
    async publish(feedId: string, epoch: number, changes: readonly FeedChange[]): Promise<boolean> {
      const [row] = await ask<{ done: boolean }>(
        'SELECT office.publish($1, $2, $3, $4) AS done',
        ...[feedId, epoch, changes.map(({ tag }) => Buffer.from(tag))],
        changes.map(({ sealed }) => (sealed ? Buffer.from(sealed) : null))
      )
      return row?.done === true
    },

    /** A round has ended that began after this wish; whether this workstation still was the one who reads. */
    async looked(feedId: string, epoch: number, answered: number, report: Uint8Array | undefined): Promise<boolean> {
      const [row] = await ask<{ done: boolean }>(
        'SELECT office.looked($1, $2, $3, $4) AS done',
        ...[feedId, epoch, answered, report ? Buffer.from(report) : null]
      )
      return row?.done === true
    },

    /** What is new since, in order; at most `FEED_PAGE`. */
    async changes(feedId: string, after: number): Promise<(FeedChange & { rev: number })[]> {
      const rows = await ask<{ tag: Buffer; rev: number; sealed: Buffer | null }>(
        'SELECT tag, rev, sealed FROM office.changes($1, $2, $3)',
        ...[feedId, after, FEED_PAGE]
      )
      return rows.map(({ tag, rev, sealed }) => ({ tag, rev, sealed: sealed ?? undefined }))
    },

    /** These as they are now; what the office never had isn't among them. */
    async documents(feedId: string, tags: readonly Uint8Array[]): Promise<FeedChange[]> {
      const rows = await ask<{ tag: Buffer; sealed: Buffer | null }>(
        'SELECT tag, sealed FROM office.documents_now($1, $2)',
        ...[feedId, tags.map((tag) => Buffer.from(tag))]
      )
      return rows.map(({ tag, sealed }) => ({ tag, sealed: sealed ?? undefined }))
    },

    /** The tags of all that are there, one after the other. */
    async liveTags(feedId: string): Promise<Uint8Array> {
      const [row] = await ask<{ tags: Buffer }>('SELECT office.live_tags($1) AS tags', feedId)
      return row?.tags ?? new Uint8Array()
    },

    /** What comes next is beyond what any reader has read. */
    async raise(feedId: string, epoch: number, to: number): Promise<void> {
      await ask('SELECT office.raise_feed($1, $2, $3)', feedId, epoch, to)
    }
  }
}
