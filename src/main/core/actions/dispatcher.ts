/**
 * Sends actions, one after another per account and in order: at once while online, otherwise once online again. One
 * that had to wait is first compared with the document's current state; see `refuseChanged`.
 */
import { type AppError, traitsOf } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { Lanes, Pauses, SerialTask } from '../jobs/lanes.ts'
import { containsError, failureOf } from '../jobs/recovery.ts'
import { AppFailure } from '../lib/failure.ts'
import type { CallOptions } from '../service/transport.ts'
import { type Action, type ActionRecords, mayWait } from './action-records.ts'
import type { ActingClient, ActionDeps, Outcome } from './deps.ts'
import { type Outgoing, outgoingOf } from './outgoing.ts'
import type { SharedActions } from './shared-actions.ts'
import { beforeOf, refuseChanged } from './shown-state.ts'
import { DOCUMENT_GONE, readFoldersNow, type Subject, subjectOf } from './subject.ts'

/** The first retry delay when the service can't be reached, in milliseconds. */
const FIRST_WAIT = 5_000

export interface DispatcherDeps extends Pick<ActionDeps, 'clientOf' | 'ask' | 'refresh' | 'time'> {
  records: ActionRecords
  shared: Pick<SharedActions, 'claim' | 'attemptEnded'>
  recordOutcome: (action: Action, outcome: Outcome) => Promise<void>
  /** Called when an action is sent now: earlier observations say nothing about this attempt. */
  attemptStarted: (action: Action) => void
  changed: (id: string) => void
}

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #lanes: Lanes<SerialTask<void>>
  readonly #pauses: Pauses
  /** Just requested by a person who sees the document. They are sent without another look. */
  readonly #justRequested = new Set<string>()
  #state: 'unstarted' | 'started' | 'over' = 'unstarted'

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#pauses = new Pauses(deps.time)
    this.#lanes = new Lanes((accountId) => new SerialTask(deps.time, () => this.#sendAll(accountId)))
  }

  /** Starts sending what waits. */
  start(): void {
    this.#state = 'started'
    this.connectionChanged()
  }

  /** Sends an action that a person has just requested. Resolves once nothing more of its account can be sent. */
  sendNow({ id, accountId }: Pick<Action, 'id' | 'accountId'>): Promise<void> {
    this.#justRequested.add(id)
    return this.#lanes.of(accountId).runFresh()
  }

  /** Retries what waits, because the connection may be back. */
  connectionChanged(): void {
    for (const accountId of this.#deps.records.accountsIn('waiting')) this.#retryNow(accountId)
  }

  officeAvailable(accountId: string): void {
    if (this.#deps.records.ofAccount(accountId, 'waiting').length > 0) this.#retryNow(accountId)
  }

  #retryNow(accountId: string): void {
    this.#pauses.clear(accountId)
    void this.#lanes.of(accountId).run()
  }

  /** Stops sending. Resolves once what is in flight has ended. */
  async close(): Promise<void> {
    this.#state = 'over'
    await Promise.all(this.#lanes.all().map((lane) => lane.close()))
  }

  /** Sends an account's waiting actions, one after another. Never rejects. */
  async #sendAll(accountId: string): Promise<void> {
    // Scheduled or requested by a person, each run is a new try.
    this.#pauses.tryNow(accountId)
    try {
      const trouble = await this.#sendEach(accountId)
      if (trouble) await this.#handleFailure(accountId, trouble)
    } catch (thrown) {
      // A failed write is retried like a failed send.
      this.#retryLater(accountId, asAppError(thrown))
    }
  }

  /** Returns why what waits can't be sent now; undefined if nothing is wrong. */
  async #sendEach(accountId: string): Promise<AppError | undefined> {
    const tried = new Set<string>()
    let trouble: AppError | undefined
    for (;;) {
      if (this.#state !== 'started') return undefined
      const next = this.#deps.records.ofAccount(accountId, 'waiting').find(({ id }) => !tried.has(id))
      if (!next) return trouble
      tried.add(next.id)
      if (this.#justRequested.delete(next.id)) {
        const failure = await this.#send(next)
        if (failure) return failure
      } else if (!trouble) {
        // An action requested just now needs no look at the folders, so it is tried even if they can't be read.
        trouble = await this.#sendDelayed(next)
      }
    }
  }

  /**
   * Handles a failure, with which the following actions can't be sent either: those that may wait do, all others are
   * refused.
   */
  async #handleFailure(accountId: string, error: AppError): Promise<void> {
    const { records, recordOutcome, changed } = this.#deps
    for (const action of records.ofAccount(accountId, 'waiting')) {
      this.#justRequested.delete(action.id)
      if (!mayWait(action)) await recordOutcome(action, { kind: 'refused', error: withoutRetry(error) })
      else if (records.change(action.id, { error })) changed(action.id)
    }
    // The keychain would ask the person each time.
    if (error.code === 'keychain') return
    if (records.ofAccount(accountId, 'waiting').length > 0) this.#retryLater(accountId, error)
  }

  #retryLater(accountId: string, error: AppError): void {
    if (this.#state === 'over') return
    this.#pauses.recordFailure(accountId, { error, first: FIRST_WAIT, atLeast: error.retryAfterMs ?? 0 })
    this.#lanes.of(accountId).schedule(this.#pauses.remaining(accountId))
  }

  /** Sends an action that had to wait. Returns why it can't be sent now; undefined if it has ended. */
  async #sendDelayed(action: Action): Promise<AppError | undefined> {
    const { records, recordOutcome } = this.#deps
    const { accountId, reference, id } = action
    let found = new Map()
    try {
      found = await readFoldersNow(this.#deps, accountId, new Set([reference]))
      // A look can miss a document that moves between folders at that moment, but hardly twice.
      if (!found.has(reference)) found = await readFoldersNow(this.#deps, accountId, new Set([reference]))
    } catch (error) {
      return asAppError(error)
    }
    if (records.find(id)?.state !== 'waiting') return undefined
    if (!found.has(reference)) {
      await recordOutcome(action, { kind: 'refused', error: DOCUMENT_GONE })
      return undefined
    }
    return this.#send(action, (document) => refuseChanged(action, document))
  }

  /** Sends an action now. Returns why it can't be sent; undefined if it has ended. */
  async #send(action: Action, check?: (document: DocumentResponse) => void): Promise<AppError | undefined> {
    const { clientOf, time, recordOutcome, shared } = this.#deps
    let outgoing: Outgoing
    let subject: Subject
    try {
      subject = await subjectOf(this.#deps, action.accountId, action.reference)
      check?.(subject.document)
      outgoing = outgoingOf(action.request, subject, time.now())
    } catch (error) {
      const trouble = asAppError(error)
      // A local problem is no verdict on the action.
      if (!(error instanceof AppFailure) || isLocal(trouble)) return trouble
      await recordOutcome(action, { kind: 'refused', error: trouble })
      return undefined
    }
    try {
      // Nothing is claimed that couldn't be sent.
      await clientOf(action.accountId)
    } catch (error) {
      return asAppError(error)
    }
    const ready = { ...action, before: beforeOf(action.request, subject.document) }
    const claim = await shared.claim(ready)
    if (claim.kind === 'away') return claim.error
    if (claim.kind === 'ended') {
      await recordOutcome(action, claim.outcome)
      claim.adopt?.()
      return undefined
    }
    try {
      return await this.#sendClaimed(ready, outgoing, claim.options)
    } finally {
      shared.attemptEnded(action)
    }
  }

  /** Sends the request, unless the action was cancelled. Returns why it can't be sent; undefined if it has ended. */
  async #sendClaimed(action: Action, outgoing: Outgoing, options: CallOptions): Promise<AppError | undefined> {
    const { clientOf, records, time, recordOutcome, attemptStarted, changed } = this.#deps
    let client: ActingClient
    try {
      // The account may have other credentials since the office was asked.
      client = await clientOf(action.accountId)
    } catch (error) {
      return asAppError(error)
    }
    // A person may have cancelled it during the checks.
    if (this.#state !== 'started' || records.find(action.id)?.state !== 'waiting') return undefined
    const { before } = action
    // Written to disk before anything is sent: after a crash it is uncertain, never taken as not sent.
    const running = records.change(action.id, { state: 'running', attemptedAt: time.now(), before, error: undefined })
    if (!running) return undefined
    attemptStarted(running)
    changed(action.id)
    const outcome = await attempt(client, outgoing, options)
    if (outcome.kind !== 'offline') {
      this.#pauses.clear(action.accountId)
      await recordOutcome(running, outcome)
      return undefined
    }
    try {
      records.change(action.id, { state: 'waiting', error: outcome.error })
    } catch {
      this.#recordNotSentLater(running, outcome.error)
    }
    return outcome.error
  }

  /** Retries recording that nothing was sent; until then the action stays running, which blocks its document. */
  #recordNotSentLater(action: Action, error: AppError): void {
    const { records, time, recordOutcome, changed } = this.#deps
    time.after(FIRST_WAIT, () => {
      if (this.#state === 'over') return
      if (!mayWait(action)) return void recordOutcome(action, { kind: 'refused', error: withoutRetry(error) })
      try {
        if (records.change(action.id, { state: 'waiting', error })) changed(action.id)
      } catch {
        return this.#recordNotSentLater(action, error)
      }
      this.#retryLater(action.accountId, error)
    })
  }
}

