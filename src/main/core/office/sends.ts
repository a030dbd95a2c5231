/**
 * The office's outbox: a send is claimed by one workstation at a time, leaves once, and is in doubt where its holder is gone. This
 * is one of two stores that keep the same promises; the other is the embedded database (`core/outbox`).
 */
import type { Pool } from 'pg'
import type { SendState } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { seal, unsealIfWhole } from './sealing.ts'

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
  settle(send: Pick<Claim, 'id' | 'epoch'>, state: 'sent' | 'ready' | 'not-sent'): Promise<boolean>
  /** Whether it had not left, nor may have: then it never will. */
  takeBack(id: string): Promise<boolean>
  pause(accountId: string): Promise<void>
  resume(accountId: string): Promise<void>
  stateOf(id: string): Promise<SendState | undefined>
}

/** So many are looked for at a time. */
const MOST_IN_DOUBT = 500

/** @param key the office's: what is sent, and what was answered, the server can't read. */
export function openOfficeSends(deps: { pool: Pool; key: Buffer; time: Pick<Time, 'elapsed'> }): SendStore {
  const { pool, key, time } = deps

  async function ask<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await pool.query<Row>(sql, [...values])).rows
  }
  const opened = (id: string, sealed: Buffer) => unsealIfWhole(key, contentOf(id), sealed)

  async function finish({ id, epoch }: Pick<Claim, 'id' | 'epoch'>, end: AttemptEnd, answer: unknown) {
    const sealed = seal(key, `answer:${id}:${epoch}`, Buffer.from(JSON.stringify(answer) ?? ''))
    const [row] = await ask<{ state: SendState }>('SELECT office.finish($1, $2, $3, $4) AS state', [
      ...[id, epoch, end, sealed]
    ])
    return row?.state ?? 'uncertain'
  }

  return {
    finish,

    async configure(accountId, { concurrency, perMinute }) {
      await ask('SELECT office.set_outbox($1, $2, $3)', [accountId, concurrency, perMinute])
    },

    async put(accountId, id, content, inMs = 0) {
      await ask('SELECT office.put_send($1, $2, $3, $4)', [id, accountId, inMs, seal(key, contentOf(id), content)])
    },

    async claim(accountId, most) {
      const asked = time.elapsed()
      const rows = await ask<{ id: string; epoch: number; lease_ms: number; sealed: Buffer }>(
        'SELECT id, epoch, lease_ms, sealed FROM office.claim($1, $2)',
        [accountId, most]
      )
      const claims: Claim[] = []
      for (const { id, epoch, lease_ms, sealed } of rows) {
        const content = opened(id, sealed)
        if (content) claims.push({ id, epoch, content, until: asked + lease_ms })
        else await finish({ id, epoch }, 'refused', 'altered')
      }
      return claims
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
