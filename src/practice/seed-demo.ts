/**
 * The documents of a demonstration office: two dozen, in every state and folder, laid out around the present moment.
 * They are sent, opened, signed and declined by the same functions that serve real requests, so that nothing in them
 * could not have happened.
 */

import { asksIdentity, awaited, DAY, decline, documentsOf, isTurn, log, open, remind, sign } from './life.ts'
import { assignToNotary } from './notary.ts'
import { person } from './people.ts'
import type { FormSignerRequest, TemplateSignerRequest } from './requests.ts'
import { sendForms, sendTemplates } from './sends.ts'
import type { RandomBytes } from './sources.ts'
import type { DocumentRecord, FieldRecord, Person, PracticeState, SignerRecord } from './state.ts'

const HOUR = DAY / 24

/** How far a document got: by signers who have signed, or how it ended. */
type Course = 'untouched' | 'opened' | 'one signed' | 'complete' | 'declined'

interface Story {
  /** Days ago that it was sent, and in how many days from then it is due. */
  ago: number
  due?: number
  course: Course
  matter?: string
  embedded?: boolean
  sequential?: boolean
  notary?: boolean
  altered?: boolean
  file?: string
  reminded?: boolean
  reason?: string
  form?: {
    name: string
    reference: string
    type: number
    employer?: string
    xml?: string
    signers: FormSignerRequest[]
  }
  templates?: { reference: string; signers: TemplateSignerRequest[] }[]
}

const born = (day: string) => ({
  UseIDData: true,
  IDData: [{ Label: 'Date of birth', Value: day, DataType: 'date' as const }]
})
const mobile = { MobileCountry: '64', MobileNumber: '021012345' }
const client = (number: number, more: Partial<FormSignerRequest> = {}): FormSignerRequest => ({
  ...person(number),
  ...more
})
const signer = (number: number, more: Partial<TemplateSignerRequest> = {}): TemplateSignerRequest => ({
  ...person(number),
  ...more
})

function stories(user: Person): Story[] {
  const superForm = { name: 'Superannuation choice', reference: 'form-super', type: 3, employer: 'emp-harbour' }
  const claims = { name: 'Claims history authority', reference: 'form-acc', type: 7, employer: 'emp-ridge' }
  const record = { name: 'Criminal record check authority', reference: 'form-moj', type: 9, employer: 'emp-ridge' }
  const tax = { name: 'Tax file number declaration', reference: 'form-tfn', type: 2, employer: 'emp-harbour' }
  const xml = '<Client><Occupation>Cabinet maker</Occupation><PayrollNumber>HJ-2041</PayrollNumber></Client>'
  const f2f = { EnabledFaceToFaceSigning: true }
  const couple = { ...person(12), FirstName: 'Hemi', LastName: 'Walker', Email: 'the.walkers@example.com' }
  return [
    // InBox: nothing begun, some to be signed at the counter at once.
    {
      ago: 0.05,
      course: 'untouched',
      embedded: true,
      matter: '2026/0418',
      form: { ...superForm, xml, signers: [client(0, f2f)] }
    },
    {
      ago: 0.1,
      course: 'untouched',
      embedded: true,
      matter: '2026/0417',
      templates: [{ reference: 'tpl-engagement', signers: [signer(7, { IsFaceToFaceSigning: true })] }]
    },
    {
      ago: 0.3,
      course: 'untouched',
      embedded: true,
      sequential: true,
      matter: '2026/0415',
      templates: [{ reference: 'tpl-tenancy', signers: [signer(19), signer(23)] }]
    },
    {
      ago: 0.4,
      course: 'untouched',
      embedded: true,
      matter: '2026/0414',
      form: { ...claims, signers: [client(11, { ...f2f, ...born('1984-03-09') })] }
    },
    { ago: 1.2, course: 'untouched', form: { ...tax, xml, signers: [client(16, mobile)] } },
    {
      ago: 13.1,
      course: 'untouched',
      reminded: true,
      matter: '2026/0377',
      templates: [{ reference: 'tpl-direct-debit', signers: [signer(26)] }]
    },
    {
      ago: 2.5,
      course: 'one signed',
      sequential: true,
      matter: '2026/0409',
      templates: [{ reference: 'tpl-engagement', signers: [signer(31), { ...user, SignerReference: 'partner' }] }]
    },
    {
      ago: 3.1,
      course: 'untouched',
      matter: '2026/0402',
      templates: [{ reference: 'tpl-medical', signers: [signer(4, { VideoConfirmationEnabled: true })] }]
    },
    // Progress: someone is at it, or it ended unsigned.
    {
      ago: 1.5,
      course: 'opened',
      embedded: true,
      matter: '2026/0412',
      form: { ...record, signers: [client(9, born('1990-11-24'))] }
    },
    {
      ago: 2.2,
      course: 'one signed',
      embedded: true,
      sequential: true,
      notary: true,
      matter: '2026/0410',
      templates: [
        {
          reference: 'tpl-epa',
          signers: [
            signer(33, { VideoConfirmationEnabled: true, VideoConfirmationDeepfakeEnabled: true }),
            signer(38),
            signer(15, { IsFaceToFaceSigning: true })
          ]
        }
      ]
    },
    {
      ago: 4,
      course: 'one signed',
      matter: '2026/0398',
      templates: [
        {
          reference: 'tpl-loan',
          signers: [signer(12, { ...couple, FirstName: 'Isla' }), signer(13, couple), signer(27)]
        }
      ]
    },
    {
      ago: 5,
      course: 'opened',
      reminded: true,
      matter: '2026/0391',
      templates: [{ reference: 'tpl-employment', signers: [signer(17), signer(35)] }]
    },
    {
      ago: 6,
      course: 'one signed',
      form: {
        ...tax,
        name: 'Tax file number declaration',
        signers: [client(22), client(29, { SignerType: 'Employer' })]
      }
    },
    {
      ago: 8,
      course: 'declined',
      reason: 'The rent named here is not what we agreed.',
      matter: '2026/0380',
      templates: [{ reference: 'tpl-tenancy', signers: [signer(40), signer(23)] }]
    },
    {
      ago: 21,
      course: 'opened',
      due: 14,
      matter: '2026/0341',
      templates: [{ reference: 'tpl-privacy', signers: [signer(36)] }]
    },
    { ago: 30, course: 'untouched', due: 14, form: { ...claims, signers: [client(44, mobile)] } },
    // Signed: complete, with what there is to download and to verify.
    {
      ago: 3,
      course: 'complete',
      matter: '2026/0401',
      form: { ...record, signers: [client(5, { ...born('1978-06-02'), ...mobile })] }
    },
    {
      ago: 6.5,
      course: 'complete',
      matter: '2026/0388',
      templates: [{ reference: 'tpl-conveyancing', signers: [signer(14, { VideoConfirmationEnabled: true })] }]
    },
    {
      ago: 9,
      course: 'complete',
      file: 'proof-of-identity.pdf',
      matter: '2026/0372',
      form: {
        ...claims,
        signers: [client(25, { ...born('1969-12-30'), VideoConfirmation: true, EnableDeepfakeDetector: true })]
      }
    },
    {
      ago: 11,
      course: 'complete',
      matter: '2026/0368',
      templates: [
        { reference: 'tpl-employment', signers: [signer(32), signer(35)] },
        { reference: 'tpl-privacy', signers: [signer(32)] }
      ]
    },
    { ago: 17, course: 'complete', form: { ...superForm, signers: [client(41)] } },
    {
      ago: 24,
      course: 'complete',
      altered: true,
      matter: '2026/0329',
      templates: [{ reference: 'tpl-gift', signers: [signer(18), signer(47)] }]
    },
    {
      ago: 41,
      course: 'complete',
      matter: '2026/0287',
      templates: [{ reference: 'tpl-trust', signers: [signer(43), signer(50)] }]
    },
    { ago: 66, course: 'complete', templates: [{ reference: 'tpl-tax-return', signers: [signer(51)] }] },
    { ago: 78, course: 'complete', form: { ...tax, signers: [client(20)] } }
  ]
}

