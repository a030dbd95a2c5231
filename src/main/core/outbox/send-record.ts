/** A send as lists use it, and its table row. */
import type { AppError, SendAmbiguity, SendState } from '../../../shared/contract/index.ts'
import type { SendFormDirectRequest, SendFormFillerRequest } from '../../../shared/model/index.ts'
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { SentContent } from '../office/send-store.ts'
import type { Release } from './releases.ts'

export type SentRequest =
  | { kind: 'form-direct'; request: SendFormDirectRequest }
  | { kind: 'form-filler'; request: SendFormFillerRequest }

/** What the screens show of an ambiguity, and each found document's package reference. */
export interface Ambiguity extends SendAmbiguity {
  packages: Record<string, string>
}

/** A send as lists use it: everything but its content. */
export type Send = Readonly<RecordOf<typeof SENDS>>

export const SENDS = new Rows({
  number: value<number>(),
  id: value<string>(),
  accountId: value<string>(),
  draftId: optional(value<string>()),
  /** The office's draft that it was made from, also if it is no longer linked to it here, and which of its contents. */
  sentDraft: optional(value<string>()),
  sentContent: optional(json<SentContent>()),
  batchId: optional(value<string>()),
  row: optional(value<number>('sheet_row')),
  /** The workstation of the office that made it, if that is another one. */
  workstation: optional(value<string>()),
  kind: value<SentRequest['kind']>(),
  title: value<string>(),
  who: value<string>(),
  state: value<SendState>(),
  /** Whether `goesAt` was chosen by the user. */
  isScheduled: flag(),
  /** In milliseconds since 1970 UTC; 0 for immediately. */
  goesAt: value<number>(),
  createdAt: value<number>(),
  attempt: value<number>(),
  attemptedAt: optional(value<number>()),
  /** The oldest attempt that may have arrived. */
  firstAttemptedAt: optional(value<number>()),
  settledAt: optional(value<number>()),
  error: optional(json<AppError>()),
  /** Present if it needed a second staff member: see `releases.ts`. */
  release: optional(json<Release>()),
  ambiguity: optional(json<Ambiguity>('doubt')),
  dismissed: json<readonly string[]>(),
  dismissedFolders: json<readonly string[]>(),
  packageReference: optional(value<string>()),
  packageStatus: optional(value<string>()),
  documents: json<readonly { reference: string; name: string }[]>()
})

/** The time of a send that leaves as soon as it can. */
export const NOW = { isScheduled: false, goesAt: 0 } as const
