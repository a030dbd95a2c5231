/**
 * Sends shared by the workstations of an office. The office's server decides which may leave and who has claimed them.
 * This workstation keeps what it knows of them as rows among its own sends, so that lists, looks and duplicate checks
 * cover both. Own sends are given to the office as they are put in the outbox, followed by later changes to them; other
 * workstations' changes are read in the order in which they happened. A shared send leaves only once the office lets
 * it, so all wait while its server is away.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { OneAtATime } from '../jobs/lanes.ts'
import { fail } from '../lib/failure.ts'
import { defined, getOrMake } from '../lib/objects.ts'
import { backoff, type Time } from '../lib/time.ts'
import {
  type AskOutbox,
  askOffice,
  isUnwritable,
  type OfficeStore,
  officeIsAway,
  type SendChange
} from '../office/sends.ts'
import { TIME_LIMITS } from '../service/limits.ts'
import type { OutboxDeps } from './deps.ts'
import type { Leaving, LeavingDeps, Taken } from './leaving.ts'
import type { Decided } from './releases.ts'
import type { Send } from './send-record.ts'
import type { Changes } from './send-view.ts'
import { openGiving } from './shared-giving.ts'
import { openSharedLeaving } from './shared-leaving.ts'
import { settleRestored } from './shared-restored.ts'
import { type Known, openSharedRows } from './shared-rows.ts'
import { openTaking } from './shared-taking.ts'

interface SharedDeps extends LeavingDeps {
  time: Time
  changes: Changes
  /** Called with a send that was updated, as after an attempt. */
  tell: (send: Send) => void
  /** Call it when something of the account may have become due. */
  wake: (accountId: string) => void
  /** Called when this workstation starts looking for the account's uncertain sends. */
  looking: (accountId: string) => void
  /** Restarts looking for a send. */
  lookAgain: (send: Send) => void
  officeTrouble?: OutboxDeps['officeTrouble']
  sharedDrafts?: OutboxDeps['sharedDrafts']
}

/** How long a POST may take. A send doesn't leave if its claim could end sooner. */
const POST = TIME_LIMITS.send.total
/**
 * The first wait if the server is away, and the time between two syncs, in milliseconds. The latter is longer than
 * between two greetings, each of which starts a sync.
 */
const FIRST_WAIT = 1_000
const EVERY = 75_000
/** The shortest time between syncs while the server keeps ringing, in milliseconds. */
const STEADY = 500
/** How often everything waiting is rechecked, in milliseconds. Shorter than the time between two syncs. */
const LOOKED_THROUGH = 50_000
/** How long this workstation may hold the lease for looking, in milliseconds; longer than EVERY. */
const LOOKING = 90_000

interface Account {
  readonly syncing: OneAtATime<void>
  readonly telling: OneAtATime<Taken>
  /** On this run's monotonic clock: the last sync, and when the next one is wanted for changes since. */
  readAt: number
  wantedAt: number
  /** Whether something here may have to go to the office, and when all that waits was last checked for that. */
  isUntold: boolean
  lookedThroughAt: number
  /** How many syncs failed in a row. */
  failures: number
  /** How many sends may be claimed after results are told. */
  room: number
  isLeaving: boolean
  /** On this run's monotonic clock: until when nothing is claimed, and until when this workstation looks. */
  restsUntil: number
  looksUntil: number
  isAway: boolean
  /** Whether the server failed to store the last write. Its answers to reads don't change that. */
  isUnwritable: boolean
  /** Whether this run has read every send up to the cursor. */
  hasAll: boolean
  /** When looks showed what happened to a send, on this run's monotonic clock; until the office has it. */
  readonly shown: Map<string, number>
}

export class SharedSends {
  readonly #deps: SharedDeps
  readonly #rows: ReturnType<typeof openSharedRows>
  readonly #giving: ReturnType<typeof openGiving>
  readonly #taking: ReturnType<typeof openTaking>
  readonly #leaving: ReturnType<typeof openSharedLeaving>
  readonly #accounts = new Map<string, Account>()
  readonly #asked: AskOutbox = (question) => askOffice(this.#office, question, this.#deps.officeTrouble)
  /** Aborted when the computer goes to sleep. */
  #awake = new AbortController()
  #office: OfficeStore | undefined
  /** Which of the office's lives that is: see decision 59. */
  #life = 0
  /** The shared accounts, cached as they are needed at each turn. */
  #officeIds: Map<string, string>
  /** See `wait`. */
  #waiting: ReadonlySet<string> = new Set()

