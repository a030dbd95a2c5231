/**
 * The bytes of an answer and its items: which match what is stored, what the others contain, and which documents of the
 * folder are missing.
 */

import { createCipheriv, createHash } from 'node:crypto'
import { decodeDocument } from '../../../../shared/model/document-decoding.ts'
import { type DocumentResponse, withCertainDates } from '../../../../shared/model/index.ts'
import { parseExactly, type Scan } from '../../lib/json-scanning.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Ask } from '../questions.ts'
import { type Entry, itemHash, type Mode, newKey } from './entries.ts'
import { type Account, type Folder, seenAt, seenInRun } from './state.ts'

/** A folder's answer while it is being taken. */
export interface AnswerInProgress {
  account: Account
  folder: Folder
  ask: Ask<'take'>
  mode: Mode
  number: number
  arrived: number
  isBaseline: boolean
  bytes: Uint8Array
  scan: Scan
  /** The folder's count when this began. */
  invalidations: number
}

/** An item that isn't byte for byte what is stored, with its hash in stored form. */
export interface ChangedItem {
  place: number
  hash: string
}

/** Marks unchanged documents as seen; returns the other items. */
export function* changedItems(answer: AnswerInProgress): Sliced<ChangedItem[]> {
  const { account, number, bytes, scan, ask, mode } = answer
  const others: ChangedItem[] = []
  const key = newKey()
  for (let place = 0; place < scan.count; place++) {
    if (place % 16 === 0) yield
    const hash = itemHash(itemOf(bytes, scan, place), ask.dateFormat, key)
    const entry = account.entries.byItemHash(mode, hash)
    if (entry && isUnchanged(answer, entry)) {
      entry.look = number
      entry.place = place
    } else {
      others.push({ place, hash: hash.text() })
    }
  }
  return others
}

/**
 * Returns each document's last place among the changed items, as an answer may contain one twice. Undefined if any item
 * isn't JSON, and so the whole answer isn't.
 */
export function* lastPlaces(
  answer: AnswerInProgress,
  others: readonly ChangedItem[]
): Sliced<Map<string, number> | undefined> {
  const last = new Map<string, number>()
  for (const { place } of others) {
    yield
    const answered = itemAt(answer, place)
    if (answered.kind === 'not-json') return undefined
    if (answered.kind === 'document') last.set(answered.document.Reference, place)
  }
  return last
}

export function itemAt(
  { bytes, scan, ask }: Pick<AnswerInProgress, 'bytes' | 'scan' | 'ask'>,
  place: number
): AnswerItem {
  return readItem(textOf(itemOf(bytes, scan, place)), scan.tooDeep.has(place), ask.dateFormat)
}

/** Whether the stored content came from these bytes and nothing newer is known. */
function isUnchanged({ folder, ask }: AnswerInProgress, entry: Entry): boolean {
  return entry.folder === folder.name && entry.isPlaced && entry.knownAt <= ask.begun && !entry.isGone
}

function itemOf(bytes: Uint8Array, { starts, ends }: Scan, place: number): Uint8Array {
  return bytes.subarray(starts[place], ends[place])
}

const CHUNK_BYTES = 4 * 1024 * 1024
const KEY = Buffer.alloc(16, 'countersign')
const NONCE = Buffer.alloc(12)

/**
 * Converts bytes to UTF-8 without a byte order mark.
 * @param charset from the Content-Type; an unknown one is read as UTF-8.
 * @returns the same bytes if they are UTF-8 already.
 */
export function asUtf8(bytes: Uint8Array, charset: string | undefined): Uint8Array {
  const encoding = markedEncoding(bytes) ?? supportedEncoding(charset)
  if (encoding !== 'utf-8') return new TextEncoder().encode(new TextDecoder(encoding).decode(bytes))
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/**
 * Hashes a whole answer. Built from AES-GCM authentication tags, for which processors have an instruction: this takes a
 * tenth of SHA-256's time, and an answer polled every few seconds is nearly always unchanged. The key needn't be
 * secret: only the sender of the answers could craft two with the same hash.
 */
export function* hashAnswer(bytes: Uint8Array, dateFormat = ''): Sliced<string> {
  const sum = createHash('sha256').update(`${bytes.length} ${dateFormat}`)
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const cipher = createCipheriv('aes-128-gcm', KEY, NONCE)
    cipher.setAAD(bytes.subarray(at, at + CHUNK_BYTES))
    cipher.final()
    sum.update(cipher.getAuthTag())
    yield
  }
  return sum.digest('base64url')
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

function supportedEncoding(charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').encoding
  } catch {
    return 'utf-8'
  }
}

/** One item of an answer: a document, or why it isn't one and its reference, if any. */
export type AnswerItem =
  | { kind: 'document'; document: DocumentResponse }
  | { kind: 'unreadable'; path: string; reference?: string; name?: string }
  | { kind: 'not-json' }

/** The contract's limit on references. */
const MAX_REFERENCE_LENGTH = 2000
const MAX_NAME_LENGTH = 200

/**
 * Decodes one item.
 * @param isTooDeep whether it is nested too deeply to be written again.
 * @param dateFormat see `withCertainDates`.
 */
