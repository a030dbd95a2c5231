/**
 * One session as it is known: what is shown of it, what is kept of it in case the application ends, and what the audit trail is
 * told. Everything that happens in a session goes through here, so that all three say the same.
 */
import type { CounterOutcome, CounterSession, CounterTurn } from '../../../shared/contract/index.ts'
import type { AuditNote } from '../audit/audit.ts'
import type { CounterDeps, KeptTurn } from './deps.ts'

/** What is known of a turn beside what is shown. */
export interface TurnFacts extends KeptTurn {
  /** In words, as staff ticked it. */
  evidence: readonly string[]
}

export interface RecordStart {
  accountId: string
  startedAt: number
  state: CounterSession
  facts: TurnFacts[]
}

export type Changes = { [Name in keyof CounterSession]?: CounterSession[Name] | undefined }

export type SessionState = ReturnType<typeof openRecord>

type RecordEffects = Pick<CounterDeps, 'running' | 'changed' | 'note' | 'staff' | 'clock'>

/** @param happened called after each change, before it is told. */
export function openRecord(effects: RecordEffects, start: RecordStart, happened: (state: CounterSession) => void) {
  const { accountId, startedAt, facts } = start
  let { state } = start
  let step = 0
  const staff = effects.staff()

  function keep(): void {
    if (state.phase === 'ended') return
    const turns = state.turns.map((turn, index) => {
      const { evidence: _evidence, ...kept } = factsOf(index)
      return { ...turn, ...kept }
    })
    effects.running.keep({ id: state.id, accountId, startedAt, staff, current: state.current, turns })
  }

  function factsOf(index: number): TurnFacts {
    const known = facts[index]
    if (!known) throw new Error('There is no such turn.')
    return known
  }

  function turnOf(index: number): CounterTurn {
    const known = state.turns[index]
    if (!known) throw new Error('There is no such turn.')
    return known
  }

  return {
    accountId,
    startedAt,
    get state(): CounterSession {
      return state
    },
    turnOf,
    factsOf,
    keep,

    /** Changes what is shown; a member that is undefined is taken away. */
    become(changes: Changes): CounterSession {
      const next: Record<string, unknown> = { ...state, ...changes }
      for (const name in next) if (next[name] === undefined) delete next[name]
      const before = state
      state = next as unknown as CounterSession
      if (before.current !== state.current) keep()
      happened(state)
      effects.changed(state.id)
      return state
    },

    /**
     * Something happens that makes what is being waited for out of date. Answers whether that is still the newest: to be
     * asked after each await.
     */
    moveOn(): () => boolean {
      const mine = ++step
      return () => step === mine
    },

    /** The turn's page was opened: from now on the service is asked what became of it. */
    hasBegun(index: number): void {
      factsOf(index).hasBegun = true
      keep()
    },

    /** Writes down what became of a turn; undefined where it is taken up again. */
    setOutcome(index: number, outcome: CounterOutcome | undefined): void {
      const { outcome: _before, ...turn } = turnOf(index)
      const after: CounterTurn = outcome ? { ...turn, outcome } : turn
      state = { ...state, turns: state.turns.map((one, at) => (at === index ? after : one)) }
      const known = factsOf(index)
      known.askedAt = effects.clock()
      if (!outcome) known.isTold = false
      keep()
    },

    /** Tells the audit trail of the session. */
    note(what: AuditNote['what'], detail: Record<string, string> = {}): void {
      effects.note({ what, session: state.id, detail })
    },

    /** Tells the audit trail of a turn. */
    noteTurn(what: AuditNote['what'], index: number, detail: Record<string, string> = {}): void {
      const { documentReference, documentName, signerName } = turnOf(index)
      effects.note({ what, session: state.id, documentReference, documentName, signerName, detail })
      if (what !== 'turn-ended') return
      factsOf(index).isTold = true
      keep()
    }
  }
}
