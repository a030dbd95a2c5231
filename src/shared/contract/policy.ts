/**
 * The organisation's policy for this computer as the screens see it: which settings it locks, and any problems with its
 * file.
 */
import { answers, noInput } from './request.ts'
import type { AuthScheme } from './views.ts'

/** Settings that a policy can lock, named as in its file. */
export const LOCKABLE = [
  'accounts',
  'otherAccounts',
  'signInMethods',
  'practiceOffice',
  'signingOrigins',
  'dropFolders',
  'downloads.folder',
  'downloads.names',
  'backups',
  'removal',
  'startAtLogin',
  'crashReports',
  'quietHours',
  'retention.documents',
  'retention.trash',
  'retention.sends',
  'retention.downloads',
  'retention.identityFiles',
  'retention.identityNumbers',
  'retention.verifications',
  'retention.people',
  'counter.idle',
  'counter.lockAfter',
  'counter.checklist',
  'counter.fullScreen',
  'counter.secondDisplay',
  'counter.files',
  'counter.printAndSave',
  'counter.pinDigits'
] as const
export type Lockable = (typeof LOCKABLE)[number]

/**
 * One problem with a policy, in a sentence, with its position in the file (counted from 1) or the managed setting it is
 * in.
 */
export interface PolicyProblem {
  message: string
  setting?: string
  line?: number
  column?: number
}

/** How one of the organisation's accounts signs in with OAuth 2: by `issuer`, or by explicit addresses. */
export interface OrganisationsOAuth {
  grant: 'code' | 'client'
  clientId: string
  issuer?: string | undefined
  authorizeUrl?: string | undefined
  tokenUrl?: string | undefined
  revokeUrl?: string | undefined
  scope?: string | undefined
}

/** The state of the presets and views that the policy's file provides. */
export interface SharedFileView {
  /** Why the file can't be used, in words; the ones last read still apply. */
  problem?: string
  /** When those were read, in milliseconds since 1970 UTC; absent if there are none. */
  since?: number
}

export interface PolicyView {
  /**
   * none: there is no file, and never was. followed: the file applies. broken, missing: the file can't be used, or has
   * disappeared; then the last usable one applies or, if there never was one, nothing that a policy could lock can be
   * changed.
   */
  state: 'none' | 'followed' | 'broken' | 'missing'
  /** Where the file is expected, or where the managed settings that replace it are; for display. */
  place: string
  /** The settings come from the system's own management, not from a file. */
  isManaged?: true
  /** A policy file that exists but is ignored because of that; for display. */
  unusedFile?: string
  locked: readonly Lockable[]
  /** The accounts whose name, address and sign-in the organisation sets. */
  accountIds: readonly string[]
  /** The OAuth 2 details it sets, by account, if any. */
  oauth?: Readonly<Partial<Record<string, OrganisationsOAuth>>>
  /** Those of `accountIds` whose colour it sets, too. */
  colouredIds: readonly string[]
  /** Accounts can be added only with an enrolment file. */
  enrolsOnly?: true
  /** The sign-in methods allowed for accounts, if set. */
  signInMethods?: readonly AuthScheme[]
  /** Present if the policy names a file of presets and views. */
  shared?: SharedFileView
  /** The minimum number of digits for a new PIN, if set. */
  pinDigits?: number
  problems: readonly PolicyProblem[]
  /** When the policy in effect was read, if it isn't the present file's. */
  since?: number
}

export const policyRequests = {
  'policy.get': answers<PolicyView>()(noInput)
}
