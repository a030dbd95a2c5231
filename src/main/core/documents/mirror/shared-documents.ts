/**
 * Shares the mirror with other workstations of an office (decision 56). The workstation that reads the folders
 * publishes what its reads found different; the others take that as if they had read it themselves, so lists, changes
 * and notifications are the same there. What one workstation alone knows, such as the answer to a send or reads made
 * while the office's server was away, stays until the folders have been read for everyone since; then the office's
 * state counts.
 */

import type { DocumentResponse } from '../../../../shared/model/index.ts'
import { inSlices, nextTurn, type Sliced } from '../../lib/slices.ts'
import { FEED_PAGE, openFromFeed, sealForFeed, tagOf } from '../../office/feed.ts'
import type { Answer, Ask } from '../questions.ts'
import { ownChangeCheck } from './answers.ts'
import type { Entry, StoredEntry } from './entries.ts'
import { goneWriting } from './gone.ts'
import type { Mirror, Writing } from './mirror.ts'
import type { Account } from './state.ts'
import type { Unshared } from './tables.ts'
import { updateOf } from './update.ts'

interface SharedDocument {
  document: DocumentResponse
  folder: string
  isPlaced: boolean
  logsAreOld: boolean
  hashes: StoredEntry['hashes']
}

/** How long documents are written at a time, in milliseconds. */
const SLICE = 4
const TAG_BYTES = 32
/** Limit on differences that are named. */
const MAX_NAMED = 1000
/**
 * The number of rounds in which the office must lack a document that only this workstation knows before it counts as
 * gone.
 */
const ROUNDS_UNTIL_GONE = 2

/** Starts or stops sharing an account. @returns its cursor; 0 if it is shared through a different feed than before. */
export function shareFeed(
  mirror: Mirror,
  { accountId, feed, provenAt, cursor }: Ask<'shareFeed'>
): Answer<'shareFeed'> {
  const { shared } = mirror
  if (feed === null) {
    shared.erase(accountId)
    return { cursor: 0, provenAt: 0 }
  }
  const known = shared.feedOf(accountId)
  const isSame = known?.feed === feed
  if (!isSame) shared.dropAll(accountId)
  const next = {
    cursor: cursor ?? (isSame ? known.cursor : 0),
    provenAt: provenAt ?? (isSame ? known.provenAt : 0)
  }
  shared.saveFeed(accountId, feed, next.cursor, next.provenAt)
  return next
}

/** Returns what to publish next, oldest first. */
export async function toShare(mirror: Mirror, ask: Ask<'toShare'>): Promise<Answer<'toShare'>> {
  const { accountId, feed, key, limit } = ask
  const account = mirror.account(accountId)
  const some = mirror.shared.next(accountId, limit)
  const changes = await inSlices(sealChanges())
  return { changes, upTo: some.at(-1)?.version ?? 0 }

  function* sealChanges(): Sliced<Answer<'toShare'>['changes']> {
    const found: Answer<'toShare'>['changes'] = []
    for (const { reference } of some) {
      yield
      const entry = account.entries.get(reference)
      const tag = tagOf(key, reference)
      const content = entry && !entry.isGone ? sharedOf(mirror, entry) : undefined
      found.push({ tag, sealed: content && sealForFeed(key, feed, tag, content) })
    }
    return found
  }
}

function sharedOf(mirror: Mirror, entry: Entry): SharedDocument {
  const { folder, isPlaced, logsAreOld, hashes } = mirror.storedEntry(entry)
  return { document: mirror.document(entry), folder, isPlaced, logsAreOld, hashes }
}

/** Returns the tags of what only this workstation knows, oldest first. */
export function unshared(mirror: Mirror, { accountId, key, limit }: Ask<'unshared'>): Answer<'unshared'> {
  const some = mirror.shared.next(accountId, limit)
  return { tags: some.map(({ reference }) => tagOf(key, reference)), upTo: some.at(-1)?.version ?? 0 }
}

/**
 * Takes what another workstation has read. What this one knows better is left alone until settled.
 * @returns how many documents changed.
 */
