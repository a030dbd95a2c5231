/**
 * File names as the office wants them: a pattern such as `{account}/{yyyy}/{matter}/{document} – {date}.pdf` becomes a
 * path below a folder, whatever values it is filled with. Only the pattern's own slashes create folders. A preview
 * shows the result for some documents before anyone relies on it.
 */
import { DocumentQuery, type DownloadView, type PatternPreview } from '../../../shared/contract/index.ts'
import { FILE_ENDINGS, withoutEnding } from '../../../shared/file-endings.ts'
import type { AskDocuments } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { safeFileName } from '../storage/safe-name.ts'
import {
  type NameParts,
  namePartsOf,
  PLACEHOLDERS,
  type Placeholder,
  placeholderLabel,
  placeholderOf,
  placeholderValue,
  visibleText
} from './name-values.ts'

export type { NameParts }
export { PLACEHOLDERS }

type Piece = { readonly text: string } | { readonly placeholder: Placeholder }

/** A valid pattern: its folders, then the file's name without its ending. */
export interface NamePattern {
  readonly parts: readonly (readonly Piece[])[]
}

export type ParsedPattern = { ok: true; pattern: NamePattern } | { ok: false; problem: string }

export const DEFAULT_PATTERN = '{account}/{yyyy}/{matter}/{document} – {signer} – {date}.pdf'

/** Nested folders plus the file. No one finds anything in a deeper path. */
const MAX_PARTS = 8

const MAX_PATTERN_LENGTH = 500

/** Separators, which mean nothing if a value next to them is missing. */
const SEPARATORS = '[\\s\\p{Pd}_.,;+&·~]*'
/** Marks for a placeholder with a value, and for one without. A pattern's own text can't contain either. */
const VALUE = '\u0001'
const GAP = '\u0000'

/** Parses a pattern as the user wrote it. @returns the problem in words if it can't be used. */
export function parsePattern(text: string): ParsedPattern {
  if (text.length > MAX_PATTERN_LENGTH)
    return { ok: false, problem: `The pattern is longer than ${MAX_PATTERN_LENGTH} characters.` }
  const parts: Piece[][] = []
  const written = splitParts(text.trim())
  const trouble = written.length === 0 ? EMPTY : escapeProblem(text.trim()) || depthProblem(written.length)
  if (trouble) return { ok: false, problem: trouble }
  for (const part of withoutFileEnding(written)) {
    const read = readPart(part)
    if (typeof read === 'string') return { ok: false, problem: read }
    parts.push(read)
  }
  if (!parts.flat().some((piece) => 'placeholder' in piece && piece.placeholder !== 'type')) {
    return { ok: false, problem: 'Every file would have the same name: add {document} or {reference}.' }
  }
  return { ok: true, pattern: { parts } }
}

/**
 * Returns the path of a document's file below the chosen folder: names that every system accepts, the last with its
 * ending. Two documents can have the same path; see `saveFile`.
 *
 * A missing value is left out with its separators. A folder name with nothing left becomes, for example, "No matter":
 * without it, its files would move up one level, among names of another kind. A file name with nothing left becomes the
 * document's reference.
 */
export function relativePath(pattern: NamePattern, parts: NameParts): string[] {
  return pattern.parts.map((pieces, index) => {
    const text = textOf(pieces, parts)
    const isFile = index === pattern.parts.length - 1
    if (!isFile) return safeFileName(text, { fallback: missingValueName(pieces) })
    return safeFileName(text.trim() === '' ? parts.reference : text, { extension: FILE_ENDINGS[parts.type].slice(1) })
  })
}

const EMPTY = 'Enter a pattern, for example {document} – {date}'

function splitParts(text: string): string[] {
  return text === '' ? [] : text.split(/[/\\]/).map((part) => part.trim())
}

/** Returns a problem if the pattern says more than where below the chosen folder a file goes. */
function escapeProblem(text: string): string | undefined {
  if (/^[/\\]/.test(text)) return 'Don’t begin with a slash: the pattern starts in the folder that you choose.'
  const drive = /^[A-Za-z]:/.exec(text)?.[0]
  if (drive) return `Leave out “${drive}”: the pattern starts in the folder that you choose.`
  for (const part of splitParts(text)) {
    if (part === '') return 'A name is missing between two slashes, or after the last one.'
    if (/^[.\s]+$/.test(part)) return `“${part}” can’t be a folder’s name: files stay in the folder that you choose.`
  }
  return undefined
}

function depthProblem(parts: number): string | undefined {
  if (parts <= MAX_PARTS) return undefined
  return `This makes ${parts - 1} folders. Use ${MAX_PARTS - 1} at most.`
}

function withoutFileEnding(written: readonly string[]): string[] {
  const last = written.at(-1) ?? ''
  const stem = withoutEnding(last)
  return [...written.slice(0, -1), stem === '' ? last : stem]
}

/** Returns the problem in words if it can't be parsed. */
function readPart(part: string): Piece[] | string {
  const pieces: Piece[] = []
  for (const [found, inside] of part.matchAll(/\{([^{}]*)\}|[{}]|[^{}]+/g)) {
    if (found === '{') return `In “${part}” a brace isn’t closed: write a placeholder as {document}.`
    if (found === '}') return `In “${part}” a brace isn’t opened: write a placeholder as {document}.`
    if (inside === undefined) pieces.push({ text: found.replaceAll(/\p{C}/gu, '') })
    else {
      const placeholder = placeholderOf(inside)
      if (!placeholder) return unknownPlaceholder(inside)
      pieces.push({ placeholder })
    }
  }
  const isNothing = pieces.every((piece) => 'text' in piece && safeFileName(piece.text, { fallback: '?' }) === '?')
  return isNothing ? `“${part}” leaves no name.` : pieces
}

