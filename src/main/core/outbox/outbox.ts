/**
 * From draft to sent, once. What is pressed Send on is written down as `ready`, and goes by itself; every step is on the
 * disk before it has an effect outside. One whose answer was lost is uncertain until the folders of the service have been
 * asked, and is never sent again before that.
 */
import { type Composition, fingerprintOf, type KeptByAnother } from '../../../shared/composition/index.ts'
import type {
  BatchView,
  DraftSummary,
  OutboxView,
  SameSend,
  SendList,
  SendView
} from '../../../shared/contract/index.ts'
import { Recovery } from '../jobs/recording.ts'
import { fail } from '../lib/failure.ts'
import { within } from '../lib/time.ts'
import type { SettlingAnswer } from './ambiguity.ts'
import { Batches, type NewBatch } from './batches.ts'
import type { ChangeListeners, OutboxDeps } from './deps.ts'
import { Dispatcher } from './dispatcher.ts'
import { AccountPauses, type OutboxSettings, SendTimes } from './pauses.ts'
import { Reconciler } from './reconcile.ts'
import { whoOf } from './releases.ts'
import { SendActions, type SendActionsDeps } from './send-actions.ts'
import { type SendPage, SendQueries, type SendQuery } from './send-list.ts'
import type { Send } from './send-record.ts'
import { answered, Changes, viewer } from './send-view.ts'
import { openSends } from './sends.ts'
import { SentDocuments } from './sent-documents.ts'
import { SharedSends } from './shared-sends.ts'
import { NotArrivedProofs } from './verdict.ts'

/** What the outbox is made of, beside what it is given. */
interface OutboxParts extends OutboxDeps, SendActionsDeps {
  proofs: NotArrivedProofs
  queries: SendQueries
}

export class Outbox {
  readonly batches: Batches
  /** What an office of several workstations shares of it. */
  readonly shared: SharedSends
  readonly #deps: OutboxParts
  readonly #actions: SendActions
  readonly #reconciler: Reconciler
  readonly #dispatcher: Dispatcher
  readonly #sentDocuments: SentDocuments
  readonly #recovery: Recovery

