/**
 * What answers are compared with, for all documents of an account: arrays by the index's row ids. An `Entry` is a view
 * of one document: it holds no data, and stays valid as long as the account exists.
 */
import { hash } from 'node:crypto'
import { copyInto } from '../index/columns.ts'
import type { DocumentIndex } from '../index/document-index.ts'

/** Whether an answer includes the documents' logs, which changes each document's bytes. */
export type Mode = 'plain' | 'logged'

/**
 * What is stored of a document apart from its row and body. Only what answers are compared with is held in memory; see
 * `Entry`.
 */
export interface StoredEntry {
  accountId: string
  reference: string
  folder: string
  isPlaced: boolean
  /** The document's own part of `seenAt`, apart from what its folder says. */
  ownSeenAt: number
  /** The same in this run only: clocks may be set back between runs. */
  ownSeenInRun: number
  /** When what is known arrived, in this run: an answer requested earlier may be older. */
  knownAt: number
  /** Whether its folder's newest read lacked it. */
  isMissing: boolean
  logsAreOld: boolean
  lastLogAt: number | undefined
  packageReference: string | undefined
  clientReference: string
  matchKey: string
  hashes: Record<Mode, string | undefined>
  /** Number of the last read that contained it, and its place in that answer. */
  look: number
  place: number
  /** Another folder that shows it in addition to its own. */
  also: OtherFolder | undefined
}

export interface OtherFolder {
  folder: string
  /** The last read of that folder that showed it. */
  look: number
  /**
   * When its own folder's newest read had begun by then, and how many reads of the other folder have shown it since
   * without a new one of its own.
   */
  ownReadAt: number
  readsAlone: number
}

const FLAG = { isPlaced: 1, isMissing: 2, logsAreOld: 4 } as const
const FIRST_CAPACITY = 1024

export class Entries {
  readonly index: DocumentIndex
  ids = new Float64Array(FIRST_CAPACITY)
  ownSeenAt = new Float64Array(FIRST_CAPACITY)
  ownSeenInRun = new Float64Array(FIRST_CAPACITY)
  knownAt = new Float64Array(FIRST_CAPACITY)
  looks = new Uint32Array(FIRST_CAPACITY)
  places = new Uint32Array(FIRST_CAPACITY)
  flags = new Uint8Array(FIRST_CAPACITY)
  /** Only the few that another folder also shows. */
  readonly also = new Map<number, OtherFolder>()
  readonly #hashes: Record<Mode, HashTable> = { plain: new HashTable(), logged: new HashTable() }

  constructor(index: DocumentIndex) {
    this.index = index
  }

  get(reference: string): Entry | undefined {
    const rowId = this.index.rowIdOf(reference)
    return rowId === undefined ? undefined : new Entry(this, rowId)
  }

  at(rowId: number): Entry {
    return new Entry(this, rowId)
  }

  *values(): Generator<Entry> {
    // Includes entries added meanwhile, like the iteration of a Map.
    for (let rowId = 0; rowId < this.index.inner.rowIdLimit(); rowId++) {
      if (this.index.isThere(rowId)) yield new Entry(this, rowId)
    }
  }

  inPackage(packageReference: string): Entry[] {
    return this.index.inner.columns.inPackage(packageReference).map((rowId) => new Entry(this, rowId))
  }

  /** Returns the document whose stored content came from these bytes. */
  byItemHash(mode: Mode, item: ItemHash): Entry | undefined {
    const rowId = this.#hashes[mode].find(item.key)
    return rowId < 0 ? undefined : new Entry(this, rowId)
  }

  put(id: number, stored: StoredEntry): void {
    const rowId = this.index.rowIdOf(stored.reference) as number
    while (rowId >= this.ids.length) this.#grow()
    this.ids[rowId] = id
    this.ownSeenAt[rowId] = stored.ownSeenAt
    this.ownSeenInRun[rowId] = stored.ownSeenInRun
    this.knownAt[rowId] = stored.knownAt
    this.looks[rowId] = stored.look
    this.places[rowId] = stored.place
    this.flags[rowId] =
      (stored.isPlaced ? FLAG.isPlaced : 0) |
      (stored.isMissing ? FLAG.isMissing : 0) |
      (stored.logsAreOld ? FLAG.logsAreOld : 0)
    this.at(rowId).also = stored.also
    for (const mode of ['plain', 'logged'] as const) this.#hashes[mode].set(rowId, keyOfStored(stored.hashes[mode]))
  }

