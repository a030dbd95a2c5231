/**
 * The state of an office's counters, as stored on its server. Each workstation publishes its own, sealed, and reads
 * all.
 */
import { parsedJson } from '../lib/json-scanning.ts'
import { shortened } from '../lib/text-folding.ts'
import { queriesOf } from './queries.ts'
import type { Queryable } from './query-batching.ts'
import { seal, unsealIfIntact } from './sealing.ts'

/** The state of another workstation's counter. Times are in milliseconds. */
export interface CounterReport {
  readonly station: string
  /** The workstation's name. */
  readonly name: string
  /** How long ago it was published, and for how much longer it may be taken as valid. */
  readonly ago: number
  readonly remaining: number
  /** Any JSON; undefined if it can't be opened or isn't JSON. */
  readonly content: unknown
}

export type OfficeCounters = ReturnType<typeof openOfficeCounters>

interface CounterRow {
  station: string
  name: string
  isMe: boolean
  reportedMs?: number
  leftMs?: number
  sealed?: Buffer
}

/** The maximum number read, whatever the server returns. */
const MAX_COUNTERS = 500
const MAX_NAME_LENGTH = 100
/** The longest validity that a workstation can give, in milliseconds. Longer ones are cut to it. */
const MAX_VALIDITY = 600_000

/**
 * Opens the counters of the office. Each method rejects with the database's error if the query fails.
 * @param key the office's key.
 */
export function openOfficeCounters({ pool, key }: { pool: Queryable; key: Buffer }) {
  const identityOf = (station: string) => `counter:${station}`
  const { rows, value } = queriesOf(pool)
  let ownId: string | undefined

  return {
    /**
     * Publishes this workstation's counter.
     * @param content any JSON; null if there is no counter.
     * @param how `ms`: how long it is valid, in milliseconds; `isNews`: whether to notify the others at once.
     */
    async publish(content: unknown, how: { ms: number; isNews: boolean }): Promise<void> {
      ownId ??= await value<string>('SELECT station FROM office.counters() WHERE is_me')
      const body = Buffer.from(JSON.stringify(content))
      const sealed = content === null ? null : seal(key, identityOf(ownId ?? ''), body)
      await value('SELECT office.publish_counter($1, $2, $3)', how.ms, sealed, how.isNews)
    },

    /** Returns what the others published within the last day. */
    async others(): Promise<CounterReport[]> {
      const known = new Map<string, CounterReport>()
      const all = await rows<CounterRow>('SELECT * FROM office.counters()')
      for (const { station, name, isMe, reportedMs = Number.NaN, leftMs = Number.NaN, sealed } of all.slice(
        0,
        MAX_COUNTERS
      )) {
        // An entry with an invalid time is useless.
        if (isMe || !sealed || !Number.isFinite(reportedMs) || !Number.isFinite(leftMs)) continue
        const opened = unsealIfIntact(key, identityOf(station), sealed)
        known.set(station, {
          station,
          name: shortened(String(name), MAX_NAME_LENGTH),
          ago: Math.max(0, reportedMs),
          remaining: Math.min(leftMs, MAX_VALIDITY),
          content: opened && parsedJson(opened.toString('utf8'))
        })
      }
      return [...known.values()]
    }
  }
}
