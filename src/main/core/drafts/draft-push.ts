/**
 * Sends local changes of drafts to the office, and applies the answers. It also tells a restored server what it had
 * before.
 */
import type { Composition } from '../../../shared/composition/index.ts'
import { inTurn } from '../lib/slices.ts'
import type { OfficeDrafts, SaveResult } from '../office/office-drafts.ts'
import type { Db } from '../storage/connection.ts'
import type { DraftPull, PullDeps } from './draft-pull.ts'
import { encodeContent, hasContent, localContent, readContent } from './shared-content.ts'
import { isUnsynced, type KnownDraft, type LocalDraft } from './shared-draft-rows.ts'

/** How many consecutive saves of a draft may be unanswered. */
const MAX_PENDING = 50

interface PushDeps extends PullDeps {
  readonly db: Db
  readonly pulling: DraftPull
  readonly ask: <Answer>(question: (office: OfficeDrafts) => Promise<Answer>) => Promise<Answer>
  /** Whether a local editor has it open. */
  readonly isOpen: (id: string) => boolean
  /** The office's life of which everything is known here. */
  readonly life: () => number
  /** Makes everything of the account be read again from the start. */
  readonly rereadAll: (accountId: string) => void
}

export function openDraftPush({
  db,
  drafts,
  rows,
  newId,
  changed,
  syncAgain,
  pulling,
  ask,
  isOpen,
  life,
  rereadAll
}: PushDeps) {
  const { applyRemoval, splitOffConflict, applyTrashState, timestampOf } = pulling
  const run = newId()

  /**
   * Asks the office about a draft, one request at a time: a package is pushed while drafts are synced, and of two saves
   * that arrive in another order, the earlier would be kept beside the later.
   */
  const inItsTurn = <Answer>(id: string, work: () => Promise<Answer>) => inTurn(`${run}:${id}`, work)

  /** Sends the local changes of a draft. */
  const push = (accountId: string, officeId: string, id: string): Promise<void> =>
    inItsTurn(id, () => pushNow(accountId, officeId, id))

  async function pushNow(accountId: string, officeId: string, id: string): Promise<void> {
    const known = rows.find(id)
    const local = rows.localDraft(id)
    if (!known || known.isMine || known.isGone) return
    if (!local) return await pushRemoval(accountId, officeId, known)
    if (isUnsynced(known)) {
      const { editCount, pendingEdits, revision } = known
      // A save without an answer is repeated under the same version.
      const version = (pendingEdits === editCount ? known.basedOn.at(-1) : undefined) ?? newId()
      const basedOn = known.basedOn.filter((one) => one !== version)
      // Recorded before sending: if no answer comes, the office may have it.
      rows.change(id, { basedOn: [...basedOn.slice(-MAX_PENDING), version], pendingEdits: editCount })
      const wasActive = rows.isActive(id)
      const saved = await ask((office) =>
        office.save(
          officeId,
          { id, basedOn, revision, own: rows.ownFailedSends(id) },
          version,
          encodeContent(local),
          isOpen(id),
          life()
        )
      )
      // The answer is about a draft whose package was taken back in the meantime, so the office has it for everyone
      // again.
      const isTakenBack = wasActive && !rows.isActive(id)
      if (isTakenBack && (saved.outcome === 'sent' || saved.outcome === 'gone')) return syncAgain(accountId)
      if (applyAnswer(accountId, known, version, saved) === 'again') return
    }
    const localNow = rows.localDraft(id)
    const after = rows.find(id)
    if (!localNow || !after?.isMovePending) return
    const isTrashed = localNow.isTrashed === 1
    const isDone =
      isTrashed === after.isTrashed ||
      (await ask((office) => office.move(officeId, after, isTrashed ? 'trash' : 'back')))
    // The office no longer has it, or another content of it. The next read handles that.
    if (!isDone && !isTrashed) return
    db.transaction(() => {
      if (isDone) rows.change(id, { isTrashed, isMovePending: (rows.localDraft(id)?.isTrashed === 1) !== isTrashed })
      else applyTrashState(id, after.isTrashed)
    })()
    if (!isDone) changed(id)
  }

  /** Applies the answer to a save. again: more was written meanwhile, or the content became another draft. */
  function applyAnswer(
    accountId: string,
    { id, editCount }: KnownDraft,
    version: string,
    saved: SaveResult
  ): 'again' | 'done' {
    const isDone = db.transaction(() => {
      const now = rows.find(id)
      if (!now || now.isMine) return false
      const { revision } = saved
      if (saved.outcome === 'newest') {
        rows.change(id, { basedOn: [version], revision, pushedEdits: editCount, isRestorePending: false })
        return true
      }
      if (saved.outcome === 'gone' && saved.version === version && isUnsynced(now)) {
        // The office had this content before it went, and only the answer was lost. What became of it is read again.
        rows.change(id, { basedOn: [version], pushedEdits: editCount })
        rereadAll(accountId)
        return now.editCount === editCount
      }
      if (saved.outcome === 'gone' || saved.outcome === 'split-off') {
        applyRemoval(accountId, now, rows.localDraft(id), {
          splitOffVersion: saved.outcome === 'split-off' ? version : undefined
        })
        return false
      }
      if (saved.outcome === 'sent') {
        // It went along with a send of this workstation that is being retried, and nothing else was written. The next
        // read handles that.
        if (saved.sentAs !== undefined && matchesSend(saved.sentAs, rows.localDraft(id))) return true
        // A send that may still leave from here stays with this draft, so that the office can see that another send of it
        // is in progress. Once this one is over, the draft is saved again.
        if (rows.isActive(id)) {
          // What a restored server had isn't there; a version that is new to it was never stored.
          if (!isUnsynced(now)) rows.change(id, { editCount: now.editCount + 1 })
          else rows.change(id, { basedOn: now.basedOn.filter((one) => one !== version), pendingEdits: -1 })
          return true
        }
        // The local changes become another draft. The one being sent may be taken back, so it is read again.
        rows.rename(id, newId(), accountId)
        if (saved.sentAs !== undefined) rows.linkSend(id, saved.sentAs)
        reread(accountId, id)
        return false
      }
      if (saved.outcome === 'older') {
        // Unsynced changes are sent as usual, and kept beside the later content. That may lack what was synced before,
        // so it is kept as a version.
        if (rows.localDraft(id)) drafts.keepVersion(id, 'change')
        rows.change(id, { revision, isRestorePending: false })
        return true
      }
      // What was written meanwhile is to be kept beside it, too.
      if (now.editCount !== editCount) return false
      const composition = saved.content && readContent(saved.content)
      if (composition) {
        const local = rows.localDraft(id)
        if (local) keepReplaced(local, composition, saved.outcome === 'conflict' ? version : undefined)
        drafts.applyRemote(accountId, id, composition, timestampOf(saved.ago))
        const conflictCount = local ? rows.openConflictIds(local.number).length : now.conflictCount
        const synced = { basedOn: [saved.version], revision, isRestorePending: false }
        rows.markSynced(id, { ...synced, edition: now.edition + 1, conflictCount })
        return true
      }
      // The office's content can't be read.
      rows.change(id, { pushedEdits: editCount, revision, isRestorePending: false })
      return true
    })()
    if (saved.outcome !== 'newest') changed(id)
    if (!isDone) syncAgain(accountId)
    return isDone ? 'done' : 'again'
  }

  /**
   * Keeps the local content, which the office's replaces.
   * @param version the id under which the office keeps it beside the other. It is kept here in the same way at once: before
   * it is read back, the draft may be gone, or the server restored.
   */
  function keepReplaced(local: LocalDraft, other: Composition, version: string | undefined): void {
    const content = localContent(local)
    if (version === undefined || !content || hasContent(local, other)) drafts.keepVersion(local.id, 'change')
    else drafts.keepConflict(local.id, { id: version, savedAt: timestampOf(0), isResolved: false }, content)
  }

  /** Returns whether a draft has the same content as this workstation's send of it. */
  function matchesSend(sendId: string, local: LocalDraft | undefined): boolean {
    const content = local && rows.sendBody(local.id, sendId)
    return local !== undefined && content !== undefined && hasContent(local, readContent(content))
  }

  async function pushRemoval(accountId: string, officeId: string, known: KnownDraft): Promise<void> {
    const { id } = known
    const sentAs = rows.sentAs(id)
    const isDone = known.basedOn.length === 0 || (await removeThere(officeId, known, sentAs))
    if (isDone) rows.markSynced(id, { isGone: true, isRestorePending: false })
    // The office keeps a draft that was changed there, so it comes back here. If it was sent, the office must still be
    // told.
    else if (sentAs === undefined) reread(accountId, id)
  }

  /** Has the office remove a draft that was deleted or sent here; returns whether it did. */
  const removeThere = (officeId: string, known: KnownDraft, sentAs: string | undefined): Promise<boolean> =>
    ask((office) =>
      sentAs === undefined ? office.move(officeId, known, 'gone') : office.removeSent(officeId, known.id, sentAs)
    )

  /** Makes a draft be read again as the office has it. */
  function reread(accountId: string, id: string): void {
    rows.markSynced(id, { basedOn: [] })
    rereadAll(accountId)
  }

  /** Tells a restored server about a draft, because it may have lost it. */
  const restoreToOffice = (officeId: string, id: string): Promise<void> => inItsTurn(id, () => restoreNow(officeId, id))

  async function restoreNow(officeId: string, id: string): Promise<void> {
    const known = rows.find(id)
    const local = rows.localDraft(id)
    if (!known) return
    if (known.isMine) {
      if (known.basedOn.length > 0) await ask((office) => office.move(officeId, known, 'maker'))
    } else if (!local || known.isGone) {
      const sentAs = rows.sentAs(id)
      const isDone = await removeThere(officeId, known, sentAs)
      // The office hasn't heard of that send yet: see `unreportedSends`.
      if (sentAs !== undefined && !isDone) return
    } else if (!isUnsynced(known)) {
      const version = known.basedOn[0] ?? newId()
      if (!known.basedOn.includes(version)) rows.change(id, { basedOn: [...known.basedOn, version] })
      const its = { ...known, own: rows.ownFailedSends(id) }
      const saved = await ask((office) => office.restore(officeId, its, version, encodeContent(local)))
      // The current content is the same, so nobody has to choose between them.
      const isSame = saved.content !== undefined && hasContent(local, readContent(saved.content))
      if (saved.outcome === 'conflict' && isSame)
        await ask((office) => office.resolveConflicts(officeId, id, [version]))
      await restoreConflicts(officeId, local)
      applyAnswer(local.accountId, known, version, saved)
    } else if (rows.openConflictIds(local.number).length > 0) {
      await pushNow(local.accountId, officeId, id)
      await restoreConflicts(officeId, local)
    }
    // A package of it was enqueued meanwhile, so the answer wasn't applied. The office is told again after it.
    if (rows.localDraft(id) && rows.isActive(id)) return
    // What the office never had isn't told again. It is sent as usual.
    rows.change(id, { isRestorePending: false })
  }

  /**
   * Tells a restored server what is kept beside a draft and undecided, so that the draft isn't sent before someone has
   * chosen. Where that is too late, each becomes a draft of its own.
   */
  async function restoreConflicts(officeId: string, { id, number, accountId }: LocalDraft): Promise<void> {
    for (const version of rows.openConflicts.all(number)) {
      const isKept = await ask((office) => office.restoreConflict(officeId, id, version.id, encodeContent(version)))
      if (!isKept) db.transaction(() => splitOffConflict(accountId, version))()
    }
  }

  return { push, restoreToOffice, inItsTurn, matchesSend }
}
