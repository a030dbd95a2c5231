/**
 * Sends actions, one after another per account and in order: at once while online, otherwise once online again. One
 * that had to wait is first compared with the document's current state; see `refuseChanged`.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { Lanes, OneAtATime, Pauses } from '../jobs/lanes.ts'
import { failureOf, holdsError } from '../jobs/recording.ts'
import { AppFailure } from '../lib/failure.ts'
import type { CallOptions } from '../service/transport.ts'
import { type Action, type ActionRecords, mayWait } from './action-records.ts'
import { beforeOf, refuseChanged } from './before.ts'
import type { ActingClient, ActionDeps, Outcome } from './deps.ts'
import { type Outgoing, outgoingOf } from './outgoing.ts'
import type { SharedActions } from './shared-actions.ts'
import { NOT_THERE, readAfresh, type Subject, subjectOf } from './subject.ts'

/** The first retry delay when the service can't be reached, in milliseconds. */
const FIRST_WAIT = 5_000

export interface DispatcherDeps extends Pick<ActionDeps, 'clientOf' | 'ask' | 'refresh' | 'describe' | 'time'> {
  records: ActionRecords
  shared: Pick<SharedActions, 'claim' | 'over'>
  /** Records the outcome of an attempt, or of the check before it. */
  ended: (action: Action, outcome: Outcome) => Promise<void>
  /** Called when an action is sent now: earlier observations say nothing about this attempt. */
  left: (action: Action) => void
  changed: (id: string) => void
}

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #lanes: Lanes<OneAtATime<void>>
  readonly #pauses: Pauses
  /** Just requested by a person who sees the document. They are sent without another look. */
  readonly #fresh = new Set<string>()
  #state: 'closed' | 'open' | 'over' = 'closed'

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#pauses = new Pauses(deps.time)
    this.#lanes = new Lanes((accountId) => new OneAtATime(deps.time, () => this.#leaveAll(accountId)))
  }

  /** Starts sending what waits. */
  open(): void {
    this.#state = 'open'
    this.connectionChanged()
  }

  /** Sends an action that a person has just requested. Resolves once nothing more of its account can be sent. */
  goFresh({ id, accountId }: Pick<Action, 'id' | 'accountId'>): Promise<void> {
    this.#fresh.add(id)
    return this.#lanes.of(accountId).fresh()
  }

  /** Retries what waits, because the connection may be back. */
  connectionChanged(): void {
    for (const accountId of this.#deps.records.accountsIn('waiting')) this.#tryNow(accountId)
  }

  /** Called when the office's server is available again for an account. */
  backOf(accountId: string): void {
    if (this.#deps.records.ofAccount(accountId, 'waiting').length > 0) this.#tryNow(accountId)
  }

  #tryNow(accountId: string): void {
    this.#pauses.clear(accountId)
    void this.#lanes.of(accountId).now()
  }

  /** Stops sending. Resolves once what is in flight has ended. */
  async close(): Promise<void> {
    this.#state = 'over'
    await Promise.all(this.#lanes.all().map((lane) => lane.close()))
  }

  /** Sends an account's waiting actions, one after another. Never rejects. */
  async #leaveAll(accountId: string): Promise<void> {
    // Scheduled or requested by a person, each run is a new try.
    this.#pauses.tryNow(accountId)
    try {
      const trouble = await this.#leaveEach(accountId)
      if (trouble) await this.#hold(accountId, trouble)
    } catch (thrown) {
      // A failed write is retried like a failed send.
      this.#later(accountId, this.#deps.describe(thrown))
    }
  }

  /** Returns why what waits can't be sent now; undefined if nothing is wrong. */
  async #leaveEach(accountId: string): Promise<AppError | undefined> {
    const passed = new Set<string>()
    let trouble: AppError | undefined
    for (;;) {
      if (this.#state !== 'open') return undefined
      const next = this.#deps.records.ofAccount(accountId, 'waiting').find(({ id }) => !passed.has(id))
      if (!next) return trouble
      passed.add(next.id)
      if (this.#fresh.delete(next.id)) {
        const met = await this.#leave(next)
        if (met) return met
      } else if (!trouble) {
        // An action requested just now needs no look at the folders, so it is tried even if they can't be read.
        trouble = await this.#leaveLate(next)
      }
    }
  }

  /**
   * Handles a failure, with which the following actions can't be sent either: those that may wait do, all others are
   * refused.
   */
  async #hold(accountId: string, error: AppError): Promise<void> {
    const { records, ended, changed } = this.#deps
    for (const action of records.ofAccount(accountId, 'waiting')) {
      this.#fresh.delete(action.id)
      if (!mayWait(action)) await ended(action, { kind: 'refused', error: notLater(error) })
      else if (records.change(action.id, { error })) changed(action.id)
    }
    // The keychain would ask the person each time.
    if (error.code === 'keychain') return
    if (records.ofAccount(accountId, 'waiting').length > 0) this.#later(accountId, error)
  }

  #later(accountId: string, error: AppError): void {
    if (this.#state === 'over') return
    this.#pauses.failed(accountId, { error, first: FIRST_WAIT, atLeast: error.retryAfterMs ?? 0 })
    this.#lanes.of(accountId).later(this.#pauses.left(accountId))
  }

  /** Sends an action that had to wait. Returns why it can't be sent now; undefined if it has ended. */
  async #leaveLate(action: Action): Promise<AppError | undefined> {
    const { records, describe, ended } = this.#deps
    const { accountId, reference, id } = action
    let look = new Map()
    try {
      look = await readAfresh(this.#deps, accountId, new Set([reference]))
      // A look can miss a document that moves between folders at that moment, but hardly twice.
      if (!look.has(reference)) look = await readAfresh(this.#deps, accountId, new Set([reference]))
    } catch (error) {
      return describe(error)
    }
    if (records.find(id)?.state !== 'waiting') return undefined
    if (!look.has(reference)) {
      await ended(action, { kind: 'refused', error: NOT_THERE })
      return undefined
    }
    return this.#leave(action, (document) => refuseChanged(action, document))
  }

  /** Sends an action now. Returns why it can't be sent; undefined if it has ended. */
  async #leave(action: Action, judge?: (document: DocumentResponse) => void): Promise<AppError | undefined> {
    const { describe, clientOf, time, ended, shared } = this.#deps
    let outgoing: Outgoing
    let subject: Subject
    let client: ActingClient
    try {
      subject = await subjectOf(this.#deps, action.accountId, action.reference)
      judge?.(subject.document)
      outgoing = outgoingOf(action.request, subject, time.now())
    } catch (error) {
      const trouble = describe(error)
      // A local problem is no verdict on the action.
      if (!(error instanceof AppFailure) || OURS.has(trouble.code)) return trouble
      await ended(action, { kind: 'refused', error: trouble })
      return undefined
    }
    try {
      client = await clientOf(action.accountId)
    } catch (error) {
      return describe(error)
    }
    const ready = { ...action, before: beforeOf(action.request, subject.document) }
    const may = await shared.claim(ready)
    if (may.kind === 'away') return may.error
    if (may.kind === 'ended') {
      await ended(action, may.outcome)
      may.adopt?.()
      return undefined
    }
    try {
      return await this.#hand(ready, client, outgoing, may.options)
    } finally {
      shared.over(action)
    }
  }

  /** Sends the request, unless the action was cancelled. Returns why it can't be sent; undefined if it has ended. */
  async #hand(
    action: Action,
    client: ActingClient,
    outgoing: Outgoing,
    options: CallOptions
  ): Promise<AppError | undefined> {
    const { records, describe, time, ended, left, changed } = this.#deps
    // A person may have cancelled it during the checks.
    if (this.#state !== 'open' || records.find(action.id)?.state !== 'waiting') return undefined
    const { before } = action
    // Written to disk before anything is sent: after a crash it is uncertain, never taken as not sent.
    const running = records.change(action.id, { state: 'running', attemptedAt: time.now(), before, error: undefined })
    if (!running) return undefined
    left(running)
    changed(action.id)
    const outcome = await attempt(client, outgoing, { describe, options })
    if (outcome.kind !== 'offline') {
      this.#pauses.clear(action.accountId)
      await ended(running, outcome)
      return undefined
    }
    records.change(action.id, { state: 'waiting', error: outcome.error })
    return outcome.error
  }
}

