/** Why somebody who was looked for doesn't stand in the queue, as far as their document tells. */
import type { DocumentPage, SignerView } from '../../../../shared/contract/views.ts'
import { plain } from './finding.ts'

export interface NotHere {
  documentReference: string
  documentName: string
  signerName: string
  /** Goes on after the name: "has signed this already". */
  why: string
}

/** A signer who has not been asked yet: another one's turn comes first. */
const NOT_ASKED = new Set(['Initialized', 'Pending'])

/** Of a document that was found: its signers who have all the words in their name, or else all of them. */
export function notHereIn(page: DocumentPage, typed: string): NotHere[] {
  const words = plain(typed).split(/\s+/).filter(Boolean)
  const named = page.people.filter(({ name }) => words.every((word) => plain(name).includes(word)))
  return (named.length > 0 ? named : page.people).map((person) => ({
    documentReference: page.reference,
    documentName: page.name,
    signerName: person.name.trim() || 'A signer without a name',
    why: whyNot(page, person)
  }))
}

function whyNot({ people, status, goneAt }: DocumentPage, person: SignerView): string {
  if (person.state === 'signed') return 'has signed this already'
  if (person.state === 'declined') return 'has declined this'
  if (goneAt !== undefined) return 'can’t sign this: the document has left the folders'
  if (person.state === 'expired') return 'can’t sign this any more: it has expired'
  if (status.family === 'declined') return 'can’t sign this any more: another signer has declined'
  if (person.canSignHere) return 'can sign this here now'
  const before = people.slice(0, people.indexOf(person)).find(({ state }) => state === 'waiting')
  if (before && NOT_ASKED.has(person.signedStatus ?? ''))
    return `signs this after ${before.name.trim() || 'the signer before'}`
  if (person.faceToFace) return 'can’t sign this here: it was sent without signing in this application'
  return 'signs this elsewhere: it was not sent for signing face to face'
}
