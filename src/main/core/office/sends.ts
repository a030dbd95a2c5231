/**
 * The office's outbox: a send is claimed by one workstation at a time, leaves once, and is in doubt where its holder is gone. This
 * is one of two stores that keep the same promises; the other is the embedded database (`core/outbox`).
 */
import type { Pool } from 'pg'
import type { SendState } from '../../../shared/contract/index.ts'
import { AppFailure, codeOf, fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { seal, tagBy, unsealIfWhole } from './sealing.ts'

/** What came of an attempt. nothing-left: it can't have arrived. stopped: neither, and it concerns all that would follow. */
export type AttemptEnd = 'accepted' | 'refused' | 'uncertain' | 'nothing-left' | 'stopped'

/** A send that this workstation has, and the others have not. */
export interface Claim {
  readonly id: string
  /** Which of its claims this is. */
  readonly epoch: number
  /** Until when it is ours, on this computer's clock that never jumps: counted from before it was asked for. */
  readonly until: number
  readonly content: Buffer
}

/** A send that is in doubt, as it is looked for. */
type InDoubt = Pick<Claim, 'id' | 'epoch' | 'content'>

/** What every store of sends promises; `test/office/send-store.test.ts` holds each to it. */
export interface SendStore {
  /** How many may be under way at a time, and how many may leave a minute. */
  configure(accountId: string, limits: { concurrency: number; perMinute: number | null }): Promise<void>
  /** Keeps one; the same id again is the same send. @param inMs from now until it may leave. */
  put(accountId: string, id: string, content: Buffer, inMs?: number): Promise<void>
  /** Takes sends whose time has come; each is `sending` before this answers, and nobody else's. */
  claim(accountId: string, most: number): Promise<Claim[]>
  /** Writes down what came of an attempt; answers what the send is then. What is no longer ours, only success changes. */
  finish(claim: Pick<Claim, 'id' | 'epoch'>, end: AttemptEnd, answer: unknown): Promise<SendState>
  /** Sends whose holder is gone become uncertain, never ready. */
  lapse(accountId: string): Promise<void>
  uncertain(accountId: string): Promise<InDoubt[]>
  /** What looks have shown; whether it was still in doubt. It goes again no sooner than two looks can have been. */
  settle(send: Pick<Claim, 'id' | 'epoch'>, state: 'sent' | 'ready' | 'not-sent' | 'refused'): Promise<boolean>
  /** Whether it had not left, nor may have: then it never will. */
  takeBack(id: string): Promise<boolean>
  pause(accountId: string): Promise<void>
  resume(accountId: string): Promise<void>
  stateOf(id: string): Promise<SendState | undefined>
}

/** A send as the office has it; held: with its workstation again. */
export type OfficeState = SendState | 'held'

/** A send that was changed, as it is now. */
export interface SendChange extends Pick<Claim, 'id' | 'epoch'> {
  /** Its place in the order of all changes of the account. */
  readonly rev: number
  readonly state: OfficeState
  readonly round: number
  /** The name of the workstation that made it. */
  readonly maker: string
  readonly isMine: boolean
  readonly attempt: number
  /** Whether an attempt may have arrived. */
  readonly isInDoubt: boolean
  /** In milliseconds from now, 0 for at once. */
  readonly goesIn: number
  /** Absent where it was read before. */
  readonly content?: Buffer
  /** What came of its newest attempt, as it was said; absent where nothing was, or it was altered on the server. */
  readonly answer?: unknown
  /** Which content of its draft it is, where that was said. */
  readonly of?: SentContent
}

/** Which of a draft's contents a send is of: by the office's ids of it, and how many there were with it. */
export interface SentContent {
  readonly versions: readonly string[]
  readonly round: number
}

/** How an account's outbox stands for the whole office. */
export interface OutboxState {
  readonly concurrency: number
  readonly perMinute: number | null
  /** restored: the server was put back to an earlier moment. */
  readonly pausedBy?: 'person' | 'service' | 'restored'
  /** For how long, in milliseconds. */
  readonly pausedFor: number
  /** The newest change of its sends. */
  readonly rev: number
  /** Of the office's lives the one that this is; 0 for one that nobody has noticed yet (decision 59). */
  readonly life: number
}

/**
 * Why the office didn't take a send of a draft that it has. taken: that is being sent, or was, by another. gone: it is no more, or its
 * maker's own. changed: it is another by now.
 */
export type NotTaken = 'taken' | 'gone' | 'changed'

/** What workstations ask beyond that, to show and move one outbox together. Every call rejects while the server can't be reached. */
export interface OfficeStore extends SendStore {
  /** The office's id of an account that its workstations have in common, by where its service is and what it is called. */
  account(name: string, limits: { concurrency: number; perMinute: number | null }): Promise<string>
  /**
   * Writes down what came of attempts, in the order in which they ended, and takes what may leave next, as `finish` and `claim` do, in one
   * question: a lane isn't empty meanwhile.
   * @returns what each is then; undefined of an attempt that the office knows nothing of, as one that a backup was put in place of.
   */
  turn(
    accountId: string,
    ended: readonly (Pick<Claim, 'id' | 'epoch'> & { end: AttemptEnd; answer: unknown })[],
    most: number
  ): Promise<{ states: (OfficeState | undefined)[]; claims: Claim[] }>
  /**
   * Gives one to be sent: new, once more, or at another time. What was said in an earlier round changes nothing.
   * @param send `of`: the draft that it is of, where the office has that, and which of its contents it was made of, how many there were with that.
   * @returns what the office has then, or why nothing was given.
   */
  give(
    accountId: string,
    send: Pick<Claim, 'id' | 'content'> & {
      inMs: number
      round: number
      isInDoubt: boolean
      of?: { draft: string; basedOn: readonly string[]; round: number }
    }
  ): Promise<{ state: OfficeState | NotTaken; round: number }>
  /**
   * Keeps one from leaving, also where it never came here; whether it can't leave now. @param life the one of which all is known to who asks:
   * rejects in any other.
   */
  withhold(
    accountId: string,
    send: { id: string; round: number },
    as: 'held' | 'cancelled',
    life: number
  ): Promise<boolean>
  /** Nobody can claim it until someone else than this one of staff, by their id, has released it. Before it is given. */
  askRelease(id: string, by: string): Promise<void>
  /** Whether it is released by them; not by who asked, nor where another has decided. */
  release(id: string, by: string): Promise<boolean>
  /**
   * Takes what someone of staff decided of one that waits here, with the content that says so.
   * @param decision `askedBy`, `by`: of staff, by their ids. `inMs`: in how many milliseconds it leaves.
   * @returns whether it is decided so; false, and nothing is changed, where another has decided, or changed it, or `by` is who asked.
   */
  decide(
    accountId: string,
    decision: Pick<Claim, 'id' | 'content'> & {
      inMs: number
      round: number
      askedBy: string
      by: string
      isReleased: boolean
    }
  ): Promise<boolean>
  /** Gives back all that this workstation made and that isn't over; answers how many are under way. */
  takeAlong(accountId: string): Promise<number>
  /** Looks have shown that one arrived; whether it still was in doubt. */
  found(send: Pick<Claim, 'id' | 'epoch'>, answer: unknown): Promise<boolean>
  /** @param bodiesAfter up to where every send was read: 0 while that isn't so of all. */
  changes(accountId: string, after: number, bodiesAfter: number): Promise<SendChange[]>
  outbox(accountId: string): Promise<OutboxState>
  /** This workstation knows that a send arrived, whatever the server has of it. @param of the draft that it was of, where it was of one. */
  knowSent(
    accountId: string,
    send: Pick<Claim, 'id' | 'epoch'>,
    answer: unknown,
    of?: (Partial<SentContent> & { draft: string }) | undefined
  ): Promise<void>
  /** The same of one that is over otherwise, or was kept back, as of this round; whether the server has it so now. */
  knowOver(
    accountId: string,
    send: { id: string; round: number },
    state: 'cancelled' | 'held' | 'refused' | 'not-sent'
  ): Promise<boolean>
  /** The server has less than was read of it: unless another has said so before, it begins another life (decision 59). */
  setBack(life: number): Promise<void>
  /** Whether this workstation has what only one does at a time, for so many milliseconds. */
  lease(name: string, ms: number): Promise<boolean>
}

/** @throws AppFailure: what a person is told where the office can't be asked. */
export function officeIsAway(): never {
  fail('offline', 'The office’s server isn’t available just now.', { next: 'Try again in a few minutes.' })
}

/** How PostgreSQL says that it is read-only, and that its disk is full. */
const CANNOT_WRITE: ReadonlySet<string> = new Set(['25006', '53100'])

/** The office's server answers, and couldn't write down what it was to. */
class Unwritable extends AppFailure {
  constructor() {
    super({
      code: 'offline',
      message: 'The office’s server can’t save this just now.',
      next: 'Try again in a few minutes. If it still can’t, tell your administrator.'
    })
  }
}

/** Whether the server itself said so, or `askOffice` for it. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof Unwritable || CANNOT_WRITE.has(codeOf(error))
}

/**
 * Asks the office's server, where it is there. @throws AppFailure `offline`
 * @param trouble called with why it couldn't be asked: what the server says of that is for its administrator, and may hold data; its
 *   code doesn't.
 */
export async function askOffice<Office, Answer>(
  office: Office | undefined,
  question: (office: Office) => Promise<Answer>,
  trouble: ((error: unknown) => void) | undefined
): Promise<Answer> {
  try {
    return await question(office ?? officeIsAway())
  } catch (error) {
    if (office !== undefined) trouble?.(error)
    if (isUnwritable(error)) throw new Unwritable()
    return officeIsAway()
  }
}

/** The same of the outbox of an office that is there just now, or isn't. */
export type AskOutbox = <Answer>(question: (office: OfficeStore) => Promise<Answer>) => Promise<Answer>

/**
 * Answers whether a claim that was just got still outlasts a request that leaves now. The clock that never jumps may stand still while
 * the computer sleeps, the one on the wall doesn't: the stricter counts.
 * @param until on the former. @param limit how long a request may take, in milliseconds.
 */
export function outlasting(time: Pick<Time, 'now' | 'elapsed'>, until: number, limit: number): () => boolean {
  const [began, elapsed] = [time.now(), time.elapsed()]
  return () => Math.max(time.elapsed() - elapsed, time.now() - began) + limit <= until - elapsed
}

/** So many are looked for, and read, at a time. */
const PAGE = 200
const MOST_IN_DOUBT = 500

/** @param key the office's: what is sent, and what was answered, the server can't read. */
export function openOfficeSends(deps: { pool: Pool; key: Buffer; time: Pick<Time, 'elapsed'> }): OfficeStore {
  const { pool, key, time } = deps

  async function ask<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await pool.query<Row>(sql, [...values])).rows
  }
  const opened = (id: string, sealed: Buffer) => unsealIfWhole(key, contentOf(id), sealed)

  /** Another of each send, so that the server can't tell who asks often. */
  const personOf = (id: string, by: string) => tagBy(key, `release:${id}\n${by}`)

  const sealedAnswer = (id: string, epoch: number, answer: unknown) =>
    seal(key, answerOf(id, epoch), Buffer.from(JSON.stringify(answer) ?? 'null'))

  async function finish({ id, epoch }: Pick<Claim, 'id' | 'epoch'>, end: AttemptEnd, answer: unknown) {
    const sealed = sealedAnswer(id, epoch, answer)
    const [row] = await ask<{ state: SendState }>('SELECT office.finish($1, $2, $3, $4) AS state', [
      ...[id, epoch, end, sealed]
    ])
    return row?.state ?? 'uncertain'
  }

  async function turn(
    accountId: string,
    ended: Parameters<OfficeStore['turn']>[1],
    most: number
  ): ReturnType<OfficeStore['turn']> {
    const asked = time.elapsed()
    const rows = await ask<TurnRow>('SELECT * FROM office.take_turn($1, $2, $3, $4, $5, $6)', [
      accountId,
      ended.map(({ id }) => id),
      ended.map(({ epoch }) => epoch),
      ended.map(({ end }) => end),
      ended.map(({ id, epoch, answer }) => sealedAnswer(id, epoch, answer)),
      most
    ])
    const states = new Map(rows.flatMap((row) => (row.is_claim ? [] : [[answerOf(row.id, row.epoch), row.state]])))
    const claims: Claim[] = []
    for (const row of rows) {
      if (!row.is_claim) continue
      const { id, epoch, lease_ms, sealed } = row
      const content = opened(id, sealed)
      if (content) claims.push({ id, epoch, content, until: asked + lease_ms })
      // The others don't wait for that. Where it isn't said, its claim ends by itself.
      else void finish({ id, epoch }, 'refused', 'altered').catch(() => undefined)
    }
    return { states: ended.map(({ id, epoch }) => states.get(answerOf(id, epoch)) ?? undefined), claims }
  }

  async function give(
    accountId: string,
    { id, content, inMs, round, isInDoubt, of }: Parameters<OfficeStore['give']>[1]
  ): ReturnType<OfficeStore['give']> {
    const [row] = await ask<Awaited<ReturnType<OfficeStore['give']>>>(
      of
        ? 'SELECT state, round FROM office.put_send_of($7, $8, $1, $2, $3, $4, $5, $6, $9)'
        : 'SELECT state, round FROM office.put_send($1, $2, $3, $4, $5, $6)',
      [
        ...[id, accountId, inMs, seal(key, contentOf(id), content), round, isInDoubt],
        ...(of ? [of.draft, of.basedOn, of.round] : [])
      ]
    )
    return row ?? { state: 'cancelled', round }
  }

  return {
    finish,
    give,

    async account(name, { concurrency, perMinute }) {
      const tag = tagBy(key, `account:${name}`)
      const [row] = await ask<{ id: string }>('SELECT office.share_account($1, $2, $3) AS id', [
        tag,
        concurrency,
        perMinute
      ])
      return row?.id ?? ''
    },

    async askRelease(id, by) {
      await ask('SELECT office.ask_release($1, $2)', [id, personOf(id, by)])
    },

    async release(id, by) {
      const [row] = await ask<{ is: boolean }>('SELECT office.release_send($1, $2) AS is', [id, personOf(id, by)])
      return row?.is === true
    },

    async decide(accountId, { id, content, inMs, round, askedBy, by, isReleased }) {
      const [row] = await ask<{ is: boolean }>('SELECT office.decide_send($1, $2, $3, $4, $5, $6, $7, $8) AS is', [
        ...[id, accountId, personOf(id, askedBy), personOf(id, by), isReleased, inMs],
        ...[seal(key, contentOf(id), content), round]
      ])
      return row?.is === true
    },

    async withhold(accountId, { id, round }, as, life) {
      const [row] = await ask<{ done: boolean }>('SELECT office.withhold($1, $2, $3, $4, $5) AS done', [
        ...[id, accountId, round, as, life]
      ])
      return row?.done === true
    },

    async takeAlong(accountId) {
      const [row] = await ask<{ count: number }>('SELECT office.return_sends($1) AS count', [accountId])
      return row?.count ?? 0
    },

    async found({ id, epoch }, answer) {
      const [row] = await ask<{ done: boolean }>('SELECT office.settle_found($1, $2, $3) AS done', [
        ...[id, epoch, sealedAnswer(id, epoch, answer)]
      ])
      return row?.done === true
    },

    async knowSent(accountId, { id, epoch }, answer, of) {
      const its = [id, accountId, epoch, sealedAnswer(id, epoch, answer)]
      if (!of) return void (await ask('SELECT office.know_sent($1, $2, $3, $4)', its))
      const { draft, versions = [], round = 0 } = of
      await ask('SELECT office.know_draft_sent($1, $2, $3, $4, $5, $6, $7)', [draft, ...its, versions, round])
    },

    async knowOver(accountId, { id, round }, state) {
      const [row] = await ask<{ done: boolean }>('SELECT office.know_over($1, $2, $3, $4) AS done', [
        ...[id, accountId, round, state]
      ])
      return row?.done === true
    },

    async setBack(life) {
      await ask('SELECT office.set_back($1)', [life])
    },

    async changes(accountId, after, bodiesAfter) {
      const rows = await ask<ChangeRow>('SELECT * FROM office.send_changes($1, $2, $3, $4)', [
        ...[accountId, after, PAGE, bodiesAfter]
      ])
      return rows.map(
        ({ is_mine, is_in_doubt, goes_ms, sealed, answer_epoch, answer, draft_versions, draft_round, ...row }) => {
          const content = sealed ? opened(row.id, sealed) : undefined
          const said = answer && unsealIfWhole(key, answerOf(row.id, answer_epoch ?? 0), answer)
          return {
            ...{ ...row, isMine: is_mine, isInDoubt: is_in_doubt, goesIn: goes_ms },
            ...(content && { content }),
            ...(draft_round > 0 && { of: { versions: draft_versions, round: draft_round } }),
            ...(said && { answer: JSON.parse(said.toString('utf8')) as unknown })
          }
        }
      )
    },

    async outbox(accountId) {
      const [row] = await ask<OutboxRow>('SELECT *, office.current_life() AS life FROM office.outbox_state($1)', [
        accountId
      ])
      if (!row) throw new Error('The office has no such outbox.')
      const { concurrency, per_minute, paused_by, paused_ms, rev, life } = row
      return {
        ...{ concurrency, perMinute: per_minute, pausedFor: paused_ms ?? 0, rev, life },
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
      await give(accountId, { id, content, inMs, round: 1, isInDoubt: false })
    },

    turn,

    async claim(accountId, most) {
      return (await turn(accountId, [], most)).claims
    },

    async lapse(accountId) {
      await ask('SELECT office.lapse($1)', [accountId])
    },

    async uncertain(accountId) {
      const rows = await ask<{ id: string; epoch: number; sealed: Buffer }>('SELECT * FROM office.uncertain($1, $2)', [
        ...[accountId, MOST_IN_DOUBT]
      ])
      return rows.flatMap(({ id, epoch, sealed }) => {
        const content = opened(id, sealed)
        return content ? [{ id, epoch, content }] : []
      })
    },

    async settle({ id, epoch }, state) {
      const [row] = await ask<{ done: boolean }>('SELECT office.settle($1, $2, $3) AS done', [id, epoch, state])
      return row?.done === true
    },

    async takeBack(id) {
      const [row] = await ask<{ done: boolean }>('SELECT office.take_back($1) AS done', [id])
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

const contentOf = (id: string) => `send:${id}`
const answerOf = (id: string, epoch: number) => `answer:${id}:${epoch}`

interface ChangeRow extends Omit<SendChange, 'isMine' | 'isInDoubt' | 'goesIn' | 'content' | 'answer' | 'of'> {
  is_mine: boolean
  is_in_doubt: boolean
  goes_ms: number
  sealed: Buffer | null
  answer_epoch: number | null
  answer: Buffer | null
  draft_versions: string[]
  draft_round: number
}

type TurnRow = Pick<Claim, 'id' | 'epoch'> &
  ({ is_claim: false; state: OfficeState | null } | { is_claim: true; lease_ms: number; sealed: Buffer })

interface OutboxRow {
  concurrency: number
  per_minute: number | null
  paused_by: 'person' | 'service' | 'restored' | null
  paused_ms: number | null
  rev: number
  life: number
}
