/** What goes on at the counters of an office's workstations, as its server has it: each tells of its own, sealed; all read. */
import type { Pool } from 'pg'
import { parsedJson } from '../lib/json-scanning.ts'
import { shortened } from '../lib/text-folding.ts'
import { seal, unsealIfWhole } from './sealing.ts'

/** Another workstation's. Times in milliseconds. */
export interface CounterNews {
  readonly station: string
  /** As the workstation is called. */
  readonly name: string
  /** How long ago it said so, and for how much longer that may be taken as so. */
  readonly ago: number
  readonly left: number
  /** Any JSON; undefined where it can't be opened, or is none. */
  readonly content: unknown
}

export type OfficeCounters = ReturnType<typeof openOfficeCounters>

interface CounterRow {
  station: string
  name: string
  is_me: boolean
  told_ms: number | null
  left_ms: number | null
  sealed: Buffer | null
}

/** So many are read, whatever the server answers. */
const MOST = 500
const LONGEST_NAME = 100
/** For no longer than a workstation can say may anything be taken as so, in milliseconds. */
const LONGEST_LEFT = 600_000

/** Each rejects with the database's error where the server can't be asked. @param key the office's. */
export function openOfficeCounters({ pool, key }: { pool: Pick<Pool, 'query'>; key: Buffer }) {
  const identityOf = (station: string) => `counter:${station}`
  let me: string | undefined

  async function who(): Promise<string | undefined> {
    const answer = await pool.query<Pick<CounterRow, 'station'>>('SELECT station FROM office.counters() WHERE is_me')
    return answer.rows[0]?.station
  }

  async function rows(): Promise<CounterRow[]> {
    const answer = await pool.query<CounterRow>('SELECT * FROM office.counters()')
    return answer.rows.slice(0, MOST)
  }

  return {
    /**
     * @param content any JSON; null where there is no counter to tell of.
     * @param how for how long it may be taken as so, in milliseconds, and whether others are to hear of it at once.
     */
    async tell(content: unknown, how: { ms: number; isNews: boolean }): Promise<void> {
      me ??= await who()
      const body = Buffer.from(JSON.stringify(content))
      const sealed = content === null ? null : seal(key, identityOf(me ?? ''), body)
      await pool.query('SELECT office.tell_counter($1, $2, $3)', [how.ms, sealed, how.isNews])
    },

    /** What others have told in the last day. */
    async others(): Promise<CounterNews[]> {
      const known = new Map<string, CounterNews>()
      for (const { station, name, is_me, told_ms, left_ms, sealed } of await rows()) {
        // Of a time that is none nothing can be said.
        if (is_me || sealed === null || !Number.isFinite(told_ms) || !Number.isFinite(left_ms)) continue
        const opened = unsealIfWhole(key, identityOf(station), sealed)
        known.set(station, {
          ...{ station, name: shortened(String(name), LONGEST_NAME) },
          ...{ ago: Math.max(0, told_ms ?? 0), left: Math.min(left_ms ?? 0, LONGEST_LEFT) },
          content: opened && parsedJson(opened.toString('utf8'))
        })
      }
      return [...known.values()]
    }
  }
}
