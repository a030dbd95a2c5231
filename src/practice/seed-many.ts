/** Generates any number of documents in all states, fast enough to wait for; the people's addresses lead nowhere. */

import { z } from 'zod'
import { DAY } from './life.ts'
import { readData } from './resources.ts'
import { newKey, newReference, type RandomBytes, repeatableRandom } from './sources.ts'
import type { DocumentRecord, Person, PracticeState, SignerRecord } from './state.ts'

const oneOrMore = z.tuple([z.string()], z.string())
const names = z.strictObject({ first: oneOrMore, last: oneOrMore, documents: oneOrMore })
const NAMES = names.parse(readData('names.json'))

/** Adds that many documents, sent over the last eighty days, with a share for each state. */
export function addManyDocuments(state: PracticeState, count: number, now: number, random: RandomBytes): void {
  const chance = repeatableRandom(`many ${count}`)
  for (let number = 0; number < count; number++) {
    const createdAt = now - Math.floor(chance() * 80 * DAY) - 60_000
    const document = newDocument(state, number, createdAt, random)
    const signerCount = 1 + Math.floor(chance() * 3)
    for (let place = 0; place < signerCount; place++) document.signers.push(newSigner(number * 3 + place, random))
    setState(document, chance(), now)
    state.documents[document.reference] = document
  }
}

function newDocument(state: PracticeState, number: number, createdAt: number, random: RandomBytes): DocumentRecord {
  const name = itemAt(NAMES.documents, number)
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
    formReference: `form-${number % NAMES.documents.length}`,
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

/** Number of made-up people before names repeat. */
const PEOPLE = NAMES.first.length * NAMES.last.length

/** Returns the made-up person for a number: always the same, and with a unique name for each number below `PEOPLE`. */
function person(number: number): Person {
  const first = itemAt(NAMES.first, number)
  const round = Math.floor(number / NAMES.first.length)
  const last = itemAt(NAMES.last, number * 7 + round)
  const repeat = Math.floor(number / PEOPLE)
  return {
    FirstName: first,
    LastName: last,
    Email: `${addressName(first)}.${addressName(last)}${repeat || ''}@example.com`
  }
}

const plainNames = new Map<string, string>()

/** A name as used in addresses; cached, since a large office needs a million of them. */
function addressName(name: string): string {
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const made = name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z-]/g, '')
    .toLowerCase()
  plainNames.set(name, made)
  return made
}

/** Returns the list's item at an index, wrapping around. */
function itemAt([first, ...rest]: readonly [string, ...string[]], place: number): string {
  return rest[(place % (rest.length + 1)) - 1] ?? first
}

/** Moves a document to the state that `chance` (0 to 1) selects. */
function setState(document: DocumentRecord, chance: number, now: number): void {
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
    // All others are still open, unless past their due date; the clock will find that.
    if (chance < 0.95) document.dueAt = Math.max(document.dueAt, now + (1 + 20 * chance) * DAY)
    if (chance < 0.75) Object.assign(signers[0] ?? {}, { openedAt: signedAt })
    if (chance < 0.7 && signers.length > 1) Object.assign(signers[0] ?? {}, { status: 'Signed', signedAt })
  }
}
