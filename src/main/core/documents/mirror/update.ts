/**
 * What is to be written of a document that was told of: compared with what is kept, and with what has happened to it since.
 * And of many at once, where no answer says it: they left all folders, or a person changed which folders the account has.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type DocumentResponse,
  readCertainDate,
  readDocumentStatus,
  readGmt,
  type SignerResponse
} from '../../../../shared/model/index.ts'
import { nextTurn } from '../../lib/slices.ts'
import { type IndexRow, indexRowOf, present } from '../index/row.ts'
import { maySignYet, stateOf } from '../progress.ts'
import type { Ask } from '../questions.ts'
import { changesBetween, type Difference, isSame, meansTheSame, pairedSigners } from './differences.ts'
import { matchKeyOf, plain } from './folder-snapshot.ts'
import type { Mirror, Writing } from './mirror.ts'
import { type Account, type Entry, type Folder, type Mode, seenAt, seenInRun } from './state.ts'

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
    lastLogAt: latest(after) ?? entry?.lastLogAt,
    packageReference: after.PackageReference || undefined,
    clientReference: plain(after.ClientReference),
    matchKey: matchKeyOf(document.Name, document.Signers ?? []),
    hashes: hashesOf(entry, before, after, look),
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
  const kept = { ...present({ PackageReference, FormDirectReference, ClientReference }), ...document }
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
  return present({
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
  const signers = pairedSigners(other, document).map(({ is, was }) => {
    // A corrected address has a link of its own: the one sent before must not be opened for someone else.
    const isSameAddress = (was?.Email ?? '').toLowerCase() === (is.Email ?? '').toLowerCase()
    return !hasLink(is) && was?.SigningKey && isSameAddress ? { ...is, SigningKey: was.SigningKey } : is
  })
  return { ...document, Signers: signers }
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
  entry: Entry | undefined,
  before: DocumentResponse | undefined,
  after: DocumentResponse,
  look: Source['look']
): Entry['hashes'] {
  const { Logs: _, ...one } = before ?? { Reference: '' }
  const { Logs: __, ...two } = after
  const isBodySame = entry !== undefined && isDeepStrictEqual(one, two)
  const kept = {
    plain: isBodySame ? entry.hashes.plain : undefined,
    logged: isBodySame && haveSameLog(before, after) ? entry.hashes.logged : undefined
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

/** How many are written at a time: a few milliseconds' work. */
const PIECE = 50

/**
 * Marks as gone what no folder has shown since a moment; nothing is deleted.
 * @param since by the clock that never goes back.
 * @returns how many are newly gone.
 */
export async function markGone(mirror: Mirror, account: Account, since: number, now: number): Promise<number> {
  const isGoing = (entry: Entry) =>
    seenInRun(account, entry) < since && account.index.get(entry.reference)?.goneAt === undefined
  const going = [...account.entries.values()].filter(isGoing)
  let count = 0
  for (let first = 0; first < going.length; first += PIECE) {
    // During the pauses an action may have reported one of them.
    const still = going.slice(first, first + PIECE).filter(isGoing)
    mirror.write(still.map((entry) => goneNow(mirror, account, entry, now)))
    count += still.length
    await nextTurn()
  }
  return count
}

function goneNow(mirror: Mirror, account: Account, entry: Entry, now: number): Writing | undefined {
  const row = account.index.get(entry.reference)
  if (!row) return undefined
  const placed = { document: mirror.document(entry), folder: entry.folder, isPlaced: entry.isPlaced }
  const differences = changesBetween({ ...placed, isGone: false }, { ...placed, isGone: true })
  const isChanged = differences.length > 0
  return {
    entry,
    content: { row: { ...row, goneAt: now, ...(isChanged && { changedAt: now, unread: true }) } },
    happened: { differences: differences.map((one) => ({ ...one, isOwn: false })), at: now }
  }
}

/**
 * Adopts an account's changed folders: nothing has happened to their documents. Called again it does nothing more; where
 * it was interrupted it continues.
 */
export async function changeFolders(
  mirror: Mirror,
  account: Account,
  { folders, isOtherService }: Omit<Ask<'foldersChanged'>, 'accountId'>
): Promise<void> {
  const listed = new Set(folders)
  for (const folder of [...account.folders.values()]) {
    if (listed.has(folder.name) && !isOtherService) continue
    const spelled = isOtherService ? undefined : newSpelling(account, folder, folders)
    const mine = [...account.entries.values()].filter((entry) => entry.folder === folder.name && entry.isPlaced)
    for (let first = 0; first < mine.length; first += PIECE) {
      const some = mine.slice(first, first + PIECE)
      mirror.write(
        some.map((entry) => (spelled === undefined ? unplaced(account, entry) : renamed(account, entry, spelled)))
      )
      await nextTurn()
    }
    // Last: until then it shows that something is left to do.
    if (spelled === undefined) mirror.forgetFolder(account, folder.name)
    else mirror.renameFolder(account, folder, spelled)
  }
}

/** The folder's new name, if only its case changed and no other folder has that name. */
function newSpelling(account: Account, { name }: Folder, folders: readonly string[]): string | undefined {
  const spelled = folders.find((one) => one.toLowerCase() === name.toLowerCase())
  return spelled !== undefined && !account.folders.has(spelled) ? spelled : undefined
}

/** The first look that shows it says where it is. */
function unplaced(account: Account, entry: Entry): Writing {
  return {
    entry: {
      ...entry,
      isPlaced: false,
      isMissing: false,
      ownSeenAt: seenAt(account, entry),
      ownSeenInRun: seenInRun(account, entry),
      also: undefined
    },
    happened: NOTHING
  }
}

function renamed(account: Account, entry: Entry, folder: string): Writing | undefined {
  const row = account.index.get(entry.reference)
  return row && { entry: { ...entry, folder }, content: { row: { ...row, folder } }, happened: NOTHING }
}

const NOTHING: Writing['happened'] = { differences: [], at: 0 }
