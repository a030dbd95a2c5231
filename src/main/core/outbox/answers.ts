/** Writes down what came of an attempt. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import type { Db } from '../storage/connection.ts'
import type { Boxes } from './boxes.ts'
import type { Ending } from './delivery.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'
import { firstKept } from './unkeepable.ts'

/** How an attempt of a send ended, and when, in milliseconds since 1970 UTC. */
export interface Answer {
  id: string
  ending: Ending
  at: number
}

export interface KeeperParts {
  db: Db
  sends: Sends
  boxes: Boxes
  /** What becomes of a send that may leave again: `cancelled` where its batch was. */
  backTo: (send: Send) => 'ready' | 'cancelled'
}

/**
 * Writes an answer down, in the caller's transaction; nothing where the send was removed with its account. What the
 * database won't take of one is left out, so that it keeps no other from being written.
 */
export function keeper({ db, sends, boxes, backTo }: KeeperParts): (answer: Answer) => Send[] {
  function keep({ id, ending, at }: Answer): Send[] {
    const send = sends.find(id)
    if (send?.state !== 'sending') return []
    // Nothing came of this attempt; what came of an earlier one may still be open.
    const isInDoubt = send.firstAttemptedAt !== send.attemptedAt
    const firstAttemptedAt = isInDoubt ? send.firstAttemptedAt : undefined
    switch (ending.kind) {
      case 'taken':
        return [sends.taken(send, ending.response, at)]
      case 'uncertain':
        return [sends.change(send, { state: 'uncertain', error: ending.error })]
      case 'refused':
        // "There already", says a service of what an earlier attempt brought it: only a look can tell.
        if (isInDoubt) return [sends.change(send, { state: 'uncertain', error: ending.error })]
        return [sends.change(send, { state: 'refused', error: ending.error, settledAt: at, firstAttemptedAt })]
      case 'stopped':
        boxes.pauseByService(send.accountId, ending.error)
        break
      case 'line':
      case 'rate-limited':
        break
    }
    return [sends.change(send, { state: backTo(send), attempt: send.attempt - 1, firstAttemptedAt })]
  }

  const keepOrNothing = db.transaction(keep)
  return (answer) =>
    firstKept([answer.ending, ...lesser(answer.ending)].map((ending) => () => keepOrNothing({ ...answer, ending })))
}

/** What can be said instead, where the whole of an end can't be written down. */
function lesser(ending: Ending): Ending[] {
  const uncertain: Ending = { kind: 'uncertain', error: NOT_KEPT }
  return ending.kind === 'taken' ? [{ kind: 'taken', response: bare(ending.response) }, uncertain] : [uncertain]
}

/** A response's references alone. */
export function bare({ Documents = [], ...response }: PackageResponse): PackageResponse {
  const { PackageReference, QueueReference, PackageStatus } = response
  return {
    ...(PackageReference && { PackageReference }),
    ...(QueueReference && { QueueReference }),
    ...(PackageStatus && { PackageStatus }),
    Documents: Documents.map(({ Reference, Name }) => ({ Reference, ...(Name !== undefined && { Name }) }))
  }
}

const NOT_KEPT: AppError = {
  code: 'unexpected-shape',
  message: 'The service answered in a form that can’t be kept, so the package is looked for in the folders.',
  mayHaveArrived: true
}
