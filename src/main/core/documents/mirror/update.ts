/**
 * Determines what to write for a reported document, by comparing it with what is stored, and what has happened to it
 * since.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type DocumentResponse,
  readCertainDate,
  readDocumentStatus,
  readGmt,
  type SignerResponse
} from '../../../../shared/model/index.ts'
import { withoutBlanks } from '../../lib/objects.ts'
import { type IndexRow, indexRowOf } from '../index/row.ts'
import { mayStillSign, stateOf } from '../progress.ts'
import { areEquivalent, changesBetween, type Difference, isSamePerson, pairedSigners } from './differences.ts'
import type { Entry, Mode, StoredEntry } from './entries.ts'
import { matchKeyOf, normalised } from './folder-snapshot.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, seenAt, seenInRun } from './state.ts'
import type { StoredHashes } from './tables.ts'

/** Who reported a document, and when. */
export interface Source {
  /** When it was requested, and when the answer arrived, by the monotonic clock. */
  requestedAt: number
  arrived: number
  /** By the wall clock. */
  now: number
  /** Set for a folder's answer; absent for an answer to an operation of ours. */
  look?: { folder: string; mode: Mode; hash: string; number: number; place: number; isBaseline: boolean }
  /** Whether this workstation caused a difference. */
  isOwn: (difference: Difference, document: DocumentResponse) => boolean
}

export interface Update {
  writing: Writing
  /** Whether the document is new or visibly changed. */
  isChanged: boolean
}

/** Compares a reported document with what is stored. @param entry what is known of it, if anything. */
export function updateOf(
  mirror: Mirror,
  account: Account,
  entry: Entry | undefined,
  reported: DocumentResponse,
  source: Source
): Update {
  const { look, now } = source
  const before = entry && mirror.document(entry)
  const storedHashes = entry && mirror.hashes(entry)
  // As it would be read back from storage: without members that are undefined.
  const normalisedAnswer = before ? (JSON.parse(JSON.stringify(reported)) as DocumentResponse) : reported
  const document = look || !before ? normalisedAnswer : withOmittedMembers(normalisedAnswer, before)
  const row = account.index.get(document.Reference)
  const after = withLinks(withLastingMembers(withLogs(document, before, look?.mode), before), before)
  const folder = look?.folder ?? entry?.folder ?? document.Folder ?? ''
  const isPlaced = look !== undefined || entry?.isPlaced === true
  const isSame = before !== undefined && isDeepStrictEqual(before, after)
  const isUnmoved = entry !== undefined && entry.folder === folder && entry.isPlaced === isPlaced
  const meansSame = before !== undefined && (isSame || areEquivalent(before, after))
  // What the first read finds didn't just happen, unless the document was known by other means.
  const differences: Difference[] =
    look?.isBaseline && !entry
      ? []
      : changesBetween(
          before &&
            entry && {
              document: before,
              folder: entry.folder,
              isPlaced: entry.isPlaced,
              isGone: row?.goneAt !== undefined
            },
          { document: isSame && before ? before : after, folder, isPlaced, isGone: false }
        )
  const next = {
    accountId: account.id,
    reference: document.Reference,
    folder,
    isPlaced,
    ownSeenAt: Math.max(source.requestedAt, entry ? seenAt(account, entry) : 0),
    ownSeenInRun: Math.max(source.requestedAt, entry ? seenInRun(account, entry) : 0),
    knownAt: Math.max(source.arrived, entry?.knownAt ?? 0),
    // Determined by the read as a whole.
    isMissing: entry?.isMissing ?? false,
    logsAreOld: areLogsOld(entry, reported, source, meansSame),
    lastLogAt: latest(after) ?? storedHashes?.lastLogAt ?? undefined,
    packageReference: after.PackageReference || undefined,
    clientReference: normalised(after.ClientReference),
    matchKey: matchKeyOf(document.Name, document.Signers ?? []),
    hashes: hashesOf(storedHashes, before, after, look),
    look: look?.number ?? entry?.look ?? 0,
    place: look?.place ?? entry?.place ?? 0,
    also: isUnmoved ? entry.also : undefined
  }
  const attributed = differences.map((one) => ({ ...one, isOwn: source.isOwn(one, after) }))
  const changeSet = { differences: attributed, at: now }
  if (isSame && isUnmoved && row && row.goneAt === undefined)
    return { writing: { entry: next, changeSet }, isChanged: false }
  const content = {
    ...(!isSame && { document: after }),
    row: indexRowOf(after, {
      accountId: account.id,
      folder,
      ...timesOf(after, row, source, differences.length > 0 || !meansSame),
      unread: row?.unread || attributed.some(({ isOwn }) => !isOwn)
    })
  }
  const isChanged = !meansSame || !isUnmoved || row?.goneAt !== undefined || !haveSameLog(before, after)
  return { writing: { entry: next, content, changeSet }, isChanged }
}

