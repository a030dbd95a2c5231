/**
 * Sends that the workstations of an office have in common. The office's server says which may leave, and who has it; here is what this
 * workstation knows of them, as rows among its own, so that lists, looks and duplicates are one. Own ones go over as they are
 * put in the outbox, and what is done to them follows; what others do is read in the order in which it happened. Nothing of these leaves
 * that the office hasn't let go, so while its server is away they wait.
 */
import type { AppError, OutboxPause } from '../../../shared/contract/index.ts'
import { OneAtATime } from '../jobs/lanes.ts'
import { codeOf, fail } from '../lib/failure.ts'
import { defined, getOrMake } from '../lib/objects.ts'
import { backoff, type Time } from '../lib/time.ts'
import {
  askOffice,
  type Claim,
  type NotTaken,
  type OfficeState,
  type OfficeStore,
  type OutboxState,
  officeIsAway,
  outlasting,
  type SendChange
} from '../office/sends.ts'
import { TIME_LIMITS } from '../service/limits.ts'
import { type Ended, type Outcome, recorder } from './attempts.ts'
import type { OutboxDeps } from './deps.ts'
import type { Begun, Leaving, LeavingDeps, Recorded } from './leaving.ts'
import { type Decided, isHeld, type Release } from './releases.ts'
import { overdue } from './send-actions.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { Changes } from './send-view.ts'
import { arrivalOf, bodyOf, contentOf, END_OF, type SharedBody, saidOf } from './shared-content.ts'
import { settleRestored } from './shared-restored.ts'
import { type Known, openSharedRows } from './shared-rows.ts'
import { HOLDER_GONE, openTaking } from './shared-taking.ts'

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
/** How long is waited where there was nothing to take, and first where the server is away, in milliseconds; and between two readings. */
const NOTHING_THERE = 2_000
const FIRST_WAIT = 1_000
const EVERY = 60_000
/** How long one workstation looks for what is in doubt before it says so once more; longer than EVERY. */
const LOOKING = 90_000
/** What looks have shown has to be at the office by then. */
const SHOWN_FOR = 60_000
/** So many go over at a time. */
const CHUNK = 100

interface Account {
  readonly syncing: OneAtATime<void>
  readonly telling: OneAtATime<void>
  /** Whether something happened since the last reading began, and how many failed in a row. */
  isWanted: boolean
  failures: number
  isLeaving: boolean
  /** On this run's clock: until when nothing is taken, and until when this workstation is the one who looks. */
  restsUntil: number
  looksUntil: number
  isAway: boolean
  /** Whether every send was read in this run up to the cursor. */
  hasAll: boolean
  /** What looks have shown of sends, until the office has it: when, on this run's clock. */
  readonly shown: Map<string, number>
}

