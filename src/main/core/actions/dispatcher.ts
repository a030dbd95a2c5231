/**
 * Lets actions leave, one after another per account and in their order: at once while online, else once online again. One
 * that had to wait is compared with the document as it is by then; see `refuseChanged`.
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

/** How long to wait after the first time that the service could not be reached, in milliseconds. */
const FIRST_WAIT = 5_000

export interface DispatcherDeps extends Pick<ActionDeps, 'clientOf' | 'ask' | 'refresh' | 'describe' | 'time'> {
  records: ActionRecords
  shared: Pick<SharedActions, 'claim' | 'over'>
  /** Writes down what came of an attempt, or what looking has shown of it. */
  ended: (action: Action, outcome: Outcome) => Promise<void>
  /** An action leaves now: what was seen before says nothing of this attempt. */
  left: (action: Action) => void
  changed: (id: string) => void
}

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #lanes: Lanes<OneAtATime<void>>
  readonly #pauses: Pauses
  /** Asked for just now, by a person who sees the document: those leave without another look. */
  readonly #fresh = new Set<string>()
  #state: 'closed' | 'open' | 'over' = 'closed'

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#pauses = new Pauses(deps.time)
    this.#lanes = new Lanes((accountId) => new OneAtATime(deps.time, () => this.#leaveAll(accountId)))
  }

  /** Begins to let go what waits. */
  open(): void {
    this.#state = 'open'
    this.connectionChanged()
  }

  /** Has an action leave that a person asked for just now. Resolves once nothing more of its account can leave. */
  goFresh({ id, accountId }: Pick<Action, 'id' | 'accountId'>): Promise<void> {
    this.#fresh.add(id)
    return this.#lanes.of(accountId).fresh()
  }

  /** Online again, perhaps: what waits tries now. */
  connectionChanged(): void {
    for (const accountId of this.#deps.records.accountsIn('waiting')) this.#tryNow(accountId)
  }

  /** The office's server is there again for an account. */
  backOf(accountId: string): void {
    if (this.#deps.records.ofAccount(accountId, 'waiting').length > 0) this.#tryNow(accountId)
  }

  #tryNow(accountId: string): void {
    this.#pauses.clear(accountId)
    void this.#lanes.of(accountId).now()
  }

  /** Lets nothing leave any more. Resolves once what is under way has ended. */
  async close(): Promise<void> {
    this.#state = 'over'
    await Promise.all(this.#lanes.all().map((lane) => lane.close()))
  }

  /** Has what waits of an account leave, one after another. Never rejects. */
  async #leaveAll(accountId: string): Promise<void> {
    // Whether by itself or asked for by a person, this is a try of its own.
    this.#pauses.tryNow(accountId)
    try {
      const trouble = await this.#leaveEach(accountId)
      if (trouble) await this.#hold(accountId, trouble)
    } catch (thrown) {
      // What can't be written just now is tried again, as what can't leave is.
      this.#later(accountId, this.#deps.describe(thrown))
    }
  }

  /** Answers why what waits can't leave just now; undefined if nothing is wrong. */
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
        // What was asked for just now needs no look at the folders: it is tried though they can't be read.
        trouble = await this.#leaveLate(next)
      }
    }
  }

  /** What follows can't leave either: what may wait does, and everything else is refused. */
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

  /** Lets one leave that had to wait. Answers why it can't just now; undefined if it has ended one way or another. */
  async #leaveLate(action: Action): Promise<AppError | undefined> {
    const { records, describe, ended } = this.#deps
    const { accountId, reference, id } = action
    let look = new Map()
    try {
      look = await readAfresh(this.#deps, accountId, new Set([reference]))
      // What moves from one folder to another just then is missed once, hardly twice.
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

  /** Lets one leave now. Answers why it can't; undefined if it has ended one way or another. */
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
      // Something of this workstation doesn't work just now: that is no verdict on the action.
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

  /** Hands it over, unless it was taken back. Answers why it can't leave; undefined if it has ended one way or another. */
  async #hand(
    action: Action,
    client: ActingClient,
    outgoing: Outgoing,
    options: CallOptions
  ): Promise<AppError | undefined> {
    const { records, describe, time, ended, left, changed } = this.#deps
    // A person may have taken it back while it was looked at.
    if (this.#state !== 'open' || records.find(action.id)?.state !== 'waiting') return undefined
    const { before } = action
    // On the disk before anything leaves: what a crash leaves behind is in doubt, never thought not to have left.
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

/** Hands the request over, once, and says what the end of that means for the action. Never rejects. */
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
      // The key isn't accepted, or there is something to pay: only a person can fix that, and then asks for it once more.
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

/** Only what names a document, and no error beside it, is the service's word. */
function outcomeOf(document: DocumentResponse): Outcome {
  if (document.Reference.trim() === '' || holdsError(document)) return { kind: 'uncertain', error: SAYS_NOTHING }
  return { kind: 'done', document }
}

function notLater(error: AppError): AppError {
  return { ...error, message: `${error.message} Nothing was done, and it won’t be retried automatically.` }
}

/** What fails here, not there: it passes, or a person fixes it. */
const OURS: ReadonlySet<ErrorCode> = new Set(['storage', 'no-space', 'not-writable', 'internal', 'keychain'])

const SAYS_NOTHING: AppError = {
  code: 'unexpected-shape',
  message: 'The answer didn’t confirm that this was done.',
  mayHaveArrived: true
}
