/** The contract between the main process and the screens. */

export { type EventName, eventNames, personRequestNames, type RequestName, requestNames } from './channels.ts'
export { TRASH_DAYS } from './composing-requests.ts'

export * from './data-type-spelling.ts'
export * from './document-requests.ts'
export { IDENTITY_FILTERS, IDENTITY_STATES } from './document-views.ts'
export * from './errors.ts'
export type { Events } from './events.ts'
export * from './requests.ts'
export { SignerCorrection } from './signer-correction.ts'
export type * from './views.ts'
