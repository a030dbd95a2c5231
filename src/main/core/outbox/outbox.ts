/**
 * From draft to sent, once. What is pressed Send on is written down as `ready`, and goes by itself; every step is on the
 * disk before it has an effect outside. One whose answer was lost is uncertain until the folders of the service have been
 * asked, and is never sent again before that.
 */
import type { Composition } from '../../../shared/composition/index.ts'
import type { OutboxView, SendList, SendView } from '../../../shared/contract/index.ts'
import { fail } from '../failure.ts'
import { openBatchRecords } from './batch-records.ts'
import { openBatches } from './batches.ts'
import { type BoxSettings, openBoxes } from './boxes.ts'
import { openChanges } from './changes.ts'
import { openDispatcher } from './dispatcher.ts'
import type { OutboxEffects } from './effects.ts'
import { openHolds } from './holds.ts'
import { openLooks } from './looks.ts'
import { openQueue } from './queue.ts'
import { requestOf } from './requests.ts'
import { openReturns, type SettlingAnswer } from './returns.ts'
import { openSendPages, type SendPage, type SendQuery } from './send-list.ts'
import type { Send } from './send-record.ts'
import { viewer } from './send-view.ts'
import { openSends } from './sends.ts'

export type { OutboxEffects } from './effects.ts'
export { SETTLING_TIME } from './looks.ts'

/** How long until writing is tried again at the start, in milliseconds. */
const STORAGE_WAIT = 5_000

export type Outbox = ReturnType<typeof openOutbox>

