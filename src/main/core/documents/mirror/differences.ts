/** What happened to a document, judging by two answers of the service. */
import { isDeepStrictEqual } from 'node:util'
import type { ChangeKind } from '../../../../shared/contract/index.ts'
import {
  DocumentResponse,
  fullName,
  readCertainDate,
  readDocumentStatus,
  readGmt,
  SignerResponse,
  unknownMembers,
  VideoConfirmationDetail
} from '../../../../shared/model/index.ts'
import { getOrMake, withoutBlanks } from '../../lib/objects.ts'
import { canSignNow, identityOfSigner, stateOf } from '../progress.ts'

export interface PlacedDocument {
  document: DocumentResponse
  folder: string
  /** False until a folder has shown it: an operation's answer doesn't say where it is. */
  isPlaced: boolean
  isGone: boolean
}

export interface Difference {
  kind: ChangeKind
  /** Whose change it was; for an arrived document all of its signers, one per line. */
  signer?: string
  from?: string
  to?: string
}

/**
 * Returns everything that happened between two states of a document; nothing if only its log, or a link that changes by
 * itself, differs.
 */
export function changesBetween(before: PlacedDocument | undefined, after: PlacedDocument): Difference[] {
  if (!before)
    return [
      { kind: 'arrived', to: after.folder, ...signerNames(after.document) },
      ...reportableBetween(EMPTY_DOCUMENT, after.document)
    ]
  if (after.isGone) return before.isGone || !before.isPlaced ? [] : [{ kind: 'gone', from: before.folder }]
  const returned: Difference[] = []
  /** Last of all, as it follows from what happened. */
  const moved: Difference[] = []
  // An unplaced document, shown by no folder yet or left over from a removed one, didn't come from anywhere.
  if (before.isGone && before.isPlaced) returned.push({ kind: 'returned', to: after.folder })
  else if (before.isPlaced && before.folder !== after.folder) {
    moved.push({ kind: 'moved', from: before.folder, to: after.folder })
  }
  const placed = [...returned, ...moved]
  if (before.document === after.document) return placed
  const [one, two] = [comparable(before.document), comparable(after.document)]
  if (isDeepStrictEqual(withoutOmitted(one, two), two)) return placed
  const reported = [
    ...signaturesBetween(before.document, after.document),
    ...reportableBetween(before.document, after.document),
    ...dueBetween(before.document, after.document),
    ...(haveSamePeople(before.document, after.document) ? [] : [{ kind: 'signers-changed' as const }])
  ]
  if (reported.length > 0) return [...returned, ...reported, ...moved]
  return isDeepStrictEqual({ ...withoutOmitted(one, two), Folder: '' }, { ...two, Folder: '' })
    ? placed
    : [
        ...returned,
        { kind: 'changed', ...(two.Status && one.Status !== two.Status && fromTo(one.Status, two.Status)) },
        ...moved
      ]
}

/** Limit on names listed with an arrived document: a faulty service's may have thousands. */
const MAX_NAMED = 100

/** Lists who is to sign an arrived document, one per line, so that a search of the activity finds it by any of them. */
function signerNames({ Signers = [] }: DocumentResponse): Pick<Difference, 'signer'> {
  const names = Signers.slice(0, MAX_NAMED).map(fullName).filter(Boolean)
  return names.length > 0 ? { signer: names.join('\n') } : {}
}

/** Returns `before` without the members that `after` omits: an omission isn't news. */
function withoutOmitted<Value>(before: Value, after: Value): Value {
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.map((item, index) => withoutOmitted(item, after[index])) as Value
  if (!isObject(before) || !isObject(after)) return before
  const kept = Object.entries(before).filter(([name]) => after[name] !== undefined)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutOmitted(member, after[name])])) as Value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns whether two states of a document are equal apart from the log and the links that are regenerated for each
 * answer.
 */
export function areEquivalent(one: DocumentResponse, two: DocumentResponse): boolean {
  return isDeepStrictEqual(comparable(one), comparable(two))
}

const EMPTY_DOCUMENT: DocumentResponse = { Reference: '' }

