/**
 * How often one package is posted without anybody saying yes or no to it. What stands between, or a service that always
 * asks for patience, must not have it posted for ever.
 */

import { backoff } from '../lib/retry.ts'
import type { Ending } from './delivery.ts'

/** So often in one run; then its box is paused until a person says. */
const MOST_POSTS = 30
/** The least patience after the first "not so fast", in milliseconds; it doubles with each further one. */
const FIRST_PATIENCE = 1_000

export function openPosts(random: () => number) {
  const counts = new Map<string, number>()

  return {
    /** The end of an attempt of a send as it counts: where it was posted too often, everything stops. */
    counted(id: string, ending: Ending): Ending {
      if (ending.kind === 'line' && !ending.isAnswered) return ending
      if (ending.kind !== 'line' && ending.kind !== 'rate-limited') {
        counts.delete(id)
        return ending
      }
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      const { error } = ending
      if (count >= MOST_POSTS) {
        counts.delete(id)
        return { kind: 'stopped', error: { ...error, message: `${error.message} ${TOO_OFTEN}` } }
      }
      if (ending.kind === 'line') return ending
      const retryAfterMs = Math.max(error.retryAfterMs ?? 0, backoff(FIRST_PATIENCE, count, random))
      return { kind: 'rate-limited', error: { ...error, retryAfterMs } }
    }
  }
}

const TOO_OFTEN = `It was tried ${MOST_POSTS} times, so nothing goes until you resume the Outbox.`
