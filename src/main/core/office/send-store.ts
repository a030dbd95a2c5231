/**
 * What a store of sends promises. One workstation at a time claims a send, a send leaves once, and it becomes uncertain
 * if its holder disappears. There are two stores with these guarantees: the office's (`sends.ts`), with more that an
 * outbox shared by workstations needs, and the embedded database (`core/outbox`).
 */
import type { SendState } from '../../../shared/contract/index.ts'

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

type UncertainSend = Pick<Claim, 'id' | 'epoch' | 'content'>

/** The guarantees of every store of sends; `test/office/send-store.test.ts` checks each store against them. */
export interface SendStore {
  /** Sets how many may be in flight at a time, and how many may be sent per minute. */
  configure(accountId: string, limits: { concurrency: number; perMinute: number | null }): Promise<void>
  /** Stores a send; repeating the id has no effect. @param inMs in how many milliseconds it may be sent. */
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

export interface SendChange extends Pick<Claim, 'id' | 'epoch'> {
  /** Its position in the order of the account's changes. */
  readonly seq: number
  readonly state: OfficeSendState
  readonly revision: number
  /** The name of the workstation that created it. */
  readonly maker: string
  readonly isMine: boolean
  readonly attempt: number
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
  /** @param said the content of the send with what a person said of it, if they did. */
  conclude(
    send: Pick<Claim, 'id' | 'epoch'>,
    state: 'ready' | 'not-sent' | 'refused',
    said?: { accountId: string; content: Buffer }
  ): Promise<boolean>
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
   * one than was asked for if another workstation changed it meanwhile. That one is reported to a restored server.
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
  /** Returns changes since `after`. @param bodiesAfter up to where every send was read; 0 until all were. */
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

/** `askOffice`, bound to the outbox of an office that may or may not be available. */
export type AskOutbox = <Answer>(question: (office: OfficeStore) => Promise<Answer>) => Promise<Answer>
