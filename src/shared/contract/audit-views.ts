/** What the screens are given about the audit trail: its entries, and whether it and its exports are whole. */
import type { OfficeTrailFinding } from './office.ts'

/** The kinds of entries in the audit trail. */
export type AuditEvent =
  | 'session-started'
  | 'handed-over'
  | 'page-opened'
  | 'camera-allowed'
  | 'camera-refused'
  | 'left'
  | 'idle'
  | 'unlocked'
  | 'pin-wrong'
  | 'page-printed'
  | 'page-saved'
  | 'files-opened'
  | 'file-given'
  | 'file-not-taken'
  | 'turn-ended'
  | 'session-ended'
  | 'session-interrupted'
  | 'pin-set'
  | 'pin-reset'
  | 'pin-wait-ended'
  | 'staff-added'
  | 'staff-changed'
  | 'staff-removed'
  | 'staff-chosen'
  | 'package-released'
  | 'package-refused'
  | 'settings-unlocked'
  | 'settings-changed'
  | 'trail-exported'
  | 'receipt-made'
  | 'signing-key-made'
  | 'account-added'
  | 'account-changed'
  | 'account-removed'
  | 'entries-lost'
  | 'data-backed-up'
  | 'data-restored'
  | 'recovery-key-made'
  | 'enrolment-prepared'
  | 'settings-exported'
  | 'settings-import-begun'
  | 'settings-imported'
  | 'database-key-changed'
  | 'recovery-key-used'
  | 'data-purged'
  | 'office-joined'
  | 'office-left'
  | 'document-held'
  | 'document-released'
  | 'retention-changed'
  | 'policy-changed'
  | 'office-locked'
  | 'office-unlocked'
  | 'identity-data-fetched'
  | 'signed-document-fetched'
  | 'signatures-verified'
  | 'appointment-saved'
  | 'appointment-removed'
  | 'appointment-arrived'
  | 'appointment-called'
  | 'appointment-marked'
  | 'appointment-matched'
  | 'appointment-missed'
  | 'appointment-undone'
  | 'appointments-imported'

export interface AuditEntry {
  /** Starts at 1. */
  seq: number
  at: number
  /** The workstation's IANA time zone, such as Pacific/Auckland. */
  zone: string
  staff: string
  what: AuditEvent
  session?: string
  documentReference?: string
  documentName?: string
  signerName?: string
  /** Further details in words: `evidence` checked, `outcome`, `origin` and the like. */
  detail: Record<string, string>
}

export interface AuditPage {
  entries: AuditEntry[]
  total: number
}

/** Whether each entry follows from the one before it, and the last known entry is still there. */
export interface AuditCheck {
  isWhole: boolean
  /** How many were checked. */
  entries: number
  /** Only entries after this one were checked; an earlier check found those before intact. */
  after?: number
  /** The first entry that doesn't follow from the one before it, if any. */
  brokenAt?: number
  /** Entries at the end, or all entries, are missing. */
  isCutOff: boolean
  /**
   * How entries went missing. cut: removed from an otherwise unchanged database. older-copy: the whole database is an
   * earlier one. replaced: it was started afresh, as after damage. forgotten: the keychain no longer knows the last
   * entry.
   */
  missing?: 'cut' | 'older-copy' | 'replaced' | 'forgotten'
  /** The disk couldn't read all of it, or the database file is damaged: no sign that anyone changed it. */
  isDamaged?: true
  /** How many entries can't be written at the moment, for example because the disk is full. */
  unwritten?: number
  /** What has been found about an office's trails so far, newest last; absent if nothing, or there is no office. */
  office?: OfficeTrailFinding[]
}

/** The public part of the key that signs exports. */
export interface AuditKey {
  /** The SHA-256 of the key in DER, in groups of four characters for comparing by eye. */
  fingerprint: string
}

export interface AuditFileCheck {
  /** The file's name. */
  label: string
  /**
   * genuine: every byte is as signed. changed: bytes were changed, added or removed. signature: the signature file
   * isn't ours, or was changed itself. unsigned: there is no signature file.
   */
  verdict: 'genuine' | 'changed' | 'signature' | 'unsigned'
  /** Whose key signed it: this computer's, or another, to be compared with the fingerprint that was noted. */
  key?: AuditKey & { isOurs: boolean }
  /** What was signed. */
  entries?: number
  exportedAt?: string
  /** The newest entry in the file is in this computer's present trail. */
  isInTrail?: boolean
  /** The range of bytes that differs, counted from 0. */
  bytes?: { from: number; to: number }
  /** The entries at that place, if the file tells. */
  near?: { from: number; to: number }
  /** For a PDF: its receipt number if it was signed, and the number of the receipt that replaced it. */
  receipt?: { number?: string; replacedBy?: string }
}
