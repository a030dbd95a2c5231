/**
 * Creates practice offices: with people and documents to try everything with, with nothing, or with any number of
 * documents. The demo office's documents, two dozen in every state and folder, are dated around the present moment.
 * They are sent, opened, signed and declined by the functions that serve real requests, so that every state is
 * realistic.
 */
import { z } from 'zod'
import { assignToNotary } from './documents.ts'
import { fieldData } from './form-kinds.ts'
import { awaitedSigners, DAY, decline, documentsOf, isTurn, log, markOpened, remind } from './life.ts'
import { readValue } from './reading.ts'
import { sendFormDirect, sendFormFiller } from './requests.ts'
import { readData } from './resources.ts'
import { addManyDocuments } from './seed-many.ts'
import { sendForms, sendTemplates } from './sends.ts'
import type { Clock, RandomBytes } from './sources.ts'
import type { DocumentRecord, PracticeState, TemplateRecord } from './state.ts'
import { fillField, signAs } from './volunteers.ts'

const HOUR = DAY / 24

/** `demo`, `empty`, or the number of documents. */
export type SeedName = 'demo' | 'empty' | number

/** Creates a new office as of the clock's time. */
export function seed(name: SeedName, clock: Clock, random: RandomBytes): PracticeState {
  const state = emptyOffice()
  if (name === 'empty') return state
  if (name === 'demo') addDemoDocuments(state, clock.now(), random)
  else addManyDocuments(state, name, clock.now(), random)
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
function addDemoDocuments(state: PracticeState, now: number, random: RandomBytes): void {
  const stories = z.array(story).parse(readData('demo-documents.json'))
  // Oldest first, as they would have been sent.
  for (const each of stories.sort((one, other) => other.ago - one.ago)) playStory(each, state, now, random)
}

function playStory(story: Story, state: PracticeState, now: number, random: RandomBytes): void {
  const at = now - story.ago * DAY
  const context = { state, now: at, random }
  const due = { DueDate: new Date(at + story.due * DAY).toISOString(), GMT: '720' }
  const bundle = story.SendForms
    ? sendForms(readValue({ ...story.SendForms, ...due }, sendFormDirect), context)
    : sendTemplates(readValue({ ...story.Send, ...due }, sendFormFiller), context)
  // A seed isn't a request; only real ones are recorded.
  delete bundle.request
  for (const [index, document] of documentsOf(state, bundle).entries()) {
    if (story.matter) document.matterNumber = story.matter
    document.clientReference = `M-${story.matter?.replace('/', '-') ?? 'GEN'}-${index + 1}`
    playCourse(story, document, state, at, now)
  }
}

function playCourse(story: Story, document: DocumentRecord, state: PracticeState, sentAt: number, now: number): void {
  // Events happen at even intervals between sending and now.
  const step = Math.min(5 * HOUR, (now - sentAt) / 12)
  let at = sentAt
  const nextMoment = () => {
    at += step
    return at
  }
  const [first] = document.signers
  if (story.reminded && first) remind(document, first, state.account.user, nextMoment())
  if (story.notary) {
    const { packageReference: PackageReference, reference: DocumentReference } = document
    assignToNotary(
      state,
      { PackageReference, DocumentReference, NotaryReference: 'notary-wellington-2', Send: true },
      nextMoment()
    )
  }
  if (story.course === 'untouched' || !first) return
  markOpened(document, first, nextMoment())
  if (story.course === 'opened') return
  if (story.course === 'declined') {
    decline(document, first, story.reason, nextMoment())
    return
  }
  for (const field of document.fields) fillField(field, sentAt)
  if (story.file) {
    document.files.push({ name: story.file, size: 182_044, by: first.SignerReference, at: nextMoment() })
    log(document, at, first, `Added the file ${story.file}`)
  }
  const signers = story.course === 'complete' ? awaitedSigners(document) : [first]
  for (const each of signers) {
    if (!isTurn(document, each)) continue
    signAs(document, each, nextMoment)
  }
  if (story.altered) document.altered = true
}
