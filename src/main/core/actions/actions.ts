/**
 * Actions on documents, from a person's request to the outcome. Each reaches the service at most once, unless a person
 * asks again. Every step is written to disk before it has an effect outside.
 */
import type { ActionRequest, ActionState, ActionView } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { CrashRecovery, writeFirstAccepted } from '../jobs/recovery.ts'
import { DAY } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { within } from '../lib/time.ts'
import {
  type Action,
  type ActionChange,
  type ActionRecords,
  affectsSameDocument,
  canBeChecked,
  mayWait,
  openActionRecords,
  targetOf,
  viewOf
} from './action-records.ts'
import type { ActionDeps, Outcome } from './deps.ts'
import { Dispatcher } from './dispatcher.ts'
import { ALREADY_DONE, blockedBy, busyWith, INTERRUPTED, NEVER_SENT, NO_REMINDERS, NOT_CHECKABLE } from './messages.ts'
import { outgoingOf } from './outgoing.ts'
import { Reconciler } from './reconcile.ts'
import { SharedActions } from './shared-actions.ts'
import { beforeOf } from './shown-state.ts'
import { readFoldersNow, subjectOf } from './subject.ts'

/** How long the screen's request waits for the service's answer, in milliseconds. The action itself goes on. */
const ANSWER_TIMEOUT = 8_000
/** How long finished actions are kept, in milliseconds. */
const RETENTION = 30 * DAY
/** The delay before a failed write is retried, in milliseconds. */
const STORAGE_WAIT = 5_000

export class Actions {
  readonly #deps: ActionDeps
  readonly #records: ActionRecords
  readonly #reconciler: Reconciler
  readonly #dispatcher: Dispatcher
  readonly #shared: SharedActions
  readonly #recovery: CrashRecovery
  #isClosed = false

