/**
 * Lets what waits leave, for every account, and keeps what came of it. A send is written down as `sending` before anything
 * leaves; what ended is written before anything else is taken.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { Lanes, Turns } from '../jobs/lanes.ts'
import { backoff, type Time } from '../lib/time.ts'
import { AttemptLimit, deliver, type Ended, type Outcome } from './attempts.ts'
import type { OutboxDeps, SendingClient } from './deps.ts'
import { type Leaving, type LeavingDeps, openLeaving, type Recorded } from './leaving.ts'
import type { Send } from './send-record.ts'
import type { Changes } from './send-view.ts'

export interface DispatcherDeps extends LeavingDeps, Pick<OutboxDeps, 'clientOf' | 'describe' | 'arrived'> {
  time: Time
  changes: Changes
  /** Who decides what leaves of an account that an office shares; undefined where its sends are this computer's alone. */
  leavingOf: (accountId: string) => Leaving | undefined
  /** Called when a send leaves. */
  left: (id: string) => void
  /** Called when the service has answered a send. */
  answered: (send: Send) => void
  /** Called when a send became uncertain. */
  uncertain: (send: Send) => void
}

/** How long to wait after writing failed the first time, in milliseconds. */
const STORAGE_WAIT = 1_000

/** One account's part of the dispatcher. */
interface Lane {
  readonly accountId: string
  readonly turns: Turns
  /** Ids of sends that left, until what came of them is written down. */
  readonly underWay: Set<string>
  ended: Ended[]
  client?: SendingClient | undefined
  isAsking: boolean
  /** Whether a turn waits for the office's answer. */
  isTaking: boolean
  storageFailures: number
}

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #lanes: Lanes<Lane>
  /** What could not be written down of sends that ended, by id. */
  readonly #troubles = new Map<string, AppError>()
  readonly #limit: AttemptLimit
  readonly #leaving: Leaving
  #state: 'closed' | 'open' | 'closing' | 'over' = 'closed'
  #onIdle: (() => void) | undefined

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#limit = new AttemptLimit(deps.time)
    this.#lanes = new Lanes((accountId) => {
      const lane: Lane = {
        accountId,
        turns: new Turns(deps.time, () => this.#turn(lane)),
        underWay: new Set(),
        ended: [],
        isAsking: false,
        isTaking: false,
        storageFailures: 0
      }
      return lane
    })
    this.#leaving = openLeaving(deps)
  }

  /** Begins to send. */
  open(): void {
    this.#state = 'open'
    for (const accountId of this.#deps.queries.accountsWaiting()) this.wake(accountId)
  }

  /** Something of this account may have become due. */
  wake(accountId: string): void {
    this.#lanes.of(accountId).turns.wake()
  }

  /** Something may have become due anywhere. */
  wakeAll(): void {
    for (const { turns } of this.#lanes.all()) turns.wake()
  }

  /** Why it could not be written down what came of a send. */
  troubleOf(id: string): AppError | undefined {
    return this.#troubles.get(id)
  }

  /** Takes no more; resolves when all that is under way has ended and is written down, or when the time is up. */
  close(limit: number): Promise<void> {
    this.#state = 'closing'
    const lanes = this.#lanes.all()
    for (const { turns } of lanes) turns.stopSleeping()
    return new Promise((resolve) => {
      const over = () => {
        cancel()
        this.#state = 'over'
        for (const { turns } of lanes) turns.stopSleeping()
        resolve()
      }
      const cancel = this.#deps.time.after(limit, over)
      this.#onIdle = over
      for (const { turns } of lanes) turns.wake()
      if (lanes.length === 0) over()
    })
  }

  #turn(lane: Lane): void {
    // One that waits for the office takes the next as soon as it is over.
    if (this.#state === 'closed' || this.#state === 'over' || lane.isTaking) return
    lane.turns.stopSleeping()
    // Asked for again each time: address or credentials may have changed since.
    const { client } = lane
    lane.client = undefined
    const ended = [...lane.ended]
    const most = client && this.#state === 'open' ? this.#room(lane) : 0
    try {
      const done = this.#leavingOf(lane).turn(lane.accountId, ended, most)
      if (done instanceof Promise) this.#await(lane, ended, client, done)
      else this.#took(lane, ended, client, done)
    } catch (error) {
      this.#notTaken(lane, ended, error)
    }
  }

  #await(lane: Lane, ended: readonly Ended[], client: SendingClient | undefined, taking: Promise<Recorded>): void {
    lane.isTaking = true
    taking
      .finally(() => {
        lane.isTaking = false
      })
      .then(
        (done) => {
          this.#took(lane, ended, client, done)
          // What came meanwhile found the turn taken.
          if (lane.ended.length > 0) lane.turns.wake()
        },
        (error: unknown) => this.#notTaken(lane, ended, error)
      )
  }

  #notTaken(lane: Lane, ended: readonly Ended[], error: unknown): void {
    const { time, describe } = this.#deps
    for (const { id } of ended) this.#report(id, describe(error))
    // What was answered stays here until it is written; on the disk it is still `sending`, so it never goes again.
    lane.turns.sleep(backoff(STORAGE_WAIT, ++lane.storageFailures, time.random))
  }

  #took(lane: Lane, ended: readonly Ended[], client: SendingClient | undefined, done: Recorded): void {
    const { time, describe, left, changes } = this.#deps
    lane.ended = lane.ended.filter((one) => !ended.includes(one))
    for (const { id } of ended) {
      lane.underWay.delete(id)
      this.#troubles.delete(id)
    }
    // Taken from the office as the application ended: nothing leaves any more, and the office looks for it.
    if (this.#state === 'over') return
    // First of all: what is written down as leaving does leave, whatever goes wrong below.
    for (const { send, content, claim } of done.begun) {
      lane.underWay.add(send.id)
      left(send.id)
      changes.send(send)
      if (!client) continue
      void deliver(client, content, { describe, claim }).then((outcome) => this.#ended(lane, send.id, outcome))
    }
    try {
      for (const send of [...done.recorded, ...done.heldBack]) this.tell(send)
      this.#rest(lane)
      lane.storageFailures = 0
    } catch {
      lane.turns.sleep(backoff(STORAGE_WAIT, ++lane.storageFailures, time.random))
    }
  }

  /** Decides when the lane takes its next turn. */
  #rest(lane: Lane): void {
    if (this.#state !== 'open') {
      if (this.#lanes.all().every(({ underWay, isTaking }) => underWay.size === 0 && !isTaking)) this.#onIdle?.()
      return
    }
    const { accountId, turns } = lane
    const { pauses } = this.#deps
    if (pauses.isPaused(accountId) || this.#room(lane) <= 0) return
    const { due, wait } = this.#leavingOf(lane).next(accountId)
    const pause = pauses.waits(accountId)
    if (due && pause === 0) this.#ask(lane)
    else if (due) turns.sleep(pause)
    else if (wait !== undefined) turns.sleep(Math.max(wait, pause))
  }

  #leavingOf({ accountId }: Lane): Leaving {
    return this.#deps.leavingOf(accountId) ?? this.#leaving
  }

  /** How many more may leave now: what has ended is under way no longer, though not written yet. */
  #room({ accountId, underWay, ended }: Lane): number {
    return this.#deps.pauses.concurrency(accountId) - (underWay.size - ended.length)
  }

  /** Without a client nothing can leave, so nothing is written down before there is one. */
  #ask(lane: Lane): void {
    if (lane.isAsking || lane.client || this.#state !== 'open') return
    const { clientOf, describe, pauses, changes } = this.#deps
    const { accountId } = lane
    lane.isAsking = true
    clientOf(accountId)
      .then(
        (client) => {
          lane.client = client
        },
        (thrown: unknown) => {
          const error = describe(thrown)
          if (error.code === 'keychain') pauses.pauseByKeychain(accountId, error)
          else pauses.failed(accountId, 'offline', error)
          changes.outbox()
        }
      )
      .finally(() => {
        lane.isAsking = false
        lane.turns.wake()
      })
  }

  #ended(lane: Lane, id: string, end: Outcome): void {
    const { pauses, time } = this.#deps
    const { accountId } = lane
    const outcome = this.#limit.counted(id, end)
    if (outcome.kind === 'offline' || outcome.kind === 'uncertain') {
      pauses.failed(accountId, outcome.kind, outcome.error)
    } else pauses.reached(accountId)
    if (outcome.kind === 'rate-limited') pauses.slowDown(accountId, outcome.error)
    lane.ended.push({ id, outcome, at: time.now() })
    // Mostly there before the turn comes, which then keeps this and takes the next in one go.
    if (outcome.kind === 'accepted' || outcome.kind === 'refused') this.#ask(lane)
    lane.turns.wake()
  }

  /** Says what came of a send, once that is written down. */
  tell(send: Send): void {
    const { changes, uncertain, answered, arrived } = this.#deps
    changes.send(send)
    if (send.state === 'uncertain') uncertain(send)
    else if (send.state !== 'ready') changes.draft(send.draftId)
    if (send.state !== 'sent') return
    answered(send)
    arrived(send.accountId)
  }

  #report(id: string, error: AppError): void {
    this.#troubles.set(id, error)
    this.#deps.changes.send({ id })
  }
}
