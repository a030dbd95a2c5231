/**
 * A workstation's connection to the office's server: everything of the office over one pool, the server's notifications,
 * and what a greeting asks. The database driver is loaded only when this is opened.
 */
import type { PoolClient } from 'pg'
import type { OfficeMembershipView } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { failOfficeAway } from './ask-office.ts'
import type { OfficePlace } from './connection.ts'
import type { OfficeCounters } from './counters.ts'
import type { OfficeFeed } from './feed.ts'
import { type OfficeHeads, openOfficeHeads } from './heads.ts'
import { assertKeyCurrent, takeCurrentKey } from './keys.ts'
import type { OfficeDrafts } from './office-drafts.ts'
import { queriesOf } from './queries.ts'
import type { OfficeRecords } from './records.ts'
import type { OfficeStore } from './send-store.ts'
import type { OfficeTasks } from './tasks.ts'

/** A notification of the server, about the id of an account or of a feed. */
export interface OfficeNotification {
  readonly channel: (typeof CHANNELS)[number]
  readonly about: string
}
const CHANNELS = ['sends', 'items', 'feed', 'read', 'life', 'tasks', 'counters'] as const
const CHANNEL_PREFIX = 'countersign_'

export interface ServerConnection {
  key: Buffer
  /** How many steps of the server's schema this version knows. */
  knownSteps: number
  store: OfficeStore
  drafts: OfficeDrafts
  records: OfficeRecords
  feed: OfficeFeed
  tasks: OfficeTasks
  counters: OfficeCounters
  heads: OfficeHeads
  /** What the server says it is, and how many steps its schema has. Checks that the office's key is still this one. */
  hello: () => Promise<{ incarnation: string; name: string; steps: number }>
  /** The server's life, and how many milliseconds ago that began which it may have lost. */
  life: () => Promise<{ life: number; lostMs: number }>
  /** The office's workstations. @param now milliseconds since 1970 UTC. */
  who: (now: number) => Promise<OfficeMembershipView['who']>
  close: () => Promise<void>
}

/**
 * Connects to the office's server, and listens to its notifications.
 * @param notified called without a value if the connection broke.
 */
export async function openServerConnection(
  place: OfficePlace,
  keys: { known: Buffer; storeKey: (key: Buffer) => Promise<void> },
  time: Time,
  notified: (notification: OfficeNotification | undefined) => void
): Promise<ServerConnection> {
  const [
    { openPool, assertNotificationsArrive },
    { openOfficeSends },
    { openOfficeDrafts },
    { openOfficeRecords },
    ...others
  ] = await Promise.all([
    import('./connection.ts'),
    import('./sends.ts'),
    import('./office-drafts.ts'),
    import('./records.ts'),
    import('./feed.ts'),
    import('./tasks.ts'),
    import('./counters.ts'),
    import('./query-batching.ts'),
    import('./migrations.ts')
  ])
  const [{ openOfficeFeed }, { openOfficeTasks }, { openOfficeCounters }, { batchQueries }, { steps }] = others
  const pool = openPool(place)
  let listener: PoolClient | undefined
  let key: Buffer
  try {
    listener = await pool.connect()
    listener.on('notification', ({ channel, payload: about = '' }) => {
      const its = CHANNELS.find((one) => channel === CHANNEL_PREFIX + one)
      if (its) notified({ channel: its, about })
    })
    listener.on('error', () => notified(undefined))
    await assertNotificationsArrive(listener, pool)
    await listener.query(CHANNELS.map((one) => `LISTEN ${CHANNEL_PREFIX}${one}`).join('; '))
    key = await takeCurrentKey(listener, place, keys.known, keys.storeKey)
  } catch (error) {
    listener?.release(true)
    await pool.end().catch(() => undefined)
    throw error
  }
  // On each greeting every shared kind of data asks for its state, so these queries are batched.
  const stateQueries = batchQueries(pool)
  const common = { pool, key, atOnce: stateQueries }
  // Uses the connection that listens, because it is the one to be checked.
  const greetingQueries = batchQueries(listener, { isConnection: true })
  const status = queriesOf(batchQueries(pool))
  return {
    key,
    knownSteps: steps.length,
    store: openOfficeSends({ pool, key, time }),
    drafts: openOfficeDrafts(common),
    records: openOfficeRecords(common),
    feed: openOfficeFeed({ pool, time }),
    tasks: openOfficeTasks({ pool, key, time }),
    counters: openOfficeCounters({ pool, key }),
    heads: openOfficeHeads(pool, stateQueries),
    async hello() {
      const [{ rows }] = await Promise.all([
        greetingQueries.query<{ incarnation: string; name: string; steps: number }>('SELECT * FROM office.hello()'),
        assertKeyCurrent(greetingQueries, place, key)
      ])
      return rows[0] ?? failOfficeAway()
    },
    async life() {
      const [row] = await status.rows<{ life: number; lostMs: number }>('SELECT * FROM office.life()')
      return row ?? failOfficeAway()
    },
    async who(now) {
      const rows = await status.rows<{ name: string; isMe: boolean; seenMs?: number }>('SELECT * FROM office.who()')
      return rows.map(({ seenMs, ...row }) => ({
        ...row,
        ...(seenMs !== undefined && { seenAt: Math.round(now - seenMs) })
      }))
    },
    async close() {
      listener.release(true)
      await pool.end().catch(() => undefined)
    }
  }
}
