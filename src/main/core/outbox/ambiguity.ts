/** The two sides of an ambiguity that the user must settle: what was sent, and what the folders show that may match. */
import type { SendAmbiguity } from '../../../shared/contract/index.ts'
import { type DocumentResponse, fullName, type PackageResponse } from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import { itemsOf, logStartOf, type MatchContext } from './matching.ts'
import type { Ambiguity, Send, SentRequest } from './send-record.ts'
import type { Sends } from './sends.ts'

export function ambiguityOf(
  content: SentRequest,
  documents: readonly DocumentResponse[],
  missingFolders: readonly string[] = []
): Ambiguity {
  return {
    ...(missingFolders.length > 0 && { missingFolders: [...missingFolders] }),
    sent: itemsOf(content).map(({ Name, signers, ClientReference }) => ({
      name: Name,
      signers,
      clientReference: ClientReference
    })),
    found: documents.map(foundOf),
    packages: Object.fromEntries(
      documents.flatMap(({ Reference, PackageReference }) =>
        PackageReference ? [[Reference, PackageReference] as const] : []
      )
    )
  }
}

function foundOf(document: DocumentResponse): SendAmbiguity['found'][number] {
  const startedAt = logStartOf(document)
  return {
    reference: document.Reference,
    name: document.Name ?? '',
    signers: (document.Signers ?? []).map((signer) => `${fullName(signer)} <${signer.Email ?? ''}>`),
    folder: document.Folder ?? '',
    status: document.Status ?? '',
    clientReference: document.ClientReference ?? '',
    ...(startedAt !== undefined && { begunAt: startedAt })
  }
}

/** Returns whether any of these documents may be the send's: neither claimed by another send nor dismissed. */
export function mayStillMatch(
  { dismissed }: Pick<Send, 'dismissed'>,
  { found, packages }: Ambiguity,
  isClaimed: (reference: string, packageReference: string | undefined) => boolean
): boolean {
  return found.some(({ reference }) => !dismissed.includes(reference) && !isClaimed(reference, packages[reference]))
}

/** Returns what the screens show, without the data needed only for settling. */
export function ambiguityView({ sent, found, missingFolders }: Ambiguity): SendAmbiguity {
  return { sent, found, ...(missingFolders && { missingFolders }) }
}

/** The user's answer about an ambiguous send. Without documents, it arrived in a folder that can't be read. */
export type AmbiguityAnswer = { arrived: true; documents: readonly string[] } | { arrived: false }

/**
 * Stores the user's answer. Call it in a transaction.
 * @throws AppFailure `busy` if there is nothing to settle; `invalid` if no document is chosen although all folders were
 * read; `conflict` if a chosen document belongs to another send; `gone` if the user wasn't shown it.
 */
export function resolveAmbiguity(
  sends: Sends,
  send: Send,
  answer: AmbiguityAnswer,
  { isClaimed, settledAt }: Pick<MatchContext, 'isClaimed'> & { settledAt: number }
): Send {
  const { ambiguity } = send
  if (send.state !== 'uncertain' || !ambiguity) return fail('busy', 'Nothing needs deciding about this package.')
  if (answer.arrived) {
    const chosen = chosenOf(ambiguity, answer.documents)
    if (chosen.length === 0 && !ambiguity.missingFolders)
      fail('invalid', 'Choose the documents that belong to this package.')
    const isTaken = chosen.some((one) => isClaimed(one.Reference, one.PackageReference))
    if (isTaken)
      fail('conflict', 'This document belongs to another package that was sent.', { next: 'Compare them again.' })
    return sends.accepted(send, packageOf(chosen), settledAt)
  }
  const dismissed = [...new Set([...send.dismissed, ...ambiguity.found.map(({ reference }) => reference)])]
  const dismissedFolders = [...new Set([...send.dismissedFolders, ...(ambiguity.missingFolders ?? [])])]
  const concluded = { ambiguity: undefined, error: undefined, settledAt }
  return sends.change(send, { ...concluded, state: 'not-sent', dismissed, dismissedFolders })
}

/** Returns the documents that the user chose. */
function chosenOf({ found, packages }: Ambiguity, references: readonly string[]): DocumentResponse[] {
  return [...new Set(references)].map((reference) => {
    const shown =
      found.find((one) => one.reference === reference) ??
      fail('gone', 'This document isn’t one of the possible matches.', { next: 'Compare them again.' })
    return {
      Reference: reference,
      Name: shown.name,
      ...(packages[reference] && { PackageReference: packages[reference] })
    } as DocumentResponse
  })
}

/** Builds the package response that the service would have given for the documents found. */
export function packageOf(documents: readonly DocumentResponse[]): PackageResponse {
  const PackageReference = documents.find((document) => document.PackageReference)?.PackageReference
  return { Documents: [...documents], ...(PackageReference && { PackageReference }) }
}
