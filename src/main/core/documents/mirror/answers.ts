/**
 * Takes a folder's answer: unchanged documents are only marked as seen; others are decoded, compared and written with
 * their changes. An answer that isn't complete JSON changes nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import type { UnreadableDocument } from '../../../../shared/contract/index.ts'
import { type DocumentResponse, plainFormat } from '../../../../shared/model/index.ts'
import { type Scan, scanList } from '../../lib/json-scanning.ts'
import { defined } from '../../lib/objects.ts'
import { abortable, inSlices, nextTurn, type Sliced } from '../../lib/slices.ts'
import { readRefusal } from '../../service/refusal.ts'
import type { Ask, TakeResult } from '../questions.ts'
import {
  type AnswerInProgress,
  type AnswerItem,
  asUtf8,
  type ChangedItem,
  changedItems,
  hashAnswer,
  isInBoth,
  itemAt,
  lastPlaces,
  otherFolderOf,
  presenceIn,
  textOf
} from './answer-items.ts'
import { type Difference, dueOf } from './differences.ts'
import type { Entry, Mode } from './entries.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, type Folder, seenAt, seenInRun } from './state.ts'
import { updateOf } from './update.ts'

/** Maximum time between request and answer, in milliseconds; anything longer is due to a changed clock. */
const MAX_READ_TIME = 10 * 60_000
/**
 * How long documents are written at a time, in milliseconds. If nearly all are new, as in a first read, every
 * transaction rewrites the same index pages: fewer, longer transactions take half the time.
 */
const SLICE = 4
const LONG_SLICE = 40
const MANY = 2000
/** How many unreadable documents are named. */
const MAX_LISTED = 20

type UnreadableId = Pick<
  { [Member in keyof UnreadableDocument]?: UnreadableDocument[Member] | undefined },
  'reference' | 'name' | 'isDoubled'
>

/**
 * Creates `take`, which processes one answer at a time: callers wait for the previous one.
 * @param closing abandons the current answer at its next pause: what is written so far stays, and the folder is read
 * again at the next start, as after a crash. Quitting mustn't wait for a hundred thousand documents.
 */
