/**
 * Lets what waits leave, for every account, and keeps what came of it. A send is written down as `sending` before anything
 * leaves; what ended is written before anything else is taken. Nothing is polled: each account's desk sleeps until the
 * next thing is due, and is woken by what happens.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { backoff } from '../lib/retry.ts'
import { type Answer, keeper } from './answers.ts'
import type { Appointments } from './appointments.ts'
import type { Boxes } from './boxes.ts'
import type { Changes } from './changes.ts'
import { deliver, type Ending } from './delivery.ts'
import type { OutboxEffects, SendingClient } from './effects.ts'
import type { Holds } from './holds.ts'
import { openPosts } from './posts.ts'
import type { Queue, Waiting } from './queue.ts'
import { overdue } from './requests.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { Sends } from './sends.ts'

export interface DispatcherParts {
  effects: Pick<OutboxEffects, 'db' | 'clientOf' | 'describe' | 'arrived' | 'clock' | 'random' | 'schedule'>
  sends: Sends
  queue: Queue
  boxes: Boxes
  holds: Holds
  appointments: Appointments
  changes: Changes
  /** What becomes of a send that may leave again: `cancelled` where its batch was. */
  backTo: (send: Send) => 'ready' | 'cancelled'
  /** Whether it was shown lately that no earlier attempt of a send arrived. */
  isProven: (id: string) => boolean
  /** Called when a send leaves. */
  left: (id: string) => void
  /** Called when a send became uncertain. */
  uncertain: (send: Send) => void
}

/** The wall clock may jump: what waits for a time of day is looked at this often, in milliseconds. */
const LONGEST_SLEEP = 60_000
/** How long to wait after writing failed the first time, in milliseconds. */
const STORAGE_WAIT = 1_000

/** One account's part of the dispatcher. */
interface Desk {
  accountId: string
  /** Ids of sends that left, until what came of them is written down. */
  underWay: Set<string>
  answers: Answer[]
  client?: SendingClient | undefined
  isAsking: boolean
  isPlanned: boolean
  storageFailures: number
  cancelSleep?: (() => void) | undefined
}

