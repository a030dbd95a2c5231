/** Correcting signers: the form's values, their problems, the resulting changes, and the request to the service. */
import type { ComposedShareUser } from '../../../../shared/composition/composition.ts'
import { problemsOfEmail } from '../../../../shared/composition/email.ts'
import { callingCode, dialledNumber, problemsOfMobile } from '../../../../shared/composition/phone.ts'
import { error, type Problem, required } from '../../../../shared/composition/problem.ts'
import { problemsOfSharing } from '../../../../shared/composition/signer-problems.ts'
import type { SignerCorrection } from '../../../../shared/contract/document-actions.ts'
import type { SignerView } from '../../../../shared/contract/views.ts'
import { fullName, type ShareUser } from '../../../../shared/model/person.ts'

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

type Plain = Record<TextName, string> & Record<Exclude<Name, TextName>, boolean | undefined>

/**
 * The form's values: texts as typed; undefined for flags that the service didn't report and nobody set. People already
 * shared with have their index as key.
 */
export type CorrectedFields = Plain & { ShareUsers: ComposedShareUser[] }

export interface CorrectedSigner {
  person: SignerView
  fields: CorrectedFields
}

/** One change, in words. */
export interface Correction {
  label: string
  from: string
  to: string
}

/**
 * Returns a signer's initial form values.
 * @param before a previous request to change.
 */
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
  const ShareUsers = shareUserFields(person.sharedWith ?? [], before?.ShareUsers)
  if (!before) return { ...known, ShareUsers }
  const asShown: Partial<Record<Name, unknown>> = before.was
  const wanted = names.flatMap((name) =>
    before[name] === undefined || before[name] === asShown[name] ? [] : [[name, before[name]]]
  )
  return { ...known, ...Object.fromEntries(wanted), ShareUsers }
}

/**
 * Converts people shared with to form values. Those of `wanted` who were there already, by address or name, keep their
 * index as key.
 */
function shareUserFields(users: readonly Partial<ShareUser>[], wanted?: readonly ShareUser[]): ComposedShareUser[] {
  const form = (
    { FirstName = '', MiddleName = '', LastName = '', Email = '', ...marks }: Partial<ShareUser>,
    key: string
  ) => ({
    key,
    FirstName,
    MiddleName,
    LastName,
    Email,
    IsDefault: marks.IsDefault ?? false,
    IsOwner: marks.IsOwner ?? false
  })
  if (!wanted) return users.map((user, place) => form(user, String(place)))
  const unmatched = new Map(users.map((user, place) => [String(place), user]))
  return wanted.map((user, place) => {
    const [key = `asked-${place}`] =
      [...unmatched].find(([, { Email }]) => Email?.toLowerCase() === user.Email.toLowerCase()) ??
      [...unmatched].find(([, one]) => fullName(one) === fullName(user)) ??
      []
    unmatched.delete(key)
    return form(user, key)
  })
}

/**
 * Finds the person of an earlier correction, wherever the service lists them now; undefined if they are no longer on
 * the document. Without a reference they must be at the same index, with the details from before or after the
 * correction.
 */
export function findCorrectedPerson(people: readonly SignerView[], before: SignerCorrection): SignerView | undefined {
  const { was, index } = before
  if (was.SignerReference) return people.find(({ signerReference }) => signerReference === was.SignerReference)
  const isNamed = (shown: SignerCorrection['was']) => (person: SignerView) =>
    person.firstName.trim() === shown.FirstName.trim() &&
    person.lastName.trim() === shown.LastName.trim() &&
    (person.email ?? '').trim().toLowerCase() === shown.Email.trim().toLowerCase()
  return people.find((person) => person.index === index && (isNamed(was)(person) || isNamed(before)(person)))
}

/** Returns what saving would change; empty if nothing. */
export function correctionsOf({ person, fields }: CorrectedSigner): Correction[] {
  const [before, after] = [trimmed(fieldsOfSigner(person)), toSend(person, fields)]
  return [
    ...names
      .filter((name) => before[name] !== after[name])
      .map((name) => ({ label: labels[name], from: inWords(before[name]), to: inWords(after[name]) })),
    ...sharingChanges(before.ShareUsers, after.ShareUsers)
  ]
}

/** Returns whether someone it was shared with has been removed. */
export function removesShareUser({ person, fields }: CorrectedSigner): boolean {
  const keys = new Set(toSend(person, fields).ShareUsers.map(({ key }) => key))
  return (person.sharedWith ?? []).some((_, place) => !keys.has(String(place)))
}

