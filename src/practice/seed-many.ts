/** Any number of documents for an office, in all states, made fast enough to wait for; their people have addresses that lead nowhere. */

import { z } from 'zod'
import { DAY } from './life.ts'
import { readData } from './resources.ts'
import { newKey, newReference, type RandomBytes, repeatableRandom } from './sources.ts'
import type { DocumentRecord, Person, PracticeState, SignerRecord } from './state.ts'

const oneOrMore = z.tuple([z.string()], z.string())
const names = z.strictObject({ first: oneOrMore, last: oneOrMore, documents: oneOrMore })
const NAMES = names.parse(readData('names.json'))

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
  const name = at(NAMES.documents, number)
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

/** How many made-up people there are before their numbers repeat names. */
const PEOPLE = NAMES.first.length * NAMES.last.length

/** The made-up person of a number; the same one each time, and another name for each number below `PEOPLE`. */
function person(number: number): Person {
  const first = at(NAMES.first, number)
  const round = Math.floor(number / NAMES.first.length)
  const last = at(NAMES.last, number * 7 + round)
  const again = Math.floor(number / PEOPLE)
  return { FirstName: first, LastName: last, Email: `${plain(first)}.${plain(last)}${again || ''}@example.com` }
}

const plainNames = new Map<string, string>()

/** A name as addresses write it; worked out once for each, since a large office asks a million times. */
function plain(name: string): string {
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const made = name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z-]/g, '')
    .toLowerCase()
  plainNames.set(name, made)
  return made
}

/** The list's item at a place that may lie beyond its end: it starts again. */
function at([first, ...rest]: readonly [string, ...string[]], place: number): string {
  return rest[(place % (rest.length + 1)) - 1] ?? first
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