export function openDispatcher(parts: DispatcherParts) {
  const { effects, sends, queue, boxes, holds, appointments, changes } = parts
  const { clock, describe, schedule } = effects
  const desks = new Map<string, Desk>()
  /** What could not be written down of sends that ended, by id. */
  const troubles = new Map<string, AppError>()
  const posts = openPosts(effects.random)
  let state: 'closed' | 'open' | 'closing' | 'over' = 'closed'
  let onIdle: (() => void) | undefined

  function deskOf(accountId: string): Desk {
    const known = desks.get(accountId)
    if (known) return known
    const desk: Desk = {
      accountId,
      underWay: new Set(),
      answers: [],
      isAsking: false,
      isPlanned: false,
      storageFailures: 0
    }
    desks.set(accountId, desk)
    return desk
  }

  /** Has the desk take its turn once all that is happening just now has happened: answers that come together are one turn. */
  function wake(desk: Desk): void {
    if (desk.isPlanned || state === 'closed') return
    desk.isPlanned = true
    setImmediate(() => {
      desk.isPlanned = false
      if (state !== 'over') turn(desk)
    })
  }

  /** Without a client nothing can leave, so nothing is written down before there is one. */
  function ask(desk: Desk): void {
    if (desk.isAsking || desk.client || state !== 'open') return
    desk.isAsking = true
    effects
      .clientOf(desk.accountId)
      .then(
        (client) => {
          desk.client = client
        },
        (error: unknown) => {
          const said = describe(error)
          if (said.code === 'keychain') boxes.pauseByKeychain(desk.accountId, said)
          else boxes.failed(desk.accountId, 'line', said)
          changes.outbox()
        }
      )
      .finally(() => {
        desk.isAsking = false
        wake(desk)
      })
  }

  const keep = keeper({ ...parts, db: effects.db })
  const keepAndTake = effects.db.transaction((desk: Desk, answers: readonly Answer[], mayTake: boolean) => {
    const answered = answers.flatMap((answer) => keep(answer))
    const { begun, heldBack } = mayTake ? take(desk) : { begun: [], heldBack: [] }
    return { begun, changed: [...answered, ...heldBack] }
  })

  function turn(desk: Desk): void {
    desk.cancelSleep?.()
    // Asked for anew each time: address or credentials may have changed since.
    const { client } = desk
    desk.client = undefined
    const answers = [...desk.answers]
    let done: ReturnType<typeof keepAndTake>
    try {
      done = keepAndTake(desk, answers, client !== undefined && state === 'open')
    } catch (error) {
      for (const { id } of answers) trouble(id, describe(error))
      // What was answered stays here until it is written; on the disk it is still `sending`, so it never goes again.
      sleep(desk, backoff(STORAGE_WAIT, ++desk.storageFailures, effects.random))
      return
    }
    desk.answers = desk.answers.filter((answer) => !answers.includes(answer))
    for (const { id } of answers) {
      desk.underWay.delete(id)
      troubles.delete(id)
    }
    // First of all: what is written down as leaving does leave, whatever goes wrong below.
    for (const { send, content } of done.begun) {
      desk.underWay.add(send.id)
      parts.left(send.id)
      changes.send(send.id, send.batchId)
      if (client) void deliver(client, content, describe).then((ending) => ended(desk, send.id, ending))
    }
    try {
      for (const send of done.changed) tell(desk, send)
      rest(desk)
      desk.storageFailures = 0
    } catch {
      sleep(desk, backoff(STORAGE_WAIT, ++desk.storageFailures, effects.random))
    }
  }

  /** Decides when the desk takes its next turn. */
  function rest(desk: Desk): void {
    const isIdle = [...desks.values()].every(({ underWay }) => underWay.size === 0)
    if (state !== 'open') {
      if (isIdle) onIdle?.()
      return
    }
    if (isShut(desk)) return
    const { due, wait } = next(desk)
    const boxWaits = boxes.waits(desk.accountId)
    if (due && boxWaits === 0) ask(desk)
    else if (due) sleep(desk, boxWaits)
    else if (wait !== undefined) sleep(desk, Math.max(wait, boxWaits))
  }

  function sleep(desk: Desk, milliseconds: number): void {
    desk.cancelSleep?.()
    desk.cancelSleep = schedule(() => wake(desk), Math.min(LONGEST_SLEEP, Math.max(1, milliseconds)))
  }

  function isShut({ accountId, underWay }: Desk): boolean {
    return boxes.isPaused(accountId) || underWay.size >= boxes.lanes(accountId)
  }

  /** What may leave next, or how long until something may, in milliseconds. */
  function next({ accountId }: Desk): { due?: Waiting; wait?: number } {
    let wait: number | undefined
    for (const waiting of queue.waiting(accountId)) {
      const left = leftOf(waiting)
      if (left <= 0) return { due: waiting }
      wait = Math.min(wait ?? left, left)
    }
    return wait === undefined ? {} : { wait }
  }

  function leftOf({ id, batchId, isScheduled, goesAt }: Waiting): number {
    if (goesAt === 0) return 0
    return isScheduled ? appointments.left(batchId ?? id, goesAt) : holds.left(batchId ?? id)
  }

  function take(desk: Desk): { begun: { send: Send; content: SentRequest }[]; heldBack: Send[] } {
    const begun: { send: Send; content: SentRequest }[] = []
    const heldBack: Send[] = []
    const { accountId } = desk
    while (!boxes.isPaused(accountId) && boxes.waits(accountId) === 0) {
      if (desk.underWay.size - desk.answers.length + begun.length >= boxes.lanes(accountId)) break
      const { due } = next(desk)
      if (!due) break
      const send = sends.get(due.id)
      const content = sends.requestOf(send)
      // What was shown not to have arrived may have turned up since.
      if (send.firstAttemptedAt !== undefined && !parts.isProven(send.id)) {
        heldBack.push(sends.change(send, { state: 'uncertain', error: NOT_PROVEN }))
        continue
      }
      const error = overdue(content, clock())
      if (error) {
        heldBack.push(sends.change(send, { state: 'refused', error, settledAt: clock() }))
        continue
      }
      if (!sends.begin(send.number, clock())) continue
      boxes.left(accountId)
      begun.push({ send, content })
    }
    return { begun, heldBack }
  }

  function ended(desk: Desk, id: string, end: Ending): void {
    const ending = posts.counted(id, end)
    const { accountId } = desk
    if (ending.kind === 'line' || ending.kind === 'uncertain') boxes.failed(accountId, ending.kind, ending.error)
    else boxes.reached(accountId)
    if (ending.kind === 'rate-limited') boxes.slowDown(accountId, ending.error)
    desk.answers.push({ id, ending, at: clock() })
    // Mostly there before the turn comes, which then keeps this and takes the next in one go.
    if (ending.kind === 'taken' || ending.kind === 'refused') ask(desk)
    wake(desk)
  }

  function tell(desk: Desk, send: Send): void {
    changes.send(send.id, send.batchId)
    if (send.state === 'uncertain') parts.uncertain(send)
    else if (send.state !== 'ready') changes.draft(send.draftId)
    if (send.state === 'sent') effects.arrived(desk.accountId)
  }

  function trouble(id: string, error: AppError): void {
    troubles.set(id, error)
    changes.send(id, undefined)
  }

  return {
    /** Begins to send. */
    open(): void {
      state = 'open'
      for (const accountId of queue.accounts()) wake(deskOf(accountId))
    },

    /** Something of this account may have become due. */
    wake: (accountId: string): void => wake(deskOf(accountId)),

    /** Something may have become due anywhere. */
    wakeAll(): void {
      for (const desk of desks.values()) wake(desk)
    },

    /** Why it could not be written down what came of a send. */
    troubleOf: (id: string): AppError | undefined => troubles.get(id),

    /** Takes no more; resolves when all that is under way has ended and is written down, or when the time is up. */
    close(limit: number): Promise<void> {
      state = 'closing'
      for (const desk of desks.values()) desk.cancelSleep?.()
      return new Promise((resolve) => {
        const cancel = schedule(over, limit)
        function over(): void {
          cancel()
          state = 'over'
          for (const desk of desks.values()) desk.cancelSleep?.()
          resolve()
        }
        onIdle = over
        for (const desk of desks.values()) wake(desk)
        if (desks.size === 0) over()
      })
    }
  }
}

const NOT_PROVEN: AppError = {
  code: 'timeout',
  message: 'An earlier attempt may have arrived by now. The folders are looked at before it goes again.',
  mayHaveArrived: true
}