export class SharedSends {
  readonly #deps: SharedDeps
  readonly #rows: ReturnType<typeof openSharedRows>
  readonly #record: ReturnType<typeof recorder>
  readonly #taking: ReturnType<typeof openTaking>
  readonly #accounts = new Map<string, Account>()
  readonly #postLimit: number
  /** Of which claim a send left here: meanwhile another workstation may have it. */
  readonly #claimed = new Map<string, number>()
  /** What a person takes back just now: the bell may ring for it before it is answered. */
  readonly #keepingBack = new Set<string>()
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
    this.#record = recorder(deps)
    this.#taking = openTaking({
      ...deps,
      sharedDrafts: deps.sharedDrafts,
      rows: this.#rows,
      isKeptBack: (id) => this.#keepingBack.has(id)
    })
    this.#postLimit = postLimit
    this.#officeIds = new Map(this.#rows.accounts().map(({ accountId, officeId }) => [accountId, officeId]))
  }

  /** The office's server is there, in a life of which all is known here. */
  connect(office: OfficeStore, life: number): void {
    const isOther = this.#office !== office
    this.#office = office
    this.#life = life
    for (const accountId of this.#officeIds.keys()) {
      // Nothing leaves before it was seen that the server has all that was read of it.
      if (isOther) this.#of(accountId).isAway = true
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
      this.#news(changed)
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
    if (!this.#office || !this.#officeIds.has(accountId)) return
    const account = this.#of(accountId)
    account.isWanted = true
    // One that is under way may be past it, and is followed by another.
    if (!account.syncing.isRunning) account.syncing.later(0)
  }

  /** Something was done to sends here. */
  changedHere(): void {
    for (const accountId of this.#officeIds.keys()) this.soon(accountId)
  }

  /** Reads and gives all that there is. Rejects where the server can't be reached. */
  async settled(accountId: string): Promise<void> {
    await this.#of(accountId).syncing.fresh()
  }

  /** Whether nothing leaves of an account because the office's server isn't there. */
  isAway(accountId: string): boolean {
    if (this.#waiting.has(accountId)) return true
    return this.#officeIds.has(accountId) && (!this.#office || this.#accounts.get(accountId)?.isAway === true)
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
  async keepBack({ id, accountId }: Pick<Send, 'id' | 'accountId'>): Promise<void> {
    const officeId = this.#officeIds.get(accountId)
    const known = this.#rows.find(id)
    if (!officeId || known?.state === 'sent' || known?.state === 'cancelled') return
    const round = (known?.round ?? 0) + 1
    this.#keepingBack.add(id)
    const asked = this.#asked((office) => office.withhold(officeId, { id, round }, 'cancelled'))
    const isKept = await asked.finally(() => this.#keepingBack.delete(id))
    if (!isKept) {
      this.soon(accountId)
      fail('busy', 'This package has just left, or may have.')
    }
    this.#rows.keep({ epoch: 0, goesAt: 0, ...known, id, accountId, round, state: 'cancelled' })
  }

  /**
   * Has the office take what someone of staff decided of a send that waits for them, before that is so here: it takes one decision.
   * @param write keeps it here; whether it was still to be decided here by then.
   * @returns false where the office has another, which is read by then. @throws AppFailure `offline` while the server is away.
   */
  async decide(send: Send, decided: Decided, write: () => boolean): Promise<boolean> {
    const { db, sends, sharedDrafts, times } = this.#deps
    const { id, accountId, draftId } = send
    const officeId = this.#officeIds.get(accountId)
    if (this.#waiting.has(accountId) || (officeId && !this.#office)) officeIsAway()
    // What was put in the outbox here just now goes over first.
    if (officeId && this.#rows.find(id)?.state !== 'ready') await this.settled(accountId)
    const known = this.#rows.find(id)
    // Nobody else has it, as of a batch that is paused here.
    if (!officeId || !known || known.state === 'held') {
      db.transaction(write)()
      return true
    }
    const { isScheduled, goesAt, release } = decided
    const next = { ...send, isScheduled, goesAt, release }
    const composition = sends.compositionOf(send)
    const of = draftId === undefined ? undefined : await sharedDrafts?.toSend(draftId, composition)
    const content = contentOf(next, sends.requestOf(send), composition, of?.draft)
    const round = known.round + 1
    const isTaken = await this.#asked((office) =>
      office.decide(officeId, {
        ...{ id, content, round, inMs: Math.max(0, Math.round(times.left(next))) },
        ...{ askedBy: release.by.id, by: (release.released ?? release.refused)?.id ?? '' },
        isReleased: release.released !== undefined
      })
    )
    if (!isTaken) {
      await this.settled(accountId)
      return false
    }
    // It may have been read here meanwhile, as what was decided elsewhere is.
    db.transaction(() => {
      if (write()) this.#keepKnown(accountId, id, { round, goesAt })
    })()
    this.soon(accountId)
    return true
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
      if (this.#rows.isUntold(accountId) !== undefined) {
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
  #leave(accountId: string, isWithout: boolean, along: readonly string[] = []): void {
    const { db, sends, sharedDrafts, time } = this.#deps
    db.transaction(() => {
      sharedDrafts?.wentAlong(along)
      for (const id of this.#rows.staysBehind(accountId, isWithout)) {
        const send = sends.find(id)
        if (!send) continue
        // Why the service took none of it is still to be read.
        const error = { ...LEFT_BEHIND, ...defined({ serviceMessage: send.error?.serviceMessage }) }
        sends.change(send, { state: 'cancelled', settledAt: time.now(), error })
      }
      sharedDrafts?.left(accountId, isWithout)
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

  readonly #leaving: Leaving = {
    next: (accountId) => {
      const { isAway, restsUntil } = this.#of(accountId)
      if (!this.#office || isAway) return {}
      const { time, queries, times } = this.#deps
      let wait: number | undefined
      for (const waiting of queries.waiting(accountId)) {
        // What hasn't gone over yet nobody can have.
        if (this.#rows.find(waiting.id)?.state !== 'ready') continue
        const left = Math.max(times.left(waiting), restsUntil - time.elapsed())
        if (left <= 0) return { due: waiting }
        wait = Math.min(wait ?? left, left)
      }
      return wait === undefined ? {} : { wait }
    },
    turn: (accountId, ended, most) => this.#turn(accountId, ended, most)
  }

  async #turn(accountId: string, ended: readonly Ended[], most: number): Promise<Recorded> {
    const recorded = this.#deps.db.transaction(() => ended.flatMap((one) => this.#keepEnd(accountId, one)))()
    // What can't be told now is told later: it is on the disk.
    if (ended.length > 0) await this.#told(accountId)
    const claims = most > 0 ? await this.#claim(accountId, most) : []
    const begun: Begun[] = []
    const heldBack: Send[] = []
    this.#deps.db.transaction(() => {
      for (const claim of claims) this.#begin(accountId, claim, { begun, heldBack })
    })()
    if (begun.length < claims.length) void this.#told(accountId)
    return { recorded, begun, heldBack }
  }

  async #told(accountId: string): Promise<void> {
    await this.#of(accountId)
      .telling.fresh()
      .catch(() => this.soon(accountId))
  }

  /** One that left before the account was shared ends as it would have. */
  #keepEnd(accountId: string, { id, outcome, at }: Ended): Send[] {
    const known = this.#rows.find(id)
    // Of one whose claim the server has forgotten meanwhile, that it arrived still counts.
    const isForgotten = this.#claimed.has(id) && outcome.kind === 'accepted'
    if (!known && !isForgotten) return this.#record({ id, outcome, at })
    this.#rows.keepEnd({ id, epoch: this.#claimed.get(id) ?? known?.epoch ?? 0, accountId, outcome, at })
    return []
  }

  async #claim(accountId: string, most: number): Promise<Claim[]> {
    const { pauses, time } = this.#deps
    const account = this.#of(accountId)
    const officeId = this.#officeIds.get(accountId)
    if (!this.#office || !officeId || account.isAway || account.isLeaving) return []
    if (pauses.isPaused(accountId) || pauses.waits(accountId) > 0) return []
    const claims = await this.#office.claim(officeId, most).catch(() => [])
    // Another has it, the pace has, or nobody answers.
    if (claims.length === 0) account.restsUntil = time.elapsed() + NOTHING_THERE * (1 + time.random())
    return claims
  }

  /** A send is ours for a time: it is written down as leaving, unless something speaks against it. */
  #begin(accountId: string, claim: Claim, { begun, heldBack }: Pick<Recorded, 'begun' | 'heldBack'>): void {
    const { sends, pauses, time } = this.#deps
    const { id, epoch, until } = claim
    const body = bodyOf(claim.content)
    const found = sends.find(id)
    const before = found ? this.#taking.released(found, claim) : body && this.#taking.add(accountId, id, body)
    this.#keepKnown(accountId, id, { state: 'sending', epoch })
    const instead = this.#insteadOf(before, body)
    if (instead) this.#rows.keepEnd({ id, epoch, accountId, outcome: instead, at: time.now() })
    if (!before || !body || instead) {
      if (before?.state === 'ready' && instead?.kind === 'refused') {
        heldBack.push(sends.change(before, { state: 'refused', error: instead.error, settledAt: time.now() }))
      }
      return
    }
    const send = before.state === 'ready' ? before : sends.change(before, { state: 'ready' })
    sends.begin(send.number, time.now())
    pauses.left(accountId)
    const content = { kind: body.kind, request: body.request } as SentRequest
    this.#claimed.set(id, epoch)
    const mayLeave = outlasting(time, until, this.#postLimit)
    begun.push({ send: sends.get(id), content, claim: { mayLeave, signal: this.awake() } })
  }

  /** What is said of a claim in place of sending; undefined where nothing speaks against that. */
  #insteadOf(before: Send | undefined, body: SharedBody | undefined): Outcome | undefined {
    if (!before || !body) return { kind: 'refused', error: NOT_READABLE }
    // The server has forgotten that it was sent, as one does that a backup was put in place of.
    const answer = before.state === 'sent' ? this.#deps.sends.answerOf(before.id) : undefined
    if (answer) return { kind: 'accepted', response: answer.response }
    if (before.state === 'cancelled') return { kind: 'offline', error: TAKEN_BACK, isAnswered: false }
    // The server holds it until then. One that was tampered with, or a mistake of ours, doesn't have it leave.
    if (isHeld(body.release)) return { kind: 'refused', error: NOT_RELEASED }
    const error = overdue(body, this.#deps.time.now())
    return error && { kind: 'refused', error }
  }

  /** Tells the office what came of attempts made here, in the order in which they ended. */
  async #tellEnds(accountId: string): Promise<void> {
    const { db, sends, tell } = this.#deps
    for (const { id, epoch, outcome, at } of this.#rows.ends(accountId)) {
      const state = await this.#finished({ id, epoch }, outcome)
      if (!state) {
        // The server knows nothing of that attempt: it was put back to before it.
        if (outcome.kind === 'accepted') {
          const officeId = this.#officeIds.get(accountId) ?? ''
          const { draftId } = sends.find(id) ?? {}
          await this.#asked((office) => office.knowSent(officeId, { id, epoch }, saidOf(outcome), draftId))
        }
        const send = sends.find(id)
        const arrived = db.transaction(() => {
          this.#rows.dropEnd(id, epoch)
          this.#claimed.delete(id)
          if (outcome.kind !== 'accepted' || !send || send.state === 'sent') return undefined
          return sends.accepted(send, outcome.response, at)
        })()
        if (arrived) tell(arrived)
        continue
      }
      const written = db.transaction(() => {
        this.#rows.dropEnd(id, epoch)
        this.#claimed.delete(id)
        this.#keepKnown(accountId, id, { state })
        const send = sends.find(id)
        if (!send) return undefined
        if (outcome.kind === 'accepted' && send.state !== 'sent') return sends.accepted(send, outcome.response, at)
        if (send.state !== 'sending') return undefined
        const [now = send] = this.#record({ id, outcome, at })
        return now.state === state || state === 'held' ? now : sends.change(now, { state })
      })()
      if (written) tell(written)
    }
  }

  /** What the send is then; undefined where the office knows nothing of this attempt, as one that a backup was put in place of. */
  async #finished(attempt: Pick<Claim, 'id' | 'epoch'>, outcome: Outcome): Promise<OfficeState | undefined> {
    return await this.#asked((office) =>
      office.finish(attempt, END_OF[outcome.kind], saidOf(outcome)).catch((error: unknown) => {
        if (codeOf(error) === NOT_ITS) return undefined
        throw error
      })
    )
  }

  /** All that the office has, and all that it is to have. */
  async #sync(accountId: string): Promise<void> {
    const account = this.#of(accountId)
    const officeId = this.#officeIds.get(accountId)
    if (!officeId) return
    account.isWanted = false
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
      this.#away(accountId, false)
      this.#takeState(accountId, state)
      await this.#read(accountId, officeId)
      await account.telling.fresh()
      await this.#tellSent(accountId, officeId)
      await this.#settle(accountId)
      if (!account.isLeaving) await this.#give(accountId, officeId)
      await this.#look(accountId, officeId)
      // What others took or finished may have made room.
      account.restsUntil = 0
      account.failures = 0
      this.#deps.wake(accountId)
    } catch (error) {
      account.failures++
      this.#away(accountId, true)
      throw error
    }
  }

  /**
   * What arrived and the office has as held back, since this workstation found it after it left; and of drafts that the office still has: it
   * was put back, and this workstation has joined again, or nobody has told it.
   */
  async #tellSent(accountId: string, officeId: string): Promise<void> {
    const { sends, sharedDrafts } = this.#deps
    const tell = async (send: Pick<Claim, 'id' | 'epoch'>, draft?: string) => {
      await this.#asked((office) => office.knowSent(officeId, send, arrivalOf(sends, send.id), draft))
    }
    for (const known of this.#rows.heldAndSent(accountId)) {
      await tell(known, sends.find(known.id)?.draftId)
      this.#rows.keep({ ...known, state: 'sent' })
    }
    for (const { draft, send } of sharedDrafts?.sentUntold(accountId) ?? []) {
      await tell({ id: send, epoch: 0 }, draft)
      sharedDrafts?.soon(accountId)
    }
  }

  #away(accountId: string, isAway: boolean): void {
    const account = this.#of(accountId)
    if (account.isAway === isAway) return
    account.isAway = isAway
    this.#deps.changes.outbox()
  }

  #takeState(accountId: string, { concurrency, perMinute, pausedBy, pausedFor }: OutboxState): void {
    const { pauses, changes, time } = this.#deps
    const since = Math.round(time.now() - pausedFor)
    const pause = pausedBy && { since, ...PAUSES[pausedBy] }
    if (pauses.follow(accountId, { concurrency, perMinute }, pause)) changes.outbox()
  }

  async #read(accountId: string, officeId: string): Promise<void> {
    const { db } = this.#deps
    const account = this.#of(accountId)
    const had = account.hasAll ? (this.#rows.account(accountId)?.cursor ?? 0) : 0
    account.hasAll = false
    for (;;) {
      const cursor = this.#rows.account(accountId)?.cursor ?? 0
      const news = await this.#asked((office) => office.changes(officeId, cursor, had))
      const last = news.at(-1)
      if (!last) {
        account.hasAll = true
        return
      }
      const taken = db.transaction(() => {
        this.#rows.readTo(last.rev, accountId)
        return news.flatMap((change) => this.#taking.take(accountId, change) ?? [])
      })()
      this.#news(taken)
    }
  }

  #news(sends: readonly Send[]): void {
    const { changes, lookAgain } = this.#deps
    for (const send of sends) {
      changes.send(send)
      changes.draft(send.draftId)
      if (send.state === 'uncertain') lookAgain(send)
    }
  }

  #keepKnown(accountId: string, id: string, change: Partial<Known>): void {
    const before = this.#rows.find(id) ?? { state: 'ready', round: 1, epoch: 0, goesAt: 0 }
    this.#rows.keep({ ...before, id, accountId, ...change })
  }

  /** What looks have shown goes to the office, which decides whether that still is so. */
  async #settle(accountId: string): Promise<void> {
    const { sends, time, db, lookAgain } = this.#deps
    const { shown } = this.#of(accountId)
    for (const [id, at] of shown) {
      const known = this.#rows.find(id)
      const send = sends.find(id)
      const isOpen = known && (known.state === 'uncertain' || known.state === 'not-sent')
      if (send && isOpen && send.state !== 'uncertain') {
        const isFresh = time.elapsed() - at < SHOWN_FOR
        const isTaken = await this.#asked(async (office) => {
          if (send.state === 'sent') return office.found(known, arrivalOf(sends, id))
          if (send.state === 'ready') return isFresh && office.settle(known, 'ready')
          return office.settle(known, send.state === 'refused' ? 'refused' : 'not-sent')
        })
        const state = send.state === 'cancelled' ? 'not-sent' : send.state
        if (isTaken) this.#keepKnown(accountId, id, { state, goesAt: send.goesAt })
        else if (send.state === 'ready') {
          const again = db.transaction(() => sends.change(send, { state: 'uncertain', error: HOLDER_GONE }))()
          lookAgain(again)
        }
      }
      shown.delete(id)
    }
  }

  /** What was put in the outbox here goes over, and what was taken out of it comes back. */
  async #give(accountId: string, officeId: string): Promise<void> {
    const { sends, times, sharedDrafts } = this.#deps
    const account = this.#of(accountId)
    for (;;) {
      const [give, withhold] = [this.#rows.toGive(accountId, CHUNK), this.#rows.toWithhold(accountId, CHUNK)]
      let refused = 0
      for (const id of give) {
        const send = sends.get(id)
        const known = this.#rows.find(id)
        const round = (known?.round ?? 0) + 1
        const composition = sends.compositionOf(send)
        const of = send.draftId === undefined ? undefined : await sharedDrafts?.toSend(send.draftId, composition)
        // It was taken back meanwhile.
        if (sends.find(id)?.state !== 'ready') continue
        const content = contentOf(send, sends.requestOf(send), composition, of?.draft)
        // Where no answer comes, it is known that the office may have it, whichever round it has it in.
        if (!known || known.state === 'held') this.#keepKnown(accountId, id, { state: 'held', round: 0 })
        const inMs = Math.max(0, Math.round(times.left(send)))
        const isInDoubt = send.firstAttemptedAt !== undefined
        if (send.release && !(await this.#askRelease(send.release, id))) {
          refused++
          continue
        }
        const { state, round: its } = await this.#asked((office) =>
          office.give(officeId, { id, content, inMs, round, isInDoubt, ...(of && { of }) })
        )
        if (state === 'taken' || state === 'gone' || state === 'changed') {
          this.#notTaken(send, state)
          continue
        }
        this.#keepKnown(accountId, id, { state, round: its, goesAt: send.goesAt })
        // It had it before, as before this workstation left: it takes it only as something later.
        if (state === 'held' || state === 'cancelled') account.isWanted = true
      }
      for (const id of withhold) {
        const round = (this.#rows.find(id)?.round ?? 0) + 1
        const as = sends.find(id)?.state === 'ready' ? 'held' : 'cancelled'
        const isKept = await this.#asked((office) => office.withhold(officeId, { id, round }, as))
        // Where it isn't, it has left: the office's changes say what became of it.
        this.#keepKnown(accountId, id, isKept ? { state: as, round } : { state: 'sending' })
      }
      // What the server doesn't take as released would be all of the next page, too.
      if (give.length + withhold.length < CHUNK || (give.length === refused && withhold.length === 0)) return
    }
  }

  /** Whether it may be given: the server holds what waits for someone before it has it, and knows of who let it go. */
  #askRelease({ by, released }: Release, id: string): Promise<boolean> {
    return this.#asked(async (office) => {
      await office.askRelease(id, by.id)
      return released === undefined || office.release(id, released.id)
    })
  }

  /** The office didn't take it, since of its draft another was sent, or was written further: it is a draft again. */
  #notTaken(send: Send, why: NotTaken): void {
    const { db, sends, sharedDrafts, time, tell } = this.#deps
    this.#rows.erase(send.id)
    tell(
      db.transaction(() => sends.change(send, { state: 'cancelled', settledAt: time.now(), error: NOT_TAKEN[why] }))()
    )
    if (why === 'gone' && send.draftId !== undefined) sharedDrafts?.goesOn(send.draftId)
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

  #asked<Answer>(question: (office: OfficeStore) => Promise<Answer>): Promise<Answer> {
    return askOffice(this.#office, question, this.#deps.officeTrouble)
  }

  #of(accountId: string): Account {
    return getOrMake(this.#accounts, accountId, () => {
      const { time } = this.#deps
      const syncing = new OneAtATime(
        time,
        () => this.#sync(accountId),
        () => this.#rested(accountId)
      )
      const telling = new OneAtATime(time, () => this.#tellEnds(accountId))
      return {
        ...{ syncing, telling, isWanted: false, failures: 0, isLeaving: false, isAway: false, hasAll: false },
        ...{ restsUntil: 0, looksUntil: 0, shown: new Map() }
      }
    })
  }

  #rested(accountId: string): void {
    if (!this.#office || !this.#officeIds.has(accountId)) return
    const { time } = this.#deps
    const { syncing, failures, isWanted } = this.#of(accountId)
    // Fifty workstations don't come back at once.
    const usual = EVERY * (1 - time.random() / 5)
    syncing.later(failures > 0 ? backoff(FIRST_WAIT, failures, time.random) : isWanted ? 0 : usual)
  }
}

