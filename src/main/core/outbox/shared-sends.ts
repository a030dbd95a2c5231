/**
 * Sends shared by the workstations of an office. The office's server decides which may leave and who has claimed them.
 * This workstation keeps what it knows of them as rows among its own sends, so that lists, looks and duplicate checks
 * cover both. Own sends are pushed to the office as they are put in the outbox, followed by later changes to them; other
 * workstations' changes are read in the order in which they happened. A shared send leaves only once the office lets
 * it, so all wait while its server is away.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { SerialTask } from '../jobs/lanes.ts'
import { fail } from '../lib/failure.ts'
import { defined, getOrMake } from '../lib/objects.ts'
import { backoff } from '../lib/time.ts'
import { askOffice, failOfficeAway, isUnwritable } from '../office/ask-office.ts'
import type { AskOutbox, OfficeStore, SendChange } from '../office/send-store.ts'
import type { DispatchStore } from './dispatch-store.ts'
import { reconcileRestored } from './reconcile-restored.ts'
import type { ReleaseDecision } from './releases.ts'
import { openSendPull } from './send-pull.ts'
import { type NewTime, openSendPush } from './send-push.ts'
import type { Send } from './send-record.ts'
import { openSharedDispatchStore } from './shared-dispatch-store.ts'
import type { SharedAccount, SharedDeps, SharedPart } from './shared-part.ts'
import { type KnownSend, openSharedRows } from './shared-rows.ts'

/**
 * The first wait if the server is away, and the time between two syncs, in milliseconds. The latter is longer than
 * between two greetings, each of which starts a sync.
 */
const FIRST_WAIT = 1_000
const SYNC_INTERVAL = 75_000
/** The shortest time between syncs while the server keeps notifying, in milliseconds. */
const SYNC_THROTTLE = 500
/** How often everything waiting is rechecked, in milliseconds. Shorter than the time between two syncs. */
const FULL_CHECK_INTERVAL = 50_000
/** How long this workstation may hold the lease for searching, in milliseconds; longer than SYNC_INTERVAL. */
const SEARCH_LEASE = 90_000

export class SharedSends {
  readonly #deps: SharedDeps
  readonly #rows: ReturnType<typeof openSharedRows>
  readonly #pushing: ReturnType<typeof openSendPush>
  readonly #pulling: ReturnType<typeof openSendPull>
  readonly #dispatchStore: ReturnType<typeof openSharedDispatchStore>
  readonly #accounts = new Map<string, SharedAccount>()
  readonly #ask: AskOutbox = (question) => askOffice(this.#office, question, this.#deps.onOfficeError)
  /** Aborted when the computer goes to sleep. */
  #sleepAbort = new AbortController()
  #office: OfficeStore | undefined
  /** Which of the office's lives that is: see decision 59. */
  #life = 0
  /** The shared accounts, cached as they are needed at each turn. */
  #officeIds: Map<string, string>
  #heldBack: ReadonlySet<string> = new Set()

