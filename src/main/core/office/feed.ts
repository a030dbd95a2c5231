/**
 * What one workstation reads from an account's folders for the whole office. The reader holds the account's lease and
 * publishes what changed; the others read on from their cursors. Notifications only say that there is something new, so
 * a missed one loses nothing.
 */
import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import type { PollingTrouble } from '../../../shared/contract/index.ts'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import { queriesOf } from './queries.ts'
import { seal, tagBy, unsealIfIntact } from './sealing.ts'

/** The latest state of one document, sealed, or that no folder has it any more. */
export interface FeedChange {
  /** Stands for the document's reference, which the server never gets. */
  readonly tag: Uint8Array
  readonly sealed?: Uint8Array | undefined
}

/** The state of the reading of an account. Times are how long ago, in milliseconds. */
export interface FeedState {
  /**
   * Absent if another workstation holds it, or nobody. `until` is by this computer's monotonic clock, counted from
   * before the request.
   */
  readonly lease?: { readonly epoch: number; readonly until: number }
  /** Who holds the lease, since when, and for how much longer; absent if nobody does. */
  readonly holder?: { readonly name: string; readonly since: number; readonly remaining: number }
  /** How many looks were requested, and the number of the last request before the newest round began. */
  readonly requestedUpTo: number
  readonly answeredUpTo: number
  readonly lookedAgo?: number
  /** For how long nobody has read; absent if someone does, or nobody ever did. */
  readonly quietFor?: number
  readonly seq: number
  /** Whether anyone, at any workstation, has the account's lists in view. */
  readonly isLookedAt: boolean
  /** What the newest round found out about the folders, sealed. */
  readonly report?: Uint8Array
  readonly troubles: readonly { readonly name: string; readonly kind: PollingTrouble; readonly since: number }[]
}

export type OfficeFeed = ReturnType<typeof openOfficeFeed>

/** How many changes are read at a time. */
export const FEED_PAGE = 500
/** How long the reader's lease lasts without renewal, in milliseconds. */
export const POLL_LEASE = 30_000

export function tagOf(key: Uint8Array, reference: string): Buffer {
  return tagBy(key, `document:${reference}`)
}

const identityOf = (feedId: string, what: Uint8Array | 'report') =>
  what === 'report' ? `report:${feedId}` : `mirror:${feedId}:${Buffer.from(what).toString('hex')}`

/** Seals content for the feed. @param what a document's tag, or `report` for a round's findings. */
export function sealForFeed(key: Uint8Array, feedId: string, what: Uint8Array | 'report', content: unknown): Buffer {
  return seal(key, identityOf(feedId, what), Buffer.from(JSON.stringify(content)))
}

/** Opens content of the feed. Returns undefined if it was altered on the server, or swapped with another's. */
export function openFromFeed(
  key: Uint8Array,
  feedId: string,
  what: Uint8Array | 'report',
  sealed: Uint8Array
): unknown {
  const content = unsealIfIntact(key, identityOf(feedId, what), Buffer.from(sealed))
  return content && JSON.parse(content.toString('utf8'))
}

