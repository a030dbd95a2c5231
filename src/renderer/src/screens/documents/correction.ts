/** Correcting a signer: what the form holds, what is odd about it, what it changes, and what the service is sent. */
import { problemsOfEmail } from '../../../../shared/composition/email.ts'
import { callingCode, dialledNumber, problemsOfMobile } from '../../../../shared/composition/phone.ts'
import type { Problem } from '../../../../shared/composition/problem.ts'
import type { SignerCorrection } from '../../../../shared/contract/document-actions.ts'
import type { SignerView } from '../../../../shared/contract/views.ts'

const texts = {
  FirstName: 'First name',
  MiddleName: 'Middle name',
  LastName: 'Last name',
  Email: 'E-mail',
  MobileCountry: 'Country code',
  MobileNumber: 'Mobile',
  ClientReference: 'Your reference'
} as const
const flags = {
  IsFaceToFaceSigning: 'Face to face',
  VideoConfirmationEnabled: 'Video confirmation',
  VideoConfirmationDeepfakeEnabled: 'Deepfake detector',
  ReviewBeforeSigningEnabled: 'Review before signing'
} as const
type TextName = keyof typeof texts
type FlagName = keyof typeof flags

/** What the form holds: texts as they are typed. */
export type CorrectedFields = Record<TextName, string> & Record<FlagName, boolean>

/** One thing that becomes different, for people. */
export interface Correction {
  label: string
  from: string
  to: string
}

/** A signer as the form begins with. @param before what was asked for earlier and is to be asked otherwise. */
export function fieldsOfSigner(person: SignerView, before?: SignerCorrection): CorrectedFields {
  const known = {
    FirstName: person.firstName,
    MiddleName: person.middleName,
    LastName: person.lastName,
    Email: person.email ?? '',
    MobileCountry: person.mobileCountry ?? '',
    MobileNumber: person.mobileNumber ?? '',
    ClientReference: person.clientReference ?? '',
    IsFaceToFaceSigning: person.faceToFace,
    VideoConfirmationEnabled: person.video,
    VideoConfirmationDeepfakeEnabled: person.deepfakeDetector,
    ReviewBeforeSigningEnabled: person.reviewBeforeSigning
  }
  if (!before) return known
  const names = Object.keys(known) as (TextName | FlagName)[]
  const wanted = names.flatMap((name) => (before[name] === undefined ? [] : [[name, before[name]]]))
  return { ...known, ...Object.fromEntries(wanted) }
}

/**
 * Whom an earlier correction meant, wherever the service lists them now; undefined if the document has them no longer.
 * Without a reference it is who was shown there, or what the correction made of them.
 */
export function personMeant(people: readonly SignerView[], before: SignerCorrection): SignerView | undefined {
  const { was, index } = before
  if (was.SignerReference) return people.find(({ signerReference }) => signerReference === was.SignerReference)
  const isNamed = (shown: SignerCorrection['was']) => (person: SignerView) =>
    person.firstName.trim() === shown.FirstName.trim() &&
    person.lastName.trim() === shown.LastName.trim() &&
    (person.email ?? '').trim().toLowerCase() === shown.Email.trim().toLowerCase()
  return people.find((person) => person.index === index && (isNamed(was)(person) || isNamed(before)(person)))
}

/** What saving would change; empty where nothing. */
export function correctionsOf(person: SignerView, fields: CorrectedFields): Correction[] {
  const known = fieldsOfSigner(person)
  const written = asSent(fields)
  const changedTexts = textNames().flatMap((name) =>
    written[name] === known[name].trim()
      ? []
      : [{ label: texts[name], from: known[name].trim() || 'nothing', to: written[name] || 'nothing' }]
  )
  const changedFlags = flagNames().flatMap((name) =>
    fields[name] === known[name] ? [] : [{ label: flags[name], from: yesNo(known[name]), to: yesNo(fields[name]) }]
  )
  return [...changedTexts, ...changedFlags]
}

/**
 * What is wrong (an error bars saving) or odd with what was typed, by the field's name.
 * @param others the other signers: one address for two people is warned of, never barred.
 */
export function problemsOfCorrection(fields: CorrectedFields, others: readonly SignerView[]): Map<string, Problem> {
  const email = fields.Email.trim().toLowerCase()
  const sharing = email ? others.find((other) => other.email?.trim().toLowerCase() === email) : undefined
  const found: Problem[] = [
    ...needed('FirstName', fields.FirstName, 'Enter a first name.'),
    ...needed('LastName', fields.LastName, 'Enter a last name.'),
    ...(sharing
      ? [
          {
            at: 'signer.Email',
            severity: 'warning' as const,
            message: `${sharing.name} has this address too: whoever reads that mailbox can sign for both.`
          }
        ]
      : []),
    ...problemsOfEmail('signer.Email', fields.Email),
    ...problemsOfMobile('signer', fields)
  ]
  // Of two about one field the later in a map stays: the errors.
  const worstLast = found
    .toReversed()
    .sort((one, two) => Number(one.severity === 'error') - Number(two.severity === 'error'))
  return new Map(worstLast.map((problem) => [problem.at.replace(/^signer\./, ''), problem]))
}

/**
 * What the service is sent: the names and the address always, the rest where it is there or has changed. What the
 * service never told of stays unsaid, so that nothing is switched off unasked.
 */
export function correctionOf(person: SignerView, fields: CorrectedFields): SignerCorrection {
  const known = fieldsOfSigner(person)
  const written = asSent(fields)
  const said = (['MiddleName', 'MobileCountry', 'MobileNumber', 'ClientReference'] as const).filter(
    (name) => written[name] !== '' || known[name] !== ''
  )
  const set = flagNames().filter((name) => fields[name] || known[name])
  return {
    index: person.index,
    was: {
      ...(person.signerReference && { SignerReference: person.signerReference }),
      FirstName: person.firstName,
      LastName: person.lastName,
      Email: person.email ?? ''
    },
    FirstName: written.FirstName,
    LastName: written.LastName,
    Email: written.Email,
    ...Object.fromEntries(said.map((name) => [name, written[name]])),
    ...Object.fromEntries(set.map((name) => [name, fields[name]]))
  }
}

function asSent(fields: CorrectedFields): Record<TextName, string> {
  const trimmed = Object.fromEntries(textNames().map((name) => [name, fields[name].trim()])) as Record<TextName, string>
  return {
    ...trimmed,
    MobileCountry: callingCode(fields.MobileCountry),
    MobileNumber: dialledNumber(fields.MobileNumber)
  }
}

function needed(name: TextName, value: string, message: string): Problem[] {
  return value.trim() ? [] : [{ at: `signer.${name}`, severity: 'error', message }]
}

const textNames = () => Object.keys(texts) as TextName[]
const flagNames = () => Object.keys(flags) as FlagName[]

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}