/** How the server says that this workstation did not have that send. */
const NOT_ITS = '42501'

const NOT_READABLE: AppError = {
  code: 'storage',
  message: 'This package was made by another version of Countersign, which this one can’t read.'
}
const NOT_RELEASED: AppError = {
  code: 'not-allowed',
  message: 'Nobody has released this package.',
  mayHaveArrived: false
}
const TAKEN_BACK: AppError = { code: 'cancelled', message: 'It was taken back before it left.', mayHaveArrived: false }
const LEFT_BEHIND: AppError = {
  code: 'cancelled',
  message: 'This workstation left the office, which may send this. Look in your folders before you send it again.'
}
const NOT_TAKEN: Record<NotTaken, AppError> = {
  taken: {
    code: 'cancelled',
    message: 'This draft was sent from another workstation at the same moment, so it isn’t sent from here.'
  },
  gone: {
    code: 'cancelled',
    message: 'Another workstation had erased this draft, or kept it to itself, before it was sent.',
    next: 'It is in Drafts here as another one. Open it, and send it if it’s still to go.'
  },
  changed: {
    code: 'cancelled',
    message: 'This draft was changed at another workstation before it was sent.',
    next: 'Open it, see what was changed, and send it again.'
  }
}
/** Why the whole office's outbox is paused. */
const PAUSES: Record<NonNullable<OutboxState['pausedBy']>, Pick<OutboxPause, 'by' | 'error'>> = {
  person: { by: 'person' },
  service: {
    by: 'service',
    error: {
      code: 'refused',
      message: 'The service refused packages of this office. The workstation that was told says why.'
    }
  },
  restored: {
    by: 'person',
    error: {
      code: 'conflict',
      message:
        'The office’s server was put back to an earlier moment. What may have been sent since is looked for in your folders.',
      next: 'Resume once every workstation has been connected.'
    }
  }
}
