/**
 * Sends that the workstations of an office have in common. The office's server says which may leave, and who has it; here is what this
 * workstation knows of them, as rows among its own, so that lists, looks and duplicates are one. Own ones go over as they are
 * put in the outbox, and what is done to them follows; what others do is read in the order in which it happened. Nothing of these leaves
 * that the office hasn't let go, so while its server is away they wait.
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
  /** Called with a send of which something was written down, as after an attempt. */
  tell: (send: Send) => void
  /** Something of the account may have become due. */
  wake: (accountId: string) => void
  /** This workstation looks for the account's uncertain sends from now on. */
  looking: (accountId: string) => void
  /** Looks are to be made once more. */
  lookAgain: (send: Send) => void
  officeTrouble?: OutboxDeps['officeTrouble']
  sharedDrafts?: OutboxDeps['sharedDrafts']
}

/** How long a POST may take: nothing leaves that its claim would not outlast. */
const POST = TIME_LIMITS.send.total
/** How long is waited first where the server is away, in milliseconds; and between two readings: longer than between two greetings, each of which begins one. */
const FIRST_WAIT = 1_000
const EVERY = 75_000
/** What the server rings for again and again is read so often, in milliseconds. */
const STEADY = 500
/** What waits is looked through so often, whatever was missed. Shorter than between two readings. */
const LOOKED_THROUGH = 50_000
/** How long one workstation looks for what is in doubt before it says so once more; longer than EVERY. */
const LOOKING = 90_000

interface Account {
  readonly syncing: OneAtATime<void>
  readonly telling: OneAtATime<Taken>
  /** On this run's clock: when it was read last, and when it is to be, for what has happened since. */
  readAt: number
  wantedAt: number
  /** Whether something here may have to go to the office; and when all that waits was looked through for that. */
  isUntold: boolean
  lookedThroughAt: number
  /** How many readings failed in a row. */
  failures: number
  /** How many may leave once what came of attempts is told. */
  room: number
  isLeaving: boolean
  /** On this run's clock: until when nothing is taken, and until when this workstation is the one who looks. */
  restsUntil: number
  looksUntil: number
  isAway: boolean
  /** Whether the server couldn't write down what it was last to. What it answers besides says nothing of that. */
  isUnwritable: boolean
  /** Whether every send was read in this run up to the cursor. */
  hasAll: boolean
  /** What looks have shown of sends, until the office has it: when, on this run's clock. */
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
  /** Ends as the computer goes to sleep. */
  #awake = new AbortController()
  #office: OfficeStore | undefined
  /** Which of the office's lives that is: see decision 59. */
  #life = 0
  /** Which accounts are shared: asked at each turn. */
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

