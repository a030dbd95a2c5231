/** A session that was running when the application ended: shown as it was found, locked, while the service is asked of it. */
import type { AppError, CounterOutcome, CounterSession, CounterTurn } from '../../../shared/contract/index.ts'
import type { CounterDeps, RunningSession } from './deps.ts'
import { outcomeOf } from './outcome.ts'
import type { RecordStart, SessionState } from './session-state.ts'

const NOT_BEGUN: AppError = { code: 'cancelled', message: 'The session was interrupted before this page was opened.' }
const NO_ACCOUNT: AppError = { code: 'no-account', message: 'The account was removed from this computer.' }

/** What stands for a session of which nothing can be made out: it is locked like any other. */
export const unreadableSession = (id: string, startedAt: number): RunningSession => ({
  ...{ id, startedAt, accountId: '', staff: '', current: 0, turns: [] }
})

export function foundSession(
  { id, accountId, startedAt, current, turns }: RunningSession,
  isPractice: boolean
): RecordStart {
  const state: CounterSession = {
    id,
    phase: 'return',
    isLocked: true,
    turns: turns.map(turnOf),
    current: Math.max(0, Math.min(current, turns.length - 1)),
    origin: '',
    zoom: 1,
    asksFor: [],
    allowsCamera: false,
    refused: [],
    place: 'here',
    wasInterrupted: true,
    isPractice,
    mayKeepPages: false
  }
  return {
    accountId,
    startedAt,
    state,
    facts: turns.map(({ identity, hasBegun, isTold = false }) => ({ identity, hasBegun, isTold, evidence: [] }))
  }
}

/** Without what is kept beside it. */
function turnOf(turn: RunningSession['turns'][number]): CounterTurn {
  const { identity: _identity, hasBegun, askedAt: _askedAt, isTold: _isTold, ...shown } = turn
  return hasBegun || shown.outcome ? shown : { ...shown, outcome: { signed: 'skipped', error: NOT_BEGUN } }
}

/** Writes down that the turns which had not begun are over: none follows any more. */
export function noteNotBegun({ turns }: RunningSession, record: SessionState): void {
  for (const [index, { hasBegun, outcome, isTold }] of turns.entries()) {
    // One that failed at its beginning has an outcome, and nobody may have gone on from it before the application ended.
    if (hasBegun || isTold) continue
    const error = outcome?.error ? { error: outcome.error.code } : {}
    record.noteTurn('turn-ended', index, { outcome: 'skipped', ...error, known: 'after an interruption' })
  }
  // So that another interruption finds them ended.
  if (turns.length > 0) record.keep()
}

/** Asks the service what became of every turn that began. Never rejects. */
export async function askOfInterrupted(
  effects: Pick<CounterDeps, 'account' | 'refresh' | 'documentOf' | 'describe'>,
  record: SessionState
): Promise<void> {
  if (record.state.turns.length === 0) return
  const trouble = await readFolders(effects, record.accountId)
  for (const index of record.state.turns.keys()) {
    const before = record.turnOf(index).outcome
    if (!record.factsOf(index).hasBegun || before?.signed === 'signed' || before?.signed === 'declined') continue
    const outcome = trouble ? unknown(trouble) : await latestOf(effects, record, index)
    if (outcome.signed === 'unknown' && before) continue
    record.setOutcome(index, outcome)
    record.noteTurn('turn-ended', index, { outcome: outcome.signed, known: 'after an interruption' })
    record.become({})
  }
}

async function readFolders(
  effects: Pick<CounterDeps, 'account' | 'refresh' | 'describe'>,
  accountId: string
): Promise<AppError | undefined> {
  try {
    if (!effects.account(accountId)) return NO_ACCOUNT
    await effects.refresh(accountId)
    return undefined
  } catch (error) {
    return effects.describe(error)
  }
}

async function latestOf(
  effects: Pick<CounterDeps, 'documentOf' | 'describe'>,
  record: SessionState,
  index: number
): Promise<CounterOutcome> {
  const { documentReference, signer } = record.turnOf(index)
  try {
    const mirrored = await effects.documentOf(record.accountId, documentReference)
    return outcomeOf(mirrored, { signer, identity: record.factsOf(index).identity })
  } catch (error) {
    return unknown(effects.describe(error))
  }
}

function unknown(error: AppError): CounterOutcome {
  return { signed: 'unknown', error }
}