export function openOutbox(effects: OutboxEffects) {
  const { db, drafts, clock } = effects
  const sends = openSends(db)
  const pages = openSendPages(db)
  const queue = openQueue(db)
  const records = openBatchRecords(db)
  const boxes = openBoxes(effects)
  const holds = openHolds(effects.elapsed)
  const changes = openChanges(effects)
  const takeBackMs = (accountId: string) => boxes.settings(accountId).takeBackSeconds * 1000
  const backTo = (send: Send) => (batches.isCancelled(send.batchId) ? 'cancelled' : 'ready')
  const looks = openLooks({ effects, sends, changes, backTo, again: (accountId) => dispatcher.wake(accountId) })
  const dispatcher = openDispatcher({
    effects,
    sends,
    queue,
    boxes,
    holds,
    changes,
    backTo,
    uncertain: looks.begin
  })
  const returns = openReturns({ effects, sends, changes, holds })
  const batches = openBatches({
    effects,
    sends,
    records,
    pages,
    holds,
    changes,
    takeBackMs,
    note,
    retry: returns.retry,
    wake: dispatcher.wake
  })
  let isTakenUp = false
  let isStopped = false

  const views = () =>
    viewer({ effects, boxes, holds, looks, isBatchPaused: batches.isPaused, troubleOf: dispatcher.troubleOf })
  const viewOf = (id: string): SendView => views()(sends.get(id))

  const listOf = ({ sends: page, total }: SendPage): SendList => ({ rows: page.map(views()), total })

  function takeUpInterrupted(): void {
    if (isTakenUp) return
    db.transaction(() => {
      for (const send of sends.inState('sending')) {
        sends.change(send, {
          state: 'uncertain',
          error: {
            code: 'cancelled',
            message: 'The application was closed while this was being sent.',
            mayHaveArrived: true
          }
        })
      }
      batches.takeUpInterrupted()
    })()
    const now = clock()
    for (const { id } of queue.held(now)) {
      const send = sends.get(id)
      holds.hold(id, Math.min(send.goesAt - now, takeBackMs(send.accountId)))
    }
    isTakenUp = true
  }

  function open(): void {
    if (isStopped) return
    try {
      takeUpInterrupted()
    } catch {
      // As long as it can't be written down what an earlier run left behind, nothing new leaves.
      effects.schedule(open, STORAGE_WAIT)
      return
    }
    dispatcher.open()
    looks.open()
  }

  /** What is remembered for the next time is a convenience, which must not keep a package from being sent. */
  function note(accountId: string, composition: Composition): void {
    try {
      effects.noted(accountId, composition)
    } catch {
      return
    }
  }

  function state(accountId: string): OutboxView {
    const counts = pages.counts(accountId)
    const pause = boxes.pauseOf(accountId)
    // A line that failed once concerns nobody while nothing waits for it.
    const isFelt = pause && (pause.by !== 'line' || counts.ready > 0)
    return { counts, settings: boxes.settings(accountId), ...(isFelt && { pause }) }
  }

  return {
    /**
     * A send that was on its way when the application ended may have arrived, and what of a batch was not wholly written
     * is removed. To be called before anything else; where it throws, `open` tries it again before anything is sent.
     */
    takeUpInterrupted,

    /** Begins to send, and to look for what is uncertain. */
    open,

    /**
     * Takes no new sends; resolves when those under way have ended, or after `limit` milliseconds. What has not ended then
     * is uncertain at the next start.
     */
    async stop(limit: number): Promise<void> {
      isStopped = true
      looks.close()
      await dispatcher.close(limit)
      changes.stop()
    },

    /** To be called when the service can be reached again: what waits for the line goes, and what is uncertain is looked for. */
    lineChanged(): void {
      boxes.lineChanged()
      dispatcher.wakeAll()
      looks.lineChanged()
    },

    /**
     * Puts a draft in the outbox. It goes after the time to take it back, or at `at` (milliseconds since 1970 UTC).
     * @throws AppFailure `invalid` with its fields where the draft can't be sent; `busy` where it was sent before; `gone`.
     */
    start(draftId: string, { at: asked }: { at?: number | undefined } = {}): SendView {
      const draft = drafts.get(draftId)
      const { accountId, composition } = draft
      returns.refuseActive(draftId)
      if (draft.trashedAt !== undefined) fail('gone', 'This draft is in the trash. Restore it to send it.')
      const id = effects.newId()
      const createdAt = clock()
      const at = asked !== undefined && asked > createdAt ? asked : undefined
      const content = requestOf(composition, id, at ?? createdAt)
      const takeBack = takeBackMs(accountId)
      db.transaction(() => {
        drafts.keepVersion(draftId, 'send')
        returns.supersede(draftId)
        sends.add({
          ...content,
          id,
          accountId,
          draftId,
          composition,
          createdAt,
          state: 'ready',
          isScheduled: at !== undefined,
          goesAt: at ?? createdAt + takeBack
        })
      })()
      if (at === undefined) holds.hold(id, takeBack)
      note(accountId, composition)
      changes.send(id, undefined)
      changes.draft(draftId)
      dispatcher.wake(accountId)
      return viewOf(id)
    },

    /** Lets a waiting send go without waiting for its time. @throws AppFailure `busy` where it has left; `gone`. */
    now(id: string): SendView {
      const send = sends.get(id)
      if (send.state !== 'ready') fail('busy', 'This package has left already.')
      sends.change(send, { goesAt: 0, isScheduled: false })
      holds.release(id)
      changes.send(id, send.batchId)
      dispatcher.wake(send.accountId)
      return viewOf(id)
    },

    /** Takes a send that has not left out of the outbox. @throws AppFailure `busy` where it has left; `gone`. */
    takeBack: returns.takeBack,
    /** Makes a draft of a send. @throws AppFailure `busy` while it waits, is under way or uncertain; `gone`. */
    again: returns.again,

    /**
     * Lets a send that was refused or did not arrive go again as it is.
     * @throws AppFailure `conflict` where its draft was changed since; `busy` in another state; `gone`.
     */
    retry(id: string): SendView {
      const send = sends.get(id)
      db.transaction(() => returns.retry(send))()
      dispatcher.wake(send.accountId)
      return viewOf(id)
    },

    /**
     * Asks the service now whether an uncertain send arrived. Another state is answered as it is.
     * @throws what reading the folders throws; AppFailure `unexpected-shape` where some documents could not be read and
     *   it is not among the others. The send then stays uncertain.
     */
    async reconcile(id: string): Promise<SendView> {
      const send = sends.get(id)
      if (send.state !== 'uncertain') return viewOf(id)
      const isComplete = await looks.ask(send.accountId)
      if (!isComplete && sends.get(id).state === 'uncertain') {
        // The document that can't be read might be the one that is looked for.
        fail('unexpected-shape', 'Some documents in the folders could not be read, so this could not be settled.')
      }
      return viewOf(id)
    },

    /**
     * A person settles a doubt: it arrived, as these documents; or none of them is it.
     * @throws AppFailure `busy` where there is no doubt to settle; `gone`.
     */
    settle(id: string, answer: SettlingAnswer): SendView {
      const { accountId } = returns.settle(id, answer)
      looks.reconsider(accountId)
      return viewOf(id)
    },

    /** @throws AppFailure `gone`. */
    get: viewOf,

    /** One page of what an account ever put in the outbox, newest first; the rows of a batch in the sheet's order. */
    list(accountId: string, query: SendQuery): SendList {
      return listOf(pages.page(accountId, query))
    },

    /** As `list`, of those of which each word of `search` begins a word of the title or of a signer's name. */
    async search(accountId: string, search: string, query: SendQuery): Promise<SendList> {
      return listOf(await pages.search(accountId, search, query))
    },

    /** Where the signer of a document that was sent from here is led after signing; undefined where it wasn't. */
    returnAddressOf(documentReference: string): string | undefined {
      const send = sends.ofDocument(documentReference)
      const content = send && sends.requestOf(send)
      return content?.kind === 'form-direct' ? content.request.Forms[0]?.ReturnUrl : content?.request.ReturnUrl
    },

    /** What was put in the outbox since then and was sent, or may be: when, by fingerprint (see fingerprintOf). */
    sentSince: pages.since,

    state,

    pause(accountId: string): OutboxView {
      boxes.pauseByHand(accountId)
      changes.outbox()
      return state(accountId)
    },

    /** Lets the box go again, whoever paused it; what the service asked to wait for is still waited for. */
    resume(accountId: string): OutboxView {
      boxes.resume(accountId)
      changes.outbox()
      dispatcher.wake(accountId)
      return state(accountId)
    },

    configure(accountId: string, change: Partial<BoxSettings>): OutboxView {
      boxes.configure(accountId, change)
      changes.outbox()
      dispatcher.wake(accountId)
      return state(accountId)
    },

    addBatch: batches.add,
    batches
  }
}
