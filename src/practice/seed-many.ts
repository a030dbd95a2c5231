/** Any number of documents for an office, in all states, made fast enough to wait for. */

import { DAY } from './life.ts'
import { person } from './people.ts'
import { newKey, newReference, type RandomBytes, repeatableRandom } from './sources.ts'
import type { DocumentRecord, PracticeState, SignerRecord } from './state.ts'

const NAMES = [
  'Letter of engagement',
  'Superannuation choice',
  'Tax file number declaration',
  'Residential tenancy agreement',
  'Claims history authority',
  'Privacy consent',
  'Employment agreement',
  'Loan agreement',
  'Criminal record check authority',
  'Direct debit authority'
]

/** Adds that many documents, sent over the last eighty days; each state has its share. */
export function manyDocuments(state: PracticeState, count: number, now: number, random: RandomBytes): void {
  const chance = repeatableRandom(`many ${count}`)
  for (let number = 0; number < count; number++) {
    const createdAt = now - Math.floor(chance() * 80 * DAY) - 60_000
    const document = newDocument(state, number, createdAt, random)
    const signerCount = 1 + Math.floor(chance() * 3)
    for (let place = 0; place < signerCount; place++) document.signers.push(newSigner(number * 3 + place, random))
    move(document, chance(), now)
    state.documents[document.reference] = document
  }
}

function newDocument(state: PracticeState, number: number, createdAt: number, random: RandomBytes): DocumentRecord {
  const name = NAMES[number % NAMES.length] ?? 'Letter'
  const packageReference = newReference(random)
  const reference = newReference(random)
  state.packages[packageReference] = {
    reference: packageReference,
    queueReference: newReference(random),
    name,
    documents: [reference],
    createdAt
  }
  const { user } = state.account
  return {
    reference,
    packageReference,
    name,
    kind: number % 2 === 0 ? 'form' : 'template',
    formReference: `form-${number % NAMES.length}`,
    clientReference: `M-${String(100_000 + number)}`,
    embedded: number % 5 === 0,
    sequential: number % 7 === 0,
    createdAt,
    dueAt: createdAt + 14 * DAY,
    files: [],
    matterNumber: `${2026 - (number % 3)}/${String(number % 10_000).padStart(4, '0')}`,
    viewKey: newKey(random),
    fields: [],
    signers: [],
    logs: [{ at: createdAt, name: `${user.FirstName} ${user.LastName}`, action: 'Sent the document', role: 'Sender' }]
  }
}

function newSigner(number: number, random: RandomBytes): SignerRecord {
  return {
    ...person(number),
    SignerReference: newReference(random),
    key: newKey(random),
    optional: false,
    faceToFace: number % 11 === 0,
    review: false,
    video: false,
    deepfake: false,
    idData: [],
    status: 'Invitation',
    wrongAnswers: 0
  }
}

/** Brings a document to where chance (0 to 1) has it now. */
function move(document: DocumentRecord, chance: number, now: number): void {
  const signedAt = Math.min(document.createdAt + 3 * DAY * chance + 30_000, now - 1000)
  const { signers } = document
  if (chance < 0.55) {
    for (const signer of signers) Object.assign(signer, { status: 'Signed', signedAt, openedAt: signedAt })
    Object.assign(document, { ending: 'Complete', endedAt: signedAt })
  } else if (chance < 0.6) {
    Object.assign(signers[0] ?? {}, {
      status: 'Declined',
      declinedReason: 'The amounts are not right.',
      openedAt: signedAt
    })
    Object.assign(document, { ending: 'Declined', endedAt: signedAt })
  } else {
    // Everything else is still open, unless its fortnight is over; that is for the clock to find out.
    if (chance < 0.95) document.dueAt = Math.max(document.dueAt, now + (1 + 20 * chance) * DAY)
    if (chance < 0.75) Object.assign(signers[0] ?? {}, { openedAt: signedAt })
    if (chance < 0.7 && signers.length > 1) Object.assign(signers[0] ?? {}, { status: 'Signed', signedAt })
  }
}
