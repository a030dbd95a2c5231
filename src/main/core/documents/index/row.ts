/**
 * One document in the index: everything the list shows, filters and sorts by. Kept in memory, and on disk next to the
 * document.
 */
import type { DocumentRow, IdentityState, SignerProgress } from '../../../../shared/contract/index.ts'
import {
  type DocumentResponse,
  type DocumentStatus,
  fullName,
  readCertainDate,
  readDocumentStatus,
  readGmt,
  readServiceDate,
  type ServiceDate
} from '../../../../shared/model/index.ts'
import { withoutBlanks } from '../../lib/objects.ts'
import { compact, folded, shortened } from '../../lib/text-folding.ts'
import { canSignNow, identityOf, isFaceToFace, lacksLink, mayNeedCamera, personOf, stateOf } from '../progress.ts'

/** Texts of a row are shortened to this many characters; the document's page shows more. */
const MAX_TEXT_LENGTH = 500
/** Limits on the searchable text of a document's people, and of its references. */
const MAX_SEARCHED_LENGTH = 20_000

/** What the mirror knows about a document in addition to the service's data. */
export interface RowFacts {
  accountId: string
  folder: string
  /** 0 if it was there before our first read and nothing says since when. */
  arrivedAt: number
  changedAt: number
  /** When it was first seen complete. */
  completedAt?: number
  goneAt?: number
  unread: boolean
}

export interface RowSigner extends SignerProgress {
  faceToFace?: true
  /** See `personOf`; only for signers who can sign here. */
  person?: string
  mayNeedCamera?: true
  /** See `lacksLink`. */
  lacksLink?: true
}

/** Immutable: a changed document gets a new row. Plain JSON. */
export interface IndexRow extends RowFacts {
  reference: string
  name: string
  status: DocumentStatus
  /** How many have signed, of how many; absent if there are no signers. */
  progress?: { signed: number; of: number }
  due?: ServiceDate
  /** The service's text, if it can't be read with certainty. */
  dueWritten?: string
  isDueAmbiguous?: true
  lastSigned?: ServiceDate
  /** Like `dueWritten`. */
  lastSignedWritten?: string
  /** Minutes east of UTC, if the document says so. */
  gmt?: number
  packageReference?: string
  clientReference?: string
  formDirectReference?: string
  matterNumber?: string
  /** Absent if the service doesn't say. */
  idVerificationRequested?: boolean
  identity: IdentityState
  hasFileUploaded: boolean
  signers: RowSigner[]
  /** The folded searchable text, one item per line; `people` is the range of lines about people. */
  search: string
  people: { from: number; to: number }
}

export function indexRowOf(document: DocumentResponse, facts: RowFacts): IndexRow {
  const { Reference: reference, Signers: people = [] } = document
  const gmt = readGmt(document.GMT)
  const name = shortenedText(document.Name?.trim()) ?? shortened(reference, MAX_TEXT_LENGTH)
  const status = readDocumentStatus(shortenedText(document.Status))
  const signers = people.map((signer, index): RowSigner => {
    const canSignHere = canSignNow(document, index)
    const isWithoutLink = lacksLink(document, index)
    const declinedReason = shortenedText(signer.DeclinedReason?.trim())
    return {
      name: shortened(fullName(signer), MAX_TEXT_LENGTH),
      state: stateOf(document, signer),
      canSignHere,
      ...(declinedReason !== undefined && { declinedReason }),
      ...(isFaceToFace(signer) && { faceToFace: true }),
      // Only for the few at a counter: there are hundreds of thousands of others.
      ...((canSignHere || isWithoutLink) && {
        person: personOf(document, index),
        ...(mayNeedCamera(document, index) && { mayNeedCamera: true })
      }),
      ...(isWithoutLink && { lacksLink: true })
    }
  })
  const nameLine = `${folded(name)}\n`
  const peopleLines = linesOf(people.flatMap((signer) => [fullName(signer), signer.Email]))
  const referenceLines = linesOf([
    reference,
    document.PackageReference,
    document.ClientReference,
    document.FormDirectReference,
    document.MatterNumber
  ])
  return {
    ...facts,
    reference,
    name,
    status,
    identity: identityOf(document),
    hasFileUploaded: document.HasFileUploaded ?? false,
    signers,
    search: compact(nameLine + peopleLines + referenceLines),
    people: { from: nameLine.length, to: nameLine.length + peopleLines.length },
    ...withoutBlanks({
      idVerificationRequested: document.IDVerificationRequested,
      progress: progressOf(status, signers),
      ...dueIn(document, gmt),
      ...lastSignedIn(document, gmt),
      gmt,
      packageReference: document.PackageReference,
      clientReference: shortenedText(document.ClientReference),
      formDirectReference: shortenedText(document.FormDirectReference),
      matterNumber: shortenedText(document.MatterNumber)
    })
  }
}

