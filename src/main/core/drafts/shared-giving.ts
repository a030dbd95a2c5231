/**
 * Sends local changes of drafts to the office, and applies the answers. It also tells a restored server what it had
 * before.
 */
import type { OfficeThings, ThingSaved } from '../office/things.ts'
import type { Db } from '../storage/connection.ts'
import { contentIn, contentOf, hasContent } from './shared-content.ts'
import type { DraftHere, KnownDraft } from './shared-draft-rows.ts'
import type { Taking, TakingDeps } from './shared-taking.ts'

/** How many consecutive saves of a draft may be unanswered. */
const MOST_PENDING = 50

interface GivingDeps extends TakingDeps {
  readonly db: Db
  readonly taking: Taking
  readonly asked: <Answer>(question: (things: OfficeThings) => Promise<Answer>) => Promise<Answer>
  /** Whether a local editor has it open. */
  readonly isOpen: (id: string) => boolean
  /** The office's life of which everything is known here. */
  readonly life: () => number
  /** Makes everything of the account be read again from the start. */
  readonly readAll: (accountId: string) => void
}

export function openGiving({
  db,
  drafts,
  rows,
  newId,
  changed,
  want,
  taking,
  asked,
  isOpen,
  life,
  readAll
}: GivingDeps) {
  const { ended, besideGoesOn, followTrash, momentOf } = taking

  /** Sends the local changes of a draft. */
  async function give(accountId: string, officeId: string, id: string): Promise<void> {
    const known = rows.find(id)
    const here = rows.here(id)
    if (!known || known.isMine || known.isGone) return
    if (!here) return await giveEnd(accountId, officeId, known)
    if (known.edits !== known.given) {
      const version = newId()
      // Recorded before sending: if no answer comes, the office may have it.
      rows.change(id, { basedOn: [...known.basedOn.slice(-MOST_PENDING), version] })
      const { basedOn, round } = known
      const wasActive = rows.isActive(id)
      const saved = await asked((things) =>
        things.save(
          officeId,
          { id, basedOn, round, own: rows.failedHere(id) },
          version,
          contentOf(here),
          isOpen(id),
          life()
        )
      )
      // The answer is about a draft whose package was taken back in the meantime, so the office has it for everyone
      // again.
      const isTakenBack = wasActive && !rows.isActive(id)
      if (isTakenBack && (saved.outcome === 'sent' || saved.outcome === 'gone')) return want(accountId)
      if (settled(accountId, known, version, saved) === 'again') return
    }
    const now = rows.here(id)
    const after = rows.find(id)
    if (!now || !after?.isMoved) return
    const isAside = now.isTrashed === 1
    const isDone =
      isAside === after.isAside || (await asked((things) => things.move(officeId, after, isAside ? 'aside' : 'back')))
    db.transaction(() => {
      if (isDone) rows.change(id, { isAside, isMoved: (rows.here(id)?.isTrashed === 1) !== isAside })
      else followTrash(id, after.isAside)
    })()
    if (!isDone) changed(id)
  }

  /** Applies the answer to a save. again: more was written meanwhile, or the content became another draft. */
  function settled(accountId: string, { id, edits }: KnownDraft, version: string, saved: ThingSaved): 'again' | 'done' {
    const isDone = db.transaction(() => {
      const now = rows.find(id)
      if (!now || now.isMine) return false
      const { round } = saved
      if (saved.outcome === 'newest') {
        rows.change(id, { basedOn: [version], round, given: edits, isToKnow: false })
        return true
      }
      if (saved.outcome === 'gone' || saved.outcome === 'further') {
        ended(accountId, now, rows.here(id), { further: saved.outcome === 'further' ? version : undefined })
        return false
      }
      if (saved.outcome === 'sent') {
        // It went along with a send of this workstation that is being retried, and nothing else was written. The next
        // read handles that.
        if (saved.sentAs !== undefined && isOf(saved.sentAs, rows.here(id))) return true
        // A send that may still leave from here stays with this draft, so that the office can see that another send of it
        // is in progress. Once this one is over, the draft is saved again.
        if (rows.isActive(id)) {
          // What a restored server had isn't there; a version that is new to it was never stored.
          if (now.edits === now.given) rows.change(id, { edits: now.edits + 1 })
          else rows.change(id, { basedOn: now.basedOn.filter((one) => one !== version) })
          return true
        }
        // The local changes become another draft. The one being sent may be taken back, so it is read again.
        rows.rename(id, newId(), accountId)
        if (saved.sentAs !== undefined) rows.sentOf(id, saved.sentAs)
        readAgain(accountId, id)
        return false
      }
      if (saved.outcome === 'older') {
        // Unsynced changes are sent as usual, and kept beside the later content. That may lack what was synced before,
        // so it is kept as a version.
        if (rows.here(id)) drafts.keepVersion(id, 'change')
        rows.change(id, { round, isToKnow: false })
        return true
      }
      // What was written meanwhile is to be kept beside it, too.
      if (now.edits !== edits) return false
      const composition = saved.content && contentIn(saved.content)
      if (composition) {
        // The office keeps this content beside the other. Until it is read back, only this workstation has it if the
        // server is restored, so it is kept as a version.
        if (rows.here(id)) drafts.keepVersion(id, 'change')
        drafts.follow(accountId, id, composition, momentOf(saved.ago))
        rows.follow(id, { basedOn: [saved.version], round, taken: now.taken + 1, isToKnow: false })
        return true
      }
      // The office's content can't be read.
      rows.change(id, { given: edits, round, isToKnow: false })
      return true
    })()
    if (saved.outcome !== 'newest') changed(id)
    if (!isDone) want(accountId)
    return isDone ? 'done' : 'again'
  }

  /** Returns whether a draft has the same content as this workstation's send of it. */
  function isOf(sendId: string, here: DraftHere | undefined): boolean {
    const content = here && rows.sendOf(here.id, sendId)
    return here !== undefined && content !== undefined && hasContent(here, contentIn(content))
  }

  async function giveEnd(accountId: string, officeId: string, known: KnownDraft): Promise<void> {
    const { id } = known
    const sentAs = rows.sentAs(id)
    const isDone =
      known.basedOn.length === 0 ||
      (await asked((things) =>
        sentAs === undefined ? things.move(officeId, known, 'gone') : things.sent(officeId, id, sentAs)
      ))
    if (isDone) rows.follow(id, { isGone: true, isToKnow: false })
    // The office keeps a draft that was changed there, so it comes back here. If it was sent, the office must still be
    // told.
    else if (sentAs === undefined) readAgain(accountId, id)
  }

  /** Makes a draft be read again as the office has it. */
  function readAgain(accountId: string, id: string): void {
    rows.follow(id, { basedOn: [] })
    readAll(accountId)
  }

  /** Tells a restored server about a draft, because it may have lost it. */
  async function tellAgain(officeId: string, id: string): Promise<void> {
    const known = rows.find(id)
    const here = rows.here(id)
    if (!known) return
    if (known.isMine) {
      if (known.basedOn.length > 0) await asked((things) => things.move(officeId, known, 'maker'))
    } else if (!here || known.isGone) {
      const sentAs = rows.sentAs(id)
      const isDone = await asked((things) =>
        sentAs === undefined ? things.move(officeId, known, 'gone') : things.sent(officeId, id, sentAs)
      )
      // The office hasn't heard of that send yet: see `sentUntold`.
      if (sentAs !== undefined && !isDone) return
    } else if (known.edits === known.given) {
      const version = known.basedOn[0] ?? newId()
      if (!known.basedOn.includes(version)) rows.change(id, { basedOn: [...known.basedOn, version] })
      const its = { ...known, own: rows.failedHere(id) }
      const saved = await asked((things) => things.know(officeId, its, version, contentOf(here)))
      // The current content is the same, so nobody has to choose between them.
      const isSame = saved.content !== undefined && hasContent(here, contentIn(saved.content))
      if (saved.outcome === 'beside' && isSame) await asked((things) => things.settle(officeId, id, [version]))
      await tellBeside(officeId, here)
      settled(here.accountId, known, version, saved)
    } else if (rows.versionsOpen(here.number).length > 0) {
      await give(here.accountId, officeId, id)
      await tellBeside(officeId, here)
    }
    // What the office never had isn't told again. It is sent as usual.
    rows.change(id, { isToKnow: false })
  }

  /**
   * Tells a restored server what is kept beside a draft and undecided, so that the draft isn't sent before someone has
   * chosen. Where that is too late, each becomes a draft of its own.
   */
  async function tellBeside(officeId: string, { id, number, accountId }: DraftHere): Promise<void> {
    for (const version of rows.besideOpen.all(number)) {
      const isKept = await asked((things) => things.knowVersion(officeId, id, version.id, contentOf(version)))
      if (!isKept) db.transaction(() => besideGoesOn(accountId, version))()
    }
  }

  return { give, tellAgain, isOf }
}
