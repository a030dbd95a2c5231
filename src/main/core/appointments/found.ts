/** What a file of appointments contains, whether it is a calendar or a table. */
import { createHash } from 'node:crypto'
import { fail } from '../lib/failure.ts'
import { shortened } from '../lib/text-folding.ts'

export interface FoundAppointment {
  /** The same each time the file is imported. */
  key: string
  /** For a calendar: shared by all dates of one event. */
  series?: string
  /** A lower one means an older file. */
  version: number
  name: string
  email: string
  mobile: string
  /** Milliseconds since 1970 UTC. */
  at: number
  minutes: number
  place: string
  /** The purpose of the visit. */
  about: string
  /** In words, what was read differently from what the file says. */
  notes: string[]
}

/** An entry that can't be imported, and why, in one plain sentence. */
interface RefusedAppointment {
  /** Its name, or its place in the file. */
  name: string
  why: string
}

export interface FoundInFile {
  appointments: FoundAppointment[]
  refused: RefusedAppointment[]
  /** Keys of cancelled dates and of series cancelled as a whole, each with its version. */
  cancelled: { key: string; version: number }[]
  /**
   * Series whose dates up to `until` are all in the file, each with its version: a known date that isn't among them is
   * gone.
   */
  whole: { key: string; version: number }[]
  until: number
  /** In words, about the file as a whole. */
  notes: string[]
}

/** The context for reading a file: the current time, and the zone of the office's clocks. */
export interface ReadContext {
  now: number
  zone: string
}

const DAYS_AHEAD = 60
/** In minutes, if the file doesn't say. */
export const DEFAULT_MINUTES = 30
const DAY = 86_400_000
/** In characters. */
const MAX_NAME_LENGTH = 200
const MAX_TEXT_LENGTH = 200
/** In minutes. */
const MAX_MINUTES = 24 * 60
/** How many are kept from one file. */
export const MAX_FOUND = 2000

/** An entry was refused. The message is a sentence for the user, shown with the row. */
export class RefusedEntry extends Error {}

export function refuseEntry(why: string): never {
  throw new RefusedEntry(why)
}

/** Reduces text to one line, without control characters and those that change the direction of adjacent text. */
export function plainText(text: unknown, maxLength = MAX_TEXT_LENGTH): string {
  if (typeof text !== 'string') return ''
  // Looks no further than needed: a file may hold megabytes in one line.
  const beginning = text.slice(0, maxLength * 20)
  return shortened(
    beginning
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
      .trim(),
    maxLength
  )
}

/** @throws Refused if it is empty or too long. */
export function nameOf(text: unknown): string {
  const name = plainText(text, MAX_NAME_LENGTH + 1)
  if (name === '') refuseEntry('There is no name.')
  if (name.length > MAX_NAME_LENGTH) refuseEntry(`The name is longer than ${MAX_NAME_LENGTH} characters.`)
  return name
}

/** Returns '' if it isn't an e-mail address. */
export function emailOf(text: unknown): string {
  const address = plainText(text)
    .replace(/^mailto:/i, '')
    .trim()
  return /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(address) ? address : ''
}

/** Returns the length in minutes. @throws Refused if it ends before it starts, or is longer than a day. */
export function minutesBetween(at: number, end: number): number {
  const minutes = Math.round((end - at) / 60_000)
  if (minutes < 0) refuseEntry('It ends before it starts.')
  if (minutes > MAX_MINUTES) refuseEntry('It’s longer than a day.')
  return minutes === 0 ? DEFAULT_MINUTES : minutes
}

export function importWindow(today: number): { from: number; until: number } {
  return { from: today, until: today + DAYS_AHEAD * DAY }
}

/** @throws AppFailure `bad-file`: the file as a whole can't be used. */
export function refuseFile(message: string, next?: string): never {
  return fail('bad-file', message, next === undefined ? {} : { next })
}

/** Makes a key from texts of any length. */
export function makeKey(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)
}
