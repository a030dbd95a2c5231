/**
 * Sends each package exactly once. A package is stored as `ready` and then sent in the background; every step is
 * written to disk before it has an effect outside. If the answer to a send is lost, the send is `uncertain`: it is
 * never repeated until the service's folders show whether it arrived.
 */
import { type Composition, fingerprintOf, type KeptByAnother } from '../../../shared/composition/index.ts'
import type {
  BatchView,
  DraftSummary,
  EarlierSend,
  OutboxView,
  SendList,
  SendView
} from '../../../shared/contract/index.ts'
import { CrashRecovery } from '../jobs/recovery.ts'
import { fail } from '../lib/failure.ts'
import { within } from '../lib/time.ts'
import type { AmbiguityAnswer } from './ambiguity.ts'
import { Batches, type NewBatch } from './batches.ts'
import type { ChangeListeners, OutboxDeps } from './deps.ts'
import { Dispatcher } from './dispatcher.ts'
import type { OutboxParts } from './parts.ts'
import { AccountPauses, type OutboxSettings, SendTimes } from './pauses.ts'
import { Reconciler } from './reconcile.ts'
import { currentPerson } from './releases.ts'
import { NO_LONGER_WAITING, SendActions } from './send-actions.ts'
import { type SendPage, SendQueries, type SendQuery } from './send-list.ts'
import { NOW, type Send } from './send-record.ts'
import { Changes, viewer, withAnswer } from './send-view.ts'
import { openSends } from './sends.ts'
import { SentDocuments } from './sent-documents.ts'
import { SharedSends } from './shared-sends.ts'
import { NotArrivedProofs } from './verdict.ts'

export class Outbox {
  readonly batches: Batches
  /** The part shared by the workstations of an office. */
  readonly shared: SharedSends
  readonly #deps: OutboxParts
  readonly #actions: SendActions
  readonly #reconciler: Reconciler
  readonly #dispatcher: Dispatcher
  readonly #sentDocuments: SentDocuments
  readonly #recovery: CrashRecovery
  /** The last thing that an account's `inTurn` runs or will run. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(deps: OutboxDeps) {
    const { db, time } = deps
    const sends = openSends(db, (draftId, sent) => deps.sharedDrafts?.hasDiverged(draftId, sent) ?? false)
    const pauses = new AccountPauses(deps)
    const times = new SendTimes(time)
    const changes = new Changes({ time, changed: this.#withOfficeSync(deps.changed) })
    const proofs = new NotArrivedProofs(time)
    const queries = new SendQueries(db)
    const parts: OutboxParts = {
      ...deps,
      ...{ sends, queries, pauses, times, changes, proofs },
      note: (accountId, composition) => this.#note(accountId, composition),
      returnState: (send) => (this.batches.isCancelled(send.batchId) ? 'cancelled' : 'ready'),
      wake: (accountId) => this.#dispatcher.wake(accountId)
    }
    this.#deps = parts
    this.#actions = new SendActions(parts)
    this.shared = new SharedSends({
      ...parts,
      notifyUpdated: (send) => this.#dispatcher.notifyUpdated(send),
      searchStarted: (accountId) => this.#reconciler.schedule.plan(accountId),
      restartSearch: (send) => this.#reconciler.startSearch(send)
    })
    this.#reconciler = new Reconciler({
      ...parts,
      searchesFor: (send) => this.shared.searchesFor(send),
      concluded: (send) => this.shared.pushConclusion(send),
      answered: (send) => this.#sentDocuments.answered(send),
      markArrivedLate: (send, response) => this.#actions.markArrivedLate(send, response),
      keychainFailed: (accountId, error) => {
        pauses.pauseByKeychain(accountId, error)
        changes.outbox()
      }
    })
    this.#sentDocuments = new SentDocuments(parts)
    this.#dispatcher = new Dispatcher({
      ...parts,
      dispatchStoreOf: (accountId) => this.shared.dispatchStoreOf(accountId),
      departed: (id) => this.#reconciler.recordDeparture(id),
      answered: (send) => this.#sentDocuments.answered(send),
      uncertain: (send) => this.#reconciler.startSearch(send)
    })
    this.batches = new Batches({ ...parts, retry: (send) => this.#actions.retry(send) })
    this.#recovery = new CrashRecovery(time, () => this.#recover())
  }

  /**
   * Marks sends that were in flight when the application ended as uncertain, since they may have arrived, and removes
   * incomplete batches. Call it before anything else. If it throws, `start` retries it before anything is sent.
   */
  recover(): void {
    this.#recovery.recoverNow()
  }

