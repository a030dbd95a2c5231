/**
 * Takes the sends that leave a shared account: claims each at the office's server, stores it as `sending` before
 * anything leaves, and tells the office the result. The counterpart of `dispatch-store.ts`, which serves accounts of this
 * computer alone.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { writeFirstAccepted } from '../jobs/recovery.ts'
import { AppFailure } from '../lib/failure.ts'
import { claimValidityCheck } from '../lib/time.ts'
import { isUnwritable } from '../office/ask-office.ts'
import type { Claim, OfficeSendState } from '../office/send-store.ts'
import { TIME_LIMITS } from '../service/limits.ts'
import { withoutFlush } from '../storage/connection.ts'
import { type FinishedAttempt, type Outcome, recorder, referencesOnly } from './attempts.ts'
import { type DispatchStore, type NextSend, nextOf, type StartedSends, type TurnResult } from './dispatch-store.ts'
import { awaitsRelease } from './releases.ts'
import { overdueError } from './send-actions.ts'
import type { openSendPull } from './send-pull.ts'
import type { Send, SentRequest } from './send-record.ts'
import { ATTEMPT_END_OF, readSharedBody, type SharedBody, sentDraftOf, shareableOutcome } from './shared-content.ts'
import type { SharedPart } from './shared-part.ts'
import type { KeptResult } from './shared-rows.ts'

interface SharedDispatchDeps extends SharedPart {
  pulling: Pick<ReturnType<typeof openSendPull>, 'storeRelease' | 'add'>
  /** Aborted when requests in flight are broken off. */
  sleepSignal: () => AbortSignal
}

/** How long a POST may take. A send doesn't leave if its claim could end sooner. */
const POST_TIMEOUT = TIME_LIMITS.send.total
/** How long telling results may take before they are flushed to disk here, in milliseconds. */
const FLUSH_AFTER = 1_000
/** How long to wait if there was nothing to claim, in milliseconds. */
const EMPTY_CLAIM_PAUSE = 2_000
/** How many results are told at a time. */
const CHUNK = 100

