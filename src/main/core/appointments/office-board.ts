/**
 * The counters of an office's other workstations, for the board. Each workstation tells what goes on at its own as that changes, and
 * renews it while it lasts; what wasn't renewed is shown as what was so then, and what can't be read here as unknown. Others are read
 * only while someone has the board before them.
 */
import { z } from 'zod'
import type { Board, BoardDesk, DeskState } from '../../../shared/contract/index.ts'
import { OneAtATime } from '../jobs/lanes.ts'
import { defined } from '../lib/objects.ts'
import { shortened } from '../lib/text-folding.ts'
import { type Time, within } from '../lib/time.ts'
import type { CounterNews, OfficeCounters } from '../office/counters.ts'

/** How often it is renewed while someone signs, and while nobody does, and for how long each may be taken as so, in milliseconds. */
const SIGNING = { every: 20_000, holds: 60_000 }
const FREE = { every: 60_000, holds: 150_000 }
/** How long it waits where the server didn't take it, and at least between two changes. */
const AGAIN = 5_000
const PAUSE = 1_000
/** How often others are read while the board is looked at, and for how long after it was asked for it counts as that. */
const READ_EVERY = 20_000
const LOOKED_AT = 90_000
/** How long the end of the application waits for the server. */
const PATIENCE = 1_000
/** As long as the server keeps it. */
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
  /** Whose they are, by the office's id: others who don't have that account see that someone signs, and not who. */
  ...{ account: text.optional(), signer: text.optional(), document: text.optional() },
  // No other counter's clock is believed: how long ago, as it was told.
  ...{ sinceAgo: ago, coveredAgo: ago, downAgo: ago }
})
type Told = z.output<typeof Told>

/** What others hear about this computer's counter. */
export interface OwnCounter {
  readonly desk: BoardDesk
  /** Whether people sign here at all: else there is nothing to tell. */
  readonly isCounter: boolean
  /** Of the session that runs. */
  readonly accountId: string | undefined
}

interface OfficeBoardDeps {
  time: Time
  /** This workstation's place in the office; undefined where it belongs to none. */
  state: () => DeskState | undefined
  /** The accounts that are shared: the office's ids by those here. */
  accounts: () => ReadonlyMap<string, string>
  /** Others' counters are known otherwise than before. */
  changed: () => void
  trouble: (error: unknown) => void
}

/** `elapsed`, `at`: when, on this run's clock and on the one on the wall. */
interface Read {
  readonly others: readonly CounterNews[]
  readonly elapsed: number
  readonly at: number
}

