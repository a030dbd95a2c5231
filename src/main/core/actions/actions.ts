/**
 * What is done to documents, from the moment a person asks for it to what came of it: each reaches the service once at
 * most, unless a person asks again. Every step is on the disk before it has an effect outside.
 */
import type { ActionRequest, ActionState, ActionView } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { firstAccepted, Recovery } from '../jobs/recording.ts'
import { fail } from '../lib/failure.ts'
import { within } from '../lib/time.ts'
import {
  type Action,
  type ActionChange,
  type ActionRecords,
  canBeChecked,
  concernsSame,
  mayWait,
  openActionRecords,
  targetOf,
  viewOf
} from './action-records.ts'
import { beforeOf } from './before.ts'
import type { ActionDeps, Outcome } from './deps.ts'
import { Dispatcher } from './dispatcher.ts'
import { ALREADY_DONE, behind, busyWith, INTERRUPTED, NEVER_LEFT, NO_REMINDERS, NOT_CHECKABLE } from './messages.ts'
import { outgoingOf } from './outgoing.ts'
import { Reconciler } from './reconcile.ts'
import { SharedActions } from './shared-actions.ts'
import { readAfresh, subjectOf } from './subject.ts'

/** How long an answer to the screen waits for the service's, in milliseconds; the action goes on after it. */
const ANSWER_WITHIN = 8_000
const DAY = 86_400_000
/** How long what ended is kept, in milliseconds. */
const KEPT = 30 * DAY
/** How long to wait before writing is tried again, in milliseconds. */
const STORAGE_WAIT = 5_000

export class Actions {
  readonly #deps: ActionDeps
  readonly #records: ActionRecords
  readonly #reconciler: Reconciler
  readonly #dispatcher: Dispatcher
  readonly #shared: SharedActions
  readonly #recovery: Recovery
  #isClosed = false

