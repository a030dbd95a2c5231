/**
 * The counters of an office's other workstations, for the board. Each workstation reports its own counter on changes,
 * and renews the report while it is valid. An expired report is shown as of its time, and one that can't be read as
 * unknown. The others are read only while someone has the board open.
 */
import { z } from 'zod'
import type { Board, BoardDesk, DeskState } from '../../../shared/contract/index.ts'
import { OneAtATime } from '../jobs/lanes.ts'
import { defined } from '../lib/objects.ts'
import { shortened } from '../lib/text-folding.ts'
import { type Time, within } from '../lib/time.ts'
import type { CounterNews, OfficeCounters } from '../office/counters.ts'

/**
 * How often a report is renewed, and how long it is valid, while someone signs and while nobody does, in milliseconds.
 */
const SIGNING = { every: 20_000, holds: 60_000 }
const FREE = { every: 60_000, holds: 150_000 }
/** The delay before a retry, and the minimum time between two reports, in milliseconds. */
const AGAIN = 5_000
const PAUSE = 1_000
/**
 * How often the others are read while the board is open, and how long after its last request it counts as open, in
 * milliseconds.
 */
const READ_EVERY = 20_000
const LOOKED_AT = 90_000
/** How long the application's exit waits for the server, in milliseconds. */
const PATIENCE = 1_000
/** As long as the server keeps a report. */
const DAY = 86_400_000

const LONGEST = 200
const text = z.string().max(LONGEST)
const ago = z
  .number()
  .min(0)
  .max(366 * DAY)
  .optional()
const Told = z.object({
  ...{ name: text, staff: text, wantsStaff: z.boolean(), hasOtherDisplay: z.boolean() },
  state: z.enum(['free', 'signing', 'covered', 'between', 'locked', 'closed']),
  /** The office's id of the account. Workstations without that account see that someone signs, but not who. */
  ...{ account: text.optional(), signer: text.optional(), document: text.optional() },
  // Other counters' clocks aren't trusted, so these are ages at the time of the report.
  ...{ sinceAgo: ago, coveredAgo: ago, downAgo: ago }
})
type Told = z.output<typeof Told>

/** What others learn about this computer's counter. */
export interface OwnCounter {
  readonly desk: BoardDesk
  /** Whether people sign here at all; if not, there is nothing to report. */
  readonly isCounter: boolean
  /** The running session's account. */
  readonly accountId: string | undefined
}

interface OfficeBoardDeps {
  time: Time
  /** This workstation's state in the office; undefined if it belongs to none. */
  state: () => DeskState | undefined
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  /** Called when the known state of others' counters changed. */
  changed: () => void
  trouble: (error: unknown) => void
}

/** `elapsed`, `at`: when, by the monotonic clock and by the wall clock. */
interface Read {
  readonly others: readonly CounterNews[]
  readonly elapsed: number
  readonly at: number
}

/** @param stands the last known state, which may be slightly ahead of the connection or behind it. */
function lineState(stands: DeskState, hasLine: boolean): NonNullable<Board['office']>['state'] {
  if (hasLine) return 'connected'
  if (stands === 'connected' || stands === 'connecting') return 'connecting'
  return stands === 'away' ? 'away' : 'apart'
}

export class OfficeBoard {
  readonly #deps: OfficeBoardDeps
  readonly #telling: OneAtATime<void>
  readonly #reading: OneAtATime<void>
  #own: (() => OwnCounter) | undefined
  #line: OfficeCounters | undefined
  /** The last report, if the server is known to have it, and the time until it is renewed. */
  #told: string | undefined
  #next = AGAIN
  #toldAt = Number.NEGATIVE_INFINITY
  #read: Read | undefined
  /** When the others were last requested, whatever the result. */
  #readAt = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  /** A new report arrived while the others were being read, so the answer may be outdated. */
  #isRung = false
  /** The final report, when the application exits or the workstation leaves. */
  #last: 'closed' | 'nothing' | undefined

