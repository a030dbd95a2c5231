/** This workstation's membership of an office: views and requests. */
import { z } from 'zod'
import { answers, id, noInput } from './request.ts'

/**
 * connecting: the server hasn't answered yet. away: it doesn't answer. unwritable: it answers but can't store anything,
 * for example because it is read-only or full. crowded: it has no connection left for this workstation. refused: it no
 * longer accepts this workstation. untrusted: its certificate isn't trusted. pooled: a connection pooler answers, which
 * doesn't pass on notifications. no-keychain: this workstation's credentials can't be read. elsewhere: they belong to
 * another computer, for example because its backup was restored here. older, newer: its database has another version.
 * other: it belongs to another office, for example because it was set up again. wrong-key: this workstation neither has
 * its key nor is given it.
 */
export type OfficeMembershipState =
  | 'connecting'
  | 'connected'
  | 'away'
  | 'unwritable'
  | 'crowded'
  | 'refused'
  | 'untrusted'
  | 'pooled'
  | 'no-keychain'
  | 'elsewhere'
  | 'older'
  | 'newer'
  | 'other'
  | 'wrong-key'

/** Why a workstation can't read an account's folders. refused: the service doesn’t accept its key or password. */
export type PollingTrouble = 'refused' | 'unreachable' | 'keychain'

/** Who reads an account's folders. Times in milliseconds since 1970 UTC. */
export interface FolderPolling {
  accountName: string
  /**
   * together: one workstation reads for all. alone: this workstation reads for itself. other: the same, because it sees
   * different documents. away: the server can't be reached.
   */
  how: 'together' | 'alone' | 'other' | 'away'
  /** Absent if no workstation is reading at the moment. */
  by?: { name: string; isMe: boolean; since: number }
  troubles: { name: string; kind: PollingTrouble; since: number }[]
}

/**
 * A finding about one of the office's audit trails, compared with what was reported about it earlier. restored: a
 * backup was restored there. older-copy, replaced, forgotten: as in `AuditCheck`. cut: entries were removed, or the
 * trail was rewritten. rewritten: the trails' reports on the office's server itself were changed.
 */
export interface OfficeTrailFinding {
  /** The workstation; absent if it is the server. */
  name?: string | undefined
  isMe: boolean
  why: 'restored' | 'older-copy' | 'replaced' | 'forgotten' | 'cut' | 'rewritten'
  /** When it was reported or found, in milliseconds since 1970 UTC. */
  at: number
}

export interface OfficeMembershipView {
  /** `HOST:PORT` */
  server: string
  /** This workstation's name in the office; absent until the server has given it once. */
  name?: string
  state: OfficeMembershipState
  /** It is leaving the office, and hasn't finished. */
  isLeaving: boolean
  /** The workstations, including this one, and when each was last seen, in milliseconds since 1970 UTC. */
  who: { name: string; isMe: boolean; seenAt?: number }[]
  /** One for each shared account. */
  folders: FolderPolling[]
}

export const officeRequests = {
  /** Null if this workstation belongs to no office. */
  'office.get': answers<OfficeMembershipView | null>()(noInput),
  /**
   * Asks the office's server for its state and who is there, if this workstation belongs to an office; `office.changed`
   * follows.
   */
  'office.checkNow': answers<null>()(noInput),
  /**
   * Lets a person choose the file of the certificate authority for the server's certificate; used for the next join.
   */
  'office.chooseAuthority': answers<{ id: string; label: string } | null>()(noInput),
  /**
   * `not-allowed` until an administrator has unlocked the settings, if there is a staff PIN. The same goes for
   * `office.leave`.
   */
  'office.join': answers<OfficeMembershipView>()(
    z.strictObject({
      host: z.string().trim().min(1).max(253),
      port: z.int().min(1).max(65_535),
      database: z.string().trim().min(1).max(63),
      authority: id.optional(),
      code: z.string().min(1).max(200)
    })
  ),
  /**
   * `busy` while this workstation is sending something; `offline` if the server can't be reached, unless leaving
   * `without` it.
   */
  'office.leave': answers<null>()(z.strictObject({ without: z.boolean() }))
}
