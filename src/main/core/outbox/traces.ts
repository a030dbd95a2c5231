/** Finds a send again in what the folders hold: by its ClientReferences; where those can't tell, by name, signers and time. */
import { type DocumentResponse, readGmt, readServiceDate } from '../../../shared/model/index.ts'
import type { SendRecord } from './sends.ts'

/** Clocks of the office and of the service may differ by this much, in milliseconds. */
const CLOCK_DIFFERENCE = 10 * 60_000

/**
 * The documents among `documents` that this send made.
 *
 * A reference that the office typed itself may be on documents of other sends too. Such a match counts only where
 * name and signers agree and the document isn't older than the send.
 * @param documents what all folders of the account hold now, with their logs where the service gives them.
 */
export function documentsOf(send: SendRecord, documents: readonly DocumentResponse[]): DocumentResponse[] {
  return itemsOf(send).flatMap((item) => {
    const sameReference = documents.filter((document) => document.ClientReference === item.ClientReference)
    if (item.ClientReference.startsWith(markOf(send.id))) return sameReference
    const candidates = sameReference.length > 0 ? sameReference : documents
    return candidates.filter(
      (document) =>
        sameName(document, item.Name) && sameSigners(document, item.emails) && !older(document, send.attemptedAt)
    )
  })
}

/** What our own ClientReferences of a send begin with. */
export function markOf(sendId: string): string {
  return `cs-${sendId}-`
}

interface Item {
  Name: string
  ClientReference: string
  emails: string[]
}

function itemsOf(send: SendRecord): Item[] {
  const items = send.kind === 'form-direct' ? send.request.Forms : send.request.Templates
  return items.map(({ Name, ClientReference, Signers }) => ({
    Name,
    ClientReference: ClientReference ?? '',
    emails: Signers.map((signer) => signer.Email.toLowerCase()).sort()
  }))
}

function sameName(document: DocumentResponse, name: string): boolean {
  const withoutExtension = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replace(/\.pdf$/, '')
  return withoutExtension(document.Name ?? '') === withoutExtension(name)
}

function sameSigners(document: DocumentResponse, emails: readonly string[]): boolean {
  const theirs = (document.Signers ?? []).map((signer) => (signer.Email ?? '').toLowerCase()).sort()
  return theirs.length === emails.length && theirs.every((email, index) => email === emails[index])
}

function older(document: DocumentResponse, attemptedAt: number): boolean {
  const begun = (document.Logs ?? [])
    .map((log) => readServiceDate(log.Date, readGmt(log.GMT))?.at)
    .filter((at) => at !== undefined)
  return begun.length > 0 && Math.min(...begun) < attemptedAt - CLOCK_DIFFERENCE
}