/** Sends the request once, and returns what the result means for the action. Never rejects. */
async function attempt(
  client: ActingClient,
  outgoing: Outgoing,
  { describe, options }: { describe: (error: unknown) => AppError; options: CallOptions }
): Promise<Outcome> {
  try {
    return await handOver(client, outgoing, options)
  } catch (error) {
    const failure = failureOf(error, describe)
    switch (failure.kind) {
      case 'uncertain':
      case 'refused':
        return { kind: failure.kind, error: failure.error }
      case 'offline':
      case 'rate-limited':
        return { kind: 'offline', error: failure.error }
      // The key isn't accepted, or a payment is due. Only a person can fix that, and then ask again.
      case 'stopped':
        return { kind: 'refused', error: failure.error }
    }
  }
}

async function handOver(client: ActingClient, { kind, body }: Outgoing, options: CallOptions): Promise<Outcome> {
  switch (kind) {
    case 'correct':
      return outcomeOf(await client.updateSigner(body, options))
    case 'extend':
      return outcomeOf(await client.extend(body, options))
    case 'notary': {
      const notary = await client.assignQueueDocument(body, options)
      const { PackageReference, PackageName, PackageStatus, DocumentIDs = [] } = notary
      const says = Boolean(PackageReference || PackageName || PackageStatus) || DocumentIDs.length > 0
      return says && !holdsError(notary) ? { kind: 'done', notary } : { kind: 'uncertain', error: SAYS_NOTHING }
    }
    case 'remind':
      return (await client.sendReminder(body, options)) === 'sent' ? { kind: 'done' } : { kind: 'unsupported' }
  }
}

/** Only an answer that names a document and has no error confirms the action. */
function outcomeOf(document: DocumentResponse): Outcome {
  if (document.Reference.trim() === '' || holdsError(document)) return { kind: 'uncertain', error: SAYS_NOTHING }
  return { kind: 'done', document }
}

function notLater(error: AppError): AppError {
  return { ...error, message: `${error.message} Nothing was done, and it won’t be retried automatically.` }
}

/** Local failures: they pass, or a person fixes them. */
const OURS: ReadonlySet<ErrorCode> = new Set(['storage', 'no-space', 'not-writable', 'internal', 'keychain'])

const SAYS_NOTHING: AppError = {
  code: 'unexpected-shape',
  message: 'The answer didn’t confirm that this was done.',
  mayHaveArrived: true
}
