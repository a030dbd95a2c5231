/** What the organisation has set for this computer, as the screens are shown it: which settings it locks, and what is wrong with its file. */
import { answers, nothing } from './request.ts'
import type { AuthScheme } from './views.ts'

/** Settings that a policy may lock, each named as in its file. */
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

/** One thing that is wrong with a policy, in a sentence; where it stands in the file, counted from 1, or in which managed setting. */
export interface PolicyProblem {
  message: string
  setting?: string
  line?: number
  column?: number
}

/** How an account of the organisation's signs in by OAuth 2: by `issuer`, or by the addresses. */
export interface OrganisationsOAuth {
  grant: 'code' | 'client'
  clientId: string
  issuer?: string | undefined
  authorizeUrl?: string | undefined
  tokenUrl?: string | undefined
  revokeUrl?: string | undefined
  scope?: string | undefined
}

/** How the presets and views stand that the policy's file gives. */
export interface SharedFileView {
  /** Why the file can't be used, in words; those that were read last hold. */
  problem?: string
  /** Since when those are here, in milliseconds since 1970 UTC; absent: none are. */
  since?: number
}

export interface PolicyView {
  /**
   * none: there is no file, and there was none. followed: as the file has it. broken: the file can't be used, or (missing) it is
   * gone; then the last one that could be used holds, or, where there was none, nothing that a policy could lock can be changed.
   */
  state: 'none' | 'followed' | 'broken' | 'missing'
  /** Where the file is expected, or the managed settings are that hold in place of one: for people to read. */
  place: string
  /** The system's own management gives the settings, and no file does. */
  isManaged?: true
  /** A policy file that is there all the same: for people to read. */
  unusedFile?: string
  locked: readonly Lockable[]
  /** The accounts whose name, address and sign-in are the organisation's. */
  accountIds: readonly string[]
  /** Those of whose sign-in by OAuth 2 it says more than that, by account. */
  oauth?: Readonly<Partial<Record<string, OrganisationsOAuth>>>
  /** Those among them whose colour is the organisation's, too. */
  colouredIds: readonly string[]
  /** Accounts may be added by an enrolment file, and in no other way. */
  enrolsOnly?: true
  /** Those that accounts may sign in by, where that is set. */
  signInMethods?: readonly AuthScheme[]
  /** Where the policy names a file of presets and views. */
  shared?: SharedFileView
  /** How many digits a new PIN has at least, where that is set. */
  pinDigits?: number
  /** What is wrong with the file. */
  problems: readonly PolicyProblem[]
  /** Since when the policy that holds was there, where another than the file's holds. */
  since?: number
}

export const policyRequests = {
  'policy.get': answers<PolicyView>()(nothing)
}
