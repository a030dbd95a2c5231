/**
 * What leaves of an account that an office shares: claimed at the office's server, `sending` on the disk before anything goes, and what came
 * of it told there. What `leaving.ts` is to an account that is this computer's alone.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import type { OneAtATime } from '../jobs/lanes.ts'
import { firstAccepted } from '../jobs/recording.ts'
import { AppFailure } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import {
  type AskOutbox,
  type Claim,
  isUnwritable,
  type OfficeState,
  type OfficeStore,
  outlasting
} from '../office/sends.ts'
import { withoutFlush } from '../storage/connection.ts'
import { type Ended, type Outcome, recorder, referencesOnly } from './attempts.ts'
import type { Leaving, LeavingDeps, Recorded, Taken } from './leaving.ts'
import type { Waits } from './pauses.ts'
import { isHeld } from './releases.ts'
import { overdue } from './send-actions.ts'
import type { Send, SentRequest } from './send-record.ts'
import { bodyOf, END_OF, type SharedBody, saidOf } from './shared-content.ts'
import type { KeptEnd, openSharedRows } from './shared-rows.ts'
import type { openTaking } from './shared-taking.ts'

interface SharedLeavingDeps extends LeavingDeps {
  time: Time
  rows: ReturnType<typeof openSharedRows>
  taking: Pick<ReturnType<typeof openTaking>, 'released' | 'add'>
  /** The office's server, while it is there. */
  office: () => OfficeStore | undefined
  asked: AskOutbox
  /** The office's id of an account that is shared. */
  officeIdOf: (accountId: string) => string | undefined
  stateOf: (accountId: string) => AccountState
  /** Called with whether the server could write down what was told and taken. */
  wrote: (accountId: string, could: boolean) => void
  soon: (accountId: string) => void
  /** Called with a send of which something was written down. */
  tell: (send: Send) => void
  /** Ends as what is on its way is broken off. */
  awake: () => AbortSignal
  /** How long a POST may take: nothing leaves that its claim would not outlast. */
  postLimit: number
}

/** How an account stands with the office just now. */
interface AccountState {
  /** Does what `tellEnds` does, for this account. */
  readonly telling: Pick<OneAtATime<Taken>, 'fresh'>
  readonly isAway: boolean
  readonly isLeaving: boolean
  /** How many may leave once what came of attempts is told. */
  room: number
  /** On this run's clock: until when nothing is taken. */
  restsUntil: number
}

/** How long what came of attempts may be told, and not be on the disk, in milliseconds. */
const AT_ONCE = 1_000
/** How long is waited where there was nothing to take, in milliseconds. */
const NOTHING_THERE = 2_000
/** What came of so many attempts is told at a time. */
const CHUNK = 100

