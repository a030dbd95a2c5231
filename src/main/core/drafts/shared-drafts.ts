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
import { AccountLanes, STEADY } from '../office/account-lanes.ts'
import { askOffice } from '../office/sends.ts'
import type { OfficeThings, ThingChange } from '../office/things.ts'
import type { Db } from '../storage/connection.ts'
import type { Drafts } from './drafts.ts'
import { contentHere, contentIn, hasContent } from './shared-content.ts'
import { type KnownDraft, openSharedDraftRows } from './shared-draft-rows.ts'
import { openGiving } from './shared-giving.ts'
import { NO_MORE, openTaking } from './shared-taking.ts'

interface SharedDraftsDeps {
  db: Db
  drafts: Drafts
  time: Time
  newId: () => string
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  /** Called when another workstation changed a draft. */
  changed: (id: string) => void
  /** Called with the reason why a query failed. */
  trouble?: ((error: unknown) => void) | undefined
}

export type SharedDrafts = ReturnType<typeof openSharedDrafts>

export function openSharedDrafts(deps: SharedDraftsDeps) {
  const { db, drafts, time, newId, changed } = deps
  const rows = openSharedDraftRows(db)
  /** The accounts whose drafts were all read up to the cursor in this run. */
  const readWholly = new Set<string>()
  /** The accounts that were synced in this run. */
  const begun = new Set<string>()
  const lanes = new AccountLanes({ time, accounts: deps.accounts, sync })
  /** The number of local editors of each draft: the next may open before the last is left. */
  const open = new Map<string, number>()
  let office: OfficeThings | undefined
  let life = 0

  const officeIdOf = (accountId: string) => deps.accounts().get(accountId)

  const asked = <Answer>(question: (things: OfficeThings) => Promise<Answer>) =>
    askOffice(office, question, deps.trouble)

  const common = { ...deps, rows, want: (accountId: string) => lanes.want(accountId) }
  const taking = openTaking(common)
  const giving = openGiving({ ...common, taking, asked, isOpen: (id) => open.has(id), life: () => life, readAll })

  async function sync(accountId: string, officeId: string): Promise<void> {
    const state = await asked((things) => things.state(officeId))
    // The server and this workstation must first tell each other what they know, which the next greeting does.
    if (state.life !== life) return
    rows.begin(accountId)
    // Everything is read again in the server's next life.
    if (state.rev < (rows.cursor(accountId) ?? 0)) return await asked((things) => things.setBack(life))
    const failures: unknown[] = []
    const each = (step: Promise<void>) =>
      step.catch(async (error: unknown) => {
        failures.push(error)
        // If the server can be reached, only this draft failed, and the others go on.
        await asked((things) => things.state(officeId))
      })
    for (const id of rows.toKnow(accountId)) await each(giving.tellAgain(officeId, id))
    // An earlier run may have read the end of a draft whose package still waits here, and postponed it.
    if (!begun.has(accountId) && rows.isAnyActive(accountId)) readAll(accountId)
    begun.add(accountId)
    if (taking.isSomeOver(accountId)) readAll(accountId)
    if (state.rev !== rows.cursor(accountId) || !readWholly.has(accountId)) await read(accountId, officeId)
    const given = rows.toGive(accountId)
    for (const id of given) await each(giving.give(accountId, officeId, id))
    // What was sent comes back as a change, and others may have written in the meantime.
    if (given.length > 0) await read(accountId, officeId)
    if (failures.length > 0) throw failures[0]
  }

  async function read(accountId: string, officeId: string): Promise<void> {
    const had = readWholly.delete(accountId) ? (rows.cursor(accountId) ?? 0) : 0
    let isAllWanted = false
    for (;;) {
      const page = await asked(async (things) => {
        const changes = await things.changes(officeId, rows.cursor(accountId) ?? 0, had, life)
        const withVersions = changes.map(async (change) => ({ change, versions: await versionsOf(things, change) }))
        return await Promise.all(withVersions)
      })
      const last = page.at(-1)
      if (!last) break
      const news: string[] = []
      const writing = (function* () {
        for (const { change, versions } of page) {
          // By now the id may belong to another account, or to none.
          if (officeIdOf(accountId) !== officeId) return
          const took = taking.take(accountId, change)
          if (took === 'wanted') isAllWanted ||= had > 0
          const isOther = change.isGone ? false : taking.keepVersions(change.id, versions)
          if (took === true || isOther) news.push(change.id)
          yield
        }
      })()
      await inSlices(writing, (piece) => db.transaction(piece)())
      // If the account has left the office or changed to another, the page wasn't applied completely, so the cursor
      // stays.
      if (officeIdOf(accountId) !== officeId) return
      rows.readTo(last.change.rev, accountId)
      for (const id of news) changed(id)
    }
    readWholly.add(accountId)
    // A content that was read before is needed, for example of a draft that was deleted here but that the office keeps.
    if (isAllWanted) readAll(accountId)
  }

  /** Makes everything be read again from the start. */
  function readAll(accountId: string): void {
    rows.fromStart(accountId)
    readWholly.delete(accountId)
    lanes.want(accountId)
  }

  async function versionsOf(things: OfficeThings, { id, beside, isGone }: ThingChange) {
    if (beside === 0 || isGone) return []
    const here = rows.here(id)
    return await things.versions(id, here ? rows.versionsHad(here.number) : [])
  }

  /** Returns the sync data of a draft; undefined if it is this workstation's own, or its account isn't shared. */
  function sharedOne(id: string): { known: KnownDraft; accountId: string; officeId: string } | undefined {
    if (deps.accounts().size === 0) return undefined
    const known = rows.find(id)
    const officeId = known && officeIdOf(known.accountId)
    return known && officeId !== undefined && !known.isMine && !known.isGone
      ? { known, accountId: known.accountId, officeId }
      : undefined
  }

  function officeOf(id: string, accountId: string): DraftOffice | undefined {
    if (officeIdOf(accountId) === undefined) return undefined
    const known = rows.find(id)
    if (!known) return undefined
    const { isMine, isMadeHere, round, editingBy, editingUntil, beside: versions, taken: edition } = known
    const isEdited = editingBy !== undefined && editingUntil > time.now()
    return {
      ...{ isMine, canBeMine: isMine || isMadeHere || round === 0, versions, edition },
      ...(isEdited && { editingBy })
    }
  }

  function forget(accountId: string, keeps: boolean): void {
    rows.leave(accountId, keeps)
    lanes.cancel(accountId)
    readWholly.delete(accountId)
    changed('')
  }

  return {
    /** Called when the office's server is available, in a life of which everything is known here. */
    connect(things: OfficeThings, itsLife: number): void {
      office = things
      life = itsLife
      lanes.connect()
    },

    /** Called when the server is unavailable, or the workstation has left the office. */
    disconnect(): void {
      office = undefined
      lanes.disconnect()
    },

    /** Called when the server began a new life: it is told what it had, and everything is read from the start. */
    async restored(): Promise<void> {
      for (const accountId of deps.accounts().keys()) {
        // A running read would restore the old cursor.
        await lanes.ended(accountId)
        rows.tellAgain(accountId)
        readWholly.delete(accountId)
      }
    },

    soon: (accountId: string): void => lanes.soon(accountId),

    /** Called when local drafts changed. */
    changedHere: (): void => lanes.allSoon(STEADY),

    /** Reads and sends everything outstanding. Rejects if the server can't be reached. */
    settled: (accountId: string): Promise<void> => lanes.fresh(accountId),

    /** Adds the sync state to a draft, for the screens. */
    marked<Draft extends DraftSummary>(draft: Draft): Draft {
      if (deps.accounts().size === 0) return draft
      const its = officeOf(draft.id, draft.accountId)
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
        const isStale = before !== undefined && edition !== undefined && edition !== before.taken
        if (isStale && rows.find(saved.id)?.edits !== before.edits) rows.change(saved.id, { basedOn: [] })
        return saved
      })()
    },

    /** Called when an editor opens the draft here. While it is open, the draft is held for the person typing. */
    edit: (id: string): void => void open.set(id, (open.get(id) ?? 0) + 1),

    /**
     * Takes a draft over from another workstation that is editing it. @throws AppFailure `offline` while the server is
     * away.
     */
    async takeOver(id: string): Promise<void> {
      const shared = sharedOne(id)
      if (!shared) return
      const { officeId, accountId } = shared
      await asked((things) => things.hold(officeId, id))
      rows.change(id, { editingBy: undefined, editingUntil: 0 })
      await lanes.fresh(accountId)
      changed(id)
    },

    /**
     * Called when an editor is left: sends everything, and then lets others edit, unless it is open here again by then.
     */
    async leave(id: string): Promise<void> {
      const left = (open.get(id) ?? 1) - 1
      if (left > 0) return void open.set(id, left)
      open.delete(id)
      const shared = sharedOne(id)
      if (!shared || !office || shared.known.round === 0) return
      const { accountId, officeId } = shared
      await lanes
        .fresh(accountId)
        .then(() => (open.has(id) ? undefined : asked((things) => things.letGo(officeId, id))))
        // In this case the hold expires by itself, within a minute.
        .catch(() => undefined)
    },

    /**
     * Makes a draft this workstation's own, or the office's.
     * @throws AppFailure `conflict` if another workstation created it or is editing it; `offline` while the server is
     * away and has it.
     */
    async setWhose(id: string, to: 'mine' | 'office'): Promise<DraftSummary> {
      const draft = drafts.summary(id)
      const officeId = officeIdOf(draft.accountId)
      const known = rows.find(id)
      if (officeId === undefined || !known || known.isGone || known.isMine === (to === 'mine')) return draft
      if (to === 'mine') {
        if (known.round > 0 || known.basedOn.length > 0) {
          await lanes.fresh(draft.accountId)
          const now = rows.find(id)
          const isDone = now && (await asked((things) => things.move(officeId, now, 'maker')))
          if (!isDone) {
            fail('conflict', 'Another workstation made this draft, is working on it, or has another version of it.', {
              next: 'Duplicate it, and make the copy your own.'
            })
          }
        }
        rows.change(id, { isMine: true })
      } else {
        rows.change(id, { isMine: false, basedOn: [], edits: known.edits + 1 })
        lanes.soon(draft.accountId)
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
    async settle(id: string): Promise<void> {
      const shared = sharedOne(id)
      if (!shared) return
      const { accountId, officeId } = shared
      const here = rows.here(id)
      const seen = here ? rows.versionsOpen(here.number) : []
      await lanes.fresh(accountId)
      const had = here ? rows.versionsHad(here.number) : []
      const open = await asked((things) => things.versions(id, had))
      const unread = open.filter(({ version, isSettled }) => !isSettled && !had.includes(version))
      const altered = unread.filter(({ content }) => !content).map(({ version }) => version)
      await asked((things) => things.settle(officeId, id, [...seen, ...altered]))
      await lanes.fresh(accountId)
      if (unread.some(({ content }) => content && !contentIn(content))) {
        fail('conflict', 'Another version of this draft was written with a newer Countersign.', {
          next: 'Update Countersign on this computer, or choose at a workstation that has the update.'
        })
      }
    },

    /**
     * Checks that a draft can be sent.
     * @throws AppFailure `busy` while another workstation is editing it; `conflict` while there are versions beside it.
     */
    mustBeOne(id: string): void {
      const known = sharedOne(id)?.known
      if (known?.editingBy !== undefined && known.editingUntil > time.now()) {
        fail('busy', `${known.editingBy} is working on this draft.`, { next: 'Take it over to send it from here.' })
      }
      if ((known?.beside ?? 0) > 0) {
        fail('conflict', 'There is more than one version of this draft.', {
          next: 'Choose which one to keep, and send that.'
        })
      }
    },

    /**
     * Makes sure that the office has a draft before it is sent, and returns which of its contents that is. Undefined if
     * the office doesn't share it. Rejects if the server can't be reached.
     */
    async toSend(
      id: string,
      composition: Composition
    ): Promise<{ draft: string; basedOn: readonly string[]; round: number } | undefined> {
      const shared = sharedOne(id)
      const isOver = rows.find(id)?.isGone === true
      // Another workstation may have sent it. The office decides whether this may still be sent.
      if (!shared) return isOver ? { draft: id, basedOn: [], round: 0 } : undefined
      const { accountId, officeId, known } = shared
      // When the office accepts the send, it checks itself whether another content is current by then.
      if (known.edits !== known.given) await giving.give(accountId, officeId, id)
      const here = rows.here(id)
      // Another workstation's content may have replaced it meanwhile.
      const isSame = here !== undefined && isDeepStrictEqual(contentHere(here), composition)
      const { basedOn = [], round = 0 } = (isSame && rows.find(id)) || {}
      return { draft: id, basedOn, round }
    },

    /** Turns the local content into a new draft, because the office no longer has the draft that was to be sent. */
    goesOn(id: string): void {
      const shared = sharedOne(id)
      if (!shared || !rows.here(id)) return
      db.transaction(() => {
        rows.rename(id, newId(), shared.accountId)
        rows.follow(id, NO_MORE)
      })()
      lanes.soon(shared.accountId)
      changed(id)
    },

    /**
     * Turns a package that was taken back or failed into the draft that it was made from, if the office has that or may
     * have it, and it hasn't been read here yet. Under another id it would exist twice. Undefined if it must be another
     * draft, because that one was erased or is this workstation's own.
     */
    backInto(accountId: string, id: string, composition: Composition): DraftSummary | undefined {
      const before = rows.find(id)
      const isToCome = before === undefined || (before.basedOn.length === 0 && !before.isMine && !before.isGone)
      if (officeIdOf(accountId) === undefined || !isToCome || rows.here(id)) return undefined
      const draft = drafts.save(accountId, composition, undefined, id)
      // If the office has another content, or has it in the trash, this content is neither overwritten nor moved there.
      const { edits } = rows.add(id, accountId)
      rows.change(id, { edits: edits + 1, isMoved: true })
      return draft
    },

    /** Returns sends that arrived, whose drafts the office may still have because it doesn't know. */
    sentUntold: (accountId: string): { draft: string; send: string }[] => rows.sentUntold.all(accountId),

    /**
     * Returns whether there is more of a shared draft here than what was sent: its content differs, because someone had
     * gone on writing at a server that was restored, or that server hasn't been told about undecided versions beside it.
     * Then all drafts are read again, since the office decides what becomes another draft.
     */
    goesApart(id: string, sent: Composition): boolean {
      const shared = sharedOne(id)
      const here = rows.here(id)
      if (!shared || !here) return false
      const hasBeside = shared.known.isToKnow && rows.versionsOpen(here.number).length > 0
      if (hasContent(here, sent) && !hasBeside) return false
      readAll(shared.accountId)
      return true
    },

    /**
     * Returns whether there are local changes that the office doesn't have, so that another workstation's send doesn't
     * contain all of it.
     */
    hasUntoldEdits(id: string, sent: Composition): boolean {
      const here = rows.here(id)
      // A workstation that has just joined hasn't sent any of its drafts yet.
      if (here && !rows.find(id)) return !hasContent(here, sent)
      const known = sharedOne(id)?.known
      return known !== undefined && known.edits !== known.given
    },

    /**
     * Prepares to stop sharing an account. This workstation's own drafts stay here, the office's stay there, and those
     * whose sends have come back go along. Call it before the account is forgotten, followed by `wentAlong` and `left`.
     * @returns the ids of the drafts that go along, for `wentAlong`.
     */
    async takeAlong(accountId: string): Promise<string[]> {
      const officeId = officeIdOf(accountId)
      if (officeId === undefined) return []
      await lanes.fresh(accountId)
      const along: string[] = []
      for (const { draft, send } of rows.goingAlong.all(accountId)) {
        // If another workstation has written on it since the send was created, it stays with the office, which won't
        // send it any more.
        if (!giving.isOf(send, rows.here(draft))) continue
        const { basedOn, edits, given } = rows.add(draft, accountId)
        // If no answer comes, the office may no longer have it. As an unsynced change it is sent there once it is no
        // longer being sent from here.
        rows.change(draft, { edits: edits + 1 })
        if (await asked((things) => things.sent(officeId, draft, send, basedOn))) along.push(draft)
        else if (edits === given && rows.find(draft)?.edits === edits + 1) rows.change(draft, { given: edits + 1 })
      }
      return along
    },

    /** Makes drafts this workstation's own. Call it in the transaction by which it leaves. */
    wentAlong(ids: readonly string[]): void {
      for (const id of ids) rows.follow(id, { isMine: true })
    },

    /**
     * Stops sharing an account.
     * @param keeps keeps the office's drafts here too, because the server wasn't asked.
     */
    left: forget,

    async close(): Promise<void> {
      office = undefined
      await lanes.close()
    }
  }
}
