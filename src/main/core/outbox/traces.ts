/**
 * Finds a send again in what the folders hold: by its ClientReferences; where those can't tell, by name, signers and time.
 * Says so where that leaves more than one answer. A reference that was lost and a clock that is wrong make a doubt at
 * most, never a proof that it did not arrive.
 */
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { matchKeyOf, plain } from '../documents/mirror/folder-snapshot.ts'
import type { SendKeys } from '../documents/questions.ts'
import { slowly } from '../lib/slices.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { Sends } from './sends.ts'
import { begunAt, markOf, type Sight, withTheirPackages } from './sight.ts'

/** Clocks of the office and of the service may differ by this much, in milliseconds. */
const CLOCK_DIFFERENCE = 10 * 60_000
/** A clock that is wrong, or was put right, may make a document look older than its send by this much. A person must say. */
const WRONG_CLOCK = 24 * 60 * 60_000
/** Of a reference that the service cut short, this many characters tell whose it is, and so few that it may be. */
const TELLING = 16
const SUGGESTIVE = 6

/** A send that is looked for, with the request that left. */
export interface Sought {
  send: Pick<Send, 'id' | 'firstAttemptedAt' | 'dismissed'>
  content: SentRequest
}

/** What else is known of the documents that a look found. */
export interface Known {
  /** Whether a document, or its package, is another send's. */
  isClaimed: (reference: string, packageReference: string | undefined) => boolean
  /** The account's other sends that are under way or uncertain. */
  others: () => readonly (Sought & { isUnderWay: boolean })[]
}

/**
 * found: it arrived, as these. missing: nothing of it is there. doubt: these may be it, and a person must say. unclear: a
 * send that is on its way may have made what was found, so this look decides nothing.
 */
export type Verdict =
  | { kind: 'found' | 'doubt'; documents: readonly DocumentResponse[] }
  | { kind: 'missing' | 'unclear' }

/** What a look at all folders says of a send. */
export function judge(sought: Sought, sight: Sight, known: Known): Verdict {
  const items = itemsOf(sought.content)
  const mark = markOf(sought.send.id)
  const marked = items.filter(({ ClientReference }) => ClientReference.startsWith(mark))
  const found = marked.flatMap(({ ClientReference }) => sight.byReference.get(plain(ClientReference)) ?? [])
  if (found.length > 0) return { kind: 'found', documents: withTheirPackages(found, sight) }
  const candidates = items.map((item) => candidatesOf(sought, item, sight, known))
  const cut = candidates.flatMap(({ ours }) => ours)
  if (cut.length > 0) return { kind: 'found', documents: withTheirPackages(cut, sight) }
  const likely = candidates.map((one) => one.likely)
  if (marked.length === 0 && likely.flat().length > 0) return judgeLikely(likely, known)
  const alike = new Set(candidates.flatMap((one) => [...one.likely, ...one.possible]))
  return alike.size > 0 ? { kind: 'doubt', documents: [...alike] } : { kind: 'missing' }
}

/** A package whose references the office typed itself: they may be on documents of other packages too. */
function judgeLikely(likely: readonly (readonly DocumentResponse[])[], known: Known): Verdict {
  const all = [...new Set(likely.flat())]
  const rivals = known.others().filter((other) => all.some((document) => mayHaveMade(other, document)))
  if (rivals.some(({ isUnderWay }) => isUnderWay)) return { kind: 'unclear' }
  const documents = rivals.length === 0 ? onlyAnswer(likely, all) : undefined
  return documents ? { kind: 'found', documents } : { kind: 'doubt', documents: all }
}

/** The documents of the one package that has a candidate for every item; undefined where none or more than one has. */
function onlyAnswer(
  candidates: readonly (readonly DocumentResponse[])[],
  all: readonly DocumentResponse[]
): readonly DocumentResponse[] | undefined {
  const packages = new Set(all.flatMap(({ PackageReference }) => (PackageReference ? [PackageReference] : [])))
  const whole = [...packages].filter((reference) =>
    coversEach(candidates.map((some) => some.filter(({ PackageReference }) => PackageReference === reference)))
  )
  const [only] = whole
  const strangers = all.filter(({ PackageReference }) => !PackageReference)
  if (whole.length === 1 && strangers.length === 0) {
    return all.filter(({ PackageReference }) => PackageReference === only)
  }
  const isOneEach = candidates.every((some) => some.length === 1) && all.length === candidates.length
  return isOneEach && packages.size === 0 ? all : undefined
}

