/** One attempt of a send: posts its request to the service once, interprets the result, and stores it. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { containsError, type Failure, failureOf, writeFirstAccepted } from '../jobs/recovery.ts'
import type { Time } from '../lib/time.ts'
import { backoff } from '../lib/time.ts'
import type { SentPackage } from '../service/documents.ts'
import type { CallOptions } from '../service/transport.ts'
import type { SendingClient } from './deps.ts'
import type { OutboxParts } from './parts.ts'
import type { Send, SentRequest } from './send-record.ts'

/** accepted: the service took it. */
export type Outcome = { kind: 'accepted'; response: PackageResponse } | Failure

/** Posts the request. Never rejects. @param claim the office's claim, if another workstation could claim the send. */
export async function deliver(
  client: SendingClient,
  { kind, request }: SentRequest,
  claim: Pick<CallOptions, 'maySend' | 'signal'> = {}
): Promise<Outcome> {
  try {
    const { package: response, said } =
      kind === 'form-direct' ? await client.sendFormPackage(request, claim) : await client.sendTemplates(request, claim)
    return outcomeOfAnswer(response, said)
  } catch (error) {
    return failureOf(error)
  }
}

/** Interprets an answer with a success status. To count as accepted it must name a package or document. */
export function outcomeOfAnswer(response: PackageResponse, said?: SentPackage['said']): Outcome {
  const { PackageReference, QueueReference, Documents = [] } = response
  const isNamed = Boolean(PackageReference || QueueReference) || Documents.some(({ Reference }) => Reference !== '')
  return isNamed && !containsError(response)
    ? { kind: 'accepted', response }
    : { kind: 'uncertain', error: { ...NAMES_NO_PACKAGE, ...said } }
}

/** Attempts per run, after which the outbox is paused until the user resumes it. */
const MAX_ATTEMPTS = 30
/** The shortest wait after the first rate limit, in milliseconds; it doubles with each further one. */
const FIRST_RATE_LIMIT = 1_000

/**
 * Limits how often one package is posted without a clear yes or no. Neither an intermediary nor a service that always
 * asks us to wait may have it posted forever.
 */
export class AttemptLimit {
  readonly #random: () => number
  readonly #counts = new Map<string, number>()

  constructor({ random }: Pick<Time, 'random'>) {
    this.#random = random
  }

  /** Returns the outcome of an attempt, or `stopped` if the send was posted too often. */
  limitOutcome(id: string, outcome: Outcome): Outcome {
    if (outcome.kind === 'offline' && !outcome.isAnswered) return outcome
    if (outcome.kind !== 'offline' && outcome.kind !== 'rate-limited') {
      this.#counts.delete(id)
      return outcome
    }
    const count = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, count)
    const { error } = outcome
    if (count >= MAX_ATTEMPTS) {
      this.#counts.delete(id)
      return { kind: 'stopped', error: { ...error, message: `${error.message} ${TOO_OFTEN}` } }
    }
    if (outcome.kind === 'offline') return outcome
    const retryAfterMs = Math.max(error.retryAfterMs ?? 0, backoff(FIRST_RATE_LIMIT, count, this.#random))
    return { kind: 'rate-limited', error: { ...error, retryAfterMs } }
  }
}

/** How an attempt ended, and when, in milliseconds since 1970 UTC. */
export interface FinishedAttempt {
  id: string
  outcome: Outcome
  at: number
}

/**
 * Stores the result of an attempt, in the caller's transaction. Stores nothing if the send was removed with its
 * account. Parts of an answer that the database rejects are left out, so that they don't block other writes.
 */
export function recorder({
  db,
  sends,
  pauses,
  returnState
}: Pick<OutboxParts, 'db' | 'sends' | 'pauses' | 'returnState'>): (ended: FinishedAttempt) => Send[] {
  function record({ id, outcome, at }: FinishedAttempt): Send[] {
    const send = sends.find(id)
    if (send?.state !== 'sending') return []
    // This attempt had no effect; an earlier one may still be in doubt.
    const earlierMayHaveArrived = send.firstAttemptedAt !== send.attemptedAt
    const firstAttemptedAt = earlierMayHaveArrived ? send.firstAttemptedAt : undefined
    switch (outcome.kind) {
      case 'accepted':
        return [sends.accepted(send, outcome.response, at)]
      case 'uncertain':
        return [sends.change(send, { state: 'uncertain', error: outcome.error })]
      case 'refused':
        // The service may refuse this as a duplicate of an earlier attempt that arrived; only a look at the folders can
        // tell.
        if (earlierMayHaveArrived) return [sends.change(send, { state: 'uncertain', error: outcome.error })]
        return [sends.change(send, { state: 'refused', error: outcome.error, settledAt: at, firstAttemptedAt })]
      case 'stopped':
        pauses.pauseByService(send.accountId, outcome.error)
        break
      case 'offline':
      case 'rate-limited':
        break
    }
    return [sends.change(send, { state: returnState(send), attempt: send.attempt - 1, firstAttemptedAt })]
  }

  const recordAtomically = db.transaction(record)
  return (ended) =>
    writeFirstAccepted(
      [ended.outcome, ...reducedOutcomes(ended.outcome)].map((outcome) => () => recordAtomically({ ...ended, outcome }))
    )
}

/** Returns reduced versions to store if the whole outcome can't be stored. */
function reducedOutcomes(outcome: Outcome): Outcome[] {
  const uncertain: Outcome = { kind: 'uncertain', error: NOT_KEPT }
  return outcome.kind === 'accepted'
    ? [{ kind: 'accepted', response: referencesOnly(outcome.response) }, uncertain]
    : [uncertain]
}

export function referencesOnly({ Documents = [], ...response }: PackageResponse): PackageResponse {
  const { PackageReference, QueueReference, PackageStatus } = response
  return {
    ...(PackageReference && { PackageReference }),
    ...(QueueReference && { QueueReference }),
    ...(PackageStatus && { PackageStatus }),
    Documents: Documents.map(({ Reference, Name }) => ({ Reference, ...(Name !== undefined && { Name }) }))
  }
}

const TOO_OFTEN = `Countersign tried ${MAX_ATTEMPTS} times. Nothing more is sent until you resume the Outbox.`

const NAMES_NO_PACKAGE: AppError = {
  code: 'unexpected-shape',
  message: 'The answer didn’t confirm this package. Countersign is looking for it in your folders.',
  mayHaveArrived: true
}

const NOT_KEPT: AppError = {
  code: 'unexpected-shape',
  message: 'The answer couldn’t be read. Countersign is looking for the package in your folders.',
  mayHaveArrived: true
}
