/**
 * Applies the office's changes of drafts here: a content that replaces the local one, contents kept beside it, who is
 * editing, and drafts that no longer exist. Unsynced local changes stay.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Time } from '../lib/time.ts'
import type { OfficeDraftChange, OfficeDrafts } from '../office/office-drafts.ts'
import type { Drafts } from './drafts.ts'
import { encodeContent, localContent, readContent } from './shared-content.ts'
import { isUnsynced, type KnownDraft, type LocalDraft, type SharedDraftRows } from './shared-draft-rows.ts'

/** The sync data of a draft that the office no longer has. */
export const REMOVED = {
  isGone: true,
  isRestorePending: false,
  editingBy: undefined,
  editingUntil: 0,
  conflictCount: 0
} as const

export interface PullDeps {
  readonly drafts: Drafts
  readonly rows: SharedDraftRows
  readonly time: Time
  readonly newId: () => string
  readonly changed: (id: string) => void
  /** Requests another round for the account. */
  readonly syncAgain: (accountId: string) => void
}

export type DraftPull = ReturnType<typeof openDraftPull>

export function openDraftPull({ drafts, rows, time, newId, changed, syncAgain }: PullDeps) {
  /**
   * The ids of drafts of which a package was still waiting here when something was read that can't be applied before that
   * package is over: that the office no longer has them, or what would replace a content that a restored server lost.
   */
  const deferredUntilSent = new Set<string>()
  /** For drafts that others are editing: cancels the timer for the end of that. */
  const editingTimers = new Map<string, () => void>()

  /** Converts an age in milliseconds to a time by this computer's clock. */
  const timestampOf = (ago: number) => Math.round(time.now() - ago)

  /**
   * Applies a change of the office. Returns whether anything is new here, or `wanted` if the content is needed for
   * that.
   */
  function applyChange(accountId: string, change: OfficeDraftChange): boolean | 'wanted' {
    const { id } = change
    const before = rows.find(id)
    const local = rows.localDraft(id)
    if (before?.isMine || ((local ?? before)?.accountId ?? accountId) !== accountId) return false
    const known = before ?? rows.add(id, accountId)
    if (change.isGone && change.isMakersOwn && change.isMine) {
      // Someone here made it their own, even if the answer was lost. Without a `basedOn` they have just given it to the
      // office again, which is still to be sent.
      if (known.basedOn.length > 0) rows.markSynced(id, { isMine: true })
      return known.basedOn.length > 0
    }
    const hasUnsynced = isUnsynced(known)
    if (change.isGone) {
      if (local && !known.isGone) {
        // The office decides whether unsynced local changes become another draft when they are sent.
        if (hasUnsynced) return false
        // A restored server decides that only once it has been told the local content.
        if (known.isRestorePending) {
          if (rows.isActive(id)) deferredUntilSent.add(id)
          return false
        }
      }
      const { version, revision, hasOpenConflicts } = change
      return applyRemoval(accountId, known, local, {
        splitOffVersion: change.isSplitOff ? version : undefined,
        hasOpenConflicts,
        removed: { version, revision }
      })
    }
    if (known.isGone && known.isRestorePending) return false
    const isNewer = !known.basedOn.includes(change.version)
    const composition = change.content && readContent(change.content)
    // The server was restored, which isn't known here yet, and has an earlier content.
    if (local && isNewer && change.revision < known.revision) return false
    // A package of it holds back what the server lost. Once that is over, the server is told, and this is read again.
    if (local && isNewer && known.isRestorePending && rows.isActive(id)) {
      deferredUntilSent.add(id)
      return false
    }
    const syncFields = syncFieldsOf(change)
    if (!local) {
      // It was deleted or sent here. The office must still be told, unless it was changed there since.
      if (
        before &&
        hasUnsynced &&
        known.revision > 0 &&
        (rows.sentAs(id) !== undefined || (!isNewer && known.isTrashed))
      )
        return false
      // A restored server has a sent draft again until it is told about the send, if need be from here.
      if (rows.sentAs(id) !== undefined) {
        rows.markSynced(id, {
          basedOn: [change.version],
          revision: change.revision,
          isGone: true,
          isRestorePending: true
        })
        return false
      }
      if (!composition) return change.content === undefined && 'wanted'
      drafts.applyRemote(accountId, id, composition, timestampOf(change.ago))
      rows.markSynced(id, { ...syncFields, basedOn: [change.version], edition: known.edition + 1, isGone: false })
    } else if (isNewer) {
      const isSame = composition !== undefined && isDeepStrictEqual(localContent(local), composition)
      if (isSame) rows.change(id, { ...syncFields, basedOn: [change.version], pushedEdits: known.editCount })
      // The local changes aren't synced yet. The office will keep one of the two contents beside the other.
      else if (hasUnsynced) {
        rows.change(id, { editingBy: syncFields.editingBy, editingUntil: syncFields.editingUntil })
        return known.editingBy !== syncFields.editingBy
      } else if (composition) {
        // Two workstations may have continued from the same content without knowing of each other, and a restored
        // server has only the longer one.
        if (change.isFromBeforeRestore) drafts.keepVersion(id, 'change')
        drafts.applyRemote(accountId, id, composition, timestampOf(change.ago))
        rows.markSynced(id, { ...syncFields, basedOn: [change.version], edition: known.edition + 1 })
      } else return change.content === undefined && 'wanted'
    } else rows.change(id, syncFields)
    const after = rows.find(id)
    if (after && !after.isMovePending) applyTrashState(id, change.trashedFor !== undefined)
    return true
  }

  function syncFieldsOf({ id, revision, isMine, editing, trashedFor }: OfficeDraftChange) {
    const isEditedElsewhere = editing !== undefined && !editing.isMe
    editingTimers.get(id)?.()
    editingTimers.delete(id)
    if (isEditedElsewhere) {
      editingTimers.set(
        id,
        time.after(editing.remaining + 1, () => {
          editingTimers.delete(id)
          changed(id)
        })
      )
    }
    return {
      revision,
      isMadeHere: isMine,
      isTrashed: trashedFor !== undefined,
      editingBy: isEditedElsewhere ? editing.by : undefined,
      editingUntil: isEditedElsewhere ? Math.round(time.now() + editing.remaining) : 0
    }
  }

  function applyTrashState(id: string, isTrashed: boolean): void {
    const local = rows.localDraft(id)
    if (local && (local.isTrashed === 1) !== isTrashed) {
      drafts.applyRemoteTrash(id, isTrashed)
    }
    rows.change(id, { isTrashed, isMovePending: false })
  }

  /**
   * Handles the end of a draft at the office: deletes it here too, but turns unsynced local changes into a new draft.
   * @param splitOffVersion goes on as another draft. That draft gets this id at every workstation, so that
   * they all have the same one.
   * @param hasOpenConflicts whether what is kept beside it goes on, too.
   * @param removed how much of it was deleted, which another restored server is told.
   */
  function applyRemoval(
    accountId: string,
    known: KnownDraft,
    local: LocalDraft | undefined,
    {
      splitOffVersion,
      hasOpenConflicts = false,
      removed
    }: {
      splitOffVersion?: string | undefined
      hasOpenConflicts?: boolean
      removed?: { version: string; revision: number }
    }
  ): boolean {
    const { id } = known
    // While it is being sent from here, this has to wait.
    if (local && rows.isActive(id)) {
      deferredUntilSent.add(id)
      return false
    }
    if (local && hasOpenConflicts)
      for (const version of rows.openConflicts.all(local.number)) splitOffConflict(accountId, version)
    // Taken out of the trash here, which isn't told yet, unless that was to send it.
    const isRestored = local?.isTrashed === 0 && known.isMovePending && rows.sentAs(id) === undefined
    if (local && (isUnsynced(known) || isRestored)) rows.rename(id, newId(), accountId)
    else if (
      local &&
      splitOffVersion !== undefined &&
      known.basedOn.includes(splitOffVersion) &&
      !isKnown(splitOffVersion)
    ) {
      rows.rename(id, splitOffVersion, accountId)
      rows.markSynced(splitOffVersion, { basedOn: [splitOffVersion], revision: 1, isRestorePending: true })
      syncAgain(accountId)
    } else if (local) rows.erase(id)
    const more =
      removed && removed.revision > known.revision ? { revision: removed.revision, basedOn: [removed.version] } : {}
    rows.markSynced(id, { ...REMOVED, ...more })
    return local !== undefined
  }

  /**
   * Turns a content that was kept beside a draft, and is undecided, into a draft of its own: the draft was sent or deleted
   * at a restored server without anyone having chosen. It gets the version's id, so that it is the same draft everywhere.
   */
  function splitOffConflict(accountId: string, { id, body }: { id: string; body: string }): void {
    const composition = readContent(encodeContent({ body }))
    if (!composition || isKnown(id)) return
    drafts.applyRemote(accountId, id, composition, time.now())
    rows.add(id, accountId)
    rows.markSynced(id, { basedOn: [id], revision: 1, isRestorePending: true })
    syncAgain(accountId)
    changed(id)
  }

  /**
   * Returns whether a draft is here or has been. One that was sent or erased since isn't brought back by a server that
   * was restored to an earlier state.
   */
  function isKnown(id: string): boolean {
    return rows.localDraft(id) !== undefined || rows.find(id) !== undefined || rows.sentAs(id) !== undefined
  }

  /** Stores the versions beside a draft. Returns whether one is new here, or was decided on since. */
  function storeConflicts(id: string, conflicts: Awaited<ReturnType<OfficeDrafts['conflicts']>>): boolean {
    const local = rows.localDraft(id)
    if (!local) return false
    const known = rows.find(id)
    const openBefore = known?.conflictCount ?? 0
    const officeIds = new Set(conflicts.map(({ version }) => version))
    // The server was restored, or joined again by this workstation, and doesn't know them. They stay among the draft's
    // versions.
    const lostConflicts = known?.isRestorePending
      ? []
      : rows.openConflictIds(local.number).filter((version) => !officeIds.has(version))
    for (const version of lostConflicts) drafts.setConflictResolved(version)
    if (conflicts.length === 0) {
      if (openBefore > 0) rows.change(id, { conflictCount: 0 })
      return openBefore + lostConflicts.length > 0
    }
    for (const { version, content, by: workstation, ago, isResolved } of conflicts) {
      const composition = content && readContent(content)
      drafts.setConflictResolved(version, isResolved)
      if (composition) {
        drafts.keepConflict(id, { id: version, savedAt: timestampOf(ago), workstation, isResolved }, composition)
      }
    }
    rows.change(id, { conflictCount: conflicts.filter(({ isResolved }) => !isResolved).length })
    return true
  }

  return {
    applyChange,
    storeConflicts,
    applyRemoval,
    splitOffConflict,
    applyTrashState,
    timestampOf,

    /** Returns whether a draft in `deferredUntilSent` is no longer being sent, so that its end has to be read again. */
    releaseDeferred(accountId: string): boolean {
      const released = [...deferredUntilSent].filter(
        (id) => rows.find(id)?.accountId === accountId && !rows.isActive(id)
      )
      for (const id of released) deferredUntilSent.delete(id)
      return released.length > 0
    }
  }
}
