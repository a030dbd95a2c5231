/**
 * Takes the sends that leave a shared account: claims each at the office's server, stores it as `sending` before
 * anything leaves, and tells the office the result. The counterpart of `leaving.ts`, which serves accounts of this
 * computer alone.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import type { OneAtATime } from '../jobs/lanes.ts'
import { firstAccepted } from '../jobs/recording.ts'
import { AppFailure } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import {
  type AskOutbox,
  type Claim,
  isUnwritable,
  type OfficeState,
  type OfficeStore,
  outlasting
} from '../office/sends.ts'
import { withoutFlush } from '../storage/connection.ts'
import { type Ended, type Outcome, recorder, referencesOnly } from './attempts.ts'
import type { Leaving, LeavingDeps, Recorded, Taken } from './leaving.ts'
import type { Waits } from './pauses.ts'
import { isHeld } from './releases.ts'
import { overdue } from './send-actions.ts'
import type { Send, SentRequest } from './send-record.ts'
import { bodyOf, END_OF, type SharedBody, saidOf } from './shared-content.ts'
import type { KeptEnd, openSharedRows } from './shared-rows.ts'
import type { openTaking } from './shared-taking.ts'

interface SharedLeavingDeps extends LeavingDeps {
  time: Time
  rows: ReturnType<typeof openSharedRows>
  taking: Pick<ReturnType<typeof openTaking>, 'released' | 'add' | 'apart'>
  /** The office's server, while connected. */
  office: () => OfficeStore | undefined
  asked: AskOutbox
  /** Returns the office's id of a shared account. */
  officeIdOf: (accountId: string) => string | undefined
  stateOf: (accountId: string) => AccountState
  /** Called with whether the server could store what was told and claimed. */
  wrote: (accountId: string, could: boolean) => void
  soon: (accountId: string) => void
  /** Called with a send that was updated. */
  tell: (send: Send) => void
  /** Aborted when requests in flight are broken off. */
  awake: () => AbortSignal
  /** How long a POST may take. A send doesn't leave if its claim could end sooner. */
  postLimit: number
}

/** An account's current state with the office. */
interface AccountState {
  /** Runs `tellEnds` for this account. */
  readonly telling: Pick<OneAtATime<Taken>, 'fresh'>
  readonly isAway: boolean
  readonly isLeaving: boolean
  /** How many sends may be claimed after results are told. */
  room: number
  /** On this run's monotonic clock: until when nothing is claimed. */
  restsUntil: number
}

/** How long telling results may take before they are flushed to disk here, in milliseconds. */
const AT_ONCE = 1_000
/** How long to wait if there was nothing to claim, in milliseconds. */
const NOTHING_THERE = 2_000
/** How many results are told at a time. */
const CHUNK = 100

