/**
 * Actions at an account that an office shares. Each is done by the workstation that has claimed it at the office's
 * server; the others are told who and when. One without an answer is uncertain for all of them, and nobody does it
 * until the outcome is known.
 */
import { z } from 'zod'
import { ActionRequest, type AppError } from '../../../shared/contract/index.ts'
import { drain, SerialTask } from '../jobs/lanes.ts'
import { clockTextOf } from '../lib/calendar.ts'
import { codeOf, fail } from '../lib/failure.ts'
import { getOrMake } from '../lib/objects.ts'
import { type RecordOf, Rows, value } from '../lib/rows.ts'
import { claimValidityCheck } from '../lib/time.ts'
import type { ExclusiveTasks } from '../office/exclusive-tasks.ts'
import type { BlockingTask, TaskState, TaskStatus } from '../office/tasks.ts'
import { TIME_LIMITS } from '../service/limits.ts'
import type { CallOptions } from '../service/transport.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import { type Action, type ActionRecords, targetOf } from './action-records.ts'
import type { ActionDeps, Outcome } from './deps.ts'
import type { Before } from './shown-state.ts'

/** How long a claim lasts, in milliseconds: longer than a POST takes. */
const CLAIM_DURATION = 150_000
const POST_TIMEOUT = TIME_LIMITS.send.total
/** How often unknown outcomes are asked about, and the first retry delay while the server is away, in milliseconds. */
const SYNC_INTERVAL = 60_000
/** PostgreSQL's code for a task that another workstation has. */
const NOT_HOLDER = '42501'

/**
 * Whether an action may be sent. own: the account isn't shared, or it was claimed; away: not while the server is away;
 * ended: it is over or uncertain, according to the office. `adopt` takes over the action that blocks it, once the
 * outcome is recorded.
 */
export type ClaimResult =
  | { kind: 'own'; options: CallOptions }
  | { kind: 'away'; error: AppError }
  | { kind: 'ended'; outcome: Outcome; adopt?: () => void }

interface SharedActionsDeps extends Pick<ActionDeps, 'db' | 'time' | 'exclusiveTasks'> {
  records: ActionRecords
  recordOutcome: (action: Action, outcome: Outcome) => Promise<void>
  /** Called when another workstation has tried an action: earlier observations say nothing about that. */
  triedElsewhere: (action: Action) => void
  changed: (id: string) => void
}

/** This workstation's newest claim of an action; `UNANSWERED` if it was requested and the answer hasn't arrived. */
const CLAIMS = new Rows({ id: value<string>(), epoch: value<number>() })

const UNANSWERED = 0
type Claim = Readonly<RecordOf<typeof CLAIMS>>
type OfficeAccess = Exclude<ReturnType<ExclusiveTasks['of']>, undefined | 'away'>

/** What another workstation needs to find out the outcome of an action. */
const Content = z.object({
  reference: z.string(),
  packageReference: z.string().optional(),
  documentName: z.string(),
  request: ActionRequest,
  before: z.looseObject({ kind: z.string() })
})

export class SharedActions {
  readonly #deps: SharedActionsDeps
  readonly #claims: ReturnType<typeof openClaims>
  readonly #lanes = new Map<string, SerialTask<void>>()
  /** Claimed here, with the outcome not recorded yet. */
  readonly #inFlight = new Set<string>()
  /** Others' actions that people here were told are done. */
  readonly #reported = new Set<string>()
  #isClosed = false

  constructor(deps: SharedActionsDeps) {
    this.#deps = deps
    this.#claims = openClaims(deps.db)
    deps.exclusiveTasks.listen({
      available: (accountId) => this.syncSoon(accountId),
      notified: (accountId) => this.syncSoon(accountId),
      restored: (accountId) => void this.#claims.reportAgain(accountId),
      beforeLeaving: (accountId) => this.#prepareLeaving(accountId)
    })
  }

