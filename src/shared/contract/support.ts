/**
 * Requests for troubleshooting: the log of service requests, a self-test of this computer, and a report for support.
 */
import { z } from 'zod'
import type { SavedFile } from './composing-views.ts'
import { answers, byId, noInput, page } from './request.ts'

/** A request made to a service: nothing of its content, and of its address only the operation. */
export interface RequestLogEntry {
  id: string
  /** When it was sent, in milliseconds since 1970 UTC. */
  at: number
  /** Absent if an account was tried before it was saved. */
  accountId?: string
  method: 'GET' | 'POST'
  /** The reference's name for it; '' for a sign-in. */
  operation: string
  /** The response's status; absent until the response begins, and if there is none. */
  status?: number
  /** Why no response, or only part of one, was received: `timeout`, `tls`. */
  failed?: string
  /** Time until the response was complete. */
  milliseconds: number
  /** Size of the response body that was read. */
  bytes: number
}

export interface SelfTestFinding {
  what:
    | 'service'
    | 'clock'
    | 'proxy'
    | 'certificate'
    | 'keychain'
    | 'database'
    | 'backup'
    | 'disk'
    | 'second-display'
    | 'printers'
  /** `note`: a fact that may be as intended. */
  state: 'ok' | 'note' | 'warn'
  /** A sentence. */
  found: string
  /** What to do about it. */
  next?: string
  accountId?: string
  /** For readers of a support report, since the sentence may name the office's service. */
  code: string
}

/** Crash dumps on this computer, newest first. */
export interface CrashReportsView {
  /** Whether to keep them, from the next start on. */
  isKept: boolean
  /** When each was written, in milliseconds since 1970 UTC, and its size. */
  reports: { at: number; bytes: number }[]
}

/** The content of a support report, file by file, as it will be saved. */
export interface SupportReport {
  id: string
  files: { name: string; text: string }[]
}

export const supportRequests = {
  /** Requests to services in this run and the last day, newest first. */
  'support.requests': answers<{ requests: RequestLogEntry[]; total: number }>()(z.strictObject(page)),
  /** Saves the same as a table at a location the person chooses; null if they cancel. */
  'support.exportRequests': answers<SavedFile | null>()(noInput),
  /** Checks this computer, and makes a harmless request to each account's service. */
  'support.check': answers<SelfTestFinding[]>()(noInput),
  /** Makes a report to be read before it is saved. It contains no personal data. */
  'support.report': answers<SupportReport>()(noInput),
  /**
   * Saves the report with this id exactly as shown; `gone` if it no longer exists. Includes crash dumps only if
   * requested.
   */
  'support.saveReport': answers<SavedFile | null>()(byId.extend({ withCrashReports: z.boolean().optional() })),
  'support.crashReports': answers<CrashReportsView>()(noInput),
  /** Turning it off deletes the existing ones. */
  'support.keepCrashReports': answers<CrashReportsView>()(z.strictObject({ keep: z.boolean() })),
  'support.removeCrashReports': answers<CrashReportsView>()(noInput)
}
