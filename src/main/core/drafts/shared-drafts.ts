/**
 * Drafts that an office's workstations edit together. Each is also a draft in this workstation's own database, so
 * everything works while the office's server is away. Local changes are sent once it is available, and the others'
 * changes are read in the order in which they happened. Nothing is merged: a content that doesn't derive from the
 * current one is kept beside it, and if a draft no longer exists, unsynced changes to it become a new one.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Composition } from '../../../shared/composition/index.ts'
import type { DraftOffice, DraftSummary } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { inSlices } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { AccountLanes, SYNC_THROTTLE } from '../office/account-lanes.ts'
import { askOffice } from '../office/ask-office.ts'
import type { OfficeDraftChange, OfficeDrafts } from '../office/office-drafts.ts'
import type { Db } from '../storage/connection.ts'
import { openDraftPull, REMOVED } from './draft-pull.ts'
import { openDraftPush } from './draft-push.ts'
import type { Drafts } from './drafts.ts'
import { hasContent, localContent, readContent } from './shared-content.ts'
import { isUnsynced, type KnownDraft, openSharedDraftRows } from './shared-draft-rows.ts'

interface SharedDraftsDeps {
  db: Db
  drafts: Drafts
  time: Time
  newId: () => string
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  changed: (id: string) => void
  /** Called with the reason why a query failed. */
  onError?: ((error: unknown) => void) | undefined
}

export type SharedDrafts = ReturnType<typeof openSharedDrafts>

