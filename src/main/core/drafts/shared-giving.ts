/** What was done to drafts here, told to the office, and what came of that; to a server that was put back, also what it had before. */
import type { OfficeThings, ThingSaved } from '../office/things.ts'
import type { Db } from '../storage/connection.ts'
import { contentIn, contentOf, hasContent } from './shared-content.ts'
import type { DraftHere, KnownDraft } from './shared-draft-rows.ts'
import type { Taking, TakingDeps } from './shared-taking.ts'

/** So many saves of one draft can be without an answer, one after the other. */
const MOST_PENDING = 50

interface GivingDeps extends TakingDeps {
  readonly db: Db
  readonly taking: Taking
  readonly asked: <Answer>(question: (things: OfficeThings) => Promise<Answer>) => Promise<Answer>
  /** Whether an editor has it here. */
  readonly isOpen: (id: string) => boolean
  /** The office's life of which all is known here. */
  readonly life: () => number
  /** Everything of the account is read once more, from the beginning. */
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
  const { ended, followTrash, momentOf } = taking

  /** What was done to a draft here goes over. */
  async function give(accountId: string, officeId: string, id: string): Promise<void> {
    const known = rows.find(id)
    const here = rows.here(id)
    if (!known || known.isMine || known.isGone) return
    if (!here) return await giveEnd(accountId, officeId, known)
    if (known.edits !== known.given) {
      const version = newId()
      // Where no answer comes, it is known that the office may have it.
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
      // It was said of a draft whose package was taken back meanwhile, and which the office has for everyone again.
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

  /** What came of a save is written down. again: more was written meanwhile, or it went over to another draft. */
  function settled(accountId: string, { id, edits }: KnownDraft, version: string, saved: ThingSaved): 'again' | 'done' {
    const isDone = db.transaction(() => {
      const now = rows.find(id)
      if (!now || now.isMine) return false
      const { round } = saved
      if (saved.outcome === 'newest') {
        rows.change(id, { basedOn: [version], round, given: edits, isToKnow: false })
        return true
      }
      if (saved.outcome === 'gone') {
        ended(accountId, now, rows.here(id))
        return false
      }
      if (saved.outcome === 'sent') {
        // It went along with a send of this workstation's that is tried again, and nothing else was written: that is about to be read.
        if (saved.sentAs !== undefined && isOf(saved.sentAs, rows.here(id))) return true
        // A package that may still leave from here stays with this draft, so that the office sees that another of it leaves. Once this
        // one is over, the office is told again.
        if (rows.isActive(id)) return true
        // What was written here is another draft from now on. The one that is being sent may be taken back, and is read again.
        rows.rename(id, newId(), accountId)
        if (saved.sentAs !== undefined) rows.sentOf(id, saved.sentAs)
        readAgain(accountId, id)
        return false
      }
      if (saved.outcome === 'older') {
        // What wasn't told goes over as ever, and is kept beside the later one. What was told before may be no part of that.
        if (rows.here(id)) drafts.keepVersion(id, 'change')
        rows.change(id, { round, isToKnow: false })
        return true
      }
      // What was written meanwhile goes beside it, too.
      if (now.edits !== edits) return false
      const composition = saved.content && contentIn(saved.content)
      if (composition) {
        // The office keeps it beside the other; until that is read again nobody else has it, should the server be put back.
        if (rows.here(id)) drafts.keepVersion(id, 'change')
        drafts.follow(accountId, id, composition, momentOf(saved.ago))
        rows.follow(id, { basedOn: [saved.version], round, taken: now.taken + 1, isToKnow: false })
        return true
      }
      // Of one that can't be read.
      rows.change(id, { given: edits, round, isToKnow: false })
      return true
    })()
    if (saved.outcome !== 'newest') changed(id)
    if (!isDone) want(accountId)
    return isDone ? 'done' : 'again'
  }

  /** Whether a draft is what this send of it, of this workstation's own, has in it. */
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
    // The office keeps it, since it was changed there: it is here again. Of what was sent it is still to be told.
    else if (sentAs === undefined) readAgain(accountId, id)
  }

  /** A draft that isn't here any more is, as the office has it. */
  function readAgain(accountId: string, id: string): void {
    rows.follow(id, { basedOn: [] })
    readAll(accountId)
  }

  /** A server that was put back may have lost it. */
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
      // The office has yet to hear of that send: see `sentUntold`.
      if (sentAs !== undefined && !isDone) return
    } else if (known.edits === known.given) {
      const version = known.basedOn[0] ?? newId()
      if (!known.basedOn.includes(version)) rows.change(id, { basedOn: [...known.basedOn, version] })
      const its = { ...known, own: rows.failedHere(id) }
      const saved = await asked((things) => things.know(officeId, its, version, contentOf(here)))
      // What counts says the same: nobody has to decide between the two.
      const isSame = saved.content !== undefined && hasContent(here, contentIn(saved.content))
      if (saved.outcome === 'beside' && isSame) await asked((things) => things.settle(officeId, id, [version]))
      settled(here.accountId, known, version, saved)
    }
    // What the office never had was no content of it: it goes over as ever.
    rows.change(id, { isToKnow: false })
  }

  return { give, tellAgain, isOf }
}