export function openSharedLeaving(deps: SharedLeavingDeps): Leaving & {
  /**
   * Tells the office what came of attempts made here, in the order in which they ended, and takes what a turn has room for.
   * @throws AppFailure `offline` while the server is away.
   */
  tellEnds: (accountId: string) => Promise<Taken>
} {
  const { db, sends, queries, pauses, times, time, rows, taking, tell } = deps
  const { office, asked, officeIdOf, stateOf, wrote, soon, awake, postLimit } = deps
  const record = recorder(deps)
  /** Of which claim a send left here: meanwhile another workstation may have it. */
  const claimed = new Map<string, number>()

  function next(accountId: string): { due?: Waits; wait?: number } {
    const { isAway, restsUntil } = stateOf(accountId)
    if (!office() || isAway) return {}
    let wait: number | undefined
    for (const waiting of queries.waiting(accountId)) {
      // What hasn't gone over yet nobody can have.
      if (rows.find(waiting.id)?.state !== 'ready') continue
      const left = Math.max(times.left(waiting), restsUntil - time.elapsed())
      if (left <= 0) return { due: waiting }
      wait = Math.min(wait ?? left, left)
    }
    return wait === undefined ? {} : { wait }
  }

  async function turn(accountId: string, ended: readonly Ended[], most: number): Promise<Recorded> {
    const account = stateOf(accountId)
    const keep = db.transaction(() => ended.flatMap((one) => keepEnd(accountId, one)))
    // The office keeps it in a moment, and that is flushed. Power that is lost before leaves an attempt without an answer, as it would have
    // a moment sooner: the service is asked about it.
    const recorded = ended.every(isTheOffices) ? withoutFlush(db, keep) : keep()
    account.room = mayTake(accountId) ? Math.max(0, most) : 0
    if (ended.length === 0 && account.room === 0) return { recorded, begun: [], heldBack: [] }
    // A server that says nothing would leave it unflushed for as long as it is waited for.
    const isTold = time.after(AT_ONCE, () => flushed(accountId))
    try {
      return { recorded, ...(await account.telling.fresh()) }
    } catch (error) {
      // What can't be told now is told later.
      flushed(accountId)
      if (!isOffline(error)) throw error
      rest(account)
      soon(accountId)
      return { recorded, begun: [], heldBack: [] }
    } finally {
      isTold()
    }
  }

  function flushed(accountId: string): void {
    try {
      rows.flushEnds(accountId)
    } catch {
      // On a disk that has become full meanwhile it stays as it was written.
    }
  }

  /** Whether the office is to hear of it. One that left before the account was shared ends as it would have. */
  function isTheOffices({ id, outcome }: Ended): boolean {
    // Of one whose claim the server has forgotten meanwhile, that it arrived still counts.
    return rows.find(id) !== undefined || (claimed.has(id) && outcome.kind === 'accepted')
  }

  function keepEnd(accountId: string, ended: Ended): Send[] {
    if (!isTheOffices(ended)) return record(ended)
    const { id, outcome, at } = ended
    rows.keepEnd({ id, epoch: claimed.get(id) ?? rows.find(id)?.epoch ?? 0, accountId, outcome, at })
    return []
  }

  function mayTake(accountId: string): boolean {
    const { isAway, isLeaving } = stateOf(accountId)
    if (!office() || isAway || isLeaving) return false
    return !pauses.isPaused(accountId) && pauses.waits(accountId) === 0
  }

  /** Another has it, the pace has, or nobody answers. */
  function rest(account: AccountState): void {
    account.restsUntil = time.elapsed() + NOTHING_THERE * (1 + time.random())
  }

  /** A send is ours for a time: it is written down as leaving, unless something speaks against it. */
  function begin(accountId: string, claim: Claim, { begun, heldBack }: Taken): void {
    const { id, epoch, until } = claim
    const body = bodyOf(claim.content)
    const found = sends.find(id)
    const before = found ? taking.released(found, claim) : body && taking.add(accountId, id, body)
    rows.change(accountId, id, { state: 'sending', epoch })
    const instead = insteadOf(before, body)
    if (instead) rows.keepEnd({ id, epoch, accountId, outcome: instead, at: time.now() })
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
    claimed.set(id, epoch)
    const mayLeave = outlasting(time, until, postLimit)
    begun.push({ send: sends.get(id), content, claim: { mayLeave, signal: awake() } })
  }

  /** What is said of a claim in place of sending; undefined where nothing speaks against that. */
  function insteadOf(before: Send | undefined, body: SharedBody | undefined): Outcome | undefined {
    if (!before || !body) return { kind: 'refused', error: NOT_READABLE }
    // The server has forgotten that it was sent, as one does that a backup was put in place of.
    const answer = before.state === 'sent' ? sends.answerOf(before.id) : undefined
    if (answer) return { kind: 'accepted', response: answer.response }
    if (before.state === 'cancelled') return { kind: 'offline', error: TAKEN_BACK, isAnswered: false }
    // The server holds it until then. One that was tampered with, or a mistake of ours, doesn't have it leave.
    if (isHeld(body.release)) return { kind: 'refused', error: NOT_RELEASED }
    const error = overdue(body, time.now())
    return error && { kind: 'refused', error }
  }

  async function tellEnds(accountId: string): Promise<Taken> {
    const account = stateOf(accountId)
    // What is taken goes to who waits for this very round.
    let { room } = account
    account.room = 0
    const taken: Taken = { begun: [], heldBack: [] }
    for (;;) {
      const officeId = officeIdOf(accountId)
      const ends = rows.ends(accountId, CHUNK)
      const most = ends.length < CHUNK ? room : 0
      if (!officeId || (ends.length === 0 && most === 0)) return taken
      // What was taken and may not leave is told next, in a question of its own: in one that takes more it would be taken again.
      if (most > 0) room = 0
      try {
        await exchange(accountId, officeId, ends, most, taken)
      } catch (error) {
        // What was taken leaves all the same.
        if (taken.begun.length === 0) throw error
        soon(accountId)
        return taken
      }
    }
  }

  /** Tells these and takes so many, which are added to what was taken. */
  async function exchange(accountId: string, officeId: string, ends: readonly KeptEnd[], most: number, taken: Taken) {
    const account = stateOf(accountId)
    const told = ends.map(({ id, epoch, outcome }) => ({
      id,
      epoch,
      end: END_OF[outcome.kind],
      answer: saidOf(outcome)
    }))
    const { states, claims } = await asked((office) => office.turn(officeId, told, most)).catch((error: unknown) => {
      if (isUnwritable(error)) wrote(accountId, false)
      throw error
    })
    wrote(accountId, true)
    // It has left meanwhile, and what the office has stays there.
    if (officeIdOf(accountId) !== officeId) return
    // In one go, as they came: what ended, and what leaves.
    const written = db.transaction(() => {
      const changed = ends.flatMap((end, index) => writeEnd(end, states[index]))
      for (const claim of claims) begin(accountId, claim, taken)
      return changed
    })()
    for (const send of written) tell(send)
    if (most > 0 && claims.length === 0) rest(account)
    // What ended here has made room.
    else if (ends.length > 0) account.restsUntil = 0
    const unknown = ends.filter((_, index) => !states[index])
    await forgotten(officeId, unknown)
  }

  /** What the office says of a send, of which something came here. */
  function writeEnd({ id, epoch, accountId, outcome, at }: KeptEnd, state: OfficeState | undefined): Send[] {
    if (!state) return []
    rows.dropEnd(id, epoch)
    claimed.delete(id)
    rows.change(accountId, id, { state })
    const send = sends.find(id)
    if (!send) return []
    if (send.state === 'sent') return []
    if (outcome.kind === 'accepted') return [arrived(send, outcome.response, at)]
    if (send.state !== 'sending') return []
    const [now = send] = record({ id, outcome, at })
    return [now.state === state || state === 'held' ? now : sends.change(now, { state })]
  }

  /**
   * With as much of the answer as the database takes: one that it doesn't keeps no other from being written, nor from leaving. It is sent for
   * all, and nobody looks for one that is in doubt here alone.
   */
  function arrived(send: Send, response: PackageResponse, at: number): Send {
    const accepted = db.transaction((answer: PackageResponse) => sends.accepted(send, answer, at))
    return firstAccepted(
      [response, referencesOnly(response), { Documents: [] }].map((answer) => () => accepted(answer))
    )
  }

  /** The server knows nothing of these attempts: it was put back to before them. That one arrived it is told. */
  async function forgotten(officeId: string, ends: readonly KeptEnd[]): Promise<void> {
    for (const { id, epoch, outcome, at } of ends) {
      if (outcome.kind === 'accepted') {
        const { draftId } = sends.find(id) ?? {}
        await asked((office) => office.knowSent(officeId, { id, epoch }, saidOf(outcome), rows.of({ id, draftId })))
      }
      const send = sends.find(id)
      const sent = db.transaction(() => {
        rows.dropEnd(id, epoch)
        claimed.delete(id)
        if (outcome.kind !== 'accepted' || !send || send.state === 'sent') return undefined
        return arrived(send, outcome.response, at)
      })()
      if (sent) tell(sent)
    }
  }

  return { next, turn, tellEnds }
}

const isOffline = (error: unknown): boolean => error instanceof AppFailure && error.appError.code === 'offline'

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