  constructor(deps: SharedDeps) {
    this.#deps = deps
    this.#rows = openSharedRows(deps.db)
    const part: SharedPart = {
      ...deps,
      rows: this.#rows,
      office: () => this.#office,
      ask: this.#ask,
      officeIdOf: (accountId: string) => this.#officeIds.get(accountId),
      stateOf: (accountId: string) => this.#of(accountId),
      life: () => this.#life,
      recordWrite: (accountId: string, could: boolean) => this.#recordWrite(accountId, could),
      syncSoon: (accountId: string) => this.syncSoon(accountId),
      syncNow: (accountId: string) => this.syncNow(accountId)
    }
    this.#pushing = openSendPush(part)
    this.#pulling = openSendPull({ ...part, isBeingUndone: this.#pushing.isBeingUndone })
    this.#dispatchStore = openSharedDispatchStore({
      ...part,
      pulling: this.#pulling,
      sleepSignal: this.sleepSignal
    })
    this.#officeIds = new Map(this.#rows.accounts().map(({ accountId, officeId }) => [accountId, officeId]))
  }

  /** Connects to the office's server, in a life of which this workstation knows everything (decision 59). */
  connect(office: OfficeStore, life: number): void {
    const isOther = this.#office !== office
    this.#office = office
    this.#life = life
    for (const accountId of this.#officeIds.keys()) {
      // Nothing leaves until the server is seen to have all that was read from it.
      if (isOther) Object.assign(this.#of(accountId), { isAway: true, isUnwritable: false })
      this.syncSoon(accountId)
    }
    if (isOther) this.#deps.changes.outbox()
  }

  /** Call it when the office's server is away, or no longer ours. */
  disconnect(): void {
    this.#office = undefined
    for (const { syncing } of this.#accounts.values()) syncing.cancel()
    this.#deps.changes.outbox()
  }

  /** Aborted by `abortRequests`. */
  readonly sleepSignal = (): AbortSignal => this.#sleepAbort.signal

  /**
   * Breaks off requests in flight, whose sends are then looked for. Call it when the computer goes to sleep, or did: by
   * the time a request continued, another workstation might have taken it for lost.
   */
  abortRequests(): void {
    this.#sleepAbort.abort()
    this.#sleepAbort = new AbortController()
  }

  /**
   * Rereads everything from a server that began another life, and tells it what is known here. Call it while
   * disconnected. It may be interrupted anywhere; call it again then.
   * @param lostFrom since when the server doesn't know what happened, by the wall clock.
   */
  async restored(office: OfficeStore, lostFrom: number): Promise<void> {
    // A request still in flight would be looked for too early.
    this.abortRequests()
    for (const [accountId, officeId] of this.#officeIds) {
      const { syncing, pushingResults } = this.#of(accountId)
      await Promise.all([syncing.whenIdle(), pushingResults.whenIdle()])
      const applyChange = (change: SendChange) => this.#pulling.applyChange(accountId, change)
      const changed = await reconcileRestored({ ...this.#deps, rows: this.#rows, applyChange }, office, {
        accountId,
        officeId,
        lostFrom
      })
      this.#pulling.notifyChanged(changed)
    }
  }

  /** Holds back these accounts' sends while it isn't known what an office has, as after restoring a backup here. */
  holdBack(accountIds: readonly string[]): void {
    const before = this.#heldBack
    this.#heldBack = new Set(accountIds)
    for (const accountId of before) this.#deps.wake(accountId)
    this.#deps.changes.outbox()
  }

  /** Returns the shared accounts with their office ids. */
  accounts(): ReadonlyMap<string, string> {
    return this.#officeIds
  }

  share(accountId: string, officeId: string): void {
    this.#rows.share(accountId, officeId)
    this.#officeIds.set(accountId, officeId)
    this.#deps.changes.outbox()
    this.syncSoon(accountId)
  }

  /** Syncs soon, as something may be new at the office or has to go there. */
  syncSoon(accountId: string): void {
    if (!this.#canSync(accountId)) return
    this.#of(accountId).needsPush = true
    this.#scheduleSync(accountId, this.#deps.time.elapsed())
  }

  /** Syncs when the office's server notifies. While it does for many packages, they are read together. */
  notified(accountId: string): void {
    if (!this.#canSync(accountId)) return
    this.#scheduleSync(accountId, this.#of(accountId).lastSyncAt + SYNC_THROTTLE)
  }

  /**
   * Returns whether to sync an account: not if it isn't shared, nor while the server is away, as everything is read and
   * pushed when it is back.
   */
  #canSync(accountId: string): boolean {
    return this.#office !== undefined && this.#officeIds.has(accountId)
  }

  #scheduleSync(accountId: string, at: number): void {
    const account = this.#of(accountId)
    account.requestedSyncAt = Math.min(account.requestedSyncAt, at)
    // A sync in progress may be past this change, so another follows it.
    if (!account.syncing.isRunning) account.syncing.schedule(account.requestedSyncAt - this.#deps.time.elapsed())
  }

  /** Call it when sends have changed, here or by what was read: pushes what the office doesn't know yet. */
  localChanged(ids: readonly string[]): void {
    if (this.#officeIds.size === 0) return
    for (const id of ids) {
      const [send, known] = [this.#deps.sends.find(id), this.#rows.find(id)]
      const accountId = (send ?? known)?.accountId
      if (accountId !== undefined && !isSynced(send, known)) this.syncSoon(accountId)
    }
  }

  /** Call it when a batch or its sends have changed, which is frequent while it is sent. Pausing can't wait. */
  localBatchChanged(isPaused: boolean): void {
    for (const accountId of this.#officeIds.keys()) {
      this.#of(accountId).needsPush = true
      if (isPaused) this.syncSoon(accountId)
      else this.notified(accountId)
    }
  }

  /** Pulls and pushes everything. Rejects if the server can't be reached. */
  async syncNow(accountId: string): Promise<void> {
    const account = this.#of(accountId)
    account.needsPush = true
    await account.syncing.runFresh()
  }

  /** Returns whether nothing of an account leaves because the office's server isn't available. */
  isAway(accountId: string): boolean {
    if (this.#heldBack.has(accountId)) return true
    if (!this.#officeIds.has(accountId)) return false
    const { isAway = false, isUnwritable = false } = this.#accounts.get(accountId) ?? {}
    return !this.#office || isAway || isUnwritable
  }

  /** Returns whether the server answers but failed to store a write. */
  isUnwritable(): boolean {
    return [...this.#accounts.values()].some((account) => account.isUnwritable)
  }

  has(id: string): boolean {
    return this.#officeIds.size > 0 && this.#rows.find(id) !== undefined
  }

  dispatchStoreOf(accountId: string): DispatchStore | undefined {
    return this.#officeIds.has(accountId) || this.#heldBack.has(accountId) ? this.#dispatchStore : undefined
  }

  /** Returns whether this workstation should find out what happened to a send. */
  searchesFor({ id, accountId }: Send): boolean {
    // No other workstation has a send that this one took along when it left, before it rejoined.
    if (!this.has(id) || this.#rows.find(id)?.state === 'held') return true
    return this.#of(accountId).searchesUntil > this.#deps.time.elapsed()
  }

  /** Tells the office what checks, or the user, have concluded about an uncertain send. */
  pushConclusion({ id, accountId }: Pick<Send, 'id' | 'accountId'>): void {
    if (!this.has(id)) return
    this.#of(accountId).conclusions.set(id, this.#deps.time.elapsed())
    this.syncSoon(accountId)
  }

  /**
   * Has the office withhold a send before sending is undone or a draft is made of it.
   * @throws AppFailure `busy` if it has left, or may have; `offline` while the server is away.
   */
  withholdForUndo(send: Pick<Send, 'id' | 'accountId'>): Promise<void> {
    return this.#pushing.withholdForUndo(send)
  }

  /**
   * Has the office accept a staff member's decision about a send before it is stored here. The office accepts only one.
   * @param write stores it here; returns whether it was still undecided here by then.
   * @returns false if the office has another decision, which has been read by then. @throws AppFailure `offline` while
   * the server is away.
   */
  async decide(send: Send, decision: ReleaseDecision, write: () => boolean): Promise<boolean> {
    this.#assertOfficeThere(send)
    return this.#pushing.decide(send, decision, write)
  }

  /**
   * Has the office accept another time for a send that waits for its time, or that it is sent now, before that is stored
   * here. If it doesn't, what it has is read: another workstation's time, or a send that no longer waits.
   * @param write stores it here; returns false if it no longer waits for its time here.
   * @throws AppFailure `offline` while the server is away.
   */
  async reschedule(send: Send, change: NewTime, write: () => boolean): Promise<boolean> {
    this.#assertOfficeThere(send)
    return this.#pushing.reschedule(send, change, write)
  }

  #assertOfficeThere({ accountId }: Send): void {
    if (this.#heldBack.has(accountId) || (this.#officeIds.has(accountId) && !this.#office)) failOfficeAway()
  }

  /** Pauses or resumes the outbox for the whole office. @throws AppFailure `offline` while the server is away. */
  async pause(accountId: string, isPaused: boolean): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (officeId) await this.#ask((office) => (isPaused ? office.pause(officeId) : office.resume(officeId)))
  }

  /** Changes the settings for the whole office. @throws AppFailure `offline` while the server is away. */
  async configure(accountId: string, limits: { concurrency: number; perMinute: number | null }): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (officeId) await this.#ask((office) => office.configure(officeId, limits))
  }

  /**
   * Takes this workstation's own sends back from the office, and forgets others' unfinished ones.
   * @throws AppFailure `busy` while some are in flight; `offline` while the server is away.
   */
  async reclaimOwn(accountId: string): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (!officeId) return
    const account = this.#of(accountId)
    // The server's data counts only in a life of which everything is known here: see `#sync`.
    const syncOrFail = async () => {
      await this.syncNow(accountId)
      if (account.isAway) failOfficeAway()
    }
    await syncOrFail()
    // From here on nothing is claimed or pushed. If leaving fails, what came back is pushed again.
    account.isLeaving = true
    try {
      const inFlight = await this.#ask((office) => office.reclaimSends(officeId, this.#life))
      // Also reads what was settled a moment before.
      await syncOrFail()
      if (inFlight > 0 || this.#rows.hasInFlight(accountId)) {
        fail('busy', 'Some packages are being sent just now.', { next: 'Try again in a minute.' })
      }
      if (this.#rows.officeLacksSendOfItsDraft(accountId)) {
        fail('busy', 'A package in the Outbox here hasn’t reached the office yet.', {
          next: 'Try again in a minute. If it needs your decision, decide in the Outbox first.'
        })
      }
      const reclaimedDrafts = await this.#deps.sharedDrafts?.reclaimDrafts(accountId)
      // What may have arrived has come back with its draft.
      if (reclaimedDrafts?.length) await syncOrFail()
      await this.#returnUncertain(accountId, officeId, reclaimedDrafts ?? [])
      this.#stopSharing(accountId, false, reclaimedDrafts)
    } finally {
      account.isLeaving = false
      this.syncSoon(accountId)
    }
  }

  /**
   * Pushes what may have arrived, is held here, and has a draft that stays with the office, which looks for it before it
   * sends another package of that draft.
   */
  async #returnUncertain(accountId: string, officeId: string, reclaimedDrafts: readonly string[]): Promise<void> {
    const isReturned = (id: string) => {
      const { state, draftId = '' } = this.#deps.sends.get(id)
      return state === 'uncertain' && !reclaimedDrafts.includes(draftId) && this.#rows.find(id)?.state === 'held'
    }
    const ids = this.#rows.staysBehind(accountId, false).filter(isReturned)
    await this.#pushing.pushUncertain(accountId, officeId, ids)
    // The office had another revision, and the next sync says which.
    if (ids.some(isReturned)) fail('busy', 'A package in the Outbox here hasn’t reached the office yet.')
  }

  /**
   * Stops sharing the account without asking the server. What it has, or may have, stays there and may be sent from
   * there; it no longer leaves from here.
   */
  leaveBehind(accountId: string): void {
    this.#stopSharing(accountId, true)
  }

  /** Cancels sends here that the office can still send, or whose draft it can, and stops sharing the account. */
  #stopSharing(accountId: string, isUnasked: boolean, reclaimedDrafts: readonly string[] = []): void {
    const { db, sends, sharedDrafts, time } = this.#deps
    db.transaction(() => {
      sharedDrafts?.keepReclaimed(reclaimedDrafts)
      for (const id of this.#rows.staysBehind(accountId, isUnasked)) {
        const send = sends.find(id)
        if (!send) continue
        // Keeps the service's reason for refusing it readable.
        const error = { ...LEFT_BEHIND, ...defined({ serviceMessage: send.error?.serviceMessage }) }
        sends.change(send, { state: 'cancelled', settledAt: time.now(), error })
      }
      sharedDrafts?.stopSharing(accountId, isUnasked)
      this.#rows.forget(accountId)
    })()
    this.#officeIds.delete(accountId)
    this.#accounts.get(accountId)?.syncing.cancel()
    this.#accounts.delete(accountId)
    this.#deps.changes.outbox()
    this.#deps.wake(accountId)
    // Only this workstation can now find out what may have arrived.
    this.#deps.searchStarted(accountId)
  }

  /** Stops syncing; resolves once syncs in progress have ended. */
  async close(): Promise<void> {
    this.#office = undefined
    await Promise.all([...this.#accounts.values()].map(({ syncing }) => syncing.close()))
    await this.#deps.sharedDrafts?.close()
  }

  /** Pulls everything that the office has, and pushes everything it should have. */
  async #sync(accountId: string): Promise<void> {
    const account = this.#of(accountId)
    const officeId = this.#officeIds.get(accountId)
    if (!officeId) return
    account.lastSyncAt = this.#deps.time.elapsed()
    account.requestedSyncAt = Number.POSITIVE_INFINITY
    try {
      const state = await this.#ask((office) => office.outbox(officeId))
      // The account may have left the office while we waited for the server.
      if (this.#officeIds.get(accountId) !== officeId) return
      // The server's data counts only once both sides have told each other what they know, which the next greeting
      // starts.
      if (state.life !== this.#life) return this.#setAway(accountId, true)
      const cursor = this.#rows.account(accountId)?.cursor ?? 0
      if (state.seq < cursor) {
        // Everything is reread in the server's next life.
        await this.#ask((office) => office.startNewLife(this.#life))
        return this.#setAway(accountId, true)
      }
      this.#pulling.applyOutboxState(accountId, state)
      const mustPushAgain = await this.#pulling.pull(accountId, officeId, state.seq)
      await account.pushingResults.runFresh()
      await this.#pushing.reportArrived(accountId, officeId)
      await this.#pushing.pushConclusions(accountId, officeId)
      if (!account.isLeaving) await this.#pushing.pushUncertain(accountId, officeId)
      // Only now does a person who is to resume a restored office's outbox read that this workstation is connected.
      this.#setAway(accountId, false, account.isUnwritable)
      // Pushing checks all that waits, so a notification about another's package doesn't trigger it; it runs
      // about once a minute in any case.
      const now = this.#deps.time.elapsed()
      const isTime = now - account.lastFullCheckAt >= FULL_CHECK_INTERVAL
      if (!account.isLeaving && (account.needsPush || mustPushAgain || isTime)) {
        Object.assign(account, { needsPush: false, lastFullCheckAt: now })
        await this.#pushing.push(accountId, officeId)
      }
      await this.#takeSearchLease(accountId, officeId)
      // Claims and results of other workstations may have made room.
      const hasRoom = this.#rows.sending(accountId) < this.#deps.pauses.concurrency(accountId)
      if (hasRoom) account.noClaimsUntil = 0
      account.failures = 0
      // If something is due, claiming it will show whether the server can write.
      const isClaimDue = !this.#deps.pauses.isPaused(accountId) && this.#dispatchStore.next(accountId).due !== undefined
      if (hasRoom && !isClaimDue) this.#recordWrite(accountId, true)
      this.#deps.wake(accountId)
    } catch (error) {
      account.failures++
      account.needsPush = true
      this.#setAway(accountId, true, isUnwritable(error))
      throw error
    }
  }

  #setAway(accountId: string, isAway: boolean, isUnwritable = false): void {
    const account = this.#of(accountId)
    if (account.isAway === isAway && account.isUnwritable === isUnwritable) return
    Object.assign(account, { isAway, isUnwritable })
    this.#deps.changes.outbox()
  }

  /** Records whether the server could store something. */
  #recordWrite(accountId: string, could: boolean): void {
    this.#setAway(accountId, this.#of(accountId).isAway, !could)
  }

  /** Takes the lease for searching: only one workstation of the office searches for uncertain sends. */
  async #takeSearchLease(accountId: string, officeId: string): Promise<void> {
    const account = this.#of(accountId)
    const { time, searchStarted } = this.#deps
    if (!this.#rows.anyUncertain(accountId)) return
    const askedAt = time.elapsed()
    const isOurs = await this.#ask((office) => office.lease(`look:${officeId}`, SEARCH_LEASE))
    const was = account.searchesUntil > askedAt
    account.searchesUntil = isOurs ? askedAt + SEARCH_LEASE : 0
    if (isOurs && !was) searchStarted(accountId)
  }

  #of(accountId: string): SharedAccount {
    return getOrMake(this.#accounts, accountId, () => {
      const { time } = this.#deps
      const syncing = new SerialTask(
        time,
        () => this.#sync(accountId),
        () => this.#scheduleNext(accountId)
      )
      const pushingResults = new SerialTask(time, () => this.#dispatchStore.pushResults(accountId))
      return {
        syncing,
        pushingResults,
        needsPush: true,
        failures: 0,
        claimSlots: 0,
        isLeaving: false,
        isAway: false,
        hasReadAll: false,
        lastSyncAt: Number.NEGATIVE_INFINITY,
        requestedSyncAt: Number.POSITIVE_INFINITY,
        lastFullCheckAt: 0,
        isUnwritable: false,
        noClaimsUntil: 0,
        searchesUntil: 0,
        // The last run may have ended before it could tell the office. How long ago it looked isn't known.
        conclusions: new Map(this.#rows.concludedUntold(accountId).map((id) => [id, Number.NEGATIVE_INFINITY]))
      }
    })
  }

  #scheduleNext(accountId: string): void {
    if (!this.#office || !this.#officeIds.has(accountId)) return
    const { time } = this.#deps
    const { syncing, failures, requestedSyncAt } = this.#of(accountId)
    const isWanted = requestedSyncAt < Number.POSITIVE_INFINITY
    // Spreads out the syncs of fifty workstations that come back at once.
    const usual = SYNC_INTERVAL * (1 - time.random() / 5)
    const wait = isWanted ? requestedSyncAt - time.elapsed() : usual
    syncing.schedule(failures > 0 ? backoff(FIRST_WAIT, failures, time.random) : wait)
  }
}

/** Returns whether the office knows a send's state here: see `toPush` and `toWithhold` of the rows. */
function isSynced(send: Pick<Send, 'state' | 'goesAt'> | undefined, known: KnownSend | undefined): boolean {
  if (known?.state === 'ready') return send?.state === 'ready' && send.goesAt === known.goesAt
  if (known?.state === 'refused' || known?.state === 'not-sent') return send?.state === known.state
  return send?.state !== 'ready'
}

const LEFT_BEHIND: AppError = {
  code: 'cancelled',
  message:
    'This workstation left the office, and the office may still send this. Look in your folders before you send it again.'
}
