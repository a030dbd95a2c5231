/**
 * The counters of an office's other workstations, for the board. Each workstation reports its own counter on changes,
 * and renews the report while it is valid. An expired report is shown as of its time, and one that can't be read as
 * unknown. The others are read only while someone has the board open.
 */
import { z } from 'zod'
import type { Board, BoardCounter, OfficeMembershipState } from '../../../shared/contract/index.ts'
import { SerialTask } from '../jobs/lanes.ts'
import { defined } from '../lib/objects.ts'
import { shortened } from '../lib/text-folding.ts'
import { type Time, within } from '../lib/time.ts'
import type { CounterReport, OfficeCounters } from '../office/counters.ts'

/**
 * How often a report is renewed, and how long it is valid, while someone signs and while nobody does, in milliseconds.
 */
const SIGNING_INTERVALS = { every: 20_000, holds: 60_000 }
const FREE_INTERVALS = { every: 60_000, holds: 150_000 }
/** The delay before a retry, and the minimum time between two reports, in milliseconds. */
const RETRY_DELAY = 5_000
const MIN_INTERVAL = 1_000
/**
 * How often the others are read while the board is open, and how long after its last request it counts as open, in
 * milliseconds.
 */
const READ_INTERVAL = 20_000
const VIEW_TIMEOUT = 90_000
/** How long the application's exit waits for the server, in milliseconds. */
const EXIT_TIMEOUT = 1_000
/** As long as the server keeps a report. */
const DAY = 86_400_000

const MAX_TEXT_LENGTH = 200
const text = z.string().max(MAX_TEXT_LENGTH)
const ago = z
  .number()
  .min(0)
  .max(366 * DAY)
  .optional()
const Report = z.object({
  name: text,
  staff: text,
  wantsStaff: z.boolean(),
  hasOtherDisplay: z.boolean(),
  state: z.enum(['free', 'signing', 'covered', 'between', 'locked', 'closed']),
  /** The office's id of the account. Workstations without that account see that someone signs, but not who. */
  account: text.optional(),
  signer: text.optional(),
  document: text.optional(),
  // Other counters' clocks aren't trusted, so these are ages at the time of the report.
  sinceAgo: ago,
  coveredAgo: ago,
  downAgo: ago
})
type Report = z.output<typeof Report>

/** What others learn about this computer's counter. */
export interface OwnCounter {
  readonly counter: BoardCounter
  /** Whether people sign here at all; if not, there is nothing to report. */
  readonly isCounter: boolean
  /** The running session's account. */
  readonly accountId: string | undefined
}

interface OfficeBoardDeps {
  time: Time
  /** This workstation's state in the office; undefined if it belongs to none. */
  state: () => OfficeMembershipState | undefined
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  /** Called when the known state of others' counters changed. */
  changed: () => void
  onError: (error: unknown) => void
}

/** `elapsed`, `at`: when, by the monotonic clock and by the wall clock. */
interface ReadResult {
  readonly others: readonly CounterReport[]
  readonly elapsed: number
  readonly at: number
}

/** @param membership the last known state, which may be slightly ahead of the connection or behind it. */
function connectionState(
  membership: OfficeMembershipState,
  isConnected: boolean
): NonNullable<Board['office']>['state'] {
  if (isConnected) return 'connected'
  if (membership === 'connected' || membership === 'connecting') return 'connecting'
  return membership === 'away' ? 'away' : 'apart'
}

export class OfficeBoard {
  readonly #deps: OfficeBoardDeps
  readonly #reporting: SerialTask<void>
  readonly #reading: SerialTask<void>
  #own: (() => OwnCounter) | undefined
  #connection: OfficeCounters | undefined
  /** The last report, if the server is known to have it, and the time until it is renewed. */
  #lastReport: string | undefined
  #untilNextReport = RETRY_DELAY
  #reportedAt = Number.NEGATIVE_INFINITY
  #read: ReadResult | undefined
  /** When the others were last requested, whatever the result. */
  #readAt = Number.NEGATIVE_INFINITY
  #viewedAt = Number.NEGATIVE_INFINITY
  /** A new report arrived while the others were being read, so the answer may be outdated. */
  #isOutdated = false
  /** The final report, when the application exits or the workstation leaves. */
  #finalReport: 'closed' | 'nothing' | undefined

