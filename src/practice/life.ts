/**
 * The life cycle of documents and signers: from sent to signed, declined or expired, and removed after the retention
 * period. The reference (section 3) lists the states but no transitions; these are the practice service's own, defined
 * only here:
 *
 * - document: NotStart → Filling (someone opened it) → `1 of 2 Signed` → Complete; Declined as soon as one signer
 * declines; Expired when the due date passes; an expired one that is extended continues where it was.
 * - signer: Initialized (not their turn yet) → Invitation → Reminder1, Reminder2, Reminder → Signed, Declined or
 * Expired.
 * - folder: InBox if untouched, or waiting for the account's own user; Progress if under way, or ended unsigned; Signed
 * if complete.
 */
import type { Folder } from '../shared/model/index.ts'
import { fullName, readGmt } from '../shared/model/index.ts'
import { Refusal } from './conventions.ts'
import { momentInWords } from './dates.ts'
import type { Account, DocumentRecord, PackageRecord, PracticeState, Signature, SignerRecord } from './state.ts'

export const DAY = 24 * 60 * 60 * 1000

/** An event that a NotifyUrl is called for. */
export type DocumentEvent =
  | 'Sent'
  | 'Opened'
  | 'Signed'
  | 'Complete'
  | 'Declined'
  | 'Expired'
  | 'Extended'
  | 'SignerUpdated'

/** Returns the signers that a document waits for: all but the optional ones, or all if everyone is optional. */
export function awaitedSigners(document: DocumentRecord): SignerRecord[] {
  const needed = document.signers.filter((signer) => !signer.optional)
  return needed.length > 0 ? needed : document.signers
}

export function hasSigned(signer: SignerRecord): boolean {
  return signer.signedAt !== undefined
}

/** Returns the status in the reference's words (2.14). */
export function statusOf(document: DocumentRecord): string {
  if (document.ending) return document.ending
  const signers = awaitedSigners(document)
  const signed = signers.filter(hasSigned).length
  if (signed > 0) return `${signed} of ${signers.length} Signed`
  return isUntouched(document) ? 'NotStart' : 'Filling'
}

export function folderOf(document: DocumentRecord, account: Account): Folder {
  if (document.ending === 'Complete') return 'Signed'
  if (document.ending) return 'Progress'
  if (isUntouched(document)) return 'InBox'
  const waitsForUser = document.signers.some(
    (signer) => signer.Email === account.user.Email && !hasSigned(signer) && isTurn(document, signer)
  )
  return waitsForUser ? 'InBox' : 'Progress'
}

function isUntouched(document: DocumentRecord): boolean {
  return document.signers.every((signer) => signer.openedAt === undefined && signer.signedAt === undefined)
}

/** Returns a package's status; the reference doesn't list the values. */
export function packageStatus(documents: readonly DocumentRecord[]): string {
  if (documents.length === 0) return 'Removed'
  const statuses = documents.map(statusOf)
  if (statuses.every((status) => status === 'Complete')) return 'Complete'
  if (statuses.includes('Declined')) return 'Declined'
  if (statuses.includes('Expired')) return 'Expired'
  return statuses.every((status) => status === 'NotStart') ? 'Sent' : 'InProgress'
}

/** Returns whose turn it is in a sequential document; undefined if no signer is awaited or the order doesn't matter. */
export function whoseTurn(document: DocumentRecord): SignerRecord | undefined {
  return document.sequential ? awaitedSigners(document).find((signer) => !hasSigned(signer)) : undefined
}

export function isTurn(document: DocumentRecord, signer: SignerRecord): boolean {
  const next = whoseTurn(document)
  return next === undefined || next === signer || signer.optional
}

/** Returns whether a signer's name and e-mail can be corrected: as long as they can still sign. */
export function isEditable(document: DocumentRecord, signer: SignerRecord): boolean {
  return !hasSigned(signer) && signer.status !== 'Declined' && (!document.ending || document.ending === 'Expired')
}

/** Returns whether the signer has to be identified before seeing the document. */
export function asksIdentity(signer: SignerRecord): boolean {
  return signer.idData.length > 0 || signer.video
}

/** Marks the document as opened by the signer. Returns whether this was the first time. */
export function markOpened(document: DocumentRecord, signer: SignerRecord, now: number): boolean {
  if (signer.openedAt !== undefined) return false
  signer.openedAt = now
  log(document, now, signer, 'Opened the document')
  return true
}

/** Signs for one signer; completes the document if they were the last. Returns what happened. */
export function sign(
  document: DocumentRecord,
  signer: SignerRecord,
  signature: Signature,
  now: number
): DocumentEvent[] {
  refuseEnded(document)
  if (hasSigned(signer)) throw new Refusal(409, 'AlreadySigned', 'This document is already signed.')
  if (!isTurn(document, signer)) throw new Refusal(409, 'NotYourTurn', 'Another person signs first.')
  signer.signature = signature
  signer.signedAt = now
  signer.status = 'Signed'
  log(document, now, signer, signature.kind === 'drawn' ? 'Signed by drawing' : 'Signed by typing')
  if (awaitedSigners(document).some((other) => !hasSigned(other))) {
    inviteNext(document, now)
    return ['Signed']
  }
  endDocument(document, 'Complete', now)
  logSystem(document, now, 'All signatures are in; the document is complete')
  return ['Signed', 'Complete']
}