/**
 * Returns the id of a shared feed. It is the same only for the same service address, account name and folders: if the
 * reader's folders differed, the others would miss some.
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

interface PollRow {
  isMine: boolean
  epoch?: number
  holder?: string
  sinceMs?: number
  leftMs: number
  requested: number
  answered: number
  readMs?: number
  seq: number
  isWatched: boolean
  sealed?: Buffer
  troubles: { name: string; kind: PollingTrouble; sinceMs: number }[]
}

/** Opens the office's feeds. Each method rejects with the database's error if the query fails. */
export function openOfficeFeed({ pool, time }: { pool: Pool; time: Pick<Time, 'elapsed'> }) {
  const { rows: ask, value: askValue, isTrue: askWhether } = queriesOf(pool)

  return {
    /**
     * Returns the state of the reading.
     * @param ms takes or renews the lease for this long; undefined if this workstation isn't to have it.
     * @param trouble why it can't read.
     */
    async poll(
      feedId: string,
      {
        ms,
        isShown = false,
        trouble
      }: { ms?: number | undefined; isShown?: boolean; trouble?: PollingTrouble | undefined }
    ): Promise<FeedState> {
      const askedAt = time.elapsed()
      const [row] = await ask<PollRow>(
        'SELECT * FROM office.watch($1, $2, $3, $4)',
        ...[feedId, ms ?? null, isShown, trouble ?? null]
      )
      if (!row) throw new Error('The office answered nothing.')
      const { epoch, holder, sinceMs, readMs, leftMs } = row
      // If the holder was lost during its first round, all that is known is when it began.
      const quietFor = holder === undefined && sinceMs !== undefined ? Math.min(sinceMs, readMs ?? sinceMs) : undefined
      return {
        requestedUpTo: row.requested,
        answeredUpTo: row.answered,
        seq: row.seq,
        isLookedAt: row.isWatched,
        ...(row.isMine && epoch !== undefined && { lease: { epoch, until: askedAt + leftMs } }),
        ...(holder !== undefined && { holder: { name: holder, since: sinceMs ?? 0, remaining: leftMs } }),
        ...defined({ lookedAgo: readMs, quietFor, report: row.sealed }),
        troubles: row.troubles.map(({ name, kind, sinceMs }) => ({ name, kind, since: sinceMs }))
      }
    },

    /** Gives up the lease, so that another can read at once. */
    async releaseLease(feedId: string, epoch: number, trouble?: PollingTrouble): Promise<void> {
      await ask('SELECT office.release_poll($1, $2, $3)', feedId, epoch, trouble ?? null)
    },

    /** Requests a look; returns its number. */
    async requestRead(feedId: string): Promise<number> {
      return (await askValue('SELECT office.request_read($1)', feedId)) ?? 0
    },

    /**
     * Publishes what changed, each document once. Returns whether this workstation still held the lease; if not,
     * nothing was written.
     */
    publish: (feedId: string, epoch: number, changes: readonly FeedChange[]): Promise<boolean> =>
      askWhether(
        'SELECT office.publish($1, $2, $3, $4)',
        ...[feedId, epoch, changes.map(({ tag }) => Buffer.from(tag))],
        changes.map(({ sealed }) => (sealed ? Buffer.from(sealed) : null))
      ),

    /**
     * Records the end of a round that began after request number `answered`. Returns whether this workstation still
     * held the lease.
     */
    finishRead: (feedId: string, epoch: number, answered: number, report: Uint8Array | undefined): Promise<boolean> =>
      askWhether('SELECT office.finish_read($1, $2, $3, $4)', feedId, epoch, answered, report && Buffer.from(report)),

    /** Returns the changes since, in order, at most `FEED_PAGE`. */
    changes: (feedId: string, after: number) =>
      ask<FeedChange & { readonly seq: number }>(
        'SELECT tag, seq, sealed FROM office.document_changes($1, $2, $3)',
        ...[feedId, after, FEED_PAGE]
      ),

    /** Returns the current state of these documents, without those that the office never had. */
    documents: (feedId: string, tags: readonly Uint8Array[]) =>
      ask<FeedChange>(
        'SELECT tag, sealed FROM office.documents_now($1, $2)',
        ...[feedId, tags.map((tag) => Buffer.from(tag))]
      ),

    /** Returns the tags of all existing documents, concatenated. */
    async liveTags(feedId: string): Promise<Uint8Array> {
      return (await askValue('SELECT office.live_tags($1)', feedId)) ?? new Uint8Array()
    },

    /** Raises the counter of changes beyond what any reader has read. */
    async raiseSeq(feedId: string, epoch: number, to: number): Promise<void> {
      await ask('SELECT office.raise_feed($1, $2, $3)', feedId, epoch, to)
    }
  }
}
