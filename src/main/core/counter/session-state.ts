/**
 * The state of one session: what is shown of it, what is kept in case the application ends, and what goes into the
 * audit trail. Every change passes through here, so that all three agree.
 */
import type {
  CounterOutcome,
  CounterPhase,
  CounterSession,
  CounterTurn,
  PersonPreferences
} from '../../../shared/contract/index.ts'
import type { AuditNote } from '../audit/audit.ts'
import type { CounterDeps, KeptTurn, SignerIdentity } from './deps.ts'
import { type IdentityNumber, keptInWords, stillRetained } from './identity-numbers.ts'
import { PHASES, type PhaseEvent } from './phases.ts'

/** The preferences that everyone starts with. */
export const DEFAULT_PREFERENCES: PersonPreferences = {
  language: 'en',
  textSize: 1,
  highContrast: false,
  moreTime: false
}

/** Facts about a turn that aren't shown. */
export interface TurnFacts extends KeptTurn {
  /** The checks that staff ticked, and what is kept of their identity document once it is stored, in words. */
  evidence: readonly string[]
  /** What is to be kept of their identity document, if the policy still allows it; removed at the handover. */
  reading?: IdentityNumber
}

export interface SessionStart {
  accountId: string
  startedAt: number
  state: CounterSession
  facts: TurnFacts[]
}

/** What identifies a turn's signer when asking the service. */
export interface TurnQuery {
  accountId: string
  documentReference: string
  signer: number
  identity: SignerIdentity
}

/** When one of these changes, a call for staff is a new one. */
const CALL_KEYS = ['phase', 'current', 'cover', 'coveredBy'] as const

/** Members that are undefined are removed. */
export type Changes = { [Name in keyof Omit<CounterSession, 'phase'>]?: CounterSession[Name] | undefined }

type StateDeps = Pick<CounterDeps, 'crashMarker' | 'changed' | 'note' | 'staff' | 'time' | 'keepIdentity' | 'settings'>

export class SessionState {
  readonly accountId: string
  readonly startedAt: number
  readonly #deps: StateDeps
  readonly #facts: TurnFacts[]
  readonly #onChange: (state: CounterSession) => void
  readonly #staff: string
  /** By person, for as long as the session lasts. In memory only, so that nothing about a person outlives it. */
  readonly #preferences = new Map<string, PersonPreferences>()
  #shown: CounterSession
  #pagePhase: 'loading' | 'open' = 'loading'
  #step = 0

  /** @param onChange called after each change, before the change is announced. */
  constructor(deps: StateDeps, start: SessionStart, onChange: (state: CounterSession) => void) {
    this.accountId = start.accountId
    this.startedAt = start.startedAt
    this.#deps = deps
    this.#facts = start.facts
    this.#onChange = onChange
    this.#staff = deps.staff()
    this.#shown = start.state
  }

  get shown(): CounterSession {
    return this.#shown
  }

