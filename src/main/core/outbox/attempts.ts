/** One attempt of a send: hands its request to the service once, says what the end of that means, and writes it down. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { type Failure, failureOf, firstAccepted, holdsError } from '../jobs/recording.ts'
import type { Time } from '../lib/time.ts'
import { backoff } from '../lib/time.ts'
import type { SentPackage } from '../service/documents.ts'
import type { CallOptions } from '../service/transport.ts'
import type { Db } from '../storage/connection.ts'
import type { SendingClient } from './deps.ts'
import type { AccountPauses } from './pauses.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { Sends } from './sends.ts'

/** accepted: the service has it. */
export type Outcome = { kind: 'accepted'; response: PackageResponse } | Failure

/**
 * Hands the request over. Never rejects.
 * @param claim of the office, where it could become another's.
 */
export async function deliver(
  client: SendingClient,
  { kind, request }: SentRequest,
  {
    describe,
    claim = {}
  }: { describe: (error: unknown) => AppError; claim?: Pick<CallOptions, 'mayLeave' | 'signal'> | undefined }
): Promise<Outcome> {
  try {
    const { package: response, said } =
      kind === 'form-direct' ? await client.sendFormPackage(request, claim) : await client.sendTemplates(request, claim)
    return outcomeOfAnswer(response, said)
  } catch (error) {
    return failureOf(error, describe)
  }
}

/** What an answer with a status of success means. Only what names a package or a document of it is the service's word. */
export function outcomeOfAnswer(response: PackageResponse, said?: SentPackage['said']): Outcome {
  const { PackageReference, QueueReference, Documents = [] } = response
  const isNamed = Boolean(PackageReference || QueueReference) || Documents.some(({ Reference }) => Reference !== '')
  return isNamed && !holdsError(response)
    ? { kind: 'accepted', response }
    : { kind: 'uncertain', error: { ...NAMES_NO_PACKAGE, ...said } }
}

/** So often in one run; then its outbox is paused until a person says. */
const MOST_ATTEMPTS = 30
/** The shortest wait after the first "not so fast", in milliseconds; it doubles with each further one. */
const FIRST_RATE_LIMIT = 1_000

/**
 * How often one package is posted without an answer of yes or no. What stands between, or a service that always asks us to
 * wait, must not have it posted for ever.
 */
export class AttemptLimit {
  readonly #random: () => number
  readonly #counts = new Map<string, number>()

  constructor({ random }: Pick<Time, 'random'>) {
    this.#random = random
  }

  /** The outcome of an attempt of a send as it counts: if it was posted too often, everything stops. */
  counted(id: string, outcome: Outcome): Outcome {
    if (outcome.kind === 'offline' && !outcome.isAnswered) return outcome
    if (outcome.kind !== 'offline' && outcome.kind !== 'rate-limited') {
      this.#counts.delete(id)
      return outcome
    }
    const count = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, count)
    const { error } = outcome
    if (count >= MOST_ATTEMPTS) {
      this.#counts.delete(id)
      return { kind: 'stopped', error: { ...error, message: `${error.message} ${TOO_OFTEN}` } }
    }
    if (outcome.kind === 'offline') return outcome
    const retryAfterMs = Math.max(error.retryAfterMs ?? 0, backoff(FIRST_RATE_LIMIT, count, this.#random))
    return { kind: 'rate-limited', error: { ...error, retryAfterMs } }
  }
}

/** How an attempt of a send ended, and when, in milliseconds since 1970 UTC. */
export interface Ended {
  id: string
  outcome: Outcome
  at: number
}

export interface RecorderDeps {
  db: Db
  sends: Sends
  pauses: AccountPauses
  /** What becomes of a send that may leave again: `cancelled` if its batch was. */
  backTo: (send: Send) => 'ready' | 'cancelled'
}

/**
 * Writes down what came of an attempt, in the caller's transaction; nothing if the send was removed with its account. What
 * the database rejects of one is left out, so that it keeps no other from being written.
 */
export function recorder({ db, sends, pauses, backTo }: RecorderDeps): (ended: Ended) => Send[] {
  function record({ id, outcome, at }: Ended): Send[] {
    const send = sends.find(id)
    if (send?.state !== 'sending') return []
    // Nothing came of this attempt; what came of an earlier one may still be open.
    const isInDoubt = send.firstAttemptedAt !== send.attemptedAt
    const firstAttemptedAt = isInDoubt ? send.firstAttemptedAt : undefined
    switch (outcome.kind) {
      case 'accepted':
        return [sends.accepted(send, outcome.response, at)]
      case 'uncertain':
        return [sends.change(send, { state: 'uncertain', error: outcome.error })]
      case 'refused':
        // "There already", says a service of what an earlier attempt brought it: only a look can tell.
        if (isInDoubt) return [sends.change(send, { state: 'uncertain', error: outcome.error })]
        return [sends.change(send, { state: 'refused', error: outcome.error, settledAt: at, firstAttemptedAt })]
      case 'stopped':
        pauses.pauseByService(send.accountId, outcome.error)
        break
      case 'offline':
      case 'rate-limited':
        break
    }
    return [sends.change(send, { state: backTo(send), attempt: send.attempt - 1, firstAttemptedAt })]
  }

  const allOrNothing = db.transaction(record)
  return (ended) =>
    firstAccepted([ended.outcome, ...lesser(ended.outcome)].map((outcome) => () => allOrNothing({ ...ended, outcome })))
}

/** What can be written instead, if the whole of an outcome can't be. */
function lesser(outcome: Outcome): Outcome[] {
  const uncertain: Outcome = { kind: 'uncertain', error: NOT_KEPT }
  return outcome.kind === 'accepted'
    ? [{ kind: 'accepted', response: referencesOnly(outcome.response) }, uncertain]
    : [uncertain]
}

/** A response's references alone. */
export function referencesOnly({ Documents = [], ...response }: PackageResponse): PackageResponse {
  const { PackageReference, QueueReference, PackageStatus } = response
  return {
    ...(PackageReference && { PackageReference }),
    ...(QueueReference && { QueueReference }),
    ...(PackageStatus && { PackageStatus }),
    Documents: Documents.map(({ Reference, Name }) => ({ Reference, ...(Name !== undefined && { Name }) }))
  }
}

const TOO_OFTEN = `Countersign tried ${MOST_ATTEMPTS} times. Nothing more is sent until you resume the Outbox.`

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
