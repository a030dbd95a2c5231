/** What is wrong with an entry of a `.countersign` file, in the user's words: which entry, which part of it, and why. */
import type { z } from 'zod'

/** Lists of a composition, and what the user calls one of their entries. */
const PARTS: Record<string, string> = {
  signers: 'signer',
  ShareUsers: 'shared with',
  IDData: 'identity question',
  fields: 'field',
  ListItems: 'drop-down item'
}

/**
 * @param number of the entry among its kind, from 1.
 * @param issues of which the first is told.
 */
export function troubleOf(
  what: 'draft' | 'preset',
  number: number,
  entry: unknown,
  issues: readonly z.core.$ZodIssue[]
): string {
  const [issue] = issues
  const name = nameOf(what, entry)
  const where = issue && placeOf(issue.path, entry)
  const entryName = `${what === 'draft' ? 'Draft' : 'Preset'} ${number}${name ? ` (“${name}”)` : ''}`
  const why = issue ? reasonOf(issue, entry) : 'isn’t of the right kind'
  return `${entryName} can’t be used: ${where ? `${where} ${why}` : `it ${why}`}. Nothing of this file was imported.`
}

function reasonOf(issue: z.core.$ZodIssue, entry: unknown): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `has a part that Countersign doesn’t know (“${shortened(issue.keys[0] ?? '')}”)`
    case 'too_big':
      return issue.origin === 'array' ? 'has too many entries' : 'is too long'
    case 'too_small':
      return 'is blank'
    case 'invalid_value':
      return 'has a value that Countersign doesn’t know'
    default:
      return at(entry, issue.path) === undefined ? 'is missing' : 'isn’t of the right kind'
  }
}

/** `form 1, signer 2, Email`; undefined for the entry itself. */
function placeOf(path: readonly PropertyKey[], entry: unknown): string | undefined {
  const words: string[] = []
  for (const [index, step] of path.entries()) {
    const list = path[index - 1]
    if (typeof step === 'number') words.push(`${partOf(String(list), entry)} ${step + 1}`)
    else if (typeof path[index + 1] !== 'number' && step !== 'composition') words.push(shortened(String(step)))
  }
  return words.length === 0 ? undefined : words.join(', ')
}

function partOf(list: string, entry: unknown): string {
  if (list !== 'items') return PARTS[list] ?? list
  const kind = at(entry, ['kind']) ?? at(entry, ['composition', 'kind'])
  return kind === 'form-filler' ? 'template' : 'form'
}

function nameOf(what: 'draft' | 'preset', entry: unknown): string {
  const name = at(entry, what === 'preset' ? ['name'] : ['items', 0, 'Name'])
  return typeof name === 'string' ? shortened(name.trim()) : ''
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (within, step) =>
      typeof within === 'object' && within !== null && Object.hasOwn(within, step)
        ? (within as Record<PropertyKey, unknown>)[step]
        : undefined,
    value
  )
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
