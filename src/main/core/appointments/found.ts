/** What a file of appointments has: the same, whether it is a calendar or a table. */
import { createHash } from 'node:crypto'
import { fail } from '../lib/failure.ts'
import { shortened } from '../lib/text-folding.ts'

export interface FoundAppointment {
  /** The same whenever the file is imported again. */
  key: string
  /** Of a calendar: what all dates of one event have. */
  series?: string
  /** A file with a lower one is older. */
  version: number
  name: string
  email: string
  mobile: string
  /** Milliseconds since 1970 UTC. */
  at: number
  minutes: number
  place: string
  /** What they come for. */
  about: string
  /** What was read otherwise than it stands there, in words. */
  notes: string[]
}

/** What can't be taken over, and why, in one plain sentence. */
interface RefusedAppointment {
  /** What it is called, or where it stands. */
  name: string
  why: string
}

export interface FoundInFile {
  appointments: FoundAppointment[]
  refused: RefusedAppointment[]
  /** Keys that are cancelled, and series that are as a whole, each with its version. */
  cancelled: { key: string; version: number }[]
  /** Series of which the file has every date up to `until`: one of these that it doesn't have is gone. */
  whole: string[]
  until: number
  /** In words, of the file as a whole. */
  notes: string[]
}

/** What the file is read by: the moment, and the zone that the office's clocks show. */
export interface ReadAt {
  now: number
  zone: string
}

const DAYS_AHEAD = 60
/** In minutes, where the file doesn't say. */
export const USUAL_LENGTH = 30
const DAY = 86_400_000
/** In characters. */
const LONGEST_NAME = 200
const LONGEST_TEXT = 200
/** In minutes. */
const LONGEST = 24 * 60
/** So many are kept of one file. */
export const MOST_FOUND = 2000

/** Says why in a sentence; the readers put it beside the row. */
export class Refused extends Error {}

export function refuse(why: string): never {
  throw new Refused(why)
}

/** One line of text: no control characters, and none that turn the direction of what stands beside it. */
export function plainText(text: unknown, longest = LONGEST_TEXT): string {
  if (typeof text !== 'string') return ''
  // Looked at no further than needed: a file may hold megabytes in one line.
  const beginning = text.slice(0, longest * 20)
  return shortened(
    beginning
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
      .trim(),
    longest
  )
}

/** @throws Refused if there is none, or a whole page of it. */
export function nameOf(text: unknown): string {
  const name = plainText(text, LONGEST_NAME + 1)
  if (name === '') refuse('There is no name.')
  if (name.length > LONGEST_NAME) refuse(`The name is longer than ${LONGEST_NAME} characters.`)
  return name
}

/** '' for what isn't an address. */
export function emailOf(text: unknown): string {
  const address = plainText(text)
    .replace(/^mailto:/i, '')
    .trim()
  return /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(address) ? address : ''
}

/** @throws Refused if it ends before it starts, or lasts for days. */
export function lengthOf(at: number, end: number): number {
  const minutes = Math.round((end - at) / 60_000)
  if (minutes < 0) refuse('It ends before it starts.')
  if (minutes > LONGEST) refuse('It’s longer than a day.')
  return minutes === 0 ? USUAL_LENGTH : minutes
}

/** Where the window of what is taken over begins and ends. */
export function windowOf(today: number): { from: number; until: number } {
  return { from: today, until: today + DAYS_AHEAD * DAY }
}

/** @throws AppFailure: what the file is as a whole can't be used. */
export function refuseFile(message: string, next?: string): never {
  return fail('bad-file', message, next === undefined ? {} : { next })
}

/** A key made of texts of any length. */
export function hashed(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)
}
