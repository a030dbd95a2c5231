/**
 * What staff may do, by role: each role may do what the ones before it may. Checked before any request from the
 * office's own window is handled, so a screen that shows too much gives nobody more rights. While nobody has a name,
 * everyone may do everything.
 */
import type { ClosedScreen, RequestName, StaffRole } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { isAtLeast } from './roles.ts'
import type { Staff } from './staff.ts'

/** The requests that require a role. Everything else is for all staff: the counter, viewing, their own settings. */
const REQUESTS_BY_ROLE = {
  // Composing, sending, and actions on documents.
  clerk: [
    ...['drafts.save', 'drafts.remove', 'drafts.restore', 'drafts.erase', 'drafts.emptyTrash', 'drafts.duplicate'],
    ...['drafts.restoreVersion', 'drafts.takeOver', 'drafts.setOwner', 'drafts.resolveConflicts', 'drafts.export'],
    ...['presets.save', 'presets.rename', 'presets.remove', 'presets.export', 'exchange.import', 'outside.accept'],
    ...['sends.start', 'sends.now', 'sends.reschedule', 'sends.undo', 'sends.resolve', 'sends.retry', 'sends.toDraft'],
    'sends.duplicate',
    ...[
      'outbox.pause',
      'outbox.resume',
      'batches.pause',
      'batches.resume',
      'batches.cancel',
      'batches.retry',
      'bulk.package',
      'bulk.send'
    ],
    ...[
      'actions.start',
      'actions.cancel',
      'actions.retry',
      'actions.resolve',
      'documents.correctedCopy',
      'documents.duplicate'
    ],
    ...['dropFolders.add', 'dropFolders.change', 'dropFolders.remove'],
    ...['views.save', 'views.remove', 'people.change', 'people.merge', 'people.forget', 'employers.save']
  ],
  // Other people's work.
  manager: [
    ...['sends.release', 'sends.refuse', 'batches.release'],
    ...['outbox.configure', 'activity.list', 'audit.list', 'audit.check', 'audit.export'],
    ...['retention.release']
  ],
  // What affects everyone here. The counter's settings, staff, retention and the office also require an administrator's
  // PIN.
  administrator: [
    ...['accounts.add', 'accounts.update', 'accounts.remove', 'accounts.setPracticeDay', 'accounts.allowSigned'],
    ...['enrolment.prepare', 'enrolment.enrol', 'settingsFile.save', 'settingsFile.apply'],
    ...['storage.backUp', 'storage.backUpNow', 'storage.chooseBackupFolder'],
    ...['storage.restore', 'storage.scheduleBackups', 'storage.keepRecoveryKey', 'storage.changeKey', 'storage.remove']
  ]
} as const satisfies Partial<Record<StaffRole, readonly RequestName[]>>

export const requiredRoles: ReadonlyMap<RequestName, StaffRole> = new Map(
  Object.entries(REQUESTS_BY_ROLE).flatMap(([role, names]) => names.map((name) => [name, role as StaffRole] as const))
)

/** Screens that depend entirely on one request. */
const SCREENS = {
  activity: 'activity.list',
  audit: 'audit.list',
  compose: 'drafts.save',
  bulk: 'bulk.send'
} as const satisfies Record<ClosedScreen, RequestName>

/**
 * Returns the screens that would show the person who works here only a refusal, each with the reason. Undefined if there are
 * none, and before anyone has entered their PIN.
 */
export function closedScreens(
  staff: Pick<Staff, 'hasNames' | 'authenticated'>
): Partial<Record<ClosedScreen, string>> | undefined {
  const role = staff.hasNames ? staff.authenticated()?.role : undefined
  const refused = role && refusedRequests(staff)
  if (refused === undefined) return undefined
  const closed = Object.entries(SCREENS).flatMap(([screen, name]) => (refused[name] ? [[screen, refused[name]]] : []))
  return closed.length > 0 ? Object.fromEntries(closed) : undefined
}

/** Whole sentences, as shown to people. */
const REFUSED: Record<StaffRole, string> = {
  counter: 'Only staff can do this.',
  clerk: 'Only clerks, managers and administrators can do this.',
  manager: 'Only managers and administrators can do this.',
  administrator: 'Only administrators can do this.'
}

/** Includes what to do, as a button that shows it has no room for more. */
const NOBODY_SIGNED_IN = 'Nobody has signed in at this computer. Press “Enter name and PIN” at the top.'

/**
 * Returns the requests that the person who works here is refused, each with a whole sentence why: screens don't offer them.
 * Undefined if there are none.
 */
export function refusedRequests(staff: Pick<Staff, 'hasNames' | 'authenticated'>): Record<string, string> | undefined {
  if (!staff.hasNames) return undefined
  const role = staff.authenticated()?.role
  const refused = [...requiredRoles].filter(([, least]) => role === undefined || !isAtLeast(role, least))
  if (refused.length === 0) return undefined
  return Object.fromEntries(
    refused.map(([name, least]) => [name, role === undefined ? NOBODY_SIGNED_IN : REFUSED[least]])
  )
}

/**
 * @returns a check of whether the person who works here may make a request. @throws AppFailure `not-allowed`, naming who may.
 */
export function rightsOf(
  staff: Pick<Staff, 'hasNames' | 'authenticated'>
): (name: RequestName, input: unknown) => void {
  return (name, input) => {
    const required = requiredRoles.get(name)
    if (required === undefined || !staff.hasNames || isAboutOneDocument(name, input)) return
    const role = staff.authenticated()?.role
    if (role !== undefined && isAtLeast(role, required)) return
    if (role === undefined) fail('not-allowed', NOBODY_SIGNED_IN)
    fail('not-allowed', REFUSED[required], {
      next: 'Lock Countersign, and ask one of them to unlock it with their name and PIN.'
    })
  }
}

/** What happened to a document is shown with it, to everyone. */
function isAboutOneDocument(name: RequestName, input: unknown): boolean {
  return name === 'activity.list' && (input as { reference?: string } | undefined)?.reference !== undefined
}