/** Fills in what an operation's answer omits, as it may contain no more than what it changed. */
function withOmittedMembers(answered: DocumentResponse, before: DocumentResponse): DocumentResponse {
  const { Signers, ...rest } = answered
  return { ...before, ...rest, ...(Signers?.length && { Signers }) }
}

/** Keeps an earlier read's logs if this one has none. */
function withLogs(document: DocumentResponse, before: DocumentResponse | undefined, mode?: Mode): DocumentResponse {
  const saysNothing = document.Logs === undefined || (document.Logs.length === 0 && mode !== 'logged')
  if (!saysNothing || document.Logs === before?.Logs) return document
  const { Logs: _, ...rest } = document
  return before?.Logs ? { ...rest, Logs: before.Logs } : rest
}

/** Keeps references of the document and its people, and who has signed or declined, even if an answer omits them. */
function withLastingMembers(document: DocumentResponse, before: DocumentResponse | undefined): DocumentResponse {
  if (!before) return document
  const { PackageReference, FormDirectReference, ClientReference } = before
  const kept = { ...withoutBlanks({ PackageReference, FormDirectReference, ClientReference }), ...document }
  const Signers = pairedSigners(before, document).map(({ is, was }) =>
    was && isSamePerson(was, is) ? { ...lastingMembersOf(was, is, before, document), ...is } : is
  )
  return document.Signers ? { ...kept, Signers } : kept
}

function lastingMembersOf(
  was: SignerResponse,
  is: SignerResponse,
  before: DocumentResponse,
  document: DocumentResponse
): Partial<SignerResponse> {
  const { SignerReference, ClientReference, HasSigned, SignedStatus, DeclinedReason } = was
  const state = stateOf(before, was)
  const { family } = readDocumentStatus(document.Status)
  const isOver =
    state === 'declined' ? ['declined', 'other'].includes(family) : state === 'signed' && is.HasSigned !== false
  return withoutBlanks({
    SignerReference,
    ClientReference,
    ...(isOver && !is.SignedStatus && { HasSigned, SignedStatus, DeclinedReason })
  })
}

/**
 * Keeps a signing link while its signer may sign, even if an answer omits it: only the answer to the send is sure to
 * contain it (reference section 4, rule 7). Afterwards it is removed, whatever an answer contains.
 */
function withLinks(document: DocumentResponse, before: DocumentResponse | undefined): DocumentResponse {
  const kept = before ? withLinksOf(document, before) : document
  const isStale = (signer: SignerResponse) => signer.SigningKey && !(hasLink(signer) && mayStillSign(kept, signer))
  if (!kept.Signers?.some(isStale)) return kept
  const signers = kept.Signers.map((signer) => {
    if (!isStale(signer)) return signer
    const { SigningKey: _, ...rest } = signer
    return rest
  })
  return { ...kept, Signers: signers }
}

/** Returns the document with missing links added from another answer's matching signers. */
export function withLinksOf(document: DocumentResponse, other: DocumentResponse): DocumentResponse {
  if (!other.Signers?.some(hasLink)) return document
  if (document.Signers?.every(hasLink) ?? true) return document
  const signers = pairedSigners(other, document).map(({ is, was }) =>
    !hasLink(is) && was?.SigningKey && mayShareLink(was, is) ? { ...is, SigningKey: was.SigningKey } : is
  )
  return { ...document, Signers: signers }
}

