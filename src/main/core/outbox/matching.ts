/**
 * Finds a send in the folders by its ClientReferences or, where those can't tell, by name, signers and time. Reports an
 * ambiguity if several candidates remain. A lost reference or a wrong clock makes a send ambiguous at most, and never
 * proves that it did not arrive.
 */
import { markOf } from '../../../shared/matter.ts'
import { type DocumentResponse, readCertainDate, readGmt } from '../../../shared/model/index.ts'
import { matchKeyOf, normalised } from '../documents/mirror/folder-snapshot.ts'
import type { SendKeys } from '../documents/questions.ts'
import { DAY } from '../lib/calendar.ts'
import { getOrMake } from '../lib/objects.ts'
import { forEachInSlices } from '../lib/slices.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { Sends } from './sends.ts'

/** The tolerated difference between the office's and the service's clocks, in milliseconds. */
const CLOCK_DIFFERENCE = 10 * 60_000
/** How much older than its send a document may look because a clock was wrong or corrected. The user must decide then. */
const WRONG_CLOCK = DAY
/**
 * How many characters of a reference that the service truncated identify its send for certain, and how many make a
 * match possible.
 */
const CERTAIN = 16
const SUGGESTIVE = 6

/** A send that is looked for, with its request as sent. */
export interface Sought {
  send: Pick<Send, 'id' | 'firstAttemptedAt' | 'dismissed'>
  content: SentRequest
}

/** Other facts about the documents that a look found. */
export interface MatchContext {
  /** Whether a document, or its package, belongs to another send. */
  isClaimed: (reference: string, packageReference: string | undefined) => boolean
  /** The other sends, of all accounts with the same folders, that are in flight or uncertain. */
  others: () => readonly (Sought & { isInFlight: boolean })[]
}

/**
 * found: it arrived as these documents. missing: nothing of it is there. ambiguous: these may be it, and the user must
 * decide. unclear: a send in flight may have made what was found, so this look decides nothing.
 */
export type Match =
  | { kind: 'found' | 'ambiguous'; documents: readonly DocumentResponse[] }
  | { kind: 'missing' | 'unclear' }

/** Returns what a look at all folders shows of a send. */
export function match(sought: Sought, snapshot: FolderSnapshot, known: MatchContext): Match {
  const items = itemsOf(sought.content)
  const mark = markOf(sought.send.id)
  const marked = items.filter(({ ClientReference }) => ClientReference.startsWith(mark))
  const found = marked.flatMap(({ ClientReference }) => snapshot.byReference.get(normalised(ClientReference)) ?? [])
  if (found.length > 0) return { kind: 'found', documents: withTheirPackages(found, snapshot) }
  const candidates = items.map((item) => candidatesOf(sought, item, snapshot, known))
  const truncated = candidates.flatMap(({ ours }) => ours)
  if (truncated.length > 0) return { kind: 'found', documents: withTheirPackages(truncated, snapshot) }
  const likely = candidates.map((one) => one.likely)
  if (marked.length === 0 && likely.flat().length > 0) return matchLikely(likely, known)
  const alike = new Set(candidates.flatMap((one) => [...one.likely, ...one.possible]))
  return alike.size > 0 ? { kind: 'ambiguous', documents: [...alike] } : { kind: 'missing' }
}

/** Matches a package whose references the user typed: documents of other packages may have them too. */
function matchLikely(likely: readonly (readonly DocumentResponse[])[], known: MatchContext): Match {
  const all = [...new Set(likely.flat())]
  const rivals = known.others().filter((other) => all.some((document) => mayHaveMade(other, document)))
  if (rivals.some(({ isInFlight }) => isInFlight)) return { kind: 'unclear' }
  const documents = rivals.length === 0 ? onlyMatchingPackage(likely, all) : undefined
  return documents ? { kind: 'found', documents } : { kind: 'ambiguous', documents: all }
}

