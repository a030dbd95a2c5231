/**
 * The heads of the audit trails of an office's workstations, as its server chains them (decision 65). Each workstation tells its own, reads all,
 * and keeps the newest: a trail that was cut or written again is found by what was told of it before, and so is a server on which heads
 * were changed.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { OfficeTrailFinding } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import type { keptIn } from '../storage/meta.ts'
import type { Asking } from './at-once.ts'

/** An entry of a trail, by its number and its hash. */
interface Place {
  readonly seq: number
  readonly hash: string
}
/** Why a trail lacks an entry that it had. */
type Cause = Exclude<OfficeTrailFinding['why'], 'rewritten'>

/** As much of this workstation's audit trail as it takes. */
interface Trail {
  newest: () => Place | undefined
  hasEntry: (place: Place) => boolean
  whyWithout: (place: Place) => Promise<Cause>
}

/** `number`: its place in the office's chain; `atMs` since 1970 UTC, by the server's clock; `chained` as {@link chainHash} has it. */
export interface OfficeHead extends Place {
  readonly number: number
  readonly station: string
  readonly name: string
  readonly isMine: boolean
  readonly atMs: number
  readonly cause: Cause | null
  readonly chained: string
}

type OfficeHeads = ReturnType<typeof openOfficeHeads>

/** So many are read at a time. */
const PAGE = 500
/** How often a head is told that has moved on, in milliseconds. */
const EVERY = 300_000
/** So many findings are kept, the newest. */
const MOST = 100

interface HeadRow extends Omit<OfficeHead, 'isMine' | 'atMs'> {
  is_mine: boolean
  at_ms: number
}

/**
 * Each rejects with the database's error where the server can't be asked.
 * @param atOnce what is only read is asked by this.
 */
export function openOfficeHeads(pool: Asking, atOnce = pool) {
  async function ask(sql: string, ...values: unknown[]): Promise<OfficeHead[]> {
    const { rows } = await atOnce.query<HeadRow>(sql, values)
    return rows.map(({ is_mine: isMine, at_ms: atMs, ...row }) => ({ ...row, isMine, atMs }))
  }
  return {
    async tell({ seq, hash }: Place, cause: Cause | undefined): Promise<void> {
      await pool.query<object>('SELECT office.tell_head($1, $2, $3)', [seq, hash, cause ?? null])
    },
    from: (number: number) => ask('SELECT * FROM office.heads_from($1, $2)', number, PAGE),
    newest: () => ask('SELECT * FROM office.newest_heads()')
  }
}

/** What ties a head to the one before it: see `chain_head` of the office's schema. */
function chainHash(before: string, { number, station, seq, hash, atMs, cause }: OfficeHead): string {
  const text = [number, station, seq, hash, atMs, cause ?? '-'].join(' ')
  return createHash('sha256').update(`${before}\n${text}`, 'utf8').digest('hex')
}

const Place = z.object({ seq: z.int(), hash: z.string() })
const Finding = z.object({
  /** Absent where it is the server itself. */
  name: z.string().optional(),
  isMe: z.boolean(),
  why: z.enum(['restored', 'older-copy', 'replaced', 'forgotten', 'cut', 'rewritten']),
  at: z.number()
})
const Kept = z.object({
  life: z.int(),
  /** The newest in the office's chain. */
  number: z.number(),
  chained: z.string(),
  /** The furthest of each workstation, by its id at the office. */
  stations: z.record(z.string(), Place),
  /** Which of these is this one. */
  mine: z.string().optional(),
  found: z.array(Finding)
})
type Kept = z.output<typeof Kept>
const KEPT = 'office-heads'

export class Heads {
  readonly #kept: ReturnType<typeof keptIn>
  readonly #time: Pick<Time, 'now' | 'elapsed'>
  #trail: Trail | undefined
  #toldAt: number | undefined
  #hasAsked = false

  constructor(kept: ReturnType<typeof keptIn>, time: Pick<Time, 'now' | 'elapsed'>) {
    this.#kept = kept
    this.#time = time
  }

  /** To be called once, as the trail is made. */
  follow(trail: Trail): void {
    this.#trail = trail
  }

  /** What was found so far of this workstation's trail, of others' and of the server, the newest last. */
  found(): OfficeTrailFinding[] {
    return this.#kept.read(KEPT, Kept)?.found ?? []
  }

