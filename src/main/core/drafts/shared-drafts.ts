/**
 * Drafts that the workstations of an office work on together. Each is a draft of this workstation's own database, so that all works as
 * ever while the office's server is away; what was written here goes over once it is there, and what others wrote is read in the order in
 * which it happened. Nothing is merged: what doesn't go on from the content that counts is kept beside it, and where a draft is no more, what
 * was still written here goes on as another one.
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
import { contentHere, hasContent } from './shared-content.ts'
import { type KnownDraft, openSharedDraftRows } from './shared-draft-rows.ts'
import { openGiving } from './shared-giving.ts'
import { NO_MORE, openTaking } from './shared-taking.ts'

interface SharedDraftsDeps {
  db: Db
  drafts: Drafts
  time: Time
  newId: () => string
  /** The accounts that are shared, by the office's ids. */
  accounts: () => ReadonlyMap<string, string>
  /** A draft is other than before, by another workstation. */
  changed: (id: string) => void
  /** Called with why the office's server could not be asked. */
  trouble?: ((error: unknown) => void) | undefined
}

export type SharedDrafts = ReturnType<typeof openSharedDrafts>

export function openSharedDrafts(deps: SharedDraftsDeps) {
  const { db, drafts, time, newId, changed } = deps
  const rows = openSharedDraftRows(db)
  /** Of these accounts every draft was read in this run up to the cursor. */
  const readWholly = new Set<string>()
  /** Accounts that were read in this run. */
  const begun = new Set<string>()
  const lanes = new AccountLanes({ time, accounts: deps.accounts, sync })
  /** How many editors have each here: one may be opened before the last is left. */
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
    // What it has counts once both have told each other what they know, which the next greeting brings about.
    if (state.life !== life) return
    rows.begin(accountId)
    // All of it is read again in its next life.
    if (state.rev < (rows.cursor(accountId) ?? 0)) return await asked((things) => things.setBack(life))
    for (const id of rows.toKnow(accountId)) await giving.tellAgain(officeId, id)
    // In an earlier run that may have been read of what still waits here.
    if (!begun.has(accountId) && rows.isAnyActive(accountId)) readAll(accountId)
    begun.add(accountId)
    if (taking.isSomeOver(accountId)) readAll(accountId)
    if (state.rev !== rows.cursor(accountId) || !readWholly.has(accountId)) await read(accountId, officeId)
    const given = rows.toGive(accountId)
    const failures: unknown[] = []
    for (const id of given) {
      await giving.give(accountId, officeId, id).catch(async (error: unknown) => {
        failures.push(error)
        // Where the server can be asked, it is this draft alone that doesn't go over: the others do.
        await asked((things) => things.state(officeId))
      })
    }
    // What was given comes back as a change, and others may have written meanwhile.
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
          // Another account's it is by now, or nobody's.
          if (officeIdOf(accountId) !== officeId) return
          const took = taking.take(accountId, change)
          if (took === 'wanted') isAllWanted ||= had > 0
          const isOther = change.isGone ? false : taking.keepVersions(change.id, versions)
          if (took === true || isOther) news.push(change.id)
          yield
        }
      })()
      await inSlices(writing, (piece) => db.transaction(piece)())
      // Nothing of it was left out where the account is shared no more, or the office another.
      if (officeIdOf(accountId) !== officeId) return
      rows.readTo(last.change.rev, accountId)
      for (const id of news) changed(id)
    }
    readWholly.add(accountId)
    // A content is wanted that was read before, as of one that was erased here and that the office keeps.
    if (isAllWanted) readAll(accountId)
  }

  /** Everything is read once more, from the beginning. */
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

  /** What of this draft the office shares; undefined where it is this workstation's own, or none of the office's accounts'. */
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
    /** The office's server is there, in a life of which all is known here. */
    connect(things: OfficeThings, itsLife: number): void {
      office = things
      life = itsLife
      lanes.connect()
    },

    /** It isn't, or not ours any more. */
    disconnect(): void {
      office = undefined
      lanes.disconnect()
    },

    /** The server has begun another life: it is told what it had, and all is read from the beginning. */
    async restored(): Promise<void> {
      for (const accountId of deps.accounts().keys()) {
        // What is being read would put the cursor of before back.
        await lanes.ended(accountId)
        rows.tellAgain(accountId)
        readWholly.delete(accountId)
      }
    },

    soon: (accountId: string): void => lanes.soon(accountId),

    /** Something was done to drafts here. */
    changedHere: (): void => lanes.allSoon(STEADY),

    /** Reads and gives all that there is. Rejects where the server can't be reached. */
    settled: (accountId: string): Promise<void> => lanes.fresh(accountId),

    /** How a draft stands with the office, for the screens. */
    marked<Draft extends DraftSummary>(draft: Draft): Draft {
      if (deps.accounts().size === 0) return draft
      const its = officeOf(draft.id, draft.accountId)
      return its ? { ...draft, office: its } : draft
    },

    /**
     * Saves as `Drafts.save` does. @param edition the one that was shown, where what is saved goes on from that: where another's content has
     * taken its place since, this is kept beside it.
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

    /** An editor has it here: while that is so it is held for the one who types there. */
    edit: (id: string): void => void open.set(id, (open.get(id) ?? 0) + 1),

    /** Takes it over from another who works on it. @throws AppFailure `offline` while the server is away. */
    async takeOver(id: string): Promise<void> {
      const shared = sharedOne(id)
      if (!shared) return
      const { officeId, accountId } = shared
      await asked((things) => things.hold(officeId, id))
      rows.change(id, { editingBy: undefined, editingUntil: 0 })
      await lanes.fresh(accountId)
      changed(id)
    },

    /** An editor was left: all of it goes over, and others may go on unless it is open here again by then. */
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
        // Then it ends by itself, in a minute.
        .catch(() => undefined)
    },

    /**
     * Makes a draft this workstation's own, or the office's. @throws AppFailure `conflict` where another made it, or works on it; `offline`
     * while the server is away and has it.
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

    /** Someone has said that the draft counts as it is, not what is beside it here. @throws AppFailure `offline` while the server is away. */
    async settle(id: string): Promise<void> {
      const shared = sharedOne(id)
      if (!shared) return
      const { accountId, officeId } = shared
      const here = rows.here(id)
      const seen = here ? rows.versionsOpen(here.number) : []
      await lanes.fresh(accountId)
      await asked((things) => things.settle(officeId, id, seen))
      await lanes.fresh(accountId)
    },

    /** @throws AppFailure `busy` while another works on a draft that is to be sent; `conflict` while versions stand beside it. */
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
     * A draft of which this is to be sent, and which of its contents at the office that is; the office has it by then. Undefined where the
     * office doesn't share it. Rejects where the server can't be reached.
     */
    async toSend(
      id: string,
      composition: Composition
    ): Promise<{ draft: string; basedOn: readonly string[]; round: number } | undefined> {
      const shared = sharedOne(id)
      const isOver = rows.find(id)?.isGone === true
      // Another may have sent it: the office says whether this may leave all the same.
      if (!shared) return isOver ? { draft: id, basedOn: [], round: 0 } : undefined
      const { accountId, officeId, known } = shared
      // Whether another's content counts by now the office knows, in the moment in which it takes the send.
      if (known.edits !== known.given) await giving.give(accountId, officeId, id)
      const here = rows.here(id)
      // Another's content may have taken its place meanwhile.
      const isSame = here !== undefined && isDeepStrictEqual(contentHere(here), composition)
      const { basedOn = [], round = 0 } = (isSame && rows.find(id)) || {}
      return { draft: id, basedOn, round }
    },

    /** The office has a draft no more that was to be sent from here: what is here goes on as another one. */
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
     * Makes of a package that was taken back, or came to nothing, the draft that it was made of, where the office has that, or may, and it is
     * yet to be read here. As another draft it would be there twice. Undefined where it is another: that one was erased, or is one's own.
     */
    backInto(accountId: string, id: string, composition: Composition): DraftSummary | undefined {
      const before = rows.find(id)
      const isToCome = before === undefined || (before.basedOn.length === 0 && !before.isMine && !before.isGone)
      if (officeIdOf(accountId) === undefined || !isToCome || rows.here(id)) return undefined
      const draft = drafts.save(accountId, composition, undefined, id)
      // Where the office's is another content, or in the trash, this isn't overwritten by it, and doesn't go there.
      const { edits } = rows.add(id, accountId)
      rows.change(id, { edits: edits + 1, isMoved: true })
      return draft
    },

    /** Sends that arrived, of drafts that the office may have because it doesn't know. */
    sentUntold: (accountId: string): { draft: string; send: string }[] => rows.sentUntold.all(accountId),

    /**
     * Whether what is here of one of the office's is another content than what was sent of it, as someone had written further at a server that
     * was put back. Then whether it goes on as another draft, the office says, whose drafts are read once more.
     */
    goesApart(id: string, sent: Composition): boolean {
      const shared = sharedOne(id)
      const here = rows.here(id)
      if (!shared || !here || hasContent(here, sent)) return false
      readAll(shared.accountId)
      return true
    },

    /** Whether something was written here that the office doesn't have: then what another sends of it isn't all of it. */
    hasUntoldEdits(id: string, sent: Composition): boolean {
      const here = rows.here(id)
      // A workstation that has just joined has given none of its drafts yet.
      if (here && !rows.find(id)) return !hasContent(here, sent)
      const known = sharedOne(id)?.known
      return known !== undefined && known.edits !== known.given
    },

    /**
     * The account isn't shared any more. What is this workstation's own stays here, and the office's stays there; what has come back with
     * its sends goes along. To be called before the account is forgotten, and followed by `wentAlong` and `left`.
     * Answers the drafts that go along, by their ids: as `wentAlong` is to have them.
     */
    async takeAlong(accountId: string): Promise<string[]> {
      const officeId = officeIdOf(accountId)
      if (officeId === undefined) return []
      await lanes.fresh(accountId)
      const along: string[] = []
      for (const { draft, send } of rows.goingAlong.all(accountId)) {
        // What another has written on it since the send was put in stays with the office, and the send leaves from there no more.
        if (!giving.isOf(send, rows.here(draft))) continue
        const { basedOn, edits, given } = rows.add(draft, accountId)
        // Where no answer comes, the office may have it no more: once it isn't being sent from here it goes there as ever.
        rows.change(draft, { edits: edits + 1 })
        if (await asked((things) => things.sent(officeId, draft, send, basedOn))) along.push(draft)
        else if (edits === given && rows.find(draft)?.edits === edits + 1) rows.change(draft, { given: edits + 1 })
      }
      return along
    },

    /** They are this workstation's own: in the transaction by which it has left. */
    wentAlong(ids: readonly string[]): void {
      for (const id of ids) rows.follow(id, { isMine: true })
    },

    /** Nothing of the account is shared any more. @param keeps what the office has stays here, too, as the server wasn't asked. */
    left: forget,

    async close(): Promise<void> {
      office = undefined
      await lanes.close()
    }
  }
}