export function readItem(text: string, isTooDeep: boolean, dateFormat?: string): AnswerItem {
  let json: unknown
  try {
    json = parseExactly(text)
  } catch {
    return { kind: 'not-json' }
  }
  if (isTooDeep) return unreadable(json, '')
  const decoded = tryDecode(json)
  if (!decoded) return unreadable(json, '')
  if (!decoded.ok) return unreadable(json, decoded.problem.path)
  if (!isReference(decoded.value.Reference)) return unreadable(json, 'Reference')
  return { kind: 'document', document: withCertainDates(decoded.value, dateFormat) }
}

/** Undefined if it is too large or deep to be processed. */
function tryDecode(json: unknown): ReturnType<typeof decodeDocument> | undefined {
  try {
    return decodeDocument(json)
  } catch {
    return undefined
  }
}

function unreadable(json: unknown, path: string): AnswerItem {
  const members = { reference: memberText(json, 'reference'), name: memberText(json, 'name') }
  const { reference, name } = members
  return {
    kind: 'unreadable',
    path: path === '' || path.startsWith('[') ? path : `.${path}`,
    ...(reference !== undefined && isReference(reference) && { reference }),
    ...(name !== undefined && { name: name.slice(0, MAX_NAME_LENGTH) })
  }
}

/** Returns whether a reference can be used in requests; ill-formed text couldn't be stored unchanged. */
export function isReference(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_REFERENCE_LENGTH && text.isWellFormed() && !text.includes('\0')
}

function memberText(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  for (const [key, value] of Object.entries(json)) {
    if (key.toLowerCase() !== name) continue
    if (typeof value === 'string' || typeof value === 'number') return String(value)
  }
  return undefined
}

/** Which documents of a folder a read contained, and which were missing. */
interface FolderPresence {
  /** How many documents of the folder were named. */
  count: number
  /** The missing documents, with when they were last seen. */
  missing: (readonly [reference: string, seenAt: number])[]
  /** Whether different ones were missing before. */
  hasChanged: boolean
  /** Whether an identical answer would yield nothing different. */
  isIdempotent: boolean
  /** Other folders that show some of the documents missing now: their next answer tells where those are. */
  otherFolders: ReadonlySet<string>
  /** Updates the entries; to be called once the result is stored. */
  updateEntries: () => void
}

export function* presenceIn({ account, folder, number, ask }: AnswerInProgress): Sliced<FolderPresence> {
  const missing: FolderPresence['missing'] = []
  const otherFolders = new Set<string>()
  const newlyMissing: { entry: Entry; seenAt: number; seenInRun: number }[] = []
  const returned: Entry[] = []
  const departed: Entry[] = []
  let count = 0
  let isIdempotent = true
  let visited = 0
  for (const entry of account.entries.values()) {
    if (++visited % 256 === 0) yield
    if (entry.also?.folder === folder.name) {
      // Shows a document of another folder. The outcome depends on that folder too, so an equal answer must be
      // processed again.
      if (entry.also.look === number) isIdempotent = false
      else departed.push(entry)
    }
    if (entry.folder !== folder.name || !entry.isPlaced) continue
    if (entry.look === number) {
      if (entry.isMissing) returned.push(entry)
      count++
    } else if (entry.knownAt > ask.begun) {
      // What is known may be newer than this answer: the next read tells.
      isIdempotent = false
    } else if (!entry.isGone) {
      if (!entry.isMissing) {
        newlyMissing.push({ entry, seenAt: seenAt(account, entry), seenInRun: seenInRun(account, entry) })
        if (entry.also) otherFolders.add(entry.also.folder)
      }
      missing.push([entry.reference, entry.isMissing ? entry.ownSeenAt : seenAt(account, entry)])
    }
  }

  function updateEntries(): void {
    for (const entry of returned) entry.isMissing = false
    for (const entry of departed) entry.also = undefined
    for (const { entry, ...seen } of newlyMissing) {
      entry.ownSeenAt = Math.max(entry.ownSeenAt, seen.seenAt)
      entry.ownSeenInRun = Math.max(entry.ownSeenInRun, seen.seenInRun)
      entry.isMissing = true
    }
  }
  return {
    count,
    missing,
    hasChanged: returned.length + newlyMissing.length > 0,
    isIdempotent,
    otherFolders,
    updateEntries
  }
}

/** How many reads of a folder may pass without one of the other folder that shows the document too. */
const MAX_READS_ALONE = 2

/**
 * Returns whether a document shown by a read is in its own folder as well, and so hasn't moved: its own folder's newest
 * read has shown it, in this round or alongside this folder before.
 */
export function isInBoth(account: Account, folder: Folder, entry: Entry): boolean {
  if (entry.folder === folder.name || !entry.isPlaced || entry.isMissing) return false
  if (entry.isGone) return false
  const own = account.folders.get(entry.folder)
  if (!own) return false
  const { also } = entry
  // Otherwise a folder that is no longer read would keep it for ever.
  if (also?.folder === folder.name) return own.begunInRun > also.ownReadAt || also.readsAlone < MAX_READS_ALONE
  // A read that began after this folder was last read is part of the same round.
  return own.begunInRun > folder.arrivedInRun
}

/** Returns what to remember in that case. */
export function otherFolderOf(account: Account, folder: Folder, entry: Entry, look: number): Entry['also'] {
  if (entry.folder === folder.name || !entry.isPlaced) return entry.also
  const ownReadAt = account.folders.get(entry.folder)?.begunInRun ?? 0
  const { also } = entry
  const isAlone = also?.folder === folder.name && also.ownReadAt === ownReadAt
  return { folder: folder.name, look, ownReadAt, readsAlone: isAlone ? also.readsAlone + 1 : 0 }
}