/**
 * Reduces a document to what counts as news. The same moment may be spelled in several ways. Links and passwords may be
 * regenerated for each answer, and so may members that the reference doesn't name, such as a signature or a number of
 * days: for these only their presence counts.
 */
function comparable(document: DocumentResponse) {
  const { Logs: _, EditUrl, Signers, ...rest } = document
  const dateOf = (written: string | undefined) => {
    const read = readCertainDate(written, readGmt(document.GMT))
    return read ? `${read.at} ${read.precision}` : written
  }
  return {
    ...rest,
    ...withoutBlanks({ DueDate: dateOf(rest.DueDate), LastSignedDate: dateOf(rest.LastSignedDate) }),
    ...unknownNamesOf(DocumentResponse, document),
    ...(EditUrl && { EditUrl: true }),
    Signers: (Signers ?? []).map(comparableSigner)
  }
}

function comparableSigner(signer: SignerResponse) {
  const { SigningKey, VideoConfirmationDetail: video, ShareUsers, ...rest } = signer
  return {
    ...rest,
    ...unknownNamesOf(SignerResponse, signer),
    ...(SigningKey && { SigningKey: true }),
    ...(ShareUsers && {
      ShareUsers: ShareUsers.map(({ FirstName, MiddleName, LastName, Email, IsDefault, IsOwner }) =>
        withoutBlanks({ FirstName, MiddleName, LastName, Email, IsDefault, IsOwner })
      )
    }),
    ...(video && {
      VideoConfirmationDetail: {
        ...video,
        ...unknownNamesOf(VideoConfirmationDetail, video),
        ...(video.ShortUrl && { ShortUrl: true }),
        ...(video.Password && { Password: true })
      }
    })
  }
}

/** Lists the members that the reference doesn't name, without their values. */
function unknownNamesOf(schema: Parameters<typeof unknownMembers>[0], value: object): Record<string, unknown> {
  const others = unknownMembers(schema, value).map(([name]) => name)
  return { ...Object.fromEntries(others.map((name) => [name, true])), others: others.sort() }
}

/** Returns who has signed. */
function signaturesBetween(before: DocumentResponse, after: DocumentResponse): Difference[] {
  return pairedSigners(before, after).flatMap(({ was, is }) =>
    was && stateOf(after, is) === 'signed' && stateOf(before, was) !== 'signed' ? [signerChange('signed', is)] : []
  )
}

/** Returns what is worth reporting even for a new document, which may have ended already. */
function reportableBetween(before: DocumentResponse, after: DocumentResponse): Difference[] {
  const people = pairedSigners(before, after)
  /** Signers for whom it is true now and wasn't before. */
  const newly = (kind: ChangeKind, isTrue: (document: DocumentResponse, signer: SignerResponse) => boolean) =>
    people.flatMap(({ is, was }) =>
      isTrue(after, is) && !(was && isTrue(before, was)) ? [signerChange(kind, is)] : []
    )
  const was = readDocumentStatus(before.Status).family
  const is = readDocumentStatus(after.Status).family
  const status = fromTo(before.Status, after.Status)
  const changes = newly('declined', (document, signer) => stateOf(document, signer) === 'declined')
  if (is === 'declined' && was !== 'declined' && changes.length === 0) changes.push({ kind: 'declined', ...status })
  if (is === 'complete' && was !== 'complete') changes.push({ kind: 'completed', ...status })
  if (is === 'expired' && was !== 'expired') changes.push({ kind: 'expired', ...status })
  changes.push(...newly('identity-failed', (document, signer) => identityOfSigner(document, signer) === 'failed'))
  for (const [at, one] of people.entries()) {
    const couldSign = one.wasAt !== undefined && canSignNow(before, one.wasAt)
    if (!couldSign && canSignNow(after, at)) changes.push(signerChange('waits-here', one.is))
  }
  return changes
}

/** Returns the due moment, or else its text: the same moment may be spelled in several ways. */
export function dueOf({ DueDate, GMT }: Pick<DocumentResponse, 'DueDate' | 'GMT'>): number | string | undefined {
  return readCertainDate(DueDate, readGmt(GMT))?.at ?? DueDate
}

