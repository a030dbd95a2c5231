/**
 * Reads a policy file: what it sets, or everything that is wrong with it, with line and column. A file with an error
 * isn't used at all: a misspelt name would lock nothing, and nobody would notice.
 */
import type { PolicyProblem } from '../../../shared/contract/policy.ts'
import { shortened } from '../lib/text-folding.ts'
import { contradictionsIn } from './contradictions.ts'
import { type JsonPositions, type Path, positionOf, positionsIn } from './json-positions.ts'
import { Policy, publishedSchema } from './schema.ts'

/** In bytes. A policy that sets everything has about ten thousand. */
export const MAX_POLICY_BYTES = 1024 * 1024
/** How many problems of one file are reported. */
const MAX_PROBLEMS = 20
/** The maximum length of a quotation from the file, in characters. */
const MAX_QUOTED_LENGTH = 60

export type PolicyReading =
  | { readonly ok: true; readonly policy: Policy; readonly text: string; readonly hasBom: boolean }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] }

/** Reads a policy. Never throws. @param bytes the whole file. */
export function readPolicy(bytes: Uint8Array): PolicyReading {
  if (bytes.length > MAX_POLICY_BYTES) return rejection({ message: TOO_LARGE })
  const [first, second, third] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return rejection({ message: 'The file is UTF-16. Save it as UTF-8.' })
  }
  const hasBom = first === 0xef && second === 0xbb && third === 0xbf
  const text = decodeUtf8(bytes)
  if (text === undefined) {
    return rejection({ message: 'The file isn’t UTF-8. Save it as UTF-8.', line: firstInvalidLine(bytes) })
  }
  if (text.trim() === '') return rejection({ message: 'The file is empty. A policy that sets nothing is {}.' })
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (error) {
    return rejection(syntaxProblem(error, text))
  }
  const positions = positionsIn(text)
  if (positions === 'too-deep') return rejection({ message: 'The file is nested deeper than any policy.' })
  // Counting lines takes time, so no more are counted than are reported.
  const duplicates = positions.duplicates
    .slice(0, MAX_PROBLEMS)
    .map(({ name, offset }) => problem(`“${shortened(name, MAX_QUOTED_LENGTH)}” is written twice.`, text, offset))
  const read = Policy.safeParse(found)
  const contentProblems = read.success
    ? contradictionsIn(read.data).map(({ path, message }) => problem(message, text, positions.offsetOf(path)))
    : read.error.issues.slice(0, MAX_PROBLEMS).flatMap((issue) => problemsOf(issue, text, positions))
  const problems = [...duplicates, ...contentProblems].sort(byPosition)
  if (problems.length > 0 || !read.success) return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) }
  return { ok: true, policy: read.data, text, hasBom }
}

export const TOO_LARGE = 'The file is larger than 1 MB.'

/** Formats a problem on one line, such as "Line 3, column 5: …"; for a managed setting, with its name. */
export function describeProblem({ message, line, column, setting }: PolicyProblem): string {
  if (setting !== undefined) return `${setting}: ${message}`
  if (line === undefined) return message
  return column === undefined ? `Line ${line}: ${message}` : `Line ${line}, column ${column}: ${message}`
}

function rejection(one: PolicyProblem): PolicyReading {
  return { ok: false, problems: [one] }
}

function problem(message: string, text: string, offset: number): PolicyProblem {
  return { message, ...positionOf(text, offset) }
}

function byPosition(one: PolicyProblem, other: PolicyProblem): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0)
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function firstInvalidLine(bytes: Uint8Array): number {
  let line = 1
  for (let from = 0; from <= bytes.length; line++) {
    const end = bytes.indexOf(0x0a, from)
    const to = end < 0 ? bytes.length : end
    if (decodeUtf8(bytes.subarray(from, to)) === undefined) return line
    from = to + 1
  }
  return line
}