/** Returns the documents of the one package that has a candidate for every item; undefined if none or several have. */
function onlyMatchingPackage(
  candidates: readonly (readonly DocumentResponse[])[],
  all: readonly DocumentResponse[]
): readonly DocumentResponse[] | undefined {
  const packages = new Set(all.flatMap(({ PackageReference }) => (PackageReference ? [PackageReference] : [])))
  const completePackages = [...packages].filter((reference) =>
    coversEach(candidates.map((some) => some.filter(({ PackageReference }) => PackageReference === reference)))
  )
  const [only] = completePackages
  const loose = all.filter(({ PackageReference }) => !PackageReference)
  if (completePackages.length === 1 && loose.length === 0) {
    return all.filter(({ PackageReference }) => PackageReference === only)
  }
  const isOneEach = candidates.every((some) => some.length === 1) && all.length === candidates.length
  return isOneEach && packages.size === 0 ? all : undefined
}

/**
 * Returns whether each item can have a document of its own. Identical items have the same candidates, so taking the
 * first free one is enough.
 */
function coversEach(candidates: readonly (readonly DocumentResponse[])[]): boolean {
  const taken = new Set<DocumentResponse>()
  return candidates.every((some) => {
    const free = some.find((document) => !taken.has(document))
    if (free) taken.add(free)
    return free !== undefined
  })
}

/** Documents with an item's name and signers that no other send has claimed. */
interface Candidates {
  /** They have our mark, truncated. */
  ours: readonly DocumentResponse[]
  /** Their reference and time match as well. */
  likely: readonly DocumentResponse[]
  /** They may still match: their reference was lost or truncated, or a clock is wrong. */
  possible: readonly DocumentResponse[]
}

function candidatesOf(sought: Sought, item: Item, snapshot: FolderSnapshot, known: MatchContext): Candidates {
  const { id, firstAttemptedAt, dismissed } = sought.send
  const alike = (snapshot.byMatchKey.get(item.matchKey) ?? []).filter(
    ({ Reference, PackageReference }) => !dismissed.includes(Reference) && !known.isClaimed(Reference, PackageReference)
  )
  const byRelation = Map.groupBy(alike, (document) => relationOf(document, item, markOf(id)))
  const [same = [], lost = []] = [byRelation.get('same'), byRelation.get('lost')]
  return {
    ours: byRelation.get('ours') ?? [],
    // A document without a reference may have lost it; one with a different reference belongs to another send.
    likely: (same.length > 0 ? same : lost).filter((one) => !isOlder(one, firstAttemptedAt, CLOCK_DIFFERENCE)),
    possible: [
      ...same,
      ...(byRelation.get('cut') ?? []),
      ...lost.filter((document) => !isOlder(document, firstAttemptedAt, WRONG_CLOCK))
    ]
  }
}

/** Returns how a document's reference relates to the one an item was given; undefined if it is another send's. */
function relationOf(
  document: DocumentResponse,
  { ClientReference }: Item,
  mark: string
): 'ours' | 'same' | 'cut' | 'lost' | undefined {
  const theirs = normalised(document.ClientReference)
  const own = normalised(ClientReference)
  if (theirs === '') return 'lost'
  if (theirs === own) return 'same'
  if (!own.startsWith(theirs)) return undefined
  if (!ClientReference.startsWith(mark)) return theirs.length >= CERTAIN ? 'cut' : undefined
  if (theirs.length >= CERTAIN) return 'ours'
  return theirs.length >= SUGGESTIVE ? 'cut' : undefined
}

function mayHaveMade({ send, content }: Sought, document: DocumentResponse): boolean {
  if (send.dismissed.includes(document.Reference) || isOlder(document, send.firstAttemptedAt, WRONG_CLOCK)) return false
  const matchKey = matchKeyOf(document.Name, document.Signers ?? [])
  return itemsOf(content).some(
    (item) => item.matchKey === matchKey && relationOf(document, item, markOf(send.id)) !== undefined
  )
}

/**
 * Collects what to search an account's folders for: possible documents of its uncertain sends, of sends in flight that
 * may have made the same, and of sends that were thought not to have arrived.
 */
