/**
 * Finds a send again in what the folders hold: by its ClientReferences; where those can't tell, by name, signers and time.
 * Says so where that leaves more than one answer.
 */
import { type DocumentResponse, readGmt, readServiceDate } from '../../../shared/model/index.ts'
import type { Send, SentRequest } from './send-record.ts'

/** Clocks of the office and of the service may differ by this much, in milliseconds. */
const CLOCK_DIFFERENCE = 10 * 60_000
/** A clock that is wrong, or was put right, may make a document look older than its send by this much. A person must say. */
const WRONG_CLOCK = 24 * 60 * 60_000

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

/** What one complete look saw, arranged for being searched. */
export interface Sight {
  documents: readonly DocumentResponse[]
  byReference: ReadonlyMap<string, readonly DocumentResponse[]>
  byPackage: ReadonlyMap<string, readonly DocumentResponse[]>
  /** Whether the service shows ClientReferences at all. */
  showsReferences: boolean
}

/** @param documents what all folders of the account hold now, with their logs where the service gives them. */
export function sightOf(documents: readonly DocumentResponse[]): Sight {
  // A document that moves from one folder to another during the look is in both answers.
  const once = [...new Map(documents.map((document) => [document.Reference, document])).values()]
  const byReference = Map.groupBy(once, ({ ClientReference }) => plain(ClientReference))
  return {
    documents: once,
    byReference,
    byPackage: Map.groupBy(once, ({ PackageReference }) => PackageReference ?? ''),
    showsReferences: once.some(({ ClientReference }) => plain(ClientReference) !== '')
  }
}

/** What a look at all folders says of a send. */
export function judge(sought: Sought, sight: Sight, known: Known): Verdict {
  const items = itemsOf(sought.content)
  const mark = markOf(sought.send.id)
  const marked = items.filter(({ ClientReference }) => ClientReference.startsWith(mark))
  if (marked.length === 0) return judgeUnmarked(sought, items, sight, known)

  const found = marked.flatMap(({ ClientReference }) => sight.byReference.get(plain(ClientReference)) ?? [])
  if (found.length > 0) return { kind: 'found', documents: withTheirPackages(found, sight) }
  // A service that shows no references can't show our marks either: what looks like it may be it.
  if (sight.showsReferences) return { kind: 'missing' }
  const alike = items.flatMap((item) => candidatesOf(sought, item, sight, known, WRONG_CLOCK))
  return alike.length > 0 ? { kind: 'doubt', documents: alike } : { kind: 'missing' }
}

/** A package whose references the office typed itself: they may be on documents of other packages too. */
function judgeUnmarked(sought: Sought, items: readonly Item[], sight: Sight, known: Known): Verdict {
  const candidates = items.map((item) => candidatesOf(sought, item, sight, known, CLOCK_DIFFERENCE))
  const all = [...new Set(candidates.flat())]
  if (all.length === 0) {
    const early = items.flatMap((item) => candidatesOf(sought, item, sight, known, WRONG_CLOCK))
    return early.length > 0 ? { kind: 'doubt', documents: [...new Set(early)] } : { kind: 'missing' }
  }
  const rivals = known.others().filter((other) => all.some((document) => mayHaveMade(other, document)))
  if (rivals.some(({ isUnderWay }) => isUnderWay)) return { kind: 'unclear' }
  const documents = rivals.length === 0 ? onlyAnswer(candidates, all) : undefined
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

/** @param tolerance by how many milliseconds a document may look older than the send. */
function candidatesOf(
  sought: Sought,
  item: Item,
  sight: Sight,
  known: Known,
  tolerance: number
): readonly DocumentResponse[] {
  const own = item.ClientReference.startsWith(markOf(sought.send.id)) ? '' : plain(item.ClientReference)
  const same = own === '' ? [] : (sight.byReference.get(own) ?? [])
  // A document without any reference may have lost it; one with another reference is another's.
  return [...same, ...(same.length > 0 ? [] : (sight.byReference.get('') ?? []))].filter(
    (document) =>
      isAlike(document, item) &&
      !older(document, sought.send.firstAttemptedAt, tolerance) &&
      !sought.send.dismissed.includes(document.Reference) &&
      !known.isClaimed(document.Reference, document.PackageReference)
  )
}

function mayHaveMade({ send, content }: Sought, document: DocumentResponse): boolean {
  if (send.dismissed.includes(document.Reference)) return false
  const mark = markOf(send.id)
  const reference = plain(document.ClientReference)
  return itemsOf(content).some(
    (item) =>
      !item.ClientReference.startsWith(mark) &&
      (reference === '' || reference === plain(item.ClientReference)) &&
      isAlike(document, item) &&
      !older(document, send.firstAttemptedAt, CLOCK_DIFFERENCE)
  )
}

/** One marked document of a package shows that all of it arrived. */
function withTheirPackages(found: readonly DocumentResponse[], sight: Sight): readonly DocumentResponse[] {
  const whole = found.flatMap((document) =>
    document.PackageReference ? (sight.byPackage.get(document.PackageReference) ?? []) : []
  )
  return [...new Set([...found, ...whole])]
}

/** What our own ClientReferences of a send begin with. */
export function markOf(sendId: string): string {
  return `cs-${sendId}-`
}

export interface Item {
  Name: string
  ClientReference: string
  /** Signers as a person reads them. */
  signers: string[]
  emails: string[]
}

/** The forms or templates of a request. */
export function itemsOf(content: SentRequest): Item[] {
  const items = content.kind === 'form-direct' ? content.request.Forms : content.request.Templates
  return items.map(({ Name, ClientReference, Signers }) => ({
    Name,
    ClientReference: ClientReference ?? '',
    signers: Signers.map(({ FirstName, LastName, Email }) => `${FirstName} ${LastName} <${Email}>`),
    emails: Signers.map(({ Email }) => plain(Email)).sort()
  }))
}

function isAlike(document: DocumentResponse, { Name, emails }: Item): boolean {
  const theirs = (document.Signers ?? []).map(({ Email }) => plain(Email)).sort()
  return (
    withoutExtension(document.Name) === withoutExtension(Name) &&
    theirs.length === emails.length &&
    theirs.every((email, index) => email === emails[index])
  )
}

/** When a document was begun, by its log, in milliseconds since 1970 UTC; undefined where the service doesn't say. */
export function begunAt(document: DocumentResponse): number | undefined {
  const times = (document.Logs ?? []).flatMap((log) => readServiceDate(log.Date, readGmt(log.GMT))?.at ?? [])
  return times.length > 0 ? Math.min(...times) : undefined
}

function older(document: DocumentResponse, attemptedAt: number | undefined, tolerance: number): boolean {
  const at = begunAt(document)
  return at !== undefined && attemptedAt !== undefined && at < attemptedAt - tolerance
}

function withoutExtension(text: string | undefined): string {
  return plain(text).replace(/\.pdf$/, '')
}

function plain(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase()
}
