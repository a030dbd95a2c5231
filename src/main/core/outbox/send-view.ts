/**
 * What the screens are shown of a send: never its signing links, and never more than is known. Also how they are
 * notified of changes.
 */
import type { AppError, SendHold, SendView } from '../../../shared/contract/index.ts'
import {
  type DocumentResponse,
  PackageResponse,
  readCertainDate,
  readGmt,
  type ServiceDate,
  unknownMembers
} from '../../../shared/model/index.ts'
import { defined } from '../lib/objects.ts'
import { otherMembers } from '../lib/other-members.ts'
import type { Time } from '../lib/time.ts'
import { ambiguityView } from './ambiguity.ts'
import type { ChangeListeners } from './deps.ts'
import type { AccountPauses, SendTimes } from './pauses.ts'
import { awaitsRelease, releaseView } from './releases.ts'
import type { Send, SentRequest } from './send-record.ts'

export interface ViewDeps {
  time: Time
  pauses: AccountPauses
  times: SendTimes
  isBatchPaused: (id: string) => boolean
  waitsForOffice: (accountId: string) => boolean
  /** Why a send's result could not be stored. */
  troubleOf: (id: string) => AppError | undefined
  /** What looks have shown of an uncertain send so far, and when the next look is, on this run's monotonic clock. */
  messageOf: (id: string) => AppError | undefined
  nextCheckAt: (send: Send) => number | undefined
}

type StateDetails = Pick<SendView, 'hold' | 'goesAt' | 'error' | 'nextLookAt' | 'ambiguity'>

/** Makes views. Each batch is looked up once for all of its sends. */
export function viewer({
  time,
  pauses,
  times,
  isBatchPaused,
  waitsForOffice,
  troubleOf,
  messageOf,
  nextCheckAt
}: ViewDeps): (send: Send) => SendView {
  const paused = new Map<string, boolean>()

  function isPaused(batchId: string | undefined): boolean {
    if (batchId === undefined) return false
    const known = paused.get(batchId) ?? isBatchPaused(batchId)
    paused.set(batchId, known)
    return known
  }

  /**
   * Returns what holds a ready send back first: a missing release, its own time, its account's outbox, its batch, the
   * office, or the network.
   */
  function holdOf(send: Send): { hold: SendHold; goesAt?: number; error?: AppError | undefined } {
    const { accountId, batchId, goesAt, isScheduled } = send
    const now = time.now()
    const remaining = times.remaining(send)
    if (awaitsRelease(send.release)) return { hold: 'release' }
    if (remaining > 0) {
      const at = Math.round(now + remaining)
      // Later than `goesAt` if the wall clock has jumped.
      return isScheduled ? { hold: 'time', goesAt: Math.max(goesAt, at) } : { hold: 'undo', goesAt: at }
    }
    const pause = pauses.of(accountId)
    if (pauses.isPaused(accountId)) return { hold: 'paused', error: pause?.error }
    if (isPaused(batchId)) return { hold: 'paused' }
    if (waitsForOffice(accountId)) return { hold: 'office' }
    if (!pause) return { hold: 'turn' }
    return {
      hold: pause.by === 'line' ? 'line' : 'rate-limited',
      error: pause.error,
      ...(pause.until !== undefined && { goesAt: pause.until })
    }
  }

  function stateDetails(send: Send): StateDetails {
    switch (send.state) {
      case 'ready': {
        const { error, ...hold } = holdOf(send)
        return { ...hold, ...(error && { error }) }
      }
      case 'sending': {
        const error = troubleOf(send.id)
        return error ? { error } : {}
      }
      case 'uncertain': {
        const error = messageOf(send.id) ?? send.error
        const next = nextCheckAt(send)
        return {
          // A send that was refused may have arrived with an earlier attempt.
          ...(error && { error: { ...error, mayHaveArrived: true } }),
          ...(send.ambiguity && { ambiguity: ambiguityView(send.ambiguity) }),
          ...(next !== undefined && { nextLookAt: Math.round(time.now() + Math.max(0, next - time.elapsed())) })
        }
      }
      default:
        return send.error ? { error: send.error } : {}
    }
  }

  return (send) => {
    const { id, accountId, kind, title, who, state, createdAt, attempt } = send
    const { draftId, batchId, row, workstation, attemptedAt, settledAt, packageReference, packageStatus } = send
    return {
      id,
      accountId,
      kind,
      title,
      who,
      state,
      createdAt,
      attempt,
      documents: [...send.documents],
      ...defined({ draftId, batchId, row, workstation, attemptedAt, settledAt, packageReference, packageStatus }),
      ...stateDetails(send),
      ...(send.release && { release: releaseView(send.release) })
    }
  }
}

