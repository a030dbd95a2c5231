/**
 * Takes a folder's answer: unchanged documents are only marked as seen; others are decoded, compared and written with
 * their changes. An answer that isn't complete JSON changes nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import type { UnreadableDocument } from '../../../../shared/contract/index.ts'
import { type DocumentResponse, plainFormat } from '../../../../shared/model/index.ts'
import { type Scan, scanList } from '../../lib/json-scanning.ts'
import { defined } from '../../lib/objects.ts'
import { inSlices, nextTurn, type Sliced, unless } from '../../lib/slices.ts'
import { readRefusal } from '../../service/refusal.ts'
import type { Ask, Taken } from '../questions.ts'
import {
  type Answered,
  alsoIn,
  answeredAt,
  asUtf8,
  isInBoth,
  lastPlaces,
  type Other,
  othersOf,
  presenceIn,
  type Taking,
  textOf,
  wholeHash
} from './answer-items.ts'
import { type Difference, dueOf } from './differences.ts'
import type { Entry, Mode } from './entries.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, type Folder, seenAt, seenInRun } from './state.ts'
import { updateOf } from './update.ts'

/** Maximum time between request and answer, in milliseconds; anything longer is due to a changed clock. */
const LONGEST_LOOK = 10 * 60_000
/**
 * How long documents are written at a time, in milliseconds. If nearly all are new, as in a first read, every
 * transaction rewrites the same index pages: fewer, longer transactions take half the time.
 */
const SLICE = 4
const LONG_SLICE = 40
const MANY = 2000
/** How many unreadable documents are named. */
const NAMED = 20

type Who = Pick<
  { [Member in keyof UnreadableDocument]?: UnreadableDocument[Member] | undefined },
  'reference' | 'name' | 'isDoubled'
>

/**
 * Creates `take`, which processes one answer at a time: callers wait for the previous one.
 * @param closing abandons the current answer at its next pause: what is written so far stays, and the folder is read
 * again at the next start, as after a crash. Quitting mustn't wait for a hundred thousand documents.
 */
