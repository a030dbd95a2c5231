/** The office's outbox: its functions on the server, with contents and answers sealed. */
import type { Pool } from 'pg'
import type { SendState } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { queriesOf } from './queries.ts'
import { seal, tagBy, unsealIfIntact, uuidOf } from './sealing.ts'
import type { AttemptEnd, Claim, OfficeSendState, OfficeStore, SendChange } from './send-store.ts'

/** Page sizes for reading changes, and for reconciling. */
const PAGE = 200
const MAX_UNCERTAIN = 500

/** Opens the office's outbox. @param key the office's key; the server can't read what is sent or answered. */
export function openOfficeSends(deps: { pool: Pool; key: Buffer; time: Pick<Time, 'elapsed'> }): OfficeStore {
  const { pool, key, time } = deps

  const { rows: ask, value: askValue, isTrue: askWhether } = queriesOf(pool)
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
    const state = await askValue<SendState>('SELECT office.finish($1, $2, $3, $4)', id, epoch, end, sealed)
    return state ?? 'uncertain'
  }

  async function finishAndClaim(
    accountId: string,
    finished: Parameters<OfficeStore['finishAndClaim']>[1],
    limit: number
  ): ReturnType<OfficeStore['finishAndClaim']> {
    const askedAt = time.elapsed()
    const rows = await ask<TurnRow>(
      'SELECT * FROM office.finish_and_claim($1, $2, $3, $4, $5, $6)',
      ...[accountId, finished.map(({ id }) => id), finished.map(({ epoch }) => epoch), finished.map(({ end }) => end)],
      ...[finished.map(({ id, epoch, answer }) => sealAnswer(accountId, { id, epoch }, answer)), limit]
    )
    const states = new Map(
      rows.flatMap((row) => (row.isClaim ? [] : [[answerIdentityOf(accountId, row.id, row.epoch), row.state]]))
    )
    const claims: Claim[] = []
    for (const row of rows) {
      if (!row.isClaim) continue
      const { id, epoch, leaseMs, sealed } = row
      const content = unsealContent(accountId, id, sealed)
      if (content) claims.push({ id, epoch, content, until: askedAt + leaseMs })
      // The others don't wait for this. If it fails, the claim expires by itself.
      else void finish(accountId, { id, epoch }, 'refused', 'altered').catch(() => undefined)
    }
    return {
      states: finished.map(({ id, epoch }) => states.get(answerIdentityOf(accountId, id, epoch))),
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
      ...[id, accountId, inMs, sealContent(accountId, id, content), revision, mayHaveArrived, isUncertain, life],
      ...(of ? [of.draft, of.basedOn, of.revision] : [])
    )
    return row ?? { state: 'cancelled', revision }
  }

  return {
    finish,
    push,

    reschedule: (accountId, { id, content, inMs, revision, life }) =>
      askWhether(
        'SELECT office.reschedule_send($1, $2, $3, $4, $5, $6)',
        ...[id, accountId, inMs, sealContent(accountId, id, content), revision, life]
      ),

    async account(name, { concurrency, perMinute }) {
      const tag = tagBy(key, `account:${name}`)
      const id = uuidOf(tag)
      const given = await askValue('SELECT office.share_account($1, $2, $3)', tag, concurrency, perMinute)
      // Otherwise this workstation would send another account's packages in the name of this one.
      if (given !== id) throw new Error('The office’s server gives another account.')
      return id
    },

    async requireRelease(id, by) {
      await ask('SELECT office.require_release($1, $2)', id, personTagOf(id, by))
    },

    release: (id, by) => askWhether('SELECT office.release_send($1, $2)', id, personTagOf(id, by)),

    decide: (accountId, { id, content, inMs, revision, askedBy, by, isReleased, life }) =>
      askWhether(
        'SELECT office.decide_send($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        ...[id, accountId, personTagOf(id, askedBy), personTagOf(id, by), isReleased, inMs],
        ...[sealContent(accountId, id, content), revision, life]
      ),

    withhold: (accountId, { id, revision }, as, life) =>
      askValue('SELECT office.withhold($1, $2, $3, $4, $5)', id, accountId, revision, as, life),

    async reclaimSends(accountId, life) {
      return (await askValue('SELECT office.reclaim_sends($1, $2)', accountId, life)) ?? 0
    },

    recordFound: (accountId, { id, epoch }, answer) =>
      askWhether('SELECT office.record_found($1, $2, $3)', id, epoch, sealAnswer(accountId, { id, epoch }, answer)),

    async reportSent(accountId, { id, epoch }, answer, of) {
      const values = [id, accountId, epoch, sealAnswer(accountId, { id, epoch }, answer)]
      if (!of) return void (await ask('SELECT office.report_sent($1, $2, $3, $4)', ...values))
      const { draft, versions = [], revision = 0 } = of
      await ask('SELECT office.report_draft_sent($1, $2, $3, $4, $5, $6, $7)', draft, ...values, versions, revision)
    },

    reportConcluded: (accountId, { id, revision }, state) =>
      askWhether('SELECT office.report_concluded($1, $2, $3, $4)', id, accountId, revision, state),

    reportTime: (accountId, { id, content, inMs, revision }) =>
      askWhether(
        'SELECT office.report_time($1, $2, $3, $4, $5)',
        ...[id, accountId, inMs, sealContent(accountId, id, content), revision]
      ),

    async startNewLife(life) {
      await ask('SELECT office.start_new_life($1)', life)
    },

    async changes(accountId, after, bodiesAfter) {
      const rows = await ask<ChangeRow>(
        'SELECT * FROM office.send_changes($1, $2, $3, $4)',
        ...[accountId, after, PAGE, bodiesAfter]
      )
      return rows.map(({ goesMs, sealed, answerEpoch = 0, answer, draftVersions, draftRevision, ...row }) => {
        const content = sealed && unsealContent(accountId, row.id, sealed)
        const answerBytes = answer && unsealIfIntact(key, answerIdentityOf(accountId, row.id, answerEpoch), answer)
        return {
          ...row,
          goesIn: goesMs,
          ...(content && { content }),
          ...(draftRevision > 0 && { of: { versions: draftVersions, revision: draftRevision } }),
          ...(answerBytes && { answer: JSON.parse(answerBytes.toString('utf8')) as unknown })
        }
      })
    },

    async outbox(accountId) {
      const [row] = await ask<OutboxRow>(
        'SELECT *, office.current_life() AS life FROM office.outbox_state($1)',
        accountId
      )
      if (!row) throw new Error('The office has no such outbox.')
      const { concurrency, perMinute = null, pausedBy, pausedMs = 0, seq, life } = row
      return { concurrency, perMinute, pausedFor: pausedMs, seq, life, ...(pausedBy && { pausedBy }) }
    },

    async lease(name, ms) {
      return (await ask('SELECT epoch FROM office.hold_lease($1, $2)', name, ms)).length > 0
    },

    async configure(accountId, { concurrency, perMinute }) {
      await ask('SELECT office.set_outbox($1, $2, $3)', accountId, concurrency, perMinute)
    },

    async put(accountId, id, content, inMs = 0) {
      await push(accountId, { id, content, inMs, revision: 1, mayHaveArrived: false })
    },

    finishAndClaim,

    async claim(accountId, limit) {
      return (await finishAndClaim(accountId, [], limit)).claims
    },

    async expireClaims(accountId) {
      await ask('SELECT office.expire_claims($1)', accountId)
    },

    async uncertainSends(accountId) {
      const rows = await ask<{ id: string; epoch: number; sealed: Buffer }>(
        'SELECT * FROM office.uncertain_sends($1, $2)',
        ...[accountId, MAX_UNCERTAIN]
      )
      return rows.flatMap(({ id, epoch, sealed }) => {
        const content = unsealContent(accountId, id, sealed)
        return content ? [{ id, epoch, content }] : []
      })
    },

    conclude: ({ id, epoch }, state, said) =>
      askWhether(
        'SELECT office.conclude($1, $2, $3, $4)',
        ...[id, epoch, state, said && sealContent(said.accountId, id, said.content)]
      ),

    cancel: (id) => askWhether('SELECT office.cancel_send($1)', id),

    async pause(accountId) {
      await ask('SELECT office.pause_outbox($1)', accountId)
    },

    async resume(accountId) {
      await ask('SELECT office.resume_outbox($1)', accountId)
    },

    stateOf: (id) => askValue('SELECT office.state_of($1)', id)
  }
}

/** With the account: a send that is moved to another account on the server must not leave in that one's name. */
const contentIdentityOf = (accountId: string, id: string) => `send:${accountId}:${id}`
const answerIdentityOf = (accountId: string, id: string, epoch: number) => `answer:${accountId}:${id}:${epoch}`

interface ChangeRow extends Omit<SendChange, 'goesIn' | 'content' | 'answer' | 'of'> {
  goesMs: number
  sealed?: Buffer
  answerEpoch?: number
  answer?: Buffer
  draftVersions: string[]
  draftRevision: number
}

type TurnRow = Pick<Claim, 'id' | 'epoch'> &
  ({ isClaim: false; state?: OfficeSendState } | { isClaim: true; leaseMs: number; sealed: Buffer })

interface OutboxRow {
  concurrency: number
  perMinute?: number
  pausedBy?: 'person' | 'service' | 'restored'
  pausedMs?: number
  seq: number
  life: number
}