/** Whether each item can have a document of its own. Items that are alike have the same candidates, so counting will do. */
function coversEach(candidates: readonly (readonly DocumentResponse[])[]): boolean {
  const taken = new Set<DocumentResponse>()
  return candidates.every((some) => {
    const free = some.find((document) => !taken.has(document))
    if (free) taken.add(free)
    return free !== undefined
  })
}

/** Documents with an item's name and signers that nobody else has claimed. */
interface Candidates {
  /** They bear our mark, cut short. */
  ours: readonly DocumentResponse[]
  /** Reference and time agree as well. */
  likely: readonly DocumentResponse[]
  /** They may be it all the same: the reference was lost or cut, or a clock is wrong. */
  possible: readonly DocumentResponse[]
}

function candidatesOf(sought: Sought, item: Item, sight: Sight, known: Known): Candidates {
  const { id, firstAttemptedAt, dismissed } = sought.send
  const alike = (sight.byMatchKey.get(item.matchKey) ?? []).filter(
    ({ Reference, PackageReference }) => !dismissed.includes(Reference) && !known.isClaimed(Reference, PackageReference)
  )
  const by = Map.groupBy(alike, (document) => relationOf(document, item, markOf(id)))
  const [same = [], lost = []] = [by.get('same'), by.get('lost')]
  return {
    ours: by.get('ours') ?? [],
    // A document without any reference may have lost it; one with another reference is another's.
    likely: (same.length > 0 ? same : lost).filter((one) => !older(one, firstAttemptedAt, CLOCK_DIFFERENCE)),
    possible: [
      ...same,
      ...(by.get('cut') ?? []),
      ...lost.filter((document) => !older(document, firstAttemptedAt, WRONG_CLOCK))
    ]
  }
}

/** How a document's reference is related to the one that an item was given; undefined where it is another's. */
function relationOf(
  document: DocumentResponse,
  { ClientReference }: Item,
  mark: string
): 'ours' | 'same' | 'cut' | 'lost' | undefined {
  const theirs = plain(document.ClientReference)
  const own = plain(ClientReference)
  if (theirs === '') return 'lost'
  if (theirs === own) return 'same'
  if (!own.startsWith(theirs)) return undefined
  if (!ClientReference.startsWith(mark)) return theirs.length >= TELLING ? 'cut' : undefined
  if (theirs.length >= TELLING) return 'ours'
  return theirs.length >= SUGGESTIVE ? 'cut' : undefined
}

function mayHaveMade({ send, content }: Sought, document: DocumentResponse): boolean {
  if (send.dismissed.includes(document.Reference) || older(document, send.firstAttemptedAt, WRONG_CLOCK)) return false
  const matchKey = matchKeyOf(document.Name, document.Signers ?? [])
  return itemsOf(content).some(
    (item) => item.matchKey === matchKey && relationOf(document, item, markOf(send.id)) !== undefined
  )
}

/**
 * What an account's folders are searched for: whatever could be made of its uncertain sends, of those under way, which may
 * have made the same, and of those that were thought not to have arrived.
 */
export async function tracesOf(
  sends: Pick<Sends, 'unresolved' | 'notSent' | 'requestOf'>,
  accountId: string
): Promise<SendKeys> {
  const unresolved = sends.unresolved(accountId)
  const references = new Set<string>()
  const matchKeys = new Set<string>()
  await slowly(unresolved, (send) => {
    for (const { ClientReference, matchKey } of itemsOf(sends.requestOf(send))) {
      if (plain(ClientReference) !== '') references.add(plain(ClientReference))
      matchKeys.add(matchKey)
    }
  })
  const marks = [...unresolved, ...sends.notSent(accountId)].map(({ id }) => id.toLowerCase())
  return { references: [...references], marks: [...new Set(marks)], matchKeys: [...matchKeys] }
}

export interface Item {
  Name: string
  ClientReference: string
  /** Signers as a person reads them. */
  signers: string[]
  matchKey: string
}

/** The forms or templates of a request. */
export function itemsOf(content: SentRequest): Item[] {
  const items = content.kind === 'form-direct' ? content.request.Forms : content.request.Templates
  return items.map(({ Name, ClientReference, Signers }) => ({
    Name,
    ClientReference: ClientReference ?? '',
    signers: Signers.map(({ FirstName, LastName, Email }) => `${FirstName} ${LastName} <${Email}>`),
    matchKey: matchKeyOf(Name, Signers)
  }))
}

function older(document: DocumentResponse, attemptedAt: number | undefined, tolerance: number): boolean {
  const at = begunAt(document)
  return at !== undefined && attemptedAt !== undefined && at < attemptedAt - tolerance
}