  constructor(deps: OfficeBoardDeps) {
    this.#deps = deps
    this.#reporting = new SerialTask(
      deps.time,
      () => this.#pushReport(),
      () => this.#connection && !this.#finalReport && this.#reporting.schedule(this.#untilNextReport)
    )
    this.#reading = new SerialTask(
      deps.time,
      () => this.#readOthers(),
      () => this.#isViewed() && this.#reading.schedule(this.#isOutdated ? this.#untilAllowed() : this.#untilNextRead())
    )
  }

  /** Sets this computer's counter. Call it once, when that is created. */
  setOwnCounter(own: () => OwnCounter): void {
    this.#own = own
  }

  /** Called when the office's server is available. A repeated call with the same connection does nothing. */
  connect(connection: OfficeCounters): void {
    if (this.#connection === connection) return
    this.#connection = connection
    this.#lastReport = undefined
    void this.#reporting.runFresh()
    if (this.#isViewed()) void this.#reading.runFresh()
  }

  disconnect(): void {
    this.#connection = undefined
    this.#finalReport = undefined
    this.#reporting.cancel()
    this.#deps.changed()
  }

  /** Called when another counter has reported something new. */
  notified(): void {
    if (!this.#isViewed()) return
    // Scheduled at the end of the running read: a schedule made now would be dropped then.
    if (this.#reading.isRunning) this.#isOutdated = true
    else this.#reading.schedule(this.#untilAllowed())
  }

  /**
   * Returns the time until the next read is allowed, in milliseconds: at most one per second, however many
   * notifications arrive.
   */
  #untilAllowed(): number {
    return Math.max(0, this.#readAt + MIN_INTERVAL - this.#deps.time.elapsed())
  }

  /** Called when something may have changed at the counter here. */
  localChanged(): void {
    if (!this.#connection || this.#finalReport || this.#report().key === this.#lastReport) return
    const wait = this.#reportedAt + MIN_INTERVAL - this.#deps.time.elapsed()
    if (wait > 0) this.#reporting.schedule(wait)
    else void this.#reporting.runFresh()
  }

  /**
   * Returns the others' counters as last reported, for someone with the board open; undefined if this workstation
   * belongs to no office.
   */
  view(): { counters: BoardCounter[]; office: NonNullable<Board['office']> } | undefined {
    const { time, state } = this.#deps
    const membership = state()
    if (membership === undefined) return undefined
    this.#viewedAt = time.elapsed()
    const read = this.#read
    // Once in that time even without an answer, because the board asks again when told that nothing came.
    if (this.#readAt + READ_INTERVAL <= this.#viewedAt) void this.#reading.run()
    const counters = (read?.others ?? []).flatMap((report) => (read ? (this.#counterOf(report, read) ?? []) : []))
    return {
      counters,
      office: { state: connectionState(membership, this.#connection !== undefined), ...defined({ readAt: read?.at }) }
    }
  }

  /** Reports on exit that this counter is closed, if the server answers soon. Never rejects. */
  close(): Promise<void> {
    return this.#sendFinal('closed')
  }

  /** Removes this counter from others' boards when the workstation leaves the office. Never rejects. */
  async leftOffice(): Promise<void> {
    await this.#sendFinal('nothing')
    this.#read = undefined
  }

  async #sendFinal(report: 'closed' | 'nothing'): Promise<void> {
    this.#finalReport = report
    this.#reading.cancel()
    await within(EXIT_TIMEOUT, this.#reporting.runFresh(), this.#deps.time)
  }

  /** Returns the report, and a key that tells it from the last one. */
  #report(): { key: string; content: Report | null } {
    const own = this.#own?.()
    if (!own?.isCounter || this.#finalReport === 'nothing') return { key: '', content: null }
    const { name, staff, state, wantsStaff, hasOtherDisplay, signer, document, ...times } = own.counter
    const named = { name: shortened(name, MAX_TEXT_LENGTH), wantsStaff: false, hasOtherDisplay }
    if (this.#finalReport === 'closed') return { key: 'closed', content: { ...named, staff: '', state: 'closed' } }
    const account = own.accountId === undefined ? undefined : this.#deps.accounts().get(own.accountId)
    // Names of an account that isn't shared are reported to nobody.
    const shorten = (text: string | undefined) => text && shortened(text, MAX_TEXT_LENGTH)
    const whose = account !== undefined && {
      account,
      ...defined({ signer: shorten(signer), document: shorten(document) })
    }
    const now = this.#deps.time.now()
    const ageOf = (at: number | undefined) => at && Math.min(Math.max(0, now - at), DAY)
    const { since: began, coveredSince, downSince } = times
    const content = {
      ...named,
      ...whose,
      wantsStaff,
      staff: shortened(staff, MAX_TEXT_LENGTH),
      state: state as Report['state'],
      ...defined({ sinceAgo: ageOf(began), coveredAgo: ageOf(coveredSince), downAgo: ageOf(downSince) })
    }
    return { key: JSON.stringify([own.counter, account]), content }
  }

  async #pushReport(): Promise<void> {
    const connection = this.#connection
    if (!connection) return
    const { key, content } = this.#report()
    // That there is no counter is reported only once.
    if (content === null && this.#lastReport === key) return
    const { every, holds } = content && content.state !== 'free' ? SIGNING_INTERVALS : FREE_INTERVALS
    this.#untilNextReport = RETRY_DELAY
    try {
      await connection.publish(content, { ms: holds, isNews: key !== this.#lastReport })
      // A report over another connection says nothing about what this server has.
      if (this.#connection === connection) this.#lastReport = key
      // If something changed in the meantime, and even if it changed back, it is reported next.
      this.#untilNextReport = this.#report().key === key ? every : MIN_INTERVAL
    } catch (error) {
      // It may or may not have arrived, so the next report notifies the others again.
      this.#lastReport = undefined
      this.#deps.onError(error)
    }
    this.#reportedAt = this.#deps.time.elapsed()
  }

  #isViewed(): boolean {
    return this.#viewedAt + VIEW_TIMEOUT > this.#deps.time.elapsed()
  }

  /** Returns the time until the next report expires, or until the regular read, in milliseconds. */
  #untilNextRead(): number {
    const read = this.#read
    const remaining = read ? read.others.map((report) => report.remaining - this.#ageOf(read) + 1) : []
    // At most once a second, whatever the server returns.
    return Math.max(MIN_INTERVAL, Math.min(...remaining.filter((one) => one > 0), READ_INTERVAL))
  }

  /**
   * Returns how long ago it was requested, in milliseconds. The monotonic clock may stop while the computer sleeps, the
   * wall clock doesn't. The larger value counts, so that nothing outdated looks current.
   */
  #ageOf({ elapsed, at }: ReadResult): number {
    const { time } = this.#deps
    return Math.max(time.elapsed() - elapsed, time.now() - at)
  }

  async #readOthers(): Promise<void> {
    const { time, changed, onError } = this.#deps
    const [connection, elapsed, at] = [this.#connection, time.elapsed(), time.now()]
    this.#readAt = elapsed
    this.#isOutdated = false
    try {
      const others = await connection?.others()
      // An answer of a previous connection may be from an office that was left.
      if (others && this.#connection === connection && !this.#finalReport) this.#read = { others, elapsed, at }
    } catch (error) {
      onError(error)
    }
    // Even if nothing was read, because the known reports are older now.
    changed()
  }

  /** Undefined if the report is too old to be useful. */
  #counterOf(
    { station, name, ago: age, remaining, content }: CounterReport,
    read: ReadResult
  ): BoardCounter | undefined {
    const readAge = this.#ageOf(read)
    if (age + readAge >= DAY) return undefined
    const heardAt = Math.round(read.at - age)
    const isSilent = remaining <= readAge
    const office = { workstation: name, heardAt, ...(isSilent && { isSilent }) }
    const report = Report.safeParse(content).data
    const id = `office ${station}`
    if (!report) {
      const unknown = { name: '', staff: '', state: 'unknown', wantsStaff: false, hasOtherDisplay: false } as const
      return { id, ...unknown, office }
    }
    const { account, signer, document, sinceAgo, coveredAgo, downAgo, ...its } = report
    const isShared = account !== undefined && [...this.#deps.accounts().values()].includes(account)
    const moment = (since: number | undefined) => (since === undefined ? undefined : Math.round(heardAt - since))
    const times = { since: moment(sinceAgo), coveredSince: moment(coveredAgo), downSince: moment(downAgo) }
    // A closed counter isn't expected to renew its last report.
    const { isSilent: _, ...closed } = office
    return {
      id,
      ...its,
      office: its.state === 'closed' ? closed : office,
      ...(isShared && defined({ signer, document })),
      ...defined(times)
    }
  }
}
