/** The contract between the main process and the screens. */

export { type EventName, type Events, eventNames } from './api.ts'
export * from './backups.ts'
export * from './commands.ts'
export { MAX_SHEET_BYTES, TRASH_DAYS, tooLargeSheet } from './composing-requests.ts'
export * from './document-actions.ts'
export * from './document-query.ts'
export * from './document-requests.ts'
export * from './error-traits.ts'
export * from './errors.ts'
export type {
  FolderPolling,
  OfficeMembershipState,
  OfficeMembershipView,
  OfficeTrailFinding,
  PollingTrouble
} from './office.ts'
export * from './requests.ts'
export * from './retention.ts'
export * from './support.ts'
export * from './views.ts'
