/** The line of what waits: what goes next, of which lane, and whether there is room for it. */
import type { Download, Lane } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import type { Holds } from './holds.ts'

export interface Running {
  download: Download
  bytes: number
  total?: number
  abort: AbortController
  /** Nothing more is to come of it from the service: the next may be asked for while the disk is at work. */
  hasArrived: boolean
  /** It is in its place, and has only to be written down. */
  isKept: boolean
  /** Why it was broken off: a cancelled one is taken out of line, any other stays in it. */
  stoppedFor?: 'cancel' | 'later'
  ended: Promise<void>
}

export interface LineParts {
  table: DownloadsTable
  holds: Holds
  /** What is under way, by its id. */
  running: ReadonlyMap<string, Running>
  /** How many at once. */
  concurrency: () => number
  clock: () => number
}

/** So many at most are under way and not written down yet. */
const MOST_UNNOTED = 64

const keyOf = ({ accountId, folderId }: Lane) => `${accountId}\n${folderId}`

export function openLine({ table, holds, running, concurrency, clock }: LineParts) {
  /** Where something waits, or may. */
  const lanes = new Map<string, Lane>()
  /** Accounts that nothing is begun of while much is changed of them. */
  const still = new Map<string, number>()

  /** Whether the service may be asked for another, and the disk isn't far behind. */
  function hasRoom(): boolean {
    let coming = 0
    let written = 0
    for (const { hasArrived, isKept } of running.values()) {
      if (!hasArrived) coming += 1
      else if (!isKept) written += 1
    }
    const most = concurrency()
    return coming < most && written < most && running.size < MOST_UNNOTED
  }

  /** What goes next, or how long until something may, in milliseconds. */
  function first(): { next?: Download; wait: number } {
    let next: Download | undefined
    let wait = Number.POSITIVE_INFINITY
    for (const [key, lane] of lanes) {
      if (still.has(lane.accountId)) continue
      const held = holds.left(lane)
      if (held > 0) wait = Math.min(wait, held)
      if (held > 0 || (holds.isTrying(lane) && isMoving(lane))) continue
      const head = table.heads(lane, running.size + 1).find(({ id }) => !running.has(id))
      if (!head) {
        if (!isMoving(lane)) lanes.delete(key)
      } else if (head.retryAt > clock()) wait = Math.min(wait, head.retryAt - clock())
      else if (!next || head.number < next.number) next = head
    }
    return next ? { next, wait } : { wait }
  }

  function isMoving(lane: Lane): boolean {
    return [...running.values()].some(
      ({ download }) => download.accountId === lane.accountId || download.folderId === lane.folderId
    )
  }

  return {
    hasRoom,
    first,
    all: (): Lane[] => [...lanes.values()],

    /** Something of this lane waits now. */
    add: (lane: Lane): void => void lanes.set(keyOf(lane), lane),

    /** Does something with all of an account, while nothing of it is begun. */
    async whileStill<Answer>(accountId: string, work: () => Promise<Answer>): Promise<Answer> {
      still.set(accountId, (still.get(accountId) ?? 0) + 1)
      try {
        return await work()
      } finally {
        const others = (still.get(accountId) ?? 1) - 1
        if (others > 0) still.set(accountId, others)
        else still.delete(accountId)
      }
    }
  }
}
