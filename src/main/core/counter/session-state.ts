/**
 * One session as it is known: what is shown of it, what is kept of it in case the application ends, and what the audit trail
 * gets. Everything that happens in a session goes through here, so that all three say the same.
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
import type { IdentityReading } from './identity-numbers.ts'
import { PHASES, type PhaseEvent } from './phases.ts'

/** What everyone begins with. */
export const FIRST_PREFERENCES: PersonPreferences = {
  language: 'en',
  textSize: 1,
  highContrast: false,
  moreTime: false
}

/** What is known of a turn beside what is shown. */
export interface TurnFacts extends KeptTurn {
  /** In words, as staff ticked it. */
  evidence: readonly string[]
  /** What is to be kept of their identity document, until it is. */
  reading?: IdentityReading
}

export interface SessionStart {
  accountId: string
  startedAt: number
  state: CounterSession
  facts: TurnFacts[]
}

/** What the service is asked about a turn's signer by. */
export interface AskedTurn {
  accountId: string
  documentReference: string
  signer: number
  identity: SignerIdentity
}

/** What a call for staff is about. */
const CALLS = ['phase', 'current', 'cover', 'coveredBy'] as const

/** A member that is undefined is taken away. */
export type Changes = { [Name in keyof Omit<CounterSession, 'phase'>]?: CounterSession[Name] | undefined }

type StateDeps = Pick<CounterDeps, 'crashMarker' | 'changed' | 'note' | 'staff' | 'time' | 'keepIdentity'>

export class SessionState {
  readonly accountId: string
  readonly startedAt: number
  readonly #deps: StateDeps
  readonly #facts: TurnFacts[]
  readonly #happened: (state: CounterSession) => void
  readonly #staff: string
  /** By person, for as long as the session lasts: in memory alone, so that nothing of it outlives them here. */
  readonly #preferences = new Map<string, PersonPreferences>()
  #shown: CounterSession
  #pagePhase: 'loading' | 'open' = 'loading'
  #step = 0

  /** @param happened called after each change, before the change is announced. */
  constructor(deps: StateDeps, start: SessionStart, happened: (state: CounterSession) => void) {
    this.accountId = start.accountId
    this.startedAt = start.startedAt
    this.#deps = deps
    this.#facts = start.facts
    this.#happened = happened
    this.#staff = deps.staff()
    this.#shown = start.state
  }

  get shown(): CounterSession {
    return this.#shown
  }

