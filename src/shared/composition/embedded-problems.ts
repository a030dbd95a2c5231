/** What signing in this application means for those who are not at the counter. */
import type { ComposedSigner, Composition } from './composition.ts'
import { type Problem, warning } from './problem.ts'

/** Where some sign at the counter and others don't: signing opens here for everybody, so those may wait for a message. */
export function problemsOfEmbedding(composition: Composition): Problem[] {
  if (!composition.embedded) return []
  const signers = composition.items.flatMap((item) => item.signers)
  const elsewhere = signers.filter((signer) => !signer.faceToFace)
  if (elsewhere.length === 0 || elsewhere.length === signers.length) return []
  const names = [...new Set(elsewhere.map(nameOf))]
  const who = names.length > 2 ? `${names.length} people` : names.join(' and ')
  return [
    warning(
      'embedded',
      `Signing opens in this application for everybody: ${who} may get no invitation by e-mail. Send a package of its own to whoever signs elsewhere.`
    )
  ]
}

function nameOf(signer: ComposedSigner): string {
  return (
    [signer.FirstName, signer.LastName]
      .map((part) => part.trim())
      .filter(Boolean)
      .join(' ') ||
    signer.Email.trim() ||
    'somebody'
  )
}
