/**
 * The `.countersign` file, which carries drafts and presets from one office to another: JSON in UTF-8. A file is
 * checked as a whole before anything of it is used, and problems are reported in the user's words.
 */
import { z } from 'zod'
import { Composition } from '../../../shared/composition/index.ts'
import { fail } from '../lib/failure.ts'
import {
  type JsonTrouble,
  type Member,
  type Piece,
  parsePiece,
  readInSlices,
  scanObject
} from '../lib/json-scanning.ts'
import { shortened } from '../lib/text-folding.ts'

const FORMAT = 'countersign'
const VERSION = 1
export const FILE_EXTENSION = 'countersign'

/** The maximum size of a file, in bytes, and the maximum number of drafts and presets in it. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024
const MAX_ENTRIES = 10_000

const Preset = z.strictObject({ name: z.string().trim().min(1).max(200), composition: Composition })
const Version = z.number().int().min(1)

export interface ExchangeContent {
  drafts: Composition[]
  presets: z.infer<typeof Preset>[]
}

const MEMBERS = ['format', 'version', 'madeBy', 'drafts', 'presets']

const NOT_OURS = 'This isn’t a Countersign file.'
const DAMAGED = 'This file is damaged: it can’t be read. Nothing was imported.'
const UNREADABLE: Record<JsonTrouble['kind'], string> = {
  empty: 'This file is empty.',
  cut: 'This file is incomplete: it ends in the middle. Copy or export it again. Nothing was imported.',
  malformed: 'This isn’t a Countersign file, or it is damaged. Nothing was imported.'
}

/**
 * Yields the file's content, an entry at a time.
 * @param madeBy the application and its version, for anyone who opens the file with something else.
 * @throws AppFailure `too-large` during iteration, if the file would be too large to import.
 */
export function* exchangeFile(
  madeBy: string,
  { drafts, presets }: { drafts: Iterable<Composition>; presets: Iterable<ExchangeContent['presets'][number]> }
): Generator<Uint8Array> {
  let bytes = 0
  for (const text of textsOf(madeBy, drafts, presets)) {
    const chunk = Buffer.from(text, 'utf8')
    bytes += chunk.byteLength
    if (bytes > MAX_FILE_BYTES) {
      fail('too-large', 'Together these are over the 50 MB limit for a Countersign file.', {
        next: 'Export fewer at a time.'
      })
    }
    yield chunk
  }
}

function* textsOf(madeBy: string, drafts: Iterable<unknown>, presets: Iterable<unknown>): Generator<string> {
  yield `{"format":${JSON.stringify(FORMAT)},"version":${VERSION},"madeBy":${JSON.stringify(madeBy)},\n"drafts":[`
  yield* joinedEntries(drafts)
  yield '],\n"presets":['
  yield* joinedEntries(presets)
  yield ']}\n'
}

function* joinedEntries(entries: Iterable<unknown>): Generator<string> {
  let isFirst = true
  for (const entry of entries) {
    yield `${isFirst ? '' : ','}\n${JSON.stringify(entry)}`
    isFirst = false
  }
}

/**
 * Reads the content of a file, yielding often, so that a large one doesn't block anything else.
 * @throws AppFailure `invalid` or `too-large`: nothing of it may be used.
 */
export async function readExchangeFile(bytes: Uint8Array): Promise<ExchangeContent> {
  if (bytes.byteLength > MAX_FILE_BYTES)
    fail('too-large', 'This file is larger than 50 MB.', { next: 'Export fewer at a time.' })
  return readInSlices(read(bytes), UNREADABLE)
}

