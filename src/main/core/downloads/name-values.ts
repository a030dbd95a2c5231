/** The values of a name pattern's placeholders, and how they are written. */
import { offsetIn } from '../../../shared/composition/zone.ts'
import type { DownloadType } from '../../../shared/contract/index.ts'
import { matterOf } from '../../../shared/matter.ts'
import { fullName, readCertainDate, readGmt } from '../../../shared/model/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'

export interface NameParts {
  account: string
  document: string
  package?: string
  matter?: string
  reference: string
  clientReference?: string
  /** Full names, in signing order. */
  signers: string[]
  type: DownloadType
  /** When the document was completed or last signed, or else now; like `due` in milliseconds since 1970 UTC. */
  date: number
  due?: number
  /** IANA name of the office's time zone, which dates are written in. */
  zone: string
}

const MINUTE = 60_000

/** A placeholder's name as in "No …", and its value; undefined or blank if there is none. */
interface Meaning {
  called: string
  value: (parts: NameParts) => string | undefined
}

const meanings = {
  account: { called: 'account', value: ({ account }) => account },
  document: { called: 'name', value: ({ document }) => document.replace(/\.(?:pdf|docx?)\s*$/i, '') },
  package: { called: 'package', value: (parts) => parts.package },
  matter: {
    called: 'matter',
    value: ({ matter, clientReference }) => matterOf({ matterNumber: matter, clientReference })
  },
  reference: { called: 'reference', value: ({ reference }) => reference },
  clientReference: { called: 'client reference', value: ({ clientReference }) => clientReference },
  signer: { called: 'signer', value: ({ signers }) => firstAndCount(visibleNames(signers)) },
  signers: { called: 'signers', value: ({ signers }) => visibleNames(signers).join(', ') },
  type: { called: 'type', value: ({ type }) => type },
  date: { called: 'date', value: ({ date, zone }) => dateParts(date, zone)?.day },
  longDate: { called: 'date', value: ({ date, zone }) => dateParts(date, zone)?.inWords },
  yyyy: { called: 'year', value: ({ date, zone }) => dateParts(date, zone)?.year },
  mm: { called: 'month', value: ({ date, zone }) => dateParts(date, zone)?.month },
  dd: { called: 'day', value: ({ date, zone }) => dateParts(date, zone)?.dayOfMonth },
  time: { called: 'time', value: ({ date, zone }) => dateParts(date, zone)?.time },
  due: { called: 'due date', value: ({ due, zone }) => (due === undefined ? undefined : dateParts(due, zone)?.day) }
} satisfies Record<string, Meaning>

export type Placeholder = keyof typeof meanings

/** All placeholders, in the order in which they are listed to users. */
export const PLACEHOLDERS = Object.keys(meanings) as Placeholder[]

/** Returns the placeholder that a user means, in any case; undefined if there is none. */
export function placeholderOf(text: string): Placeholder | undefined {
  const wanted = text.trim().toLowerCase()
  return PLACEHOLDERS.find((name) => name.toLowerCase() === wanted)
}

/** Returns its value in one line, without invisible characters; empty if there is none. */
export function placeholderValue(placeholder: Placeholder, parts: NameParts): string {
  const { value }: Meaning = meanings[placeholder]
  return visibleText(value(parts) ?? '')
}

/** Returns "client reference", for example, as in "No client reference". */
export function placeholderLabel(placeholder: Placeholder): string {
  return meanings[placeholder].called
}

/** Returns text as it is displayed. Invisible characters would make two names of what looks like one. */
export function visibleText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\s\p{Z}]+/gu, ' ')
    .replaceAll(/\p{C}/gu, '')
    .trim()
}

function visibleNames(signers: readonly string[]): string[] {
  return signers.map(visibleText).filter((name) => name !== '')
}

function firstAndCount([first, ...others]: readonly string[]): string | undefined {
  if (others.length === 0) return first
  return `${first} and ${others.length} ${others.length === 1 ? 'other' : 'others'}`
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December']
]

/** Returns date and time in the zone; undefined if the time is out of range. */
function dateParts(at: number, zone: string) {
  if (Number.isNaN(new Date(at).getTime())) return undefined
  const local = new Date(at + (offsetIn(zone, at) ?? 0) * MINUTE)
  if (Number.isNaN(local.getTime())) return undefined
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const year = String(local.getUTCFullYear()).padStart(4, '0')
  const month = twoDigits(local.getUTCMonth() + 1)
  const dayOfMonth = twoDigits(local.getUTCDate())
  // A colon isn't allowed in file names.
  const time = `${twoDigits(local.getUTCHours())}-${twoDigits(local.getUTCMinutes())}`
  const inWords = `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]} ${year}`
  return { year, month, dayOfMonth, day: `${year}-${month}-${dayOfMonth}`, inWords, time }
}

interface NamingContext {
  account: string
  reference: string
  /** Its name when it was queued; for a document that is no longer known. */
  name: string
  type: NameParts['type']
  /** Replaces an unknown date. Must be the same each time, so that the name is. */
  fallbackDate: number
  zone: string
}

/**
 * Collects what a file's name is made of, from its document as the folders showed it.
 * @param mirrored undefined if the document is no longer known.
 */
export function namePartsOf(
  { account, reference, name, type, fallbackDate, zone }: NamingContext,
  mirrored: MirroredDocument | undefined
): NameParts {
  const document = mirrored?.document
  const gmt = readGmt(document?.GMT)
  const date = readCertainDate(document?.LastSignedDate, gmt)?.at ?? fallbackDate
  const due = readCertainDate(document?.DueDate, gmt)?.at
  return {
    account,
    reference,
    type,
    date,
    zone,
    document: document?.Name?.trim() || name,
    signers: (document?.Signers ?? []).map(fullName).filter((one) => one !== ''),
    ...(document?.PackageReference && { package: document.PackageReference }),
    ...(document?.MatterNumber && { matter: document.MatterNumber }),
    ...(document?.ClientReference && { clientReference: document.ClientReference }),
    ...(due !== undefined && { due })
  }
}