  constructor(deps: SharedDeps, postLimit = POST) {
    this.#deps = deps
    this.#rows = openSharedRows(deps.db)
    const line = {
      ...deps,
      sharedDrafts: deps.sharedDrafts,
      rows: this.#rows,
      office: () => this.#office,
      asked: this.#asked,
      officeIdOf: (accountId: string) => this.#officeIds.get(accountId),
      stateOf: (accountId: string) => this.#of(accountId),
      life: () => this.#life,
      wrote: (accountId: string, could: boolean) => this.#writes(accountId, could),
      soon: (accountId: string) => this.soon(accountId),
      settled: (accountId: string) => this.settled(accountId)
    }
    this.#giving = openGiving(line)
    this.#taking = openTaking({ ...line, isKeptBack: this.#giving.isKeptBack })
    this.#leaving = openSharedLeaving({ ...line, taking: this.#taking, awake: this.awake, postLimit })
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
      this.soon(accountId)
    }
    if (isOther) this.#deps.changes.outbox()
  }

  /** Call it when the office's server is away, or no longer ours. */
  disconnect(): void {
    this.#office = undefined
    for (const { syncing } of this.#accounts.values()) syncing.cancel()
    this.#deps.changes.outbox()
  }

  /** Aborted by `breakOff`. */
  readonly awake = (): AbortSignal => this.#awake.signal

  /**
   * Breaks off requests in flight, whose sends are then looked for. Call it when the computer goes to sleep, or did: by
   * the time a request continued, another workstation might have taken it for lost.
   */
  breakOff(): void {
    this.#awake.abort()
    this.#awake = new AbortController()
  }

  /**
   * Rereads everything from a server that began another life, and tells it what is known here. Call it while
   * disconnected. It may be interrupted anywhere; call it again then.
   * @param lostFrom since when the server doesn't know what happened, by the wall clock.
   */
  async restored(office: OfficeStore, lostFrom: number): Promise<void> {
    // A request still in flight would be looked for too early.
    this.breakOff()
    for (const [accountId, officeId] of this.#officeIds) {
      const { syncing, telling } = this.#of(accountId)
      await Promise.all([syncing.ended(), telling.ended()])
      const take = (change: SendChange) => this.#taking.take(accountId, change)
      const changed = await settleRestored(
        { ...this.#deps, rows: this.#rows, take, apart: this.#taking.apart },
        office,
        {
          accountId,
          officeId,
          lostFrom
        }
      )
      this.#taking.news(changed)
    }
  }

  /** Holds back these accounts' sends while it isn't known what an office has, as after restoring a backup here. */
  wait(accountIds: readonly string[]): void {
    const before = this.#waiting
    this.#waiting = new Set(accountIds)
    for (const accountId of before) this.#deps.wake(accountId)
    this.#deps.changes.outbox()
  }

  /** Returns the shared accounts with their office ids. */
  accounts(): ReadonlyMap<string, string> {
    return this.#officeIds
  }

  /** Shares the account's sends with the office from now on. */
  share(accountId: string, officeId: string): void {
    this.#rows.share(accountId, officeId)
    this.#officeIds.set(accountId, officeId)
    this.#deps.changes.outbox()
    this.soon(accountId)
  }

  /** Syncs soon, as something may be new at the office or has to go there. */
  soon(accountId: string): void {
    if (!this.#isThere(accountId)) return
    this.#of(accountId).isUntold = true
    this.#want(accountId, this.#deps.time.elapsed())
  }

  /** Syncs when the office's server rings. While it rings for many packages, they are read together. */
  rung(accountId: string): void {
    if (!this.#isThere(accountId)) return
    this.#want(accountId, this.#of(accountId).readAt + STEADY)
  }

  /**
   * Returns whether to sync an account: not if it isn't shared, nor while the server is away, as everything is read and
   * given when it is back.
   */
  #isThere(accountId: string): boolean {
    return this.#office !== undefined && this.#officeIds.has(accountId)
  }

  #want(accountId: string, at: number): void {
    const account = this.#of(accountId)
    account.wantedAt = Math.min(account.wantedAt, at)
    // A sync in progress may be past this change, so another follows it.
    if (!account.syncing.isRunning) account.syncing.later(account.wantedAt - this.#deps.time.elapsed())
  }

  /** Call it when sends have changed, here or by what was read: gives the office what it doesn't know yet. */
  changedHere(ids: readonly string[]): void {
    if (this.#officeIds.size === 0) return
    for (const id of ids) {
      const [send, known] = [this.#deps.sends.find(id), this.#rows.find(id)]
      const accountId = (send ?? known)?.accountId
      if (accountId !== undefined && !isTold(send, known)) this.soon(accountId)
    }
  }

  /** Call it when a batch or its sends have changed, which is frequent while it is sent. Pausing can't wait. */
  batchChangedHere(isPaused: boolean): void {
    for (const accountId of this.#officeIds.keys()) {
      this.#of(accountId).isUntold = true
      if (isPaused) this.soon(accountId)
      else this.rung(accountId)
    }
  }

  /** Reads and gives everything. Rejects if the server can't be reached. */
  async settled(accountId: string): Promise<void> {
    const account = this.#of(accountId)
    account.isUntold = true
    await account.syncing.fresh()
  }

  /** Returns whether nothing of an account leaves because the office's server isn't available. */
  isAway(accountId: string): boolean {
    if (this.#waiting.has(accountId)) return true
    if (!this.#officeIds.has(accountId)) return false
    const { isAway = false, isUnwritable = false } = this.#accounts.get(accountId) ?? {}
    return !this.#office || isAway || isUnwritable
  }

  /** Returns whether the server answers but failed to store a write. */
  isUnwritable(): boolean {
    return [...this.#accounts.values()].some((account) => account.isUnwritable)
  }

  /** Returns whether the office decides the state of a send. */
  has(id: string): boolean {
    return this.#officeIds.size > 0 && this.#rows.find(id) !== undefined
  }

  leavingOf(accountId: string): Leaving | undefined {
    return this.#officeIds.has(accountId) || this.#waiting.has(accountId) ? this.#leaving : undefined
  }

  /** Returns whether this workstation should find out what happened to a send. */
  looksFor({ id, accountId }: Send): boolean {
    // No other workstation has a send that this one took along when it left, before it rejoined.
    if (!this.has(id) || this.#rows.find(id)?.state === 'held') return true
    return this.#of(accountId).looksUntil > this.#deps.time.elapsed()
  }

  /** Tells the office that looks, or the user, have settled an uncertain send. */
  shown({ id, accountId }: Send): void {
    if (!this.has(id)) return
    this.#of(accountId).shown.set(id, this.#deps.time.elapsed())
    this.soon(accountId)
  }

  /**
   * Has the office give up a send before sending is undone or a draft is made of it.
   * @throws AppFailure `busy` if it has left, or may have; `offline` while the server is away.
   */
  keepBack(send: Pick<Send, 'id' | 'accountId'>): Promise<void> {
    return this.#giving.keepBack(send)
  }

  /**
   * Has the office accept a staff member's decision about a send before it is stored here. The office accepts only one.
   * @param write stores it here; returns whether it was still undecided here by then.
   * @returns false if the office has another decision, which has been read by then. @throws AppFailure `offline` while
   * the server is away.
   */
  async decide(send: Send, decided: Decided, write: () => boolean): Promise<boolean> {
    const { accountId } = send
    if (this.#waiting.has(accountId) || (this.#officeIds.has(accountId) && !this.#office)) officeIsAway()
    return this.#giving.decide(send, decided, write)
  }

  /** Pauses or resumes the outbox for the whole office. @throws AppFailure `offline` while the server is away. */
  async pause(accountId: string, isPaused: boolean): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (officeId) await this.#asked((office) => (isPaused ? office.pause(officeId) : office.resume(officeId)))
  }

  /** Changes the settings for the whole office. @throws AppFailure `offline` while the server is away. */
  async configure(accountId: string, limits: { concurrency: number; perMinute: number | null }): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (officeId) await this.#asked((office) => office.configure(officeId, limits))
  }

  /**
   * Takes this workstation's own sends back from the office, and forgets others' unfinished ones.
   * @throws AppFailure `busy` while some are in flight; `offline` while the server is away.
   */
  async takeAlong(accountId: string): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (!officeId) return
    const account = this.#of(accountId)
    // The server's data counts only in a life of which everything is known here: see `#sync`.
    const settled = async () => {
      await this.settled(accountId)
      if (account.isAway) officeIsAway()
    }
    await settled()
    // From here on nothing is claimed or given. If leaving fails, what came back is given again.
    account.isLeaving = true
    try {
      const underWay = await this.#asked((office) => office.takeAlong(officeId))
      // Also reads what was settled a moment before.
      await settled()
      if (underWay > 0 || this.#rows.isUnderWay(accountId)) {
        fail('busy', 'Some packages are being sent just now.', { next: 'Try again in a minute.' })
      }
      if (this.#rows.officeLacksSendOfItsDraft(accountId)) {
        fail('busy', 'A package in the Outbox here hasn’t reached the office yet.', {
          next: 'Try again in a minute. If it needs your decision, decide in the Outbox first.'
        })
      }
      const along = await this.#deps.sharedDrafts?.takeAlong(accountId)
      this.#leave(accountId, false, along)
    } finally {
      account.isLeaving = false
      this.soon(accountId)
    }
  }

  /**
   * Stops sharing the account without asking the server. What it has, or may have, stays there and may be sent from
   * there; it no longer leaves from here.
   */
  leaveBehind(accountId: string): void {
    this.#leave(accountId, true)
  }

  /** Cancels sends here that the office can still send, or whose draft it can, and stops sharing the account. */
  #leave(accountId: string, isUnasked: boolean, along: readonly string[] = []): void {
    const { db, sends, sharedDrafts, time } = this.#deps
    db.transaction(() => {
      sharedDrafts?.wentAlong(along)
      for (const id of this.#rows.staysBehind(accountId, isUnasked)) {
        const send = sends.find(id)
        if (!send) continue
        // Keeps the service's reason for refusing it readable.
        const error = { ...LEFT_BEHIND, ...defined({ serviceMessage: send.error?.serviceMessage }) }
        sends.change(send, { state: 'cancelled', settledAt: time.now(), error })
      }
      sharedDrafts?.left(accountId, isUnasked)
      this.#rows.forget(accountId)
    })()
    this.#officeIds.delete(accountId)
    this.#accounts.get(accountId)?.syncing.cancel()
    this.#accounts.delete(accountId)
    this.#deps.changes.outbox()
    this.#deps.wake(accountId)
    // Only this workstation can now find out what may have arrived.
    this.#deps.looking(accountId)
  }

  /** Stops syncing; resolves once syncs in progress have ended. */
  async close(): Promise<void> {
    this.#office = undefined
    await Promise.all([...this.#accounts.values()].map(({ syncing }) => syncing.close()))
    await this.#deps.sharedDrafts?.close()
  }

  /** Reads everything that the office has, and gives it everything it should have. */
  async #sync(accountId: string): Promise<void> {
    const account = this.#of(accountId)
    const officeId = this.#officeIds.get(accountId)
    if (!officeId) return
    account.readAt = this.#deps.time.elapsed()
    account.wantedAt = Number.POSITIVE_INFINITY
    try {
      const state = await this.#asked((office) => office.outbox(officeId))
      // The server's data counts only once both sides have told each other what they know, which the next greeting
      // starts.
      if (state.life !== this.#life) return this.#away(accountId, true)
      const cursor = this.#rows.account(accountId)?.cursor ?? 0
      if (state.rev < cursor) {
        // Everything is reread in the server's next life.
        await this.#asked((office) => office.setBack(this.#life))
        return this.#away(accountId, true)
      }
      this.#away(accountId, false, account.isUnwritable)
      this.#taking.takeState(accountId, state)
      const isGivenAgain = await this.#taking.read(accountId, officeId, state.rev)
      await account.telling.fresh()
      await this.#giving.tellSent(accountId, officeId)
      await this.#giving.tellShown(accountId)
      // Giving looks through all that waits, so a ring for another workstation's package doesn't trigger it; it runs
      // about once a minute in any case.
      const now = this.#deps.time.elapsed()
      const isTime = now - account.lookedThroughAt >= LOOKED_THROUGH
      if (!account.isLeaving && (account.isUntold || isGivenAgain || isTime)) {
        Object.assign(account, { isUntold: false, lookedThroughAt: now })
        await this.#giving.give(accountId, officeId)
      }
      await this.#look(accountId, officeId)
      // Claims and results of other workstations may have made room.
      const hasRoom = this.#rows.sending(accountId) < this.#deps.pauses.concurrency(accountId)
      if (hasRoom) account.restsUntil = 0
      account.failures = 0
      // If something is due, claiming it will show whether the server can write.
      const isClaimed = !this.#deps.pauses.isPaused(accountId) && this.#leaving.next(accountId).due !== undefined
      if (hasRoom && !isClaimed) this.#writes(accountId, true)
      this.#deps.wake(accountId)
    } catch (error) {
      account.failures++
      account.isUntold = true
      this.#away(accountId, true, isUnwritable(error))
      throw error
    }
  }

  #away(accountId: string, isAway: boolean, isUnwritable = false): void {
    const account = this.#of(accountId)
    if (account.isAway === isAway && account.isUnwritable === isUnwritable) return
    Object.assign(account, { isAway, isUnwritable })
    this.#deps.changes.outbox()
  }

  /** Records whether the server could store something. */
  #writes(accountId: string, could: boolean): void {
    this.#away(accountId, this.#of(accountId).isAway, !could)
  }

  /** Takes the lease for looking: only one workstation of the office looks for uncertain sends. */
  async #look(accountId: string, officeId: string): Promise<void> {
    const account = this.#of(accountId)
    const { time, looking } = this.#deps
    if (!this.#rows.isInDoubt(accountId)) return
    const asked = time.elapsed()
    const isOurs = await this.#asked((office) => office.lease(`look:${officeId}`, LOOKING))
    const was = account.looksUntil > asked
    account.looksUntil = isOurs ? asked + LOOKING : 0
    if (isOurs && !was) looking(accountId)
  }

  #of(accountId: string): Account {
    return getOrMake(this.#accounts, accountId, () => {
      const { time } = this.#deps
      const syncing = new OneAtATime(
        time,
        () => this.#sync(accountId),
        () => this.#rested(accountId)
      )
      const telling = new OneAtATime(time, () => this.#leaving.tellEnds(accountId))
      return {
        ...{ syncing, telling, isUntold: true, failures: 0, room: 0, isLeaving: false, isAway: false, hasAll: false },
        ...{ readAt: Number.NEGATIVE_INFINITY, wantedAt: Number.POSITIVE_INFINITY, lookedThroughAt: 0 },
        ...{ isUnwritable: false, restsUntil: 0, looksUntil: 0, shown: new Map() }
      }
    })
  }

  #rested(accountId: string): void {
    if (!this.#office || !this.#officeIds.has(accountId)) return
    const { time } = this.#deps
    const { syncing, failures, wantedAt } = this.#of(accountId)
    const isWanted = wantedAt < Number.POSITIVE_INFINITY
    // Spreads out the syncs of fifty workstations that come back at once.
    const usual = EVERY * (1 - time.random() / 5)
    const wait = isWanted ? wantedAt - time.elapsed() : usual
    syncing.later(failures > 0 ? backoff(FIRST_WAIT, failures, time.random) : wait)
  }
}

/** Returns whether the office knows a send's state here: see `toGive` and `toWithhold` of the rows. */
function isTold(send: Pick<Send, 'state' | 'goesAt'> | undefined, known: Known | undefined): boolean {
  if (known?.state === 'ready') return send?.state === 'ready' && send.goesAt === known.goesAt
  if (known?.state === 'refused' || known?.state === 'not-sent') return send?.state === known.state
  return send?.state !== 'ready'
}

const LEFT_BEHIND: AppError = {
  code: 'cancelled',
  message: 'This workstation left the office, which may send this. Look in your folders before you send it again.'
}
