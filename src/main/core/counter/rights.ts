/**
 * What each of staff may do, by their role: each role may do what the ones before it may. Asked before any request of the office's own
 * window is handled, so a screen that shows more than that gives nobody more. Where nobody has a name, everything is everyone's.
 */
import type { ClosedScreen, RequestName, StaffRole } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { mayAs, type Staff } from './staff.ts'

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

/** Screens that show nothing but one request’s answer. */
const SCREENS = { activity: 'activity.list', audit: 'audit.list' } as const satisfies Record<ClosedScreen, RequestName>

/** Which of them would show who works here a refusal alone. */
export function closedTo(staff: Pick<Staff, 'hasNames' | 'proved'>): ClosedScreen[] {
  const role = staff.hasNames ? staff.proved()?.role : undefined
  if (role === undefined) return []
  const screens = Object.keys(SCREENS) as ClosedScreen[]
  return screens.filter((screen) => !mayAs(role, rights.get(SCREENS[screen]) ?? 'counter'))
}

/** Whole sentences, as they are shown. */
const REFUSED: Record<StaffRole, string> = {
  counter: 'Only staff can do this.',
  clerk: 'Only clerks, managers and administrators can do this.',
  manager: 'Only managers and administrators can do this.',
  administrator: 'Only administrators can do this.'
}

/** @returns asks whether who works here may do this. @throws AppFailure `not-allowed`, with who may. */
export function rightsOf(staff: Pick<Staff, 'hasNames' | 'proved'>): (name: RequestName, input: unknown) => void {
  return (name, input) => {
    const least = rights.get(name)
    if (least === undefined || !staff.hasNames || isOneDocuments(name, input)) return
    const role = staff.proved()?.role
    if (role !== undefined && mayAs(role, least)) return
    if (role === undefined) {
      fail('not-allowed', 'Nobody of staff has entered their PIN here yet.', {
        next: 'Lock Countersign, then unlock it with your name and PIN.'
      })
    }
    fail('not-allowed', REFUSED[least], { next: 'Lock Countersign, and have one unlock it with their name and PIN.' })
  }
}

/** What happened to a document is shown with it. */
function isOneDocuments(name: RequestName, input: unknown): boolean {
  return name === 'activity.list' && (input as { reference?: string } | undefined)?.reference !== undefined
}