function syntaxProblem(error: unknown, text: string): PolicyProblem {
  const message = error instanceof Error ? error.message : ''
  if (/^Unexpected end|^Unterminated/.test(message)) return problem(TRUNCATED, text, text.length)
  const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? offsetOfToken(text))
  if (offset >= text.trimEnd().length) return problem(TRUNCATED, text, text.length)
  const bare = bareWordAt(text, offset)
  if (bare) return problem(bareWordHint(bare), text, bare.offset)
  return problem(hintAt(text, offset, message), text, offset)
}

const TRUNCATED = 'The file ends in the middle. A closing bracket or quotation mark is missing.'

interface BareWord {
  word: string
  offset: number
  /** The setting that it is the value of; undefined if it is a name itself, or in a list. */
  setting: string | undefined
  isName: boolean
}

/** Finds an unquoted word around the position where parsing failed; undefined for JSON's own words, in any case. */
function bareWordAt(text: string, offset: number): BareWord | undefined {
  const before = /[\p{L}\p{N}_.-]*$/u.exec(text.slice(Math.max(0, offset - MAX_QUOTED_LENGTH), offset))?.[0] ?? ''
  const at = offset - before.length
  const [word] = /^\p{L}[\p{L}\p{N}_.-]*/u.exec(text.slice(at, at + MAX_QUOTED_LENGTH)) ?? []
  if (word === undefined || /^(?:true|false|null)$/i.test(word)) return undefined
  const setting = /"([^"\n]{1,60})"\s*:\s*$/.exec(text.slice(Math.max(0, at - 2 * MAX_QUOTED_LENGTH), at))?.[1]
  if (setting === undefined && !/[[,{]\s*$/.test(text.slice(0, at))) return undefined
  return { word, offset: at, setting, isName: setting === undefined && /^\s*"?\s*:/.test(text.slice(at + word.length)) }
}

function bareWordHint({ word, setting, isName }: BareWord): string {
  const literal = /^(?:yes|on)$/i.test(word) ? 'true' : /^(?:no|off)$/i.test(word) ? 'false' : undefined
  if (literal !== undefined && setting !== undefined)
    return `“${setting}” can’t be “${word}”. Write ${literal} instead.`
  if (isName) return `Put quotation marks around the name: "${word}".`
  return `Put quotation marks around the text: "${word}".`
}

/**
 * Finds the position of an unexpected token, which V8 names without a position. The text before it could be continued;
 * with it, it can't.
 */
function offsetOfToken(text: string): number {
  let low = 0
  let high = text.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (canContinue(text.slice(0, middle))) low = middle
    else high = middle
  }
  return low
}

function canContinue(start: string): boolean {
  try {
    JSON.parse(start)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const at = /at position (\d+)/.exec(message)?.[1]
    return at === undefined
      ? message.startsWith('Unexpected end')
      : message.startsWith('Unterminated') || Number(at) >= start.length
  }
}

/** Explains mistakes of people who know other languages, or have used a word processor. */
function hintAt(text: string, offset: number, message: string): string {
  const rest = text.slice(offset, offset + 8)
  if (/Bad (?:escaped character|Unicode escape)/.test(message)) {
    return 'Write each backslash of a path twice, such as C:\\\\Scans.'
  }
  if (/Bad control character/.test(message)) return 'A closing quotation mark is missing before the end of the line.'
  if (/^[/#]/.test(rest)) return 'JSON has no comments. Remove this one.'
  if (/^[“”„‘’'`]/.test(rest)) return 'Quotation marks must be straight double ones: ".'
  if (/^(?:true|false|null)\b/i.test(rest)) return 'Write true, false and null in small letters.'
  if (/^[}\]]/.test(rest) && /,\s*$/.test(text.slice(0, offset))) return 'Remove the comma before this bracket.'
  if (/Expected ','/.test(message) && /^["{[]/.test(rest)) return 'A comma is missing just before.'
  return 'This isn’t valid JSON. Look for a missing or extra comma, quotation mark or bracket just before.'
}

type Issue = NonNullable<ReturnType<typeof Policy.safeParse>['error']>['issues'][number]

function problemsOf(issue: Issue, text: string, positions: JsonPositions): PolicyProblem[] {
  const path = issue.path as Path
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_PROBLEMS)
      .map((key) => problem(unknownName(key), text, positions.offsetOfName([...path, key])))
  }
  return [problem(messageFor(issue), text, positions.offsetOf(path))]
}

function unknownName(key: string): string {
  const name = shortened(key, MAX_QUOTED_LENGTH)
  const names = namesIn(publishedSchema())
  if (names.includes(key)) return `“${name}” is a setting, but it doesn’t belong here.`
  const suggestion = names.find((one) => isTypoOf(key, one))
  if (suggestion !== undefined) return `“${name}” isn’t a setting. Did you mean “${suggestion}”?`
  return `“${name}” isn’t a setting of this version of Countersign.`
}

/** Returns the names of all settings, at any depth. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own =
    'properties' in schema && typeof schema.properties === 'object' ? Object.keys(schema.properties ?? {}) : []
  return [...own, ...Object.values(schema).flatMap(namesIn)]
}

/**
 * Whether the two are the same except for case, or for one letter that is missing, extra, wrong, or swapped with the
 * next.
 */
function isTypoOf(typed: string, name: string): boolean {
  const [one, other] = [typed.toLowerCase(), name.toLowerCase()]
  if (one === other) return true
  const short = one.length < other.length ? one : other
  const long = short === one ? other : one
  if (short.length < 4 || long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1)
  if (short.slice(at + 1) === long.slice(at + 1)) return true
  return short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
}

/** Complete sentences, so that each can be translated. */
const KINDS: Readonly<Record<string, (name: string) => string>> = {
  string: (name) => `“${name}” must be a text in quotation marks.`,
  number: (name) => `“${name}” must be a number.`,
  int: (name) => `“${name}” must be a whole number.`,
  boolean: (name) => `“${name}” must be true or false.`,
  array: (name) => `“${name}” must be a list in square brackets.`,
  object: (name) => `“${name}” must be a group in curly brackets.`
}
const genericMessage = (name: string) => `“${name}” isn’t in the right format.`

function messageFor(issue: Issue): string {
  const at = issue.path.map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${String(part)}`)).join('')
  const name = at.replace(/^\./, '')
  if (name === '') return 'The file must be a group in curly brackets.'
  switch (issue.code) {
    case 'invalid_type':
      return isMissing(issue) ? `“${name}” is missing.` : (KINDS[issue.expected] ?? genericMessage)(name)
    case 'invalid_value':
      return `“${name}” must be one of: ${issue.values.map(String).join(', ')}.`
    case 'too_small':
      return hasLength(issue.origin) ? `“${name}” is empty.` : `“${name}” must be at least ${issue.minimum}.`
    case 'too_big':
      return hasLength(issue.origin)
        ? `“${name}” is too long: ${issue.maximum} at most.`
        : `“${name}” must be at most ${issue.maximum}.`
    case 'invalid_format':
      if (name.startsWith('quietHours.') || name === 'backups.at')
        return `“${name}” must be a time of day from 00:00 to 23:59, such as 18:00.`
      return name.endsWith('.colour') ? `“${name}” must be a colour such as #1f7a7a.` : genericMessage(name)
    case 'invalid_union':
      return name === 'otherAccounts' ? OTHER_ACCOUNTS : genericMessage(name)
    default:
      return genericMessage(name)
  }
}

// @wc-ignore
const OTHER_ACCOUNTS = '“otherAccounts” must be true, false or "enrolled".'

function hasLength(origin: string): boolean {
  return origin === 'string' || origin === 'array'
}

function isMissing(issue: Issue): boolean {
  return issue.message.includes('undefined')
}
