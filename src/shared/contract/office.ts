/** This workstation's place in an office, as the screens are shown it and ask for it. */
import { z } from 'zod'
import { answers, id, nothing } from './request.ts'

/**
 * connecting: the server hasn't answered yet. away: it doesn't. unwritable: it answers, and can't write down what it is to, as one that is read-only
 * or has no room left. crowded: it has no connection left for this workstation. refused: it knows this workstation no more. untrusted: its certificate
 * isn't trusted. pooled: what answers there is a connection pooler, which hands no bell on. no-keychain: what this workstation signs in with can't be read. elsewhere: that is another computer's, as where its
 * backup was restored here. older, newer: its database is of another version. other: it is another office's, as after it was made once more.
 * wrong-key: its key is none that this workstation has, nor is given.
 */
export type DeskState =
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

/** Why a workstation can't read an account's folders. refused: by its key or password. */
export type WatchTrouble = 'refused' | 'unreachable' | 'keychain'

/** Who reads an account's folders. Times in milliseconds since 1970 UTC. */
export interface FolderWatch {
  accountName: string
  /** together: one for all. alone: this workstation for itself. other: the same, as it sees other documents. away: the server is. */
  how: 'together' | 'alone' | 'other' | 'away'
  /** Absent where nobody does just now. */
  by?: { name: string; isMe: boolean; since: number }
  troubles: { name: string; kind: WatchTrouble; since: number }[]
}

/**
 * What was found of an audit trail of the office by what was told of it before. restored: a backup was restored there. older-copy, replaced,
 * forgotten: as of `AuditCheck`. cut: entries were removed, or all was written again. rewritten: it is the office's server, on which what was
 * told of trails was changed.
 */
export interface OfficeTrailFinding {
  /** The workstation's; absent where it is the server. */
  name?: string | undefined
  isMe: boolean
  why: 'restored' | 'older-copy' | 'replaced' | 'forgotten' | 'cut' | 'rewritten'
  /** When it was told or found, in milliseconds since 1970 UTC. */
  at: number
}

export interface DeskView {
  /** `HOST:PORT` */
  server: string
  /** What this workstation is called in the office; absent until the server has said it once. */
  name?: string
  state: DeskState
  /** It has begun to leave, and isn't done yet. */
  isLeaving: boolean
  /** The workstations, this one among them, and when each was there last, in milliseconds since 1970 UTC. */
  who: { name: string; isMe: boolean; seenAt?: number }[]
  /** One of each account that is shared. */
  folders: FolderWatch[]
}

export const officeRequests = {
  /** Null where this workstation belongs to no office. */
  'office.get': answers<DeskView | null>()(nothing),
  /** The server is asked now how it is and who is there, where this workstation belongs to an office; `office.changed` follows. */
  'office.look': answers<null>()(nothing),
  /** A person chooses the file of the authority that the server's certificate is from; it counts for the next join. */
  'office.chooseAuthority': answers<{ id: string; label: string } | null>()(nothing),
  /** `not-allowed` until an administrator has unlocked settings, where there is a staff PIN. As `office.leave`. */
  'office.join': answers<DeskView>()(
    z.strictObject({
      host: z.string().trim().min(1).max(253),
      port: z.int().min(1).max(65_535),
      database: z.string().trim().min(1).max(63),
      authority: id.optional(),
      code: z.string().min(1).max(200)
    })
  ),
  /** `busy` while something of this workstation is being sent; `offline` while the server is away, unless it is left `without` it. */
  'office.leave': answers<null>()(z.strictObject({ without: z.boolean() }))
}
