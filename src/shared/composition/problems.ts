/**
 * Validates a composition, in the user's words and with the control each problem belongs to. Errors prevent sending;
 * warnings don't.
 */
import { z } from 'zod'
import { readDay, WRITTEN_DAY } from './calendar.ts'
import { type ComposedField, type ComposedItem, type Composition, type Settings, settingsOf } from './composition.ts'
import { problemsOfDue } from './due-problems.ts'
import { nameOrAddress } from './names.ts'
import { error, type Problem, required, warning } from './problem.ts'
import { problemsOfSigners } from './signer-problems.ts'
import { problemsOfXml } from './xml.ts'

export type { Problem } from './problem.ts'

export interface Known {
  /** The references in the account's template list; absent if the list is incomplete. */
  templateReferences?: ReadonlySet<string> | undefined
  /** The signer roles of templates, by template reference, as far as the list gives them. */
  templateRoles?: ReadonlyMap<string, readonly string[]> | undefined
}

/**
 * Returns all problems of a composition, in the order of the screen. Without errors, the strict model accepts the
 * request made from it. Cheap enough to call on every keystroke: expensive checks are cached.
 * @param now milliseconds since 1970 UTC, to check whether the due date has passed.
 */
export function problemsOf(composition: Composition, now: number, known: Known = {}): Problem[] {
  const isForms = composition.kind === 'form-direct'
  if (composition.items.length === 0) {
    return [error('items', isForms ? 'Add a form to send.' : 'Choose a template to send.')]
  }
  return [
    ...composition.items.flatMap((item) => problemsOfItem(composition, item, known)),
    ...problemsOfDue(composition, now),
    ...problemsOfEmbedding(composition),
    ...composition.items.flatMap((item) =>
      isForms ? problemsOfXml(`${item.key}.XMLData`, item.XMLData) : problemsOfFields(item)
    ),
    ...(isForms ? problemsOfListItems(composition.ListItems) : []),
    ...problemsOfAddresses('', composition),
    ...composition.items.flatMap(({ key, own }) => (isForms && own ? problemsOfAddresses(`${key}.own.`, own) : []))
  ]
}

function problemsOfItem(
  composition: Composition,
  item: ComposedItem,
  { templateReferences, templateRoles }: Known
): Problem[] {
  const isForm = composition.kind === 'form-direct'
  const what = isForm ? 'form' : 'template'
  const reference = item.Reference.trim()
  return [
    ...required(`${item.key}.Name`, item.Name, `Enter the ${what}’s name.`),
    ...required(`${item.key}.Reference`, item.Reference, `Enter the ${what}’s reference.`),
    ...(!isForm && reference && templateReferences && !templateReferences.has(reference)
      ? [warning(`${item.key}.Reference`, 'This template isn’t in the account’s list. Check its reference.')]
      : []),
    ...(isForm && !/^\d{1,9}$/.test(item.FormType.trim())
      ? [error(`${item.key}.FormType`, 'Enter the form type, a whole number from your provider.')]
      : []),
    ...problemsOfSigners(composition, item),
    ...(isForm ? [] : problemsOfRoles(item, templateRoles?.get(reference) ?? []))
  ]
}

/**
 * Warns about a role that nobody has, at a signer without a role if there is one. Not an error, because some services
 * fill the gap.
 */
function problemsOfRoles({ key, signers }: ComposedItem, roles: readonly string[]): Problem[] {
  const taken = new Set(signers.map(({ SignerReference }) => SignerReference.trim().toLowerCase()))
  const unassigned = signers.find(({ SignerReference }) => !SignerReference.trim())
  const at = unassigned ? `${key}.signers.${unassigned.key}.SignerReference` : `${key}.signers`
  return roles
    .filter((role) => !taken.has(role.toLowerCase()))
    .map((role) => warning(at, `Nobody has the template’s role “${role}” yet.`))
}

/**
 * If only some sign at the counter, signing still opens here for everyone, so the others may wait for an e-mail in
 * vain.
 */
function problemsOfEmbedding(composition: Composition): Problem[] {
  const embedded = composition.items.filter((item) => settingsOf(composition, item).embedded)
  const signers = embedded.flatMap((item) => item.signers)
  // Signers not filled in yet may still be ticked as face to face.
  const notAtCounter = signers.filter((signer) => !signer.faceToFace && nameOrAddress(signer))
  if (notAtCounter.length === 0 || !signers.some((signer) => signer.faceToFace)) return []
  const names = [...new Set(notAtCounter.map(nameOrAddress))]
  const who = names.length > 2 ? `${names.length} people` : names.join(' and ')
  return [
    warning(
      composition.embedded ? 'embedded' : `${embedded[0]?.key}.own.embedded`,
      `Signing opens in this application for everyone, so ${who} may not be invited by e-mail. Send a separate package to anyone who signs elsewhere.`
    )
  ]
}

/** Validates the values for a template's fields (reference 2.12). */
function problemsOfFields(item: ComposedItem): Problem[] {
  const seen = new Set<string>()
  return item.fields.flatMap((field) => {
    const at = `${item.key}.fields.${field.key}`
    const reference = field.Reference.trim()
    const isDuplicate = reference !== '' && seen.has(reference)
    seen.add(reference)
    return [
      ...required(`${at}.Reference`, field.Reference, 'Enter the field’s reference in the template.'),
      ...(isDuplicate
        ? [warning(`${at}.Reference`, 'Two fields have this reference, so only one value may be used.')]
        : []),
      ...problemsOfValue(`${at}.Value`, field)
    ]
  })
}

function problemsOfValue(at: string, field: ComposedField): Problem[] {
  const value = field.Value.trim()
  if (!value) {
    return field.IsRequired && field.ReadOnly
      ? [error(at, `Fill in “${field.Label.trim() || 'this field'}”. Signers can’t.`)]
      : []
  }
  if (field.FieldType === 'DateInput' && readDay(value) === undefined) {
    return [warning(at, `This isn’t a date. Write it as ${WRITTEN_DAY}.`)]
  }
  if (field.FieldType === 'CheckBox' && !/^(true|false)$/i.test(value)) {
    return [warning(at, 'Write “true” for ticked or “false” for not ticked.')]
  }
  return []
}

/** Validates the choices given to drop-down lists (reference 2.8). */
function problemsOfListItems(items: Composition['ListItems']): Problem[] {
  const seen = new Set<string>()
  return items.flatMap((one) => {
    const same = JSON.stringify([one.ClientField.trim(), one.Item.trim()])
    const isDuplicate = one.Item.trim() !== '' && seen.has(same)
    seen.add(same)
    return [
      ...required(`ListItems.${one.key}.ClientField`, one.ClientField, 'Enter the field this choice belongs to.'),
      ...required(`ListItems.${one.key}.Item`, one.Item, 'Enter the choice.'),
      ...(isDuplicate ? [warning(`ListItems.${one.key}.Item`, 'This field already has this choice.')] : [])
    ]
  })
}

const webAddress = z.url({ protocol: /^https?$/ })

/**
 * Validates the pages that people are redirected to and the addresses that the service calls (reference 2.2 and 2.9).
 */
function problemsOfAddresses(at: string, { ReturnUrl, NotifyUrl }: Settings): Problem[] {
  return [...problemsOfWebAddress(`${at}ReturnUrl`, ReturnUrl), ...problemsOfWebAddress(`${at}NotifyUrl`, NotifyUrl)]
}

function problemsOfWebAddress(at: string, address: string): Problem[] {
  const typed = address.trim()
  if (!typed || webAddress.safeParse(typed).success) return []
  return [error(at, 'Enter a web address that starts with https://.')]
}