export function openSharedDrafts(deps: SharedDraftsDeps) {
  const { db, drafts, time, newId, changed } = deps
  const rows = openSharedDraftRows(db)
  /** The accounts whose drafts were all read up to the cursor in this run. */
  const fullyRead = new Set<string>()
  /** The accounts that were synced in this run. */
  const syncedAccounts = new Set<string>()
  const lanes = new AccountLanes({ time, accounts: deps.accounts, sync })
  /** The number of local editors of each draft: the next may open before the last is left. */
  const openEditors = new Map<string, number>()
  let connectedOffice: OfficeDrafts | undefined
  let life = 0

  const officeIdOf = (accountId: string) => deps.accounts().get(accountId)

  const ask = <Answer>(question: (office: OfficeDrafts) => Promise<Answer>) =>
    askOffice(connectedOffice, question, deps.onError)

  const common = { ...deps, rows, syncAgain: (accountId: string) => lanes.syncAgain(accountId) }
  const pulling = openDraftPull(common)
  const pushing = openDraftPush({
    ...common,
    pulling,
    ask,
    isOpen: (id) => openEditors.has(id),
    life: () => life,
    rereadAll
  })

  async function sync(accountId: string, officeId: string): Promise<void> {
    const state = await ask((office) => office.state(officeId))
    // The server and this workstation must first tell each other what they know, which the next greeting does.
    if (state.life !== life) return
    rows.prepareSync(accountId)
    // Everything is read again in the server's next life.
    if (state.seq < (rows.cursor(accountId) ?? 0)) return await ask((office) => office.startNewLife(life))
    const failures: unknown[] = []
    const runStep = (step: Promise<void>) =>
      step.catch(async (error: unknown) => {
        failures.push(error)
        // If the server can be reached, only this draft failed, and the others go on.
        await ask((office) => office.state(officeId))
      })
    for (const id of rows.toRestore(accountId)) await runStep(pushing.restoreToOffice(officeId, id))
    // An earlier run may have read the end of a draft whose package still waits here, and postponed it.
    if (!syncedAccounts.has(accountId) && rows.isAnyActive(accountId)) rereadAll(accountId)
    syncedAccounts.add(accountId)
    if (pulling.releaseDeferred(accountId)) rereadAll(accountId)
    if (state.seq !== rows.cursor(accountId) || !fullyRead.has(accountId)) await pull(accountId, officeId)
    const pushed = rows.toPush(accountId)
    for (const id of pushed) await runStep(pushing.push(accountId, officeId, id))
    // What was sent comes back as a change, and others may have written in the meantime.
    if (pushed.length > 0) await pull(accountId, officeId)
    if (failures.length > 0) throw failures[0]
  }

  async function pull(accountId: string, officeId: string): Promise<void> {
    const bodiesAfter = fullyRead.delete(accountId) ? (rows.cursor(accountId) ?? 0) : 0
    let needsFullRead = false
    for (;;) {
      const page = await ask(async (office) => {
        const changes = await office.changes(officeId, rows.cursor(accountId) ?? 0, bodiesAfter, life)
        const withConflicts = changes.map(async (change) => ({
          change,
          conflicts: await conflictsOf(office, officeId, change)
        }))
        return await Promise.all(withConflicts)
      })
      const last = page.at(-1)
      if (!last) break
      const changedIds: string[] = []
      const applying = (function* () {
        for (const { change, conflicts } of page) {
          // By now the id may belong to another account, or to none.
          if (officeIdOf(accountId) !== officeId) return
          const result = pulling.applyChange(accountId, change)
          if (result === 'wanted') needsFullRead ||= bodiesAfter > 0
          const hasNewConflicts = change.isGone ? false : pulling.storeConflicts(change.id, conflicts)
          if (result === true || hasNewConflicts) changedIds.push(change.id)
          yield
        }
      })()
      await inSlices(applying, (piece) => db.transaction(piece)())
      // If the account has left the office or changed to another, the page wasn't applied completely, so the cursor
      // stays.
      if (officeIdOf(accountId) !== officeId) return
      rows.setCursor(last.change.seq, accountId)
      for (const id of changedIds) changed(id)
    }
    fullyRead.add(accountId)
    // A content that was read before is needed, for example of a draft that was deleted here but that the office keeps.
    if (needsFullRead) rereadAll(accountId)
  }

  /** Makes everything be read again from the start. */
  function rereadAll(accountId: string): void {
    rows.resetCursor(accountId)
    fullyRead.delete(accountId)
    lanes.syncAgain(accountId)
  }

  async function conflictsOf(office: OfficeDrafts, officeId: string, { id, conflictCount, isGone }: OfficeDraftChange) {
    if (conflictCount === 0 || isGone) return []
    const local = rows.localDraft(id)
    return await office.conflicts(officeId, id, local ? rows.conflictIds(local.number) : [])
  }

  /** Returns the sync data of a draft; undefined if it is this workstation's own, or its account isn't shared. */
  function sharedDraft(id: string): { known: KnownDraft; accountId: string; officeId: string } | undefined {
    if (deps.accounts().size === 0) return undefined
    const known = rows.find(id)
    const officeId = known && officeIdOf(known.accountId)
    return known && officeId !== undefined && !known.isMine && !known.isGone
      ? { known, accountId: known.accountId, officeId }
      : undefined
  }

  function syncStateOf(id: string, accountId: string): DraftOffice | undefined {
    if (officeIdOf(accountId) === undefined) return undefined
    const known = rows.find(id)
    if (!known) return undefined
    const { isMine, isMadeHere, revision, editingBy, editingUntil, conflictCount: versions, edition } = known
    const isEdited = editingBy !== undefined && editingUntil > time.now()
    return {
      isMine,
      canBeMine: isMine || isMadeHere || revision === 0,
      versions,
      edition,
      ...(isEdited && { editingBy })
    }
  }

  function stopSharing(accountId: string, keeps: boolean): void {
    rows.stopSharing(accountId, keeps)
    lanes.cancel(accountId)
    fullyRead.delete(accountId)
    changed('')
  }

  return {
    /** Called when the office's server is available, in a life of which everything is known here. */
    connect(office: OfficeDrafts, itsLife: number): void {
      connectedOffice = office
      life = itsLife
      lanes.connect()
    },

    /** Called when the server is unavailable, or the workstation has left the office. */
    disconnect(): void {
      connectedOffice = undefined
      lanes.disconnect()
    },

    /** Called when the server began a new life: it is told what it had, and everything is read from the start. */
    async restored(): Promise<void> {
      for (const accountId of deps.accounts().keys()) {
        // A running read would restore the old cursor.
        await lanes.whenIdle(accountId)
        rows.markForRestore(accountId)
        fullyRead.delete(accountId)
      }
    },

    syncSoon: (accountId: string): void => lanes.syncSoon(accountId),

    localChanged: (): void => lanes.syncAllSoon(SYNC_THROTTLE),

    /** Reads and sends everything outstanding. Rejects if the server can't be reached. */
    syncNow: (accountId: string): Promise<void> => lanes.syncNow(accountId),

    withSyncState<Draft extends DraftSummary>(draft: Draft): Draft {
      if (deps.accounts().size === 0) return draft
      const its = syncStateOf(draft.id, draft.accountId)
      return its ? { ...draft, office: its } : draft
    },

    /**
     * Saves like `Drafts.save`.
     * @param edition the one shown in the editor. If another workstation's content has replaced it since, the saved
     * content is kept beside that.
     */
    save(accountId: string, composition: Composition, id?: string, asId?: string, edition?: number): DraftSummary {
      if (officeIdOf(accountId) === undefined) return drafts.save(accountId, composition, id, asId)
      return db.transaction(() => {
        const before = id === undefined ? undefined : rows.find(id)
        const saved = drafts.save(accountId, composition, id, asId)
        const isStale = before !== undefined && edition !== undefined && edition !== before.edition
        if (isStale && rows.find(saved.id)?.editCount !== before.editCount) rows.change(saved.id, { basedOn: [] })
        return saved
      })()
    },

    /** Called when an editor opens the draft here. While it is open, the draft is held for the person typing. */
    editorOpened: (id: string): void => void openEditors.set(id, (openEditors.get(id) ?? 0) + 1),

    /**
     * Takes a draft over from another workstation that is editing it. @throws AppFailure `offline` while the server is
     * away.
     */
    async takeOver(id: string): Promise<void> {
      const shared = sharedDraft(id)
      if (!shared) return
      const { officeId, accountId } = shared
      await ask((office) => office.hold(officeId, id))
      rows.change(id, { editingBy: undefined, editingUntil: 0 })
      await lanes.syncNow(accountId)
      changed(id)
    },

    /**
     * Called when an editor is left: sends everything, and then lets others edit, unless it is open here again by then.
     */
    async editorClosed(id: string): Promise<void> {
      const editors = (openEditors.get(id) ?? 1) - 1
      if (editors > 0) return void openEditors.set(id, editors)
      openEditors.delete(id)
      const shared = sharedDraft(id)
      if (!shared || !connectedOffice || shared.known.revision === 0) return
      const { accountId, officeId } = shared
      await lanes
        .syncNow(accountId)
        .then(() => (openEditors.has(id) ? undefined : ask((office) => office.releaseHold(officeId, id))))
        // In this case the hold expires by itself, within a minute.
        .catch(() => undefined)
    },

    /**
     * Makes a draft this workstation's own, or the office's.
     * @throws AppFailure `conflict` if another workstation created it or is editing it; `offline` while the server is
     * away and has it.
     */
    async setOwner(id: string, to: 'mine' | 'office'): Promise<DraftSummary> {
      const draft = drafts.summary(id)
      const officeId = officeIdOf(draft.accountId)
      const known = rows.find(id)
      if (officeId === undefined || !known || known.isGone || known.isMine === (to === 'mine')) return draft
      if (to === 'mine') {
        if (known.revision > 0 || known.basedOn.length > 0) await lanes.syncNow(draft.accountId)
        // What is typed meanwhile isn't saved at the office, which would have it again.
        await pushing.inItsTurn(id, async () => {
          const now = rows.find(id)
          const isThere = now && (now.revision > 0 || now.basedOn.length > 0)
          if (isThere && !(await ask((office) => office.move(officeId, now, 'maker')))) {
            fail('conflict', 'Another workstation made this draft, is working on it, or has another version of it.', {
              next: 'Duplicate it, and make the copy your own.'
            })
          }
          rows.change(id, { isMine: true })
        })
      } else {
        rows.change(id, { isMine: false, basedOn: [], editCount: known.editCount + 1 })
        lanes.syncSoon(draft.accountId)
      }
      changed(id)
      return drafts.summary(id)
    },

    /**
     * Records that someone chose the draft as it is over the versions beside it, including those that were altered on
     * the server, so that nobody can read them.
     * @throws AppFailure `offline` while the server is away; `conflict` if only a newer version of the application can
     * read one of them.
     */
    async resolveConflicts(id: string): Promise<void> {
      const shared = sharedDraft(id)
      if (!shared) return
      const { accountId, officeId } = shared
      const local = rows.localDraft(id)
      const seen = local ? rows.openConflictIds(local.number) : []
      await lanes.syncNow(accountId)
      const knownIds = local ? rows.conflictIds(local.number) : []
      const remoteConflicts = await ask((office) => office.conflicts(officeId, id, knownIds))
      const unread = remoteConflicts.filter(({ version, isResolved }) => !isResolved && !knownIds.includes(version))
      const altered = unread.filter(({ content }) => !content).map(({ version }) => version)
      await ask((office) => office.resolveConflicts(officeId, id, [...seen, ...altered]))
      await lanes.syncNow(accountId)
      if (unread.some(({ content }) => content && !readContent(content))) {
        fail('conflict', 'Another version of this draft was written with a newer Countersign.', {
          next: 'Update Countersign on this computer, or choose at a workstation that has the update.'
        })
      }
    },

    /**
     * Checks that a draft can be sent.
     * @param edition the one shown to the person who sends it.
     * @throws AppFailure `busy` while another workstation is editing it; `conflict` while there are versions beside it,
     * or if another workstation's content has replaced the one shown.
     */
    assertSendable(id: string, edition?: number): void {
      const known = sharedDraft(id)?.known
      if (known?.editingBy !== undefined && known.editingUntil > time.now()) {
        fail('busy', `${known.editingBy} is working on this draft.`, { next: 'Take it over to send it from here.' })
      }
      if ((known?.conflictCount ?? 0) > 0) {
        fail('conflict', 'There is more than one version of this draft.', {
          next: 'Choose which one to keep, and send that.'
        })
      }
      if (known && edition !== undefined && edition !== known.edition) {
        fail('conflict', 'This draft was changed at another workstation just now.', {
          next: 'Look at it again, then send it.'
        })
      }
    },

    /**
     * Makes sure that the office has a draft before it is sent, and returns which of its contents that is. Undefined if
     * the office doesn't share it. Rejects if the server can't be reached.
     */
    async prepareSend(
      id: string,
      composition: Composition
    ): Promise<{ draft: string; basedOn: readonly string[]; revision: number } | undefined> {
      const shared = sharedDraft(id)
      const isOver = rows.find(id)?.isGone === true
      // Another workstation may have sent it. The office decides whether this may still be sent.
      if (!shared) return isOver ? { draft: id, basedOn: [], revision: 0 } : undefined
      const { accountId, officeId, known } = shared
      // When the office accepts the send, it checks itself whether another content is current by then.
      if (isUnsynced(known)) await pushing.push(accountId, officeId, id)
      const local = rows.localDraft(id)
      // Another workstation's content may have replaced it meanwhile.
      const isSame = local !== undefined && isDeepStrictEqual(localContent(local), composition)
      const { basedOn = [], revision = 0 } = (isSame && rows.find(id)) || {}
      return { draft: id, basedOn, revision }
    },

    /** Turns the local content into a new draft, because the office no longer has the draft that was to be sent. */
    continueAsNew(id: string): void {
      const shared = sharedDraft(id)
      if (!shared || !rows.localDraft(id)) return
      db.transaction(() => {
        rows.rename(id, newId(), shared.accountId)
        rows.markSynced(id, REMOVED)
      })()
      lanes.syncSoon(shared.accountId)
      changed(id)
    },

    /**
     * Turns a package that was taken back or failed into the draft that it was made from, if the office has that or may
     * have it, and it hasn't been read here yet. Under another id it would exist twice. Undefined if it must be another
     * draft, because that one was erased or is this workstation's own.
     */
    restoreDraft(accountId: string, id: string, composition: Composition): DraftSummary | undefined {
      const before = rows.find(id)
      const isToCome = before === undefined || (before.basedOn.length === 0 && !before.isMine && !before.isGone)
      if (officeIdOf(accountId) === undefined || !isToCome || rows.localDraft(id)) return undefined
      const draft = drafts.save(accountId, composition, undefined, id)
      // If the office has another content, or has it in the trash, this content is neither overwritten nor moved there.
      const { editCount } = rows.add(id, accountId)
      rows.change(id, { editCount: editCount + 1, isMovePending: true })
      return draft
    },

    /** Returns sends that arrived, whose drafts the office may still have because it doesn't know. */
    unreportedSends: (accountId: string): { draft: string; send: string }[] => rows.unreportedSends.all(accountId),

    /**
     * Returns whether there is more of a draft here than what was sent: its content differs, because someone had gone on
     * writing while this workstation was on its own or at a server that was restored, or a restored server hasn't been
     * told about undecided versions beside it. Then all drafts are read again, since the office decides what becomes
     * another draft.
     */
    hasDiverged(id: string, sent: () => Composition): boolean {
      const local = rows.localDraft(id)
      if (!local) return false
      const shared = sharedDraft(id)
      const hasOpenConflicts = shared?.known.isRestorePending && rows.openConflictIds(local.number).length > 0
      if (hasContent(local, sent()) && !hasOpenConflicts) return false
      if (shared) rereadAll(shared.accountId)
      return true
    },

    /**
     * Returns whether there are local changes that the office doesn't have, so that another workstation's send doesn't
     * contain all of it.
     */
    hasUnsyncedEdits(id: string, sent: Composition): boolean {
      const local = rows.localDraft(id)
      // A workstation that has just joined hasn't sent any of its drafts yet.
      if (local && !rows.find(id)) return !hasContent(local, sent)
      const known = sharedDraft(id)?.known
      return known !== undefined && isUnsynced(known)
    },

    /**
     * Prepares to stop sharing an account. This workstation's own drafts stay here, the office's stay there, and those
     * whose sends have come back go along. Call it before the account is forgotten, followed by `keepReclaimed` and `stopSharing`.
     * @returns the ids of the drafts that go along, for `keepReclaimed`.
     */
    async reclaimDrafts(accountId: string): Promise<string[]> {
      const officeId = officeIdOf(accountId)
      if (officeId === undefined) return []
      await lanes.syncNow(accountId)
      const reclaimed: string[] = []
      for (const { draft, send } of rows.reclaimable.all(accountId)) {
        // If another workstation has written on it since the send was created, it stays with the office, which won't
        // send it any more.
        if (!pushing.matchesSend(send, rows.localDraft(draft))) continue
        const { basedOn, editCount, pushedEdits } = rows.add(draft, accountId)
        // If no answer comes, the office may no longer have it. As an unsynced change it is sent there once it is no
        // longer being sent from here.
        rows.change(draft, { editCount: editCount + 1 })
        if (await ask((office) => office.removeSent(officeId, draft, send, basedOn))) reclaimed.push(draft)
        else if (editCount === pushedEdits && rows.find(draft)?.editCount === editCount + 1)
          rows.change(draft, { pushedEdits: editCount + 1 })
      }
      return reclaimed
    },

    /** Makes drafts this workstation's own. Call it in the transaction by which it leaves. */
    keepReclaimed(ids: readonly string[]): void {
      for (const id of ids) rows.markSynced(id, { isMine: true })
    },

    /** Stops sharing an account. @param keeps keeps the office's drafts here too, because the server wasn't asked. */
    stopSharing,

    async close(): Promise<void> {
      connectedOffice = undefined
      await lanes.close()
    }
  }
}