export function openAnswerTaking(mirror: Mirror, closing: AbortSignal) {
  let number = 0
  const inPieces = <Done>(work: Sliced<Done>) => inSlices(work, unless(closing))

  async function take(given: Ask<'take'>): Promise<Taken> {
    // Stored with each document, and the service may send anything here, of any length.
    const ask = { ...given, dateFormat: plainFormat(given.dateFormat) }
    const account = mirror.account(ask.accountId)
    const folder = mirror.folder(account, ask.folder)
    const mode: Mode = ask.withLogs ? 'logged' : 'plain'
    // A later read has already been taken, so this one adds nothing.
    if (ask.begun < folder.begunInRun) return { ...mirror.taken(folder), changed: 0, isComplete: false }

    const arrived = Math.min(Math.max(ask.arrived ?? ask.now, ask.begun), ask.begun + LONGEST_LOOK)
    const times = { begun: ask.begun, begunInRun: ask.begun, arrivedInRun: arrived, lookedAt: ask.now }
    const whole = await inPieces(wholeHash(ask.bytes, ask.dateFormat))
    if (folder.taken && folder.hashes[mode] === whole) {
      mirror.writeFolder(account, folder, times)
      return { ...folder.taken, changed: 0 }
    }
    const bytes = asUtf8(ask.bytes, ask.charset)
    const scan = (await inPieces(scanList(bytes))) ?? emptyWhereNull(bytes)
    if (!scan) return notAList(bytes)
    const isBaseline = folder.taken === undefined
    const taking: Taking = {
      ...{ account, folder, ask, mode, arrived, isBaseline, bytes, scan },
      number: ++number,
      disturbances: folder.disturbances
    }
    const others = await inPieces(othersOf(taking))
    const last = await inPieces(lastPlaces(taking, others))
    if (!last) return { kind: 'not-json' }
    return settle(taking, others, last, { whole, times })
  }

  async function settle(
    taking: Taking,
    others: readonly Other[],
    last: ReadonlyMap<string, number>,
    { whole, times }: { whole: string; times: Pick<Folder, 'begun' | 'begunInRun' | 'arrivedInRun' | 'lookedAt'> }
  ): Promise<Taken> {
    const { account, folder, ask, mode } = taking
    const other: Mode = mode === 'plain' ? 'logged' : 'plain'
    const otherHash = folder.hashes[other]
    let { disturbances } = taking
    if (others.length > 0) {
      // Until everything is written, no answer may count as unchanged, even after a crash.
      mirror.disturb(account, folder.name)
      disturbances++
    }
    const unreadable: { count: number; documents: UnreadableDocument[] } = { count: 0, documents: [] }
    let isComplete = true
    let isSettled = true
    let changed = 0
    /** Documents in the answer that aren't stored under this folder. */
    let elsewhere = 0

    const slice = others.length > MANY ? LONG_SLICE : SLICE
    const writings: Writing[] = []
    let until = performance.now() + slice
    for (const { place, hash } of others) {
      const answered = answeredAt(taking, place)
      if (answered.kind === 'document') {
        const lastPlace = last.get(answered.document.Reference)
        if (lastPlace === place) isSettled = one(answered.document, place, hash) && isSettled
        else if (lastPlace !== undefined) again(answered, place, lastPlace)
      } else {
        isSettled = unread(answered, place) && isSettled
      }
      if (performance.now() > until) {
        mirror.write(writings.splice(0))
        await nextTurn()
        closing.throwIfAborted()
        until = performance.now() + slice
      }
    }
    mirror.write(writings.splice(0))

    /** Lists a document if its later occurrence, at `last`, differs. */
    function again(answered: Extract<Answered, { kind: 'document' }>, place: number, last: number): void {
      if (isDeepStrictEqual(answeredAt(taking, last), answered)) return
      const { Reference: reference, Name: name } = answered.document
      list({ place, path: '', isDoubled: true, reference, name })
    }

    /** Takes one document; returns whether an equal answer would do the same. */
    function one(document: DocumentResponse, place: number, hash: string): boolean {
      const entry = account.entries.get(document.Reference)
      // The same document comes again further on, unchanged.
      if (entry && entry.look === taking.number && entry.place > place) {
        again({ kind: 'document', document }, place, entry.place)
        return true
      }
      if (entry && entry.knownAt > ask.begun) {
        // What is known may be newer: the next read tells.
        if (entry.folder === folder.name && entry.isPlaced) Object.assign(entry, { look: taking.number, place })
        else seenElsewhere(entry)
        return false
      }
      if (entry && isInBoth(account, folder, entry)) {
        seenElsewhere(entry)
        return false
      }
      try {
        takeOver(entry, document, place, hash)
        return true
      } catch (error) {
        if (mirror.isOfTheFile(error)) throw error
        const { Reference: reference, Name: name } = document
        return unread({ kind: 'unreadable', path: '', reference, ...(name !== undefined && { name }) }, place)
      }
    }

    function takeOver(entry: Entry | undefined, document: DocumentResponse, place: number, hash: string): void {
      const update = updateOf(mirror, account, entry, document, {
        begun: ask.begun,
        arrived: taking.arrived,
        now: ask.now,
        isOwn: didWe(mirror, account, entry),
        look: { folder: folder.name, mode, hash, number: taking.number, place, isBaseline: taking.isBaseline }
      })
      if (entry && entry.folder !== folder.name) mirror.disturb(account, entry.folder)
      if (update.isChanged) changed++
      writings.push(update.writing)
    }

    /** The document exists, but belongs to another folder. */
    function seenElsewhere(entry: Entry): void {
      elsewhere++
      entry.also = alsoIn(account, folder, entry, taking.number)
      entry.ownSeenAt = Math.max(seenAt(account, entry), ask.begun)
      entry.ownSeenInRun = Math.max(seenInRun(account, entry), ask.begun)
    }

    function list({ place, path, ...who }: { place: number; path: string } & Who): void {
      unreadable.count++
      if (unreadable.documents.length >= NAMED) return
      unreadable.documents.push({ folder: folder.name, path: `[${place}]${path}`, ...defined(who) })
    }

    /**
     * Counts an unreadable document as seen if it has a reference; returns whether an equal answer would do the same.
     */
    function unread(answered: Exclude<Answered, { kind: 'document' }>, place: number): boolean {
      if (answered.kind === 'not-json') return false
      const { reference, name, path } = answered
      list({ place, path, reference, name })
      const entry = reference === undefined ? undefined : account.entries.get(reference)
      if (reference === undefined) isComplete = false
      if (entry?.folder === folder.name && entry.isPlaced) {
        Object.assign(entry, { look: taking.number, place })
        return true
      }
      if (entry) seenElsewhere(entry)
      else elsewhere++
      return entry === undefined
    }

    const seen = await inPieces(presenceIn(taking))
    const isUndisturbed = isSettled && seen.isSettled && folder.disturbances === disturbances
    const taken = { kind: 'taken' as const, documents: seen.count + elsewhere, changed, unreadable, isComplete }
    // The other mode's hash stays only if its answer would still lead to the same result.
    const before = folder.taken && { ...folder.taken, changed: 0 }
    const wasDisturbed = changed > 0 || seen.hasChanged || !isDeepStrictEqual(before, { ...taken, changed: 0 })
    const hashes = {
      [mode]: isUndisturbed ? whole : undefined,
      [other]: wasDisturbed || !isUndisturbed ? undefined : otherHash
    } as Folder['hashes']
    for (const name of seen.elsewhere) mirror.disturb(account, name)
    mirror.writeFolder(account, folder, { ...times, taken, hashes }, seen.missing)
    seen.remember()
    return taken
  }

  return { take }
}

