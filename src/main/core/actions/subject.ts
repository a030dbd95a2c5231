/** What an action is done to: as stored, or read from the service again, where only a look that began since counts. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { AppFailure } from '../lib/failure.ts'
import type { ActionDeps } from './deps.ts'

/** The document, and the others of its package if they are affected. */
export interface Subject {
  document: DocumentResponse
  others: readonly DocumentResponse[]
}

/** Returns the document as stored, with the others of its package. @throws AppFailure `gone`. */
export async function subjectOf(
  { ask }: Pick<ActionDeps, 'ask'>,
  accountId: string,
  reference: string
): Promise<Subject> {
  const mirrored = await ask('get', { accountId, reference })
  if (!mirrored || mirrored.goneAt !== undefined) throw new AppFailure(DOCUMENT_GONE)
  const { document } = mirrored
  const { PackageReference } = document
  const packageDocuments = PackageReference
    ? await ask('inPackage', { accountId, packageReference: PackageReference })
    : []
  const others = packageDocuments.filter((one) => one.document.Reference !== reference && one.goneAt === undefined)
  return { document, others: others.map((one) => one.document) }
}

/**
 * Reads the account's folders now. Returns the documents that they showed, by reference; the others are in no folder,
 * or could not be read. Rejects if a folder can't be read.
 */
export async function readFoldersNow(
  { ask, refresh }: Pick<ActionDeps, 'ask' | 'refresh'>,
  accountId: string,
  references: ReadonlySet<string>
): Promise<Map<string, MirroredDocument>> {
  const get = async (reference: string) => [reference, await ask('get', { accountId, reference })] as const
  const before = new Map(await Promise.all([...references].map(get)))
  await refresh(accountId)
  const after = await Promise.all([...references].map(get))
  return new Map(
    after.flatMap(([reference, mirrored]) => {
      if (!mirrored || mirrored.goneAt !== undefined) return []
      // The mirror keeps what a look missed: a document that moved between two folders meanwhile is in neither answer.
      const seenBefore = before.get(reference)?.seenAt
      return seenBefore === undefined || mirrored.seenAt > seenBefore ? [[reference, mirrored] as const] : []
    })
  )
}

export const DOCUMENT_GONE: AppError = {
  code: 'gone',
  message: 'This document is no longer in your folders, so nothing was done.',
  mayHaveArrived: false
}
