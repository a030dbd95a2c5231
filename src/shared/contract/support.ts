/** Requests for when something goes wrong: what was asked of services, how this computer is doing, and a report for support. */
import { z } from 'zod'
import type { SavedFile } from './composing-views.ts'
import { answers, byId, nothing, page } from './request.ts'

/** A request that was made of a service: nothing of what it carried, and of its address the operation alone. */
export interface RequestLogEntry {
  id: string
  /** When it was made; milliseconds since 1970 UTC. */
  at: number
  /** Absent where an account was tried before it was kept. */
  accountId?: string
  method: 'GET' | 'POST'
  /** As the reference calls it; '' for a sign-in. */
  operation: string
  /** Of the answer; absent until it begins, and where none came. */
  status?: number
  /** Why no answer came, or not all of it: `timeout`, `tls`. */
  failed?: string
  /** Until the answer was over. */
  milliseconds: number
  /** Of the answer’s body, as far as it was read. */
  bytes: number
}

/** What was looked at on this computer, and what was found. */
export interface SelfTestFinding {
  what: 'service' | 'clock' | 'keychain' | 'database' | 'backup' | 'disk' | 'second-display' | 'printers'
  /** `note`: as it is, which may be as it should be. */
  state: 'ok' | 'note' | 'warn'
  /** A sentence. */
  found: string
  /** What to do. */
  next?: string
  accountId?: string
  /** For those who read a report, where the sentence may name the office’s service. */
  code: string
}

/** Dumps of crashes on this computer, the newest first. */
export interface CrashReportsView {
  /** Whether someone wants them kept; from the next start on. */
  isKept: boolean
  /** When each was written, in milliseconds since 1970 UTC, and its size. */
  reports: { at: number; bytes: number }[]
}

/** What a report for support holds, file by file, as it will be saved. */
export interface SupportReport {
  id: string
  files: { name: string; text: string }[]
}

export const supportRequests = {
  /** What was asked of services in this run and the last day, the newest first. */
  'support.requests': answers<{ requests: RequestLogEntry[]; total: number }>()(z.strictObject(page)),
  /** The same as a table, where the person says in the system's dialog; null where they thought better of it. */
  'support.exportRequests': answers<SavedFile | null>()(nothing),
  /** Looks at this computer and asks each account's service something harmless. */
  'support.check': answers<SelfTestFinding[]>()(nothing),
  /** Makes a report, to be read before it is saved. It holds nothing personal. */
  'support.report': answers<SupportReport>()(nothing),
  /** Saves the report of this id as it was shown, and no other: `gone`. With the dumps of crashes only where that is said. */
  'support.saveReport': answers<SavedFile | null>()(byId.extend({ withCrashReports: z.boolean().optional() })),
  'support.crashReports': answers<CrashReportsView>()(nothing),
  /** Off removes those that are there. */
  'support.keepCrashReports': answers<CrashReportsView>()(z.strictObject({ keep: z.boolean() })),
  'support.removeCrashReports': answers<CrashReportsView>()(nothing)
}
