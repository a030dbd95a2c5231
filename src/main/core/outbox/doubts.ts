/** Both sides of a doubt that a person must settle: what was sent, and what the folders show that may be it. */
import type { SendDoubt } from '../../../shared/contract/index.ts'
import { type DocumentResponse, fullName, type PackageResponse } from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import type { Doubt, Send, SentRequest } from './send-record.ts'
import { begunAt } from './sight.ts'
import { itemsOf } from './traces.ts'

export function doubtOf(content: SentRequest, documents: readonly DocumentResponse[]): Doubt {
  return {
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

function foundOf(document: DocumentResponse): SendDoubt['found'][number] {
  const begun = begunAt(document)
  return {
    reference: document.Reference,
    name: document.Name ?? '',
    signers: (document.Signers ?? []).map((signer) => `${fullName(signer)} <${signer.Email ?? ''}>`),
    folder: document.Folder ?? '',
    status: document.Status ?? '',
    clientReference: document.ClientReference ?? '',
    ...(begun !== undefined && { begunAt: begun })
  }
}

/** Whether any document of a doubt may still be the send's: nobody else's, and not called another's by a person. */
export function isOpen(
  { dismissed }: Pick<Send, 'dismissed'>,
  { found, packages }: Doubt,
  isClaimed: (reference: string, packageReference: string | undefined) => boolean
): boolean {
  return found.some(({ reference }) => !dismissed.includes(reference) && !isClaimed(reference, packages[reference]))
}

/** What the screens are shown: without what is only for settling it. */
export function doubtView({ sent, found }: Doubt): SendDoubt {
  return { sent, found }
}

/**
 * The documents that a person called the send's.
 * @throws AppFailure `gone` where the doubt doesn't show them.
 */
export function chosenOf({ found, packages }: Doubt, references: readonly string[]): DocumentResponse[] {
  return [...new Set(references)].map((reference) => {
    const shown =
      found.find((one) => one.reference === reference) ??
      fail('gone', 'This document is not among those that may be the package.', { next: 'Look again.' })
    return {
      Reference: reference,
      Name: shown.name,
      ...(packages[reference] && { PackageReference: packages[reference] })
    } as DocumentResponse
  })
}

/** The package of documents that were found, as the service would have answered it. */
export function packageOf(documents: readonly DocumentResponse[]): PackageResponse {
  const PackageReference = documents.find((document) => document.PackageReference)?.PackageReference
  return { Documents: [...documents], ...(PackageReference && { PackageReference }) }
}
