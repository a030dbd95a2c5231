/**
 * Takes over an answer of a folder: what is the same as the last time is only noted as seen, and what isn't is decoded,
 * compared and written with what has happened. An answer that isn't JSON to its end changes nothing.
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

/** How long a request may have been on its way, in milliseconds; what is longer is a clock that was put. */
const LONGEST_LOOK = 10 * 60_000
/**
 * How long documents are written at a time, in milliseconds. Where nearly all are new, as at a first look, every transaction
 * writes the same pages of the indexes once more: fewer and longer ones are done in half the time.
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
 * @param closing gives up what is being taken over at its next pause: what was written by then stays, and the folder is read once
 * more at the next start, as after a crash. Nobody who quits waits for a hundred thousand documents.
 * @returns the taking of one answer at a time: anyone who calls waits for the one before.
 */
export function openAnswerTaking(mirror: Mirror, closing: AbortSignal) {
  let number = 0
  const inPieces = <Done>(work: Sliced<Done>) => inSlices(work, unless(closing))

  async function take(given: Ask<'take'>): Promise<Taken> {
    // It is kept with each document: a service may say anything here, and at any length.
    const ask = { ...given, dateFormat: plainFormat(given.dateFormat) }
    const account = mirror.account(ask.accountId)
    const folder = mirror.folder(account, ask.folder)
    const mode: Mode = ask.withLogs ? 'logged' : 'plain'
    // A later look has been taken over already: this one knows nothing that it doesn't.
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
      // Until all is written no answer is equal to what is kept, also after a crash.
      mirror.disturb(account, folder.name)
      disturbances++
    }
    const unreadable: { count: number; documents: UnreadableDocument[] } = { count: 0, documents: [] }
    let isComplete = true
    let isSettled = true
    let changed = 0
    /** Documents that it named, and that aren't kept as ones of this folder. */
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

    /** A document that comes once more further on, at `last`, is named where the two are not alike. */
    function again(answered: Extract<Answered, { kind: 'document' }>, place: number, last: number): void {
      if (isDeepStrictEqual(answeredAt(taking, last), answered)) return
      const { Reference: reference, Name: name } = answered.document
      list({ place, path: '', isDoubled: true, reference, name })
    }

    /** Takes over one document; answers whether an equal answer would do the same. */
    function one(document: DocumentResponse, place: number, hash: string): boolean {
      const entry = account.entries.get(document.Reference)
      // The same document further on, as it was.
      if (entry && entry.look === taking.number && entry.place > place) {
        again({ kind: 'document', document }, place, entry.place)
        return true
      }
      if (entry && entry.knownAt > ask.begun) {
        // What is known may be newer: the next look tells.
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

    /** It is there, and another folder's. */
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

    /** Counts it as seen where it says who it is; answers whether an equal answer would do the same. */
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
    // An answer that is equal to the last of the other mode says what that one said: it must still be so.
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

/** The service may write an empty list as null. */
function emptyWhereNull(bytes: Uint8Array): Scan | undefined {
  if (bytes.length > 100 || textOf(bytes).trim() !== 'null') return undefined
  return { count: 0, starts: new Uint32Array(), ends: new Uint32Array(), tooDeep: new Set() }
}

/** JSON that isn't a list, or no JSON at all. */
function notAList(bytes: Uint8Array): Taken {
  try {
    return { kind: 'unexpected-shape', path: '', said: readRefusal(JSON.parse(textOf(bytes))) }
  } catch {
    return { kind: 'not-json' }
  }
}

/** What our own actions did to a document, or to the others of its package: it is no news. */

/** In so many documents of its package the action is looked for, where it was another run's. */
const LOOKED_THROUGH = 100

/**
 * Says whether we did what a folder shows of the document: what we did to it is shown later; or extending one document extends
 * its package, and another document of it was last extended by us, to the same moment.
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

/** The one that this run acted on, else the first of the package. */
function likelyOf({ extended, entries }: Account, packageReference: string): string[] {
  const known = extended.get(packageReference)
  if (known !== undefined) return [known]
  return entries
    .inPackage(packageReference)
    .slice(0, LOOKED_THROUGH)
    .map(({ reference }) => reference)
}
