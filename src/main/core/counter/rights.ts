/**
 * What each of staff may do, by their role: each role may do what the ones before it may. Asked before any request of the office's own
 * window is handled, so a screen that shows more than that gives nobody more. Where nobody has a name, everything is everyone's.
 */
import type { ClosedScreen, RequestName, StaffRole } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { mayAs } from './roles.ts'
import type { Staff } from './staff.ts'

/** What takes a role. Everything else is for all of staff: the counter, looking, their own settings. */
const TAKES = {
  // What is composed, sent and done to documents.
  clerk: [
    ...['drafts.save', 'drafts.remove', 'drafts.restore', 'drafts.erase', 'drafts.emptyTrash', 'drafts.duplicate'],
    ...['drafts.goBack', 'drafts.takeOver', 'drafts.setWhose', 'drafts.settle', 'drafts.export'],
    ...['presets.save', 'presets.rename', 'presets.remove', 'presets.export', 'exchange.import', 'outside.accept'],
    ...['sends.start', 'sends.now', 'sends.undo', 'sends.settle', 'sends.retry', 'sends.again', 'sends.another'],
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
      'actions.again',
      'actions.settle',
      'documents.correctedCopy',
      'documents.another'
    ],
    ...['dropFolders.add', 'dropFolders.change', 'dropFolders.remove'],
    ...['views.save', 'views.remove', 'people.forget', 'employers.save']
  ],
  // What concerns the work of others.
  manager: [
    ...['sends.release', 'sends.refuse', 'batches.release'],
    ...['outbox.configure', 'activity.list', 'audit.list', 'audit.check', 'audit.export'],
    ...['retention.release']
  ],
  // What concerns all that is done here. The counter's settings, staff, retention and the office ask for an administrator's PIN besides.
  administrator: [
    ...['accounts.add', 'accounts.update', 'accounts.remove', 'accounts.setPracticeDay', 'accounts.allowSigned'],
    ...['enrolment.prepare', 'enrolment.enrol', 'settingsFile.save', 'settingsFile.apply'],
    ...['storage.backUp', 'storage.backUpNow', 'storage.chooseBackupFolder'],
    ...['storage.restore', 'storage.scheduleBackups', 'storage.keepRecoveryKey', 'storage.changeKey', 'storage.remove']
  ]
} as const satisfies Partial<Record<StaffRole, readonly RequestName[]>>

/** The requests that take a role, with the least that does. */
export const rights: ReadonlyMap<RequestName, StaffRole> = new Map(
  Object.entries(TAKES).flatMap(([role, names]) => names.map((name) => [name, role as StaffRole] as const))
)

/** Screens that are for nothing but one request. */
const SCREENS = {
  ...{ activity: 'activity.list', audit: 'audit.list' },
  ...{ compose: 'drafts.save', bulk: 'bulk.send' }
} as const satisfies Record<ClosedScreen, RequestName>

/** Which of them would be a refusal and nothing else for who works here, each with why. Undefined where none would, and before anyone has entered their PIN. */
export function closedTo(staff: Pick<Staff, 'hasNames' | 'proved'>): Partial<Record<ClosedScreen, string>> | undefined {
  const role = staff.hasNames ? staff.proved()?.role : undefined
  const refused = role && refusedTo(staff)
  if (refused === undefined) return undefined
  const closed = Object.entries(SCREENS).flatMap(([screen, name]) => (refused[name] ? [[screen, refused[name]]] : []))
  return closed.length > 0 ? Object.fromEntries(closed) : undefined
}

/** Whole sentences, as they are shown. */
const REFUSED: Record<StaffRole, string> = {
  counter: 'Only staff can do this.',
  clerk: 'Only clerks, managers and administrators can do this.',
  manager: 'Only managers and administrators can do this.',
  administrator: 'Only administrators can do this.'
}

/** With what to do then, as a button that says it has nothing beside it. */
const NOBODY =
  'Nobody of staff has entered their PIN here yet. Lock Countersign, then unlock it with your name and PIN.'

/** What who works here is refused, each with why in a whole sentence: the screens offer none of it. Undefined where nothing is. */
export function refusedTo(staff: Pick<Staff, 'hasNames' | 'proved'>): Record<string, string> | undefined {
  if (!staff.hasNames) return undefined
  const role = staff.proved()?.role
  const refused = [...rights].filter(([, least]) => role === undefined || !mayAs(role, least))
  if (refused.length === 0) return undefined
  return Object.fromEntries(refused.map(([name, least]) => [name, role === undefined ? NOBODY : REFUSED[least]]))
}

/** @returns asks whether who works here may do this. @throws AppFailure `not-allowed`, with who may. */
export function rightsOf(staff: Pick<Staff, 'hasNames' | 'proved'>): (name: RequestName, input: unknown) => void {
  return (name, input) => {
    const least = rights.get(name)
    if (least === undefined || !staff.hasNames || isOneDocuments(name, input)) return
    const role = staff.proved()?.role
    if (role !== undefined && mayAs(role, least)) return
    if (role === undefined) fail('not-allowed', NOBODY)
    fail('not-allowed', REFUSED[least], { next: 'Lock Countersign, and have one unlock it with their name and PIN.' })
  }
}

/** What happened to a document is shown with it. */
function isOneDocuments(name: RequestName, input: unknown): boolean {
  return name === 'activity.list' && (input as { reference?: string } | undefined)?.reference !== undefined
}