  /**
   * Reads what is new, looks whether it goes with what is known, and tells its own.
   * @param life of the office's server.
   * @returns whether the server has less than is known here, in the life of which all was known: then nothing is told, and nobody accused.
   */
  async greet(office: OfficeHeads, life: number): Promise<{ isPutBack: boolean }> {
    if (!this.#trail) return { isPutBack: false }
    const known = this.#kept.read(KEPT, Kept)
    const first = known && known.number > 0 && known.life === life ? await office.from(known.number) : undefined
    if (first?.length === 0) return { isPutBack: true }
    const kept = await this.#read(office, life, known, first)
    // What the database says that was told may have been written again with the trail: once in each run the server's word is asked.
    const mine = this.#hasAsked ? undefined : (await office.newest()).find(({ isMine }) => isMine)
    this.#hasAsked = true
    const isHere = !mine || this.#trail.hasEntry(mine)
    const stations = isHere ? kept.stations : { ...kept.stations, [mine.station]: { seq: mine.seq, hash: mine.hash } }
    this.#write({ ...kept, stations, ...(mine && { mine: mine.station }) })
    await this.tell(office, EVERY)
    return { isPutBack: false }
  }

  /** @param every where it was told later than so many milliseconds ago, it isn't again. */
  async tell(office: OfficeHeads, every = 0): Promise<void> {
    const kept = this.#kept.read(KEPT, Kept)
    const newest = this.#trail?.newest()
    if (!this.#trail || !newest || !kept) return
    const told = kept.mine === undefined ? undefined : kept.stations[kept.mine]
    const isWhole = !told || this.#trail.hasEntry(told)
    if (isWhole && told?.seq === newest.seq) return
    const now = this.#time.elapsed()
    if (isWhole && this.#toldAt !== undefined && now - this.#toldAt < every) return
    await office.tell(newest, isWhole ? undefined : await this.#trail.whyWithout(told))
    this.#toldAt = now
    // What it told is known as told once the office's chain has it.
    this.#write(await this.#read(office, kept.life))
  }

  /** It belongs to no office any more. */
  left(): void {
    this.#kept.erase(KEPT)
    this.#toldAt = undefined
    this.#hasAsked = false
  }

  #write(kept: Kept): void {
    this.#kept.write(KEPT, { ...kept, found: kept.found.slice(-MOST) })
  }

  /** @param first what the office has from the newest of `known` on, where that was just read. */
  async #read(
    office: OfficeHeads,
    life: number,
    known = this.#kept.read(KEPT, Kept),
    first?: OfficeHead[]
  ): Promise<Kept> {
    if (!known) return await this.#begin(office, { life, number: 0, chained: '', stations: {}, found: [] })
    let kept = known
    for (let read = first; ; read = undefined) {
      const heads = read ?? (await office.from(kept.number))
      // The one that was the newest is read again: where it is another, so is all that was chained to it.
      const same = kept.number === 0 ? undefined : heads[0]
      const others = kept.number === 0 ? heads : heads.slice(1)
      if (kept.number > 0 && (same?.number !== kept.number || same.chained !== kept.chained)) {
        return await this.#begin(office, this.#isPutBack(kept, life))
      }
      for (const head of others) {
        if (head.number !== kept.number + 1 || chainHash(kept.chained, head) !== head.chained) {
          return await this.#begin(office, this.#isPutBack(kept, life))
        }
        kept = taken(kept, head)
      }
      if (heads.length < PAGE) return { ...kept, life }
    }
  }

  /** What isn't as it was known: after a backup was put in its place that is so, and nobody changed it. */
  #isPutBack(kept: Kept, life: number): Kept {
    const isRestored = kept.life !== life
    const found = isRestored
      ? kept.found
      : [...kept.found, { isMe: false, why: 'rewritten' as const, at: this.#time.now() }]
    return { ...kept, life, found }
  }

  /** From the newest of each on; where one of them is less than is known, it says nothing of the workstation: the server may be put back. */
  async #begin(office: OfficeHeads, known: Kept): Promise<Kept> {
    const heads = await office.newest()
    const newest = heads.at(-1)
    const further = heads.filter(({ station, seq }) => seq >= (known.stations[station]?.seq ?? 0))
    const mine = heads.find(({ isMine }) => isMine)?.station ?? known.mine
    return {
      ...known,
      ...(mine !== undefined && { mine }),
      ...{ number: newest?.number ?? 0, chained: newest?.chained ?? '' },
      stations: {
        ...known.stations,
        ...Object.fromEntries(further.map(({ station, seq, hash }) => [station, { seq, hash }]))
      }
    }
  }
}

/** With one more head: whether it goes with what is known of its workstation. */
function taken(kept: Kept, { number, chained, station, seq, hash, name, isMine, cause, atMs: at }: OfficeHead): Kept {
  const before = kept.stations[station]
  const goesBack = before !== undefined && (seq < before.seq || (seq === before.seq && hash !== before.hash))
  const why = cause ?? (goesBack ? ('cut' as const) : undefined)
  return {
    ...{ ...kept, number, chained },
    ...(isMine && { mine: station }),
    stations: { ...kept.stations, [station]: { seq, hash } },
    found: why ? [...kept.found, { name, isMe: isMine, why, at }] : kept.found
  }
}
