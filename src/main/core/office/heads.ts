/**
 * The heads of the audit trails of an office's workstations, which its server chains (decision 65). Each workstation
 * reports its own head, reads all, and keeps the newest. This reveals a trail that was cut or rewritten, because an
 * earlier head contradicts it, and a server on which heads were changed.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { OfficeTrailFinding } from '../../../shared/contract/index.ts'
import type { Audit } from '../audit/audit.ts'
import type { Time } from '../lib/time.ts'
import type { openJsonMeta } from '../storage/meta.ts'
import { queriesOf } from './queries.ts'
import type { Queryable } from './query-batching.ts'

/** An entry of a trail, identified by its number and hash. */
interface TrailEntry {
  readonly seq: number
  readonly hash: string
}
/** Why a trail lacks an entry that it had. */
const CAUSES = ['restored', 'older-copy', 'replaced', 'forgotten', 'cut'] as const
type Cause = (typeof CAUSES)[number]

type Trail = Pick<Audit, 'newest' | 'hasEntry' | 'whyWithout'>

/**
 * A head in the chain. `number`: its place in the chain; `atMs`: since 1970 UTC, by the server's clock; `chained`: see
 * {@link chainHash}.
 */
export type OfficeHead = Readonly<z.output<typeof OfficeHead>>
const OfficeHead = z.object({
  number: z.int(),
  station: z.string(),
  name: z.string(),
  isMine: z.boolean(),
  seq: z.int(),
  hash: z.string(),
  atMs: z.number(),
  cause: z.enum(CAUSES).optional(),
  chained: z.string()
})

export type OfficeHeads = ReturnType<typeof openOfficeHeads>

/** How many are read at a time. */
const PAGE = 500
/** The minimum interval between two reports of a head that has moved on, in milliseconds. */
const REPORT_INTERVAL = 300_000
/** How many findings are kept, the newest. */
const MAX_FINDINGS = 100

/**
 * Opens the office's heads. Each method rejects with the database's error if the query fails.
 * @param atOnce runs the queries that only read.
 */
export function openOfficeHeads(pool: Queryable, atOnce = pool) {
  /** Without malformed heads, which no workstation adds: the next one then doesn't follow from the one before it. */
  async function ask(sql: string, ...values: unknown[]): Promise<OfficeHead[]> {
    const rows = await queriesOf(atOnce).rows(sql, ...values)
    return rows.flatMap((row) => OfficeHead.safeParse(row).data ?? [])
  }
  return {
    async report({ seq, hash }: TrailEntry, cause: Cause | undefined): Promise<void> {
      await queriesOf(pool).rows('SELECT office.report_head($1, $2, $3)', seq, hash, cause)
    },
    from: (number: number) => ask('SELECT * FROM office.heads_from($1, $2)', number, PAGE),
    newest: () => ask('SELECT * FROM office.newest_heads()')
  }
}

/** Computes the hash that ties a head to the one before it; see `chain_head` in the office's schema. */
function chainHash(before: string, { number, station, seq, hash, atMs, cause }: OfficeHead): string {
  const text = [number, station, seq, hash, atMs, cause ?? '-'].join(' ')
  return createHash('sha256').update(`${before}\n${text}`, 'utf8').digest('hex')
}

const TrailEntry = z.object({ seq: z.int(), hash: z.string() })
const Finding = z.object({
  /** Absent if the finding is about the server itself. */
  name: z.string().optional(),
  isMe: z.boolean(),
  why: z.enum([...CAUSES, 'rewritten']),
  at: z.number()
})
const Kept = z.object({
  life: z.int(),
  /** The newest head in the office's chain. */
  number: z.number(),
  chained: z.string(),
  /** The newest head of each workstation, by its id at the office. */
  stations: z.record(z.string(), TrailEntry),
  /** The id of this workstation among them. */
  mine: z.string().optional(),
  found: z.array(Finding)
})
type Kept = z.output<typeof Kept>
const KEPT = 'office-heads'

export class Heads {
  readonly #meta: ReturnType<typeof openJsonMeta>
  readonly #time: Pick<Time, 'now' | 'elapsed'>
  #trail: Trail | undefined
  #reportedAt: number | undefined
  #hasCheckedOwn = false

  constructor(meta: ReturnType<typeof openJsonMeta>, time: Pick<Time, 'now' | 'elapsed'>) {
    this.#meta = meta
    this.#time = time
  }

  /** Sets the trail. Call it once, when the trail is created. */
  setTrail(trail: Trail): void {
    this.#trail = trail
  }

  /** Returns what was found so far about this workstation's trail, the others' and the server, newest last. */
  findings(): OfficeTrailFinding[] {
    return this.#meta.read(KEPT, Kept)?.found ?? []
  }

