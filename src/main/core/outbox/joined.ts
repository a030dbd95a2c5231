/** Makes the parts of the outbox and joins them. No logic of its own. */
import type { Composition } from '../../../shared/composition/index.ts'
import type { AppError } from '../../../shared/contract/index.ts'
import { openAppointments } from './appointments.ts'
import { openBatchRecords } from './batch-records.ts'
import { openBatches } from './batches.ts'
import { openBoxes } from './boxes.ts'
import { openChanges } from './changes.ts'
import { openDispatcher } from './dispatcher.ts'
import type { OutboxEffects } from './effects.ts'
import { openEntering } from './entering.ts'
import { openFollowing } from './following.ts'
import { openHolds } from './holds.ts'
import { openLooks } from './looks.ts'
import { openProofs } from './proofs.ts'
import { openQueue } from './queue.ts'
import { openReturns } from './returns.ts'
import { openSendPages } from './send-list.ts'
import type { Send } from './send-record.ts'
import { viewer } from './send-view.ts'
import { openSends } from './sends.ts'

export function openParts(effects: OutboxEffects) {
  const { db } = effects
  const sends = openSends(db)
  const pages = openSendPages(db)
  const queue = openQueue(db)
  const records = openBatchRecords(db)
  const boxes = openBoxes(effects)
  const holds = openHolds(effects.elapsed)
  const appointments = openAppointments(effects)
  const proofs = openProofs(effects)
  const changes = openChanges(effects)
  const takeBackMs = (accountId: string) => boxes.settings(accountId).takeBackSeconds * 1000
  const backTo = (send: Send) => (batches.isCancelled(send.batchId) ? 'cancelled' : 'ready')
  const returns = openReturns({ effects, sends, changes, holds, proofs })
  const following = openFollowing({
    effects,
    sends,
    changes,
    proofs,
    backTo,
    arrivedLate: returns.arrivedLate,
    again: (accountId) => dispatcher.wake(accountId)
  })
  const looks = openLooks({ effects, sends, changes, following, keychainFailed })
  const dispatcher = openDispatcher({
    effects,
    sends,
    queue,
    boxes,
    holds,
    appointments,
    changes,
    backTo,
    isProven: proofs.isFresh,
    left: following.left,
    uncertain: looks.begin
  })
  const entering = openEntering({ effects, sends, returns, changes, holds, appointments, takeBackMs, note })
  const batches = openBatches({
    effects,
    sends,
    records,
    pages,
    holds,
    appointments,
    changes,
    takeBackMs,
    note,
    retry: returns.retry,
    wake: dispatcher.wake
  })

  function keychainFailed(accountId: string, error: AppError): void {
    boxes.pauseByKeychain(accountId, error)
    changes.outbox()
  }

  /** What is remembered for the next time is a convenience, which must not keep a package from being sent. */
  function note(accountId: string, composition: Composition): void {
    try {
      effects.noted(accountId, composition)
    } catch {
      return
    }
  }

  /** Makes views; one for each list, as it asks only once of a batch. */
  const views = () =>
    viewer({
      effects,
      boxes,
      holds,
      appointments,
      looks,
      following,
      isBatchPaused: batches.isPaused,
      troubleOf: dispatcher.troubleOf
    })

  return {
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
  }
}
