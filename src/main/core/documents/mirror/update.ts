/** What is to be written of a document that was told of: compared with what is kept, and with what has happened to it since. */
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
import { maySignYet, stateOf } from '../progress.ts'
import { changesBetween, type Difference, isSame, meansTheSame, pairedSigners } from './differences.ts'
import type { Entry, Kept, Mode } from './entries.ts'
import { matchKeyOf, plain } from './folder-snapshot.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, seenAt, seenInRun } from './state.ts'
import type { StoredHashes } from './tables.ts'

/** Who told of it, and when. */
export interface Source {
  /** When it was asked for, and when the answer arrived, by the clock that never goes back. */
  begun: number
  arrived: number
  /** By the wall clock. */
  now: number
  /** A folder's answer; an operation of ours otherwise. */
  look?: { folder: string; mode: Mode; hash: string; number: number; place: number; isBaseline: boolean }
  /** Whether this workstation did what is other now. */
  isOwn: (difference: Difference, document: DocumentResponse) => boolean
}

export interface Update {
  writing: Writing
  /** Whether the document is new or other than before, in any way that shows. */
  isChanged: boolean
}

/** @param entry what is known of it, if anything is. */
export function updateOf(
  mirror: Mirror,
  account: Account,
  entry: Entry | undefined,
  answered: DocumentResponse,
  source: Source
): Update {
  const { look, now } = source
  const before = entry && mirror.document(entry)
  const kept = entry && mirror.hashes(entry)
  // As it would be read again: a member that is there without a value is not.
  const spelled = before ? (JSON.parse(JSON.stringify(answered)) as DocumentResponse) : answered
  const document = look || !before ? spelled : withTheRest(spelled, before)
  const row = account.index.get(document.Reference)
  const after = withLinks(withWhatStays(withLogs(document, before, look?.mode), before), before)
  const folder = look?.folder ?? entry?.folder ?? document.Folder ?? ''
  const isPlaced = look !== undefined || entry?.isPlaced === true
  const isSame = before !== undefined && isDeepStrictEqual(before, after)
  const isWhereItWas = entry !== undefined && entry.folder === folder && entry.isPlaced === isPlaced
  const meansSame = before !== undefined && (isSame || meansTheSame(before, after))
  // What is there at the first look did not happen now; what is known by other means did.
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
    ownSeenAt: Math.max(source.begun, entry ? seenAt(account, entry) : 0),
    ownSeenInRun: Math.max(source.begun, entry ? seenInRun(account, entry) : 0),
    knownAt: Math.max(source.arrived, entry?.knownAt ?? 0),
    // The look as a whole tells.
    isMissing: entry?.isMissing ?? false,
    logsAreOld: areLogsOld(entry, answered, source, meansSame),
    lastLogAt: latest(after) ?? kept?.lastLogAt ?? undefined,
    packageReference: after.PackageReference || undefined,
    clientReference: plain(after.ClientReference),
    matchKey: matchKeyOf(document.Name, document.Signers ?? []),
    hashes: hashesOf(kept, before, after, look),
    look: look?.number ?? entry?.look ?? 0,
    place: look?.place ?? entry?.place ?? 0,
    also: isWhereItWas ? entry.also : undefined
  }
  const happenings = differences.map((one) => ({ ...one, isOwn: source.isOwn(one, after) }))
  const happened = { differences: happenings, at: now }
  if (isSame && isWhereItWas && row && row.goneAt === undefined)
    return { writing: { entry: next, happened }, isChanged: false }
  const content = {
    ...(!isSame && { document: after }),
    row: indexRowOf(after, {
      accountId: account.id,
      folder,
      ...timesOf(after, row, source, differences.length > 0 || !meansSame),
      unread: row?.unread || happenings.some(({ isOwn }) => !isOwn)
    })
  }
  const isChanged = !meansSame || !isWhereItWas || row?.goneAt !== undefined || !haveSameLog(before, after)
  return { writing: { entry: next, content, happened }, isChanged }
}

/** An operation may answer with no more than what it changed: what it says nothing of is as it was. */
function withTheRest(answered: DocumentResponse, before: DocumentResponse): DocumentResponse {
  const { Signers, ...rest } = answered
  return { ...before, ...rest, ...(Signers?.length && { Signers }) }
}

/** A look without logs doesn't take away those of an earlier one with them. */
function withLogs(document: DocumentResponse, before: DocumentResponse | undefined, mode?: Mode): DocumentResponse {
  const saysNothing = document.Logs === undefined || (document.Logs.length === 0 && mode !== 'logged')
  if (!saysNothing || document.Logs === before?.Logs) return document
  const { Logs: _, ...rest } = document
  return before?.Logs ? { ...rest, Logs: before.Logs } : rest
}

/** What a document and its people are called stays, and who has signed or declined, also where an answer is silent about it. */
function withWhatStays(document: DocumentResponse, before: DocumentResponse | undefined): DocumentResponse {
  if (!before) return document
  const { PackageReference, FormDirectReference, ClientReference } = before
  const kept = { ...withoutBlanks({ PackageReference, FormDirectReference, ClientReference }), ...document }
  const Signers = pairedSigners(before, document).map(({ is, was }) =>
    was && isSame(was, is) ? { ...whatStaysOf(was, is, before, document), ...is } : is
  )
  return document.Signers ? { ...kept, Signers } : kept
}