  constructor(deps: OfficeBoardDeps) {
    this.#deps = deps
    this.#telling = new OneAtATime(
      deps.time,
      () => this.#tell(),
      () => this.#line && !this.#last && this.#telling.later(this.#next)
    )
    this.#reading = new OneAtATime(
      deps.time,
      () => this.#readOthers(),
      () => this.#isLookedAt() && this.#reading.later(this.#isRung ? this.#untilAllowed() : this.#untilSilent())
    )
  }

  /** Sets this computer's counter. Call it once, when that is created. */
  follow(own: () => OwnCounter): void {
    this.#own = own
  }

  /** Called when the office's server is available. A repeated call with the same connection does nothing. */
  connect(line: OfficeCounters): void {
    if (this.#line === line) return
    this.#line = line
    this.#told = undefined
    void this.#telling.fresh()
    if (this.#isLookedAt()) void this.#reading.fresh()
  }

  disconnect(): void {
    this.#line = undefined
    this.#last = undefined
    this.#telling.cancel()
    this.#deps.changed()
  }

  /** Called when another counter has reported something new. */
  rung(): void {
    if (!this.#isLookedAt()) return
    // Scheduled at the end of the running read: a schedule made now would be dropped then.
    if (this.#reading.isRunning) this.#isRung = true
    else this.#reading.later(this.#untilAllowed())
  }

  /**
   * Returns the time until the next read is allowed, in milliseconds: at most one per second, however many
   * notifications arrive.
   */
  #untilAllowed(): number {
    return Math.max(0, this.#readAt + PAUSE - this.#deps.time.elapsed())
  }

  /** Called when something may have changed at the counter here. */
  changedHere(): void {
    if (!this.#line || this.#last || this.#content().key === this.#told) return
    const wait = this.#toldAt + PAUSE - this.#deps.time.elapsed()
    if (wait > 0) this.#telling.later(wait)
    else void this.#telling.fresh()
  }

  /**
   * Returns the others' counters as last reported, for someone with the board open; undefined if this workstation
   * belongs to no office.
   */
  view(): { desks: BoardDesk[]; office: NonNullable<Board['office']> } | undefined {
    const { time, state } = this.#deps
    const stands = state()
    if (stands === undefined) return undefined
    this.#askedAt = time.elapsed()
    const read = this.#read
    // Once in that time even without an answer, because the board asks again when told that nothing came.
    if (this.#readAt + READ_EVERY <= this.#askedAt) void this.#reading.now()
    const desks = (read?.others ?? []).flatMap((news) => (read ? (this.#deskOf(news, read) ?? []) : []))
    return { desks, office: { state: lineState(stands, this.#line !== undefined), ...defined({ readAt: read?.at }) } }
  }

  /** Reports on exit that this counter is closed, if the server answers soon. Never rejects. */
  close(): Promise<void> {
    return this.#ends('closed')
  }

  /** Removes this counter from others' boards when the workstation leaves the office. Never rejects. */
  async left(): Promise<void> {
    await this.#ends('nothing')
    this.#read = undefined
  }

  async #ends(last: 'closed' | 'nothing'): Promise<void> {
    this.#last = last
    this.#reading.cancel()
    await within(PATIENCE, this.#telling.fresh(), this.#deps.time)
  }

  /** Returns the report, and a key that tells it from the last one. */
  #content(): { key: string; content: Told | null } {
    const own = this.#own?.()
    if (!own?.isCounter || this.#last === 'nothing') return { key: '', content: null }
    const { name, staff, state, wantsStaff, hasOtherDisplay, signer, document, ...times } = own.desk
    const named = { name: shortened(name, LONGEST), wantsStaff: false, hasOtherDisplay }
    if (this.#last === 'closed') return { key: 'closed', content: { ...named, staff: '', state: 'closed' } }
    const account = own.accountId === undefined ? undefined : this.#deps.accounts().get(own.accountId)
    // Names of an account that isn't shared are reported to nobody.
    const brief = (text: string | undefined) => text && shortened(text, LONGEST)
    const whose = account !== undefined && { account, ...defined({ signer: brief(signer), document: brief(document) }) }
    const now = this.#deps.time.now()
    const since = (at: number | undefined) => at && Math.min(Math.max(0, now - at), DAY)
    const { since: began, coveredSince, downSince } = times
    const content = {
      ...{ ...named, ...whose, wantsStaff, staff: shortened(staff, LONGEST) },
      state: state as Told['state'],
      ...defined({ sinceAgo: since(began), coveredAgo: since(coveredSince), downAgo: since(downSince) })
    }
    return { key: JSON.stringify([own.desk, account]), content }
  }

  async #tell(): Promise<void> {
    const line = this.#line
    if (!line) return
    const { key, content } = this.#content()
    // That there is no counter is reported only once.
    if (content === null && this.#told === key) return
    const { every, holds } = content && content.state !== 'free' ? SIGNING : FREE
    this.#next = AGAIN
    try {
      await line.tell(content, { ms: holds, isNews: key !== this.#told })
      // A report over another connection says nothing about what this server has.
      if (this.#line === line) this.#told = key
      // If something changed in the meantime, and even if it changed back, it is reported next.
      this.#next = this.#content().key === key ? every : PAUSE
    } catch (error) {
      // It may or may not have arrived, so the next report notifies the others again.
      this.#told = undefined
      this.#deps.trouble(error)
    }
    this.#toldAt = this.#deps.time.elapsed()
  }

  #isLookedAt(): boolean {
    return this.#askedAt + LOOKED_AT > this.#deps.time.elapsed()
  }

  /** Returns the time until the next report expires, or until the regular read, in milliseconds. */
  #untilSilent(): number {
    const read = this.#read
    const left = read ? read.others.map((news) => news.left - this.#passed(read) + 1) : []
    // At most once a second, whatever the server returns.
    return Math.max(PAUSE, Math.min(...left.filter((one) => one > 0), READ_EVERY))
  }

  /**
   * Returns how long ago it was requested, in milliseconds. The monotonic clock may stop while the computer sleeps, the
   * wall clock doesn't. The larger value counts, so that nothing outdated looks current.
   */
  #passed({ elapsed, at }: Read): number {
    const { time } = this.#deps
    return Math.max(time.elapsed() - elapsed, time.now() - at)
  }

  async #readOthers(): Promise<void> {
    const { time, changed, trouble } = this.#deps
    const [line, elapsed, at] = [this.#line, time.elapsed(), time.now()]
    this.#readAt = elapsed
    this.#isRung = false
    try {
      const others = await line?.others()
      // An answer of a previous connection may be from an office that was left.
      if (others && this.#line === line && !this.#last) this.#read = { others, elapsed, at }
    } catch (error) {
      trouble(error)
    }
    // Even if nothing was read, because the known reports are older now.
    changed()
  }

  /** Undefined if the report is too old to be useful. */
  #deskOf({ station, name, ago: age, left, content }: CounterNews, read: Read): BoardDesk | undefined {
    const passed = this.#passed(read)
    if (age + passed >= DAY) return undefined
    const heardAt = Math.round(read.at - age)
    const isSilent = left <= passed
    const office = { workstation: name, heardAt, ...(isSilent && { isSilent }) }
    const told = Told.safeParse(content).data
    const id = `office ${station}`
    if (!told) {
      const unknown = { name: '', staff: '', state: 'unknown', wantsStaff: false, hasOtherDisplay: false } as const
      return { id, ...unknown, office }
    }
    const { account, signer, document, sinceAgo, coveredAgo, downAgo, ...its } = told
    const isShared = account !== undefined && [...this.#deps.accounts().values()].includes(account)
    const moment = (since: number | undefined) => (since === undefined ? undefined : Math.round(heardAt - since))
    const times = { since: moment(sinceAgo), coveredSince: moment(coveredAgo), downSince: moment(downAgo) }
    // A closed counter isn't expected to renew its last report.
    const { isSilent: _, ...closed } = office
    return {
      ...{ id, ...its, office: its.state === 'closed' ? closed : office },
      ...(isShared && defined({ signer, document })),
      ...defined(times)
    }
  }
}