  constructor(deps: ActionDeps) {
    const records = openActionRecords(deps.db)
    const changed = (id: string) => deps.changed([id])
    const recordOutcome = (action: Action, outcome: Outcome) => this.#recordOutcome(action, outcome)
    this.#deps = deps
    this.#records = records
    this.#reconciler = new Reconciler({ ...deps, records, changed, recordOutcome })
    this.#shared = new SharedActions({
      ...deps,
      records,
      changed,
      recordOutcome,
      triedElsewhere: ({ id, accountId }) => {
        this.#reconciler.attemptStarted(id)
        this.#reconciler.schedule.plan(accountId)
      }
    })
    const attemptStarted = (action: Action) => this.#attemptStarted(action)
    this.#dispatcher = new Dispatcher({
      ...deps,
      records,
      changed,
      recordOutcome,
      attemptStarted,
      shared: this.#shared
    })
    deps.exclusiveTasks.listen({ available: (accountId) => this.#dispatcher.officeAvailable(accountId) })
    this.#recovery = new CrashRecovery(deps.time, () => this.#recover())
  }

  /**
   * Recovers after a crash: actions that were in flight may have arrived. Call it once at startup. If it throws,
   * `startDispatching` tries it again.
   */
  recover(): void {
    this.#recovery.recoverNow()
  }

  /** Starts sending what waits, and checking what is uncertain. */
  startDispatching(): void {
    this.#recovery.runAfterRecovery(() => {
      this.#dispatcher.start()
      this.#reconciler.schedule.start()
      this.#pruneDaily()
    })
  }

  /** Called when the connection may be back, or the computer woke up. */
  connectionChanged(): void {
    this.#dispatcher.connectionChanged()
    this.#reconciler.schedule.connectionChanged()
  }

  /** Stops sending, and waits for what is in flight, at most `limit` milliseconds. */
  async close(limit: number): Promise<void> {
    this.#isClosed = true
    this.#recovery.cancel()
    const ended = Promise.all([this.#dispatcher.close(), this.#reconciler.schedule.close()])
    // After what was in flight, so that the office learns its outcome.
    await within(
      limit,
      ended.then(() => this.#shared.close()),
      this.#deps.time
    )
  }

  /**
   * Starts an action on a document. A second call with the same id only returns its state.
   * @throws AppFailure if it isn't possible (then nothing is stored), and `busy` while an equal one is open, or another
   * on the document is waiting or in flight: they are done in order.
   */
  async start(
    accountId: string,
    { id, reference, request }: { id: string; reference: string; request: ActionRequest }
  ): Promise<ActionView> {
    const findExisting = () => {
      const before = this.#records.find(id)
      if (before && before.accountId !== accountId) fail('gone', 'This belongs to another account.')
      return before && viewOf(before)
    }
    const existing = findExisting()
    if (existing) return existing
    // Recovery must come first, so that this one isn't taken for one of an earlier run.
    this.#recovery.recoverNow()
    const document = await this.#checkAllowed(accountId, reference, request)
    const meanwhile = findExisting()
    if (meanwhile) return meanwhile
    this.#refuseBusy(accountId, request, document, id)
    const documentName = document.Name ?? document.Reference
    const createdAt = this.#deps.time.now()
    const action = { id, accountId, request, documentName, before: beforeOf(request, document), createdAt }
    this.#records.add(action, document)
    this.#changed(id)
    return this.#send(action)
  }

  /** @throws AppFailure `gone`. */
  get(id: string): ActionView {
    return viewOf(this.#actionById(id))
  }

  /** Lists actions on one document or on all, newest first. */
  list(accountId: string, reference?: string): ActionView[] {
    return this.#records.list(accountId, reference).map(viewOf)
  }

  /** Cancels a waiting action. @throws AppFailure `busy` if it is in flight, `conflict` if it has ended. */
  cancel(id: string): ActionView {
    const action = this.#actionById(id)
    if (action.state === 'cancelled') return viewOf(action)
    if (action.state === 'running') fail('busy', 'This is already in progress, so it can’t be undone.')
    if (action.state !== 'waiting') fail('conflict', 'This is no longer waiting, so it can’t be undone.')
    // This was a retry, and the first attempt is still uncertain.
    if (action.isInDoubt) {
      const after = this.#records.change(id, { state: 'uncertain' })
      this.#changed(id)
      this.#shared.syncSoon(action.accountId)
      this.#reconciler.schedule.plan(action.accountId)
      return viewOf(after ?? action)
    }
    return this.#finishAs(action, 'cancelled')
  }

  /** Checks the outcome of an uncertain action in the folders. @throws what reading the folders throws. */
  async check(id: string): Promise<ActionView> {
    const action = this.#actionById(id)
    if (action.state !== 'uncertain') return viewOf(action)
    if (!canBeChecked(action)) fail('conflict', NOT_CHECKABLE)
    await this.#reconciler.schedule.check(action.accountId)
    return this.get(id)
  }

  /** Retries an action that was refused, cancelled or is uncertain. In the last case it may happen twice. */
  async retry(id: string): Promise<ActionView> {
    const action = this.#actionById(id)
    if (action.state === 'waiting' || action.state === 'running') return viewOf(action)
    if (action.state === 'done') fail('conflict', ALREADY_DONE)
    const { accountId, request } = action
    const document = await this.#checkAllowed(accountId, action.reference, request)
    const current = this.#actionById(id)
    if (current.state !== action.state) return viewOf(current)
    this.#refuseBusy(accountId, request, document, id)
    const open = { state: 'waiting', isInDoubt: action.state === 'uncertain', error: undefined } as const
    this.#records.change(id, { ...open, before: beforeOf(request, document), settledAt: undefined })
    this.#changed(id)
    return this.#send(action)
  }

  /** Settles an uncertain action by a person's word. */
  conclude(id: string, happened: boolean): ActionView {
    const action = this.#actionById(id)
    if (action.state !== 'uncertain') return viewOf(action)
    this.#deps.readSoon(action.accountId)
    return this.#finishAs(action, happened ? 'done' : 'cancelled')
  }

  /** Counts the actions of all accounts, for the question on quitting. */
  pending(): { waiting: number; running: number; uncertain: number } {
    const count = (state: ActionState) => this.#records.count(state)
    return { waiting: count('waiting'), running: count('running'), uncertain: count('uncertain') }
  }

  #recover(): void {
    for (const { id } of this.#records.inState('running')) {
      this.#records.change(id, { state: 'uncertain', isInDoubt: true, error: INTERRUPTED })
    }
    for (const action of this.#records.inState('waiting')) {
      if (mayWait(action)) continue
      const settledAt = this.#deps.time.now()
      if (action.isInDoubt) this.#records.change(action.id, { state: 'uncertain', error: INTERRUPTED })
      else this.#records.change(action.id, { state: 'refused', error: NEVER_SENT, settledAt })
    }
  }

  /** From now on, its change in the folders is no news, even if the service's answer is lost. */
  #attemptStarted({ id, accountId, reference, request }: Action): void {
    const { ask, moment } = this.#deps
    this.#reconciler.attemptStarted(id)
    const due = request.kind === 'extend' ? Date.parse(request.dueDate) : undefined
    void ask('acting', { accountId, reference, kind: request.kind, due, now: moment() }).catch(() => undefined)
  }

  async #recordOutcome(action: Action, outcome: Outcome): Promise<void> {
    const { ask, moment, documentStored, readSoon } = this.#deps
    const { accountId } = action
    const written = this.#write(action, outcome)
    if (!written) return
    this.#changed(action.id)
    this.#shared.syncSoon(accountId)
    if (written.state === 'uncertain') this.#reconciler.schedule.plan(accountId)
    if (action.request.kind === 'remind') this.#learnOfReminders(action, outcome)
    if (written.state === 'refused') {
      const { reference, request } = action
      await ask('actionRefused', { accountId, reference, kind: request.kind }).catch(() => undefined)
    }
    if (outcome.kind !== 'done') {
      // A service that refuses one of several signers may have accepted the others. The folders show it.
      if (action.request.kind === 'correct' && action.request.signers.length > 1) readSoon(accountId)
      return
    }
    // The mirror catches up by itself; until then it is only outdated.
    if (outcome.document) {
      await ask('takeOne', { accountId, document: outcome.document, now: moment(), isOwn: true }).catch(() => undefined)
      documentStored(accountId)
    }
    readSoon(accountId)
    if (action.request.kind === 'correct') this.#deps.signersCorrected(accountId, action.request.signers)
  }

  #write(action: Action, outcome: Outcome): Action | undefined {
    const change = this.#changeOf(action, outcome)
    try {
      const now = this.#records.find(action.id)
      const isCurrent = now?.state === action.state && now.attemptedAt === action.attemptedAt
      // A person has cancelled, settled or repeated it meanwhile. Only that it was done counts even then.
      if (!isCurrent && outcome.kind !== 'done') return undefined
      // If the database rejects the answer, it is left out.
      return writeFirstAccepted([
        () => this.#records.change(action.id, change),
        () => this.#records.change(action.id, { ...change, notary: undefined })
      ])
    } catch {
      // On disk it stays `running`, which a restart treats as uncertain, so nothing false is shown.
      if (!this.#isClosed) this.#deps.time.after(STORAGE_WAIT, () => void this.#recordOutcome(action, outcome))
      return undefined
    }
  }

  #changeOf(action: Action, outcome: Outcome): ActionChange {
    const finished = { settledAt: this.#deps.time.now(), isInDoubt: false }
    switch (outcome.kind) {
      case 'done':
        return { ...finished, state: 'done', error: undefined, notary: outcome.notary }
      case 'unsupported':
        return { ...finished, state: 'refused', error: NO_REMINDERS }
      case 'offline':
      case 'refused':
        // A look at the folders has settled it, or nothing is in doubt.
        if (!action.isInDoubt || action.state === 'uncertain') {
          return { ...finished, state: 'refused', error: outcome.error }
        }
        return { state: 'uncertain', error: { ...outcome.error, mayHaveArrived: true } }
      case 'uncertain':
        return { state: 'uncertain', isInDoubt: true, error: outcome.error }
    }
  }

  /**
   * Finds out whether the service has reminders. One without them answers as if it lacked the document; only the
   * folders tell the two apart.
   */
  #learnOfReminders({ accountId, reference }: Action, { kind }: Outcome): void {
    const { rights } = this.#deps
    if (kind === 'done') rights.learn(accountId, { reminders: 'yes' })
    if (kind !== 'unsupported' || rights.of(accountId).reminders !== 'unknown') return
    void readFoldersNow(this.#deps, accountId, new Set([reference]))
      .then((shown) => {
        if (shown.has(reference)) rights.learn(accountId, { reminders: 'no' })
      })
      .catch(() => undefined)
  }

  /** Deletes old finished actions, once a day. */
  #pruneDaily(): void {
    if (this.#isClosed) return
    const { time } = this.#deps
    this.#records.prune(time.now() - RETENTION)
    time.after(DAY, () => this.#pruneDaily())
  }

  #actionById(id: string): Action {
    return this.#records.find(id) ?? fail('gone', 'This no longer exists.')
  }

  /** @throws AppFailure `busy` while an equal action is open, or another that it would overtake. */
  #refuseBusy(accountId: string, request: ActionRequest, document: DocumentResponse, id: string): void {
    const other = this.#records.findOpen(accountId, request.kind, targetOf(request, document))
    if (other && other.id !== id) fail('busy', busyWith(other))
    const ahead = [...this.#records.ofAccount(accountId, 'running'), ...this.#records.ofAccount(accountId, 'waiting')]
    const overtaken = ahead.find((one) => one.id !== id && affectsSameDocument(one, request, document))
    if (overtaken) fail('busy', blockedBy(overtaken))
  }

  /** Checks whether an action is possible before it is stored. @throws AppFailure */
  async #checkAllowed(accountId: string, reference: string, request: ActionRequest): Promise<DocumentResponse> {
    const { rights, time } = this.#deps
    if (request.kind === 'remind' && rights.of(accountId).reminders === 'no') fail('not-found', NO_REMINDERS.message)
    const subject = await subjectOf(this.#deps, accountId, reference)
    outgoingOf(request, subject, time.now())
    return subject.document
  }

  /** Sends an action. Returns its outcome, or its state after a while. */
  async #send(action: Pick<Action, 'id' | 'accountId'>): Promise<ActionView> {
    await within(ANSWER_TIMEOUT, this.#dispatcher.sendNow(action), this.#deps.time)
    return this.get(action.id)
  }

  /** Ends an action by a person's decision. */
  #finishAs(action: Action, state: ActionState): ActionView {
    const finished = { settledAt: this.#deps.time.now(), isInDoubt: false, error: undefined }
    const after = this.#records.change(action.id, { ...finished, state })
    this.#changed(action.id)
    this.#shared.syncSoon(action.accountId)
    return viewOf(after ?? action)
  }

  #changed(id: string): void {
    this.#deps.changed([id])
  }
}
