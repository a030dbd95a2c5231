/** Matches a sheet's columns with targets by their headings. */
import { z } from 'zod'
import type { BulkTarget } from './bulk-fields.ts'

/** Which column of the sheet, from 0, fills which target of the composition (see composition/bulk-targets.ts). */
export const ColumnMapping = z
  .array(z.strictObject({ target: z.string().min(1).max(500), column: z.number().int().min(0).max(20_000) }))
  .max(5000)
export type ColumnMapping = z.infer<typeof ColumnMapping>

/** Whether the day or the month comes first in the dates of a column, counted from 0. */
export const DateOrders = z
  .array(z.strictObject({ column: z.number().int().min(0).max(20_000), order: z.enum(['day-first', 'month-first']) }))
  .max(5000)
export type DateOrders = z.infer<typeof DateOrders>

/**
 * Matches headings with targets by name, ignoring case, spaces and punctuation: "First name", "SURNAME", "E-mail 2",
 * "signer2_email". A column fills at most one target, and a target is filled by one column.
 */
export function matchColumns(targets: readonly BulkTarget[], columns: readonly string[]): ColumnMapping {
  const names = namesOf(targets)
  const taken = new Set<string>()
  const mapping: { target: string; column: number }[] = []
  const matched = new Set<number>()
  // The surest matches go first, so that a vague heading doesn't take the target of an exact one further right.
  for (const keysOf of [exactKeys, compactKeys, readKeys]) {
    columns.forEach((heading, column) => {
      if (matched.has(column)) return
      const target = keysOf(heading)
        .flatMap((key) => names.get(key) ?? [])
        .find((name) => !taken.has(name))
      if (target === undefined) return
      taken.add(target)
      matched.add(column)
      mapping.push({ target, column })
    })
  }
  return mapping.sort((one, other) => one.column - other.column)
}

/** Maps each name that a heading may use to its targets, in order. */
function namesOf(targets: readonly BulkTarget[]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  const addName = (key: string, target: string) => {
    const known = names.get(key)
    if (!known) names.set(key, [target])
    else if (!known.includes(target)) known.push(target)
  }
  for (const { target, label, aliases, person, item } of targets) {
    addName(exactKeys(label)[0] as string, target)
    for (const key of compactKeys(label)) addName(key, target)
    for (const alias of aliases) {
      const bare = compact(alias)
      if (!bare) continue
      addName(readKey(bare, person ?? 0, item ?? 0), target)
      // A heading without a number means the first person.
      if ((person ?? 1) === 1 && (person === undefined || (item ?? 1) === 1)) addName(`compact ${bare}`, target)
    }
  }
  return names
}

function exactKeys(heading: string): string[] {
  return [`exact ${heading.trim().replace(/\s+/gu, ' ').toLowerCase()}`]
}

function compactKeys(heading: string): string[] {
  const bare = compact(heading)
  return bare ? [`compact ${bare}`] : []
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth']
const personNouns = 'person|signer|signatory|recipient|invitee|party'
const itemNouns = 'form|template'

/**
 * Returns the keys of a heading: "Signer 2 e-mail", "Second signer's e-mail" and "E-mail 2" all mean the e-mail of
 * person 2.
 */
function readKeys(heading: string): string[] {
  const words = ` ${wordsOf(heading)} `
  const itemFound = numberNextTo(words, itemNouns)
  const personFound = numberNextTo(itemFound.rest, personNouns)
  const trailing = personFound.number === undefined ? /^(.*\D) (\d{1,3}) $/.exec(personFound.rest) : null
  const withoutNoun = personFound.rest.replace(new RegExp(` (?:${personNouns})s? `), ' ')
  const rest = compact(trailing?.[1] ?? withoutNoun)
  if (!rest) return []
  const person = personFound.number ?? (trailing ? Number(trailing[2]) : 1)
  const item = itemFound.number ?? 1
  return [readKey(rest, person, item), readKey(rest, 0, item), ...(person === 1 ? [readKey(rest, 0, 0)] : [])].slice(
    0,
    // A number means a person: nothing of the package is numbered.
    personFound.number !== undefined || trailing ? 1 : 3
  )
}

function numberNextTo(words: string, nouns: string): { number?: number; rest: string } {
  const after = new RegExp(` (?:of )?(?:${nouns})(?: s)? (\\d{1,3}) (?:s )?`).exec(words)
  if (after) return { number: Number(after[1]), rest: words.replace(after[0], ' ') }
  const before = new RegExp(
    ` (?:(\\d{1,3})(?: ?(?:st|nd|rd|th))?|(${ordinals.join('|')})) (?:${nouns})(?: s|s)? `
  ).exec(words)
  if (!before) return { rest: words }
  const number = before[1] ? Number(before[1]) : ordinals.indexOf(before[2] as string) + 1
  return { number, rest: words.replace(before[0], ' ') }
}

function readKey(bare: string, person: number, item: number): string {
  return `read ${item} ${person} ${bare}`
}

/** Splits a text into lower-case words, also between letters and digits and in camelCase. */
function wordsOf(text: string): string {
  return plain(text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replace(/(\p{N})(\p{L})/gu, '$1 $2')
    .trim()
}

/** Reduces a text to lower-case letters and digits without accents. */
function compact(text: string): string {
  return plain(text).replace(/[^\p{L}\p{N}]+/gu, '')
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