function sharingChanges(before: readonly ComposedShareUser[], after: readonly ComposedShareUser[]): Correction[] {
  const keys = new Set([...before, ...after].map(({ key }) => key))
  const describeSharing = (users: readonly ComposedShareUser[], key: string) => {
    const user = users.find((one) => one.key === key)
    if (!user) return 'not shared'
    const more = [user.Email, user.IsDefault && 'default', user.IsOwner && 'owner'].filter(Boolean).join(', ')
    return `${fullName({ ...user, Email: undefined }) || 'unnamed person'} (${more || 'no e-mail'})`
  }
  return [...keys]
    .map((key) => ({ label: 'Shared with', from: describeSharing(before, key), to: describeSharing(after, key) }))
    .filter(({ from, to }) => from !== to)
}

/**
 * Returns the errors (which prevent saving) and warnings for the input, by field name.
 * @param others the other signers: sharing an address gives a warning, never an error.
 */
export function problemsOfCorrection(
  { person, fields }: CorrectedSigner,
  others: readonly Pick<SignerView, 'name' | 'email'>[]
): Map<string, Problem> {
  const email = fields.Email.trim().toLowerCase()
  const sharing = email ? others.find((other) => other.email?.trim().toLowerCase() === email) : undefined
  const found: Problem[] = [
    ...required('signer.FirstName', fields.FirstName, 'Enter a first name.'),
    ...required('signer.LastName', fields.LastName, 'Enter a last name.'),
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
    ...problemsOfMobile('signer', fields),
    ...(fields.VideoConfirmationDeepfakeEnabled && !person.deepfakeDetector && fields.VideoConfirmationEnabled === false
      ? [error('signer.VideoConfirmationDeepfakeEnabled', 'The deepfake detector needs video confirmation.')]
      : []),
    ...problemsOfSharing('signer', toSend(person, fields).ShareUsers)
  ]
  // Later entries win in a map, so errors go last.
  const worstLast = found
    .toReversed()
    .sort((one, two) => Number(one.severity === 'error') - Number(two.severity === 'error'))
  return new Map(worstLast.map((problem) => [problem.at.replace(/^signer\./, ''), problem]))
}

/**
 * Returns the request to the service: names and address always, the rest if changed. What the service didn't report
 * stays absent, so that nothing is turned off by accident.
 */
export function correctionOf({ person, fields }: CorrectedSigner): SignerCorrection {
  const [before, after] = [trimmed(fieldsOfSigner(person)), toSend(person, fields)]
  const { FirstName, LastName, Email } = after
  const changed = names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]])
  return {
    index: person.index,
    was: {
      ...(person.signerReference && { SignerReference: person.signerReference }),
      FirstName: person.firstName,
      LastName: person.lastName,
      Email: person.email ?? ''
    },
    ...Object.fromEntries(changed),
    FirstName,
    LastName,
    Email,
    ...(sharingChanges(before.ShareUsers, after.ShareUsers).length > 0 && {
      ShareUsers: after.ShareUsers.map((user) => shareUserOf(user, person.sharedWith?.[Number(user.key)]))
    })
  }
}

/** Leaves out a flag that the service didn't report and nobody set. */
function shareUserOf(user: ComposedShareUser, was: Partial<ShareUser> | undefined): ShareUser {
  const { FirstName, MiddleName, LastName, Email, IsDefault, IsOwner } = user
  return {
    FirstName,
    LastName,
    Email,
    ...((MiddleName || was?.MiddleName) && { MiddleName }),
    ...((IsDefault || was?.IsDefault !== undefined) && { IsDefault }),
    ...((IsOwner || was?.IsOwner !== undefined) && { IsOwner })
  }
}

function trimmed<Texts extends object>(fields: Texts): Texts {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() : Array.isArray(value) ? value.map(trimmed) : value
  ])
  return Object.fromEntries(entries) as Texts
}

function toSend(person: SignerView, fields: CorrectedFields): CorrectedFields {
  const { ShareUsers, ...whole } = trimmed(fields)
  return {
    ...whole,
    MobileCountry: callingCode(fields.MobileCountry),
    MobileNumber: dialledNumber(fields.MobileNumber),
    // If the existing video is turned off, its detector is too.
    VideoConfirmationDeepfakeEnabled:
      fields.VideoConfirmationDeepfakeEnabled && (fields.VideoConfirmationEnabled || !person.video),
    // People with nothing typed yet aren't sent.
    ShareUsers: ShareUsers.filter((user) => isListedByService(user) || fullName(user) !== '')
  }
}

function isListedByService({ key }: ComposedShareUser): boolean {
  return /^\d+$/.test(key)
}

function inWords(value: string | boolean | undefined): string {
  if (typeof value === 'string') return value || 'blank'
  return value === undefined ? 'unknown' : value ? 'yes' : 'no'
}