  /** Claims an action, right before it is sent. After a successful claim, `attemptEnded` must be called. */
  async claim(action: Action): Promise<ClaimResult> {
    const { exclusiveTasks, time } = this.#deps
    const { id, accountId, createdAt, isInDoubt } = action
    // What the office hasn't heard the end of would block this one. So would a claim whose answer was lost, for something
    // that nobody did.
    const isBlocking = (one: Claim) => one.epoch === UNANSWERED || this.#isUnreported(one.id)
    if (this.#claims.of(accountId).some((one) => isBlocking(one) && !this.#inFlight.has(one.id))) {
      await this.#syncNow(accountId)
    }
    const access = exclusiveTasks.of(accountId)
    if (!access) return { kind: 'own', options: {} }
    if (access === 'away' || exclusiveTasks.isLeaving(accountId)) return { kind: 'away', error: OFFICE_UNAVAILABLE }
    const about = aboutOf(action)
    const previous = this.#claims.find(id)
    // Recorded before asking: if it is granted and the answer is lost, the action is uncertain for all, and only this
    // workstation can report its outcome.
    this.#claims.save({ id, epoch: UNANSWERED })
    const request = {
      accountId: access.accountId,
      about: [about],
      id,
      ms: CLAIM_DURATION,
      isAgain: isInDoubt,
      askedAgo: time.now() - createdAt,
      content: contentOf(action)
    }
    this.#inFlight.add(id)
    const ask = (known?: number) => access.tasks.claim('action', { ...request, known }).catch(() => undefined)
    let claim = await ask()
    const [done] = claim?.isGranted === false ? claim.by : []
    if (done?.state === 'done' && this.#reported.has(done.id)) claim = await ask(done.epoch)
    if (claim?.isGranted) {
      this.#claims.save({ id, epoch: claim.epochs.get(about) ?? 0 })
      const maySend = claimValidityCheck(time, claim.until, POST_TIMEOUT)
      return { kind: 'own', options: { maySend, signal: exclusiveTasks.sleepSignal() } }
    }
    this.#inFlight.delete(id)
    const other = claim?.by[0]
    if (!other) {
      this.syncSoon(accountId)
      return { kind: 'away', error: OFFICE_UNAVAILABLE }
    }
    if (previous) this.#claims.save(previous)
    else this.#claims.drop({ id, epoch: UNANSWERED })
    const isUncertain = other.id !== id && other.state === 'uncertain'
    return {
      kind: 'ended',
      outcome: this.#outcomeFromOther(action, other),
      ...(isUncertain && { adopt: () => this.#adopt(action, other) })
    }
  }

  /** Called when the outcome of the attempt is recorded, or that there was none. */
  attemptEnded({ id, accountId }: Pick<Action, 'id' | 'accountId'>): void {
    this.#inFlight.delete(id)
    this.syncSoon(accountId)
  }

  /** Called when actions of the account changed here, or others may know more about them. */
  syncSoon(accountId: string): void {
    const access = this.#deps.exclusiveTasks.of(accountId)
    if (this.#isClosed || !access || access === 'away') return
    void this.#syncNow(accountId)
  }

  /** Tells the office once what it hasn't heard yet, if it is available, and then stops. */
  async close(): Promise<void> {
    await drain(this.#lanes.values(), () => {
      this.#isClosed = true
    })
  }

  /** Makes sure that the office knows the outcome of everything done here. @throws AppFailure `busy` */
  async #prepareLeaving(accountId: string): Promise<void> {
    const hasClaims = () => this.#claims.of(accountId).length > 0
    const access = this.#deps.exclusiveTasks.of(accountId)
    // This way of leaving isn't possible without the server.
    if (!access || access === 'away' || !hasClaims()) return
    await this.#syncNow(accountId)
    if (!hasClaims()) return
    fail('busy', 'Something is being done to a document, or it isn’t known whether it was done.', {
      next: 'In Documents, check what isn’t confirmed, then try again.'
    })
  }

  #outcomeFromOther(action: Action, other: BlockingTask): Outcome {
    const { time } = this.#deps
    if (other.id === action.id && other.state === 'done') return { kind: 'done' }
    const at = clockTextOf(time.now() - other.ago, time.zone(), time.now())
    if (other.id === action.id && other.state === 'uncertain') {
      this.#claims.save(other)
      this.#deps.triedElsewhere(action)
      return { kind: 'uncertain', error: uncertaintyError(action, other.holder, at) }
    }
    if (other.state === 'done') this.#reported.add(other.id)
    return { kind: 'refused', error: refusal(action, other, at) }
  }

  /** Whether the office hasn't heard yet how an action ended here. */
  #isUnreported(id: string): boolean {
    const action = this.#deps.records.find(id)
    return action !== undefined && officeStateOf(action) !== 'uncertain' && this.#claims.find(id) !== undefined
  }

