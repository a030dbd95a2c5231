/**
 * Automatic signers. The practice office's two volunteers open, identify themselves and sign within two minutes of
 * being invited, so that learners see the first notification, identity check and complete document without playing
 * every part. They never sign face to face: at the counter, the learner does.
 */
import { fullName } from '../shared/model/index.ts'
import { asksIdentity, DAY, type DocumentEvent, hasSigned, isTurn, log, markOpened, sign } from './life.ts'
import type { DocumentRecord, FieldRecord, PracticeState, SignerRecord } from './state.ts'

/** Their e-mail addresses, in a domain that can't be registered. */
const VOLUNTEERS: ReadonlySet<string> = new Set(['hana.weka@practice.example', 'tama.tui@practice.example'])

/** Delay from the invitation until they open, and until they sign, in milliseconds. */
const OPENS_AFTER = 20_000
const SIGNS_AFTER = 50_000

interface VolunteerActions {
  /** What has just happened. */
  actions: { document: DocumentRecord; events: DocumentEvent[] }[]
  /** When the next event is due if nobody else does anything. */
  next: number
}

export function runVolunteers(state: PracticeState, now: number): VolunteerActions {
  const acted: VolunteerActions = { actions: [], next: Number.POSITIVE_INFINITY }
  for (const document of Object.values(state.documents)) {
    if (document.ending || document.embedded) continue
    for (const signer of document.signers) actAs(document, signer, now, acted)
  }
  return acted
}

function actAs(document: DocumentRecord, signer: SignerRecord, now: number, acted: VolunteerActions): void {
  if (!VOLUNTEERS.has(signer.Email.toLowerCase()) || signer.faceToFace || signer.status === 'Declined') return
  if (document.ending || hasSigned(signer) || !isTurn(document, signer)) return
  const since = invitedAt(document, signer)
  const events: DocumentEvent[] = []
  if (now >= since + OPENS_AFTER && markOpened(document, signer, now)) events.push('Opened')
  if (now >= since + SIGNS_AFTER) events.push(...signAs(document, signer, () => now))
  else acted.next = Math.min(acted.next, since + (now >= since + OPENS_AFTER ? SIGNS_AFTER : OPENS_AFTER))
  if (events.length > 0) acted.actions.push({ document, events: events })
}

/** In order, the previous signature invites the signer; otherwise the sending does. */
function invitedAt(document: DocumentRecord, signer: SignerRecord): number {
  const before = document.sequential ? document.signers.slice(0, document.signers.indexOf(signer)) : []
  return Math.max(document.createdAt, ...before.map(({ signedAt }) => signedAt ?? 0))
}

/**
 * Opens, identifies and signs as this person, filling in fields. Returns what happened besides the opening.
 * @param at returns the moment of each step in turn.
 */
export function signAs(document: DocumentRecord, signer: SignerRecord, at: () => number): DocumentEvent[] {
  markOpened(document, signer, at())
  if (asksIdentity(signer)) {
    const identifiedAt = at()
    if (signer.idData.length > 0) signer.identifiedAt = identifiedAt
    if (signer.video) signer.videoAt = identifiedAt
    log(document, identifiedAt, signer, 'Showed their identity')
  }
  const signed = at()
  for (const field of document.fields) fillField(field, signed)
  return sign(document, signer, { kind: 'typed', text: fullName(signer) }, signed)
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

export function fillField(field: FieldRecord, at: number): void {
  if (field.value || field.readOnly) return
  const isAboutBirth = /birth/i.test(field.label)
  const day = isAboutBirth ? '1990-04-12' : new Date(at + 20 * DAY).toISOString().slice(0, 10)
  const byType: Record<FieldRecord['type'], string> = {
    Text: TEXTS[field.reference] ?? (field.required ? (isAboutBirth ? 'Petone, New Zealand' : 'As discussed') : ''),
    MultiLineText: field.required ? '18 Example Street, Petone' : '',
    CheckBox: field.required ? 'true' : 'false',
    RadioButton: field.choices?.[0]?.value ?? '',
    DropDownList: field.choices?.[0]?.value ?? '',
    DateInput: day
  }
  field.value = byType[field.type]
}