/** Adds the documents, as if the office had worked with them for three months. */
export function demoDocuments(state: PracticeState, now: number, random: RandomBytes): void {
  // The oldest first, as they would have come.
  for (const story of stories(state.account.user).sort((one, other) => other.ago - one.ago))
    tell(story, state, now, random)
}

function tell(story: Story, state: PracticeState, now: number, random: RandomBytes): void {
  const at = now - story.ago * DAY
  const sending = { state, now: at, random }
  const due = new Date(at + (story.due ?? 14) * DAY).toISOString()
  const bundle = story.form
    ? sendForms(
        {
          DueDate: due,
          GMT: '720',
          Forms: [
            {
              Name: story.form.name,
              Reference: story.form.reference,
              FormType: story.form.type,
              Signers: story.form.signers,
              EmbedForm: story.embedded ?? false,
              ...(story.form.employer ? { EmployerReference: story.form.employer } : {}),
              ...(story.form.xml ? { XMLData: story.form.xml } : {})
            }
          ]
        },
        sending
      )
    : sendTemplates(
        {
          DueDate: due,
          GMT: '720',
          Templates: (story.templates ?? []).map((one) => ({ Reference: one.reference, Signers: one.signers })),
          Embedded: story.embedded ?? false,
          Sequential: story.sequential ?? false
        },
        sending
      )
  // A seed isn't a request: what is recorded stays what was really sent.
  delete bundle.request
  for (const [index, document] of documentsOf(state, bundle).entries()) {
    if (story.matter) document.matterNumber = story.matter
    document.clientReference = `M-${story.matter?.replace('/', '-') ?? 'GEN'}-${index + 1}`
    run(story, document, state, at, now)
  }
}

function run(story: Story, document: DocumentRecord, state: PracticeState, sentAt: number, now: number): void {
  // Whatever happened did so between the sending and now, in even steps.
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
    decline(document, first, story.reason ?? 'Not now.', later())
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

function signAs(document: DocumentRecord, signer: SignerRecord, later: () => number): void {
  open(document, signer, later())
  if (asksIdentity(signer)) {
    const at = later()
    if (signer.idData.length > 0) signer.identifiedAt = at
    if (signer.video) signer.videoAt = at
    log(document, at, signer, 'Showed their identity')
  }
  sign(document, signer, { kind: 'typed', text: `${signer.FirstName} ${signer.LastName}` }, later())
}

const TEXTS: Record<string, string> = {
  position: 'Office administrator',
  ird: '000-000-000',
  account_number: '00-0000-0000000-00',
  amount: '$25,000.00',
  gift_amount: '$40,000.00',
  trust: 'The Example Family Trust',
  emergency_contact: 'Hana, 021 555 010'
}

/** Fills a field as someone would have. */
function fill(field: FieldRecord, at: number): void {
  if (field.value || field.readOnly) return
  const soon = new Date(at + 20 * DAY).toISOString().slice(0, 10)
  const byType: Record<FieldRecord['type'], string> = {
    Text: TEXTS[field.reference] ?? (field.required ? 'As discussed' : ''),
    MultiLineText: field.required ? '18 Example Street, Petone' : '',
    CheckBox: field.required ? 'true' : 'false',
    RadioButton: field.choices?.[0]?.value ?? '',
    DropDownList: field.choices?.[0]?.value ?? '',
    DateInput: soon
  }
  field.value = byType[field.type]
}
