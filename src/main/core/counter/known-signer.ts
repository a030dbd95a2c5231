/** Finds a turn's signer in a newer answer of the service: signers are corrected and reordered while a session lasts. */
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { personOf } from '../documents/progress.ts'
import type { SignerIdentity } from './deps.ts'

export function identityOf(document: DocumentResponse, index: number): SignerIdentity {
  const signerReference = document.Signers?.[index]?.SignerReference
  return { person: personOf(document, index), ...(signerReference && { signerReference }) }
}

/**
 * The index of the signer now; undefined where they are no longer among the signers. One who has a reference keeps it whatever
 * else is corrected; without one, name and e-mail have to be as they were.
 */
export function indexOf(document: DocumentResponse, signer: number, identity: SignerIdentity): number | undefined {
  const { signerReference, person } = identity
  const signers = document.Signers ?? []
  const isThem = (index: number) =>
    signerReference === undefined
      ? personOf(document, index) === person
      : signers[index]?.SignerReference === signerReference
  if (signer < signers.length && isThem(signer)) return signer
  const found = signers.findIndex((_one, index) => isThem(index))
  return found < 0 ? undefined : found
}
