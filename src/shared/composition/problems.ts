/** What is wrong with a composition, in the user's words and with the control it belongs to. Errors forbid sending; warnings don't. */
import { z } from 'zod'
import type { ComposedItem, ComposedSigner, Composition } from './composition.ts'

export interface Problem {
  severity: 'error' | 'warning'
  /** The control it belongs to: keys and field names joined by dots (`ITEM.signers.SIGNER.Email`), or a field of the package. */
  at: string
  message: string
}

const email = z.email({ pattern: z.regexes.unicodeEmail })
const webAddress = z.url({ protocol: /^https?$/ })

/**
 * Everything wrong with a composition, in the order of the screen. No error among them means that the strict model
 * accepts the request made of it.
 * @param now milliseconds since 1970 UTC, to tell whether the due date has passed.
 */
export function problemsOf(composition: Composition, now: number): Problem[] {
  const isForms = composition.kind === 'form-direct'
  if (composition.items.length === 0) {
    return [error('items', isForms ? 'Add a form to send.' : 'Choose a template to send.')]
  }
  return [
    ...composition.items.flatMap((item) => problemsOfItem(composition, item)),
    ...problemsOfDue(composition, now),
    ...problemsOfAddress('ReturnUrl', composition.ReturnUrl),
    ...problemsOfAddress('NotifyUrl', composition.NotifyUrl),
    ...composition.ListItems.flatMap((item) => [
      ...required(`ListItems.${item.key}.ClientField`, item.ClientField, 'Name the field that this choice belongs to.'),
      ...required(`ListItems.${item.key}.Item`, item.Item, 'Say what this choice is called.')
    ])
  ]
}

function problemsOfItem(composition: Composition, item: ComposedItem): Problem[] {
  const isForm = composition.kind === 'form-direct'
  const what = isForm ? 'form' : 'template'
  return [
    ...required(`${item.key}.Name`, item.Name, `Give the ${what} a name.`),
    ...required(`${item.key}.Reference`, item.Reference, `Enter the ${what}'s reference.`),
    ...(isForm && !/^\d{1,9}$/.test(item.FormType.trim())
      ? [error(`${item.key}.FormType`, 'Enter the form type: a whole number, which your provider gives with the form.')]
      : []),
    ...(item.signers.length === 0 ? [error(`${item.key}.signers`, `Add somebody to sign this ${what}.`)] : []),
    ...item.signers.flatMap((signer) => problemsOfSigner(composition, item, signer)),
    ...sharedAddresses(item),
    ...(isForm ? [] : item.fields.flatMap((field) => problemsOfField(item, field)))
  ]
}

function problemsOfSigner(composition: Composition, item: ComposedItem, signer: ComposedSigner): Problem[] {
  const at = `${item.key}.signers.${signer.key}`
  return [
    ...required(`${at}.FirstName`, signer.FirstName, 'Enter the first name.'),
    ...required(`${at}.LastName`, signer.LastName, 'Enter the last name.'),
    ...problemsOfEmail(`${at}.Email`, signer.Email),
    ...signer.ShareUsers.flatMap((user) => [
      ...required(`${at}.ShareUsers.${user.key}.FirstName`, user.FirstName, 'Enter the first name.'),
      ...required(`${at}.ShareUsers.${user.key}.LastName`, user.LastName, 'Enter the last name.'),
      ...problemsOfEmail(`${at}.ShareUsers.${user.key}.Email`, user.Email)
    ]),
    ...(signer.MobileNumber.trim() && !signer.MobileCountry.trim()
      ? [warning(`${at}.MobileCountry`, 'Add the country code, so that a text message arrives.')]
      : []),
    ...(composition.kind === 'form-direct' && signer.UseIDData ? problemsOfIdentity(at, signer) : []),
    ...(signer.faceToFace && !composition.embedded
      ? [warning(`${at}.faceToFace`, 'Signing at the counter needs "Sign in this application", below.')]
      : [])
  ]
}

function problemsOfIdentity(at: string, signer: ComposedSigner): Problem[] {
  if (signer.IDData.length === 0) {
    return [error(`${at}.IDData`, 'Add at least one question that identifies this signer.')]
  }
  return signer.IDData.flatMap((one) => [
    ...required(`${at}.IDData.${one.key}.Label`, one.Label, 'Say what is asked.'),
    ...required(`${at}.IDData.${one.key}.Value`, one.Value, 'Enter the answer that identifies the signer.')
  ])
}

function problemsOfField(item: ComposedItem, field: ComposedItem['fields'][number]): Problem[] {
  const at = `${item.key}.fields.${field.key}`
  return [
    ...required(`${at}.Reference`, field.Reference, 'This field has no reference; remove it or enter one.'),
    ...(field.IsRequired && field.ReadOnly && !field.Value.trim()
      ? [error(`${at}.Value`, `Fill in "${field.Label || 'this field'}": the signer can't.`)]
      : [])
  ]
}

/** Couples do share an address: a warning, never a bar. */
function sharedAddresses(item: ComposedItem): Problem[] {
  const seen = new Set<string>()
  return item.signers.flatMap((signer) => {
    const address = signer.Email.trim().toLowerCase()
    if (!address) return []
    if (!seen.has(address)) {
      seen.add(address)
      return []
    }
    return [
      warning(
        `${item.key}.signers.${signer.key}.Email`,
        'Two signers share this address: both links go to one mailbox.'
      )
    ]
  })
}

function problemsOfDue({ due, gmt }: Composition, now: number): Problem[] {
  if (!due) return []
  const at = Date.parse(`${due}:00.000Z`)
  const offset = Number(gmt)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(due) || Number.isNaN(at))
    return [error('due', 'Enter a date and a time.')]
  if (!/^-?\d{1,3}$/.test(gmt.trim()) || Math.abs(offset) > 840)
    return [error('due', 'Choose the time zone of the due date.')]
  return at - offset * 60_000 <= now ? [error('due', 'Choose a due date in the future.')] : []
}

function problemsOfAddress(at: string, address: string): Problem[] {
  const typed = address.trim()
  if (!typed) return []
  if (webAddress.safeParse(typed).success) return []
  return [error(at, 'Enter a web address that begins with https://.')]
}

function problemsOfEmail(at: string, address: string): Problem[] {
  const typed = address.trim()
  if (!typed) return [error(at, 'Enter an e-mail address.')]
  if (!email.safeParse(typed).success) {
    return [error(at, "This isn't an e-mail address: it needs a name, an @ and a domain.")]
  }
  // Addresses within an organisation may lack one: a warning, not a bar.
  return /@.*\.[^.]+$/.test(typed) ? [] : [warning(at, 'This address seems to lack an ending, such as .com or .nz.')]
}

function required(at: string, value: string, message: string): Problem[] {
  return value.trim() ? [] : [error(at, message)]
}

function error(at: string, message: string): Problem {
  return { severity: 'error', at, message }
}

function warning(at: string, message: string): Problem {
  return { severity: 'warning', at, message }
}
