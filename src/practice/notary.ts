/** The notary queue (operation 12, reference section 2.23): who is to notarise which document, remotely. */
import { Refusal } from './faults.ts'
import { documentsOf, log, packageStatus } from './life.ts'
import type { AssignQueueDocument } from './requests.ts'
import type { PracticeState } from './state.ts'

/** Assigns a document to a notary's queue; a second assignment replaces the first. Answers the package as assigned. */
export function assignToNotary(state: PracticeState, sent: AssignQueueDocument, now: number) {
  const bundle = own(state.packages, sent.PackageReference)
  const document = own(state.documents, sent.DocumentReference)
  if (!bundle) throw new Refusal(404, 'PackageNotFound', 'The package was not found.')
  if (!document || document.packageReference !== bundle.reference) {
    throw new Refusal(404, 'DocumentNotFound', 'The document was not found in this package.')
  }
  if (document.ending === 'Declined' || document.ending === 'Expired') {
    throw new Refusal(409, 'DocumentEnded', `The document is ${document.ending.toLowerCase()}.`)
  }
  state.notary = state.notary.filter((one) => one.documentReference !== document.reference)
  state.notary.push({
    packageReference: bundle.reference,
    documentReference: document.reference,
    notaryReference: sent.NotaryReference,
    send: sent.Send ?? false,
    at: now
  })
  const how = sent.Send ? 'invitation sent without tagging' : 'to be tagged'
  log(document, now, state.account.user, `Assigned to the notary ${sent.NotaryReference} (${how})`, 'Notary')
  const documents = documentsOf(state, bundle)
  return {
    PackageReference: bundle.reference,
    PackageName: bundle.name,
    PackageStatus: packageStatus(documents),
    DocumentIDs: state.notary
      .filter((one) => one.packageReference === bundle.reference)
      .map((one) => one.documentReference)
  }
}

function own<Value>(table: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