/**
 * Whether nothing distinguishes two paired signers: a link must not be opened for someone else. A corrected address
 * gets its own link, and couples may share an address.
 */
function mayShareLink(was: SignerResponse, is: SignerResponse): boolean {
  const differ = (one = '', two = '') => one.trim().toLowerCase() !== two.trim().toLowerCase()
  if (differ(was.Email, is.Email)) return false
  if (was.SignerReference && is.SignerReference) return was.SignerReference === is.SignerReference
  return !(['FirstName', 'LastName'] as const).some((name) => was[name] && is[name] && differ(was[name], is[name]))
}

/** A blank link doesn't count. */
function hasLink({ SigningKey }: SignerResponse): boolean {
  return Boolean(SigningKey?.trim())
}

function haveSameLog(one: DocumentResponse | undefined, two: DocumentResponse): boolean {
  return isDeepStrictEqual(one?.Logs, two.Logs)
}

function areLogsOld(
  entry: Entry | undefined,
  answered: DocumentResponse,
  { look }: Source,
  meansSame: boolean
): boolean {
  if (look?.mode === 'logged' || answered.Logs?.length) return false
  return meansSame && entry ? entry.logsAreOld : true
}

/**
 * Keeps a hash if its bytes still match what is stored: the plain one if the body is unchanged, the logged one if the
 * log is too.
 */
function hashesOf(
  known: StoredHashes | undefined,
  before: DocumentResponse | undefined,
  after: DocumentResponse,
  look: Source['look']
): StoredEntry['hashes'] {
  const { Logs: _, ...one } = before ?? { Reference: '' }
  const { Logs: __, ...two } = after
  const isBodySame = known !== undefined && isDeepStrictEqual(one, two)
  const kept = {
    plain: isBodySame ? (known.plain ?? undefined) : undefined,
    logged: isBodySame && haveSameLog(before, after) ? (known.logged ?? undefined) : undefined
  }
  return look ? { ...kept, [look.mode]: look.hash } : kept
}

/**
 * Dates a document. For one found by the first read, arrival and completion are taken from the service's own dates if
 * possible.
 */
function timesOf(
  document: DocumentResponse,
  row: IndexRow | undefined,
  { now, look }: Source,
  isChanged: boolean
): Pick<IndexRow, 'arrivedAt' | 'changedAt' | 'completedAt'> {
  const notLater = (at: number | undefined) => (at !== undefined && at > 0 && at <= now ? at : undefined)
  const signedAt = notLater(readCertainDate(document.LastSignedDate, readGmt(document.GMT))?.at)
  const firstLogAt = notLater(earliest(document))
  const historicChangedAt = look?.isBaseline ? (notLater(latest(document)) ?? signedAt) : undefined
  const isComplete = readDocumentStatus(document.Status).family === 'complete'
  return {
    arrivedAt: arrivalOf(row?.arrivedAt ?? (look?.isBaseline ? BEFORE_FIRST_READ : now), firstLogAt),
    changedAt: row && !isChanged ? row.changedAt : row ? now : (historicChangedAt ?? now),
    ...(isComplete && { completedAt: row?.completedAt ?? signedAt ?? (look?.isBaseline ? BEFORE_FIRST_READ : now) })
  }
}

/** For documents found by the first read that don't say since when they exist: they didn't arrive today. */
const BEFORE_FIRST_READ = 0

/** @param firstLogAt when its log begins. */
function arrivalOf(known: number, firstLogAt: number | undefined): number {
  if (firstLogAt === undefined) return known
  return known === BEFORE_FIRST_READ ? firstLogAt : Math.min(known, firstLogAt)
}

const earliest = (document: DocumentResponse) => logTime(document, Math.min)
const latest = (document: DocumentResponse) => logTime(document, Math.max)

function logTime({ Logs = [] }: DocumentResponse, choose: (one: number, two: number) => number): number | undefined {
  const times = Logs.flatMap((log) => readCertainDate(log.Date, readGmt(log.GMT))?.at ?? [])
  return times.reduce<number | undefined>((one, two) => choose(one ?? two, two), undefined)
}
