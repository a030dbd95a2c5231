/**
 * Sends waiting packages for every account and records the results. A send is stored as `sending` before anything
 * leaves; results are stored before anything else is taken.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { DispatchLoop, Lanes } from '../jobs/lanes.ts'
import { backoff } from '../lib/time.ts'
import { AttemptLimit, deliver, type FinishedAttempt, type Outcome } from './attempts.ts'
import type { SendingClient } from './deps.ts'
import { type DispatchDeps, type DispatchStore, openLocalDispatchStore, type TurnResult } from './dispatch-store.ts'
import type { OutboxParts } from './parts.ts'
import type { Send } from './send-record.ts'

export interface DispatcherDeps extends DispatchDeps, Pick<OutboxParts, 'clientOf' | 'arrived' | 'changes'> {
  /** Decides what leaves an account that an office shares; undefined if it is this computer's alone. */
  dispatchStoreOf: (accountId: string) => DispatchStore | undefined
  /** Called when a send leaves. */
  departed: (id: string) => void
  answered: (send: Send) => void
  uncertain: (send: Send) => void
}

/** How long to wait after the first failed write, in milliseconds. */
const STORAGE_WAIT = 1_000

/** One account's part of the dispatcher. */
interface Lane {
  readonly accountId: string
  readonly turns: DispatchLoop
  /** Ids of sends that left and whose results aren't stored yet. */
  readonly inFlight: Set<string>
  finished: FinishedAttempt[]
  client?: SendingClient | undefined
  isFetchingClient: boolean
  /** Whether a turn is waiting for the office's answer. */
  isTurnPending: boolean
  storageFailures: number
}

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #lanes: Lanes<Lane>
  /** Why the results of finished sends couldn't be stored, by id. */
  readonly #troubles = new Map<string, AppError>()
  readonly #limit: AttemptLimit
  readonly #localStore: DispatchStore
  #state: 'unstarted' | 'started' | 'closing' | 'over' = 'unstarted'
  #onIdle: (() => void) | undefined

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#limit = new AttemptLimit(deps.time)
    this.#lanes = new Lanes((accountId) => {
      const lane: Lane = {
        accountId,
        turns: new DispatchLoop(deps.time, () => this.#turn(lane)),
        inFlight: new Set(),
        finished: [],
        isFetchingClient: false,
        isTurnPending: false,
        storageFailures: 0
      }
      return lane
    })
    this.#localStore = openLocalDispatchStore(deps)
  }

  start(): void {
    this.#state = 'started'
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
      const finish = () => {
        cancel()
        this.#state = 'over'
        for (const { turns } of lanes) turns.stopSleeping()
        resolve()
      }
      const cancel = this.#deps.time.after(limit, finish)
      this.#onIdle = finish
      for (const { turns } of lanes) turns.wake()
      if (lanes.length === 0) finish()
    })
  }

  #turn(lane: Lane): void {
    // A lane that is waiting for the office takes its next turn as soon as that one ends.
    if (this.#state === 'unstarted' || this.#state === 'over' || lane.isTurnPending) return
    lane.turns.stopSleeping()
    // Fetched again each time: the address or credentials may have changed.
    const { client } = lane
    lane.client = undefined
    const finished = [...lane.finished]
    const freeSlots = client && this.#state === 'started' ? this.#freeSlots(lane) : 0
    try {
      const done = this.#dispatchStoreOf(lane).turn(lane.accountId, finished, freeSlots)
      if (done instanceof Promise) this.#awaitTurn(lane, finished, client, done)
      else this.#turnDone(lane, finished, client, done)
    } catch (error) {
      this.#turnFailed(lane, finished, error)
    }
  }

  #awaitTurn(
    lane: Lane,
    finished: readonly FinishedAttempt[],
    client: SendingClient | undefined,
    turn: Promise<TurnResult>
  ): void {
    lane.isTurnPending = true
    turn
      .finally(() => {
        lane.isTurnPending = false
      })
      .then(
        (done) => {
          this.#turnDone(lane, finished, client, done)
          // Results that arrived meanwhile couldn't be stored while this turn was running.
          if (lane.finished.length > 0) lane.turns.wake()
        },
        (error: unknown) => this.#turnFailed(lane, finished, error)
      )
  }

  #turnFailed(lane: Lane, finished: readonly FinishedAttempt[], error: unknown): void {
    for (const { id } of finished) {
      this.#troubles.set(id, asAppError(error))
      this.#deps.changes.send({ id })
    }
    // Results stay here until they are stored. On disk the send is still `sending`, so it is never repeated.
    this.#retryLater(lane)
  }

  #retryLater(lane: Lane): void {
    lane.turns.sleep(backoff(STORAGE_WAIT, ++lane.storageFailures, this.#deps.time.random))
  }

  #turnDone(
    lane: Lane,
    finished: readonly FinishedAttempt[],
    client: SendingClient | undefined,
    done: TurnResult
  ): void {
    const { departed, changes } = this.#deps
    lane.finished = lane.finished.filter((one) => !finished.includes(one))
    for (const { id } of finished) {
      lane.inFlight.delete(id)
      this.#troubles.delete(id)
    }
    // Claimed from the office as the application was ending: nothing is sent any more, and the office looks for it.
    if (this.#state === 'over') return
    // This comes first: what is stored as leaving must leave, whatever goes wrong below.
    for (const { send, content, claim } of done.started) {
      lane.inFlight.add(send.id)
      departed(send.id)
      changes.send(send)
      if (!client) continue
      void deliver(client, content, claim).then((outcome) => this.#attemptFinished(lane, send.id, outcome))
    }
    try {
      for (const send of [...done.recorded, ...done.heldBack]) this.notifyUpdated(send)
      this.#planNextTurn(lane)
      lane.storageFailures = 0
    } catch {
      this.#retryLater(lane)
    }
  }

  #planNextTurn(lane: Lane): void {
    if (this.#state !== 'started') {
      const isIdle = this.#lanes.all().every(({ inFlight, isTurnPending }) => inFlight.size === 0 && !isTurnPending)
      if (isIdle) this.#onIdle?.()
      return
    }
    const { accountId, turns } = lane
    const { pauses } = this.#deps
    if (pauses.isPaused(accountId) || this.#freeSlots(lane) <= 0) return
    const { due, wait } = this.#dispatchStoreOf(lane).next(accountId)
    const pause = pauses.waitMs(accountId)
    if (due && pause === 0) this.#fetchClient(lane)
    else if (due) turns.sleep(pause)
    else if (wait !== undefined) turns.sleep(Math.max(wait, pause))
  }

  #dispatchStoreOf({ accountId }: Lane): DispatchStore {
    return this.#deps.dispatchStoreOf(accountId) ?? this.#localStore
  }

  /** Returns how many more may leave now. Finished sends no longer count as in flight, even if not stored yet. */
  #freeSlots({ accountId, inFlight, finished }: Lane): number {
    return this.#deps.pauses.concurrency(accountId) - (inFlight.size - finished.length)
  }

  /** Fetches the client. Nothing can leave without one, so nothing is stored as leaving before it is there. */
  #fetchClient(lane: Lane): void {
    if (lane.isFetchingClient || lane.client || this.#state !== 'started') return
    const { clientOf, changes } = this.#deps
    const { accountId } = lane
    lane.isFetchingClient = true
    clientOf(accountId)
      .then(
        (client) => {
          lane.client = client
        },
        (thrown: unknown) => {
          this.#holdBack(accountId, 'offline', asAppError(thrown))
          changes.outbox()
        }
      )
      .finally(() => {
        lane.isFetchingClient = false
        lane.turns.wake()
      })
  }

  /** Holds the account's sends back. The keychain would ask the person at each attempt, so it is left alone. */
  #holdBack(accountId: string, kind: 'offline' | 'uncertain', error: AppError): void {
    const { pauses } = this.#deps
    if (error.code === 'keychain') pauses.pauseByKeychain(accountId, error)
    else pauses.failed(accountId, kind, error)
  }

  #attemptFinished(lane: Lane, id: string, result: Outcome): void {
    const { pauses, time } = this.#deps
    const { accountId } = lane
    const outcome = this.#limit.limitOutcome(id, result)
    if (outcome.kind === 'offline' || outcome.kind === 'uncertain') {
      this.#holdBack(accountId, outcome.kind, outcome.error)
    } else pauses.reached(accountId)
    if (outcome.kind === 'rate-limited') pauses.slowDown(accountId, outcome.error)
    lane.finished.push({ id, outcome, at: time.now() })
    // The client is usually there before the next turn, which can then store this result and take the next send
    // together.
    if (outcome.kind === 'accepted' || outcome.kind === 'refused') this.#fetchClient(lane)
    lane.turns.wake()
  }

  /** Reports a send's result once it is stored. */
  notifyUpdated(send: Send): void {
    const { changes, uncertain, answered, arrived } = this.#deps
    changes.send(send)
    if (send.state === 'uncertain') uncertain(send)
    else if (send.state !== 'ready') changes.draft(send.draftId)
    if (send.state !== 'sent') return
    answered(send)
    arrived(send.accountId)
  }
}