function whatStaysOf(
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
    ...{ SignerReference, ClientReference },
    ...(isOver && !is.SignedStatus && { HasSigned, SignedStatus, DeclinedReason })
  })
}

/**
 * A link to sign by stays for as long as its signer may sign, also where an answer is silent about it: only the answer of the
 * send is sure to name it (reference section 4, rule 7). Then it is forgotten, whatever an answer says.
 */
function withLinks(document: DocumentResponse, before: DocumentResponse | undefined): DocumentResponse {
  const kept = before ? withLinksOf(document, before) : document
  const isStale = (signer: SignerResponse) => signer.SigningKey && !(hasLink(signer) && maySignYet(kept, signer))
  if (!kept.Signers?.some(isStale)) return kept
  const signers = kept.Signers.map((signer) => {
    if (!isStale(signer)) return signer
    const { SigningKey: _, ...rest } = signer
    return rest
  })
  return { ...kept, Signers: signers }
}

/** The document, each signer who has no link with the one that another answer gives the same person. */
export function withLinksOf(document: DocumentResponse, other: DocumentResponse): DocumentResponse {
  if (!other.Signers?.some(hasLink)) return document
  if (document.Signers?.every(hasLink) ?? true) return document
  const signers = pairedSigners(other, document).map(({ is, was }) =>
    !hasLink(is) && was?.SigningKey && mayShareLink(was, is) ? { ...is, SigningKey: was.SigningKey } : is
  )
  return { ...document, Signers: signers }
}

/**
 * Whether nothing tells two signers in one place apart: a link must not be opened for someone else. A corrected address has one of
 * its own, and couples share an address.
 */
function mayShareLink(was: SignerResponse, is: SignerResponse): boolean {
  const differ = (one = '', two = '') => one.trim().toLowerCase() !== two.trim().toLowerCase()
  if (differ(was.Email, is.Email)) return false
  if (was.SignerReference && is.SignerReference) return was.SignerReference === is.SignerReference
  return !(['FirstName', 'LastName'] as const).some((name) => was[name] && is[name] && differ(was[name], is[name]))
}

/** A blank one is none. */
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

/** Bytes of the other kind of answer still say what is kept where nothing but the log has become other. */
function hashesOf(
  known: StoredHashes | undefined,
  before: DocumentResponse | undefined,
  after: DocumentResponse,
  look: Source['look']
): Kept['hashes'] {
  const { Logs: _, ...one } = before ?? { Reference: '' }
  const { Logs: __, ...two } = after
  const isBodySame = known !== undefined && isDeepStrictEqual(one, two)
  const kept = {
    plain: isBodySame ? (known.plain ?? undefined) : undefined,
    logged: isBodySame && haveSameLog(before, after) ? (known.logged ?? undefined) : undefined
  }
  return look ? { ...kept, [look.mode]: look.hash } : kept
}

/** A document that is there at the first look arrived, and was completed, when the service's own dates say so. */
function timesOf(
  document: DocumentResponse,
  row: IndexRow | undefined,
  { now, look }: Source,
  isChanged: boolean
): Pick<IndexRow, 'arrivedAt' | 'changedAt' | 'completedAt'> {
  const notLater = (at: number | undefined) => (at !== undefined && at > 0 && at <= now ? at : undefined)
  const signedAt = notLater(readCertainDate(document.LastSignedDate, readGmt(document.GMT))?.at)
  const begun = notLater(earliest(document))
  const ofOld = look?.isBaseline ? (notLater(latest(document)) ?? signedAt) : undefined
  const isComplete = readDocumentStatus(document.Status).family === 'complete'
  return {
    arrivedAt: arrivalOf(row?.arrivedAt ?? (look?.isBaseline ? BEFORE_WE_LOOKED : now), begun),
    changedAt: row && !isChanged ? row.changedAt : row ? now : (ofOld ?? now),
    ...(isComplete && { completedAt: row?.completedAt ?? signedAt ?? (look?.isBaseline ? BEFORE_WE_LOOKED : now) })
  }
}

/** A document that was there at the first look, and doesn't say since when, did not come today. */
const BEFORE_WE_LOOKED = 0

/** @param begun when its log begins. */
function arrivalOf(known: number, begun: number | undefined): number {
  if (begun === undefined) return known
  return known === BEFORE_WE_LOOKED ? begun : Math.min(known, begun)
}

const earliest = (document: DocumentResponse) => logTime(document, Math.min)
const latest = (document: DocumentResponse) => logTime(document, Math.max)

function logTime({ Logs = [] }: DocumentResponse, better: (one: number, two: number) => number): number | undefined {
  const times = Logs.flatMap((log) => readCertainDate(log.Date, readGmt(log.GMT))?.at ?? [])
  return times.reduce<number | undefined>((one, two) => better(one ?? two, two), undefined)
}