  constructor(deps: ActionDeps) {
    const records = openActionRecords(deps.db)
    const changed = (id: string) => deps.changed([id])
    const ended = (action: Action, outcome: Outcome) => this.#ended(action, outcome)
    this.#deps = deps
    this.#records = records
    this.#reconciler = new Reconciler({ ...deps, records, changed, ended })
    this.#shared = new SharedActions({
      ...{ ...deps, records, changed, ended },
      triedElsewhere: ({ id, accountId }) => {
        this.#reconciler.left(id)
        this.#reconciler.schedule.plan(accountId)
      }
    })
    const left = (action: Action) => this.#left(action)
    this.#dispatcher = new Dispatcher({ ...deps, records, changed, ended, left, shared: this.#shared })
    deps.once.listen({ back: (accountId) => this.#dispatcher.backOf(accountId) })
    this.#recovery = new Recovery(deps.time, () => this.#recover())
  }

  /** To be called once at the start: what a crash left under way may have arrived. If it throws, `open` tries it again. */
  recover(): void {
    this.#recovery.now()
  }

  /** Begins to let go what waits, and to look for what is uncertain. */
  open(): void {
    this.#recovery.before(() => {
      this.#dispatcher.open()
      this.#reconciler.schedule.open()
      this.#pruneDaily()
    })
  }

  /** Online again, perhaps, or the computer woke up. */
  connectionChanged(): void {
    this.#dispatcher.connectionChanged()
    this.#reconciler.schedule.connectionChanged()
  }

  /** Lets nothing more leave, and waits for what is under way, `limit` milliseconds at most. */
  async close(limit: number): Promise<void> {
    this.#isClosed = true
    this.#recovery.cancel()
    const ended = Promise.all([this.#dispatcher.close(), this.#reconciler.schedule.close()])
    // After what was under way, so that the office hears how that ended.
    await within(
      limit,
      ended.then(() => this.#shared.close()),
      this.#deps.time
    )
  }

  /**
   * Does something to a document. The same id twice does it once and answers what is known of it.
   * @throws AppFailure if it can't be done at all (then nothing is kept), and `busy` while its like is open, or
   * another on the document waits or is under way: what was asked for first is done first.
   */
  async start(
    accountId: string,
    { id, reference, request }: { id: string; reference: string; request: ActionRequest }
  ): Promise<ActionView> {
    const pressedBefore = () => {
      const before = this.#records.find(id)
      if (before && before.accountId !== accountId) fail('gone', 'This belongs to another account.')
      return before && viewOf(before)
    }
    const before = pressedBefore()
    if (before) return before
    // What an earlier run left is told apart from this first.
    this.#recovery.now()
    const document = await this.#allowed(accountId, reference, request)
    const meanwhile = pressedBefore()
    if (meanwhile) return meanwhile
    this.#refuseBusy(accountId, request, document, id)
    const documentName = document.Name ?? document.Reference
    const createdAt = this.#deps.time.now()
    const action = { id, accountId, request, documentName, before: beforeOf(request, document), createdAt }
    this.#records.add(action, document)
    this.#changed(id)
    return this.#leaves(action)
  }

  /** @throws AppFailure `gone`. */
  get(id: string): ActionView {
    return viewOf(this.#known(id))
  }

  /** Newest first; of one document, or of all. */
  list(accountId: string, reference?: string): ActionView[] {
    return this.#records.list(accountId, reference).map(viewOf)
  }

  /** Takes back what waits. @throws AppFailure `busy` if it is under way, `conflict` if it has ended. */
  cancel(id: string): ActionView {
    const action = this.#known(id)
    if (action.state === 'cancelled') return viewOf(action)
    if (action.state === 'running') fail('busy', 'This is already in progress, so it can’t be undone.')
    if (action.state !== 'waiting') fail('conflict', 'This is no longer waiting, so it can’t be undone.')
    // It was asked for once more, and the first time is still in doubt.
    if (action.isInDoubt) {
      const after = this.#records.change(id, { state: 'uncertain' })
      this.#changed(id)
      this.#shared.soon(action.accountId)
      this.#reconciler.schedule.plan(action.accountId)
      return viewOf(after ?? action)
    }
    return this.#settledAs(action, 'cancelled')
  }

  /** Asks the service what became of an uncertain one. @throws what reading the folders throws. */
  async check(id: string): Promise<ActionView> {
    const action = this.#known(id)
    if (action.state !== 'uncertain') return viewOf(action)
    if (!canBeChecked(action)) fail('conflict', NOT_CHECKABLE)
    await this.#reconciler.schedule.look(action.accountId)
    return this.get(id)
  }

  /** Does one once more that was refused, taken back or is uncertain; that may be the second time. */
  async again(id: string): Promise<ActionView> {
    const action = this.#known(id)
    if (action.state === 'waiting' || action.state === 'running') return viewOf(action)
    if (action.state === 'done') fail('conflict', ALREADY_DONE)
    const { accountId, request } = action
    const document = await this.#allowed(accountId, action.reference, request)
    const now = this.#known(id)
    if (now.state !== action.state) return viewOf(now)
    this.#refuseBusy(accountId, request, document, id)
    const open = { state: 'waiting', isInDoubt: action.state === 'uncertain', error: undefined } as const
    this.#records.change(id, { ...open, before: beforeOf(request, document), settledAt: undefined })
    this.#changed(id)
    return this.#leaves(action)
  }

  /** A person says what became of an uncertain one. */
  settle(id: string, happened: boolean): ActionView {
    const action = this.#known(id)
    if (action.state !== 'uncertain') return viewOf(action)
    this.#deps.soon(action.accountId)
    return this.#settledAs(action, happened ? 'done' : 'cancelled')
  }

  /** For the question on leaving: of all accounts. */
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
      else this.#records.change(action.id, { state: 'refused', error: NEVER_LEFT, settledAt })
    }
  }

  /** What folders show of it from now on is no news, also where the service's answer is lost. */
  #left({ id, accountId, reference, request }: Action): void {
    const { ask, moment } = this.#deps
    this.#reconciler.left(id)
    const due = request.kind === 'extend' ? Date.parse(request.dueDate) : undefined
    void ask('acting', { accountId, reference, kind: request.kind, due, now: moment() }).catch(() => undefined)
  }

  /** Writes down what came of an attempt, and sees to what follows of it. */
  async #ended(action: Action, outcome: Outcome): Promise<void> {
    const { ask, moment, taken, soon } = this.#deps
    const { accountId } = action
    const written = this.#write(action, outcome)
    if (!written) return
    this.#changed(action.id)
    this.#shared.soon(accountId)
    if (written.state === 'uncertain') this.#reconciler.schedule.plan(accountId)
    if (action.request.kind === 'remind') this.#learnOfReminders(action, outcome)
    if (written.state === 'refused') {
      const { reference, request } = action
      await ask('actionRefused', { accountId, reference, kind: request.kind }).catch(() => undefined)
    }
    if (outcome.kind !== 'done') {
      // Whether a service that refuses one of several has taken the others is its own affair: the folders show it.
      if (action.request.kind === 'correct' && action.request.signers.length > 1) soon(accountId)
      return
    }
    // The mirror follows by itself; what it shows until then is only older.
    if (outcome.document) {
      await ask('takeOne', { accountId, document: outcome.document, now: moment(), isOwn: true }).catch(() => undefined)
      taken(accountId)
    }
    soon(accountId)
    if (action.request.kind === 'correct') this.#deps.corrected(accountId, action.request.signers)
  }

  #write(action: Action, outcome: Outcome): Action | undefined {
    const change = this.#changeOf(action, outcome)
    try {
      // What the database rejects of an answer is left out.
      return firstAccepted([
        () => this.#records.change(action.id, change),
        () => this.#records.change(action.id, { ...change, notary: undefined })
      ])
    } catch {
      // It stays "running" on the disk, which a restart reads as uncertain: nothing false is shown.
      if (!this.#isClosed) this.#deps.time.after(STORAGE_WAIT, () => void this.#ended(action, outcome))
      return undefined
    }
  }

  #changeOf(action: Action, outcome: Outcome): ActionChange {
    const settled = { settledAt: this.#deps.time.now(), isInDoubt: false }
    switch (outcome.kind) {
      case 'done':
        return { ...settled, state: 'done', error: undefined, notary: outcome.notary }
      case 'unsupported':
        return { ...settled, state: 'refused', error: NO_REMINDERS }
      case 'offline':
      case 'refused':
        // A look has shown it, or nothing is in doubt.
        if (!action.isInDoubt || action.state === 'uncertain') {
          return { ...settled, state: 'refused', error: outcome.error }
        }
        return { state: 'uncertain', error: { ...outcome.error, mayHaveArrived: true } }
      case 'uncertain':
        return { state: 'uncertain', isInDoubt: true, error: outcome.error }
    }
  }

  /** A service that has no reminders answers as one does that has not this document: only the folders tell them apart. */
  #learnOfReminders({ accountId, reference }: Action, { kind }: Outcome): void {
    const { rights } = this.#deps
    if (kind === 'done') rights.learn(accountId, { reminders: 'yes' })
    if (kind !== 'unsupported' || rights.of(accountId).reminders !== 'unknown') return
    void readAfresh(this.#deps, accountId, new Set([reference]))
      .then((shown) => {
        if (shown.has(reference)) rights.learn(accountId, { reminders: 'no' })
      })
      .catch(() => undefined)
  }

  /** Forgets what ended long ago. */
  #pruneDaily(): void {
    if (this.#isClosed) return
    const { time } = this.#deps
    this.#records.prune(time.now() - KEPT)
    time.after(DAY, () => this.#pruneDaily())
  }

  #known(id: string): Action {
    return this.#records.find(id) ?? fail('gone', 'This no longer exists.')
  }

  /** @throws AppFailure `busy` while its like is open, or another that it would overtake. */
  #refuseBusy(accountId: string, request: ActionRequest, document: DocumentResponse, id: string): void {
    const other = this.#records.openOne(accountId, request.kind, targetOf(request, document))
    if (other && other.id !== id) fail('busy', busyWith(other))
    const ahead = [...this.#records.ofAccount(accountId, 'running'), ...this.#records.ofAccount(accountId, 'waiting')]
    const overtaken = ahead.find((one) => one.id !== id && concernsSame(one, request, document))
    if (overtaken) fail('busy', behind(overtaken))
  }

  /** What forbids an action before it is written down. @throws AppFailure */
  async #allowed(accountId: string, reference: string, request: ActionRequest): Promise<DocumentResponse> {
    const { rights, time } = this.#deps
    if (request.kind === 'remind' && rights.of(accountId).reminders === 'no') fail('not-found', NO_REMINDERS.message)
    const subject = await subjectOf(this.#deps, accountId, reference)
    outgoingOf(request, subject, time.now())
    return subject.document
  }

  /** Has it leave; answers what came of it, or how far it is after a while. */
  async #leaves(action: Pick<Action, 'id' | 'accountId'>): Promise<ActionView> {
    await within(ANSWER_WITHIN, this.#dispatcher.goFresh(action), this.#deps.time)
    return this.get(action.id)
  }

  /** Ends one by a person's word. */
  #settledAs(action: Action, state: ActionState): ActionView {
    const ended = { settledAt: this.#deps.time.now(), isInDoubt: false, error: undefined }
    const after = this.#records.change(action.id, { ...ended, state })
    this.#changed(action.id)
    this.#shared.soon(action.accountId)
    return viewOf(after ?? action)
  }

  #changed(id: string): void {
    this.#deps.changed([id])
  }
}