  /** Starts sending, and looking for uncertain sends. */
  start(): void {
    this.#recovery.runAfterRecovery(() => {
      this.#sentDocuments.start()
      this.#dispatcher.start()
      this.#reconciler.schedule.start()
    })
  }

  /**
   * Stops accepting sends. Resolves once sends in progress have finished and batches are stored, or after `limit`
   * milliseconds. Sends still running then become uncertain at the next start; incomplete batches are removed.
   */
  async stop(limit: number): Promise<void> {
    this.#recovery.cancel()
    void this.#reconciler.schedule.close()
    await Promise.all([this.#dispatcher.close(limit), within(limit, this.batches.whenWritten(), this.#deps.time)])
    await within(limit, this.#sentDocuments.close(), this.#deps.time)
    await within(limit, this.shared.close(), this.#deps.time)
    this.#deps.changes.stop()
  }

  /** Called when the computer may be online again: sends what waits for the network, and looks for uncertain sends. */
  connectionChanged(): void {
    this.#deps.pauses.connectionChanged()
    this.#dispatcher.wakeAll()
    this.#reconciler.schedule.connectionChanged()
  }

  /** Call it after the computer was asleep: its wall clock is right again, and earlier proofs may be stale. */
  resumed(): void {
    this.shared.abortRequests()
    this.#deps.times.trustClock()
    this.#deps.proofs.dropAll()
    this.connectionChanged()
  }

  /**
   * Puts a draft in the outbox. It is sent after the undo window, or at `at` (milliseconds since 1970 UTC).
   * @throws AppFailure `invalid` with its fields if the draft can't be sent; `busy` if it was sent before; `gone`.
   */
  enqueue(draftId: string, { at }: { at?: number | undefined } = {}): SendView {
    const { id, accountId } = this.#actions.enqueue(draftId, at)
    this.#dispatcher.wake(accountId)
    return this.get(id)
  }

  /**
   * Sends a waiting package now instead of at its time. If that time was chosen, others of an office can change it, too:
   * then the office has to accept this first.
   * @throws AppFailure `busy` if it has left, or if someone else changed it; `not-allowed` if it waits for a release;
   * `offline`; `gone`.
   */
  async sendNow(id: string): Promise<SendView> {
    const send = this.#actions.toSendNow(id)
    const write = () => this.#actions.sendNow(id)
    const isAccepted = send.isScheduled ? await this.shared.reschedule(send, NOW, write) : write()
    this.#dispatcher.wake(send.accountId)
    if (isAccepted) return this.get(id)
    if (this.#deps.sends.get(id).state !== 'ready') fail('busy', NO_LONGER_WAITING)
    return failChangedElsewhere()
  }

  /**
   * Changes when a package that waits for its time leaves. In an office, the office has to accept that first.
   * @param at in milliseconds since 1970 UTC. @throws AppFailure `busy` if it has left or may have, or if someone else
   * changed it; `invalid` if `at` has passed or isn't before its due date; `offline`; `gone`.
   */
  async reschedule(id: string, at: number): Promise<SendView> {
    const send = this.#actions.toReschedule(id, at)
    const change = { isScheduled: true, goesAt: at }
    const isAccepted = await this.shared.reschedule(send, change, () => this.#actions.reschedule(id, at))
    this.#dispatcher.wake(send.accountId)
    const { state, isScheduled } = this.#deps.sends.get(id)
    if (state !== 'ready' || !isScheduled) fail('busy', 'This package is no longer scheduled.')
    return isAccepted ? this.get(id) : failChangedElsewhere()
  }

  /**
   * Releases a package that waits for a second staff member. In an office, the office has to accept the release first.
   * @throws AppFailure `not-allowed` for the person who put it in the outbox; `busy`, also if someone else has decided;
   * `offline`; `gone`.
   */
  async release(id: string): Promise<SendView> {
    const view = await this.#decideRelease(id)
    this.#dispatcher.wake(this.#deps.sends.get(id).accountId)
    return view
  }

  /** Refuses to release such a package: it stays until sending is undone. Rejects as `release` does. */
  refuse(id: string, reason: string): Promise<SendView> {
    return this.#decideRelease(id, reason)
  }

  async #decideRelease(id: string, reason?: string): Promise<SendView> {
    const who = currentPerson(this.#deps.release)
    const { send, decision } = this.#actions.decision(id, who, reason)
    const isAccepted = await this.shared.decide(send, decision, () => this.#actions.decide(id, decision))
    const { released, refused } = this.#deps.sends.get(id).release ?? {}
    // The office may have accepted this same decision a moment ago, and only its answer was lost.
    const isSame = (reason === undefined ? released : refused)?.id === who.id
    if (isAccepted || isSame) return this.get(id)
    if (released) fail('busy', `${released.name} has just released this package.`)
    if (refused) fail('busy', `${refused.name} has just decided not to release this package.`)
    return failChangedElsewhere()
  }

  /** Returns what a send consists of. @throws AppFailure `gone`; `storage` if this version can't read it. */
  compositionOf(id: string): Composition {
    return this.#deps.sends.compositionOf(this.#deps.sends.get(id))
  }

  /** Takes a send that has not left out of the outbox. @throws AppFailure `busy` if it has left; `gone`. */
  undo(id: string): DraftSummary {
    return this.#actions.undo(id)
  }

  /** Makes a draft of a send. @throws AppFailure `busy` while it waits, is in flight or uncertain; `gone`. */
  toDraft(id: string): DraftSummary {
    return this.#actions.toDraft(id)
  }

  /**
   * Makes a draft like a send, whatever the send's state: the same forms or templates, data and settings.
   * @param keeps keep: the same people. blank: other people, not known yet. @throws AppFailure `gone`.
   */
  duplicate(id: string, keeps: KeptByAnother): DraftSummary {
    return this.#actions.duplicate(id, keeps)
  }

  /**
   * Sends a refused or unarrived package again, unchanged.
   * @throws AppFailure `conflict` if its draft was changed since; `busy` in another state; `gone`.
   */
  retry(id: string): SendView {
    const send = this.#deps.sends.get(id)
    this.#deps.db.transaction(() => this.#actions.retry(send))()
    this.#dispatcher.wake(send.accountId)
    return this.get(id)
  }

  /**
   * Asks the service now whether a send arrived that is uncertain or was not found. Returns sends in any other state as
   * they are.
   * @throws what reading the folders throws; AppFailure `unexpected-shape` if some folders or documents could not be read
   * and it is not among the others. The send then stays uncertain.
   */
  async reconcile(id: string): Promise<SendView> {
    const { state, accountId } = this.#deps.sends.get(id)
    if (state !== 'uncertain' && state !== 'not-sent') return this.get(id)
    const isComplete = await this.#reconciler.schedule.check(accountId)
    const send = this.#deps.sends.get(id)
    // If a folder is missing, the person is asked instead, or was.
    const isMissingFolder = send.ambiguity?.missingFolders !== undefined || send.dismissedFolders.length > 0
    if (!isComplete && send.state === 'uncertain' && !isMissingFolder) {
      // One of the unreadable documents might be this package.
      fail(
        'unexpected-shape',
        'Some of your folders or documents couldn’t be read, so it isn’t known yet whether this arrived.'
      )
    }
    return this.get(id)
  }

  /**
   * Resolves an ambiguous send as the user decided: it arrived as these documents, or none of them is it.
   * @throws AppFailure `busy` if there is nothing to settle; `invalid` if it lacks documents; `conflict` if a chosen
   * document belongs to another send; `gone`; `keychain`.
   */
  async resolveAmbiguity(id: string, answer: AmbiguityAnswer): Promise<SendView> {
    await this.#reconciler.resolveAmbiguity(id, answer)
    return this.get(id)
  }

  /** Returns a send with its due date and the rest of the service's answer. @throws AppFailure `gone`. */
  get(id: string): SendView {
    const { sends } = this.#deps
    const send = sends.get(id)
    const view = this.#viewer()(send)
    const response = sends.answerOf(id)?.response
    const corrected = send.batchId === undefined ? undefined : sends.correctedOf(send)
    const shown = { ...view, ...(corrected && { corrected }) }
    return response ? withAnswer(shown, response, sends.requestOf(send)) : shown
  }

  /** As `get`; undefined if it isn't there any more. */
  find(id: string): SendView | undefined {
    return this.#deps.sends.find(id) && this.get(id)
  }

  /** Returns one page of everything an account ever put in the outbox, newest first; a batch in sheet order. */
  list(accountIds: readonly string[], query: SendQuery): SendList {
    return this.#listOf(this.#deps.queries.page(accountIds, query))
  }

  /** Works as `list`, for sends where each word of `search` begins a word of the title or a signer's name. */
  async search(accountIds: readonly string[], search: string, query: SendQuery): Promise<SendList> {
    return this.#listOf(await this.#deps.queries.search(accountIds, search, query))
  }

  /**
   * Returns where signers are redirected after signing, for all forms of the package that a document was sent in. Empty
   * if it wasn't sent from here.
   */
  returnAddressesOf(documentReference: string): string[] {
    const send = this.#deps.sends.ofDocument(documentReference)
    const content = send && this.#deps.sends.requestOf(send)
    const sent = content?.kind === 'form-direct' ? content.request.Forms : content ? [content.request] : []
    return sent.flatMap(({ ReturnUrl }) => ReturnUrl ?? [])
  }

  /** Returns the name of the batch that a document was sent in; undefined if it was sent alone, or not from here. */
  batchNameOf(documentReference: string): string | undefined {
    return this.batches.nameOf(this.#deps.sends.ofDocument(documentReference)?.batchId)
  }

  /** Returns the composition of the package that a document was sent in; undefined if it wasn't sent from here. */
  compositionOfDocument(accountId: string, documentReference: string): Composition | undefined {
    const { sends } = this.#deps
    const send = sends.ofDocument(documentReference)
    return send?.accountId === accountId ? sends.compositionOf(send) : undefined
  }

  /**
   * Returns when packages were sent, or may have been, within the time that duplicates are looked for, by fingerprint
   * (see fingerprintOf).
   */
  sentRecently(accountId: string): Map<string, number> {
    return this.#deps.queries.recent(accountId, this.#deps.time.now())
  }

  /** Returns the newest send of the same package within the time that duplicates are looked for, with its state. */
  sameSent(accountId: string, composition: Composition): EarlierSend | undefined {
    return this.#deps.queries.lastSame(accountId, this.#deps.time.now(), fingerprintOf(composition))
  }

  readonly state = (accountId: string): OutboxView => {
    const counts = this.#deps.queries.counts(accountId)
    const pause = this.#deps.pauses.of(accountId)
    // One network failure doesn't matter while nothing waits to be sent.
    const isPauseRelevant = pause && (pause.by !== 'line' || counts.ready > 0)
    const releases = this.#deps.queries.releases(accountId)
    const office = this.shared.accounts().has(accountId) && (this.shared.isAway(accountId) ? 'away' : 'connected')
    return {
      counts,
      settings: this.#deps.pauses.settings(accountId),
      ...(releases && { releases }),
      ...(isPauseRelevant && { pause }),
      ...(office && { office })
    }
  }

  /** Counts what would wait, be uncertain or be lost if the application ended: packages, and unstored batches. */
  pending(): { ready: number; sending: number; uncertain: number; preparing: number } {
    return { ...this.#deps.queries.pending(), preparing: this.batches.preparingCount() }
  }

  readonly pause = (accountId: string): OutboxView => {
    this.#deps.pauses.pauseByHand(accountId)
    this.#deps.changes.outbox()
    return this.state(accountId)
  }

  /** Resumes the outbox, whatever paused it. A wait that the service asked for still applies. */
  readonly resume = (accountId: string): OutboxView => {
    this.#deps.pauses.resume(accountId)
    this.#reconciler.schedule.tryNow(accountId)
    return this.#changedState(accountId)
  }

  configure(accountId: string, change: Partial<OutboxSettings>): OutboxView {
    this.#deps.pauses.configure(accountId, change)
    return this.#changedState(accountId)
  }

  addBatch(batch: NewBatch): Promise<BatchView> {
    return this.batches.add(batch)
  }

  /**
   * Runs what compares packages with those sent before (`sentRecently`) and then adds them. One runs at a time for each
   * account: otherwise two could add the same package, neither finding the other's.
   */
  async inTurn<Value>(accountId: string, compareAndAdd: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(accountId)
    const turn = Promise.resolve(before?.catch(() => undefined)).then(compareAndAdd)
    this.#turns.set(accountId, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(accountId) === turn) this.#turns.delete(accountId)
    }
  }

  #changedState(accountId: string): OutboxView {
    this.#deps.changes.outbox()
    this.#dispatcher.wake(accountId)
    return this.state(accountId)
  }

  #recover(): void {
    const { db, time, sends, queries, times, pauses } = this.#deps
    db.transaction(() => {
      for (const send of sends.inState('sending')) {
        // The office decides the state of shared sends.
        if (!this.shared.has(send.id)) sends.change(send, { state: 'uncertain', error: INTERRUPTED })
      }
      this.batches.recover()
    })()
    const now = time.now()
    for (const { id, accountId, goesAt } of queries.inUndoWindow(now)) {
      times.allowUndo(id, Math.min(goesAt - now, pauses.undoWindow(accountId)))
    }
  }

  /** Passes changes made here on to the office, too. */
  #withOfficeSync(listeners: ChangeListeners): ChangeListeners {
    return {
      ...listeners,
      sends: (ids) => {
        listeners.sends(ids)
        this.shared.localChanged(ids)
      },
      batch: (id) => {
        listeners.batch(id)
        this.shared.localBatchChanged(this.batches.isPaused(id))
      }
    }
  }

  /** Remembers values for next time. That is a convenience, so a failure must not keep a package from being sent. */
  #note(accountId: string, composition: Composition): void {
    try {
      this.#deps.noted(accountId, composition)
    } catch {
      return
    }
  }

  #listOf({ sends, total }: SendPage): SendList {
    return { rows: sends.map(this.#viewer()), total }
  }

  /** Makes views. Use one viewer per list, as it looks up each batch only once. */
  #viewer(): (send: Send) => SendView {
    return viewer({
      ...this.#deps,
      waitsForOffice: (accountId) => this.shared.isAway(accountId),
      isBatchPaused: (id) => this.batches.isPaused(id),
      troubleOf: (id) => this.#dispatcher.troubleOf(id),
      messageOf: (id) => this.#reconciler.messageOf(id),
      nextCheckAt: (send) => this.#reconciler.schedule.nextCheckAt(send)
    })
  }
}

function failChangedElsewhere(): never {
  fail('busy', 'This package was changed at another workstation just now.', { next: 'Try again.' })
}

const INTERRUPTED = {
  code: 'cancelled',
  message: 'Countersign was closed while this was being sent.',
  mayHaveArrived: true
} as const
