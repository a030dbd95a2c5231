/**
 * What a workstation and the office's server owe each other once a copy of an earlier moment was put in the server's place (decision 59).
 * What the server has counts again from the beginning; what this workstation knows to be over since, it says; and what may have left
 * meanwhile is in doubt until it was looked for.
 */
import type { AppError, SendState } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import type { OfficeStore, SendChange } from '../office/sends.ts'
import type { Db } from '../storage/connection.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'
import { arrivalOf } from './shared-content.ts'
import type { Known, openSharedRows } from './shared-rows.ts'

interface RestoredDeps {
  db: Db
  time: Pick<Time, 'now'>
  sends: Sends
  rows: ReturnType<typeof openSharedRows>
  /** Writes down what the office says of a send; answers it where something of it is new here. */
  take: (change: SendChange) => Send | undefined
}

/** @returns what is other than before here. */
export async function settleRestored(
  { db, time, sends, rows, take }: RestoredDeps,
  office: OfficeStore,
  { accountId, officeId, lostFrom }: { accountId: string; officeId: string; lostFrom: number }
): Promise<Send[]> {
  const changed: Send[] = []
  const write = (work: () => readonly (Send | undefined)[]) => {
    // It may have left the office meanwhile.
    if (!rows.account(accountId)) return
    for (const send of db.transaction(work)()) if (send) changed.push(send)
  }
  write(() => {
    rows.readTo(0, accountId)
    // What ended here of claims that the server has forgotten.
    return rows.ends(accountId).map(({ id, epoch, outcome, at }) => {
      rows.dropEnd(id, epoch)
      const send = sends.find(id)
      return outcome.kind === 'accepted' && send && send.state !== 'sent'
        ? sends.accepted(send, outcome.response, at)
        : undefined
    })
  })
  const there = new Set<string>()
  for (let after = 0; ; ) {
    const page = await office.changes(officeId, after, 0)
    const last = page.at(-1)
    if (!last) break
    after = last.rev
    const told = new Map<string, Known['state']>()
    for (const change of page) {
      there.add(change.id)
      const said = await saysWhatIsOver(change)
      if (said) told.set(change.id, said)
    }
    write(() => {
      rows.readTo(last.rev, accountId)
      return page.map((change) => takenAfresh(change, told.get(change.id)))
    })
  }
  const gone = rows.all(accountId).filter((id) => !there.has(id))
  for (const id of gone) {
    const send = sends.find(id)
    // Also what another made: the workstation that made it may have been off since, and would give it once more.
    if (send?.state === 'sent') await office.knowSent(officeId, { id, epoch: 0 }, arrivalOf(sends, id), rows.of(send))
  }
  write(() => gone.map(forgotten))
  return changed

  /** What the server has so now, because it was told. What it knows of a later round it knows better. */
  async function saysWhatIsOver(change: SendChange): Promise<Known['state'] | undefined> {
    const { id, state } = change
    const known = rows.find(id)
    const send = sends.find(id)
    if (state === 'sent') return undefined
    if (send?.state === 'sent') {
      await office.knowSent(officeId, change, arrivalOf(sends, id), rows.of(send))
      return 'sent'
    }
    const said = overHere(send, known)
    if (!said || said === state || !known || known.round < change.round) return undefined
    return (await office.knowOver(officeId, { id, round: known.round }, said)) ? said : undefined
  }

  function overHere(
    send: Send | undefined,
    known: Known | undefined
  ): 'refused' | 'not-sent' | 'cancelled' | 'held' | undefined {
    if (send?.state === 'refused' || send?.state === 'not-sent') return send.state
    // What was taken back is a draft again here, or cancelled where it was made and not told yet. Cancelled is also what the server of
    // before had lost.
    if (known?.state === 'cancelled' && (!send || send.state === 'cancelled')) return 'cancelled'
    if (send?.state === 'cancelled' && send.desk === undefined) return 'cancelled'
    return send?.state === 'ready' && isHeld(known) ? 'held' : undefined
  }

  function takenAfresh(change: SendChange, told: Known['state'] | undefined): Send | undefined {
    const { id, epoch } = change
    const known = rows.find(id)
    if (told) {
      rows.keep({
        goesAt: 0,
        ...known,
        id,
        accountId,
        epoch,
        state: told,
        round: Math.max(known?.round ?? 0, change.round)
      })
      return undefined
    }
    const before = sends.find(id)
    if (before && couldLeave(before, known) && IS_BACK.has(change.state)) {
      // Another may have had it in the time that the server has lost. Nobody else looks for it: it is with this workstation.
      rows.keep({ goesAt: 0, ...known, id, accountId, epoch, state: 'held', round: change.round })
      return inDoubt(before)
    }
    rows.erase(id)
    const taken = take(change)
    const send = taken ?? sends.find(id)
    return send?.state === 'uncertain' && change.state === 'uncertain' ? mayHaveLeft(send) : taken
  }

  /** The server never had it, or has it no more. */
  function forgotten(id: string): Send | undefined {
    const send = sends.find(id)
    const known = rows.find(id)
    rows.erase(id)
    if (!send || IS_OVER.has(send.state)) return undefined
    if (send.desk !== undefined) {
      return sends.change(send, { state: 'cancelled', settledAt: time.now(), error: WITH_ITS_MAKER })
    }
    // What the server never had, or had given back, nobody else can have sent.
    if (send.state === 'ready' && isHeld(known)) return undefined
    return inDoubt(send)
  }

  function inDoubt(send: Send): Send {
    return mayHaveLeft(sends.change(send, { state: 'uncertain', error: SET_BACK }))
  }

  /** It counts as tried when it can have been at the earliest: how it goes on depends on how long ago that is. */
  function mayHaveLeft(send: Send): Send {
    return sends.change(send, {
      attempt: Math.max(1, send.attempt),
      firstAttemptedAt: Math.min(send.firstAttemptedAt ?? lostFrom, lostFrom),
      attemptedAt: Math.min(send.attemptedAt ?? lostFrom, lostFrom)
    })
  }
}

/** With this workstation again; in round 0 it is on its way to the office, which may have it. */
const isHeld = (known: Known | undefined) => known?.state === 'held' && known.round > 0

/** Whether one of this workstation’s own was the office’s to send when something was read of it last, or may have been. */
function couldLeave({ state, desk }: Send, known: Known | undefined): boolean {
  if (desk !== undefined || IS_OVER.has(state) || !known) return false
  return known.state === 'held' ? !isHeld(known) : !IS_BACK.has(known.state)
}

/** What the office has as nothing that leaves. */
const IS_BACK: ReadonlySet<Known['state']> = new Set(['held', 'cancelled', 'refused', 'not-sent'])

const IS_OVER: ReadonlySet<SendState> = new Set(['sent', 'refused', 'not-sent', 'cancelled'])
const SET_BACK: AppError = {
  code: 'timeout',
  message:
    'The office’s server was put back to before it had this. It may have been sent, and is looked for in your folders.',
  mayHaveArrived: true
}
const WITH_ITS_MAKER: AppError = {
  code: 'cancelled',
  message:
    'The office’s server was put back to before it had this. The workstation that made it has it, and gives it to the office again.'
}