export async function takeShared(mirror: Mirror, ask: Ask<'takeShared'>): Promise<number> {
  const { accountId, feed, key, now, begun: requestedAt, changes, cursor, settles } = ask
  const account = mirror.account(accountId)
  const { shared } = mirror
  const resolving = new Map<string, Unshared>()
  if (settles !== undefined) {
    for (const one of shared.next(accountId, FEED_PAGE)) {
      if (one.version <= settles) resolving.set(hexOf(tagOf(key, one.reference)), one)
    }
  }
  const goneTags = new Set(changes.flatMap(({ tag, sealed }) => (sealed ? [] : [hexOf(tag)])))
  const gone = goneTags.size > 0 ? await inSlices(entriesWithTags(account, key, goneTags)) : new Map<string, Entry>()
  let changed = 0
  let writings: Writing[] = []
  let until = performance.now() + SLICE

  /** Something may have been learned of it since this began. */
  function isKeptLocal(tag: string, reference: string): boolean {
    const version = shared.versionOf(accountId, reference)
    return version !== undefined && resolving.get(tag)?.version !== version
  }

  function applyDocument(tag: string, { document, ...its }: SharedDocument): void {
    if (isKeptLocal(tag, document.Reference)) return
    const entry = account.entries.get(document.Reference)
    const isBaseline = !entry && account.folders.get(its.folder)?.result === undefined
    const mode = its.logsAreOld ? 'plain' : 'logged'
    const { Logs: _, ...bare } = document
    const hash = its.hashes[mode] ?? ''
    const update = updateOf(mirror, account, entry, its.logsAreOld && entry ? bare : document, {
      requestedAt,
      arrived: requestedAt,
      now,
      isOwn: ownChangeCheck(mirror, account, entry),
      ...(its.isPlaced && { look: { folder: its.folder, mode, hash, number: 0, place: 0, isBaseline } })
    })
    const { writing } = update
    // The hashes are of the bytes that the reading workstation received; a read of our own compares with them.
    const hasFullBody = writing.content?.document === undefined || !(its.logsAreOld && entry)
    Object.assign(writing.entry, { isMissing: false, also: undefined })
    writing.entry.hashes = hasFullBody ? its.hashes : { plain: its.hashes.plain, logged: undefined }
    if (update.isChanged) changed++
    if (writing.content) mirror.invalidateFolder(account, its.folder)
    pushShared(writing, entry)
  }

  function applyGone(tag: string): void {
    const entry = gone.get(tag)
    if (!entry || entry.isGone || isKeptLocal(tag, entry.reference)) return
    const writing = goneWriting(mirror, account, entry, now)
    if (!writing) return
    changed++
    pushShared(writing, entry)
  }

  /** From now on an answer like the last one of our own isn't what is known any more. */
  function pushShared(writing: Writing, entry: Entry | undefined): void {
    if (entry && writing.content) mirror.invalidateFolder(account, entry.folder)
    writings.push({ ...writing, isShared: true })
  }

  for (const { tag, sealed } of changes) {
    const content = sealed && (openFromFeed(key, feed, tag, sealed) as SharedDocument | undefined)
    if (content) applyDocument(hexOf(tag), content)
    else if (!sealed) applyGone(hexOf(tag))
    if (performance.now() < until) continue
    mirror.write(writings)
    writings = []
    await nextTurn()
    until = performance.now() + SLICE
  }
  const listedTags = new Set(changes.map(({ tag }) => hexOf(tag)))
  const unlisted = [...resolving].flatMap(([tag, one]) =>
    listedTags.has(tag) || isKeptLocal(tag, one.reference) ? [] : one
  )
  for (const { reference, absent } of unlisted) {
    const entry = account.entries.get(reference)
    const writing =
      entry && !entry.isGone && absent + 1 >= ROUNDS_UNTIL_GONE && goneWriting(mirror, account, entry, now)
    if (!writing) continue
    changed++
    pushShared(writing, entry)
  }
  mirror.inTransaction(() => {
    mirror.write(writings)
    for (const [tag, { version }] of resolving) if (listedTags.has(tag)) shared.drop(accountId, version)
    for (const { reference, version, absent } of unlisted) {
      const isThere = account.entries.get(reference)?.isGone === false
      if (absent + 1 >= ROUNDS_UNTIL_GONE || !isThere) shared.drop(accountId, version)
      else shared.countAbsence(version)
    }
    if (cursor !== undefined) shared.saveCursor(accountId, cursor)
  })
  return changed
}