  constructor(deps: OutboxDeps) {
    const { db, time } = deps
    const sends = openSends(db)
    const pauses = new AccountPauses(deps)
    const times = new SendTimes(time)
    const changes = new Changes({ time, changed: this.#followed(deps.changed) })
    const proofs = new NotArrivedProofs(time)
    const queries = new SendQueries(db)
    const note = (accountId: string, composition: Composition) => this.#note(accountId, composition)
    const shared = { ...deps, sends, queries, pauses, times, changes, proofs, note }
    const backTo = (send: Send) => (this.batches.isCancelled(send.batchId) ? 'cancelled' : 'ready')
    const wake = (accountId: string) => this.#dispatcher.wake(accountId)
    this.#deps = shared
    this.#actions = new SendActions(shared)
    this.shared = new SharedSends({
      ...{ ...shared, backTo, wake },
      isProven: (id) => proofs.isFresh(id),
      tell: (send) => this.#dispatcher.tell(send),
      looking: (accountId) => this.#reconciler.schedule.plan(accountId),
      lookAgain: (send) => this.#reconciler.begin(send)
    })
    this.#reconciler = new Reconciler({
      ...{ ...shared, backTo, wake },
      looksFor: (send) => this.shared.looksFor(send),
      shown: (send) => this.shared.shown(send),
      answered: (send) => this.#sentDocuments.answered(send),
      arrivedLate: (send, response) => this.#actions.arrivedLate(send, response),
      keychainFailed: (accountId, error) => {
        pauses.pauseByKeychain(accountId, error)
        changes.outbox()
      }
    })
    this.#sentDocuments = new SentDocuments(shared)
    this.#dispatcher = new Dispatcher({
      ...{ ...shared, backTo },
      isProven: (id) => proofs.isFresh(id),
      leavingOf: (accountId) => this.shared.leavingOf(accountId),
      left: (id) => this.#reconciler.left(id),
      answered: (send) => this.#sentDocuments.answered(send),
      uncertain: (send) => this.#reconciler.begin(send)
    })
    this.batches = new Batches({ ...shared, retry: (send) => this.#actions.retry(send), wake })
    this.#recovery = new Recovery(time, () => this.#recover())
  }

  /**
   * A send that was under way when the application ended may have arrived, and what of a batch was not wholly written is
   * removed. To be called before anything else; if it throws, `open` tries it again before anything is sent.
   */
  recover(): void {
    this.#recovery.now()
  }

  /** Begins to send, and to look for what is uncertain. */
  open(): void {
    this.#recovery.before(() => {
      this.#sentDocuments.open()
      this.#dispatcher.open()
      this.#reconciler.schedule.open()
    })
  }

  /**
   * Takes no new sends; resolves when those under way have ended and batches are written down, or after `limit`
   * milliseconds. What has not ended then is uncertain at the next start; a batch that is not whole is removed.
   */
  async stop(limit: number): Promise<void> {
    this.#recovery.cancel()
    void this.#reconciler.schedule.close()
    await Promise.all([this.#dispatcher.close(limit), within(limit, this.batches.written(), this.#deps.time)])
    await within(limit, this.#sentDocuments.close(), this.#deps.time)
    await within(limit, this.shared.close(), this.#deps.time)
    this.#deps.changes.stop()
  }

  /** Online again, perhaps: what waits for the network goes, and what is uncertain is looked for. */
  connectionChanged(): void {
    this.#deps.pauses.connectionChanged()
    this.#dispatcher.wakeAll()
    this.#reconciler.schedule.connectionChanged()
  }

  /** To be called when the computer was asleep: its clock is right as it is, and what was found out before may have changed. */
  resumed(): void {
    this.shared.breakOff()
    this.#deps.times.trustClock()
    this.#deps.proofs.dropAll()
    this.connectionChanged()
  }

  /**
   * Puts a draft in the outbox. It goes after the undo window, or at `at` (milliseconds since 1970 UTC).
   * @throws AppFailure `invalid` with its fields if the draft can't be sent; `busy` if it was sent before; `gone`.
   */
  start(draftId: string, { at }: { at?: number | undefined } = {}): SendView {
    const { id, accountId } = this.#actions.start(draftId, at)
    this.#dispatcher.wake(accountId)
    return this.get(id)
  }

  /** Lets a waiting send go without waiting for its time. @throws AppFailure `busy` if it has left; `gone`. */
  now(id: string): SendView {
    this.#dispatcher.wake(this.#actions.now(id).accountId)
    return this.get(id)
  }

  /**
   * Lets one go that waits for another of staff: where an office has it, once the office has taken that.
   * @throws AppFailure `not-allowed` to who put it here; `busy`, also where another has decided; `offline`; `gone`.
   */
  async release(id: string): Promise<SendView> {
    const view = await this.#decide(id)
    this.#dispatcher.wake(this.#deps.sends.get(id).accountId)
    return view
  }

  /** Such a one stays, until it is taken back. Rejects as `release`. */
  refuse(id: string, reason: string): Promise<SendView> {
    return this.#decide(id, reason)
  }

  async #decide(id: string, reason?: string): Promise<SendView> {
    const who = whoOf(this.#deps.release)
    const { send, decided } = this.#actions.decision(id, who, reason)
    const isTaken = await this.shared.decide(send, decided, () => this.#actions.decide(id, decided))
    const { released, refused } = this.#deps.sends.get(id).release ?? {}
    // No answer may have come of the same a moment ago.
    const isSame = (reason === undefined ? released : refused)?.id === who.id
    if (isTaken || isSame) return this.get(id)
    if (released) fail('busy', `${released.name} has just released this package.`)
    if (refused) fail('busy', `${refused.name} has just decided that this package doesn’t leave.`)
    return fail('busy', 'This package was changed at another workstation just now.', { next: 'Try again.' })
  }

  /** Takes a send that has not left out of the outbox. @throws AppFailure `busy` if it has left; `gone`. */
  undo(id: string): DraftSummary {
    return this.#actions.undo(id)
  }

  /** Makes a draft of a send. @throws AppFailure `busy` while it waits, is under way or uncertain; `gone`. */
  again(id: string): DraftSummary {
    return this.#actions.again(id)
  }

  /**
   * Makes a draft like a send, whatever became of that: the same forms or templates, data and settings.
   * @param people keep: to the same people. blank: to others, who aren't known yet. @throws AppFailure `gone`.
   */
  another(id: string, keeps: KeptByAnother): DraftSummary {
    return this.#actions.another(id, keeps)
  }

  /**
   * Lets a send that was refused or did not arrive go again as it is.
   * @throws AppFailure `conflict` if its draft was changed since; `busy` in another state; `gone`.
   */
  retry(id: string): SendView {
    const send = this.#deps.sends.get(id)
    this.#deps.db.transaction(() => this.#actions.retry(send))()
    this.#dispatcher.wake(send.accountId)
    return this.get(id)
  }

  /**
   * Asks the service now whether a send arrived that is uncertain, or was not found. Another state is answered as it is.
   * @throws what reading the folders throws; AppFailure `unexpected-shape` if some documents could not be read and it is
   *   not among the others. The send then stays uncertain.
   */
  async reconcile(id: string): Promise<SendView> {
    const { state, accountId } = this.#deps.sends.get(id)
    if (state !== 'uncertain' && state !== 'not-sent') return this.get(id)
    const isComplete = await this.#reconciler.schedule.look(accountId)
    if (!isComplete && this.#deps.sends.get(id).state === 'uncertain') {
      // The document that can't be read might be the one that is looked for.
      fail(
        'unexpected-shape',
        'Some documents in your folders couldn’t be read, so it isn’t known yet whether this arrived.'
      )
    }
    return this.get(id)
  }

  /**
   * A person settles what is ambiguous: it arrived, as these documents; or none of them is it.
   * @throws AppFailure `busy` if there is nothing to settle; `conflict` if such a document is another send's; `gone`.
   */
  settle(id: string, answer: SettlingAnswer): SendView {
    this.#reconciler.settle(id, answer)
    return this.get(id)
  }

  /** With by when it can be signed, and what else the service answered of it. @throws AppFailure `gone`. */
  get(id: string): SendView {
    const { sends } = this.#deps
    const send = sends.get(id)
    const view = this.#viewer()(send)
    const response = sends.answerOf(id)?.response
    const corrected = send.batchId === undefined ? undefined : sends.correctedOf(send)
    const shown = { ...view, ...(corrected && { corrected }) }
    return response ? answered(shown, response, sends.requestOf(send)) : shown
  }

  /** One page of what an account ever put in the outbox, newest first; the rows of a batch in the sheet's order. */
  list(accountIds: readonly string[], query: SendQuery): SendList {
    return this.#listOf(this.#deps.queries.page(accountIds, query))
  }

  /** As `list`, of those of which each word of `search` begins a word of the title or of a signer's name. */
  async search(accountIds: readonly string[], search: string, query: SendQuery): Promise<SendList> {
    return this.#listOf(await this.#deps.queries.search(accountIds, search, query))
  }

  /** Where signers are led after signing, by any form of the package that a document was sent in; none if it wasn't sent from here. */
  returnAddressesOf(documentReference: string): string[] {
    const send = this.#deps.sends.ofDocument(documentReference)
    const content = send && this.#deps.sends.requestOf(send)
    const sent = content?.kind === 'form-direct' ? content.request.Forms : content ? [content.request] : []
    return sent.flatMap(({ ReturnUrl }) => ReturnUrl ?? [])
  }

  /** The name of the batch that a document was sent with; undefined if it was sent alone, or not from here. */
  batchNameOf(documentReference: string): string | undefined {
    return this.batches.nameOf(this.#deps.sends.ofDocument(documentReference)?.batchId)
  }

  /** What the package was composed of that a document was sent in; undefined if it wasn't sent from here. */
  compositionOfDocument(accountId: string, documentReference: string): Composition | undefined {
    const { sends } = this.#deps
    const send = sends.ofDocument(documentReference)
    return send?.accountId === accountId ? sends.compositionOf(send) : undefined
  }

  /** What was sent, or may be, in as many days as duplicates are looked for: when, by fingerprint (see fingerprintOf). */
  sentRecently(accountId: string): Map<string, number> {
    return this.#deps.queries.recent(accountId, this.#deps.time.now())
  }

  /** The newest send of the same as this, in as many days as duplicates are looked for, and how it stands. */
  sameSent(accountId: string, composition: Composition): SameSend | undefined {
    return this.#deps.queries.lastSame(accountId, this.#deps.time.now(), fingerprintOf(composition))
  }

  readonly state = (accountId: string): OutboxView => {
    const counts = this.#deps.queries.counts(accountId)
    const pause = this.#deps.pauses.of(accountId)
    // A network that failed once concerns nobody while nothing waits for it.
    const isFelt = pause && (pause.by !== 'line' || counts.ready > 0)
    const office = this.shared.accounts().has(accountId) && (this.shared.isAway(accountId) ? 'away' : 'connected')
    return {
      ...{ counts, settings: this.#deps.pauses.settings(accountId) },
      ...(isFelt && { pause }),
      ...(office && { office })
    }
  }

  /** What would wait, be unknown, or be lost, if the application ended now: packages, and batches being written down. */
  pending(): { ready: number; sending: number; uncertain: number; preparing: number } {
    return { ...this.#deps.queries.pending(), preparing: this.batches.preparing() }
  }

  readonly pause = (accountId: string): OutboxView => {
    this.#deps.pauses.pauseByHand(accountId)
    this.#deps.changes.outbox()
    return this.state(accountId)
  }

  /** Lets it go again, whatever paused it; what the service asked to wait for is still waited for. */
  readonly resume = (accountId: string): OutboxView => {
    this.#deps.pauses.resume(accountId)
    this.#reconciler.schedule.tryNow(accountId)
    return this.#changedState(accountId)
  }

  configure(accountId: string, change: Partial<OutboxSettings>): OutboxView {
    this.#deps.pauses.configure(accountId, change)
    return this.#changedState(accountId)
  }

  /** Puts a batch in the outbox; see batches.ts. */
  addBatch(batch: NewBatch): Promise<BatchView> {
    return this.batches.add(batch)
  }

  #changedState(accountId: string): OutboxView {
    this.#deps.changes.outbox()
    this.#dispatcher.wake(accountId)
    return this.state(accountId)
  }

  #recover(): void {
    const { db, time } = this.#deps
    db.transaction(() => {
      for (const send of this.#deps.sends.inState('sending')) {
        // What an office shares is what the office says that it is.
        if (this.shared.has(send.id)) continue
        this.#deps.sends.change(send, { state: 'uncertain', error: INTERRUPTED })
      }
      this.batches.recover()
    })()
    const now = time.now()
    for (const { id, goesAt } of this.#deps.queries.inUndoWindow(now)) {
      this.#deps.times.allowUndo(
        id,
        Math.min(goesAt - now, this.#deps.pauses.undoWindow(this.#deps.sends.get(id).accountId))
      )
    }
  }

  /** What is done to sends here concerns the office, too. */
  #followed(listeners: ChangeListeners): ChangeListeners {
    return {
      ...listeners,
      sends: (ids) => {
        listeners.sends(ids)
        this.shared.changedHere(ids)
      },
      batch: (id) => {
        listeners.batch(id)
        this.shared.batchChangedHere(this.batches.isPaused(id))
      }
    }
  }

  /** What is remembered for the next time is a convenience, which must not keep a package from being sent. */
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

  /** Makes views; one for each list, as it asks only once of a batch. */
  #viewer(): (send: Send) => SendView {
    return viewer({
      ...this.#deps,
      waitsForOffice: (accountId) => this.shared.isAway(accountId),
      isBatchPaused: (id) => this.batches.isPaused(id),
      troubleOf: (id) => this.#dispatcher.troubleOf(id),
      messageOf: (id) => this.#reconciler.messageOf(id),
      nextAt: (send) => this.#reconciler.schedule.nextAt(send)
    })
  }
}

const INTERRUPTED = {
  code: 'cancelled',
  message: 'Countersign was closed while this was being sent.',
  mayHaveArrived: true
} as const