export function openAnswerIntake(mirror: Mirror, closing: AbortSignal) {
  let number = 0
  const inAbortableSlices = <Done>(work: Sliced<Done>) => inSlices(work, abortable(closing))

  async function take(given: Ask<'take'>): Promise<TakeResult> {
    // Stored with each document, and the service may send anything here, of any length.
    const ask = { ...given, dateFormat: plainFormat(given.dateFormat) }
    const account = mirror.account(ask.accountId)
    const folder = mirror.folder(account, ask.folder)
    const mode: Mode = ask.withLogs ? 'logged' : 'plain'
    // A later read has already been taken, so this one adds nothing.
    if (ask.begun < folder.begunInRun) return { ...mirror.resultOf(folder), changed: 0, isComplete: false }

    const arrived = Math.min(Math.max(ask.arrived ?? ask.now, ask.begun), ask.begun + MAX_READ_TIME)
    const times = { begun: ask.begun, begunInRun: ask.begun, arrivedInRun: arrived, lookedAt: ask.now }
    const whole = await inAbortableSlices(hashAnswer(ask.bytes, ask.dateFormat))
    if (folder.result && folder.hashes[mode] === whole) {
      mirror.writeFolder(account, folder, times)
      return { ...folder.result, changed: 0 }
    }
    const bytes = asUtf8(ask.bytes, ask.charset)
    const scan = (await inAbortableSlices(scanList(bytes))) ?? emptyIfNull(bytes)
    if (!scan) return notAList(bytes)
    const isBaseline = folder.result === undefined
    const answer: AnswerInProgress = {
      account,
      folder,
      ask,
      mode,
      arrived,
      isBaseline,
      bytes,
      scan,
      number: ++number,
      invalidations: folder.invalidations
    }
    const others = await inAbortableSlices(changedItems(answer))
    const last = await inAbortableSlices(lastPlaces(answer, others))
    if (!last) return { kind: 'not-json' }
    return applyAnswer(answer, others, last, { whole, times })
  }

  async function applyAnswer(
    answer: AnswerInProgress,
    others: readonly ChangedItem[],
    last: ReadonlyMap<string, number>,
    { whole, times }: { whole: string; times: Pick<Folder, 'begun' | 'begunInRun' | 'arrivedInRun' | 'lookedAt'> }
  ): Promise<TakeResult> {
    const { account, folder, ask, mode } = answer
    const otherMode: Mode = mode === 'plain' ? 'logged' : 'plain'
    const otherHash = folder.hashes[otherMode]
    let { invalidations } = answer
    if (others.length > 0) {
      // Until everything is written, no answer may count as unchanged, even after a crash.
      mirror.invalidateFolder(account, folder.name)
      invalidations++
    }
    const unreadable: { count: number; documents: UnreadableDocument[] } = { count: 0, documents: [] }
    let isComplete = true
    let isIdempotent = true
    let changed = 0
    /** Documents in the answer that aren't stored under this folder. */
    let elsewhereCount = 0

    const slice = others.length > MANY ? LONG_SLICE : SLICE
    const writings: Writing[] = []
    let sliceEnd = performance.now() + slice
    for (const { place, hash } of others) {
      const answered = itemAt(answer, place)
      if (answered.kind === 'document') {
        const lastPlace = last.get(answered.document.Reference)
        if (lastPlace === place) isIdempotent = takeDocument(answered.document, place, hash) && isIdempotent
        else if (lastPlace !== undefined) listDuplicate(answered, place, lastPlace)
      } else {
        isIdempotent = takeUnreadable(answered, place) && isIdempotent
      }
      if (performance.now() > sliceEnd) {
        mirror.write(writings.splice(0))
        await nextTurn()
        closing.throwIfAborted()
        sliceEnd = performance.now() + slice
      }
    }
    mirror.write(writings.splice(0))

    /** Lists a document if its later occurrence, at `last`, differs. */
    function listDuplicate(answered: Extract<AnswerItem, { kind: 'document' }>, place: number, last: number): void {
      if (isDeepStrictEqual(itemAt(answer, last), answered)) return
      const { Reference: reference, Name: name } = answered.document
      listUnreadable({ place, path: '', isDoubled: true, reference, name })
    }

    /** Takes one document; returns whether an equal answer would do the same. */
    function takeDocument(document: DocumentResponse, place: number, hash: string): boolean {
      const entry = account.entries.get(document.Reference)
      // The same document comes again further on, unchanged.
      if (entry && entry.look === answer.number && entry.place > place) {
        listDuplicate({ kind: 'document', document }, place, entry.place)
        return true
      }
      if (entry && entry.knownAt > ask.begun) {
        // What is known may be newer: the next read tells.
        if (entry.folder === folder.name && entry.isPlaced) Object.assign(entry, { look: answer.number, place })
        else noteElsewhere(entry)
        return false
      }
      if (entry && isInBoth(account, folder, entry)) {
        noteElsewhere(entry)
        return false
      }
      try {
        applyDocument(entry, document, place, hash)
        return true
      } catch (error) {
        if (mirror.isDatabaseError(error)) throw error
        const { Reference: reference, Name: name } = document
        return takeUnreadable({ kind: 'unreadable', path: '', reference, ...(name !== undefined && { name }) }, place)
      }
    }

    function applyDocument(entry: Entry | undefined, document: DocumentResponse, place: number, hash: string): void {
      const update = updateOf(mirror, account, entry, document, {
        requestedAt: ask.begun,
        arrived: answer.arrived,
        now: ask.now,
        isOwn: ownChangeCheck(mirror, account, entry),
        look: { folder: folder.name, mode, hash, number: answer.number, place, isBaseline: answer.isBaseline }
      })
      if (entry && entry.folder !== folder.name) mirror.invalidateFolder(account, entry.folder)
      if (update.isChanged) changed++
      writings.push(update.writing)
    }

    /** The document exists, but belongs to another folder. */
    function noteElsewhere(entry: Entry): void {
      elsewhereCount++
      entry.also = otherFolderOf(account, folder, entry, answer.number)
      entry.ownSeenAt = Math.max(seenAt(account, entry), ask.begun)
      entry.ownSeenInRun = Math.max(seenInRun(account, entry), ask.begun)
    }

    function listUnreadable({ place, path, ...who }: { place: number; path: string } & UnreadableId): void {
      unreadable.count++
      if (unreadable.documents.length >= MAX_LISTED) return
      unreadable.documents.push({ folder: folder.name, path: `[${place}]${path}`, ...defined(who) })
    }

    /**
     * Counts an unreadable document as seen if it has a reference; returns whether an equal answer would do the same.
     */
    function takeUnreadable(answered: Exclude<AnswerItem, { kind: 'document' }>, place: number): boolean {
      if (answered.kind === 'not-json') return false
      const { reference, name, path } = answered
      listUnreadable({ place, path, reference, name })
      const entry = reference === undefined ? undefined : account.entries.get(reference)
      if (reference === undefined) isComplete = false
      if (entry?.folder === folder.name && entry.isPlaced) {
        Object.assign(entry, { look: answer.number, place })
        return true
      }
      if (entry) noteElsewhere(entry)
      else elsewhereCount++
      return entry === undefined
    }

    const presence = await inAbortableSlices(presenceIn(answer))
    const isUnaffected = isIdempotent && presence.isIdempotent && folder.invalidations === invalidations
    const result = {
      kind: 'taken' as const,
      documents: presence.count + elsewhereCount,
      changed,
      unreadable,
      isComplete
    }
    // The other mode's hash stays only if its answer would still lead to the same result.
    const before = folder.result && { ...folder.result, changed: 0 }
    const isOtherModeStale = changed > 0 || presence.hasChanged || !isDeepStrictEqual(before, { ...result, changed: 0 })
    const hashes = {
      [mode]: isUnaffected ? whole : undefined,
      [otherMode]: isOtherModeStale || !isUnaffected ? undefined : otherHash
    } as Folder['hashes']
    for (const name of presence.otherFolders) mirror.invalidateFolder(account, name)
    mirror.writeFolder(account, folder, { ...times, result, hashes }, presence.missing)
    presence.updateEntries()
    return result
  }

  return { take }
}

