/**
 * What becomes of a record here if the office has another content, or none any more: an unsynced local change is merged
 * with it or kept as one more record, and nothing that a restored server lost is forgotten.
 */
import { clockTextOf } from '../lib/calendar.ts'
import type { Time } from '../lib/time.ts'
import type { KnownRecord, LostContent, openRecordRows } from './record-rows.ts'
import type { OfficeRecords, PutResult, RecordChange } from './records.ts'
import { isSame, readContent, type SharedKind } from './shared-kind.ts'

interface RecordConflictsDeps {
  rows: () => ReturnType<typeof openRecordRows>
  time: Pick<Time, 'now' | 'zone'>
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  /** The office's id of a record that is identified by what it describes; undefined if no office was reached yet. */
  idFor: (...record: Parameters<OfficeRecords['idFor']>) => string | undefined
  name: () => string
  /** Requests another round for the account, which sends what this changed. */
  syncAgain: (accountId: string) => void
}

/** The current content at the office. */
type OfficeContent = Pick<PutResult, 'version' | 'revision' | 'by' | 'lineage' | 'content'>

export class RecordConflicts {
  readonly #deps: RecordConflictsDeps

  constructor(deps: RecordConflictsDeps) {
    this.#deps = deps
  }

  /**
   * Resolves a conflict: the office's content doesn't derive from the local one.
   * @param base what both derive from.
   * @param isLost whether the office had the local content before it was restored, and lost it.
   */
  resolve(
    kind: SharedKind,
    known: KnownRecord,
    { version, revision, by, lineage, content }: OfficeContent,
    base: unknown,
    isLost = false
  ): boolean {
    const rows = this.#deps.rows()
    const { accountId, local, number } = known
    const theirs = content === undefined ? undefined : kind.read(content)
    const mine = local === undefined ? undefined : kind.content(local)
    if (
      theirs === undefined ||
      !this.#hasMatchingId(kind, known, theirs) ||
      (local !== undefined && mine === undefined)
    ) {
      // One of the two was altered on the server, written by a later version, or is private. The local one stays.
      rows.change(number, { isUnread: true })
      return false
    }
    // A record that has expired here, such as a person erased by retention, doesn't come back because another
    // workstation still has it.
    if (local === undefined && (kind.expiresIn?.(theirs) ?? 1) <= 0) {
      rows.forget(number)
      return false
    }
    // A person forgotten here stays forgotten under a name that a workstation gave them without having heard of it.
    if (local === undefined && kind.formerIds?.(theirs).some((id) => rows.byId(kind.kind, id)?.isForgotten)) {
      rows.change(number, {
        basedOn: [version],
        revision,
        lineage,
        base: undefined,
        editCount: known.editCount + 1,
        isFinal: true,
        isForgotten: true,
        isUnread: false
      })
      this.#deps.syncAgain(accountId)
      return false
    }
    const lost = isLost ? lostOf(known, base) : known.lost
    const synced = {
      basedOn: [version],
      revision,
      isGone: false,
      lost,
      isRestorePending: lost !== undefined,
      isUnread: false,
      lineage: lineageOf(known, lost, lineage),
      base: kind.merge && content,
      savedBy: by === this.#deps.name() ? undefined : by
    }
    if (mine !== undefined && isSame(mine, theirs)) {
      rows.markSynced(number, synced)
      return known.savedBy !== synced.savedBy
    }
    if (mine !== undefined) {
      const isNewToOffice = isLost || known.editCount !== known.pushedEdits
      const merged = isNewToOffice
        ? kind.merge?.(mine, theirs, readContent(kind, base))
        : kind.overrideTheirs?.(mine, theirs)
      if (merged !== undefined) {
        kind.write(accountId, merged, known.id ?? '', local)
        // The merged content derives from theirs. It gets a new edit number, because the last one asked about had
        // another content.
        if (isSame(merged, theirs)) rows.markSynced(number, synced)
        else rows.change(number, { ...synced, editCount: known.editCount + 1, savedBy: undefined })
        this.#deps.syncAgain(accountId)
        return true
      }
      if (isNewToOffice) {
        kind.addCopy?.(accountId, mine, `${this.#deps.name()}, ${this.#timestamp()}`)
        this.#deps.syncAgain(accountId)
      }
    }
    rows.bind(known, kind.write(accountId, theirs, known.id ?? '', local))
    rows.markSynced(number, synced)
    return true
  }

