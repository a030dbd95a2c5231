/**
 * Applies the office's changes of drafts here: a content that replaces the local one, contents kept beside it, who is
 * editing, and drafts that no longer exist. Unsynced local changes stay.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Time } from '../lib/time.ts'
import type { OfficeThings, ThingChange } from '../office/things.ts'
import type { Drafts } from './drafts.ts'
import { contentHere, contentIn, contentOf } from './shared-content.ts'
import type { DraftHere, KnownDraft, SharedDraftRows } from './shared-draft-rows.ts'

/** The sync data of a draft that the office no longer has. */
export const NO_MORE = { isGone: true, isToKnow: false, editingBy: undefined, editingUntil: 0, beside: 0 } as const

export interface TakingDeps {
  readonly drafts: Drafts
  readonly rows: SharedDraftRows
  readonly time: Time
  readonly newId: () => string
  /** Called when another workstation changed a draft. */
  readonly changed: (id: string) => void
  /** Requests another round for the account. */
  readonly want: (accountId: string) => void
}

export type Taking = ReturnType<typeof openTaking>

export function openTaking({ drafts, rows, time, newId, changed, want }: TakingDeps) {
  /**
   * The ids of drafts of which a package was still waiting here when something was read that can't be applied before that
   * package is over: that the office no longer has them, or what would replace a content that a restored server lost.
   */
  const goneYetSending = new Set<string>()
  /** For drafts that others are editing: cancels the timer for the end of that. */
  const heldUntil = new Map<string, () => void>()

  /** Converts an age in milliseconds to a time by this computer's clock. */
  const momentOf = (ago: number) => Math.round(time.now() - ago)

  /**
   * Applies a change of the office. Returns whether anything is new here, or `wanted` if the content is needed for
   * that.
   */
  function take(accountId: string, change: ThingChange): boolean | 'wanted' {
    const { id } = change
    const before = rows.find(id)
    const here = rows.here(id)
    if (before?.isMine || ((here ?? before)?.accountId ?? accountId) !== accountId) return false
    const known = before ?? rows.add(id, accountId)
    if (change.isGone && change.isMakers && change.isMine) {
      // Someone here made it their own, even if the answer was lost. Without a `basedOn` they have just given it to the
      // office again, which is still to be sent.
      if (known.basedOn.length > 0) rows.follow(id, { isMine: true })
      return known.basedOn.length > 0
    }
    // The office decides whether unsynced local changes become another draft when they are sent.
    if (change.isGone && here && !known.isGone && known.edits !== known.given) return false
    if (change.isGone)
      return ended(accountId, known, here, {
        further: change.isFurther ? change.version : undefined,
        isUndecided: change.isUndecided
      })
    if (known.isGone && known.isToKnow) return false
    const isNewer = !known.basedOn.includes(change.version)
    const composition = change.content && contentIn(change.content)
    // The server was restored, which isn't known here yet, and has an earlier content.
    if (here && isNewer && change.round < known.round) return false
    // A package of it holds back what the server lost. Once that is over, the server is told, and this is read again.
    if (here && isNewer && known.isToKnow && rows.isActive(id)) {
      goneYetSending.add(id)
      return false
    }
    const isUntold = known.edits !== known.given
    const seen = seenIn(change)
    if (!here) {
      // It was deleted or sent here. The office must still be told, unless it was changed there since.
      if (before && isUntold && known.round > 0 && (rows.sentAs(id) !== undefined || (!isNewer && known.isAside)))
        return false
      // A restored server has a sent draft again until it is told about the send, if need be from here.
      if (rows.sentAs(id) !== undefined) {
        rows.follow(id, { basedOn: [change.version], round: change.round, isGone: true, isToKnow: true })
        return false
      }
      if (!composition) return change.content === undefined && 'wanted'
      drafts.follow(accountId, id, composition, momentOf(change.ago))
      rows.follow(id, { ...seen, basedOn: [change.version], taken: known.taken + 1, isGone: false })
    } else if (isNewer) {
      const isSame = composition !== undefined && isDeepStrictEqual(contentHere(here), composition)
      if (isSame) rows.change(id, { ...seen, basedOn: [change.version], given: known.edits })
      // The local changes aren't synced yet. The office will keep one of the two contents beside the other.
      else if (isUntold) {
        rows.change(id, { editingBy: seen.editingBy, editingUntil: seen.editingUntil })
        return known.editingBy !== seen.editingBy
      } else if (composition) {
        // Two workstations may have continued from the same content without knowing of each other, and a restored
        // server has only the longer one.
        if (change.isFormer) drafts.keepVersion(id, 'change')
        drafts.follow(accountId, id, composition, momentOf(change.ago))
        rows.follow(id, { ...seen, basedOn: [change.version], taken: known.taken + 1 })
      } else return change.content === undefined && 'wanted'
    } else rows.change(id, seen)
    const after = rows.find(id)
    if (after && !after.isMoved) followTrash(id, change.asideFor !== undefined)
    return true
  }

  function seenIn({ id, round, isMine, editing, asideFor }: ThingChange) {
    const isOthers = editing !== undefined && !editing.isMe
    heldUntil.get(id)?.()
    heldUntil.delete(id)
    if (isOthers) {
      heldUntil.set(
        id,
        time.after(editing.left + 1, () => {
          heldUntil.delete(id)
          changed(id)
        })
      )
    }
    return {
      round,
      isMadeHere: isMine,
      isAside: asideFor !== undefined,
      editingBy: isOthers ? editing.by : undefined,
      editingUntil: isOthers ? Math.round(time.now() + editing.left) : 0
    }
  }

  function followTrash(id: string, isAside: boolean): void {
    const here = rows.here(id)
    if (here && (here.isTrashed === 1) !== isAside) {
      drafts.followTrash(id, isAside)
    }
    rows.change(id, { isAside, isMoved: false })
  }

  /**
   * Handles the end of a draft at the office: deletes it here too, but turns unsynced local changes into a new draft.
   * @param further the version that goes on as another draft. That draft gets this id at every workstation, so that
   * they all have the same one.
   * @param isUndecided whether what is kept beside it goes on, too.
   */
  function ended(
    accountId: string,
    known: KnownDraft,
    here: DraftHere | undefined,
    { further, isUndecided = false }: { further?: string | undefined; isUndecided?: boolean } = {}
  ): boolean {
    const { id } = known
    // While it is being sent from here, this has to wait.
    if (here && rows.isActive(id)) {
      goneYetSending.add(id)
      return false
    }
    if (here && isUndecided) for (const version of rows.besideOpen.all(here.number)) besideGoesOn(accountId, version)
    if (here && known.edits !== known.given) rows.rename(id, newId(), accountId)
    else if (here && further !== undefined && known.basedOn.includes(further) && !isKnown(further)) {
      for (const version of rows.versionsOpen(here.number)) drafts.settle(version)
      rows.rename(id, further, accountId)
      rows.follow(further, { basedOn: [further], round: 1, isToKnow: true })
      want(accountId)
    } else if (here) rows.erase(id)
    rows.follow(id, NO_MORE)
    return here !== undefined
  }

  /**
   * Turns a content that was kept beside a draft, and is undecided, into a draft of its own: the draft was sent or deleted
   * at a restored server without anyone having chosen. It gets the version's id, so that it is the same draft everywhere.
   */
  function besideGoesOn(accountId: string, { id, body }: { id: string; body: string }): void {
    const composition = contentIn(contentOf({ body }))
    if (!composition || isKnown(id)) return
    drafts.follow(accountId, id, composition, time.now())
    rows.add(id, accountId)
    rows.follow(id, { basedOn: [id], round: 1, isToKnow: true })
    want(accountId)
    changed(id)
  }

  /**
   * Returns whether a draft is here or has been. One that was sent or erased since isn't brought back by a server that
   * was restored to an earlier state.
   */
  function isKnown(id: string): boolean {
    return rows.here(id) !== undefined || rows.find(id) !== undefined || rows.sentAs(id) !== undefined
  }

  /** Stores the versions beside a draft. Returns whether one is new here, or was decided on since. */
  function keepVersions(id: string, versions: Awaited<ReturnType<OfficeThings['versions']>>): boolean {
    const here = rows.here(id)
    if (!here) return false
    const known = rows.find(id)
    const had = known?.beside ?? 0
    const there = new Set(versions.map(({ version }) => version))
    // The server was restored, or joined again by this workstation, and doesn't know them. They stay among the draft's
    // versions.
    const unknown = known?.isToKnow ? [] : rows.versionsOpen(here.number).filter((version) => !there.has(version))
    for (const version of unknown) drafts.settle(version)
    if (versions.length === 0) {
      if (had > 0) rows.change(id, { beside: 0 })
      return had + unknown.length > 0
    }
    for (const { version, content, by: desk, ago, isSettled } of versions) {
      const composition = content && contentIn(content)
      drafts.settle(version, isSettled)
      if (composition) {
        drafts.keepBeside(id, { id: version, savedAt: momentOf(ago), desk, isSettled }, composition)
      }
    }
    rows.change(id, { beside: versions.filter(({ isSettled }) => !isSettled).length })
    return true
  }

  return {
    take,
    keepVersions,
    ended,
    besideGoesOn,
    followTrash,
    momentOf,

    /** Returns whether a draft in `goneYetSending` is no longer being sent, so that its end has to be read again. */
    isSomeOver(accountId: string): boolean {
      const over = [...goneYetSending].filter((id) => rows.find(id)?.accountId === accountId && !rows.isActive(id))
      for (const id of over) goneYetSending.delete(id)
      return over.length > 0
    }
  }
}
