/**
 * What a workstation and the office's server owe each other once a copy of an earlier moment was put in the server's place (decision 59).
 * What the server has counts again from the beginning; what this workstation knows to be over since, it says; and what may have left
 * meanwhile is in doubt until it was looked for.
 */
import type { AppError, SendState } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import type { OfficeState, OfficeStore, SendChange } from '../office/sends.ts'
import type { Db } from '../storage/connection.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'
import { saidOf } from './shared-content.ts'
import type { openSharedRows } from './shared-rows.ts'

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
    for (const send of db.transaction(work)()) if (send) changed.push(send)
  }
  // What ended here of claims that the server has forgotten.
  write(() =>
    rows.ends(accountId).map(({ id, epoch, outcome, at }) => {
      rows.dropEnd(id, epoch)
      const send = sends.find(id)
      return outcome.kind === 'accepted' && send && send.state !== 'sent'
        ? sends.accepted(send, outcome.response, at)
        : undefined
    })
  )
  const there = new Set<string>()
  for (let after = 0; ; ) {
    const page = await office.changes(officeId, after)
    const last = page.at(-1)
    if (!last) break
    after = last.rev
    for (const change of page) {
      there.add(change.id)
      await saysWhatIsOver(change)
    }
    write(() => {
      rows.readTo(last.rev, accountId)
      return page.map(takenAfresh)
    })
  }
  const gone = rows.all(accountId).filter((id) => !there.has(id))
  for (const id of gone) {
    const send = sends.find(id)
    // Also what another made: whoever made it may have been off since, and would give it once more.
    if (send?.state === 'sent') await office.knowSent(officeId, { id, epoch: 0 }, answerOf(id))
  }
  write(() => gone.map(forgotten))
  return changed

  function answerOf(id: string) {
    return saidOf({ kind: 'accepted', response: sends.answerOf(id)?.response ?? { Documents: [] } })
  }

  /** What the server is told of a send that it may have in another state; undefined where it knows better. */
  function saidHere(id: string): 'sent' | 'refused' | 'not-sent' | 'cancelled' | 'held' | undefined {
    const known = rows.find(id)?.state
    const state = sends.find(id)?.state
    if (state === 'sent' || state === 'refused' || state === 'not-sent' || state === 'cancelled') return state
    // What was taken back is a draft again here.
    if (state === undefined) return known === 'cancelled' ? known : undefined
    return state === 'ready' && known === 'held' ? known : undefined
  }

  async function saysWhatIsOver(change: SendChange): Promise<void> {
    const { id, state, round } = change
    const said = saidHere(id)
    if (!said || said === state) return
    if (said === 'sent') return await office.knowSent(officeId, change, answerOf(id))
    if (state === 'uncertain') await office.settle(change, said === 'refused' ? said : 'not-sent')
    if (IS_OPEN.has(state) && (said === 'cancelled' || said === 'held')) {
      await office.withhold(officeId, { id, round: round + 1 }, said)
    }
  }

  function takenAfresh(change: SendChange): Send | undefined {
    const { id, epoch, round } = change
    const said = saidHere(id)
    if (said && IS_OPEN.has(change.state)) {
      // The server was told of it a moment ago.
      const isWithheld = said === 'cancelled' || said === 'held'
      const goesAt = sends.find(id)?.goesAt ?? 0
      rows.keep({ id, accountId, epoch, goesAt, state: said, round: isWithheld ? round + 1 : round })
      return undefined
    }
    rows.erase(id)
    const taken = take(change)
    const send = taken ?? sends.find(id)
    if (send?.state !== 'uncertain' || change.state !== 'uncertain') return taken
    return mayHaveLeft(send)
  }

  /** The server never had it, or has it no more. */
  function forgotten(id: string): Send | undefined {
    const send = sends.find(id)
    const state = rows.find(id)?.state
    rows.erase(id)
    if (!send || IS_OVER.has(send.state)) return undefined
    if (send.desk !== undefined) {
      return sends.change(send, { state: 'cancelled', settledAt: time.now(), error: WITH_ITS_MAKER })
    }
    // What the server never had, or had given back, nobody else can have sent.
    if (send.state === 'ready' && state === 'held') return undefined
    return mayHaveLeft(sends.change(send, { state: 'uncertain', error: SET_BACK }))
  }

  /** It counts as tried when it can have been at the earliest: how it goes on depends on how long ago that is. */
  function mayHaveLeft(send: Send): Send {
    return sends.change(send, {
      attempt: Math.max(1, send.attempt),
      firstAttemptedAt: send.firstAttemptedAt ?? lostFrom,
      attemptedAt: send.attemptedAt ?? lostFrom
    })
  }
}

const IS_OVER: ReadonlySet<SendState> = new Set(['sent', 'refused', 'not-sent', 'cancelled'])
/** As what the server may have one that is over here, or was kept back. */
const IS_OPEN: ReadonlySet<OfficeState> = new Set(['uncertain', 'refused', 'not-sent'])

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