export function openSharedLeaving(deps: SharedLeavingDeps): Leaving & {
  /**
   * Tells the office the results of attempts made here, in the order in which they ended, and claims as many sends as a
   * turn has room for.
   * @throws AppFailure `offline` while the server is away.
   */
  tellEnds: (accountId: string) => Promise<Taken>
} {
  const { db, sends, queries, pauses, times, time, rows, taking, tell } = deps
  const { office, asked, officeIdOf, stateOf, wrote, soon, awake, postLimit } = deps
  const record = recorder(deps)
  /** The epoch of the claim with which a send left here: another workstation may have claimed it since. */
  const claimed = new Map<string, number>()

  function next(accountId: string): { due?: Waits; wait?: number } {
    const { isAway, restsUntil } = stateOf(accountId)
    if (!office() || isAway) return {}
    let wait: number | undefined
    for (const waiting of queries.waiting(accountId)) {
      // A send that wasn't given to the office yet can't be claimed.
      if (rows.find(waiting.id)?.state !== 'ready') continue
      const left = Math.max(times.left(waiting), restsUntil - time.elapsed())
      if (left <= 0) return { due: waiting }
      wait = Math.min(wait ?? left, left)
    }
    return wait === undefined ? {} : { wait }
  }

  async function turn(accountId: string, ended: readonly Ended[], most: number): Promise<Recorded> {
    const account = stateOf(accountId)
    const keep = db.transaction(() => ended.flatMap((one) => keepEnd(accountId, one)))
    // The office stores and flushes the results in a moment. A power failure before that leaves an attempt without an
    // answer, as it would have a moment earlier: the service is asked about it.
    const recorded = ended.every(isTheOffices) ? withoutFlush(db, keep) : keep()
    account.room = mayTake(accountId) ? Math.max(0, most) : 0
    if (ended.length === 0 && account.room === 0) return { recorded, begun: [], heldBack: [] }
    // An unresponsive server would leave them unflushed for as long as we wait for it.
    const isTold = time.after(AT_ONCE, () => flushed(accountId))
    try {
      return { recorded, ...(await account.telling.fresh()) }
    } catch (error) {
      // What can't be told now is told later.
      flushed(accountId)
      if (!isOffline(error)) throw error
      rest(account)
      soon(accountId)
      return { recorded, begun: [], heldBack: [] }
    } finally {
      isTold()
    }
  }

  function flushed(accountId: string): void {
    try {
      rows.flushEnds(accountId)
    } catch {
      // If the disk has become full meanwhile, they stay as they were written.
    }
  }

  /** Returns whether the office must hear of a result: not if it left before the account was shared. */
  function isTheOffices({ id, outcome }: Ended): boolean {
    // An arrival counts even if the server has forgotten its claim meanwhile.
    return rows.find(id) !== undefined || (claimed.has(id) && outcome.kind === 'accepted')
  }

  function keepEnd(accountId: string, ended: Ended): Send[] {
    if (!isTheOffices(ended)) return record(ended)
    const { id, outcome, at } = ended
    rows.keepEnd({ id, epoch: claimed.get(id) ?? rows.find(id)?.epoch ?? 0, accountId, outcome, at })
    return []
  }

  function mayTake(accountId: string): boolean {
    const { isAway, isLeaving } = stateOf(accountId)
    if (!office() || isAway || isLeaving) return false
    return !pauses.isPaused(accountId) && pauses.waits(accountId) === 0
  }

  /** Claims nothing for a while: another workstation has it, the pace limit applies, or the server doesn't answer. */
  function rest(account: AccountState): void {
    account.restsUntil = time.elapsed() + NOTHING_THERE * (1 + time.random())
  }

  /** Stores a claimed send as leaving, unless something speaks against it. */
  function begin(accountId: string, claim: Claim, { begun, heldBack }: Taken): void {
    const { id, epoch, until } = claim
    const body = bodyOf(claim.content)
    const found = sends.find(id)
    const before = found ? taking.released(found, claim) : body && taking.add(accountId, id, body)
    rows.change(accountId, id, { state: 'sending', epoch })
    const instead = insteadOf(before, body)
    if (instead) rows.keepEnd({ id, epoch, accountId, outcome: instead, at: time.now() })
    if (!before || !body || instead) {
      if (before?.state === 'ready' && instead?.kind === 'refused') {
        heldBack.push(sends.change(before, { state: 'refused', error: instead.error, settledAt: time.now() }))
      }
      return
    }
    const send = before.state === 'ready' ? before : sends.change(before, { state: 'ready' })
    sends.begin(send.number, time.now())
    pauses.left(accountId)
    const content = { kind: body.kind, request: body.request } as SentRequest
    claimed.set(id, epoch)
    const mayLeave = outlasting(time, until, postLimit)
    begun.push({ send: sends.get(id), content, claim: { mayLeave, signal: awake() } })
  }

  /** Returns the outcome to report instead of sending a claimed send; undefined if it may leave. */
  function insteadOf(before: Send | undefined, body: SharedBody | undefined): Outcome | undefined {
    if (!before || !body) return { kind: 'refused', error: NOT_READABLE }
    // The server has forgotten that it was sent, as after a backup was restored.
    const answer = before.state === 'sent' ? sends.answerOf(before.id) : undefined
    if (answer) return { kind: 'accepted', response: answer.response }
    if (before.state === 'cancelled') return { kind: 'offline', error: TAKEN_BACK, isAnswered: false }
    // The server holds an unreleased send back. This check keeps a tampered one, or a mistake of ours, from leaving.
    if (isHeld(body.release)) return { kind: 'refused', error: NOT_RELEASED }
    const error = overdue(body, time.now())
    return error && { kind: 'refused', error }
  }

  async function tellEnds(accountId: string): Promise<Taken> {
    const account = stateOf(accountId)
    // Claims belong to the caller that waits for this very round.
    let { room } = account
    account.room = 0
    const taken: Taken = { begun: [], heldBack: [] }
    for (;;) {
      const officeId = officeIdOf(accountId)
      const ends = rows.ends(accountId, CHUNK)
      const most = ends.length < CHUNK ? room : 0
      if (!officeId || (ends.length === 0 && most === 0)) return taken
      // Claimed sends that may not leave are told in a separate query: one that also claims would claim them again.
      if (most > 0) room = 0
      try {
        await exchange(accountId, officeId, ends, most, taken)
      } catch (error) {
        // Sends that were claimed still leave.
        if (taken.begun.length === 0) throw error
        soon(accountId)
        return taken
      }
    }
  }

  /** Tells these results and claims up to `most` sends, which are added to `taken`. */
  async function exchange(accountId: string, officeId: string, ends: readonly KeptEnd[], most: number, taken: Taken) {
    const account = stateOf(accountId)
    const told = ends.map(({ id, epoch, outcome }) => ({
      id,
      epoch,
      end: END_OF[outcome.kind],
      answer: saidOf(outcome)
    }))
    const { states, claims } = await asked((office) => office.turn(officeId, told, most)).catch((error: unknown) => {
      if (isUnwritable(error)) wrote(accountId, false)
      throw error
    })
    wrote(accountId, true)
    // The account left the office meanwhile, and what the office has stays there.
    if (officeIdOf(accountId) !== officeId) return
    // One transaction, in order: first the results, then what leaves.
    const written = db.transaction(() => {
      const changed = ends.flatMap((end, index) => writeEnd(end, states[index]))
      for (const claim of claims) begin(accountId, claim, taken)
      return changed
    })()
    for (const send of written) tell(send)
    if (most > 0 && claims.length === 0) rest(account)
    // Results from here have made room.
    else if (ends.length > 0) account.restsUntil = 0
    const unknown = ends.filter((_, index) => !states[index])
    await forgotten(officeId, unknown)
  }

  /** Stores the office's state of a send whose result was told. */
  function writeEnd({ id, epoch, accountId, outcome, at }: KeptEnd, state: OfficeState | undefined): Send[] {
    if (!state) return []
    rows.dropEnd(id, epoch)
    claimed.delete(id)
    rows.change(accountId, id, { state })
    const send = sends.find(id)
    if (!send) return []
    if (send.state === 'sent') return []
    if (outcome.kind === 'accepted') return [arrived(send, outcome.response, at)]
    if (send.state !== 'sending') return []
    const [now = send] = record({ id, outcome, at })
    return [now.state === state || state === 'held' ? now : sends.change(now, { state })]
  }

  /**
   * Marks a send as arrived, with as much of the answer as the database accepts, so that a rejected answer blocks no
   * other writes or sends. It is sent for the whole office, and no one looks for a send that is uncertain only here.
   */
  function arrived(send: Send, response: PackageResponse, at: number): Send {
    const accepted = db.transaction((answer: PackageResponse) => sends.accepted(taking.apart(send), answer, at))
    return firstAccepted(
      [response, referencesOnly(response), { Documents: [] }].map((answer) => () => accepted(answer))
    )
  }

  /** Handles attempts that the server lost when it was restored. Tells it about those that arrived. */
  async function forgotten(officeId: string, ends: readonly KeptEnd[]): Promise<void> {
    for (const { id, epoch, outcome, at } of ends) {
      if (outcome.kind === 'accepted') {
        const { draftId } = sends.find(id) ?? {}
        await asked((office) => office.knowSent(officeId, { id, epoch }, saidOf(outcome), rows.of({ id, draftId })))
      }
      const send = sends.find(id)
      const sent = db.transaction(() => {
        rows.dropEnd(id, epoch)
        claimed.delete(id)
        if (outcome.kind !== 'accepted' || !send || send.state === 'sent') return undefined
        return arrived(send, outcome.response, at)
      })()
      if (sent) tell(sent)
    }
  }

  return { next, turn, tellEnds }
}

const isOffline = (error: unknown): boolean => error instanceof AppFailure && error.appError.code === 'offline'

const NOT_READABLE: AppError = {
  code: 'storage',
  message: 'This package was made by another version of Countersign, which this one can’t read.'
}
const NOT_RELEASED: AppError = {
  code: 'not-allowed',
  message: 'Nobody has released this package.',
  mayHaveArrived: false
}
const TAKEN_BACK: AppError = { code: 'cancelled', message: 'It was taken back before it left.', mayHaveArrived: false }
