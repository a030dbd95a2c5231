/**
 * What answers are compared with, of all documents of an account: by the ids of the index's rows, in arrays. An entry is a
 * look at one of them; it holds nothing, and is true for as long as the account is there.
 */
import { hash } from 'node:crypto'
import type { DocumentIndex } from '../index/document-index.ts'

/** Whether an answer was asked for with the documents' logs: the same document has other bytes then. */
export type Mode = 'plain' | 'logged'

/** What is kept of one document beside its row and its body. In memory is what answers are compared with; see entries.ts. */
export interface Kept {
  accountId: string
  reference: string
  folder: string
  isPlaced: boolean
  /** See `seenAt`; as far as it isn't the folder that says it. */
  ownSeenAt: number
  /** The same, of this run alone: clocks are put back between runs. */
  ownSeenInRun: number
  /** When what is known arrived, in this run: an answer that was asked for before may be older. */
  knownAt: number
  /** Whether the newest look at its folder lacked it. */
  isMissing: boolean
  logsAreOld: boolean
  lastLogAt: number | undefined
  packageReference: string | undefined
  clientReference: string
  matchKey: string
  hashes: Record<Mode, string | undefined>
  /** The last look that named it, and where in its answer. */
  look: number
  place: number
  /** Another folder that shows it as well as its own. */
  also: Also | undefined
}

export interface Also {
  folder: string
  /** The last look there that showed it. */
  look: number
  /** When its own folder's newest look began then; and how many looks there have shown it since without another one. */
  ownBegun: number
  alone: number
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
  /** Of the few that another folder shows, too. */
  readonly also = new Map<number, Also>()
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
    // Those that come meanwhile are passed, too, as those of a map would be.
    for (let rowId = 0; rowId < this.index.inner.rowIds(); rowId++) {
      if (this.index.isThere(rowId)) yield new Entry(this, rowId)
    }
  }

  /** The documents of a package. */
  inPackage(packageReference: string): Entry[] {
    return this.index.inner.columns.inPackage(packageReference).map((rowId) => new Entry(this, rowId))
  }

  /** The one of which an item of these bytes said what is kept. */
  withItem(mode: Mode, item: ItemHash): Entry | undefined {
    const rowId = this.#hashes[mode].find(item.key)
    return rowId < 0 ? undefined : new Entry(this, rowId)
  }

  /** Remembers what is kept of a document that is in the index. */
  put(id: number, kept: Kept): void {
    const rowId = this.index.rowIdOf(kept.reference) as number
    while (rowId >= this.ids.length) this.#grow()
    this.ids[rowId] = id
    this.ownSeenAt[rowId] = kept.ownSeenAt
    this.ownSeenInRun[rowId] = kept.ownSeenInRun
    this.knownAt[rowId] = kept.knownAt
    this.looks[rowId] = kept.look
    this.places[rowId] = kept.place
    this.flags[rowId] =
      (kept.isPlaced ? FLAG.isPlaced : 0) |
      (kept.isMissing ? FLAG.isMissing : 0) |
      (kept.logsAreOld ? FLAG.logsAreOld : 0)
    this.at(rowId).also = kept.also
    for (const mode of ['plain', 'logged'] as const) this.#hashes[mode].set(rowId, keyIn(kept.hashes[mode]))
  }

  /** Forgets a document, here and in the index; another one may be given its row. */
  remove({ rowId, reference }: Entry): void {
    for (const mode of ['plain', 'logged'] as const) this.#hashes[mode].set(rowId, undefined)
    this.also.delete(rowId)
    this.index.remove(reference)
  }

  #grow(): void {
    const capacity = this.ids.length * 2
    for (const name of ['ids', 'ownSeenAt', 'ownSeenInRun', 'knownAt'] as const)
      this[name] = larger(this[name], new Float64Array(capacity))
    for (const name of ['looks', 'places'] as const) this[name] = larger(this[name], new Uint32Array(capacity))
    this.flags = larger(this.flags, new Uint8Array(capacity))
  }
}

/** What is known of one document beside what its row in the index says. */
export class Entry implements Omit<Kept, 'lastLogAt' | 'clientReference' | 'matchKey' | 'hashes' | 'packageReference'> {
  readonly #of: Entries
  readonly rowId: number

  constructor(of: Entries, rowId: number) {
    this.#of = of
    this.rowId = rowId
  }

  get id(): number {
    return this.#of.ids[this.rowId] as number
  }
  get accountId(): string {
    return this.#of.index.inner.columns.accountId
  }
  get reference(): string {
    return this.#of.index.inner.columns.references[this.rowId] as string
  }
  get folder(): string {
    const { columns } = this.#of.index.inner
    return columns.folders[columns.folder[this.rowId] as number] as string
  }
  get packageReference(): string | undefined {
    const { columns } = this.#of.index.inner
    return columns.packageReferences[columns.package[this.rowId] as number]
  }
  get isGone(): boolean {
    return this.#of.index.isGone(this.rowId)
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
    const { flags } = this.#of
    const before = flags[this.rowId] as number
    flags[this.rowId] = isMissing ? before | FLAG.isMissing : before & ~FLAG.isMissing
  }
  get ownSeenAt(): number {
    return this.#of.ownSeenAt[this.rowId] as number
  }
  set ownSeenAt(at: number) {
    this.#of.ownSeenAt[this.rowId] = at
  }
  get ownSeenInRun(): number {
    return this.#of.ownSeenInRun[this.rowId] as number
  }
  set ownSeenInRun(at: number) {
    this.#of.ownSeenInRun[this.rowId] = at
  }
  get knownAt(): number {
    return this.#of.knownAt[this.rowId] as number
  }
  get look(): number {
    return this.#of.looks[this.rowId] as number
  }
  set look(number: number) {
    this.#of.looks[this.rowId] = number
  }
  get place(): number {
    return this.#of.places[this.rowId] as number
  }
  set place(place: number) {
    this.#of.places[this.rowId] = place
  }
  get also(): Also | undefined {
    return this.#of.also.get(this.rowId)
  }
  set also(also: Also | undefined) {
    if (also) this.#of.also.set(this.rowId, also)
    else this.#of.also.delete(this.rowId)
  }

