/**
 * How long a file that breaks is tried: so many times between which others of its account went well, since then it is its own
 * fault; and where none went well, as the service may be closed overnight, for a day.
 */
import type { Download } from './download-rows.ts'

const MOST_ATTEMPTS = 8
/** After it was asked for, in milliseconds. */
const LONGEST_WAITING = 24 * 60 * 60_000

export function openAttempts(clock: () => number) {
  /** How many files of an account went well in this run, and how many had when one broke the last time. */
  const wentWell = new Map<string, number>()
  const brokeAt = new Map<string, number>()

  return {
    wentWell({ id, accountId }: Download): void {
      wentWell.set(accountId, (wentWell.get(accountId) ?? 0) + 1)
      brokeAt.delete(id)
    },

    /** To be called once each time it broke: whether others went well since the last time. */
    isItsOwn({ id, accountId }: Download): boolean {
      const now = wentWell.get(accountId) ?? 0
      const before = brokeAt.get(id)
      brokeAt.set(id, now)
      return before !== undefined && before < now
    },

    /** @param tries that count, with this one. */
    isEnough: ({ queuedAt }: Download, tries: number): boolean =>
      tries >= MOST_ATTEMPTS || clock() - queuedAt > LONGEST_WAITING,

    forget: (id: string): void => void brokeAt.delete(id)
  }
}
