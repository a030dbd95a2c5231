/** What a session at the counter needs of the world, and what of it outlives the application's end. */
import type { AppError, CounterEntry, CounterSettings, CounterTurn } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { Schedule } from '../documents/polling/intervals.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import type { SigningAccount } from '../policy/signing-address.ts'
import type { CounterPlace } from './counter-place.ts'
import type { OpenSigningView } from './signing-view.ts'
import type { StaffPin } from './staff-pin.ts'

export interface CounterDeps {
  /** The chosen account; '' where there is none. */
  accountId: () => string
  /** Who can sign at the counter, as last known, next due first; those without a link among them. */
  waitingHere: (accountId: string) => Promise<CounterEntry[]>
  documentOf: (accountId: string, reference: string) => Promise<MirroredDocument | undefined>
  /** Reads the folders from the service now. */
  refresh: (accountId: string) => Promise<void>
  /** An account's kind and address; undefined where there is no such account (any more). */
  account: (accountId: string) => SigningAccount | undefined
  /** Origins that the administrator or the office lets signing pages show beside their own. */
  allowedOrigins: () => readonly string[]
  /** Where this document's signer is sent after signing, beside RETURN_ADDRESS, where it is known. */
  returnAddressOf: (reference: string) => string | undefined
  openView: OpenSigningView
  /** The size that people asked for in the settings; it holds for the signing page too. */
  zoom: () => number
  settings: () => Pick<CounterSettings, 'evidence' | 'idle' | 'mayKeepPages'>
  appointments: Appointments
  pin: StaffPin
  note: NoteInAudit
  /** Who of staff this is, for the record. */
  staff: () => string
  place: CounterPlace
  running: CrashMarker
  /** Has staff choose where the page is kept; false where they thought better of it. The name is hostile text. */
  savePage: (bytes: Uint8Array, suggestedName: string) => Promise<boolean>
  describe: (error: unknown) => AppError
  /** Milliseconds since 1970 UTC. */
  clock: () => number
  schedule: Schedule
  newId: () => string
  /** A session began, moved on or ended; '' where there is none any more. */
  changed: (id: string) => void
}

interface Appointments {
  isToday(accountId: string, documentReference: string, signer: number): boolean
  set(accountId: string, documentReference: string, signer: number, isToday: boolean): void
}

/** Where it is kept that a session runs: what is found there at a start was interrupted. */
export interface CrashMarker {
  /** Replaces what was kept; null clears it. What couldn't be written is told elsewhere, never thrown. */
  keep(session: RunningSession | null): void
  /** unreadable: something is kept, and what it says can't be made out. */
  read(): RunningSession | 'unreadable' | null
}

/** Plain JSON. Holds names, so it belongs into the encrypted database; no signing link is among it. */
export interface RunningSession {
  id: string
  accountId: string
  startedAt: number
  staff: string
  current: number
  turns: (CounterTurn & KeptTurn)[]
}

/** What is kept of a turn beside what is shown of it. */
export interface KeptTurn {
  /** The signer as they were when the session began: an index alone may come to mean somebody else. */
  identity: SignerIdentity
  /** Their page was opened. */
  hasBegun: boolean
  /** When the service was asked what became of it. */
  askedAt?: number
  /** The audit trail knows what became of it. */
  isTold?: boolean
}

export interface SignerIdentity {
  signerReference?: string
  /** See `personOf`. */
  person: string
}