  turnOf(index: number): CounterTurn {
    return required(this.#shown.turns[index])
  }

  factsOf(index: number): TurnFacts {
    return required(this.#facts[index])
  }

  /** The screen preferences of a turn's person. */
  preferencesOf(index: number): PersonPreferences {
    return this.#preferences.get(this.#shown.turns[index]?.person ?? '') ?? DEFAULT_PREFERENCES
  }

  /** Changes the screen preferences of the current person. */
  updatePreferences(changes: Partial<PersonPreferences>): CounterSession {
    const { current, turns } = this.#shown
    const preferences = { ...this.preferencesOf(current), ...changes }
    this.#preferences.set(turns[current]?.person ?? '', preferences)
    return this.#update({ preferences })
  }

  queryOf(index: number): TurnQuery {
    const { documentReference, signer } = this.turnOf(index)
    return { accountId: this.accountId, documentReference, signer, identity: this.factsOf(index).identity }
  }

  saveMarker(): void {
    const { id, phase, current, turns } = this.#shown
    if (phase === 'ended') return
    const { accountId, startedAt } = this
    const kept = turns.map((turn, index) => {
      const { evidence: _evidence, reading: _reading, ...facts } = this.factsOf(index)
      return { ...turn, ...facts }
    })
    this.#deps.crashMarker.save({ id, accountId, startedAt, staff: this.#staff, current, turns: kept })
  }

  update(changes: Changes): CounterSession {
    return this.#update(changes)
  }

  /**
   * Moves the session to the phase that the table of phases has for this event, with these changes. An event that the
   * table doesn't have for the current phase changes nothing.
   */
  transition(event: PhaseEvent, changes: Changes = {}): CounterSession {
    const next = PHASES[this.#shown.phase].on[event]
    if (next === undefined) return this.#shown
    return this.#update({ ...changes, phase: next === 'page' ? this.#pagePhase : next })
  }

  /** Notes whether the page is loading or open. Behind an overlay that takes effect once the overlay is removed. */
  setPagePhase(phase: 'loading' | 'open'): CounterSession {
    this.#pagePhase = phase
    return this.transition(phase)
  }

  startLoading(changes: Changes): void {
    this.#pagePhase = 'loading'
    this.transition('load', changes)
  }

  /**
   * Makes whatever is in flight stale. Returns a function that tells whether this step is still the newest; call it
   * after each await.
   */
  startStep(): () => boolean {
    this.#step++
    return this.guardStep()
  }

  /** Returns a function that tells whether nothing has moved on since. */
  guardStep(): () => boolean {
    const mine = this.#step
    return () => this.#step === mine
  }

  /** Notes that the turn's page was opened: from now on the service is asked for its outcome. */
  markPageOpened(index: number): void {
    this.factsOf(index).hasBegun = true
    this.saveMarker()
  }

  /** Stores the outcome of a turn; undefined if the turn begins again. */
  setOutcome(index: number, outcome: CounterOutcome | undefined): void {
    const { outcome: before, ...turn } = this.turnOf(index)
    const after: CounterTurn = outcome ? { ...turn, outcome } : turn
    this.#shown = { ...this.#shown, turns: this.#shown.turns.map((one, at) => (at === index ? after : one)) }
    const facts = this.factsOf(index)
    facts.askedAt = this.#deps.time.now()
    // The audit trail has another outcome. If the application ends before this one is written, the next start writes
    // it.
    if (!outcome || outcome.signed !== before?.signed) facts.isTold = false
    this.saveMarker()
  }

  note(what: AuditNote['what'], detail: Record<string, string> = {}): void {
    // The marker is cleared with the entry: an ended session has none, and without it no later start would write that
    // the session ended.
    const along = what === 'session-ended' ? () => this.#deps.crashMarker.save(null) : undefined
    this.#deps.note({ what, session: this.#shown.id, detail }, undefined, along)
  }

  /** Adds an entry about a turn to the audit trail; see `NoteInAudit` for when it throws. */
  noteTurn(
    what: AuditNote['what'],
    index: number,
    detail: Record<string, string> = {},
    when?: 'now-or-never',
    write?: () => void
  ): void {
    const { documentReference, documentName, signerName, contact } = this.turnOf(index)
    // Stored in the same transaction as the entry; otherwise, if the application ended in between, a later start would
    // write the entry twice or never.
    const along: Partial<Record<AuditNote['what'], () => void>> = {
      'session-started': () => this.saveMarker(),
      'turn-ended': () => {
        this.factsOf(index).isTold = true
        this.saveMarker()
      }
    }
    // Tells turns apart that share a name and a document: receipts are made from the trail alone.
    const which = what === 'session-started' ? {} : { turn: String(index + 1), ...(contact && { contact }) }
    const note = {
      what,
      session: this.#shown.id,
      documentReference,
      documentName,
      signerName,
      detail: { ...which, ...detail }
    }
    this.#deps.note(note, when, write ?? along[what])
  }

  /**
   * Records that a turn's person gets the screen, together with what is kept of their identity document. @throws as
   * `NoteInAudit`.
   */
  handOver(index: number): void {
    const { evidence, reading: wanted } = this.factsOf(index)
    const { documentReference, person } = this.turnOf(index)
    const [session, turn] = [this.#shown.id, index + 1]
    const reading = wanted && stillRetained(wanted, this.#deps.settings().identityKept)
    const words = reading ? [keptInWords(reading)] : []
    const kept =
      reading && this.#deps.keepIdentity({ accountId: this.accountId, session, turn, documentReference }, reading)
    const detail = { evidence: [...evidence, ...words].join('; '), place: this.#shown.place, ...kept?.detail }
    this.noteTurn('handed-over', index, detail, 'now-or-never', kept?.write)
    // Stored once, however often they get the screen.
    for (const [at, facts] of this.#facts.entries()) {
      if (this.#shown.turns[at]?.person !== person) continue
      facts.evidence = [...facts.evidence, ...words]
      delete facts.reading
    }
  }

  #update(changes: Changes & { phase?: CounterPhase }): CounterSession {
    const next: Record<string, unknown> = { ...this.#shown, ...changes }
    // A new call for staff: their answer to the previous one no longer counts.
    if (CALL_KEYS.some((name) => next[name] !== this.#shown[name])) delete next.isAnswered
    for (const name in next) if (next[name] === undefined) delete next[name]
    const before = this.#shown
    this.#shown = next as unknown as CounterSession
    // Preferences belong to a person: the next one doesn't get the previous one's language.
    if (before.current !== this.#shown.current)
      this.#shown = { ...this.#shown, preferences: this.preferencesOf(this.#shown.current) }
    if (before.current !== this.#shown.current) this.saveMarker()
    this.#onChange(this.#shown)
    this.#deps.changed(this.#shown.id)
    return this.#shown
  }
}

function required<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('There is no such turn.')
  return item
}