function dueBetween(before: DocumentResponse, after: DocumentResponse): Difference[] {
  if (!before.DueDate || !after.DueDate) return []
  return dueOf(before) === dueOf(after) ? [] : [{ kind: 'due-changed', ...fromTo(before.DueDate, after.DueDate) }]
}

function haveSamePeople(before: DocumentResponse, after: DocumentResponse): boolean {
  const people = ({ Signers }: DocumentResponse) =>
    (Signers ?? []).map(({ FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber }) =>
      withoutBlanks({ FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber })
    )
  const now = people(after)
  return isDeepStrictEqual(withoutOmitted(people(before), now), now)
}

function signerChange(kind: ChangeKind, signer: SignerResponse): Difference {
  const name = fullName(signer)
  return { kind, ...(name && { signer: name }) }
}

function fromTo(from: string | undefined, to: string | undefined): { from?: string; to?: string } {
  return { ...(from && { from }), ...(to && { to }) }
}

interface SignerPair {
  is: SignerResponse
  /** The same signer in the older state, and their index there; absent if there was none. */
  was?: SignerResponse
  wasAt?: number
}

/**
 * Pairs each signer of the newer state, in order, with the same person in the older. A corrected signer is recognised
 * by position, a reordered one by reference or e-mail address.
 */
export function pairedSigners(before: DocumentResponse, after: DocumentResponse): SignerPair[] {
  const older = before.Signers ?? []
  const signers = after.Signers ?? []
  const taken = new Set<number>()
  const take = (at: number | undefined) => {
    if (at === undefined || at >= older.length || taken.has(at)) return undefined
    taken.add(at)
    return at
  }
  const find = signerFinder(older, taken)
  const certain = signers.map((signer, place) => {
    const counterpart = older[place]
    return (counterpart && isSamePerson(counterpart, signer) ? take(place) : undefined) ?? take(find(signer))
  })
  return signers.map((is, place) => {
    const wasAt = certain[place] ?? take(place)
    const was = wasAt === undefined ? undefined : older[wasAt]
    return { is, ...(was && wasAt !== undefined && { was, wasAt }) }
  })
}

/** Returns whether two signers are the same person, by reference, or else by name and address. */
export function isSamePerson(one: SignerResponse, two: SignerResponse): boolean {
  if (one.SignerReference && two.SignerReference) return one.SignerReference === two.SignerReference
  return personOf(one) === personOf(two)
}

function personOf(signer: SignerResponse): string {
  const { FirstName, LastName, Email } = signer
  return `${(Email ?? '').toLowerCase()}\n${fullName({ FirstName, LastName, Email })}`
}

/**
 * Makes a function that finds the first matching signer not yet taken. Uses lookup tables, as a document may have
 * thousands.
 */
function signerFinder(
  older: readonly SignerResponse[],
  taken: ReadonlySet<number>
): (signer: SignerResponse) => number | undefined {
  const byReference = new Map<string, number[]>()
  const byPerson = new Map<string, number[]>()
  /** Signers without a reference, who may still match one that has a reference. */
  const withoutReference = new Map<string, number[]>()
  for (const [at, one] of older.entries()) {
    append(byPerson, personOf(one), at)
    if (one.SignerReference) append(byReference, one.SignerReference, at)
    else append(withoutReference, personOf(one), at)
  }
  const first = (places: number[] | undefined): number | undefined => {
    while (places && taken.has(places.at(-1) ?? -1)) places.pop()
    return places?.at(-1)
  }
  for (const table of [byReference, byPerson, withoutReference]) {
    for (const places of table.values()) places.reverse()
  }
  return (signer) => {
    if (!signer.SignerReference) return first(byPerson.get(personOf(signer)))
    const known = first(byReference.get(signer.SignerReference))
    const alike = first(withoutReference.get(personOf(signer)))
    return known === undefined ? alike : Math.min(known, alike ?? known)
  }
}

function append(table: Map<string, number[]>, key: string, place: number): void {
  getOrMake(table, key, () => []).push(place)
}
