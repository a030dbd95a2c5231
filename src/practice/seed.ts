/**
 * Creates practice offices: with people and documents to try everything with, with nothing, or with any number of
 * documents. The demo office's documents, two dozen in every state and folder, are dated around the present moment.
 * They are sent, opened, signed and declined by the functions that serve real requests, so that every state is
 * realistic.
 */
import { z } from 'zod'
import { assignToNotary } from './documents.ts'
import { fieldData } from './form-kinds.ts'
import { awaited, DAY, decline, documentsOf, isTurn, log, open, remind } from './life.ts'
import { readValue } from './reading.ts'
import { sendFormDirect, sendFormFiller } from './requests.ts'
import { readData } from './resources.ts'
import { manyDocuments } from './seed-many.ts'
import { sendForms, sendTemplates } from './sends.ts'
import type { Clock, RandomBytes } from './sources.ts'
import type { DocumentRecord, PracticeState, TemplateRecord } from './state.ts'
import { fill, signAs } from './volunteers.ts'

const HOUR = DAY / 24

/** `demo`, `empty`, or the number of documents. */
export type SeedName = 'demo' | 'empty' | number

/** Creates a new office as of the clock's time. */
export function seed(name: SeedName, clock: Clock, random: RandomBytes): PracticeState {
  const state = emptyOffice()
  if (name === 'empty') return state
  if (name === 'demo') demoDocuments(state, clock.now(), random)
  else manyDocuments(state, name, clock.now(), random)
  return state
}

function emptyOffice(): PracticeState {
  const office = readData('office.json') as Pick<PracticeState, 'account' | 'employers' | 'recipients'>
  return { version: 1, ...office, packages: {}, documents: {}, templates: readTemplates(), notary: [] }
}

/**
 * Typical documents signed in offices in Australia and New Zealand, with every type of field. As in real lists, one has
 * no signers and fields.
 */
function readTemplates(): TemplateRecord[] {
  const template = z.looseObject({ name: z.string(), reference: z.string(), fields: z.array(fieldData).optional() })
  return z.array(template).parse(readData('templates.json')) as TemplateRecord[]
}

const story = z.strictObject({
  /** Days since it was sent; `due`: days from then until it is due. */
  ago: z.number(),
  due: z.number().default(14),
  /** A document's progress or ending. */
  course: z.enum(['untouched', 'opened', 'one signed', 'complete', 'declined']),
  matter: z.string().optional(),
  reminded: z.boolean().optional(),
  notary: z.boolean().optional(),
  /** Reason for declining. */
  reason: z.string().default('Not now.'),
  /** Name of a file uploaded by a signer. */
  file: z.string().optional(),
  altered: z.boolean().optional(),
  /** The request body without its due date, for Form Direct; `Send`: for Form Filler. */
  SendForms: z.record(z.string(), z.unknown()).optional(),
  Send: z.record(z.string(), z.unknown()).optional()
})
type Story = z.infer<typeof story>

/** Adds the documents, as if the office had worked with them for three months. */
function demoDocuments(state: PracticeState, now: number, random: RandomBytes): void {
  const stories = z.array(story).parse(readData('demo-documents.json'))
  // Oldest first, as they would have been sent.
  for (const each of stories.sort((one, other) => other.ago - one.ago)) tell(each, state, now, random)
}

function tell(story: Story, state: PracticeState, now: number, random: RandomBytes): void {
  const at = now - story.ago * DAY
  const sending = { state, now: at, random }
  const due = { DueDate: new Date(at + story.due * DAY).toISOString(), GMT: '720' }
  const bundle = story.SendForms
    ? sendForms(readValue({ ...story.SendForms, ...due }, sendFormDirect), sending)
    : sendTemplates(readValue({ ...story.Send, ...due }, sendFormFiller), sending)
  // A seed isn't a request; only real ones are recorded.
  delete bundle.request
  for (const [index, document] of documentsOf(state, bundle).entries()) {
    if (story.matter) document.matterNumber = story.matter
    document.clientReference = `M-${story.matter?.replace('/', '-') ?? 'GEN'}-${index + 1}`
    run(story, document, state, at, now)
  }
}

function run(story: Story, document: DocumentRecord, state: PracticeState, sentAt: number, now: number): void {
  // Events happen at even intervals between sending and now.
  const step = Math.min(5 * HOUR, (now - sentAt) / 12)
  let at = sentAt
  const later = () => {
    at += step
    return at
  }
  const [first] = document.signers
  if (story.reminded && first) remind(document, first, state.account.user, later())
  if (story.notary) {
    const { packageReference: PackageReference, reference: DocumentReference } = document
    assignToNotary(
      state,
      { PackageReference, DocumentReference, NotaryReference: 'notary-wellington-2', Send: true },
      later()
    )
  }
  if (story.course === 'untouched' || !first) return
  open(document, first, later())
  if (story.course === 'opened') return
  if (story.course === 'declined') {
    decline(document, first, story.reason, later())
    return
  }
  for (const field of document.fields) fill(field, sentAt)
  if (story.file) {
    document.files.push({ name: story.file, size: 182_044, by: first.SignerReference, at: later() })
    log(document, at, first, `Added the file ${story.file}`)
  }
  const signers = story.course === 'complete' ? awaited(document) : [first]
  for (const each of signers) {
    if (!isTurn(document, each)) continue
    signAs(document, each, later)
  }
  if (story.altered) document.altered = true
}