  /**
   * Reads new heads, checks them against what is known, and reports this workstation's own.
   * @param life the server's current life.
   * @returns `isRolledBack`: whether the server has fewer heads than are known here in the same life. Then nothing is
   * reported, and no one is accused.
   */
  async sync(office: OfficeHeads, life: number): Promise<{ isRolledBack: boolean }> {
    if (!this.#trail) return { isRolledBack: false }
    const known = this.#meta.read(KEPT, Kept)
    const first = known && known.number > 0 && known.life === life ? await office.from(known.number) : undefined
    if (first?.length === 0) return { isRolledBack: true }
    const kept = await this.#read(office, life, known, first)
    // Anyone who rewrote the trail may also have rewritten the stored record of what was reported. So the server is asked
    // once per run.
    const mine = this.#hasCheckedOwn ? undefined : (await office.newest()).find(({ isMine }) => isMine)
    this.#hasCheckedOwn = true
    const isInTrail = !mine || this.#trail.hasEntry(mine)
    const stations = isInTrail
      ? kept.stations
      : { ...kept.stations, [mine.station]: { seq: mine.seq, hash: mine.hash } }
    this.#write({ ...kept, stations, ...(mine && { mine: mine.station }) })
    await this.report(office, REPORT_INTERVAL)
    return { isRolledBack: false }
  }

  /** Reports the head of this workstation's trail, unless it was reported less than `every` milliseconds ago. */
  async report(office: OfficeHeads, every = 0): Promise<void> {
    const kept = this.#meta.read(KEPT, Kept)
    const newest = this.#trail?.newest()
    if (!this.#trail || !newest || !kept) return
    const reported = kept.mine === undefined ? undefined : kept.stations[kept.mine]
    const isIntact = !reported || this.#trail.hasEntry(reported)
    if (isIntact && reported?.seq === newest.seq) return
    const now = this.#time.elapsed()
    if (isIntact && this.#reportedAt !== undefined && now - this.#reportedAt < every) return
    await office.report(newest, isIntact ? undefined : await this.#trail.whyWithout(reported))
    this.#reportedAt = now
    // The report counts as known once the office's chain contains it.
    this.#write(await this.#read(office, kept.life))
  }

  leftOffice(): void {
    this.#meta.erase(KEPT)
    this.#reportedAt = undefined
    this.#hasCheckedOwn = false
  }

  /** Called when the workstation has joined the same office again, as another one: only its own head is a new one. */
  joinedAgain(): void {
    const kept = this.#meta.read(KEPT, Kept)
    this.leftOffice()
    if (kept) this.#write({ ...kept, mine: undefined })
  }

  #write(kept: Kept): void {
    this.#meta.write(KEPT, { ...kept, found: kept.found.slice(-MAX_FINDINGS) })
  }

  /** @param first what the office has from the newest of `known` on, if that was read just now. */
  async #read(
    office: OfficeHeads,
    life: number,
    known = this.#meta.read(KEPT, Kept),
    first?: OfficeHead[]
  ): Promise<Kept> {
    if (!known) return await this.#startOver(office, { life, number: 0, chained: '', stations: {}, found: [] })
    let kept = known
    for (let read = first; ; read = undefined) {
      const heads = read ?? (await office.from(kept.number))
      // The newest known head is read again. If it differs, everything chained to it does too.
      const same = kept.number === 0 ? undefined : heads[0]
      const others = kept.number === 0 ? heads : heads.slice(1)
      if (kept.number > 0 && (same?.number !== kept.number || same.chained !== kept.chained)) {
        return await this.#startOver(office, this.#afterMismatch(kept, life))
      }
      for (const head of others) {
        if (head.number !== kept.number + 1 || chainHash(kept.chained, head) !== head.chained) {
          return await this.#startOver(office, this.#afterMismatch(kept, life))
        }
        kept = withHead(kept, head)
      }
      if (heads.length < PAGE) return { ...kept, life }
    }
  }

  /**
   * Handles a chain that differs from what is known. After a restored backup this is expected; otherwise someone
   * rewrote it.
   */
  #afterMismatch(kept: Kept, life: number): Kept {
    const isRestored = kept.life !== life
    const found = isRestored
      ? kept.found
      : [...kept.found, { isMe: false, why: 'rewritten' as const, at: this.#time.now() }]
    return { ...kept, life, found }
  }

  /**
   * Starts again from the newest head of each workstation. One that is older than known here says nothing about its
   * workstation, because the server may have been restored.
   */
  async #startOver(office: OfficeHeads, known: Kept): Promise<Kept> {
    const heads = await office.newest()
    const newest = heads.at(-1)
    const newer = heads.filter(({ station, seq }) => seq >= (known.stations[station]?.seq ?? 0))
    const mine = heads.find(({ isMine }) => isMine)?.station ?? known.mine
    return {
      ...known,
      ...(mine !== undefined && { mine }),
      number: newest?.number ?? 0,
      chained: newest?.chained ?? '',
      stations: {
        ...known.stations,
        ...Object.fromEntries(newer.map(({ station, seq, hash }) => [station, { seq, hash }]))
      }
    }
  }
}

/** Adds one head, and checks it against what is known of its workstation. */
function withHead(
  kept: Kept,
  { number, chained, station, seq, hash, name, isMine, cause, atMs: at }: OfficeHead
): Kept {
  const before = kept.stations[station]
  const isBehind = before !== undefined && (seq < before.seq || (seq === before.seq && hash !== before.hash))
  const why = cause ?? (isBehind ? ('cut' as const) : undefined)
  return {
    ...kept,
    number,
    chained,
    ...(isMine && { mine: station }),
    stations: { ...kept.stations, [station]: { seq, hash } },
    found: why ? [...kept.found, { name, isMe: isMine, why, at }] : kept.found
  }
}
