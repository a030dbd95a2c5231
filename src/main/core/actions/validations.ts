/** Verifying a document's signatures (operation 10), and the newest results, so that they can be saved as they were shown. */

import type { OtherMember, ValidationView } from '../../../shared/contract/index.ts'
import { ValidationResult, VerifiedSigner, VerifySignature } from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { secretsIn, withOthers } from '../lib/other-members.ts'
import type { Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/service-client.ts'

/** Of how many documents the result is remembered. */
const MOST_REMEMBERED = 50

export interface ValidationEffects {
  clientOf: (accountId: string) => Promise<Pick<ServiceClient, 'validateSignatures'>>
  time: Pick<Time, 'now'>
}

export type Validations = ReturnType<typeof openValidations>

export function openValidations({ clientOf, time }: ValidationEffects) {
  const newest = new Map<string, ValidationView>()
  const keyOf = (accountId: string, reference: string) => JSON.stringify([accountId, reference])

  return {
    /** @throws ServiceError `not-found` also where the document was removed under the retention policy. */
    async validate(accountId: string, reference: string): Promise<ValidationView> {
      const client = await clientOf(accountId)
      const view = viewOf(await client.validateSignatures(reference), time.now())
      const key = keyOf(accountId, reference)
      newest.delete(key)
      newest.set(key, view)
      for (const oldest of newest.keys()) {
        if (newest.size <= MOST_REMEMBERED) break
        newest.delete(oldest)
      }
      return view
    },

    /** The newest result as a file that people and programs can read. @throws AppFailure `gone` where there is none. */
    file(accountId: string, reference: string): { name: string; bytes: Uint8Array } {
      const {
        checkedAt,
        DocumentName,
        Signatures = [],
        ...others
      } = newest.get(keyOf(accountId, reference)) ??
      fail('gone', 'The signatures haven’t been verified since Countersign was started.', {
        next: 'Verify them, then save the result.'
      })
      const ours = {
        Document: { Reference: reference, ...(DocumentName !== undefined && { Name: DocumentName }) },
        CheckedAt: new Date(checkedAt).toISOString(),
        ...defined({ AllValid: areAllValid(Signatures) }),
        Signatures: Signatures.map(({ Signer, ...one }) => ({
          ...asMembers(one),
          ...(Signer && { Signer: asMembers(Signer) })
        }))
      }
      // What else the service says, under whatever name, takes no place of ours.
      const written = { ...ours, ...asMembers(others), ...ours }
      return {
        name: `${DocumentName?.replace(/\.pdf$/i, '') || reference} - signatures`,
        bytes: new TextEncoder().encode(`${JSON.stringify(written, undefined, 2)}\n`)
      }
    }
  }
}

/** Undefined where the service doesn't say it of all of them, or names none. */
function areAllValid(signatures: readonly { isValid?: boolean | undefined }[]): boolean | undefined {
  if (signatures.some(({ isValid }) => isValid === false)) return false
  return signatures.length > 0 && signatures.every(({ isValid }) => isValid) ? true : undefined
}

/** Anyone who has the document's address can read the document: it goes to no screen and into no file. */
function viewOf({ DocumentURL: address, ...result }: ValidationResult, checkedAt: number): ValidationView {
  const gives = secretsIn(address ? [address] : [])
  const { Signatures, ...said } = withOthers(ValidationResult, result, gives)
  const signatures = Signatures?.map((one) => {
    const { Signer, ...signature } = withOthers(VerifySignature, one, gives)
    return { ...signature, ...(Signer && { Signer: withOthers(VerifiedSigner, Signer, gives) }) }
  })
  return { ...said, ...(signatures && { Signatures: signatures }), checkedAt }
}

/** What else was said, as the members that it came as. */
function asMembers<Value extends object>({ others = [], ...value }: Value & { others?: OtherMember[] }): object {
  return { ...value, ...Object.fromEntries(others.map(({ name, value }) => [name, value])) }
}