export function openSharedDispatchStore(deps: SharedDispatchDeps): DispatchStore & {
  /**
   * Tells the office the results of attempts made here, in the order in which they ended, and claims as many sends as a
   * turn has room for.
   * @throws AppFailure `offline` while the server is away.
   */
  pushResults: (accountId: string) => Promise<StartedSends>
} {
  const { db, sends, queries, pauses, times, time, rows, pulling, returnState, notifyUpdated } = deps
  const { office, ask, officeIdOf, stateOf, recordWrite, syncSoon, sleepSignal } = deps
  const record = recorder(deps)
  /** The epoch of the claim with which a send left here: another workstation may have claimed it since. */
  const claimEpochs = new Map<string, number>()

  function next(accountId: string): NextSend {
    const { isAway, noClaimsUntil } = stateOf(accountId)
    if (!office() || isAway) return {}
    return nextOf(queries.waiting(accountId), (waiting) => {
      // A send that wasn't given to the office yet can't be claimed.
      if (rows.find(waiting.id)?.state !== 'ready') return undefined
      return Math.max(times.remaining(waiting), noClaimsUntil - time.elapsed())
    })
  }

  async function turn(accountId: string, finished: readonly FinishedAttempt[], limit: number): Promise<TurnResult> {
    const account = stateOf(accountId)
    const keepResults = db.transaction(() => finished.flatMap((one) => keepResult(accountId, one)))
    // The office stores and flushes the results in a moment. A power failure before that leaves an attempt without an
    // answer, as it would have a moment earlier: the service is asked about it.
    const recorded = finished.every(belongsToOffice) ? withoutFlush(db, keepResults) : keepResults()
    account.claimSlots = mayClaim(accountId) ? Math.max(0, limit) : 0
    if (finished.length === 0 && account.claimSlots === 0) return { recorded, started: [], heldBack: [] }
    // An unresponsive server would leave them unflushed for as long as we wait for it.
    const cancelFlush = time.after(FLUSH_AFTER, () => flushResults(accountId))
    try {
      return { recorded, ...(await account.pushingResults.runFresh()) }
    } catch (error) {
      // What can't be told now is told later.
      flushResults(accountId)
      if (!isOffline(error)) throw error
      pauseClaims(account)
      syncSoon(accountId)
      return { recorded, started: [], heldBack: [] }
    } finally {
      cancelFlush()
    }
  }

  function flushResults(accountId: string): void {
    try {
      rows.flushResults(accountId)
    } catch {
      // If the disk has become full meanwhile, they stay as they were written.
    }
  }

  /** Returns whether the office must hear of a result: not if it left before the account was shared. */
  function belongsToOffice({ id, outcome }: FinishedAttempt): boolean {
    // An arrival counts even if the server has forgotten its claim meanwhile.
    return rows.find(id) !== undefined || (claimEpochs.has(id) && outcome.kind === 'accepted')
  }

  function keepResult(accountId: string, attempt: FinishedAttempt): Send[] {
    if (!belongsToOffice(attempt)) return record(attempt)
    const { id, outcome, at } = attempt
    rows.keepResult({ id, epoch: claimEpochs.get(id) ?? rows.find(id)?.epoch ?? 0, accountId, outcome, at })
    return []
  }

  function mayClaim(accountId: string): boolean {
    const { isAway, isLeaving } = stateOf(accountId)
    if (!office() || isAway || isLeaving) return false
    return !pauses.isPaused(accountId) && pauses.waitMs(accountId) === 0
  }

  /** Claims nothing for a while: another workstation has it, the pace limit applies, or the server doesn't answer. */
  function pauseClaims(account: ReturnType<SharedPart['stateOf']>): void {
    account.noClaimsUntil = time.elapsed() + EMPTY_CLAIM_PAUSE * (1 + time.random())
  }

  /** Stores a claimed send as leaving, unless something speaks against it. */
  function startSend(accountId: string, claim: Claim, { started, heldBack }: StartedSends): void {
    const { id, epoch, until } = claim
    const keepOutcome = (outcome: Outcome) => rows.keepResult({ id, epoch, accountId, outcome, at: time.now() })
    const body = readSharedBody(claim.content)
    const found = sends.find(id)
    // Retention has erased it here, and the server has forgotten that it was sent.
    if (!found && rows.find(id)?.state === 'sent')
      return void keepOutcome({ kind: 'accepted', response: { Documents: [] } })
    const before = found ? pulling.storeRelease(found, claim) : body && pulling.add(accountId, id, body)
    rows.change(accountId, id, { state: 'sending', epoch })
    const replacement = replacementOutcome(before, body)
    if (replacement) keepOutcome(replacement)
    if (!before || !body || replacement) {
      if (before?.state === 'ready' && replacement?.kind === 'refused') {
        heldBack.push(sends.change(before, { state: 'refused', error: replacement.error, settledAt: time.now() }))
      }
      return
    }
    const send = before.state === 'ready' ? before : sends.change(before, { state: 'ready' })
    sends.markSending(send.number, time.now())
    pauses.recordDeparture(accountId)
    const content = { kind: body.kind, request: body.request } as SentRequest
    claimEpochs.set(id, epoch)
    const maySend = claimValidityCheck(time, until, POST_TIMEOUT)
    started.push({ send: sends.get(id), content, claim: { maySend, signal: sleepSignal() } })
  }

  /** Returns the outcome to report instead of sending a claimed send; undefined if it may leave. */
  function replacementOutcome(before: Send | undefined, body: SharedBody | undefined): Outcome | undefined {
    if (!before || !body) return { kind: 'refused', error: NOT_READABLE }
    // The server has forgotten that it was sent, as after a backup was restored.
    const answer = before.state === 'sent' ? sends.answerOf(before.id) : undefined
    if (answer) return { kind: 'accepted', response: answer.response }
    if (before.state === 'cancelled') return { kind: 'offline', error: SENDING_UNDONE, isAnswered: false }
    // The server holds an unreleased send back. This check keeps a tampered one, or a mistake of ours, from leaving.
    if (awaitsRelease(body.release)) return { kind: 'refused', error: NOT_RELEASED }
    const error = overdueError(body, time.now())
    return error && { kind: 'refused', error }
  }

  async function pushResults(accountId: string): Promise<StartedSends> {
    const account = stateOf(accountId)
    // Claims belong to the caller that waits for this very round.
    let { claimSlots } = account
    account.claimSlots = 0
    const taken: StartedSends = { started: [], heldBack: [] }
    for (;;) {
      const officeId = officeIdOf(accountId)
      const pendingResults = rows.results(accountId, CHUNK)
      const limit = pendingResults.length < CHUNK ? claimSlots : 0
      if (!officeId || (pendingResults.length === 0 && limit === 0)) return taken
      // Claimed sends that may not leave are told in a separate query: one that also claims would claim them again.
      if (limit > 0) claimSlots = 0
      try {
        await pushAndClaim(accountId, officeId, pendingResults, limit, taken)
      } catch (error) {
        // Sends that were claimed still leave.
        if (taken.started.length === 0) throw error
        syncSoon(accountId)
        return taken
      }
    }
  }

  /** Tells these results and claims up to `limit` sends, which are added to `taken`. */
  async function pushAndClaim(
    accountId: string,
    officeId: string,
    pendingResults: readonly KeptResult[],
    limit: number,
    taken: StartedSends
  ) {
    const account = stateOf(accountId)
    const results = pendingResults.map(({ id, epoch, outcome }) => ({
      id,
      epoch,
      end: ATTEMPT_END_OF[outcome.kind],
      answer: shareableOutcome(outcome)
    }))
    const { states, claims } = await ask((office) => office.finishAndClaim(officeId, results, limit)).catch(
      (error: unknown) => {
        if (isUnwritable(error)) recordWrite(accountId, false)
        throw error
      }
    )
    recordWrite(accountId, true)
    // The account left the office meanwhile, and what the office has stays there.
    if (officeIdOf(accountId) !== officeId) return
    // One transaction, in order: first the results, then what leaves.
    const written = db.transaction(() => {
      const changed = pendingResults.flatMap((end, index) => storeOfficeState(end, states[index]))
      for (const claim of claims) startSend(accountId, claim, taken)
      return changed
    })()
    for (const send of written) notifyUpdated(send)
    if (limit > 0 && claims.length === 0) pauseClaims(account)
    // Results from here have made room.
    else if (pendingResults.length > 0) account.noClaimsUntil = 0
    const unknown = pendingResults.filter((_, index) => !states[index])
    await handleForgotten(officeId, unknown)
  }

  /** Stores the office's state of a send whose result was told. */
  function storeOfficeState(
    { id, epoch, accountId, outcome, at }: KeptResult,
    state: OfficeSendState | undefined
  ): Send[] {
    if (!state) return []
    rows.dropResult(id, epoch)
    claimEpochs.delete(id)
    // Another workstation has found it: that comes with the office's changes, and the service's answer with it.
    if (state === 'sent' && outcome.kind !== 'accepted') return []
    rows.change(accountId, id, { state })
    const send = sends.find(id)
    if (!send || send.state === 'sent') return []
    if (outcome.kind === 'accepted') return [markArrived(send, outcome.response, at)]
    if (send.state !== 'sending') return []
    const [now = send] = record({ id, outcome, at })
    // What can leave again is cancelled if its batch was.
    const next = state === 'ready' ? returnState(now) : state
    return [now.state === next || next === 'held' ? now : sends.change(now, { state: next })]
  }

  /**
   * Marks a send as arrived, with as much of the answer as the database accepts, so that a rejected answer blocks no
   * other writes or sends. It is sent for the whole office, and no one looks for a send that is uncertain only here.
   */
  function markArrived(send: Send, response: PackageResponse, at: number): Send {
    const accepted = db.transaction((answer: PackageResponse) => sends.accepted(send, answer, at))
    return writeFirstAccepted(
      [response, referencesOnly(response), { Documents: [] }].map((answer) => () => accepted(answer))
    )
  }

  /** Handles attempts that the server lost when it was restored. Tells it about those that arrived. */
  async function handleForgotten(officeId: string, forgottenResults: readonly KeptResult[]): Promise<void> {
    for (const { id, epoch, outcome, at } of forgottenResults) {
      if (outcome.kind === 'accepted') {
        const of = sentDraftOf(sends.find(id) ?? {})
        await ask((office) => office.reportSent(officeId, { id, epoch }, shareableOutcome(outcome), of))
      }
      const send = sends.find(id)
      const sent = db.transaction(() => {
        rows.dropResult(id, epoch)
        claimEpochs.delete(id)
        if (outcome.kind !== 'accepted' || !send || send.state === 'sent') return undefined
        return markArrived(send, outcome.response, at)
      })()
      if (sent) notifyUpdated(sent)
    }
  }

  return { next, turn, pushResults }
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
const SENDING_UNDONE: AppError = {
  code: 'cancelled',
  message: 'Sending was undone before anything was sent.',
  mayHaveArrived: false
}
