/**
 * The words of a composition for the full-text index of drafts, and a search as a query to it. The index itself
 * tokenises both, so whatever was typed is found as it was typed.
 */
import { type Composition, titleOf } from '../../../shared/composition/index.ts'

/**
 * A draft may hold megabytes of XML, and its words are written with each save: more than this would be felt while
 * typing. What people typed comes first, so XML is what gets cut.
 */
const MAX_TEXT_LENGTH = 100_000

/** Members whose values nobody types. */
const UNTYPED_MEMBERS = new Set(['key', 'kind', 'gmt', 'FieldType', 'DataType'])

/** Returns all text of a composition, with its title in lists. */
export function wordsOf(composition: Composition): string {
  const typed: string[] = []
  const xml: string[] = []
  collect(composition, '', typed, xml)
  return [titleOf(composition), ...typed, ...xml].join('\n').slice(0, MAX_TEXT_LENGTH)
}

/**
 * Builds the query that finds texts in which each word of the search is the beginning of a word.
 * @returns undefined if the search has no words.
 */
export function searchQueryOf(search: string): string | undefined {
  const words = search.split(/[\s\p{C}]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) return undefined
  // Within quotes nothing is an operator, and what the index splits into several words, such as an e-mail address, must
  // match as a sequence.
  return words.map((word) => `"${word.replaceAll('"', ' ')}" *`).join(' ')
}

function collect(json: unknown, name: string, typed: string[], xml: string[]): void {
  if (typeof json === 'string') {
    if (json !== '' && !UNTYPED_MEMBERS.has(name)) (name === 'XMLData' ? xml : typed).push(json)
  } else if (Array.isArray(json)) {
    for (const entry of json) collect(entry, name, typed, xml)
  } else if (typeof json === 'object' && json !== null) {
    for (const [member, value] of Object.entries(json)) collect(value, member, typed, xml)
  }
}