/** Some services write an empty list as null. */
function emptyWhereNull(bytes: Uint8Array): Scan | undefined {
  if (bytes.length > 100 || textOf(bytes).trim() !== 'null') return undefined
  return { count: 0, starts: new Uint32Array(), ends: new Uint32Array(), tooDeep: new Set() }
}

/** JSON that isn't a list, or not JSON at all. */
function notAList(bytes: Uint8Array): Taken {
  try {
    return { kind: 'unexpected-shape', path: '', said: readRefusal(JSON.parse(textOf(bytes))) }
  } catch {
    return { kind: 'not-json' }
  }
}

/** Effects of our own actions on a document, or on the rest of its package, aren't news. */

/** How many documents of a package are searched for an action of an earlier run. */
const LOOKED_THROUGH = 100

/**
 * Returns a function that tells whether a change shown by a folder is our own doing. Either our action's effect shows
 * late, or extending one document extended its package, and we last extended another document of it to the same moment.
 */
export function didWe(
  mirror: Mirror,
  account: Account,
  entry: Entry | undefined
): (difference: Difference, document: DocumentResponse) => boolean {
  return (difference, document) => {
    const { kind } = difference
    if (mirror.ownActions.explain(account, document.Reference, entry, difference, document)) return true
    const packageReference = document.PackageReference
    if (kind !== 'due-changed' || !entry || !packageReference) return false
    const due = dueOf(document)
    return likelyOf(account, packageReference).some((reference) => {
      const last = reference === entry.reference ? undefined : mirror.changes.lastDue(account.id, reference)
      return last?.isOwn === true && dueOf({ DueDate: last.to, GMT: document.GMT }) === due
    })
  }
}

/** The document this run acted on, else the first ones of the package. */
function likelyOf({ extended, entries }: Account, packageReference: string): string[] {
  const known = extended.get(packageReference)
  if (known !== undefined) return [known]
  return entries
    .inPackage(packageReference)
    .slice(0, LOOKED_THROUGH)
    .map(({ reference }) => reference)
}