  #has(flag: number): boolean {
    return ((this.#of.flags[this.rowId] as number) & flag) !== 0
  }
}

function larger<List extends Float64Array | Uint32Array | Uint8Array>(list: List, into: List): List {
  into.set(list)
  return into
}

/** So many numbers of 32 bits are a SHA-1. */
const WORDS = 5
/** Base64url of it has so many letters. */
const LETTERS = 27
type Key = Uint32Array
export const newKey = (): Key => new Uint32Array(WORDS)

/** Of an item of an answer: enough to tell it from those of the last. */
export interface ItemHash {
  key: Key
  /** As it is kept. */
  text: () => string
}

const formatKeys = new Map<string, Key>()

/**
 * SHA-1 of one item. Where the account's dates are read otherwise since then, none is as it was.
 * @param into where its key is put: it is of use until the next one is.
 */
export function itemHash(bytes: Uint8Array, dateFormat: string | undefined, into: Key): ItemHash {
  const sum = hash('sha1', bytes, 'binary')
  const text = () => {
    const letters = Buffer.from(sum, 'latin1').toString('base64url')
    return dateFormat === undefined ? letters : `${letters} ${dateFormat}`
  }
  return { key: keyOf(sum, dateFormat, into), text }
}

/** The key of a hash that is kept. */
function keyIn(text: string | undefined): Key | undefined {
  if (text === undefined) return undefined
  const sum = Buffer.from(text.slice(0, LETTERS), 'base64url').toString('latin1')
  return keyOf(sum, text.length > LETTERS ? text.slice(LETTERS + 1) : undefined, newKey())
}

/** @param sum its bytes, each as a character. */
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
    // A service may name many in the course of years; one at a time is of use.
    formatKeys.clear()
    format = keyOf(hash('sha1', dateFormat, 'binary'), undefined, newKey())
    formatKeys.set(dateFormat, format)
  }
  for (let word = 0; word < WORDS; word++) into[word] = (into[word] as number) ^ (format[word] as number)
  return into
}

const FREE = 0
const LEFT = -1

/** Row ids by their keys. A key is spread evenly, so its first number says where it is looked for. */
class HashTable {
  #keys = new Uint32Array(FIRST_CAPACITY * WORDS)
  /** Row ids plus one; at least half of them are free. */
  #slots = new Int32Array(FIRST_CAPACITY)
  #used = 0

  /** The row id, or -1. */
  find(key: Key): number {
    const slot = this.#slotOf((rowId) => this.#isAt(rowId, key), key[0] as number)
    return slot < 0 ? -1 : (this.#slots[slot] as number) - 1
  }

  /** Gives the row this key instead of the one it had, or none. */
  set(rowId: number, key: Key | undefined): void {
    while ((rowId + 1) * WORDS > this.#keys.length)
      this.#keys = larger(this.#keys, new Uint32Array(this.#keys.length * 2))
    if (key && this.#isAt(rowId, key)) return
    const before = this.#slotOf((one) => one === rowId, this.#keys[rowId * WORDS] as number)
    if (before >= 0) this.#slots[before] = LEFT
    for (let word = 0; word < WORDS; word++) this.#keys[rowId * WORDS + word] = key?.[word] ?? 0
    if (key) this.#add(rowId)
  }

  #isAt(rowId: number, key: Key): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#keys[rowId * WORDS + word] !== key[word]) return false
    return true
  }

  #slotOf(isWanted: (rowId: number) => boolean, first: number): number {
    const mask = this.#slots.length - 1
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] as number
      if (found === FREE) return -1
      if (found !== LEFT && isWanted(found - 1)) return slot
    }
  }

  #add(rowId: number): void {
    this.#used++
    if (this.#used * 2 > this.#slots.length) this.#makeRoom()
    const mask = this.#slots.length - 1
    let slot = (this.#keys[rowId * WORDS] as number) & mask
    while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask
    this.#slots[slot] = rowId + 1
  }

  /** All of them once more, without the places that were left, in twice as many where they are many. */
  #makeRoom(): void {
    const rowIds = Array.from(this.#slots).flatMap((found) => (found > 0 ? found - 1 : []))
    const isFull = (rowIds.length + 1) * 4 > this.#slots.length
    this.#slots = new Int32Array(this.#slots.length * (isFull ? 2 : 1))
    this.#used = 1
    for (const rowId of rowIds) this.#add(rowId)
  }
}
