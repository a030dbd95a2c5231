/**
 * Finds out whose PIN or badge a code is, without confirming any name: one that isn't on the list takes as long to
 * judge, and waits as long, as one that is. Codes count as wrong before they are judged, per name and for this
 * computer.
 */
import { timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { defined } from '../lib/objects.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { PinAnswer, PinDeps, StaffPinKeeper } from './pin.ts'
import { Delays, Tries } from './pin-delays.ts'
import { hashOf } from './pin-hash.ts'
import { isAtLeast } from './roles.ts'
import type { Member, StaffList } from './staff-list.ts'
import type { StaffPins } from './staff-pins.ts'

/** at: the person whose PIN was tried, for the audit trail only. */
export type Proof = (PinAnswer | { ok: false; code: 'pin-once'; waitUntil?: never }) & { by?: 'badge'; at?: string }

const TRIES = 'staff-tries'
const BADGE_TRIES = 'staff-badge-tries'
/** As in the contract: a shorter code isn't a try at a badge. */
const MIN_BADGE_LENGTH = 6
/**
 * How many wrong PINs this computer accepts, over all names, before every name with wrong ones waits. Wrong badges have
 * the same limit.
 */
const COMPUTER_DELAYS = { atOnce: 20, delays: [5 * 60_000] }

interface ProofDeps extends Pick<PinDeps, 'time' | 'note' | 'changed'> {
  db: Db
}

export class StaffAuthenticator {
  readonly #deps: ProofDeps
  readonly #list: StaffList
  readonly #pins: StaffPins
  readonly #meta: ReturnType<typeof openJsonMeta>
  readonly #delays: Delays
  readonly #badgeDelays: Delays

  constructor(deps: ProofDeps, list: StaffList, pins: StaffPins) {
    this.#deps = deps
    this.#list = list
    this.#pins = pins
    this.#meta = openJsonMeta(deps.db)
    this.#delays = new Delays(deps.time, COMPUTER_DELAYS)
    this.#badgeDelays = new Delays(deps.time, COMPUTER_DELAYS)
  }

  /**
   * Judges a code. Must run `inTurn` of the list: two tries at the same time would both be judged as the first.
   * @param isReplaced whether the PIN is being replaced; a one-time PIN is good for nothing else.
   */
  async judge(code: string, name: string | undefined, isReplaced = false): Promise<Proof> {
    if (!this.#list.hasNames) return this.#pins.first.check(code)
    const member = this.#list.memberNamed(name)
    const keeper = await this.#keeperFor(member, name)
    const wrongBadges = this.#triesIn(BADGE_TRIES)
    const holder = name === undefined ? await this.#judgeBadge(code) : undefined
    // A code that is also the PIN of who works here counts as that: nobody becomes someone else by entering their own
    // PIN.
    const answer: Proof =
      holder && !(await keeper.matches(code)) ? { ok: true, by: 'badge' } : await this.#judgePin(code, keeper)
    if (!answer.ok) return { ...answer, ...(member && { at: member.name }) }
    // Read the list again: they may have got a one-time PIN or lost their badge while the code was judged, or been removed.
    const id = (answer.by ? holder : member)?.id
    const who = this.#list.members.find((one) => one.id === id)
    const isStillTheirs = !answer.by || isDeepStrictEqual(who?.badge, holder?.badge)
    if (!who || !isStillTheirs) return { ok: false, code: 'wrong-pin', ...(member && { at: member.name }) }
    if (who.isPinOnce && !answer.by && !isReplaced) return { ok: false, code: 'pin-once', at: who.name }
    this.#meta.erase(TRIES)
    // A right PIN doesn't clear wrong badges: otherwise someone with their own PIN could go on guessing.
    this.#meta.write(BADGE_TRIES, wrongBadges)
    // Before the waits end: a reset that comes from the office meanwhile must find that they work here.
    this.choose(who, answer.by)
    if (isAtLeast(who.role, 'manager')) await this.#endWaits(who)
    return answer
  }

  /** Makes someone the person who works here. */
  choose(who: Member, by: Proof['by']): void {
    const before = this.#list.current()
    if (this.#list.currentId !== who.id) this.#list.setCurrent(who.id)
    if (before?.id === who.id) return
    this.#deps.note({ what: 'staff-chosen', detail: { ...(before && { from: before.name }), how: by ?? 'PIN' } })
    this.#deps.changed()
  }

  /** Returns whose badge a code is. Badges with the same salt are compared with one hash. */
  async holderOf(code: string): Promise<Member | undefined> {
    const badged = this.#list.members.flatMap((member) => (member.badge ? [{ member, badge: member.badge }] : []))
    const bySalt = Map.groupBy(badged, ({ badge: { salt, n, r, p } }) => [salt, n, r, p].join(' '))
    for (const same of bySalt.values()) {
      const [{ badge: first }] = same as [(typeof same)[number]]
      const { key } = await hashOf(code, first, () => Buffer.from(first.salt, 'hex'))
      const found = same.find(({ badge }) => timingSafeEqual(Buffer.from(badge.key, 'hex'), Buffer.from(key, 'hex')))
      if (found) return found.member
    }
    return undefined
  }

  /**
   * Returns the later of a moment and the end of the wait that wrong PINs at all names together cause; undefined if
   * there is no wait.
   */
  async waitUntil(keeper: StaffPinKeeper, ownWaitUntil: number | undefined): Promise<number | undefined> {
    const computerWait = await this.#computerWait(keeper)
    return computerWait > 0 ? Math.max(ownWaitUntil ?? 0, this.#deps.time.now() + computerWait) : ownWaitUntil
  }

  /** Ends the waits for wrong PINs at all names together, for names that aren't on the list, and for wrong badges. */
  forgetTries(): void {
    this.#meta.erase(TRIES)
    this.#meta.erase(BADGE_TRIES)
    this.#pins.endStrangerWaits()
  }

  /**
   * Returns what judges a PIN given with this name. Someone whose PIN is gone is treated like a name that isn't on the
   * list, so that nobody is let in because of it. There is "no PIN" only if nobody else could prove anything.
   */
  async #keeperFor(member: Member | undefined, name: string | undefined): Promise<StaffPinKeeper> {
    const own = member && this.#pins.of(member.id)
    const isOnlyProof = this.#list.hasOneMember && !member?.badge
    return own && (isOnlyProof || (await own.state()).isSet) ? own : this.#pins.ofStranger(name ?? member?.name ?? '')
  }

  /** Returns whose badge a code is; undefined after too many wrong ones. */
  async #judgeBadge(code: string): Promise<Member | undefined> {
    if (code.length < MIN_BADGE_LENGTH || !this.#list.members.some(({ badge }) => badge)) return undefined
    const tries = this.#triesIn(BADGE_TRIES)
    if (this.#badgeDelays.remaining(tries) > 0) return undefined
    this.#meta.write(BADGE_TRIES, this.#badgeDelays.begin(tries.wrong + 1))
    return this.holderOf(code)
  }

  /**
   * Judges a PIN. The try is counted first, so that ending the application gains nothing. What isn't judged doesn't
   * count.
   */
  async #judgePin(code: string, keeper: StaffPinKeeper): Promise<PinAnswer> {
    const computerWait = await this.#computerWait(keeper)
    if (computerWait > 0) return { ok: false, code: 'pin-wait', waitUntil: this.#deps.time.now() + computerWait }
    const tries = this.#triesIn(TRIES)
    if (this.#delays.remaining(tries) === 0 && (await keeper.state()).waitUntil === undefined)
      this.#meta.write(TRIES, this.#delays.begin(tries.wrong + 1))
    const answer = await keeper.check(code)
    if (answer.ok) return answer
    return { ...answer, ...defined({ waitUntil: await this.waitUntil(keeper, answer.waitUntil) }) }
  }

  /**
   * Milliseconds that a name waits because of wrong PINs at all names together. A name without wrong PINs can still be
   * tried: otherwise anyone at the screen could lock everyone out.
   */
  async #computerWait(keeper: StaffPinKeeper): Promise<number> {
    const remaining = this.#delays.remaining(this.#triesIn(TRIES))
    return remaining > 0 && (await keeper.wrongInARow()) > 0 ? remaining : 0
  }

  #triesIn(key: string): Tries {
    return this.#meta.read(key, Tries) ?? { wrong: 0, triedAt: 0 }
  }

  async #endWaits(who: Member): Promise<void> {
    const ended = await Promise.all(this.#pins.all().map((keeper) => keeper.endWait()))
    if (ended.includes(true)) this.#deps.note({ what: 'pin-wait-ended', detail: { how: `${who.name}, ${who.role}` } })
    this.forgetTries()
  }
}