  /** The office's server is there, in a life of which all is known here. */
  connect(office: OfficeStore, life: number): void {
    const isOther = this.#office !== office
    this.#office = office
    this.#life = life
    for (const accountId of this.#officeIds.keys()) {
      // Nothing leaves before it was seen that the server has all that was read of it.
      if (isOther) Object.assign(this.#of(accountId), { isAway: true, isUnwritable: false })
      this.soon(accountId)
    }
    if (isOther) this.#deps.changes.outbox()
  }

  /** It isn't, or not ours any more. */
  disconnect(): void {
    this.#office = undefined
    for (const { syncing } of this.#accounts.values()) syncing.cancel()
    this.#deps.changes.outbox()
  }

  /** Aborted by `breakOff`. */
  readonly awake = (): AbortSignal => this.#awake.signal

  /**
   * Breaks off what is on its way, which is looked for then: as the computer goes to sleep, or did. By the time it went on, another
   * workstation might have taken it for lost.
   */
  breakOff(): void {
    this.#awake.abort()
    this.#awake = new AbortController()
  }

  /**
   * The server has begun another life: what it has is read from the beginning, and told what is known here. Call it while it isn't
   * connected; may be stopped anywhere, and is asked for once more then.
   * @param lostFrom since when the server doesn't know what happened, by the wall clock.
   */
  async restored(office: OfficeStore, lostFrom: number): Promise<void> {
    // What is still on its way would be looked for too early.
    this.breakOff()
    for (const [accountId, officeId] of this.#officeIds) {
      const { syncing, telling } = this.#of(accountId)
      await Promise.all([syncing.ended(), telling.ended()])
      const take = (change: SendChange) => this.#taking.take(accountId, change)
      const changed = await settleRestored({ ...this.#deps, rows: this.#rows, take }, office, {
        accountId,
        officeId,
        lostFrom
      })
      this.#taking.news(changed)
    }
  }

  /** Whether an office has what waits in these accounts isn't known yet, as after a restore: until it is, nothing of them leaves. */
  wait(accountIds: readonly string[]): void {
    const before = this.#waiting
    this.#waiting = new Set(accountIds)
    for (const accountId of before) this.#deps.wake(accountId)
    this.#deps.changes.outbox()
  }

  /** The accounts that are shared, by the office's ids. */
  accounts(): ReadonlyMap<string, string> {
    return this.#officeIds
  }

  /** From now on this account's sends are the office's. */
  share(accountId: string, officeId: string): void {
    this.#rows.share(accountId, officeId)
    this.#officeIds.set(accountId, officeId)
    this.#deps.changes.outbox()
    this.soon(accountId)
  }

  /** Something may be new at the office, or is to go there. */
  soon(accountId: string): void {
    if (!this.#isThere(accountId)) return
    this.#of(accountId).isUntold = true
    this.#want(accountId, this.#deps.time.elapsed())
  }

  /** The office's server rang: something is new there. While it rings for each of many packages they are read together. */
  rung(accountId: string): void {
    if (!this.#isThere(accountId)) return
    this.#want(accountId, this.#of(accountId).readAt + STEADY)
  }

  /** Nothing is noted of an account that isn't shared, nor has to be while the server is away: as it is back, all is read and given. */
  #isThere(accountId: string): boolean {
    return this.#office !== undefined && this.#officeIds.has(accountId)
  }

  #want(accountId: string, at: number): void {
    const account = this.#of(accountId)
    account.wantedAt = Math.min(account.wantedAt, at)
    // One that is under way may be past it, and is followed by another.
    if (!account.syncing.isRunning) account.syncing.later(account.wantedAt - this.#deps.time.elapsed())
  }

  /** These sends are other than before, by what was done here or by what was read: what the office doesn't know goes over. */
  changedHere(ids: readonly string[]): void {
    if (this.#officeIds.size === 0) return
    for (const id of ids) {
      const [send, known] = [this.#deps.sends.find(id), this.#rows.find(id)]
      const accountId = (send ?? known)?.accountId
      if (accountId !== undefined && !isTold(send, known)) this.soon(accountId)
    }
  }

  /** A batch is, or some of its sends: of many that leave one after the other that comes often. That it is paused can't wait. */
  batchChangedHere(isPaused: boolean): void {
    for (const accountId of this.#officeIds.keys()) {
      this.#of(accountId).isUntold = true
      if (isPaused) this.soon(accountId)
      else this.rung(accountId)
    }
  }

  /** Reads and gives all that there is. Rejects where the server can't be reached. */
  async settled(accountId: string): Promise<void> {
    const account = this.#of(accountId)
    account.isUntold = true
    await account.syncing.fresh()
  }

  /** Whether nothing leaves of an account because the office's server isn't there. */
  isAway(accountId: string): boolean {
    if (this.#waiting.has(accountId)) return true
    if (!this.#officeIds.has(accountId)) return false
    const { isAway = false, isUnwritable = false } = this.#accounts.get(accountId) ?? {}
    return !this.#office || isAway || isUnwritable
  }

  /** Whether the server answers, and couldn't write down what it was to. */
  isUnwritable(): boolean {
    return [...this.#accounts.values()].some((account) => account.isUnwritable)
  }

  /** Whether the office decides what a send is. */
  has(id: string): boolean {
    return this.#officeIds.size > 0 && this.#rows.find(id) !== undefined
  }

  leavingOf(accountId: string): Leaving | undefined {
    return this.#officeIds.has(accountId) || this.#waiting.has(accountId) ? this.#leaving : undefined
  }

  /** Whether it is for this workstation to find out what became of a send. */
  looksFor({ id, accountId }: Send): boolean {
    // What came back with this workstation as it left, before it joined again, no other has.
    if (!this.has(id) || this.#rows.find(id)?.state === 'held') return true
    return this.#of(accountId).looksUntil > this.#deps.time.elapsed()
  }

  /** Looks, or a person, have decided of a send that was in doubt; the office is told. */
  shown({ id, accountId }: Send): void {
    if (!this.has(id)) return
    this.#of(accountId).shown.set(id, this.#deps.time.elapsed())
    this.soon(accountId)
  }

  /**
   * Has the office let go of a send, before that is taken back or made a draft of.
   * @throws AppFailure `busy` if it has left, or may have; `offline` while the server is away.
   */
  keepBack(send: Pick<Send, 'id' | 'accountId'>): Promise<void> {
    return this.#giving.keepBack(send)
  }

  /**
   * Has the office take what someone of staff decided of a send that waits for them, before that is so here: it takes one decision.
   * @param write keeps it here; whether it was still to be decided here by then.
   * @returns false where the office has another, which is read by then. @throws AppFailure `offline` while the server is away.
   */
  async decide(send: Send, decided: Decided, write: () => boolean): Promise<boolean> {
    const { accountId } = send
    if (this.#waiting.has(accountId) || (this.#officeIds.has(accountId) && !this.#office)) officeIsAway()
    return this.#giving.decide(send, decided, write)
  }

  /** Pauses it for the whole office, or lets it go again. @throws AppFailure `offline` while the server is away. */
  async pause(accountId: string, isPaused: boolean): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (officeId) await this.#asked((office) => (isPaused ? office.pause(officeId) : office.resume(officeId)))
  }

  /** Sets it for the whole office. @throws AppFailure `offline` while the server is away. */
  async configure(accountId: string, limits: { concurrency: number; perMinute: number | null }): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (officeId) await this.#asked((office) => office.configure(officeId, limits))
  }

  /**
   * Takes this workstation's own sends back from the office, and forgets those of others that are not over.
   * @throws AppFailure `busy` while some are under way; `offline` while the server is away.
   */
  async takeAlong(accountId: string): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    if (!officeId) return
    const account = this.#of(accountId)
    // What the server has counts only in a life of which all is known here: see `#sync`.
    const settled = async () => {
      await this.settled(accountId)
      if (account.isAway) officeIsAway()
    }
    await settled()
    // From here on nothing is claimed and nothing goes over; where it comes to nothing, what came back goes over again.
    account.isLeaving = true
    try {
      const underWay = await this.#asked((office) => office.takeAlong(officeId))
      // What was settled in the moment before is read, too.
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
   * Nothing of the account is shared any more, and the server isn't asked: what it has, or may have, stays there, and may be sent from
   * there; here it leaves no more.
   */
  leaveBehind(accountId: string): void {
    this.#leave(accountId, true)
  }

  /** What the office can still send, or of whose draft it can send another, leaves from here no more. */
  #leave(accountId: string, isUnasked: boolean, along: readonly string[] = []): void {
    const { db, sends, sharedDrafts, time } = this.#deps
    db.transaction(() => {
      sharedDrafts?.wentAlong(along)
      for (const id of this.#rows.staysBehind(accountId, isUnasked)) {
        const send = sends.find(id)
        if (!send) continue
        // Why the service took none of it is still to be read.
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
    // What may have arrived is for this workstation alone to find out now.
    this.#deps.looking(accountId)
  }

  /** No more is read or given; resolves once what is under way has ended. */
  async close(): Promise<void> {
    this.#office = undefined
    await Promise.all([...this.#accounts.values()].map(({ syncing }) => syncing.close()))
    await this.#deps.sharedDrafts?.close()
  }

  /** All that the office has, and all that it is to have. */
  async #sync(accountId: string): Promise<void> {
    const account = this.#of(accountId)
    const officeId = this.#officeIds.get(accountId)
    if (!officeId) return
    account.readAt = this.#deps.time.elapsed()
    account.wantedAt = Number.POSITIVE_INFINITY
    try {
      const state = await this.#asked((office) => office.outbox(officeId))
      // What it has counts once both have told each other what they know, which the next greeting brings about.
      if (state.life !== this.#life) return this.#away(accountId, true)
      const cursor = this.#rows.account(accountId)?.cursor ?? 0
      if (state.rev < cursor) {
        // All of it is read again in its next life.
        await this.#asked((office) => office.setBack(this.#life))
        return this.#away(accountId, true)
      }
      this.#away(accountId, false, account.isUnwritable)
      this.#taking.takeState(accountId, state)
      const isGivenAgain = await this.#taking.read(accountId, officeId, state.rev)
      await account.telling.fresh()
      await this.#giving.tellSent(accountId, officeId)
      await this.#giving.tellShown(accountId)
      // It looks through all that waits, which the bell for another's package is no reason for; once a minute in any case.
      const now = this.#deps.time.elapsed()
      const isTime = now - account.lookedThroughAt >= LOOKED_THROUGH
      if (!account.isLeaving && (account.isUntold || isGivenAgain || isTime)) {
        Object.assign(account, { isUntold: false, lookedThroughAt: now })
        await this.#giving.give(accountId, officeId)
      }
      await this.#look(accountId, officeId)
      // What others took or finished may have made room.
      const hasRoom = this.#rows.sending(accountId) < this.#deps.pauses.concurrency(accountId)
      if (hasRoom) account.restsUntil = 0
      account.failures = 0
      // Where something is to leave, the claim of that shows whether it can write.
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

  /** The server wrote something down, or couldn't. */
  #writes(accountId: string, could: boolean): void {
    this.#away(accountId, this.#of(accountId).isAway, !could)
  }

  /** One workstation of the office looks for what is in doubt. */
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
    // Fifty workstations don't come back at once.
    const usual = EVERY * (1 - time.random() / 5)
    const wait = isWanted ? wantedAt - time.elapsed() : usual
    syncing.later(failures > 0 ? backoff(FIRST_WAIT, failures, time.random) : wait)
  }
}

/** Whether the office knows what a send is here: see `toGive` and `toWithhold` of the rows. */
function isTold(send: Pick<Send, 'state' | 'goesAt'> | undefined, known: Known | undefined): boolean {
  if (known?.state === 'ready') return send?.state === 'ready' && send.goesAt === known.goesAt
  if (known?.state === 'refused' || known?.state === 'not-sent') return send?.state === known.state
  return send?.state !== 'ready'
}

const LEFT_BEHIND: AppError = {
  code: 'cancelled',
  message: 'This workstation left the office, which may send this. Look in your folders before you send it again.'
}
