/**
 * A session that was running when the application ended, found by its marker in the encrypted database. It's shown as
 * it was found, locked, while the service is asked about it.
 */
import { z } from 'zod'
import type { AppError, CounterSession, CounterTurn } from '../../../shared/contract/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import type { CounterDeps, CrashMarker, RunningSession } from './deps.ts'
import { lastOutcome, readFolders, unknownOutcome } from './outcome.ts'
import { DEFAULT_PREFERENCES, type SessionStart, type SessionState } from './session-state.ts'

const NOT_BEGUN: AppError = { code: 'cancelled', message: 'The session was interrupted before this page was opened.' }

const KEY = 'counter-running'

const Outcome = z.object({
  signed: z.enum(['signed', 'declined', 'not-yet', 'unknown', 'skipped']),
  error: z.object({ code: z.string(), message: z.string() }).optional()
})
const Running = z.object({
  id: z.string().min(1),
  accountId: z.string(),
  startedAt: z.number(),
  staff: z.string(),
  current: z.int().min(0),
  turns: z.array(
    z.object({
      documentReference: z.string(),
      documentName: z.string(),
      signer: z.int().min(0),
      signerName: z.string(),
      person: z.string(),
      contact: z.string().optional(),
      outcome: Outcome.optional(),
      identity: z.object({ signerReference: z.string().optional(), person: z.string() }),
      hasBegun: z.boolean(),
      askedAt: z.number().optional(),
      isTold: z.boolean().optional()
    })
  )
})

/** @param onError called with write errors: a full disk must not end a session that a person is in. */
export function openCrashMarker({ db, onError }: { db: Db; onError: (error: unknown) => void }): CrashMarker {
  const meta = openMeta(db)
  return {
    save(session) {
      try {
        if (session) meta.write(KEY, JSON.stringify(session))
        else meta.erase(KEY)
      } catch (error) {
        onError(error)
      }
    },
    read() {
      try {
        const text = meta.read(KEY)
        return text === undefined ? null : decoded(text)
      } catch (error) {
        onError(error)
        return 'unreadable'
      }
    }
  }
}

/** A marker that can't be understood says only that someone had the screen. */
function decoded(text: string): RunningSession | 'unreadable' {
  return (Running.safeParse(parsedJson(text)).data as RunningSession | undefined) ?? 'unreadable'
}

/** Stands in for a session whose marker can't be read: it's locked like any other. */
export const unreadableSession = (id: string, startedAt: number): RunningSession => ({
  id,
  startedAt,
  accountId: '',
  staff: '',
  current: 0,
  turns: []
})

export function interruptedSession(
  { id, accountId, startedAt, current, turns }: RunningSession,
  isPractice: boolean
): SessionStart {
  const state: CounterSession = {
    id,
    ...(accountId && { accountId }),
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
    mayKeepPages: false,
    preferences: DEFAULT_PREFERENCES,
    offers: { languages: [], moreTime: false }
  }
  return {
    accountId,
    startedAt,
    state,
    facts: turns.map(({ identity, hasBegun, isTold = false }) => ({ identity, hasBegun, isTold, evidence: [] }))
  }
}

function turnOf(turn: RunningSession['turns'][number]): CounterTurn {
  const { identity: _identity, hasBegun, askedAt: _askedAt, isTold: _isTold, ...shown } = turn
  return hasBegun || shown.outcome ? shown : { ...shown, outcome: { signed: 'skipped', error: NOT_BEGUN } }
}

/** Records that the turns which hadn't begun are over, as nothing follows any more. */
export function noteUnstartedTurns({ turns }: RunningSession, state: SessionState): void {
  for (const [index, { hasBegun, outcome, isTold }] of turns.entries()) {
    // A turn that failed as it began has an outcome, but nobody may have gone on from it before the application ended.
    if (hasBegun || isTold) continue
    const error = outcome?.error ? { error: outcome.error.code } : {}
    state.noteTurn('turn-ended', index, { outcome: 'skipped', ...error, known: 'after an interruption' })
  }
  // Another interruption then finds them ended.
  if (turns.length > 0) state.saveMarker()
}

/** Asks the service for the outcome of every turn that began. Never rejects. */
export async function askInterruptedOutcomes(
  deps: Pick<CounterDeps, 'account' | 'refresh' | 'documentOf'>,
  state: SessionState
): Promise<void> {
  if (state.shown.turns.length === 0) return
  const readError = await readFolders(deps, state.accountId)
  for (const index of state.shown.turns.keys()) {
    const before = state.turnOf(index).outcome
    const { hasBegun, isTold } = state.factsOf(index)
    if (!hasBegun) continue
    const isFinal = before?.signed === 'signed' || before?.signed === 'declined'
    const latest = isFinal
      ? before
      : readError
        ? unknownOutcome(readError)
        : await lastOutcome(deps, state.queryOf(index))
    // The folders may have shown it meanwhile; then it's recorded already.
    if (state.turnOf(index).outcome !== before) continue
    const outcome = latest.signed === 'unknown' && before ? before : latest
    if (outcome !== before) state.setOutcome(index, outcome)
    // The application may have ended before the outcome was in the audit trail, or after.
    if (!isTold || outcome.signed !== before?.signed) {
      state.noteTurn('turn-ended', index, { outcome: outcome.signed, known: 'after an interruption' })
    }
    state.update({})
  }
}
