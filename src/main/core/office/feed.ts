/**
 * What one workstation reads for the whole office. Who polls an account holds its lease and hands over differences; the others read from
 * their cursor on whenever they connect, the bell rings, or a minute has passed. The bell says only that there is something: who
 * missed it misses nothing.
 */
import { createHmac } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { backoff, type Time } from '../lib/time.ts'
import { seal, unsealIfWhole } from './sealing.ts'

/** One document as it was last, or that it is gone. */
export interface FeedChange {
  /** Stands for the document's reference, which the server never has. */
  readonly tag: Buffer
  readonly content: Buffer | undefined
}

/** What only one workstation does at a time. */
export interface HeldLease {
  readonly epoch: number
  /** Until when, on this computer's clock that never jumps: counted from before it was asked for. */
  readonly until: number
}

export interface FeedDeps {
  pool: Pool
  key: Buffer
  time: Pick<Time, 'elapsed' | 'after' | 'random'>
}

/** So many changes are read at a time. */
const PAGE = 500
/** How often is asked without a bell, and how long after a line broke it is tried again first, in milliseconds. */
const EVERY = 60_000
const FIRST_WAIT = 500
const POLL_LEASE = 30_000

export function tagOf(key: Buffer, reference: string): Buffer {
  return createHmac('sha256', key).update(`document:${reference}`).digest()
}

const identityOf = (accountId: string, tag: Buffer) => `mirror:${accountId}:${tag.toString('hex')}`

/** The one who polls an account. */
export function openPollerLease({ pool, key, time }: FeedDeps, accountId: string) {
  const name = `poll:${accountId}`
  return {
    /** Takes the lease, or renews it; undefined where another has it. To be called each ten seconds. @param ms for how long. */
    async hold(ms = POLL_LEASE): Promise<HeldLease | undefined> {
      const asked = time.elapsed()
      const { rows } = await pool.query<{ epoch: number }>('SELECT epoch FROM office.hold_lease($1, $2)', [name, ms])
      const [held] = rows
      return held && { epoch: held.epoch, until: asked + ms }
    },

    /** Another may poll at once, as where these credentials are not accepted. */
    async giveUp({ epoch }: HeldLease): Promise<void> {
      await pool.query('SELECT office.give_up_lease($1, $2)', [name, epoch])
    },

    /** Hands over what is different. Answers whether this workstation still was the one who polls: where not, nothing was written. */
    async publish(
      { epoch }: HeldLease,
      changes: readonly { reference: string; content: Buffer | undefined }[]
    ): Promise<boolean> {
      // The newest of each alone: one statement can't write a row twice.
      const newest = new Map(changes.map(({ reference, content }) => [reference, content]))
      const tags = [...newest.keys()].map((reference) => tagOf(key, reference))
      const bodies = [...newest.values()].map((content, index) => {
        const tag = tags[index]
        return content && tag ? seal(key, identityOf(accountId, tag), content) : null
      })
      const { rows } = await pool.query<{ done: boolean }>('SELECT office.publish($1, $2, $3, $4) AS done', [
        ...[accountId, epoch, tags, bodies]
      ])
      return rows[0]?.done === true
    }
  }
}

export interface FeedReaderDeps extends FeedDeps {
  accountId: string
  /** From where it reads on: what `cursor` was when what it told was kept; 0 for everything. */
  cursor: number
  /** Told what is new, in order, but what was altered on the server; what it rejects with is told again. `cursor` is to be kept with it. */
  take: (changes: readonly FeedChange[], cursor: number) => Promise<void>
}

/** Reads what is new until it is closed. */
export class FeedReader {
  readonly #deps: FeedReaderDeps
  #cursor: number
  #client: PoolClient | undefined
  #isClosed = false
  #isReading = false
  #isWanted = false
  #failures = 0
  #cancel: () => void = () => undefined

  constructor(deps: FeedReaderDeps) {
    this.#deps = deps
    this.#cursor = deps.cursor
  }

  open(): void {
    this.#want()
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
    this.#letGo()
  }

  /** Something may be new. Asked for while it is read, it is read once more: it may have come just behind. */
  #want(): void {
    this.#isWanted = true
    if (this.#isReading || this.#isClosed) return
    this.#isReading = true
    void this.#read().then((isWell) => {
      this.#isReading = false
      if (this.#isClosed) return
      this.#failures = isWell ? 0 : this.#failures + 1
      if (isWell && this.#isWanted) return this.#want()
      this.#cancel()
      const wait = isWell ? EVERY : backoff(FIRST_WAIT, this.#failures, this.#deps.time.random)
      this.#cancel = this.#deps.time.after(wait, () => this.#want())
    })
  }

  /** All that there is; whether it went well. */
  async #read(): Promise<boolean> {
    const { accountId, key, take } = this.#deps
    try {
      const client = this.#client ?? (await this.#connect())
      for (;;) {
        this.#isWanted = false
        const { rows } = await client.query<{ tag: Buffer; rev: number; sealed: Buffer | null }>(
          'SELECT tag, rev, sealed FROM office.changes($1, $2, $3)',
          [accountId, this.#cursor, PAGE]
        )
        const last = rows.at(-1)
        if (!last || this.#isClosed) return true
        const changes = rows.flatMap(({ tag, sealed }): FeedChange[] => {
          if (!sealed) return [{ tag, content: undefined }]
          const content = unsealIfWhole(key, identityOf(accountId, tag), sealed)
          return content ? [{ tag, content }] : []
        })
        await take(changes, last.rev)
        this.#cursor = last.rev
      }
    } catch {
      this.#letGo()
      return false
    }
  }

  /** Listens before it reads: what comes between the two rings the bell. */
  async #connect(): Promise<PoolClient> {
    const client = await this.#deps.pool.connect()
    if (this.#isClosed) {
      client.release()
      throw new Error('It was closed.')
    }
    this.#client = client
    client.on('notification', ({ payload }) => payload === this.#deps.accountId && this.#want())
    client.on('error', () => {
      this.#letGo()
      this.#want()
    })
    await client.query('LISTEN countersign_feed')
    return client
  }

  /** The connection listens, so nobody else is to have it. */
  #letGo(): void {
    const client = this.#client
    this.#client = undefined
    client?.release(true)
  }
}