  /** Forgets a document, here and in the index; its row id may be reused. */
  remove({ rowId, reference }: Entry): void {
    for (const mode of ['plain', 'logged'] as const) this.#hashes[mode].set(rowId, undefined)
    this.also.delete(rowId)
    this.index.remove(reference)
  }

  #grow(): void {
    const capacity = this.ids.length * 2
    for (const name of ['ids', 'ownSeenAt', 'ownSeenInRun', 'knownAt'] as const)
      this[name] = copyInto(this[name], new Float64Array(capacity))
    for (const name of ['looks', 'places'] as const) this[name] = copyInto(this[name], new Uint32Array(capacity))
    this.flags = copyInto(this.flags, new Uint8Array(capacity))
  }
}

/** What is known of one document apart from its row in the index. */
export class Entry
  implements Omit<StoredEntry, 'lastLogAt' | 'clientReference' | 'matchKey' | 'hashes' | 'packageReference'>
{
  readonly #entries: Entries
  readonly rowId: number

  constructor(entries: Entries, rowId: number) {
    this.#entries = entries
    this.rowId = rowId
  }

  get id(): number {
    return this.#entries.ids[this.rowId] as number
  }
  get accountId(): string {
    return this.#entries.index.inner.columns.accountId
  }
  get reference(): string {
    return this.#entries.index.inner.columns.references[this.rowId] as string
  }
  get folder(): string {
    const { columns } = this.#entries.index.inner
    return columns.folders[columns.folder[this.rowId] as number] as string
  }
  get packageReference(): string | undefined {
    const { columns } = this.#entries.index.inner
    return columns.packageReferences[columns.package[this.rowId] as number]
  }
  get isGone(): boolean {
    return this.#entries.index.isGone(this.rowId)
  }
  get isPlaced(): boolean {
    return this.#has(FLAG.isPlaced)
  }
  get logsAreOld(): boolean {
    return this.#has(FLAG.logsAreOld)
  }
  get isMissing(): boolean {
    return this.#has(FLAG.isMissing)
  }
  set isMissing(isMissing: boolean) {
    const { flags } = this.#entries
    const before = flags[this.rowId] as number
    flags[this.rowId] = isMissing ? before | FLAG.isMissing : before & ~FLAG.isMissing
  }
  get ownSeenAt(): number {
    return this.#entries.ownSeenAt[this.rowId] as number
  }
  set ownSeenAt(at: number) {
    this.#entries.ownSeenAt[this.rowId] = at
  }
  get ownSeenInRun(): number {
    return this.#entries.ownSeenInRun[this.rowId] as number
  }
  set ownSeenInRun(at: number) {
    this.#entries.ownSeenInRun[this.rowId] = at
  }
  get knownAt(): number {
    return this.#entries.knownAt[this.rowId] as number
  }
  get look(): number {
    return this.#entries.looks[this.rowId] as number
  }
  set look(number: number) {
    this.#entries.looks[this.rowId] = number
  }
  get place(): number {
    return this.#entries.places[this.rowId] as number
  }
  set place(place: number) {
    this.#entries.places[this.rowId] = place
  }
  get also(): OtherFolder | undefined {
    return this.#entries.also.get(this.rowId)
  }
  set also(also: OtherFolder | undefined) {
    if (also) this.#entries.also.set(this.rowId, also)
    else this.#entries.also.delete(this.rowId)
  }

  #has(flag: number): boolean {
    return ((this.#entries.flags[this.rowId] as number) & flag) !== 0
  }
}

/** A SHA-1 in 32-bit words. */
const WORDS = 5
/** Length of a SHA-1 in base64url. */
const LETTERS = 27
type Key = Uint32Array
export const newKey = (): Key => new Uint32Array(WORDS)

/** Hash of an item, which tells it from those of the last answer. */
export interface ItemHash {
  key: Key
  /** In stored form. */
  text: () => string
}

const formatKeys = new Map<string, Key>()

/**
 * Hashes one item with SHA-1. Includes the date format: if dates are read differently now, no item counts as unchanged.
 * @param into receives the key, which is valid until the next call.
 */
export function itemHash(bytes: Uint8Array, dateFormat: string | undefined, into: Key): ItemHash {
  const sum = hash('sha1', bytes, 'binary')
  const text = () => {
    const letters = Buffer.from(sum, 'latin1').toString('base64url')
    return dateFormat === undefined ? letters : `${letters} ${dateFormat}`
  }
  return { key: keyOf(sum, dateFormat, into), text }
}

function keyOfStored(text: string | undefined): Key | undefined {
  if (text === undefined) return undefined
  const sum = Buffer.from(text.slice(0, LETTERS), 'base64url').toString('latin1')
  return keyOf(sum, text.length > LETTERS ? text.slice(LETTERS + 1) : undefined, newKey())
}

/** @param sum its bytes, one per character. */
function keyOf(sum: string, dateFormat: string | undefined, into: Key): Key {
  for (let word = 0; word < WORDS; word++) {
    const at = word * 4
    into[word] =
      (sum.charCodeAt(at) << 24) |
      (sum.charCodeAt(at + 1) << 16) |
      (sum.charCodeAt(at + 2) << 8) |
      sum.charCodeAt(at + 3)
  }
  if (dateFormat === undefined) return into
  let format = formatKeys.get(dateFormat)
  if (!format) {
    // A service may use many over the years, but only one at a time.
    formatKeys.clear()
    format = keyOf(hash('sha1', dateFormat, 'binary'), undefined, newKey())
    formatKeys.set(dateFormat, format)
  }
  for (let word = 0; word < WORDS; word++) into[word] = (into[word] as number) ^ (format[word] as number)
  return into
}

const FREE = 0
const TOMBSTONE = -1

/** Maps keys to row ids. Keys are evenly distributed, so the first word determines the slot. */
class HashTable {
  #keys = new Uint32Array(FIRST_CAPACITY * WORDS)
  /** Row ids plus one; at least half of the slots are free. */
  #slots = new Int32Array(FIRST_CAPACITY)
  #used = 0

  /** Returns the row id, or -1. */
  find(key: Key): number {
    const slot = this.#slotOf((rowId) => this.#hasKey(rowId, key), key[0] as number)
    return slot < 0 ? -1 : (this.#slots[slot] as number) - 1
  }

  set(rowId: number, key: Key | undefined): void {
    while ((rowId + 1) * WORDS > this.#keys.length)
      this.#keys = copyInto(this.#keys, new Uint32Array(this.#keys.length * 2))
    if (key && this.#hasKey(rowId, key)) return
    const before = this.#slotOf((one) => one === rowId, this.#keys[rowId * WORDS] as number)
    if (before >= 0) this.#slots[before] = TOMBSTONE
    for (let word = 0; word < WORDS; word++) this.#keys[rowId * WORDS + word] = key?.[word] ?? 0
    if (key) this.#add(rowId)
  }

  #hasKey(rowId: number, key: Key): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#keys[rowId * WORDS + word] !== key[word]) return false
    return true
  }

  #slotOf(matches: (rowId: number) => boolean, first: number): number {
    const mask = this.#slots.length - 1
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] as number
      if (found === FREE) return -1
      if (found !== TOMBSTONE && matches(found - 1)) return slot
    }
  }

  #add(rowId: number): void {
    this.#used++
    if (this.#used * 2 > this.#slots.length) this.#rehash()
    const mask = this.#slots.length - 1
    let slot = (this.#keys[rowId * WORDS] as number) & mask
    while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask
    this.#slots[slot] = rowId + 1
  }

  /** Rehashes everything without deleted slots, into a table twice as large if it is full. */
  #rehash(): void {
    const rowIds = Array.from(this.#slots).flatMap((found) => (found > 0 ? found - 1 : []))
    const isFull = (rowIds.length + 1) * 4 > this.#slots.length
    this.#slots = new Int32Array(this.#slots.length * (isFull ? 2 : 1))
    this.#used = 1
    for (const rowId of rowIds) this.#add(rowId)
  }
}
