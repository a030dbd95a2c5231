/** What can be done with documents, and what keys and menus do anywhere: each by its name, with what it is called. */

/** On one document or on many. The screens say when each is possible, and do it. */
export const DOCUMENT_COMMANDS = {
  remind: 'Remind…',
  extend: 'Extend due date…',
  correct: 'Correct a signer…',
  verify: 'Verify signatures',
  notary: 'Assign to a notary…',
  download: 'Download…',
  browser: 'Open in browser',
  resend: 'Send a corrected copy',
  another: 'Send another like this',
  anotherToSame: 'Send another to the same people',
  hold: 'Put on hold…',
  copyEmails: 'Copy e-mail',
  copyLink: 'Copy link',
  copyReference: 'Copy reference',
  read: 'Mark read',
  unread: 'Mark unread'
} as const

export type DocumentCommand = keyof typeof DOCUMENT_COMMANDS

/** What works wherever one is. */
export const APP_COMMANDS = {
  search: 'Search or run a command…',
  compose: 'New package',
  find: 'Find in this screen',
  back: 'Back',
  forward: 'Forward',
  refresh: 'Refresh',
  undo: 'Undo what was just done',
  'zoom-in': 'Zoom in',
  'zoom-out': 'Zoom out',
  'zoom-reset': 'Actual size',
  lock: 'Lock Countersign',
  shortcuts: 'Keyboard shortcuts',
  help: 'Help'
} as const

export type AppCommand = keyof typeof APP_COMMANDS