export async function searchKeysOf(
  sends: Pick<Sends, 'unresolved' | 'notSent' | 'requestOf'>,
  accountId: string
): Promise<SendKeys> {
  const unresolved = sends.unresolved(accountId)
  const references = new Set<string>()
  const matchKeys = new Set<string>()
  await forEachInSlices(unresolved, (send) => {
    for (const { ClientReference, matchKey } of itemsOf(sends.requestOf(send))) {
      if (normalised(ClientReference) !== '') references.add(normalised(ClientReference))
      matchKeys.add(matchKey)
    }
  })
  const marks = [...unresolved, ...sends.notSent(accountId)].map(({ id }) => id.toLowerCase())
  return { references: [...references], marks: [...new Set(marks)], matchKeys: [...matchKeys] }
}

export interface Item {
  Name: string
  ClientReference: string
  /** Signers in readable form. */
  signers: string[]
  /** Equal to that of a document with the same name and signers. */
  matchKey: string
}

export function itemsOf(content: SentRequest): Item[] {
  const items = content.kind === 'form-direct' ? content.request.Forms : content.request.Templates
  return items.map(({ Name, ClientReference, Signers }) => ({
    Name,
    ClientReference: ClientReference ?? '',
    signers: Signers.map(({ FirstName, LastName, Email }) => `${FirstName} ${LastName} <${Email}>`),
    matchKey: matchKeyOf(Name, Signers)
  }))
}

function isOlder(document: DocumentResponse, attemptedAt: number | undefined, tolerance: number): boolean {
  const at = logStartOf(document)
  return at !== undefined && attemptedAt !== undefined && at < attemptedAt - tolerance
}

/** The documents that a look at an account's folders saw, indexed for matching. References are in lower case. */
export interface FolderSnapshot {
  byReference: ReadonlyMap<string, readonly DocumentResponse[]>
  byPackage: ReadonlyMap<string, readonly DocumentResponse[]>
  /** By name and signers. */
  byMatchKey: ReadonlyMap<string, readonly DocumentResponse[]>
  /** Returns the documents that have our mark of one of these sends, by its id in lower case. */
  marked: (ids: ReadonlyMap<string, unknown>) => Map<string, DocumentResponse[]>
}

/** @param documents the account's current documents that may match, with logs if the service gives them. */
export async function snapshotOf(documents: readonly DocumentResponse[]): Promise<FolderSnapshot> {
  // A document that moves between folders during the look is in both responses.
  const unique = new Map(documents.map((document) => [document.Reference, document]))
  const byReference = new Map<string, DocumentResponse[]>()
  const byPackage = new Map<string, DocumentResponse[]>()
  const byMatchKey = new Map<string, DocumentResponse[]>()
  await forEachInSlices(unique.values(), (document) => {
    append(byReference, normalised(document.ClientReference), document)
    append(byPackage, document.PackageReference ?? '', document)
    append(byMatchKey, matchKeyOf(document.Name, document.Signers ?? []), document)
  })
  return {
    byReference,
    byPackage,
    byMatchKey,
    marked(ids) {
      const found = new Map<string, DocumentResponse[]>()
      for (const [reference, some] of byReference) {
        const id = /^cs-(.+)-\d+$/.exec(reference)?.[1]
        if (id === undefined || !ids.has(id)) continue
        for (const document of withTheirPackages(some, { byPackage })) append(found, id, document)
      }
      return found
    }
  }
}

/** Adds the documents of the same packages: one marked document shows that its whole package arrived. */
function withTheirPackages(
  found: readonly DocumentResponse[],
  snapshot: Pick<FolderSnapshot, 'byPackage'>
): readonly DocumentResponse[] {
  const packageDocuments = found.flatMap((document) =>
    document.PackageReference ? (snapshot.byPackage.get(document.PackageReference) ?? []) : []
  )
  return [...new Set([...found, ...packageDocuments])]
}

/** Returns when a document's log begins, in milliseconds since 1970 UTC; undefined if there are no dates. */
export function logStartOf(document: DocumentResponse): number | undefined {
  return timesOf(document).reduce<number | undefined>((first, at) => Math.min(first ?? at, at), undefined)
}

function timesOf({ Logs = [] }: DocumentResponse): number[] {
  return Logs.flatMap((log) => readCertainDate(log.Date, readGmt(log.GMT))?.at ?? [])
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  getOrMake(map, key, () => []).push(value)
}