function unknownPlaceholder(inside: string): string {
  const there = PLACEHOLDERS.map((name) => `{${name}}`).join(', ')
  if (visibleText(inside) === '') return `There’s no name between { and }. Use one of ${there}.`
  return `There’s no {${visibleText(inside).slice(0, 40)}}. Use one of ${there}.`
}

function textOf(pieces: readonly Piece[], parts: NameParts): string {
  const values: string[] = []
  const skeleton = pieces.map((piece) => {
    if ('text' in piece) return piece.text
    const value = placeholderValue(piece.placeholder, parts)
    // Dots alone are no name: they would be removed later, leaving their separators behind.
    if (/^[.\s]*$/.test(value)) return GAP
    values.push(value)
    return VALUE
  })
  const [before, ...rest] = withoutGaps(skeleton.join('')).split(VALUE)
  return rest.reduce((text, literal, index) => text + (values[index] ?? '') + literal, before ?? '')
}

const BRACKETED = new RegExp(`[([{<«“‘"']${SEPARATORS}${GAP}${SEPARATORS}[)\\]}>»”’"']`, 'gu')
const GAPS = new RegExp(`${GAP}(?:${SEPARATORS}${GAP})+`, 'gu')
const GAP_AT_START = new RegExp(`^${SEPARATORS}${GAP}${SEPARATORS}`, 'u')
const GAP_AT_END = new RegExp(`${SEPARATORS}${GAP}${SEPARATORS}$`, 'u')
const GAP_BETWEEN = new RegExp(`(${SEPARATORS})${GAP}(${SEPARATORS})`, 'gu')

/** Removes the gaps, leaving one of the separators around each. */
function withoutGaps(skeleton: string): string {
  let text = skeleton
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(GAPS, GAP).replace(BRACKETED, GAP)
  }
  return text
    .replace(GAP_AT_START, '')
    .replace(GAP_AT_END, '')
    .replace(GAP_BETWEEN, (_, left: string, right: string) => (right.length > left.length ? right : left))
}

function missingValueName(pieces: readonly Piece[]): string {
  const missing = pieces.find((piece) => 'placeholder' in piece)
  return missing ? `No ${placeholderLabel(missing.placeholder)}` : 'No name'
}

interface PreviewDeps {
  ask: AskDocuments
  accountName: (accountId: string) => string
  time: Pick<Time, 'now' | 'zone'>
}

/** Example values, used while there are no documents. */
const EXAMPLE_VALUES = {
  document: 'Tenancy agreement',
  signers: ['Aroha Ngata'],
  matter: 'M-1042',
  package: 'P-2026-118',
  clientReference: 'T-17',
  reference: 'DOC-4711'
}

/** How many documents a preview shows. */
const EXAMPLES = 5

export function openPreview({ ask, accountName, time }: PreviewDeps) {
  async function exampleDocuments(accountId: string, references?: readonly string[]): Promise<string[]> {
    if (references && references.length > 0) return references.slice(0, EXAMPLES)
    const query = DocumentQuery.parse({ sort: { by: 'lastSigned', descending: true } })
    const page = { accountId, query, expanded: [], offset: 0, limit: 500, now: time.now(), zone: time.zone() }
    const { rows } = await ask('list', page)
    const documents = rows.filter((row) => row.kind === 'document')
    const withIdentity = documents.filter((row) => row.idVerificationRequested || row.identity !== 'none')
    return (withIdentity.length > 0 ? withIdentity : documents).slice(0, EXAMPLES).map(({ reference }) => reference)
  }

  /** Returns what a pattern makes of some documents: the given ones, or those signed last. */
  return async function preview(
    accountId: string,
    { pattern, type, references }: { pattern: string; type: DownloadView['type']; references?: string[] | undefined }
  ): Promise<PatternPreview> {
    const parsed = parsePattern(pattern)
    if (!parsed.ok) return { examples: [], problem: parsed.problem }
    const base = { account: accountName(accountId), type, fallbackDate: time.now(), zone: time.zone() }
    const examples: PatternPreview['examples'] = []
    const fileNameOf = (facts: NameParts) => relativePath(parsed.pattern, facts).join('/')
    for (const reference of await exampleDocuments(accountId, references)) {
      const mirrored = await ask('get', { accountId, reference })
      if (!mirrored) continue
      const facts = namePartsOf({ ...base, reference, name: reference }, mirrored)
      examples.push({ documentName: facts.document, fileName: fileNameOf(facts) })
    }
    if (examples.length > 0) return { examples }
    const { account, zone, fallbackDate: date } = base
    const madeUp = { ...EXAMPLE_VALUES, account, type, date, zone }
    return { examples: [{ documentName: madeUp.document, fileName: fileNameOf(madeUp) }] }
  }
}

/** @throws AppFailure `invalid`. */
export function assertValidPattern(pattern: string): void {
  const parsed = parsePattern(pattern)
  if (!parsed.ok) fail('invalid', parsed.problem)
}
