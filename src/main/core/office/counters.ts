/**
 * The state of an office's counters, as stored on its server. Each workstation publishes its own, sealed, and reads
 * all.
 */
import type { Pool } from 'pg'
import { parsedJson } from '../lib/json-scanning.ts'
import { shortened } from '../lib/text-folding.ts'
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
  is_me: boolean
  reported_ms: number | null
  left_ms: number | null
  sealed: Buffer | null
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
export function openOfficeCounters({ pool, key }: { pool: Pick<Pool, 'query'>; key: Buffer }) {
  const identityOf = (station: string) => `counter:${station}`
  let ownId: string | undefined

  async function readOwnId(): Promise<string | undefined> {
    const answer = await pool.query<Pick<CounterRow, 'station'>>('SELECT station FROM office.counters() WHERE is_me')
    return answer.rows[0]?.station
  }

  async function rows(): Promise<CounterRow[]> {
    const answer = await pool.query<CounterRow>('SELECT * FROM office.counters()')
    return answer.rows.slice(0, MAX_COUNTERS)
  }

  return {
    /**
     * Publishes this workstation's counter.
     * @param content any JSON; null if there is no counter.
     * @param how `ms`: how long it is valid, in milliseconds; `isNews`: whether to notify the others at once.
     */
    async publish(content: unknown, how: { ms: number; isNews: boolean }): Promise<void> {
      ownId ??= await readOwnId()
      const body = Buffer.from(JSON.stringify(content))
      const sealed = content === null ? null : seal(key, identityOf(ownId ?? ''), body)
      await pool.query('SELECT office.publish_counter($1, $2, $3)', [how.ms, sealed, how.isNews])
    },

    /** Returns what the others published within the last day. */
    async others(): Promise<CounterReport[]> {
      const known = new Map<string, CounterReport>()
      for (const { station, name, is_me, reported_ms, left_ms, sealed } of await rows()) {
        // An entry with an invalid time is useless.
        if (is_me || sealed === null || !Number.isFinite(reported_ms) || !Number.isFinite(left_ms)) continue
        const opened = unsealIfIntact(key, identityOf(station), sealed)
        known.set(station, {
          station,
          name: shortened(String(name), MAX_NAME_LENGTH),
          ago: Math.max(0, reported_ms ?? 0),
          remaining: Math.min(left_ms ?? 0, MAX_VALIDITY),
          content: opened && parsedJson(opened.toString('utf8'))
        })
      }
      return [...known.values()]
    }
  }
}
