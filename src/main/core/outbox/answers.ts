/** Writes down what came of an attempt. */
import type { Boxes } from './boxes.ts'
import type { Ending } from './delivery.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'

/** How an attempt of a send ended, and when, in milliseconds since 1970 UTC. */
export interface Answer {
  id: string
  ending: Ending
  at: number
}

export interface KeeperParts {
  sends: Sends
  boxes: Boxes
  /** What becomes of a send that may leave again: `cancelled` where its batch was. */
  backTo: (send: Send) => 'ready' | 'cancelled'
}

/** Writes an answer down, in the caller's transaction; nothing where the send was removed with its account. */
export function keeper({ sends, boxes, backTo }: KeeperParts): (answer: Answer) => Send[] {
  return ({ id, ending, at }) => {
    const send = sends.find(id)
    if (send?.state !== 'sending') return []
    switch (ending.kind) {
      case 'taken':
        return [sends.taken(send, ending.response, at)]
      case 'uncertain':
        return [sends.change(send, { state: 'uncertain', error: ending.error })]
      case 'refused':
        return [sends.change(send, { state: 'refused', error: ending.error, settledAt: at })]
      case 'stopped':
        boxes.pauseByService(send.accountId, ending.error)
        break
      case 'line':
      case 'rate-limited':
        break
    }
    // Nothing came of this attempt, so it doesn't count.
    const attempt = send.attempt - 1
    const firstAttemptedAt = attempt === 0 ? undefined : send.firstAttemptedAt
    return [sends.change(send, { state: backTo(send), attempt, firstAttemptedAt })]
  }
}
