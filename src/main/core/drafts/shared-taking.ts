/**
 * What the office says of drafts, written down here: a content that takes the place of what was here, contents beside it, who types there, and
 * drafts that are no more. What was written here and not told yet stays.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Time } from '../lib/time.ts'
import type { OfficeThings, ThingChange } from '../office/things.ts'
import type { Drafts } from './drafts.ts'
import { contentHere, contentIn } from './shared-content.ts'
import type { DraftHere, KnownDraft, SharedDraftRows } from './shared-draft-rows.ts'

/** What is known of a draft that the office has no more. */
export const NO_MORE = { isGone: true, isToKnow: false, editingBy: undefined, editingUntil: 0, beside: 0 } as const

export interface TakingDeps {
  readonly drafts: Drafts
  readonly rows: SharedDraftRows
  readonly time: Time
  readonly newId: () => string
  /** A draft is other than before, by another workstation. */
  readonly changed: (id: string) => void
  /** There is something to tell the office of this account, or to read. */
  readonly want: (accountId: string) => void
}

export type Taking = ReturnType<typeof openTaking>

export function openTaking({ drafts, rows, time, newId, changed, want }: TakingDeps) {
  /** Drafts that the office has no more, and of which a package still waited here as that was read: their ids. */
  const goneYetSending = new Set<string>()
  /** Of those that others have: forgets what is planned for the moment in which they no longer do. */
  const heldUntil = new Map<string, () => void>()

  /** When something was, by this computer's clock. @param ago in milliseconds. */
  const momentOf = (ago: number) => Math.round(time.now() - ago)

  /** Writes down what the office says of a draft; whether something of it is new here, or its content is wanted to do so. */
  function take(accountId: string, change: ThingChange): boolean | 'wanted' {
    const { id } = change
    const before = rows.find(id)
    const here = rows.here(id)
    if (before?.isMine || ((here ?? before)?.accountId ?? accountId) !== accountId) return false
    const known = before ?? rows.add(id, accountId)
    if (change.isGone && change.isMakers && change.isMine) {
      // Someone here has made it their own, whether or not the answer came; or has just made it the office's again, which is still to be told.
      if (known.basedOn.length > 0) rows.follow(id, { isMine: true })
      return known.basedOn.length > 0
    }
    // Whether what was written here and not told is another draft, the office says as it is told.
    if (change.isGone && here && !known.isGone && known.edits !== known.given) return false
    if (change.isGone) return ended(accountId, known, here, change.isFurther ? change.version : undefined)
    if (known.isGone && known.isToKnow) return false
    const isNewer = !known.basedOn.includes(change.version)
    const composition = change.content && contentIn(change.content)
    // A server that was put back, which isn't known yet, has it as it was earlier.
    if (here && isNewer && change.round < known.round) return false
    const isUntold = known.edits !== known.given
    const seen = seenIn(change)
    if (!here) {
      // It was erased here, or sent: that is still to be told, unless it was changed since.
      if (before && isUntold && known.round > 0 && (rows.sentAs(id) !== undefined || (!isNewer && known.isAside)))
        return false
      // A server that was put back has a draft that was sent until it hears of that, if need be from here.
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
      // What was written here isn't told yet: the office will keep one of the two beside the other.
      else if (isUntold) {
        rows.change(id, { editingBy: seen.editingBy, editingUntil: seen.editingUntil })
        return known.editingBy !== seen.editingBy
      } else if (composition) {
        // Two may have gone on from the same one without each other's knowing, and a put-back server knows the longer one alone.
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
   * The draft is no more: neither is it here, but for what was written here and not told. @param further the content, by its id, that goes
   * on as another draft: of the same id wherever it was read, so that those are one.
   */
  function ended(accountId: string, known: KnownDraft, here: DraftHere | undefined, further?: string): boolean {
    const { id } = known
    // What is being sent from here is over once that is.
    if (here && rows.isActive(id)) {
      goneYetSending.add(id)
      return false
    }
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

  /** Whether a draft is here, or was: what was sent since, or erased, isn't brought back by a server that was put back to before that. */
  function isKnown(id: string): boolean {
    return rows.here(id) !== undefined || rows.find(id) !== undefined || rows.sentAs(id) !== undefined
  }

  /** Whether one is new here, or was settled since. */
  function keepVersions(id: string, versions: Awaited<ReturnType<OfficeThings['versions']>>): boolean {
    const here = rows.here(id)
    if (!here) return false
    const had = rows.find(id)?.beside ?? 0
    const there = new Set(versions.map(({ version }) => version))
    // A server that was put back, or that this workstation has joined again, knows nothing of them; they stay among the draft's versions.
    const unknown = rows.versionsOpen(here.number).filter((version) => !there.has(version))
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
    followTrash,
    momentOf,

    /** Whether a package was taken back elsewhere of which the draft was no more as that was read: what was read of it counts now. */
    isSomeOver(accountId: string): boolean {
      const over = [...goneYetSending].filter((id) => rows.find(id)?.accountId === accountId && !rows.isActive(id))
      for (const id of over) goneYetSending.delete(id)
      return over.length > 0
    }
  }
}