function* read(bytes: Uint8Array): Generator<void, ExchangeContent> {
  const members = yield* scanObject(bytes)
  const format = contentOf(bytes, members.get('format'))
  if (format !== FORMAT) fail('invalid', NOT_OURS)
  const version = Version.safeParse(contentOf(bytes, members.get('version')))
  if (!version.success) fail('invalid', DAMAGED)
  if (version.data > VERSION) {
    fail(
      'invalid',
      `This file was made by a newer version of Countersign (${version.data}). Update Countersign to import it.`
    )
  }
  const unknown = [...members.keys()].find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) {
    fail(
      'invalid',
      `This file has a part that Countersign doesn’t know (“${unknown.slice(0, 60)}”), so it wasn’t imported.`
    )
  }
  const drafts = entriesOf(members.get('drafts'))
  const presets = entriesOf(members.get('presets'))
  if (drafts.length + presets.length === 0) fail('invalid', 'There are no drafts or presets in this file.')
  if (drafts.length + presets.length > MAX_ENTRIES) {
    fail('too-large', `There are more than ${MAX_ENTRIES} drafts and presets in this file.`, {
      next: `Export fewer at a time.`
    })
  }
  return {
    drafts: yield* validated(bytes, drafts, Composition, 'draft'),
    presets: yield* validated(bytes, presets, Preset, 'preset')
  }
}

function* validated<Schema extends z.ZodType>(
  bytes: Uint8Array,
  entries: readonly Piece[],
  schema: Schema,
  what: 'draft' | 'preset'
): Generator<void, z.infer<Schema>[]> {
  const values: z.infer<Schema>[] = []
  for (const [index, entry] of entries.entries()) {
    const value = contentOf(bytes, entry)
    const read = schema.safeParse(value)
    if (!read.success) fail('invalid', troubleOf(what, index + 1, value, read.error.issues))
    values.push(read.data)
    yield
  }
  return values
}

function entriesOf(member: Member | undefined): readonly Piece[] {
  return member === undefined ? [] : (member.elements ?? fail('invalid', DAMAGED))
}

function contentOf(bytes: Uint8Array, piece: Piece | undefined): unknown {
  return piece && parsePiece(bytes, piece)
}

/** Lists of a composition, and what the user calls one of their entries. */
const PARTS: Record<string, string> = {
  signers: 'signer',
  ShareUsers: 'shared with',
  IDData: 'identity question',
  fields: 'field',
  ListItems: 'drop-down item'
}

/**
 * Describes what is wrong with an entry, in the user's words: which entry, which part of it, and why.
 * @param number of the entry among its kind, from 1.
 * @param issues only the first one is reported.
 */
function troubleOf(
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
  return `${entryName} can’t be used: ${where ? `${where} ${why}` : `it ${why}`}. Nothing was imported.`
}

function reasonOf(issue: z.core.$ZodIssue, entry: unknown): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `has a part that Countersign doesn’t know (“${shortened(issue.keys[0] ?? '', 60)}”)`
    case 'too_big':
      return issue.origin === 'array' ? 'has too many entries' : 'is too long'
    case 'too_small':
      return 'is blank'
    case 'invalid_value':
      return 'has a value that Countersign doesn’t know'
    default:
      return valueAt(entry, issue.path) === undefined ? 'is missing' : 'isn’t of the right kind'
  }
}

/** Names a place, such as `form 1, signer 2, Email`; undefined for the entry itself. */
function placeOf(path: readonly PropertyKey[], entry: unknown): string | undefined {
  const words: string[] = []
  for (const [index, step] of path.entries()) {
    const list = path[index - 1]
    if (typeof step === 'number') words.push(`${partOf(String(list), entry)} ${step + 1}`)
    else if (typeof path[index + 1] !== 'number' && step !== 'composition') words.push(shortened(String(step), 60))
  }
  return words.length === 0 ? undefined : words.join(', ')
}

function partOf(list: string, entry: unknown): string {
  if (list !== 'items') return PARTS[list] ?? list
  const kind = valueAt(entry, ['kind']) ?? valueAt(entry, ['composition', 'kind'])
  return kind === 'form-filler' ? 'template' : 'form'
}

function nameOf(what: 'draft' | 'preset', entry: unknown): string {
  const name = valueAt(entry, what === 'preset' ? ['name'] : ['items', 0, 'Name'])
  return typeof name === 'string' ? shortened(name.trim(), 60) : ''
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (within, step) =>
      typeof within === 'object' && within !== null && Object.hasOwn(within, step)
        ? (within as Record<PropertyKey, unknown>)[step]
        : undefined,
    value
  )
}
