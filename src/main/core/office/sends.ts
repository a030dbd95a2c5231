/**
 * The office's outbox. One workstation at a time claims a send, a send leaves once, and it becomes uncertain if its
 * holder disappears. This is one of two stores with the same guarantees; the other is the embedded database
 * (`core/outbox`).
 */
import type { Pool } from 'pg'
import type { SendState } from '../../../shared/contract/index.ts'
import { AppFailure, codeOf, fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { seal, tagBy, unsealIfIntact, uuidOf } from './sealing.ts'

/**
 * The outcome of an attempt. nothing-left: it can't have arrived. stopped: the same, and the following sends would fail
 * the same way.
 */
export type AttemptEnd = 'accepted' | 'refused' | 'uncertain' | 'nothing-left' | 'stopped'

/** A send that only this workstation may send now. */
export interface Claim {
  readonly id: string
  /** Increases with each claim of the send. */
  readonly epoch: number
  /** When the claim expires, by this computer's monotonic clock, counted from before the request. */
  readonly until: number
  readonly content: Buffer
}

/** An uncertain send, for the reconciliation. */
type UncertainSend = Pick<Claim, 'id' | 'epoch' | 'content'>

/** The guarantees of every store of sends; `test/office/send-store.test.ts` checks each store against them. */
export interface SendStore {
  /** Sets how many may be in flight at a time, and how many may be sent per minute. */
  configure(accountId: string, limits: { concurrency: number; perMinute: number | null }): Promise<void>
  /**
   * Stores a send; repeating the id has no effect.
   * @param inMs in how many milliseconds it may be sent.
   */
  put(accountId: string, id: string, content: Buffer, inMs?: number): Promise<void>
  /** Claims due sends. Each is `sending`, and this workstation's alone, before this resolves. */
  claim(accountId: string, limit: number): Promise<Claim[]>
  /**
   * Records an attempt's outcome, and returns the state of the send. If the claim has passed to another, only a success
   * changes the send.
   */
  finish(accountId: string, claim: Pick<Claim, 'id' | 'epoch'>, end: AttemptEnd, answer: unknown): Promise<SendState>
  /** Makes the sends of lost holders uncertain, never ready. */
  expireClaims(accountId: string): Promise<void>
  uncertainSends(accountId: string): Promise<UncertainSend[]>
  /**
   * Records that the reconciliation didn't find a send. Returns whether it was still uncertain. `ready` is refused until
   * there was time for two looks.
   */
  conclude(send: Pick<Claim, 'id' | 'epoch'>, state: 'ready' | 'not-sent' | 'refused'): Promise<boolean>
  /** Records that the reconciliation found a send. Returns whether it was still uncertain. */
  recordFound(accountId: string, send: Pick<Claim, 'id' | 'epoch'>, answer: unknown): Promise<boolean>
  /** Cancels a send. Returns false if it was sent or may have been; otherwise it never will be. */
  cancel(id: string): Promise<boolean>
  pause(accountId: string): Promise<void>
  resume(accountId: string): Promise<void>
  stateOf(id: string): Promise<SendState | undefined>
}

/** The state of a send at the office; held: with its workstation again. */
export type OfficeSendState = SendState | 'held'

/** The current state of a send that changed. */
export interface SendChange extends Pick<Claim, 'id' | 'epoch'> {
  /** Its position in the order of the account's changes. */
  readonly seq: number
  readonly state: OfficeSendState
  readonly revision: number
  /** The name of the workstation that created it. */
  readonly maker: string
  readonly isMine: boolean
  readonly attempt: number
  /** Whether an attempt may have arrived. */
  readonly mayHaveArrived: boolean
  /** In milliseconds from now, 0 for at once. */
  readonly goesIn: number
  /** Absent if it was read before. */
  readonly content?: Buffer
  /** The answer recorded for its newest attempt; absent if there is none, or it was altered on the server. */
  readonly answer?: unknown
  /** The draft that it was made from, and its content, if that was given. */
  readonly draft?: string
  readonly of?: SentContent
}

/** The draft's content of a send: its ids at the office, and its revision number. */
export interface SentContent {
  readonly versions: readonly string[]
  readonly revision: number
}

/** The state of an account's outbox for the whole office. */
export interface OutboxState {
  readonly concurrency: number
  readonly perMinute: number | null
  /** restored: the server was restored to an earlier state. */
  readonly pausedBy?: 'person' | 'service' | 'restored'
  /** In milliseconds. */
  readonly pausedFor: number
  /** The number of the latest change of its sends. */
  readonly seq: number
  /** The server's life; 0 for one that no workstation has noticed yet (decision 59). */
  readonly life: number
}

/**
 * Why the office refused a send of a draft it has. taken: someone else is sending it or has sent it. gone: it was
 * deleted, or is its maker's own again. changed: its content has changed.
 */
export type PushRefusal = 'taken' | 'gone' | 'changed'

/** Further operations for showing and changing a shared outbox. Every call rejects if the server can't be reached. */
export interface OfficeStore extends SendStore {
  /**
   * Returns the office's id of a shared account, which is identified by its service's address and its name. Rejects if the
   * server gives another account's.
   */
  account(name: string, limits: { concurrency: number; perMinute: number | null }): Promise<string>
  /**
   * Records outcomes in the order in which attempts ended, and claims what may be sent next, like `finish` and `claim`,
   * but in one query, so that no lane is idle in between.
   * @returns the state of each send; undefined for an attempt that the office doesn't know, for example after a
   * restore.
   */
  finishAndClaim(
    accountId: string,
    finished: readonly (Pick<Claim, 'id' | 'epoch'> & { end: AttemptEnd; answer: unknown })[],
    limit: number
  ): Promise<{ states: (OfficeSendState | undefined)[]; claims: Claim[] }>
  /**
   * Hands over a send: a new one, or a retry. Data of an earlier revision has no effect.
   * @param send `isUncertain`: it may have arrived, and is looked for before anything else happens to it or its draft.
   * `life`: the life of which everything is known here; if given, rejects in any other.
   * `of`: the draft that it was made from, if the office has it, with the content's ids and revision number.
   * @returns what the office has then, or why it refused.
   */
  push(
    accountId: string,
    send: Pick<Claim, 'id' | 'content'> & {
      inMs: number
      revision: number
      mayHaveArrived: boolean
      isUncertain?: boolean
      life?: number
      of?: { draft: string; basedOn: readonly string[]; revision: number }
    }
  ): Promise<{ state: OfficeSendState | PushRefusal; revision: number }>
  /**
   * Gives a waiting send another time, and the content that says so.
   * @param change `life`: see `push`.
   * @returns false, with nothing changed, if it no longer waits, or if anyone has changed it since the last revision.
   */
  reschedule(
    accountId: string,
    change: Pick<Claim, 'id' | 'content'> & { inMs: number; revision: number; life?: number }
  ): Promise<boolean>
  /**
   * Keeps a send from leaving, even if the office never got it. Returns its revision if it is in that state now: a later
   * one than was asked for if another workstation changed it meanwhile. A restored server is told of that one.
   * @param life the life of which everything is known here; rejects if it is another.
   */
  withhold(
    accountId: string,
    send: { id: string; revision: number },
    as: 'held' | 'cancelled',
    life: number
  ): Promise<number | undefined>
  /** Makes a send wait for a release by another staff member than the one with this id. Call it before `push`. */
  requireRelease(id: string, by: string): Promise<void>
  /**
   * Releases a send. Returns whether it is released by this staff member: not if they asked for it, nor if someone else
   * has decided.
   */
  release(id: string, by: string): Promise<boolean>
  /**
   * Records a staff member's decision about a send that waits for release, together with the content that says so.
   * @param decision `askedBy`, `by`: ids of staff. `inMs`: in how many milliseconds it is sent. `life`: see `push`.
   * @returns false, with nothing changed, if someone else has decided or changed it, or if `by` is the one who asked.
   */
  decide(
    accountId: string,
    decision: Pick<Claim, 'id' | 'content'> & {
      inMs: number
      revision: number
      askedBy: string
      by: string
      isReleased: boolean
      life?: number
    }
  ): Promise<boolean>
  /**
   * Takes back everything unfinished that this workstation created, unless some are in flight. Returns how many are.
   * @param life see `push`.
   */
  reclaimSends(accountId: string, life?: number): Promise<number>
  /**
   * Returns changes since `after`.
   * @param bodiesAfter up to where every send was read; 0 until all were.
   */
  changes(accountId: string, after: number, bodiesAfter: number): Promise<SendChange[]>
  outbox(accountId: string): Promise<OutboxState>
  /**
   * Tells the server that a send arrived, whatever it has recorded.
   * @param of the draft that it was made from, if any.
   */
  reportSent(
    accountId: string,
    send: Pick<Claim, 'id' | 'epoch'>,
    answer: unknown,
    of?: (Partial<SentContent> & { draft: string }) | undefined
  ): Promise<void>
  /**
   * Tells the server that a send ended otherwise or was withheld, as of this revision. Returns whether the server has it
   * so now.
   */
  reportConcluded(
    accountId: string,
    send: { id: string; revision: number },
    state: 'cancelled' | 'held' | 'refused' | 'not-sent'
  ): Promise<boolean>
  /** Tells the server the time of a send that waits, as of this revision, if it has an earlier one. Returns whether it had. */
  reportTime(
    accountId: string,
    change: Pick<Claim, 'id' | 'content'> & { inMs: number; revision: number }
  ): Promise<boolean>
  /**
   * Begins a new life of the server, which has less than was read from it, unless another workstation did so before
   * (decision 59).
   */
  startNewLife(life: number): Promise<void>
  /** Takes or renews a lease. Returns whether this workstation holds it now. */
  lease(name: string, ms: number): Promise<boolean>
}

/**
 * Fails because the office's server isn't available.
 * @throws AppFailure `offline`
 */
export function failOfficeAway(): never {
  fail('offline', 'The office’s server isn’t available just now.', { next: 'Try again in a few minutes.' })
}

/** PostgreSQL's codes for being read-only, and for a full disk. */
const WRITE_ERRORS: ReadonlySet<string> = new Set(['25006', '53100'])

/** The office's server answers, but couldn't save. */
class Unwritable extends AppFailure {
  constructor() {
    super({
      code: 'offline',
      message: 'The office’s server can’t save this just now.',
      next: 'Try again in a few minutes. If it still can’t, tell your administrator.'
    })
  }
}

/** Recognises both the server's own error and the one `askOffice` makes of it. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof Unwritable || WRITE_ERRORS.has(codeOf(error))
}

/**
 * Queries the office's server, if it is available.
 * @param onError called with the original error, which is for the administrator: its message may contain data, its code
 * doesn't.
 * @throws AppFailure `offline`
 */
export async function askOffice<Office, Answer>(
  office: Office | undefined,
  question: (office: Office) => Promise<Answer>,
  onError: ((error: unknown) => void) | undefined
): Promise<Answer> {
  try {
    return await question(office ?? failOfficeAway())
  } catch (error) {
    if (office !== undefined) onError?.(error)
    if (isUnwritable(error)) throw new Unwritable()
    return failOfficeAway()
  }
}

/** `askOffice`, bound to the outbox of an office that may or may not be available. */
export type AskOutbox = <Answer>(question: (office: OfficeStore) => Promise<Answer>) => Promise<Answer>

/**
 * Returns a check whether a claim just obtained outlasts a request that starts now. The monotonic clock may stop while
 * the computer sleeps, the wall clock doesn't, so the larger elapsed time counts.
 * @param until by the monotonic clock.
 * @param limit how long a request may take, in milliseconds.
 */
export function claimValidityCheck(time: Pick<Time, 'now' | 'elapsed'>, until: number, limit: number): () => boolean {
  const [began, elapsed] = [time.now(), time.elapsed()]
  return () => Math.max(time.elapsed() - elapsed, time.now() - began) + limit <= until - elapsed
}

/** Page sizes for reading changes, and for reconciling. */
const PAGE = 200
const MAX_UNCERTAIN = 500

/**
 * Opens the office's outbox.
 * @param key the office's key; the server can't read what is sent or answered.
 */
export function openOfficeSends(deps: { pool: Pool; key: Buffer; time: Pick<Time, 'elapsed'> }): OfficeStore {
  const { pool, key, time } = deps

  async function ask<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await pool.query<Row>(sql, [...values])).rows
  }
  const sealContent = (accountId: string, id: string, content: Buffer) =>
    seal(key, contentIdentityOf(accountId, id), content)
  const unsealContent = (accountId: string, id: string, sealed: Buffer) =>
    unsealIfIntact(key, contentIdentityOf(accountId, id), sealed)

  /** Different for each send, so that the server can't tell who asks often. */
  const personTagOf = (id: string, by: string) => tagBy(key, `release:${id}\n${by}`)

  const sealAnswer = (accountId: string, { id, epoch }: Pick<Claim, 'id' | 'epoch'>, answer: unknown) =>
    seal(key, answerIdentityOf(accountId, id, epoch), Buffer.from(JSON.stringify(answer) ?? 'null'))

  async function finish(
    accountId: string,
    { id, epoch }: Pick<Claim, 'id' | 'epoch'>,
    end: AttemptEnd,
    answer: unknown
  ) {
    const sealed = sealAnswer(accountId, { id, epoch }, answer)
    const [row] = await ask<{ state: SendState }>('SELECT office.finish($1, $2, $3, $4) AS state', [
      ...[id, epoch, end, sealed]
    ])
    return row?.state ?? 'uncertain'
  }

  async function finishAndClaim(
    accountId: string,
    finished: Parameters<OfficeStore['finishAndClaim']>[1],
    limit: number
  ): ReturnType<OfficeStore['finishAndClaim']> {
    const askedAt = time.elapsed()
    const rows = await ask<TurnRow>('SELECT * FROM office.finish_and_claim($1, $2, $3, $4, $5, $6)', [
      accountId,
      finished.map(({ id }) => id),
      finished.map(({ epoch }) => epoch),
      finished.map(({ end }) => end),
      finished.map(({ id, epoch, answer }) => sealAnswer(accountId, { id, epoch }, answer)),
      limit
    ])
    const states = new Map(
      rows.flatMap((row) => (row.is_claim ? [] : [[answerIdentityOf(accountId, row.id, row.epoch), row.state]]))
    )
    const claims: Claim[] = []
    for (const row of rows) {
      if (!row.is_claim) continue
      const { id, epoch, lease_ms, sealed } = row
      const content = unsealContent(accountId, id, sealed)
      if (content) claims.push({ id, epoch, content, until: askedAt + lease_ms })
      // The others don't wait for this. If it fails, the claim expires by itself.
      else void finish(accountId, { id, epoch }, 'refused', 'altered').catch(() => undefined)
    }
    return {
      states: finished.map(({ id, epoch }) => states.get(answerIdentityOf(accountId, id, epoch)) ?? undefined),
      claims
    }
  }

  async function push(
    accountId: string,
    { id, content, inMs, revision, mayHaveArrived, isUncertain = false, of, life }: Parameters<OfficeStore['push']>[1]
  ): ReturnType<OfficeStore['push']> {
    const [row] = await ask<Awaited<ReturnType<OfficeStore['push']>>>(
      of
        ? 'SELECT state, revision FROM office.push_send_of_draft($9, $10, $1, $2, $3, $4, $5, $6, $11, $7, $8)'
        : 'SELECT state, revision FROM office.push_send($1, $2, $3, $4, $5, $6, $7, $8)',
      [
        ...[id, accountId, inMs, sealContent(accountId, id, content), revision, mayHaveArrived, isUncertain, life],
        ...(of ? [of.draft, of.basedOn, of.revision] : [])
      ]
    )
    return row ?? { state: 'cancelled', revision }
  }

  return {
    finish,
    push,

    async reschedule(accountId, { id, content, inMs, revision, life }) {
      const [row] = await ask<{ done: boolean }>('SELECT office.reschedule_send($1, $2, $3, $4, $5, $6) AS done', [
        ...[id, accountId, inMs, sealContent(accountId, id, content), revision, life]
      ])
      return row?.done === true
    },

    async account(name, { concurrency, perMinute }) {
      const tag = tagBy(key, `account:${name}`)
      const [row] = await ask<{ id: string }>('SELECT office.share_account($1, $2, $3) AS id', [
        tag,
        concurrency,
        perMinute
      ])
      const id = uuidOf(tag)
      // Otherwise this workstation would send another account's packages in the name of this one.
      if (row?.id !== id) throw new Error('The office’s server gives another account.')
      return id
    },

    async requireRelease(id, by) {
      await ask('SELECT office.require_release($1, $2)', [id, personTagOf(id, by)])
    },

    async release(id, by) {
      const [row] = await ask<{ is: boolean }>('SELECT office.release_send($1, $2) AS is', [id, personTagOf(id, by)])
      return row?.is === true
    },

    async decide(accountId, { id, content, inMs, revision, askedBy, by, isReleased, life }) {
      const [row] = await ask<{ is: boolean }>('SELECT office.decide_send($1, $2, $3, $4, $5, $6, $7, $8, $9) AS is', [
        ...[id, accountId, personTagOf(id, askedBy), personTagOf(id, by), isReleased, inMs],
        ...[sealContent(accountId, id, content), revision, life]
      ])
      return row?.is === true
    },

    async withhold(accountId, { id, revision }, as, life) {
      const [row] = await ask<{ revision: number | null }>('SELECT office.withhold($1, $2, $3, $4, $5) AS revision', [
        ...[id, accountId, revision, as, life]
      ])
      return row?.revision ?? undefined
    },

    async reclaimSends(accountId, life) {
      const [row] = await ask<{ count: number }>('SELECT office.reclaim_sends($1, $2) AS count', [accountId, life])
      return row?.count ?? 0
    },

    async recordFound(accountId, { id, epoch }, answer) {
      const [row] = await ask<{ done: boolean }>('SELECT office.record_found($1, $2, $3) AS done', [
        ...[id, epoch, sealAnswer(accountId, { id, epoch }, answer)]
      ])
      return row?.done === true
    },

    async reportSent(accountId, { id, epoch }, answer, of) {
      const values = [id, accountId, epoch, sealAnswer(accountId, { id, epoch }, answer)]
      if (!of) return void (await ask('SELECT office.report_sent($1, $2, $3, $4)', values))
      const { draft, versions = [], revision = 0 } = of
      await ask('SELECT office.report_draft_sent($1, $2, $3, $4, $5, $6, $7)', [draft, ...values, versions, revision])
    },

    async reportConcluded(accountId, { id, revision }, state) {
      const [row] = await ask<{ done: boolean }>('SELECT office.report_concluded($1, $2, $3, $4) AS done', [
        ...[id, accountId, revision, state]
      ])
      return row?.done === true
    },

    async reportTime(accountId, { id, content, inMs, revision }) {
      const [row] = await ask<{ done: boolean }>('SELECT office.report_time($1, $2, $3, $4, $5) AS done', [
        ...[id, accountId, inMs, sealContent(accountId, id, content), revision]
      ])
      return row?.done === true
    },

    async startNewLife(life) {
      await ask('SELECT office.start_new_life($1)', [life])
    },

    async changes(accountId, after, bodiesAfter) {
      const rows = await ask<ChangeRow>('SELECT * FROM office.send_changes($1, $2, $3, $4)', [
        ...[accountId, after, PAGE, bodiesAfter]
      ])
      return rows.map(
        ({
          is_mine,
          may_have_arrived,
          goes_ms,
          sealed,
          answer_epoch,
          answer,
          draft,
          draft_versions,
          draft_revision,
          ...row
        }) => {
          const content = sealed ? unsealContent(accountId, row.id, sealed) : undefined
          const answerBytes =
            answer && unsealIfIntact(key, answerIdentityOf(accountId, row.id, answer_epoch ?? 0), answer)
          return {
            ...row,
            isMine: is_mine,
            mayHaveArrived: may_have_arrived,
            goesIn: goes_ms,
            ...(content && { content }),
            ...(draft !== null && { draft }),
            ...(draft_revision > 0 && { of: { versions: draft_versions, revision: draft_revision } }),
            ...(answerBytes && { answer: JSON.parse(answerBytes.toString('utf8')) as unknown })
          }
        }
      )
    },

    async outbox(accountId) {
      const [row] = await ask<OutboxRow>('SELECT *, office.current_life() AS life FROM office.outbox_state($1)', [
        accountId
      ])
      if (!row) throw new Error('The office has no such outbox.')
      const { concurrency, per_minute, paused_by, paused_ms, seq, life } = row
      return {
        concurrency,
        perMinute: per_minute,
        pausedFor: paused_ms ?? 0,
        seq,
        life,
        ...(paused_by && { pausedBy: paused_by })
      }
    },

    async lease(name, ms) {
      return (await ask('SELECT epoch FROM office.hold_lease($1, $2)', [name, ms])).length > 0
    },

    async configure(accountId, { concurrency, perMinute }) {
      await ask('SELECT office.set_outbox($1, $2, $3)', [accountId, concurrency, perMinute])
    },

    async put(accountId, id, content, inMs = 0) {
      await push(accountId, { id, content, inMs, revision: 1, mayHaveArrived: false })
    },

    finishAndClaim,

    async claim(accountId, limit) {
      return (await finishAndClaim(accountId, [], limit)).claims
    },

    async expireClaims(accountId) {
      await ask('SELECT office.expire_claims($1)', [accountId])
    },

    async uncertainSends(accountId) {
      const rows = await ask<{ id: string; epoch: number; sealed: Buffer }>(
        'SELECT * FROM office.uncertain_sends($1, $2)',
        [...[accountId, MAX_UNCERTAIN]]
      )
      return rows.flatMap(({ id, epoch, sealed }) => {
        const content = unsealContent(accountId, id, sealed)
        return content ? [{ id, epoch, content }] : []
      })
    },

    async conclude({ id, epoch }, state) {
      const [row] = await ask<{ done: boolean }>('SELECT office.conclude($1, $2, $3) AS done', [id, epoch, state])
      return row?.done === true
    },

    async cancel(id) {
      const [row] = await ask<{ done: boolean }>('SELECT office.cancel_send($1) AS done', [id])
      return row?.done === true
    },

    async pause(accountId) {
      await ask('SELECT office.pause_outbox($1)', [accountId])
    },

    async resume(accountId) {
      await ask('SELECT office.resume_outbox($1)', [accountId])
    },

    async stateOf(id) {
      const [row] = await ask<{ state: SendState | null }>('SELECT office.state_of($1) AS state', [id])
      return row?.state ?? undefined
    }
  }
}

/** With the account: a send that is moved to another account on the server must not leave in that one's name. */
const contentIdentityOf = (accountId: string, id: string) => `send:${accountId}:${id}`
const answerIdentityOf = (accountId: string, id: string, epoch: number) => `answer:${accountId}:${id}:${epoch}`

interface ChangeRow
  extends Omit<SendChange, 'isMine' | 'mayHaveArrived' | 'goesIn' | 'content' | 'answer' | 'draft' | 'of'> {
  is_mine: boolean
  may_have_arrived: boolean
  goes_ms: number
  sealed: Buffer | null
  answer_epoch: number | null
  answer: Buffer | null
  draft: string | null
  draft_versions: string[]
  draft_revision: number
}

type TurnRow = Pick<Claim, 'id' | 'epoch'> &
  ({ is_claim: false; state: OfficeSendState | null } | { is_claim: true; lease_ms: number; sealed: Buffer })

interface OutboxRow {
  concurrency: number
  per_minute: number | null
  paused_by: 'person' | 'service' | 'restored' | null
  paused_ms: number | null
  seq: number
  life: number
}
