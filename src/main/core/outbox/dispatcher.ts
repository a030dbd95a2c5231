/**
 * Sends waiting packages for every account and records the results. A send is stored as `sending` before anything
 * leaves; results are stored before anything else is taken.
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
  /** Decides what leaves an account that an office shares; undefined if it is this computer's alone. */
  leavingOf: (accountId: string) => Leaving | undefined
  /** Called when a send leaves. */
  left: (id: string) => void
  /** Called when the service has answered a send. */
  answered: (send: Send) => void
  /** Called when a send became uncertain. */
  uncertain: (send: Send) => void
}

/** How long to wait after the first failed write, in milliseconds. */
const STORAGE_WAIT = 1_000

/** One account's part of the dispatcher. */
interface Lane {
  readonly accountId: string
  readonly turns: Turns
  /** Ids of sends that left and whose results aren't stored yet. */
  readonly underWay: Set<string>
  ended: Ended[]
  client?: SendingClient | undefined
  isAsking: boolean
  /** Whether a turn is waiting for the office's answer. */
  isTaking: boolean
  storageFailures: number
}

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #lanes: Lanes<Lane>
  /** Why the results of finished sends couldn't be stored, by id. */
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

  /** Starts sending. */
  open(): void {
    this.#state = 'open'
    for (const accountId of this.#deps.queries.accountsWaiting()) this.wake(accountId)
  }

  /** Call it when something of this account may have become due. */
  wake(accountId: string): void {
    this.#lanes.of(accountId).turns.wake()
  }

  /** Call it when something of any account may have become due. */
  wakeAll(): void {
    for (const { turns } of this.#lanes.all()) turns.wake()
  }

  /** Returns why a send's result could not be stored. */
  troubleOf(id: string): AppError | undefined {
    return this.#troubles.get(id)
  }

  /** Takes no more sends. Resolves once everything in flight has finished and is stored, or the time is up. */
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
    // A lane that is waiting for the office takes its next turn as soon as that one ends.
    if (this.#state === 'closed' || this.#state === 'over' || lane.isTaking) return
    lane.turns.stopSleeping()
    // Fetched again each time: the address or credentials may have changed.
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
          // Results that arrived meanwhile couldn't be stored while this turn was running.
          if (lane.ended.length > 0) lane.turns.wake()
        },
        (error: unknown) => this.#notTaken(lane, ended, error)
      )
  }

  #notTaken(lane: Lane, ended: readonly Ended[], error: unknown): void {
    const { time, describe } = this.#deps
    for (const { id } of ended) this.#report(id, describe(error))
    // Results stay here until they are stored. On disk the send is still `sending`, so it is never repeated.
    lane.turns.sleep(backoff(STORAGE_WAIT, ++lane.storageFailures, time.random))
  }

  #took(lane: Lane, ended: readonly Ended[], client: SendingClient | undefined, done: Recorded): void {
    const { time, describe, left, changes } = this.#deps
    lane.ended = lane.ended.filter((one) => !ended.includes(one))
    for (const { id } of ended) {
      lane.underWay.delete(id)
      this.#troubles.delete(id)
    }
    // Claimed from the office as the application was ending: nothing is sent any more, and the office looks for it.
    if (this.#state === 'over') return
    // This comes first: what is stored as leaving must leave, whatever goes wrong below.
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

  /** Returns how many more may leave now. Finished sends no longer count as in flight, even if not stored yet. */
  #room({ accountId, underWay, ended }: Lane): number {
    return this.#deps.pauses.concurrency(accountId) - (underWay.size - ended.length)
  }

  /** Fetches the client. Nothing can leave without one, so nothing is stored as leaving before it is there. */
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
    // The client is usually there before the next turn, which can then store this result and take the next send
    // together.
    if (outcome.kind === 'accepted' || outcome.kind === 'refused') this.#ask(lane)
    lane.turns.wake()
  }

  /** Reports a send's result once it is stored. */
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
