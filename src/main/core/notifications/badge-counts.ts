/** Sums up the shown accounts in two numbers, for the badge and the tray, where there is no room for more. */

import type { AskDocuments } from '../documents/questions.ts'
import { SerialTask } from '../jobs/lanes.ts'
import type { Time } from '../lib/time.ts'

export interface BadgeCounts {
  /** Documents that something has happened to since the person last looked at them. */
  unread: number
  /** How many signers can sign at the counter now. */
  waiting: number
}

export interface BadgeCountsDeps {
  ask: AskDocuments
  /** Ids of the accounts shown. */
  shown: () => readonly string[]
  show: (badgeCounts: BadgeCounts) => void
  /** Called when something new happened to a document of any account. */
  newsArrived: () => void
  time: Time
  onError: (error: unknown) => void
}

/** In milliseconds; changes within this time are counted once. */
const DEBOUNCE = 500

export function openBadgeCounts({ ask, shown: accountsShown, show, newsArrived, time, onError }: BadgeCountsDeps) {
  let lastShown: BadgeCounts | undefined
  let lastChange: string | undefined
  let cancelScheduled: (() => void) | undefined
  const counting = new SerialTask(time, () => count().catch(onError))

  async function countsOf(accountId: string): Promise<BadgeCounts> {
    const { unread } = await ask('counts', { accountId, queries: [], now: time.now(), zone: time.zone() })
    const waiting = await ask('waitingHere', { accountId })
    // One person may have several documents to sign.
    const people = new Set(waiting.map((one) => one.person || `${one.documentReference} ${one.signer}`))
    return { unread, waiting: people.size }
  }

  async function count(): Promise<void> {
    const { mirror, change } = await ask('newestChange', null)
    const newestChange = `${mirror} ${change}`
    if (newestChange !== lastChange) newsArrived()
    lastChange = newestChange
    const ids = accountsShown()
    const all = await Promise.all(ids.map(countsOf))
    // Other accounts may be shown by now; then everything is counted again.
    if (ids.join() !== accountsShown().join()) return changed()
    const badgeCounts = all.reduce(
      (sum, one) => ({ unread: sum.unread + one.unread, waiting: sum.waiting + one.waiting }),
      {
        unread: 0,
        waiting: 0
      }
    )
    if (badgeCounts.unread === lastShown?.unread && badgeCounts.waiting === lastShown.waiting) return
    lastShown = badgeCounts
    show(badgeCounts)
  }

  /** Call after documents changed, or other accounts are shown. */
  function changed(): void {
    cancelScheduled ??= time.after(DEBOUNCE, () => {
      cancelScheduled = undefined
      void counting.runFresh()
    })
  }

  return {
    changed,
    stop(): void {
      cancelScheduled?.()
      // Blocks further counts, as if one were always scheduled.
      cancelScheduled = () => undefined
    }
  }
}
