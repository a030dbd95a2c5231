/**
 * The `.countersign-settings` file (decision 54), for setting up a workstation like another one: JSON in UTF-8, without
 * secrets or anything specific to one computer. Imports are fully validated before anything is used.
 */
import { z } from 'zod'
import { Composition } from '../../../shared/composition/index.ts'
import { DocumentQuery, documentColumns } from '../../../shared/contract/document-query.ts'
import { NOTIFIED_KINDS, NotificationPreferences, requests } from '../../../shared/contract/index.ts'
import { ACCOUNT_COLOURS, ACCOUNT_MARK, AUTH_SCHEMES } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
import { type JsonTrouble, type Member, parsePiece, readInSlices, scanObject } from '../lib/json-scanning.ts'
import { folded, shortened } from '../lib/text-folding.ts'
import { Settings } from '../storage/settings.ts'

const FORMAT = 'countersign-settings'
const VERSION = 1
export const SETTINGS_ENDING = 'countersign-settings'
/** In bytes. Presets are the largest part, some ten thousand each. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

const name = z.string().trim().min(1).max(100)
const { dataTypeSpelling, folders } = requests['accounts.update'].input.shape
const address = z.string().trim().min(1).max(2000)

/** Settings for signing in with a browser; every user there sees all of it. */
const SignInPage = z.strictObject({
  clientId: z.string().min(1).max(1000),
  issuer: address.optional(),
  authorizeUrl: address.optional(),
  tokenUrl: address.optional(),
  revokeUrl: address.optional(),
  scope: z.string().max(1000).optional()
})

const FileAccount = z.strictObject({
  name,
  address,
  signIn: z.enum(AUTH_SCHEMES),
  signInPage: SignInPage.optional(),
  folders: folders.unwrap(),
  dataTypeSpelling: dataTypeSpelling.unwrap(),
  jsonByQuery: z.boolean(),
  colour: z.enum(ACCOUNT_COLOURS).optional(),
  mark: z.string().regex(ACCOUNT_MARK).optional()
})
export type FileAccount = z.output<typeof FileAccount>

/** `account` is its account's name. The query's accounts are names, too. */
const FileView = z.strictObject({
  account: name,
  name,
  query: DocumentQuery.extend({ accounts: z.array(name).min(1).max(50).optional() }),
  tell: z.boolean()
})
export type FileView = z.output<typeof FileView>
const FilePreset = z.strictObject({ account: name, name: z.string().trim().min(1).max(200), composition: Composition })
export type FilePreset = z.output<typeof FilePreset>

const { theme, zoom, countryCode } = Settings.shape
const Appearance = z
  .strictObject({ theme: theme.unwrap(), zoom: zoom.unwrap(), documentColumns, countryCode: countryCode.unwrap() })
  .partial()

const configured = requests['counter.configure'].input
/** The counter's settings, without staff, camera and pictures. */
const Counter = configured
  .pick({
    evidence: true,
    idleText: true,
    fullScreen: true,
    useOtherDisplay: true,
    idle: true,
    lockAfter: true,
    allowedOrigins: true,
    mayKeepPages: true,
    languages: true,
    moreTime: true,
    mayGiveFiles: true,
    receipt: true
  })
  .partial()
const Downloads = requests['downloads.configure'].input.omit({ folderId: true })

/** An earlier version may have had fewer kinds. */
const Notifications = NotificationPreferences.extend({
  kinds: z.partialRecord(z.enum(NOTIFIED_KINDS), NotificationPreferences.shape.kinds.valueType)
})

const LISTS = { accounts: FileAccount, views: FileView, presets: FilePreset } as const
const MAX_ENTRIES: Readonly<Record<keyof typeof LISTS, number>> = { accounts: 50, views: 1000, presets: 1000 }
const PARTS = {
  appearance: Appearance,
  notifications: Notifications,
  counter: Counter,
  downloads: Downloads
} as const
const MEMBERS: readonly string[] = [...['format', 'version', 'madeBy'], ...Object.keys(LISTS), ...Object.keys(PARTS)]

/** A file's content; missing parts are undefined. */
export type SettingsFile = { [List in keyof typeof LISTS]: z.output<(typeof LISTS)[List]>[] } & {
  [Part in keyof typeof PARTS]?: z.output<(typeof PARTS)[Part]> | undefined
} & { madeBy: string }

