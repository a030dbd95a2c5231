/** One attempt: hands a request to the service once, and says what its end means for the action. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { AssignQueueDocumentResponse, DocumentResponse } from '../../../shared/model/index.ts'
import { failureOf, holdsError } from '../jobs/outcome.ts'
import type { ActingClient } from './effects.ts'
import type { Outgoing } from './outgoing.ts'

/**
 * done: the service answered. refused: it doesn't want this. unsupported: it doesn't know such a thing, or not this
 * document. line: it never came to the service, or not so fast: it may leave later. uncertain: it may have been done.
 */
export type Ending =
  | { kind: 'done'; document?: DocumentResponse; notary?: AssignQueueDocumentResponse }
  | { kind: 'unsupported' }
  | { kind: 'refused' | 'line' | 'uncertain'; error: AppError }

/** Hands the request over. Never rejects. */
export async function attempt(
  client: ActingClient,
  outgoing: Outgoing,
  describe: (error: unknown) => AppError
): Promise<Ending> {
  try {
    return await handOver(client, outgoing)
  } catch (error) {
    const ending = failureOf(error, describe)
    switch (ending.kind) {
      case 'uncertain':
      case 'refused':
        return { kind: ending.kind, error: ending.error }
      case 'offline':
      case 'rate-limited':
        return { kind: 'line', error: ending.error }
      // The key isn't accepted, or there is something to pay: only a person can mend that, and then says it once more.
      case 'stopped':
        return { kind: 'refused', error: ending.error }
    }
  }
}

async function handOver(client: ActingClient, { kind, body }: Outgoing): Promise<Ending> {
  switch (kind) {
    case 'correct':
      return ofDocument(await client.updateSigner(body))
    case 'extend':
      return ofDocument(await client.extend(body))
    case 'notary': {
      const notary = await client.assignQueueDocument(body)
      const { PackageReference, PackageName, PackageStatus, DocumentIDs = [] } = notary
      const says = Boolean(PackageReference || PackageName || PackageStatus) || DocumentIDs.length > 0
      return says && !holdsError(notary) ? { kind: 'done', notary } : { kind: 'uncertain', error: SAYS_NOTHING }
    }
    case 'remind':
      return (await client.sendReminder(body)) === 'sent' ? { kind: 'done' } : { kind: 'unsupported' }
  }
}

/** Only what names a document, and no error beside it, is the service's word. */
function ofDocument(document: DocumentResponse): Ending {
  if (document.Reference.trim() === '' || holdsError(document)) return { kind: 'uncertain', error: SAYS_NOTHING }
  return { kind: 'done', document }
}

const SAYS_NOTHING: AppError = {
  code: 'unexpected-shape',
  message: 'What answered did not say that it was done, so that isn’t certain.',
  mayHaveArrived: true
}
