/** What the test and the application under attack say to each other. */
import type { SigningTurn } from '../../../src/main/core/counter/signing-view.ts'

export type Command =
  | {
      do: 'open'
      turn: Omit<SigningTurn, 'events'>
      patienceMs: number
      /** What names lead to; others can't be resolved. */
      lookups: Record<string, string[]>
    }
  | { do: 'end' }
  | { do: 'run-in-signing-page'; script: string }
  | { do: 'run-in-own-page'; script: string }
  | { do: 'crash-signing-page' }
  | { do: 'forget' }
  | { do: 'facts' }
  | { do: 'quit' }

export type Told =
  | { kind: 'ready' }
  | { kind: 'loading' }
  | { kind: 'open' }
  | { kind: 'returned' }
  | { kind: 'failed'; code: string; text: string }
  | { kind: 'refused'; text: string }
  | { kind: 'log'; text: string }

export interface Answer {
  kind: 'answer'
  id: number
  value?: unknown
  error?: string
}

export interface Facts {
  ownUrl: string
  signingUrl: string
  /** How many pages of any kind there are. */
  pages: number
  /** What lies in the downloads folder. */
  files: string[]
  /** Requests of the contract that reached a handler. */
  asked: string[]
  /** What the lock-down denied. */
  denied: string[]
}
