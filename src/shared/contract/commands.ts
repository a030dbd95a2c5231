/** Commands on documents, and commands of keys and menus that work anywhere, with their labels. */

/** For one document or many. The screens decide when each is available, and carry it out. */
export const DOCUMENT_COMMANDS = {
  remind: 'Remind…',
  extend: 'Extend due date…',
  correct: 'Correct a signer…',
  verify: 'Verify signatures',
  notary: 'Assign to a notary…',
  download: 'Download…',
  browser: 'Open in browser',
  resend: 'Send a new copy…',
  another: 'Send another like this',
  anotherToSame: 'Send another to the same people',
  hold: 'Keep (legal hold)…',
  copyEmails: 'Copy e-mail',
  copyLink: 'Copy link',
  copyReference: 'Copy reference',
  read: 'Mark read',
  unread: 'Mark unread'
} as const

export type DocumentCommand = keyof typeof DOCUMENT_COMMANDS

/** Available on every screen. */
export const APP_COMMANDS = {
  search: 'Search or run a command…',
  compose: 'New package',
  find: 'Find on this screen',
  back: 'Back',
  forward: 'Forward',
  refresh: 'Refresh',
  undo: 'Undo the last action',
  'zoom-in': 'Zoom in',
  'zoom-out': 'Zoom out',
  'zoom-reset': 'Actual size',
  lock: 'Lock Countersign',
  shortcuts: 'Keyboard shortcuts',
  help: 'Help'
} as const

export type AppCommand = keyof typeof APP_COMMANDS
