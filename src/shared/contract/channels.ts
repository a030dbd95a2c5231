/**
 * The names of everything that crosses the process boundary. The preload exposes exactly these; requests.ts and
 * events.ts say what each carries, and the compiler holds the three together.
 */
export const requestNames = [
  'accounts.list',
  'accounts.add',
  'accounts.update',
  'accounts.choose',
  'accounts.remove',
  'accounts.check',
  'accounts.connection',
  'templates.list',
  'recipients.list',
  'drafts.list',
  'drafts.get',
  'drafts.save',
  'drafts.remove',
  'sends.start',
  'sends.list',
  'sends.get',
  'sends.reconcile',
  'sends.again',
  'documents.list',
  'documents.get',
  'documents.refresh',
  'documents.extend',
  'documents.validate',
  'documents.openInBrowser',
  'downloads.start',
  'downloads.list',
  'downloads.cancel',
  'downloads.again',
  'downloads.reveal',
  'downloads.folder',
  'downloads.chooseFolder',
  'counter.queue',
  'counter.start',
  'counter.state',
  'counter.show',
  'counter.cover',
  'counter.end',
  'settings.get',
  'settings.set',
  'system.status',
  'system.copy'
] as const
export type RequestName = (typeof requestNames)[number]

/** Events carry ids and versions, never records: the renderer asks for what it shows. */
export const eventNames = [
  'accounts.changed',
  'connection.changed',
  'drafts.changed',
  'sends.changed',
  'documents.changed',
  'downloads.changed',
  'counter.changed',
  'settings.changed',
  'menu.chosen'
] as const
export type EventName = (typeof eventNames)[number]
