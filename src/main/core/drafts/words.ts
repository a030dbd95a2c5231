/**
 * The words of a composition for the index that drafts are found by, and the words of a search as a question to it. Both
 * are taken apart by the index's own rules, so that whatever was typed is found as it was typed.
 */
import { type Composition, titleOf } from '../../../shared/composition/index.ts'

/**
 * A draft may hold megabytes of XML, and its words are written again with each save: more than this would be felt at each
 * key. What people typed comes first, so it is XML that is cut.
 */
const MOST_CHARACTERS = 100_000

/** Members that hold no words of a person's. */
const WORDLESS = new Set(['key', 'kind', 'gmt', 'FieldType', 'DataType'])

/** All text of a composition, and what it is called in lists. */
export function wordsOf(composition: Composition): string {
  const typed: string[] = []
  const xml: string[] = []
  collect(composition, '', typed, xml)
  return [titleOf(composition), ...typed, ...xml].join('\n').slice(0, MOST_CHARACTERS)
}

/**
 * The question that finds texts in which each word of a search begins some word.
 * @returns undefined if the search has no words.
 */
export function questionOf(search: string): string | undefined {
  const words = search.split(/[\s\p{C}]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) return undefined
  // Within quotes nothing is an operator, and what the index takes for several words (an e-mail address) must follow
  // each other there as well.
  return words.map((word) => `"${word.replaceAll('"', ' ')}" *`).join(' ')
}

function collect(json: unknown, name: string, typed: string[], xml: string[]): void {
  if (typeof json === 'string') {
    if (json !== '' && !WORDLESS.has(name)) (name === 'XMLData' ? xml : typed).push(json)
  } else if (Array.isArray(json)) {
    for (const entry of json) collect(entry, name, typed, xml)
  } else if (typeof json === 'object' && json !== null) {
    for (const [member, value] of Object.entries(json)) collect(value, member, typed, xml)
  }
}