/** Declines for one signer, which ends the document for everyone. */
export function decline(document: DocumentRecord, signer: SignerRecord, reason: string, now: number): DocumentEvent[] {
  refuseEnded(document)
  if (hasSigned(signer)) throw new Refusal(409, 'AlreadySigned', 'This document is already signed.')
  signer.status = 'Declined'
  signer.declinedReason = reason
  endDocument(document, 'Declined', now)
  log(document, now, signer, `Declined to sign: ${reason}`)
  return ['Declined']
}

/** Gives every document of a package a new due date, and revives expired ones (endpoint rule 4). */
export function extendPackage(
  state: PracticeState,
  reference: string,
  dueAt: number,
  gmt: string | undefined,
  now: number
) {
  const documents = documentsOf(state, state.packages[reference])
  for (const document of documents) {
    document.dueAt = dueAt
    if (gmt !== undefined) document.gmt = gmt
    if (document.ending === 'Expired') revive(document)
    log(
      document,
      now,
      state.account.user,
      `Due date moved to ${momentInWords(dueAt, readGmt(document.gmt) ?? state.account.gmt)}`,
      'Sender'
    )
  }
  return documents
}

function revive(document: DocumentRecord): void {
  delete document.ending
  delete document.endedAt
  for (const signer of document.signers) {
    if (signer.status === 'Expired') signer.status = isTurn(document, signer) ? 'Invitation' : 'Initialized'
  }
}

/** Reminds an awaited signer: Reminder1, Reminder2, then Reminder. */
export function remind(document: DocumentRecord, signer: SignerRecord, sender: Account['user'], now: number): void {
  refuseEnded(document)
  if (hasSigned(signer)) throw new Refusal(409, 'AlreadySigned', 'This person has signed already.')
  const next = { Reminder1: 'Reminder2', Reminder2: 'Reminder', Reminder: 'Reminder' } as const
  signer.status = next[signer.status as keyof typeof next] ?? 'Reminder1'
  signer.wrongAnswers = 0
  log(document, now, sender, `Reminder sent to ${fullName(signer)}`, 'Sender')
}

/**
 * Lets time pass: open documents past their due date expire, and ended ones are removed after the retention period.
 * Returns the documents that have just expired, and when the next change is due if nobody does anything.
 */
export function expireAndPurge(
  state: PracticeState,
  now: number,
  retention: number
): { expired: DocumentRecord[]; next: number } {
  const expired: DocumentRecord[] = []
  let next = Number.POSITIVE_INFINITY
  for (const document of Object.values(state.documents)) {
    if (document.endedAt === undefined && document.dueAt <= now) {
      expire(document, now)
      expired.push(document)
    }
    // Retention counts from the due date, so a document whose expiry went unnoticed for long may be removed at once.
    const at = document.endedAt === undefined ? document.dueAt : document.endedAt + retention
    if (at <= now) remove(state, document)
    else if (at < next) next = at
  }
  return { expired, next }
}

function expire(document: DocumentRecord, now: number): void {
  endDocument(document, 'Expired', Math.min(document.dueAt, now))
  for (const signer of document.signers) if (!hasSigned(signer)) signer.status = 'Expired'
  logSystem(document, document.dueAt, 'The due date passed; the document expired')
}

function remove(state: PracticeState, document: DocumentRecord): void {
  delete state.documents[document.reference]
  const bundle = state.packages[document.packageReference]
  if (!bundle) return
  bundle.documents = bundle.documents.filter((reference) => reference !== document.reference)
  if (bundle.documents.length === 0) delete state.packages[bundle.reference]
}

export function documentsOf(state: PracticeState, bundle: PackageRecord | undefined): DocumentRecord[] {
  return (bundle?.documents ?? []).flatMap((reference) => {
    const document = state.documents[reference]
    return document ? [document] : []
  })
}

export function inviteNext(document: DocumentRecord, now: number): void {
  for (const signer of document.signers) {
    if (signer.status !== 'Initialized' || signer.optional || !isTurn(document, signer)) continue
    signer.status = 'Invitation'
    logSystem(document, now, `${document.embedded ? 'Signing link made' : 'Invitation sent'} for ${fullName(signer)}`)
  }
}

function endDocument(document: DocumentRecord, ending: NonNullable<DocumentRecord['ending']>, at: number): void {
  document.ending = ending
  document.endedAt = at
}

function refuseEnded(document: DocumentRecord): void {
  if (!document.ending) return
  throw new Refusal(409, 'DocumentEnded', `The document is ${document.ending.toLowerCase()}.`)
}

/** Adds a line to a document's log, in a person's name. */
export function log(
  document: DocumentRecord,
  at: number,
  person: { FirstName: string; LastName: string },
  action: string,
  role = 'Signer'
): void {
  document.logs.push({ at, name: fullName(person), action, role })
}

function logSystem(document: DocumentRecord, at: number, action: string): void {
  document.logs.push({ at, name: 'Practice service', action, role: 'System' })
}
