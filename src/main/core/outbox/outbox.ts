/**
 * From draft to sent, once. What is pressed Send on is written down as `ready`, and goes by itself; every step is on the
 * disk before it has an effect outside. One whose answer was lost is uncertain until the folders of the service have been
 * asked, and is never sent again before that.
 */
import type { OutboxView, SendList, SendView } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { within } from '../lib/retry.ts'
import type { BoxSettings } from './boxes.ts'
import type { OutboxEffects } from './effects.ts'
import { openParts } from './joined.ts'
import type { SettlingAnswer } from './returns.ts'
import type { SendPage, SendQuery } from './send-list.ts'

export type { OutboxEffects } from './effects.ts'

/** How long until writing is tried again at the start, in milliseconds. */
const STORAGE_WAIT = 5_000

export type Outbox = ReturnType<typeof openOutbox>

export function openOutbox(effects: OutboxEffects) {
  const { db, clock } = effects
  const {
    sends,
    pages,
    queue,
    boxes,
    holds,
    appointments,
    proofs,
    changes,
    returns,
    looks,
    dispatcher,
    entering,
    batches,
    views,
    takeBackMs
  } = openParts(effects)
  let isTakenUp = false
  let isStopped = false

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

  function lineChanged(): void {
    boxes.lineChanged()
    dispatcher.wakeAll()
    looks.lineChanged()
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
     * Takes no new sends; resolves when those under way have ended and batches are written down, or after `limit`
     * milliseconds. What has not ended then is uncertain at the next start; a batch that is not whole is removed.
     */
    async stop(limit: number): Promise<void> {
      isStopped = true
      looks.close()
      await Promise.all([
        dispatcher.close(limit),
        within(limit, batches.written(), { after: (delay, task) => effects.schedule(task, delay) })
      ])
      changes.stop()
    },

    /** To be called when the service can be reached again: what waits for the line goes, and what is uncertain is looked for. */
    lineChanged,

    /** To be called when the computer was asleep: its clock is right as it is, and what was found out before may have changed. */
    resumed(): void {
      appointments.trustClock()
      proofs.dropAll()
      lineChanged()
    },

    /**
     * Puts a draft in the outbox. It goes after the time to take it back, or at `at` (milliseconds since 1970 UTC).
     * @throws AppFailure `invalid` with its fields where the draft can't be sent; `busy` where it was sent before; `gone`.
     */
    start(draftId: string, options: { at?: number | undefined } = {}): SendView {
      const { id, accountId } = entering.start(draftId, options)
      dispatcher.wake(accountId)
      return viewOf(id)
    },

    /** Lets a waiting send go without waiting for its time. @throws AppFailure `busy` where it has left; `gone`. */
    now(id: string): SendView {
      dispatcher.wake(entering.now(id).accountId)
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
     * Asks the service now whether a send arrived that is uncertain, or was not found. Another state is answered as it is.
     * @throws what reading the folders throws; AppFailure `unexpected-shape` where some documents could not be read and
     *   it is not among the others. The send then stays uncertain.
     */
    async reconcile(id: string): Promise<SendView> {
      const send = sends.get(id)
      if (send.state !== 'uncertain' && send.state !== 'not-sent') return viewOf(id)
      const isComplete = await looks.ask(send.accountId)
      if (!isComplete && sends.get(id).state === 'uncertain') {
        // The document that can't be read might be the one that is looked for.
        fail('unexpected-shape', 'Some documents in the folders could not be read, so this could not be settled.')
      }
      return viewOf(id)
    },

    /**
     * A person settles a doubt: it arrived, as these documents; or none of them is it.
     * @throws AppFailure `busy` where there is no doubt to settle; `conflict` where such a document is another send's;
     *   `gone`.
     */
    settle(id: string, answer: SettlingAnswer): SendView {
      const { accountId } = sends.get(id)
      try {
        returns.settle(id, answer)
      } finally {
        looks.reconsider(accountId)
      }
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

    /** What would wait, be unknown, or be lost, if the application ended now: packages, and batches being written down. */
    pending(): { ready: number; uncertain: number; preparing: number } {
      return { ...pages.pending(), preparing: batches.preparing() }
    },

    pause(accountId: string): OutboxView {
      boxes.pauseByHand(accountId)
      changes.outbox()
      return state(accountId)
    },

    /** Lets the box go again, whoever paused it; what the service asked to wait for is still waited for. */
    resume(accountId: string): OutboxView {
      boxes.resume(accountId)
      looks.tryNow(accountId)
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
