/**
 * The bytes of an answer and the items in them: which are as they are kept, what the others say, and which documents of the
 * folder they lack.
 */

import { createCipheriv, createHash } from 'node:crypto'
import { decodeDocument } from '../../../../shared/model/document-decoding.ts'
import { type DocumentResponse, withCertainDates } from '../../../../shared/model/index.ts'
import { parseExactly, type Scan } from '../../lib/json-scanning.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Ask } from '../questions.ts'
import { type Entry, itemHash, type Mode, newKey } from './entries.ts'
import { type Account, type Folder, seenAt, seenInRun } from './state.ts'

/** A folder's answer while it is taken over. */
export interface Taking {
  account: Account
  folder: Folder
  ask: Ask<'take'>
  mode: Mode
  number: number
  arrived: number
  isBaseline: boolean
  bytes: Uint8Array
  scan: Scan
  /** Of the folder, when it began. */
  disturbances: number
}

/** An item that isn't, byte for byte, what is kept; its hash is as it is kept. */
export interface Other {
  place: number
  hash: string
}

/** Notes what is as it was as seen; answers what isn't. */
export function* othersOf(taking: Taking): Sliced<Other[]> {
  const { account, number, bytes, scan, ask, mode } = taking
  const others: Other[] = []
  const key = newKey()
  for (let place = 0; place < scan.count; place++) {
    if (place % 16 === 0) yield
    const hash = itemHash(itemOf(bytes, scan, place), ask.dateFormat, key)
    const entry = account.entries.withItem(mode, hash)
    if (entry && isAsKept(taking, entry)) {
      entry.look = number
      entry.place = place
    } else {
      others.push({ place, hash: hash.text() })
    }
  }
  return others
}

/**
 * Where each document stands last among those that aren't as they were: an answer may name one twice. Undefined if
 * one of them isn't JSON, and so the whole answer isn't.
 */
export function* lastPlaces(taking: Taking, others: readonly Other[]): Sliced<Map<string, number> | undefined> {
  const last = new Map<string, number>()
  for (const { place } of others) {
    yield
    const answered = answeredAt(taking, place)
    if (answered.kind === 'not-json') return undefined
    if (answered.kind === 'document') last.set(answered.document.Reference, place)
  }
  return last
}

export function answeredAt({ bytes, scan, ask }: Pick<Taking, 'bytes' | 'scan' | 'ask'>, place: number): Answered {
  return readItem(textOf(itemOf(bytes, scan, place)), scan.tooDeep.has(place), ask.dateFormat)
}

/** Whether these bytes say of the document what is kept of it, and nothing newer is known. */
function isAsKept({ folder, ask }: Taking, entry: Entry): boolean {
  return entry.folder === folder.name && entry.isPlaced && entry.knownAt <= ask.begun && !entry.isGone
}

function itemOf(bytes: Uint8Array, { starts, ends }: Scan, place: number): Uint8Array {
  return bytes.subarray(starts[place], ends[place])
}

const PIECE = 4 * 1024 * 1024
const KEY = Buffer.alloc(16, 'countersign')
const NONCE = Buffer.alloc(12)

/**
 * The bytes as UTF-8 without a byte order mark.
 * @param charset as the answer's Content-Type named it. An unknown one is read as UTF-8.
 * @returns the same bytes where they are UTF-8 already.
 */