  /** Checks that a record identified by what it describes has the matching id, so that nothing else can replace it. */
  #hasMatchingId(kind: SharedKind, { id, accountId }: KnownRecord, content: unknown): boolean {
    const officeId = this.#deps.accounts().get(accountId)
    const identity = kind.identity?.(content)
    return identity === undefined || officeId === undefined || this.#deps.idFor(kind.kind, officeId, identity) === id
  }

  /**
   * Handles a deletion made elsewhere: deletes the local record too, but keeps unsynced local changes as a new record.
   * @param isLost see {@link resolve}.
   */
  remove(
    kind: SharedKind,
    known: KnownRecord,
    { version, revision, lineage, isFinalEnd }: Pick<RecordChange, 'version' | 'revision' | 'lineage' | 'isFinalEnd'>,
    isLost = false
  ): boolean {
    const { accountId, local, number } = known
    const mine = local === undefined ? undefined : kind.content(local)
    if (local !== undefined && mine === undefined) {
      // One that can't be read, or is private, belongs to this workstation alone from now on.
      this.#deps.rows().forget(number)
      return true
    }
    const isUnsynced = known.editCount !== known.pushedEdits
    // The final deletion is still to be sent.
    if (known.isFinal && !isFinalEnd) return false
    if (mine !== undefined && isUnsynced && !isLost && !isFinalEnd && kind.staysIfChanged) {
      // It is pushed again as a change of the deleted one, under a new version.
      const asNew = { basedOn: [version], revision, lineage, base: undefined, savedBy: undefined }
      this.#deps.rows().change(number, { ...asNew, editCount: known.editCount + 1, isUnread: false })
      this.#deps.syncAgain(accountId)
      return false
    }
    if (local !== undefined) kind.erase(local)
    let { lost } = known
    if (mine !== undefined && (isLost || isUnsynced) && kind.addCopy) {
      kind.addCopy(accountId, mine, undefined)
      if (isLost) lost = lostOf(known, undefined)
      this.#deps.syncAgain(accountId)
    }
    // Another end than the one told from here: they were known again since they were forgotten.
    const isForgotten = known.isForgotten && (known.isFinal || known.basedOn.includes(version))
    const removed = { isGone: true, base: undefined, savedBy: undefined, isForgotten }
    this.#deps.rows().markSynced(number, {
      basedOn: [version],
      revision,
      ...removed,
      lost,
      isRestorePending: lost !== undefined,
      lineage: lineageOf(known, lost, lineage)
    })
    return local !== undefined
  }

  /** The current date and time as text. */
  #timestamp(): string {
    const { now, zone } = this.#deps.time
    return clockTextOf(now(), zone(), 0)
  }
}

/** @param shared the part of it that is in the server's current content too. */
function lostOf({ lost, revision, base }: KnownRecord, shared: unknown): LostContent {
  return { ...(lost ?? { revision, content: base }), shared }
}

/**
 * Returns the lineage of a content of the office. Until the server is told what it lost, that counts as contained in
 * it, too.
 */
const lineageOf = (known: KnownRecord, lost: LostContent | undefined, theirs: readonly string[]) =>
  lost === undefined ? theirs : mergeLineages(known.lineage, theirs)

/** As many as the server keeps, plus the content's own. */
const MAX_MARKS = 49

/** Returns the latest of the marks in either lineage. */
export function mergeLineages(one: readonly string[], other: readonly string[]): readonly string[] {
  const marks = [...new Set([...one, ...other])]
  return marks.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).slice(-MAX_MARKS)
}
