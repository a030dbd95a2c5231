/** Reads documents anew from the service: only what a look that began since has shown is believed. */
import type { MirroredDocument } from '../documents/questions.ts'
import type { ActionEffects } from './effects.ts'

/**
 * Reads the account's folders now. Answers those of the documents that the folders showed, by reference; the others are in
 * no folder, or could not be read. Rejects where a folder could not be read.
 */
export async function readAfresh(
  { ask, refresh }: Pick<ActionEffects, 'ask' | 'refresh'>,
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
