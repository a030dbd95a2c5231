/** What the watch remembers of each account between two rounds. */
import { openFolderPaces } from './folder-intervals.ts'
import type { spaced } from './intervals.ts'

/** An account that is watched. It keeps its place while another is looked at. */
export interface Place {
  accountId: string
  /** Rounds on end in which nothing could be read at all. */
  failures: number
  paces: ReturnType<typeof openFolderPaces>
  isRound: boolean
  /** Whether any of its folders was read in this run. */
  isRead: boolean
  /** When a folder answered last, by the clock that never jumps. */
  answeredAt: number
  /** Something gave cause to look at all folders; while a round is under way, it may have come too late for it. */
  isWanted: boolean
  unschedule?: (() => void) | undefined
  told: ReturnType<typeof spaced>
}

export function newPlace(accountId: string, told: Place['told']): Place {
  return {
    accountId,
    failures: 0,
    paces: openFolderPaces(),
    isRound: false,
    isRead: false,
    answeredAt: Number.NEGATIVE_INFINITY,
    isWanted: false,
    told
  }
}