/** @param stands as the server has last said, which it may have just before a line is there, or just after it has gone. */
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
  /** What the server has of this counter, as far as that is known; how long until it is renewed. */
  #told: string | undefined
  #next = AGAIN
  #toldAt = Number.NEGATIVE_INFINITY
  #read: Read | undefined
  /** When others were asked for last, whatever came of it. */
  #readAt = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  /** Something new was told while others were being read: what is answered may be from before. */
  #isRung = false
  /** What it says of itself as it ends or leaves, in place of what goes on. */
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

  /** From now on this is the counter here; to be called once, as it is made. */
  follow(own: () => OwnCounter): void {
    this.#own = own
  }

  /** The office's server is there; said again with the same line, nothing is done. */
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

  /** Another counter has told something new. */
  rung(): void {
    if (!this.#isLookedAt()) return
    // It is planned as that read ends: what is planned now would be forgotten then.
    if (this.#reading.isRunning) this.#isRung = true
    else this.#reading.later(this.#untilAllowed())
  }

  /** However many bells there are, and however quick: others are read once a second. In milliseconds. */
  #untilAllowed(): number {
    return Math.max(0, this.#readAt + PAUSE - this.#deps.time.elapsed())
  }

  /** Something may be otherwise at the counter here. */
  changedHere(): void {
    if (!this.#line || this.#last || this.#content().key === this.#told) return
    const wait = this.#toldAt + PAUSE - this.#deps.time.elapsed()
    if (wait > 0) this.#telling.later(wait)
    else void this.#telling.fresh()
  }

  /** Others' counters as they were heard of, for who looks at the board; undefined where this workstation belongs to no office. */
  view(): { desks: BoardDesk[]; office: NonNullable<Board['office']> } | undefined {
    const { time, state } = this.#deps
    const stands = state()
    if (stands === undefined) return undefined
    this.#askedAt = time.elapsed()
    const read = this.#read
    // Once in that time, also where no answer comes: who is told that nothing did asks again.
    if (this.#readAt + READ_EVERY <= this.#askedAt) void this.#reading.now()
    const desks = (read?.others ?? []).flatMap((news) => (read ? (this.#deskOf(news, read) ?? []) : []))
    return { desks, office: { state: lineState(stands, this.#line !== undefined), ...defined({ readAt: read?.at }) } }
  }

  /** The application ends: others are told that this counter is closed, if the server answers soon. Never rejects. */
  close(): Promise<void> {
    return this.#ends('closed')
  }

  /** The workstation leaves the office: its counter isn't on others' boards any more. Never rejects. */
  async left(): Promise<void> {
    await this.#ends('nothing')
    this.#read = undefined
  }

  async #ends(last: 'closed' | 'nothing'): Promise<void> {
    this.#last = last
    this.#reading.cancel()
    await within(PATIENCE, this.#telling.fresh(), this.#deps.time)
  }

  /** What is told, and what tells it from what was told before. */
  #content(): { key: string; content: Told | null } {
    const own = this.#own?.()
    if (!own?.isCounter || this.#last === 'nothing') return { key: '', content: null }
    const { name, staff, state, wantsStaff, hasOtherDisplay, signer, document, ...times } = own.desk
    const named = { name: shortened(name, LONGEST), wantsStaff: false, hasOtherDisplay }
    if (this.#last === 'closed') return { key: 'closed', content: { ...named, staff: '', state: 'closed' } }
    const account = own.accountId === undefined ? undefined : this.#deps.accounts().get(own.accountId)
    // Of an account that isn't the office's nobody else hears.
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
    // Nobody is told again and again that there is nothing.
    if (content === null && this.#told === key) return
    const { every, holds } = content && content.state !== 'free' ? SIGNING : FREE
    this.#next = AGAIN
    try {
      await line.tell(content, { ms: holds, isNews: key !== this.#told })
      // What another line was told says nothing of what this one's server has.
      if (this.#line === line) this.#told = key
      // What became otherwise meanwhile, or was so again, is told next.
      this.#next = this.#content().key === key ? every : PAUSE
    } catch (error) {
      // It may have come there, or not: who looks is told once more.
      this.#told = undefined
      this.#deps.trouble(error)
    }
    this.#toldAt = this.#deps.time.elapsed()
  }

  #isLookedAt(): boolean {
    return this.#askedAt + LOOKED_AT > this.#deps.time.elapsed()
  }

  /** How long until the next of them counts as not heard of, or until they are read in any case; in milliseconds. */
  #untilSilent(): number {
    const read = this.#read
    const left = read ? read.others.map((news) => news.left - this.#passed(read) + 1) : []
    // Whatever is answered: once a second.
    return Math.max(PAUSE, Math.min(...left.filter((one) => one > 0), READ_EVERY))
  }

  /**
   * How long ago that was asked for, in milliseconds. The clock that never jumps may stand still while the computer sleeps, the one on
   * the wall doesn't: the stricter counts, so what is shown is rather too old than as if it were now.
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
      // What a line answers that is no longer this one's may be of an office that was left.
      if (others && this.#line === line && !this.#last) this.#read = { others, elapsed, at }
    } catch (error) {
      trouble(error)
    }
    // Also where nothing was read: what was heard of is older now.
    changed()
  }

  /** Undefined where it is too old to say anything. */
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
    // What a counter that is closed was last told isn't waited for any more.
    const { isSilent: _, ...closed } = office
    return {
      ...{ id, ...its, office: its.state === 'closed' ? closed : office },
      ...(isShared && defined({ signer, document })),
      ...defined(times)
    }
  }
}
