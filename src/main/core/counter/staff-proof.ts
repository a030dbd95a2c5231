/**
 * Whose PIN or badge a code is. A name is confirmed to nobody: one that isn't there is judged as long, and made to wait as long, as one that
 * is. Wrong codes are counted before they are judged, of each name and of this computer.
 */
import { timingSafeEqual } from 'node:crypto'
import { defined } from '../lib/objects.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import { Delays, type PinAnswer, type PinDeps, type StaffPinKeeper, Tries } from './pin.ts'
import { hashOf } from './pin-hash.ts'
import { mayAs } from './roles.ts'
import type { Member, StaffList } from './staff-list.ts'
import type { StaffPins } from './staff-pins.ts'

/** at: whose PIN it would have been, for the trail alone. */
export type Proof = (PinAnswer | { ok: false; code: 'pin-once'; waitUntil?: never }) & { by?: 'badge'; at?: string }

const TRIES = 'staff-tries'
const BADGE_TRIES = 'staff-badge-tries'
/** As the contract has it: a shorter code is no try at a badge. */
const SHORTEST_BADGE = 6
/** What this computer takes in wrong PINs of all names together before they wait together; and in wrong badges. */
const COMPUTER_DELAYS = { atOnce: 20, delays: [5 * 60_000] }

interface ProofDeps extends Pick<PinDeps, 'time' | 'note' | 'changed'> {
  db: Db
}

export class StaffProof {
  readonly #deps: ProofDeps
  readonly #list: StaffList
  readonly #pins: StaffPins
  readonly #meta: ReturnType<typeof keptIn>
  readonly #delays: Delays
  readonly #badgeDelays: Delays

  constructor(deps: ProofDeps, list: StaffList, pins: StaffPins) {
    this.#deps = deps
    this.#list = list
    this.#pins = pins
    this.#meta = keptIn(deps.db)
    this.#delays = new Delays(deps.time, COMPUTER_DELAYS)
    this.#badgeDelays = new Delays(deps.time, COMPUTER_DELAYS)
  }

  /**
   * To be asked `inTurn` of the list: two tries at one time would both be judged as the first of them.
   * @param isReplaced whether the PIN is replaced if it is right: a one-time PIN is good for nothing else.
   */
  async judge(code: string, name: string | undefined, isReplaced = false): Promise<Proof> {
    if (!this.#list.hasNames) return this.#pins.first.check(code)
    const member = this.#list.named(name)
    const keeper = await this.#judgeOf(member, name)
    const wrongBadges = this.#triesIn(BADGE_TRIES)
    const holder = name === undefined ? await this.#judgeBadge(code) : undefined
    // A code that is a PIN as well is that of who works here: nobody becomes someone else by their own PIN.
    const answer: Proof =
      holder && !(await keeper.is(code)) ? { ok: true, by: 'badge' } : await this.#judgePin(code, keeper)
    if (!answer.ok) return { ...answer, ...(member && { at: member.name }) }
    // As the list has them now: their PIN may have become a one-time PIN while it was judged, or they have gone.
    const id = (answer.by ? holder : member)?.id
    const who = this.#list.members.find((one) => one.id === id)
    if (!who) return { ok: false, code: 'wrong-pin', ...(member && { at: member.name }) }
    if (who.isPinOnce && !answer.by && !isReplaced) return { ok: false, code: 'pin-once', at: who.name }
    this.#meta.erase(TRIES)
    // What is right in between doesn't make wrong badges forgotten: else who has a PIN of their own could go on guessing.
    this.#meta.write(BADGE_TRIES, wrongBadges)
    // At once: a reset that comes from the office while waits end is one of who works here.
    this.choose(who, answer.by)
    if (mayAs(who.role, 'manager')) await this.#endWaits(who)
    return answer
  }

  /** They work here from now on. */
  choose(who: Member, by: Proof['by']): void {
    const before = this.#list.current()
    if (this.#list.currentId !== who.id) this.#list.setCurrent(who.id)
    if (before?.id === who.id) return
    this.#deps.note({ what: 'staff-chosen', detail: { ...(before && { from: before.name }), how: by ?? 'PIN' } })
    this.#deps.changed()
  }

  /** Whose badge it is. Those of one salt are compared with one hash. */
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

  /** The later of a moment and of when a name has waited because of the wrong PINs at all of them; undefined where it waits for nothing. */
  async waitUntil(keeper: StaffPinKeeper, its: number | undefined): Promise<number | undefined> {
    const computers = await this.#computersWait(keeper)
    return computers > 0 ? Math.max(its ?? 0, this.#deps.time.now() + computers) : its
  }

  /** Nobody waits any more for what was wrong at all names together, at names that aren't there, or in badges. */
  forgetTries(): void {
    this.#meta.erase(TRIES)
    this.#meta.erase(BADGE_TRIES)
    this.#pins.endStrangersWaits()
  }

  /**
   * What judges a PIN given at this name. Someone whose PIN is gone is as a name that isn't there, so that nobody is let in
   * because of it; only where nobody else could prove anything is there no PIN.
   */
  async #judgeOf(member: Member | undefined, name: string | undefined): Promise<StaffPinKeeper> {
    const its = member && this.#pins.of(member.id)
    const isNoneElse = this.#list.isOnlyOne && !member?.badge
    return its && (isNoneElse || (await its.state()).isSet) ? its : this.#pins.ofStranger(name ?? member?.name ?? '')
  }

  /** Whose badge it is; nobody's after too many wrong ones. */
  async #judgeBadge(code: string): Promise<Member | undefined> {
    if (code.length < SHORTEST_BADGE || !this.#list.members.some(({ badge }) => badge)) return undefined
    const tries = this.#triesIn(BADGE_TRIES)
    if (this.#badgeDelays.left(tries) > 0) return undefined
    this.#meta.write(BADGE_TRIES, this.#badgeDelays.begin(tries.wrong + 1))
    return this.holderOf(code)
  }

  /** Counted before it is judged, so that ending the application gains nothing. What isn't judged doesn't count. */
  async #judgePin(code: string, keeper: StaffPinKeeper): Promise<PinAnswer> {
    const computers = await this.#computersWait(keeper)
    if (computers > 0) return { ok: false, code: 'pin-wait', waitUntil: this.#deps.time.now() + computers }
    const tries = this.#triesIn(TRIES)
    if (this.#delays.left(tries) === 0 && (await keeper.state()).waitUntil === undefined)
      this.#meta.write(TRIES, this.#delays.begin(tries.wrong + 1))
    const answer = await keeper.check(code)
    if (answer.ok) return answer
    return { ...answer, ...defined({ waitUntil: await this.waitUntil(keeper, answer.waitUntil) }) }
  }

  /**
   * Milliseconds that a name waits because of the wrong PINs at all of them. A name that nobody got wrong has its try all the
   * same: else anyone with the screen could lock everyone out.
   */
  async #computersWait(keeper: StaffPinKeeper): Promise<number> {
    const left = this.#delays.left(this.#triesIn(TRIES))
    return left > 0 && (await keeper.wrongInARow()) > 0 ? left : 0
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
