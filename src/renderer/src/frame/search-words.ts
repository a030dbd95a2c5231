/**
 * Further words by which people search for commands, screens and sections, besides their names: what other programs
 * call them, in both spellings of English. They are never shown.
 */
import type { AppCommand, DocumentCommand } from '../../../shared/contract/commands.ts'
import type { ScreenName } from '../state/router.svelte.ts'

export const DOCUMENT_COMMAND_WORDS: Readonly<Record<DocumentCommand, string>> = {
  remind: 'reminder resend send again chase nudge prompt notify invitation',
  extend: 'deadline expiry postpone delay later longer renew more time',
  correct: 'change edit fix amend update name e-mail email address mobile phone typo',
  verify: 'check validate valid authentic',
  notary: 'notarise notarize witness',
  download: 'save export get print pdf files',
  browser: 'web page website internet service',
  resend: 'resend again redo replace reissue correct',
  another: 'duplicate copy repeat again new create start',
  anotherToSame: 'duplicate copy repeat again new create start resend',
  hold: 'preserve protect retain retention litigation',
  copyEmails: 'email addresses contacts',
  copyLink: 'url address share',
  copyReference: 'number id identifier',
  read: 'seen done',
  unread: 'unseen later'
}

/** The commands that people look for by name; the others are only keys. */
export type PaletteCommand = Exclude<AppCommand, 'search' | 'find' | 'undo' | 'help'>

export const APP_COMMAND_WORDS: Readonly<Record<PaletteCommand, string>> = {
  compose: 'compose create start begin write send document envelope form',
  refresh: 'reload update sync synchronise',
  back: 'previous return',
  forward: 'next page',
  'zoom-in': 'bigger larger enlarge text',
  'zoom-out': 'smaller reduce text',
  'zoom-reset': 'zoom normal reset 100%',
  lock: 'sign out log out logout sign off away',
  shortcuts: 'keys hotkeys'
}

export const SCREEN_WORDS: Readonly<Partial<Record<ScreenName, string>>> = {
  today: 'home overview dashboard to-do tasks',
  bulk: 'mass many batch spreadsheet excel csv mail merge sheet import',
  drafts: 'unfinished saved packages',
  outbox: 'sent sending queue waiting cancel void withdraw recall stop undo retry pause resume failed stuck',
  documents: 'folders inbox find list remind resend send again extend correct print',
  counter: 'face to face in person sign here queue appointments walk-in reception front desk',
  audit: 'evidence log history record',
  downloads: 'saved files save export print pdf reports',
  directory: 'people address book contacts employers forms templates',
  activity: 'history log events changes',
  settings: 'preferences options configuration',
  requests: 'network api diagnostics troubleshooting',
  help: 'manual guide handbook how to'
}

/** By the name of a section of the settings. */
export const SETTINGS_WORDS: Readonly<Partial<Record<string, string>>> = {
  accounts: 'add connect remove delete sign in login password credentials',
  appearance: 'dark light mode colours colors font size',
  notifications: 'alerts sounds badge mute',
  counter: 'kiosk tablet camera pen face to face',
  downloads: 'save location path',
  'drop-folders': 'watched hot folder automatic import',
  hints: 'live push realtime',
  office: 'shared server network join team',
  safety: 'export import restore encryption erase delete remove privacy',
  updates: 'upgrade new release',
  support: 'diagnostics report problem crash',
  about: 'build number licence license'
}

/** By the id of a place that isn't a whole screen. */
export const PLACE_WORDS: Readonly<Partial<Record<string, string>>> = {
  'go-board': 'waiting room called serving display',
  'go-presets': 'saved packages favourites favorites',
  'go-trash': 'deleted bin recycle restore recover undelete delete remove'
}

/** By the id of a section of the handbook. */
export const HELP_WORDS: Readonly<Partial<Record<string, string>>> = {
  'guide/withdraw-a-document': 'cancel void recall revoke delete remove stop take back'
}
