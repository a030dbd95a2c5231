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
const labels = {
  ...texts,
  IsFaceToFaceSigning: 'Face to face',
  VideoConfirmationEnabled: 'Video confirmation',
  VideoConfirmationDeepfakeEnabled: 'Deepfake detector',
  ReviewBeforeSigningEnabled: 'Review before signing'
} as const
type TextName = keyof typeof texts
type Name = keyof typeof labels
const names = Object.keys(labels) as Name[]

/** What the form holds: texts as they are typed. */
export type CorrectedFields = Record<TextName, string> & Record<Exclude<Name, TextName>, boolean>

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
  const before = trimmed(fieldsOfSigner(person))
  const after = asSent(fields)
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ label: labels[name], from: inWords(before[name]), to: inWords(after[name]) }))
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
            message: `${sharing.name} has this address too: anyone who reads that mailbox can sign for both.`
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
 * service never said stays unsaid, so that nothing is switched off unasked.
 */
export function correctionOf(person: SignerView, fields: CorrectedFields): SignerCorrection {
  const known = fieldsOfSigner(person)
  const { FirstName, LastName, Email, ...rest } = asSent(fields)
  const said = Object.entries(rest).filter(([name, value]) => value || known[name as Name])
  return {
    index: person.index,
    was: {
      ...(person.signerReference && { SignerReference: person.signerReference }),
      FirstName: person.firstName,
      LastName: person.lastName,
      Email: person.email ?? ''
    },
    FirstName,
    LastName,
    Email,
    ...Object.fromEntries(said)
  }
}

function trimmed(fields: CorrectedFields): CorrectedFields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() : value
  ])
  return Object.fromEntries(entries)
}

function asSent(fields: CorrectedFields): CorrectedFields {
  return {
    ...trimmed(fields),
    MobileCountry: callingCode(fields.MobileCountry),
    MobileNumber: dialledNumber(fields.MobileNumber)
  }
}

function needed(name: TextName, value: string, message: string): Problem[] {
  return value.trim() ? [] : [{ at: `signer.${name}`, severity: 'error', message }]
}

function inWords(value: string | boolean): string {
  if (typeof value === 'string') return value || 'nothing'
  return value ? 'yes' : 'no'
}
