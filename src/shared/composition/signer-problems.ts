/** Validates the people of a form or template (reference 2.3 to 2.7 and 2.11). */
import { readDay, WRITTEN_DAY } from './calendar.ts'
import {
  type ComposedItem,
  type ComposedShareUser,
  type ComposedSigner,
  type Composition,
  settingsOf
} from './composition.ts'
import { isEmail, problemsOfEmail } from './email.ts'
import { problemsOfMobile } from './phone.ts'
import { error, type Problem, required, warning } from './problem.ts'

export function problemsOfSigners(composition: Composition, item: ComposedItem): Problem[] {
  const what = composition.kind === 'form-direct' ? 'form' : 'template'
  if (item.signers.length === 0) return [error(`${item.key}.signers`, `Add a signer for this ${what}.`)]
  return [...item.signers.flatMap((signer) => problemsOfSigner(composition, item, signer)), ...sharedAddresses(item)]
}

function problemsOfSigner(composition: Composition, item: ComposedItem, signer: ComposedSigner): Problem[] {
  const at = `${item.key}.signers.${signer.key}`
  return [
    ...problemsOfPerson(at, signer),
    ...problemsOfMobile(at, signer),
    ...(composition.kind === 'form-direct' && signer.UseIDData ? problemsOfIdentity(at, signer) : []),
    ...(signer.faceToFace && !settingsOf(composition, item).embedded
      ? [warning(`${at}.faceToFace`, 'Signing at the counter needs “Sign in this application”.')]
      : []),
    ...(signer.deepfakeDetector && !signer.video
      ? // The video checkbox gets the warning: the detector's own is only shown with video on.
        [warning(`${at}.video`, 'The deepfake detector needs video confirmation.')]
      : []),
    ...problemsOfSharing(at, signer.ShareUsers)
  ]
}

function problemsOfPerson(at: string, person: Pick<ComposedSigner, 'FirstName' | 'LastName' | 'Email'>): Problem[] {
  return [
    ...required(`${at}.FirstName`, person.FirstName, 'Enter the first name.'),
    ...required(`${at}.LastName`, person.LastName, 'Enter the last name.'),
    ...problemsOfEmail(`${at}.Email`, person.Email)
  ]
}

function problemsOfIdentity(at: string, signer: ComposedSigner): Problem[] {
  if (signer.IDData.length === 0) {
    return [error(`${at}.IDData`, 'Add at least one identity question.')]
  }
  return signer.IDData.flatMap((one) => [
    ...required(`${at}.IDData.${one.key}.Label`, one.Label, 'Enter the question.'),
    ...problemsOfAnswer(`${at}.IDData.${one.key}.Value`, one)
  ])
}

/** The answer itself never appears in a message, because it identifies a person. */
function problemsOfAnswer(at: string, { Value, DataType }: ComposedSigner['IDData'][number]): Problem[] {
  if (!Value.trim()) return [error(at, 'Enter the correct answer.')]
  if (DataType === 'date' && readDay(Value) === undefined) return [error(at, `Write the date as ${WRITTEN_DAY}.`)]
  if (DataType === 'email' && !isEmail(Value)) return [error(at, 'Enter an e-mail address, or choose “Text”.')]
  return []
}

/** Validates the people it is shared with, each at `{at}.ShareUsers.{key}`. */
export function problemsOfSharing(at: string, users: readonly ComposedShareUser[]): Problem[] {
  const defaults = users.filter((user) => user.IsDefault)
  const owners = users.filter((user) => user.IsOwner)
  return users.flatMap((user) => {
    const userAt = `${at}.ShareUsers.${user.key}`
    return [
      ...problemsOfPerson(userAt, user),
      ...(defaults.indexOf(user) > 0
        ? [warning(`${userAt}.IsDefault`, 'There’s already a default, so only one may be used.')]
        : []),
      ...(owners.indexOf(user) > 0
        ? [warning(`${userAt}.IsOwner`, 'There’s already an owner, so only one may be used.')]
        : [])
    ]
  })
}

/** Only a warning, never an error: couples do share an address. Who signs face to face gets no link. */
function sharedAddresses(item: ComposedItem): Problem[] {
  const seen = new Set<string>()
  const linked = item.signers.filter(({ faceToFace }) => !faceToFace)
  return linked.flatMap((signer) => {
    const address = signer.Email.trim().toLowerCase()
    if (!address) return []
    if (!seen.has(address)) {
      seen.add(address)
      return []
    }
    return [
      warning(
        `${item.key}.signers.${signer.key}.Email`,
        'Two signers share this address, so both links go to one mailbox.'
      )
    ]
  })
}