/** Adds what the service answered about the package (2.13) and its due date, for a send that is viewed by itself. */
export function withAnswer(view: SendView, response: PackageResponse, { request }: SentRequest): SendView {
  const { QueueReference: queueReference, PackageName: packageName, Documents = [] } = response
  const linked = new Set(Documents.flatMap(({ Reference, EditUrl }) => (EditUrl ? [Reference] : [])))
  return {
    ...view,
    documents: view.documents.map((one) => (linked.has(one.reference) ? { ...one, hasLink: true } : one)),
    said: {
      ...defined({ queueReference, packageName }),
      others: otherMembers(unknownMembers(PackageResponse, response))
    },
    ...defined({ due: dueOf(Documents, request.DueDate) })
  }
}

/**
 * Returns the earliest due date that the service gave, or else the one that was sent. Undefined if it was left to the
 * service, which doesn't say.
 */
function dueOf(documents: readonly DocumentResponse[], sent: string | undefined): ServiceDate | undefined {
  const dates = documents.flatMap(({ DueDate, GMT }) => readCertainDate(DueDate, readGmt(GMT)) ?? [])
  return dates.sort((one, other) => one.at - other.at)[0] ?? readCertainDate(sent)
}

/** The shortest time between two reports, in milliseconds. */
const INTERVAL = 100

/** Collects changes, so that a running batch updates the screens in groups, at most ten times a second. */
export class Changes {
  readonly #time: Time
  readonly #listeners: ChangeListeners
  readonly #sends = new Set<string>()
  readonly #batches = new Set<string>()
  readonly #drafts = new Set<string>()
  #outbox = false
  #reportedAt = Number.NEGATIVE_INFINITY
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor({ time, changed }: { time: Time; changed: ChangeListeners }) {
    this.#time = time
    this.#listeners = changed
  }

  send({ id, batchId }: { id: string; batchId?: string | undefined }): void {
    this.#sends.add(id)
    if (batchId !== undefined) this.#batches.add(batchId)
    this.outbox()
  }

  outbox(): void {
    this.#outbox = true
    this.#scheduleReport()
  }

  batch(id: string): void {
    this.#batches.add(id)
    this.#scheduleReport()
  }

  draft(id: string | undefined): void {
    if (id === undefined) return
    this.#drafts.add(id)
    this.#scheduleReport()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  #scheduleReport(): void {
    if (this.#cancel || this.#isStopped) return
    const wait = Math.max(0, this.#reportedAt + INTERVAL - this.#time.elapsed())
    this.#cancel = this.#time.after(wait, () => this.#report())
  }

  #report(): void {
    this.#cancel = undefined
    this.#reportedAt = this.#time.elapsed()
    const [sends, batches, drafts, outbox] = [[...this.#sends], [...this.#batches], [...this.#drafts], this.#outbox]
    this.#sends.clear()
    this.#batches.clear()
    this.#drafts.clear()
    this.#outbox = false
    if (sends.length > 0) this.#listeners.sends(sends)
    if (outbox) this.#listeners.outbox()
    for (const id of batches) this.#listeners.batch(id)
    for (const id of drafts) this.#listeners.draft(id)
  }
}