/** Sends the request once, and returns what the result means for the action. Never rejects. */
async function attempt(client: ActingClient, outgoing: Outgoing, options: CallOptions): Promise<Outcome> {
  try {
    return await sendRequest(client, outgoing, options)
  } catch (error) {
    const failure = failureOf(error)
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

async function sendRequest(client: ActingClient, { kind, body }: Outgoing, options: CallOptions): Promise<Outcome> {
  switch (kind) {
    case 'correct':
      return outcomeOf(await client.updateSigner(body, options))
    case 'extend':
      return outcomeOf(await client.extend(body, options))
    case 'notary': {
      const notary = await client.assignQueueDocument(body, options)
      const { PackageReference, PackageName, PackageStatus, DocumentIDs = [] } = notary
      const isConfirmed = Boolean(PackageReference || PackageName || PackageStatus) || DocumentIDs.length > 0
      return isConfirmed && !containsError(notary)
        ? { kind: 'done', notary }
        : { kind: 'uncertain', error: NOT_CONFIRMED }
    }
    case 'remind':
      return (await client.sendReminder(body, options)) === 'sent' ? { kind: 'done' } : { kind: 'unsupported' }
  }
}

/** Only an answer that names a document and has no error confirms the action. */
function outcomeOf(document: DocumentResponse): Outcome {
  if (document.Reference.trim() === '' || containsError(document)) return { kind: 'uncertain', error: NOT_CONFIRMED }
  return { kind: 'done', document }
}

function withoutRetry(error: AppError): AppError {
  return { ...error, message: `${error.message} Nothing was done, and it won’t be retried automatically.` }
}

/** Whether it failed on this computer, which passes or a person fixes. `internal` is a mistake of ours, and no verdict. */
function isLocal(error: AppError): boolean {
  const { concerns } = traitsOf(error)
  return concerns === 'disk' || concerns === 'keychain' || error.code === 'internal'
}

const NOT_CONFIRMED: AppError = {
  code: 'unexpected-shape',
  message: 'The answer didn’t confirm that this was done.',
  mayHaveArrived: true
}