/** Takes the reading workstation's report of its newest round. */
export function takeReport(mirror: Mirror, { accountId, report, begun, lookedAt }: Ask<'takeReport'>): null {
  const account = mirror.account(accountId)
  for (const [name, { documents, unreadable, isComplete }] of Object.entries(report)) {
    const folder = mirror.folder(account, name)
    mirror.writeFolder(account, folder, {
      begun,
      begunInRun: begun,
      arrivedInRun: begun,
      lookedAt,
      result: { kind: 'taken', documents, changed: 0, unreadable, isComplete },
      hashes: { plain: undefined, logged: undefined }
    })
  }
  return null
}

/** Whether its folder had it when last read. */
const isSeen = (entry: Entry): boolean => entry.isPlaced && !entry.isMissing

/**
 * Compares this workstation's folders with what the office has.
 * @returns tags in hexadecimal: those only here, and those only in the office.
 */
export async function compareShared(
  mirror: Mirror,
  { accountId, key, tags, handsOver }: Ask<'compareShared'>
): Promise<Answer<'compareShared'>> {
  const account = mirror.account(accountId)
  const officeTags = new Set<string>()
  for (let at = 0; at + TAG_BYTES <= tags.length; at += TAG_BYTES)
    officeTags.add(hexOf(tags.subarray(at, at + TAG_BYTES)))
  const localOnly: string[] = []
  let areSeen = true
  await inSlices(compareEntries(), mirror.inTransaction)
  const newest = mirror.shared.newest(accountId)
  return {
    here: localOnly,
    there: handsOver === 'all' ? [...officeTags] : [...officeTags].slice(0, MAX_NAMED),
    upTo: newest.count > FEED_PAGE ? newest.version : 0,
    areSeen
  }

  function* compareEntries(): Sliced<void> {
    for (const entry of account.entries.values()) {
      yield
      if (entry.isGone) continue
      const isInOffice = officeTags.delete(hexOf(tagOf(key, entry.reference)))
      if (handsOver === 'all' || (handsOver === 'lacking' && isSeen(entry) && !isInOffice))
        mirror.shared.markUnshared(accountId, entry.reference)
      if (handsOver) continue
      if (!isSeen(entry)) areSeen &&= mirror.shared.versionOf(accountId, entry.reference) !== undefined
      else if (!isInOffice && localOnly.length < MAX_NAMED) {
        localOnly.push(hexOf(tagOf(key, entry.reference)))
      }
    }
  }
}

/** Drops the unshared marks up to `upTo` of documents that the folders have shown; the others stay. */
export async function settleSeen(mirror: Mirror, { accountId, upTo }: Ask<'settleSeen'>): Promise<null> {
  const account = mirror.account(accountId)
  await inSlices(dropSeen(), mirror.inTransaction)
  return null

  function* dropSeen(): Sliced<void> {
    for (const { reference, version } of mirror.shared.next(accountId, -1)) {
      yield
      const entry = account.entries.get(reference)
      if (entry && !entry.isGone && isSeen(entry) && version <= upTo) mirror.shared.drop(accountId, version)
    }
  }
}

function* entriesWithTags(account: Account, key: Uint8Array, tags: ReadonlySet<string>): Sliced<Map<string, Entry>> {
  const found = new Map<string, Entry>()
  for (const entry of account.entries.values()) {
    yield
    const tag = hexOf(tagOf(key, entry.reference))
    if (tags.has(tag)) found.set(tag, entry)
    if (found.size === tags.size) break
  }
  return found
}

function hexOf(tag: Uint8Array): string {
  return Buffer.from(tag.buffer, tag.byteOffset, tag.byteLength).toString('hex')
}
