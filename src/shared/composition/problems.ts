/** What is wrong with a composition, in the user's words and with the control it belongs to. Errors forbid sending; warnings don't. */
import type { ComposedItem, Composition } from './composition.ts'
import { problemsOfDue } from './due-problems.ts'
import { problemsOfEmbedding } from './embedded-problems.ts'
import { problemsOfFields } from './field-problems.ts'
import { problemsOfListItems } from './list-item-problems.ts'
import { error, type Problem, required, warning } from './problem.ts'
import { problemsOfSigners } from './signer-problems.ts'
import { problemsOfWebAddress } from './web-address.ts'
import { problemsOfXml } from './xml.ts'

export type { Problem } from './problem.ts'

/** What is known beside the composition, as far as it is known. */
export interface Known {
  /** The references in the account's list of templates. Left out where the list isn't known whole. */
  templateReferences?: ReadonlySet<string> | undefined
}

/**
 * Everything wrong with a composition, in the order of the screen. No error among them means that the strict model
 * accepts the request made of it. Cheap enough to be asked at each key: what is dear to judge is remembered.
 * @param now milliseconds since 1970 UTC, to tell whether the due date has passed.
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
    ...problemsOfWebAddress('ReturnUrl', composition.ReturnUrl),
    ...problemsOfWebAddress('NotifyUrl', composition.NotifyUrl)
  ]
}

function problemsOfItem(composition: Composition, item: ComposedItem, { templateReferences }: Known): Problem[] {
  const isForm = composition.kind === 'form-direct'
  const what = isForm ? 'form' : 'template'
  const reference = item.Reference.trim()
  return [
    ...required(`${item.key}.Name`, item.Name, `Give the ${what} a name.`),
    ...required(`${item.key}.Reference`, item.Reference, `Enter the ${what}'s reference.`),
    ...(!isForm && reference && templateReferences && !templateReferences.has(reference)
      ? [
          warning(
            `${item.key}.Reference`,
            "This template isn't in the account's list: it may have been removed since, or its reference is mistyped."
          )
        ]
      : []),
    ...(isForm && !/^\d{1,9}$/.test(item.FormType.trim())
      ? [error(`${item.key}.FormType`, 'Enter the form type: a whole number, which your provider gives with the form.')]
      : []),
    ...problemsOfSigners(composition, item)
  ]
}
