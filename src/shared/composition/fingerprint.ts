/** What makes two packages the same in an office's eyes: the same forms or templates, for the same people. */
import type { Composition } from './composition.ts'

/** Equal for packages of the same kind whose items have the same references and, each, the same signers' addresses. */
export function fingerprintOf(composition: Composition): string {
  const items = composition.items.map((item) => {
    const people = item.signers.map((signer) => plain(signer.Email) || plain(`${signer.FirstName} ${signer.LastName}`))
    return [plain(item.Reference) || plain(item.Name), ...people.sort()]
  })
  return JSON.stringify([composition.kind, ...items.sort()])
}

function plain(text: string): string {
  return text.trim().toLowerCase()
}