/** Serialises a file. @throws AppFailure `too-large` if no Countersign could read it. */
export function encodeSettingsFile({ madeBy, ...content }: SettingsFile): Buffer {
  const bytes = Buffer.from(`${JSON.stringify({ format: FORMAT, version: VERSION, madeBy, ...content }, null, 2)}\n`)
  if (bytes.byteLength > MAX_FILE_BYTES) {
    fail('too-large', 'The presets are too large for a settings file.', { next: 'Export the presets by themselves.' })
  }
  return bytes
}

const UNREADABLE: Record<JsonTrouble['kind'], string> = {
  empty: 'This file is empty.',
  cut: 'This file ends in the middle. Copy or export it again.',
  malformed: 'This isn’t a Countersign settings file, or it’s damaged.'
}

/**
 * Reads a file with frequent pauses, so that a large one doesn't block anything else.
 * @throws AppFailure `invalid`: nothing in it may be used.
 */
export const readSettingsFile = (bytes: Uint8Array): Promise<SettingsFile> => readInSlices(read(bytes), UNREADABLE)

function* read(bytes: Uint8Array): Generator<void, SettingsFile> {
  const members = yield* scanObject(bytes)
  const contentOf = (member: Member | undefined): unknown => member && parsePiece(bytes, member)
  if (contentOf(members.get('format')) !== FORMAT) fail('invalid', 'This isn’t a Countersign settings file.')
  const version = z
    .int()
    .min(1)
    .safeParse(contentOf(members.get('version')))
  if (!version.success) fail('invalid', UNREADABLE.malformed)
  if (version.data > VERSION) {
    fail('invalid', 'This settings file was made by a newer version of Countersign.', {
      next: 'Update Countersign, then try again.'
    })
  }
  for (const one of members.keys()) if (!MEMBERS.includes(one)) rejectUnknownPart(one)

  function* list<List extends keyof typeof LISTS>(which: List): Generator<void, SettingsFile[List]> {
    const member = members.get(which)
    const pieces = member === undefined ? [] : (member.elements ?? rejectPart(which))
    if (pieces.length > MAX_ENTRIES[which]) fail('invalid', `“${which}” has more than ${MAX_ENTRIES[which]} entries.`)
    const entries: unknown[] = []
    for (const [index, piece] of pieces.entries()) {
      const found = LISTS[which].safeParse(parsePiece(bytes, piece))
      entries.push(found.success ? found.data : rejectIssue(`${which}, ${index + 1}`, found.error.issues[0]))
      yield
    }
    return entries as SettingsFile[List]
  }
  function part<Part extends keyof typeof PARTS>(which: Part): SettingsFile[Part] {
    const member = members.get(which)
    if (member === undefined) return undefined
    const found = PARTS[which].safeParse(contentOf(member))
    return (found.success ? found.data : rejectIssue(which, found.error.issues[0])) as SettingsFile[Part]
  }

  const accounts = yield* list('accounts')
  const duplicate = accounts.find((one, index) => accounts.findIndex((other) => hasName(one.name)(other)) < index)
  if (duplicate) fail('invalid', `Two accounts in this file are called “${shortened(duplicate.name, 60)}”.`)
  return {
    madeBy: shortened(
      z
        .string()
        .catch('')
        .parse(contentOf(members.get('madeBy'))),
      100
    ),
    accounts,
    views: yield* list('views'),
    presets: yield* list('presets'),
    appearance: part('appearance'),
    notifications: part('notifications'),
    counter: part('counter'),
    downloads: part('downloads')
  }
}

/** Compares names as people do. */
export function hasName(wanted: string): (one: { name: string }) => boolean {
  return ({ name }) => folded(name) === folded(wanted)
}

function rejectPart(where: string): never {
  return fail('invalid', `“${shortened(where, 100)}” in this file can’t be used.`)
}

function rejectUnknownPart(part: string): never {
  return fail('invalid', `This file has a part that Countersign doesn’t know (“${shortened(part, 60)}”).`)
}

function rejectIssue(where: string, issue: z.core.$ZodIssue | undefined): never {
  if (issue?.code === 'unrecognized_keys') rejectUnknownPart(issue.keys[0] ?? '')
  return rejectPart(
    [where, ...(issue?.path ?? []).map((step) => String(typeof step === 'number' ? step + 1 : String(step)))].join(', ')
  )
}