/** An ambiguous date isn't used for calculations. */
function dueIn({ DueDate }: DocumentResponse, gmt: number | undefined) {
  const due = readServiceDate(DueDate, gmt)
  const isAmbiguous = due?.isAmbiguous
  return due && !isAmbiguous ? { due } : { dueWritten: shortenedText(DueDate?.trim()), isDueAmbiguous: isAmbiguous }
}

function lastSignedIn({ LastSignedDate }: DocumentResponse, gmt: number | undefined) {
  const lastSigned = readCertainDate(LastSignedDate, gmt)
  return lastSigned ? { lastSigned } : { lastSignedWritten: shortenedText(LastSignedDate?.trim()) }
}

/** Returns the row as the list shows it. */
export function documentRowOf(row: IndexRow): DocumentRow {
  const { lastSigned, packageReference, clientReference, formDirectReference, matterNumber, goneAt } = row
  return {
    kind: 'document',
    accountId: row.accountId,
    reference: row.reference,
    name: row.name,
    folder: row.folder,
    status: row.status,
    identity: row.identity,
    hasFileUploaded: row.hasFileUploaded,
    signers: row.signers.map(({ name, state, canSignHere, declinedReason }) => ({
      name,
      state,
      canSignHere,
      ...(declinedReason !== undefined && { declinedReason })
    })),
    unread: row.unread,
    changedAt: row.changedAt,
    ...withoutBlanks({
      idVerificationRequested: row.idVerificationRequested,
      due: dueOf(row),
      dueWritten: row.dueWritten,
      isDueAmbiguous: row.isDueAmbiguous,
      lastSigned: lastSigned && withDayOffset(lastSigned, row.gmt),
      lastSignedWritten: row.lastSignedWritten,
      packageReference,
      clientReference,
      formDirectReference,
      matterNumber,
      goneAt
    })
  }
}

export function dueOf({ due, gmt }: Pick<IndexRow, 'due' | 'gmt'>): ServiceDate | undefined {
  return due && withDayOffset(due, gmt)
}

/** Returns the date with the offset that a day without a time was written in, so that everybody sees the same day. */
export function withDayOffset(date: ServiceDate, gmt = 0): ServiceDate {
  return date.precision === 'day' ? { ...date, offset: date.offset ?? gmt } : date
}

/**
 * Returns the day of a date without a time as if it were in UTC, in milliseconds; when it begins depends on the
 * office's zone.
 */
export function writtenDay(date: ServiceDate, gmt = 0): number {
  return date.at + (date.offset ?? gmt) * 60_000
}

/** Returns whether someone can sign it at the counter now. */
export function waitsHere(row: IndexRow): boolean {
  return row.goneAt === undefined && row.signers.some(({ canSignHere }) => canSignHere)
}

/** The service's own count if its status contains one, else the signers', if the state of every signer is known. */
function progressOf(status: DocumentStatus, signers: readonly RowSigner[]): IndexRow['progress'] {
  const { signed, of } = status
  if (signed !== undefined && of) return { signed, of }
  if (signers.length === 0 || signers.some(({ state }) => state === 'unknown')) return undefined
  return { signed: signers.filter(({ state }) => state === 'signed').length, of: signers.length }
}

function linesOf(texts: readonly (string | undefined)[]): string {
  let lines = ''
  for (const text of new Set(texts)) {
    if (lines.length > MAX_SEARCHED_LENGTH) break
    if (text) lines += `${folded(text.slice(0, MAX_TEXT_LENGTH))}\n`
  }
  return lines
}

function shortenedText(text: string | undefined): string | undefined {
  return text ? shortened(text, MAX_TEXT_LENGTH) : undefined
}
