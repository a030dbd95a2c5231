/** The contract between the main process and the screens. */
export type { Api } from './api.ts'
export { type EventName, eventNames, type RequestName, requestNames } from './channels.ts'
export * from './errors.ts'
export type { Events, EventsAreComplete } from './events.ts'
export * from './requests.ts'
export type * from './views.ts'