  turnOf(index: number): CounterTurn {
    return known(this.#shown.turns[index])
  }

  factsOf(index: number): TurnFacts {
    return known(this.#facts[index])
  }

  /** How the person of a turn wants the screen. */
  preferencesOf(index: number): PersonPreferences {
    return this.#preferences.get(this.#shown.turns[index]?.person ?? '') ?? FIRST_PREFERENCES
  }

  /** The person whose turn it is wants the screen otherwise. */
  prefer(changes: Partial<PersonPreferences>): CounterSession {
    const { current, turns } = this.#shown
    const preferences = { ...this.preferencesOf(current), ...changes }
    this.#preferences.set(turns[current]?.person ?? '', preferences)
    return this.#become({ preferences })
  }

  asked(index: number): AskedTurn {
    const { documentReference, signer } = this.turnOf(index)
    return { accountId: this.accountId, documentReference, signer, identity: this.factsOf(index).identity }
  }

  keep(): void {
    const { id, phase, current, turns } = this.#shown
    if (phase === 'ended') return
    const { accountId, startedAt } = this
    const kept = turns.map((turn, index) => {
      const { evidence: _evidence, reading: _reading, ...facts } = this.factsOf(index)
      return { ...turn, ...facts }
    })
    this.#deps.crashMarker.keep({ id, accountId, startedAt, staff: this.#staff, current, turns: kept })
  }

  /** Changes what is shown. */
  become(changes: Changes): CounterSession {
    return this.#become(changes)
  }

  /**
   * An event happened: the session goes to the phase that the table of phases has for it, with these changes. Where the
   * table has none nothing changes.
   */
  go(event: PhaseEvent, changes: Changes = {}): CounterSession {
    const next = PHASES[this.#shown.phase].on[event]
    if (next === undefined) return this.#shown
    return this.#become({ ...changes, phase: next === 'page' ? this.#pagePhase : next })
  }

  /** The page says how far it is; behind an overlay that counts once the overlay is taken away. */
  pageIs(phase: 'loading' | 'open'): CounterSession {
    this.#pagePhase = phase
    return this.go(phase)
  }

  /** The page of a turn is about to be loaded. */
  load(changes: Changes): void {
    this.#pagePhase = 'loading'
    this.go('load', changes)
  }

  /**
   * Something happens that makes what is being waited for out of date. Answers whether that is still the newest: to be
   * asked after each await.
   */
  moveOn(): () => boolean {
    this.#step++
    return this.step()
  }

  /** Answers whether nothing has moved on since. */
  step(): () => boolean {
    const mine = this.#step
    return () => this.#step === mine
  }

  /** The turn's page was opened: from now on the service is asked for its outcome. */
  hasBegun(index: number): void {
    this.factsOf(index).hasBegun = true
    this.keep()
  }

  /** Writes down the outcome of a turn; undefined if the turn is taken up again. */
  setOutcome(index: number, outcome: CounterOutcome | undefined): void {
    const { outcome: before, ...turn } = this.turnOf(index)
    const after: CounterTurn = outcome ? { ...turn, outcome } : turn
    this.#shown = { ...this.#shown, turns: this.#shown.turns.map((one, at) => (at === index ? after : one)) }
    const facts = this.factsOf(index)
    facts.askedAt = this.#deps.time.now()
    // The trail has another one: where the application ends before it has this one, the next start tells it.
    if (!outcome || outcome.signed !== before?.signed) facts.isTold = false
    this.keep()
  }

  /** Writes about the session into the audit trail. */
  note(what: AuditNote['what'], detail: Record<string, string> = {}): void {
    // A session that has ended has no marker, and no later start would write that it did.
    const along = what === 'session-ended' ? () => this.#deps.crashMarker.keep(null) : undefined
    this.#deps.note({ what, session: this.#shown.id, detail }, undefined, along)
  }

  /** Writes about a turn into the audit trail; see `NoteInAudit` for when it throws. */
  noteTurn(
    what: AuditNote['what'],
    index: number,
    detail: Record<string, string> = {},
    when?: 'now-or-never',
    write?: () => void
  ): void {
    const { documentReference, documentName, signerName, contact } = this.turnOf(index)
    // With what it says of the session: where the application ends in between, a later start would write it again, or never.
    const along: Partial<Record<AuditNote['what'], () => void>> = {
      'session-started': () => this.keep(),
      'turn-ended': () => {
        this.factsOf(index).isTold = true
        this.keep()
      }
    }
    // What tells one turn from another, where a name and a document don't: receipts are made from this alone.
    const which = what === 'session-started' ? {} : { turn: String(index + 1), ...(contact && { contact }) }
    const note = {
      ...{ what, session: this.#shown.id, documentReference, documentName, signerName },
      detail: { ...which, ...detail }
    }
    this.#deps.note(note, when, write ?? along[what])
  }

  /** The person of a turn gets the screen: it is in the audit trail, with what is kept of their identity document. @throws as `NoteInAudit`. */
  handOver(index: number): void {
    const { evidence, reading } = this.factsOf(index)
    const { documentReference, person } = this.turnOf(index)
    const [session, turn] = [this.#shown.id, index + 1]
    const kept =
      reading && this.#deps.keepIdentity({ accountId: this.accountId, session, turn, documentReference }, reading)
    const detail = { evidence: evidence.join('; '), place: this.#shown.place, ...kept?.detail }
    this.noteTurn('handed-over', index, detail, 'now-or-never', kept?.write)
    // Once is enough, however often they have the screen.
    for (const [at, facts] of this.#facts.entries()) if (this.#shown.turns[at]?.person === person) delete facts.reading
  }

  #become(changes: Changes & { phase?: CounterPhase }): CounterSession {
    const next: Record<string, unknown> = { ...this.#shown, ...changes }
    // What staff answered is over: what is wanted of them next is another call.
    if (CALLS.some((name) => next[name] !== this.#shown[name])) delete next.isAnswered
    for (const name in next) if (next[name] === undefined) delete next[name]
    const before = this.#shown
    this.#shown = next as unknown as CounterSession
    // Each has their own: the next person isn't shown the language of the one before.
    if (before.current !== this.#shown.current)
      this.#shown = { ...this.#shown, preferences: this.preferencesOf(this.#shown.current) }
    if (before.current !== this.#shown.current) this.keep()
    this.#happened(this.#shown)
    this.#deps.changed(this.#shown.id)
    return this.#shown
  }
}

function known<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('There is no such turn.')
  return item
}