export function asUtf8(bytes: Uint8Array, charset: string | undefined): Uint8Array {
  const encoding = marked(bytes) ?? known(charset)
  if (encoding !== 'utf-8') return new TextEncoder().encode(new TextDecoder(encoding).decode(bytes))
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/**
 * The same for the same bytes only. Made of the codes that authenticate AES-GCM, which processors have an instruction for: a
 * tenth of SHA-256's time, and an answer that is asked for every few seconds is nearly always the same. The key is no
 * secret, as nobody is to be kept from anything: anyone who could make two answers look alike is the one who answers.
 */
export function* wholeHash(bytes: Uint8Array, dateFormat = ''): Sliced<string> {
  const sum = createHash('sha256').update(`${bytes.length} ${dateFormat}`)
  for (let at = 0; at < bytes.length; at += PIECE) {
    const code = createCipheriv('aes-128-gcm', KEY, NONCE)
    code.setAAD(bytes.subarray(at, at + PIECE))
    code.final()
    sum.update(code.getAuthTag())
    yield
  }
  return sum.digest('base64url')
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** What a byte order mark says. */
function marked(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

function known(charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').encoding
  } catch {
    return 'utf-8'
  }
}

/** One item of an answer: a document, or why it isn't one and who it says it is. */
export type Answered =
  | { kind: 'document'; document: DocumentResponse }
  | { kind: 'unreadable'; path: string; reference?: string; name?: string }
  | { kind: 'not-json' }

/** As long as the contract lets a reference be. */
const LONGEST_REFERENCE = 2000
const LONGEST_NAME = 200

/**
 * @param isTooDeep nested so deep that it could not be written down again.
 * @param dateFormat see `withCertainDates`.
 */
export function readItem(text: string, isTooDeep: boolean, dateFormat?: string): Answered {
  let json: unknown
  try {
    json = parseExactly(text)
  } catch {
    return { kind: 'not-json' }
  }
  if (isTooDeep) return unreadable(json, '')
  const decoded = decodedOf(json)
  if (!decoded) return unreadable(json, '')
  if (!decoded.ok) return unreadable(json, decoded.problem.path)
  if (!isReference(decoded.value.Reference)) return unreadable(json, 'Reference')
  return { kind: 'document', document: withCertainDates(decoded.value, dateFormat) }
}

/** Undefined for what is more than can be gone through. */
function decodedOf(json: unknown): ReturnType<typeof decodeDocument> | undefined {
  try {
    return decodeDocument(json)
  } catch {
    return undefined
  }
}

function unreadable(json: unknown, path: string): Answered {
  const said = { reference: wordOf(json, 'reference'), name: wordOf(json, 'name') }
  const { reference, name } = said
  return {
    kind: 'unreadable',
    path: path === '' || path.startsWith('[') ? path : `.${path}`,
    ...(reference !== undefined && isReference(reference) && { reference }),
    ...(name !== undefined && { name: name.slice(0, LONGEST_NAME) })
  }
}

/** A reference that can be asked for again: what isn't well-formed could not be kept as it is. */
export function isReference(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_REFERENCE && text.isWellFormed() && !text.includes('\0')
}

function wordOf(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  for (const [key, value] of Object.entries(json)) {
    if (key.toLowerCase() !== name) continue
    if (typeof value === 'string' || typeof value === 'number') return String(value)
  }
  return undefined
}

/** Which documents of a folder a look named, and which it lacked. */
interface Presence {
  /** So many documents of the folder were named. */
  count: number
  /** The documents that it lacked, with when they were seen last. */
  missing: (readonly [reference: string, seenAt: number])[]
  /** Whether other ones were lacking before. */
  hasChanged: boolean
  /** Whether an answer equal to this one would say nothing else. */
  isSettled: boolean
  /** Other folders that show some of what is lacking now: their next answer says where it is. */
  elsewhere: ReadonlySet<string>
  /** Has the documents remember it: called once it is kept. */
  remember: () => void
}

export function* presenceIn({ account, folder, number, ask }: Taking): Sliced<Presence> {
  const missing: Presence['missing'] = []
  const elsewhere = new Set<string>()
  const lacking: { entry: Entry; seenAt: number; seenInRun: number }[] = []
  const back: Entry[] = []
  const left: Entry[] = []
  let count = 0
  let isSettled = true
  let passed = 0
  for (const entry of account.entries.values()) {
    if (++passed % 256 === 0) yield
    if (entry.also?.folder === folder.name) {
      // A folder that shows what is another's says of it what it says: it is asked again.
      if (entry.also.look === number) isSettled = false
      else left.push(entry)
    }
    if (entry.folder !== folder.name || !entry.isPlaced) continue
    if (entry.look === number) {
      if (entry.isMissing) back.push(entry)
      count++
    } else if (entry.knownAt > ask.begun) {
      // What is known may be newer than this answer: the next look tells.
      isSettled = false
    } else if (!entry.isGone) {
      if (!entry.isMissing) {
        lacking.push({ entry, seenAt: seenAt(account, entry), seenInRun: seenInRun(account, entry) })
        if (entry.also) elsewhere.add(entry.also.folder)
      }
      missing.push([entry.reference, entry.isMissing ? entry.ownSeenAt : seenAt(account, entry)])
    }
  }

  function remember(): void {
    for (const entry of back) entry.isMissing = false
    for (const entry of left) entry.also = undefined
    for (const { entry, ...seen } of lacking) {
      entry.ownSeenAt = Math.max(entry.ownSeenAt, seen.seenAt)
      entry.ownSeenInRun = Math.max(entry.ownSeenInRun, seen.seenInRun)
      entry.isMissing = true
    }
  }
  return { count, missing, hasChanged: back.length + lacking.length > 0, isSettled, elsewhere, remember }
}

/** So many looks at one folder may pass without one at the other that shows the document too. */
const MOST_ALONE = 2

/**
 * Whether a document that a look shows is in its own folder as well, and so hasn't moved: that folder's newest look has
 * shown it, in this same round or beside this folder before.
 */
export function isInBoth(account: Account, folder: Folder, entry: Entry): boolean {
  if (entry.folder === folder.name || !entry.isPlaced || entry.isMissing) return false
  if (entry.isGone) return false
  const own = account.folders.get(entry.folder)
  if (!own) return false
  const { also } = entry
  // A folder that is read no more would keep it for ever.
  if (also?.folder === folder.name) return own.begunInRun > also.ownBegun || also.alone < MOST_ALONE
  // A look that began since this folder was read last is one of the same round.
  return own.begunInRun > folder.arrivedInRun
}

/** What is remembered of it then. */
export function alsoIn(account: Account, folder: Folder, entry: Entry, look: number): Entry['also'] {
  if (entry.folder === folder.name || !entry.isPlaced) return entry.also
  const ownBegun = account.folders.get(entry.folder)?.begunInRun ?? 0
  const { also } = entry
  const isAlone = also?.folder === folder.name && also.ownBegun === ownBegun
  return { folder: folder.name, look, ownBegun, alone: isAlone ? also.alone + 1 : 0 }
}