  /** Takes over an uncertain action, so that it is checked here too, and people can settle it. */
  #adopt(blocked: Action, { id, epoch, content, holder, ago }: BlockingTask): void {
    const { db, records, time, triedElsewhere, changed } = this.#deps
    const { accountId } = blocked
    // The office was restored since it heard that.
    if (records.find(id)?.state === 'done') this.#claims.save({ id, epoch })
    if (this.#isUnreported(id)) {
      this.syncSoon(accountId)
      return
    }
    // A content that was altered, or is in a later version's format, is at least of the same kind and document as the
    // blocked action. Without adopting it, nobody could ever do that one. Only a person can settle it.
    const parsed = Content.safeParse(content).data ?? { ...blocked, before: { kind: 'unknown' } }
    const { reference, packageReference, documentName, request, before } = parsed
    const createdAt = Math.round(time.now() - ago)
    const adopted = db.transaction(() => {
      if (!records.find(id)) {
        const action = { id, accountId, request, documentName, before: before as Before, createdAt }
        records.add(action, { Reference: reference, PackageReference: packageReference })
      }
      this.#claims.save({ id, epoch })
      const error = uncertaintyError({ request }, holder, clockTextOf(createdAt, time.zone(), time.now()))
      return records.change(id, { state: 'uncertain', isInDoubt: true, attemptedAt: createdAt, error })
    })()
    if (!adopted) return
    triedElsewhere(adopted)
    changed(id)
  }

  #laneOf(accountId: string): SerialTask<void> {
    const { time } = this.#deps
    return getOrMake(this.#lanes, accountId, () => {
      const lane: SerialTask<void> = new SerialTask(
        time,
        () => this.#sync(accountId),
        () => {
          if (!this.#isClosed && this.#claims.of(accountId).length > 0)
            lane.schedule(SYNC_INTERVAL * (1 - time.random() / 5))
        }
      )
      return lane
    })
  }

  /** Syncs now, or right after the sync in progress. Never rejects. */
  #syncNow(accountId: string): Promise<void> {
    return this.#laneOf(accountId)
      .runFresh()
      .catch(() => undefined)
  }

  /**
   * Tells the office the outcome of what was claimed here, and learns what others have found out about uncertain ones.
   */
  async #sync(accountId: string): Promise<void> {
    for (const claim of this.#claims.of(accountId)) {
      const access = this.#deps.exclusiveTasks.of(accountId)
      if (this.#isClosed || !access || access === 'away') return
      await this.#pushOutcome(access, claim)
    }
  }

  async #pushOutcome(access: OfficeAccess, claim: Claim): Promise<void> {
    const { records, time } = this.#deps
    const { id, epoch } = claim
    const action = records.find(id)
    if (!action || action.state === 'running' || this.#inFlight.has(id)) return
    const state = officeStateOf(action)
    const task = { accountId: access.accountId, about: aboutOf(action), id, epoch }
    const { attemptedAt = time.now() } = action
    const details = { ago: time.now() - attemptedAt, ...(state === 'uncertain' && { content: contentOf(action) }) }
    const officeTask = await access.tasks.finish('action', task, state, details).catch((error: unknown) => {
      if (codeOf(error) !== NOT_HOLDER) throw error
      // Another workstation is retrying it right now, so only `done` would matter.
      return state === 'free' ? undefined : ('elsewhere' as const)
    })
    if (officeTask === 'elsewhere') return
    const isOpen = officeTask?.state === 'open' || (officeTask?.state === 'uncertain' && state === 'free')
    if (officeTask?.isMine && isOpen && officeTask.epoch !== epoch) {
      // This is the claim whose answer was lost. Its epoch is known now, unless it was requested again meanwhile.
      if (this.#claims.isCurrent(claim) && this.#claims.save({ id, epoch: officeTask.epoch }))
        await this.#pushOutcome(access, { id, epoch: officeTask.epoch })
      return
    }
    await this.#applyAnswer(claim, state, officeTask)
  }

  async #applyAnswer(claim: Claim, pushed: TaskState, officeTask: TaskStatus | undefined): Promise<void> {
    const { records, recordOutcome, triedElsewhere } = this.#deps
    const { id } = claim
    const action = records.find(id)
    // It changed here while we waited for the server.
    if (!action || this.#inFlight.has(id) || officeStateOf(action) !== pushed || !this.#claims.isCurrent(claim)) return
    if (pushed !== 'uncertain' || !officeTask) return void this.#claims.drop(claim)
    if (officeTask.state === 'uncertain') {
      if (this.#claims.save({ id, epoch: officeTask.epoch })) triedElsewhere(action)
      return
    }
    if (action.state !== 'uncertain') return
    this.#claims.drop(claim)
    await recordOutcome(
      action,
      officeTask.state === 'done' ? { kind: 'done' } : { kind: 'refused', error: FOUND_NOT_DONE }
    )
  }
}

function openClaims(db: Db) {
  const table = new TableStatements(db, 'office_actions', CLAIMS)
  const find = table.one<[id: string]>('WHERE id = ?')
  const put = table.run<[claim: object]>(
    'INSERT INTO office_actions (id, epoch) VALUES (@id, @epoch) ON CONFLICT (id) DO UPDATE SET epoch = @epoch'
  )
  return {
    find,
    /** Whether no newer claim was requested. */
    isCurrent: ({ id, epoch }: Claim): boolean => find(id)?.epoch === epoch,
    /** Returns whether the claim is a different one. */
    save(claim: Claim): boolean {
      if (find(claim.id)?.epoch === claim.epoch) return false
      put(claim)
      return true
    },
    drop: table.run<[claim: Claim]>('DELETE FROM office_actions WHERE id = @id AND epoch = @epoch'),
    /** Lets the office hear again how everything ended that was tried here. */
    reportAgain: table.run<[accountId: string]>(
      `INSERT INTO office_actions (id, epoch) SELECT id, ${UNANSWERED} FROM actions
       WHERE account_id = ? AND attempted_at IS NOT NULL ON CONFLICT DO NOTHING`
    ),
    of: table.all<[accountId: string]>('WHERE id IN (SELECT id FROM actions WHERE account_id = ?)')
  }
}

function officeStateOf({ state, isInDoubt }: Action): 'uncertain' | 'done' | 'free' {
  if (state === 'done') return 'done'
  return state === 'uncertain' || (state === 'waiting' && isInDoubt) ? 'uncertain' : 'free'
}

/**
 * Returns what identifies the action at every workstation, the same for actions that are never open together: see
 * `targetOf`.
 */
function aboutOf({ request, reference, packageReference }: Action): string {
  return JSON.stringify([request.kind, targetOf(request, { Reference: reference, PackageReference: packageReference })])
}

function contentOf({ reference, packageReference, documentName, request, before }: Action): z.input<typeof Content> {
  return { reference, packageReference, documentName, request, before }
}

/** Builds a message from the workstation's name and the time. */
type MessageBuilder = (holder: string, at: string) => string

const IN_PROGRESS: Record<ActionRequest['kind'], MessageBuilder> = {
  correct: (holder, at) => `${holder} has been correcting this document since ${at}, so nothing was done here.`,
  extend: (holder, at) => `${holder} has been changing this due date since ${at}, so nothing was done here.`,
  notary: (holder, at) => `${holder} has been assigning this document since ${at}, so nothing was done here.`,
  remind: (holder, at) => `${holder} has been reminding this person since ${at}, so nothing was done here.`
}
const DONE: Record<ActionRequest['kind'], MessageBuilder> = {
  correct: (holder, at) => `${holder} corrected this document at ${at}, so nothing was done here.`,
  extend: (holder, at) => `${holder} changed this due date at ${at}, so nothing was done here.`,
  notary: (holder, at) => `${holder} assigned this document at ${at}, so nothing was done here.`,
  remind: (holder, at) => `${holder} reminded this person at ${at}, so nothing was done here.`
}
const UNCERTAIN: Record<ActionRequest['kind'], MessageBuilder> = {
  correct: (holder, at) =>
    `${holder} tried to correct this document at ${at}, and it isn’t known whether that was done.`,
  extend: (holder, at) => `${holder} tried to change this due date at ${at}, and it isn’t known whether that was done.`,
  notary: (holder, at) => `${holder} tried to assign this document at ${at}, and it isn’t known whether that was done.`,
  remind: (holder, at) => `${holder} tried to remind this person at ${at}, and it isn’t known whether that was done.`
}

function refusal({ request: { kind } }: Action, { state, holder }: BlockingTask, at: string): AppError {
  if (state === 'uncertain') {
    return { code: 'busy', message: UNCERTAIN[kind](holder, at), next: 'Check that first.', mayHaveArrived: false }
  }
  if (state === 'open') return { code: 'busy', message: IN_PROGRESS[kind](holder, at), mayHaveArrived: false }
  const next = 'Look at the document, and do it again if you still want it.'
  return { code: 'conflict', message: DONE[kind](holder, at), next, mayHaveArrived: false }
}

const uncertaintyError = ({ request: { kind } }: Pick<Action, 'request'>, holder: string, at: string): AppError => ({
  code: 'timeout',
  message: UNCERTAIN[kind](holder, at),
  mayHaveArrived: true
})

const OFFICE_UNAVAILABLE: AppError = {
  code: 'offline',
  message: 'The office’s server isn’t available just now.',
  mayHaveArrived: false
}

const FOUND_NOT_DONE: AppError = {
  code: 'timeout',
  message: 'Another workstation found that it wasn’t done. Do it again if you still want it.',
  mayHaveArrived: false
}