/** Some services write an empty list as null. */
function emptyIfNull(bytes: Uint8Array): Scan | undefined {
  if (bytes.length > 100 || textOf(bytes).trim() !== 'null') return undefined
  return { count: 0, starts: new Uint32Array(), ends: new Uint32Array(), tooDeep: new Set() }
}

/** JSON that isn't a list, or not JSON at all. */
function notAList(bytes: Uint8Array): TakeResult {
  try {
    return { kind: 'unexpected-shape', path: '', said: readRefusal(JSON.parse(textOf(bytes))) }
  } catch {
    return { kind: 'not-json' }
  }
}

/** How many documents of a package are searched for an action of an earlier run. */
const MAX_SEARCHED = 100

/**
 * Returns a function that tells whether a change shown by a folder is our own doing. Either our action's effect shows
 * late, or extending one document extended its package, and we last extended another document of it to the same moment.
 */
export function ownChangeCheck(
  mirror: Mirror,
  account: Account,
  entry: Entry | undefined
): (difference: Difference, document: DocumentResponse) => boolean {
  return (difference, document) => {
    const { kind } = difference
    if (mirror.ownActions.isOwnEffect(account, document.Reference, entry, difference, document)) return true
    const packageReference = document.PackageReference
    if (kind !== 'due-changed' || !entry || !packageReference) return false
    const due = dueOf(document)
    return likelyExtended(account, packageReference).some((reference) => {
      const last = reference === entry.reference ? undefined : mirror.changes.lastDue(account.id, reference)
      return last?.isOwn === true && dueOf({ DueDate: last.to, GMT: document.GMT }) === due
    })
  }
}

/** The document this run acted on, else the first ones of the package. */
function likelyExtended({ extended, entries }: Account, packageReference: string): string[] {
  const known = extended.get(packageReference)
  if (known !== undefined) return [known]
  return entries
    .inPackage(packageReference)
    .slice(0, MAX_SEARCHED)
    .map(({ reference }) => reference)
}
