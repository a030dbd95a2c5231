/**
 * Who of staff there is, and what each proves it by: a PIN of their own, or a badge that a reader types. With nobody named there
 * is one PIN for all, as most offices need; its owner is the first administrator once someone is added. A name is confirmed to
 * nobody: one that isn't there is judged as long, and made to wait as long, as one that is.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { PinState, StaffMember, StaffRole } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined, getOrMake } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import { keptIn, openMeta } from '../storage/meta.ts'
import { Delays, type PinAnswer, type PinDeps, StaffPinKeeper, Tries } from './pin.ts'
import { FULL_COST, hashOf, isCheaper, PinHash, refusedPin } from './pin-hash.ts'
import { mayAs, ROLES } from './roles.ts'

/** As a list from before says it of those who are managers now. */
const SUPERVISOR = 'supervisor'
export const Member = z.object({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(100),
  role: z.preprocess((role) => (role === SUPERVISOR ? 'manager' : role), z.enum(ROLES)),
  badge: PinHash.optional(),
  /** The PIN lets them choose their own, and nothing else. */
  isPinOnce: z.literal(true).optional()
})
export type Member = z.infer<typeof Member>

/** Where the list is kept; the database's triggers know it and the keys of PINs, too. */
const LIST = 'staff'
const CURRENT = 'staff-current'
const RELEASE = 'staff-release'
const RESETS = 'staff-resets'
/** Of which resets the audit trail says it, by their ids. */
const RESETS_NOTED = 'staff-resets-noted'
/** The resets that were known as it left an office, with the PINs of those who had them. */
const RESETS_LEFT = 'staff-resets-left'
const TRIES = 'staff-tries'
const BADGE_TRIES = 'staff-badge-tries'
const STRANGERS = 'staff-strangers'
/** Whose PIN is the keychain's, as it was before there were names. */
export const FIRST = 'first'
/** Names that aren't there and were tried; of more the oldest are forgotten. */
const MOST_STRANGERS = 500
/** As the contract has it: a shorter code is no try at a badge. */
const SHORTEST_BADGE = 6
/** What this computer takes in wrong PINs of all names together before they wait together; and in wrong badges. */
const COMPUTER_DELAYS = { atOnce: 20, delays: [5 * 60_000] }

const ReleaseNeeded = z.object({ above: z.int().min(0) })
type ReleaseNeeded = z.infer<typeof ReleaseNeeded>
const KeptHash = z.object({ hash: PinHash })

/** An administrator's PIN that the one who runs the office's server has set again: whose, by which user of the server, in ms since 1970 UTC by its clock. */
export const PinReset = z.object({
  id: z.string().max(64),
  member: z.string().max(64),
  name: z.string().max(100),
  by: z.string().max(200),
  at: z.number().min(0).max(8.64e15),
  /** Another PIN was chosen since: that one counts, also against a list of before. */
  isOver: z.literal(true).optional()
})
export type PinReset = z.infer<typeof PinReset>
/** Of more the oldest are forgotten. */
const MOST_RESETS = 100
/** Negative where one was before the other; the same for all workstations, also of two at one moment. */
export const inOrder = (one: PinReset, other: PinReset): number => one.at - other.at || (one.id < other.id ? -1 : 1)
/** The resets of these lists, in their order; over for all where it is for one. */
export function allResets(...lists: (readonly PinReset[] | undefined)[]): PinReset[] {
  const byId = Map.groupBy(
    lists.flatMap((list) => list ?? []),
    ({ id }) => id
  )
  return [...byId.values()]
    .flatMap((same) => same.find(({ isOver }) => isOver) ?? same.slice(0, 1))
    .sort(inOrder)
    .slice(-MOST_RESETS)
}

/** Staff of a whole office. The hash of a PIN is as secret as the PIN: it goes nowhere but sealed. */
export const StaffInCommon = z.object({
  members: z
    .array(Member.extend({ pin: PinHash.optional() }))
    .min(1)
    .max(1000),
  release: ReleaseNeeded.optional(),
  resets: z.array(PinReset).max(MOST_RESETS).optional()
})
export type StaffInCommon = z.infer<typeof StaffInCommon>

/** at: whose PIN it would have been, for the trail alone. */
export type Proof = (PinAnswer | { ok: false; code: 'pin-once'; waitUntil?: never }) & { by?: 'badge'; at?: string }

export interface StaffDeps extends Omit<PinDeps, 'keeps'> {
  keeps: PinDeps['keeps']
  db: Db
  newId: () => string
  /** What the first administrator is called, unless they say otherwise. */
  firstName: () => string
  /** Whether this workstation belongs to an office, whose staff they are then. */
  isOffices?: () => boolean
}

export interface NewStaff {
  name: string
  role: StaffRole
  pin: string
  badge?: string | undefined
}

export interface StaffChange {
  name?: string | undefined
  role?: StaffRole | undefined
  pin?: string | undefined
  /** null takes it away. */
  badge?: string | null | undefined
}

export class Staff {
  readonly #deps: StaffDeps
  readonly #meta: ReturnType<typeof keptIn>
  readonly #keepers = new Map<string, StaffPinKeeper>()
  readonly #delays: Delays
  readonly #badgeDelays: Delays
  readonly #readText: (key: string) => string | undefined
  #read: { text: string | undefined; members: Member[]; unread: readonly unknown[] } | undefined
  #wasLocked = false

  constructor(deps: StaffDeps) {
    this.#deps = deps
    this.#meta = keptIn(deps.db)
    this.#delays = new Delays(deps.time, COMPUTER_DELAYS)
    this.#badgeDelays = new Delays(deps.time, COMPUTER_DELAYS)
    this.#readText = openMeta(deps.db).read
  }

  /** As the database has it: an office's list changes without our doing, and a change of it may be undone. */
  get #kept() {
    const text = this.#readText(LIST)
    if (this.#read && this.#read.text === text) return this.#read
    const kept = listIn(text)
    const members = kept.flatMap((one) => Member.safeParse(one).data ?? [])
    this.#read = { text, members, unread: kept.filter((one) => !Member.safeParse(one).success) }
    return this.#read
  }

  get #members(): Member[] {
    return this.#kept.members
  }

  /** What the list has that can't be understood: kept as it is, and locked rather than taken for nobody. */
  get #unread(): readonly unknown[] {
    return this.#kept.unread
  }

  get #isOffices(): boolean {
    return this.#deps.isOffices?.() ?? false
  }

  /** Whether staff have names, so that each PIN belongs to one of them. */
  get hasNames(): boolean {
    return this.#members.length + this.#unread.length > 0
  }

  /** Whether this system tells when someone signs in, by a password and not by moving the mouse. */
  get canReset(): boolean {
    return this.#first.canReset
  }

  /** Who works here now: as they proved last. Undefined where nobody has a name, and in an office until someone has proved theirs. */
  current(): Member | undefined {
    return this.proved() ?? (this.#isOffices ? undefined : this.#members.find(isAdministrator))
  }

  /** The same for what takes a role: nobody has the place of someone who is on the list no more. */
  proved(): Member | undefined {
    const id = this.#meta.read(CURRENT, z.string())
    if (id === undefined && !this.#isOffices) return this.#members.find(isAdministrator)
    return this.#members.find((member) => member.id === id)
  }

  list(): StaffMember[] {
    const current = this.current()
    return this.#members.map(({ id, name, role, badge }) => ({
      ...{ id, name, role, hasBadge: badge !== undefined, isCurrent: id === current?.id }
    }))
  }

  /**
   * Of the PIN that is asked for where no name is given. Only a PIN that is the only one can be reset without an administrator,
   * and an administrator's once the keychain's entry was removed.
   */
  async state(): Promise<PinState> {
    const keeper = this.#keeperOf(this.current()?.id ?? FIRST)
    const state = await keeper.state()
    if (!this.hasNames) return state
    const waitUntil = this.#later(state.waitUntil, await this.#computersWait(keeper))
    const isSet = state.isSet || !this.#isOnlyOne || this.#isOffices
    const needsName = this.current() === undefined ? (true as const) : undefined
    const named = { ...state, asksName: true as const, isSet, ...defined({ needsName, waitUntil }) }
    // A keychain that fails says so wherever its PIN is asked for.
    if (named.isSet && (await this.hasLostEntry().catch(() => false)))
      return { ...named, canReset: false, reset: 'allowed', resetOf: this.#heir().name }
    return { ...named, ...(!this.#mayReset && { canReset: false, reset: 'none' }) }
  }

  /**
   * Whether the keychain's entry was removed although staff have names, which takes someone who can sign in to the computer: the
   * way back for an office of which no administrator knows their PIN.
   */
  async hasLostEntry(): Promise<boolean> {
    // An office's PINs are in no keychain: who can sign in to one of its computers gets no way to an administrator's for all.
    return this.hasNames && !this.#isOffices && (await this.#deps.slot.get()) === null
  }

  /**
   * Whether this is the PIN of who is named, of who works here now where nobody is, or anyone's badge. Who proves it works here
   * from then on; a manager or an administrator ends everyone's waiting as well.
   */
  check(code: string, name?: string): Promise<Proof> {
    return inTurn(this, () => this.#judge(code, name))
  }

  /**
   * As `StaffPinKeeper.set`, of one's own PIN: nobody chooses one for a name without the one that holds, and guesses count. Where
   * the keychain's entry was removed it is an administrator's, who works here from then on.
   */
  async set(pin: string, current?: string, name?: string): Promise<PinState> {
    await inTurn(this, async () => {
      if (!this.hasNames) return this.#first.set(pin, current)
      if (current !== undefined) return this.#setOwn(pin, current, name)
      if (name === undefined && (await this.hasLostEntry())) return this.#setHeirs(pin)
      const who = this.#isOnlyOne ? this.#named(name) : undefined
      return (who ? this.#keeperOf(who.id) : this.#strangerOf(name ?? '')).set(pin)
    })
    return this.state()
  }

  /** As `StaffPinKeeper.reset`. @throws AppFailure `bad-input` where an administrator can set another. */
  async reset(): Promise<PinState> {
    if (this.hasNames && !this.#mayReset) {
      fail('bad-input', 'Only an administrator can set a new PIN for you.', {
        next: 'Ask one to set it in Settings → Counter.'
      })
    }
    await this.#keeperOf(this.current()?.id ?? FIRST).reset()
    return this.state()
  }

  lockScreen(): void {
    this.#wasLocked = true
    for (const keeper of this.#all()) keeper.lockScreen()
  }

  /** The computer was unlocked: nobody waits after wrong PINs any more, where the system tells of a sign-in. */
  unlockScreen(): void {
    for (const keeper of this.#all()) void keeper.unlockScreen()
    if (this.canReset && this.#wasLocked) this.#forgetTries()
    this.#wasLocked = false
  }

  /** @throws AppFailure `no-pin` before there is a PIN, `invalid` with fields. */
  async add({ name, role, pin, badge }: NewStaff): Promise<void> {
    await inTurn(this, async () => {
      const before = await this.#withFirst()
      const id = this.#deps.newId()
      const member = { id, name: this.#freeName(name, before), role }
      const added = await this.#withBadge(member, badge)
      if (!this.hasNames) this.#meta.write(CURRENT, FIRST)
      const after = (now: Member[]) => [...(this.hasNames ? now : before), added]
      await this.#keeperOf(id).replace(pin, (secret) => this.#writeWithPin(after, id, secret))
      if (this.#isOffices) await this.#leaveKeychain()
      this.#deps.note({ what: 'staff-added', detail: { name: member.name, role: member.role } })
    })
    this.#deps.changed()
  }

  /** By an administrator. @throws AppFailure `gone`, `invalid` with fields, `bad-input` where nobody could change settings any more. */
  async change(id: string, { name, role, pin, badge }: StaffChange): Promise<void> {
    await inTurn(this, async () => {
      const before = this.#members.find((member) => member.id === id) ?? fail('gone', 'They are no longer on the list.')
      const others = this.#members.filter((member) => member.id !== id)
      if (role !== undefined && role !== 'administrator') this.#mustBeAdministrated(others)
      if (role !== undefined) this.#mustBeReleasable([...others, { ...before, role }])
      const next = {
        ...before,
        ...(role && { role }),
        ...(name !== undefined && { name: this.#freeName(name, others) })
      }
      const after = await this.#withBadge(pin === undefined ? next : ownPin(next), badge)
      const members = (now: Member[]) => now.map((member) => (member.id === id ? after : member))
      if (pin === undefined) this.#write(members)
      else await this.#keeperOf(id).replace(pin, (secret) => this.#writeWithPin(members, id, secret))
      const detail = {
        name: before.name === after.name ? after.name : `${before.name} → ${after.name}`,
        ...(before.role !== after.role && { role: `${before.role} → ${after.role}` }),
        ...(pin !== undefined && { pin: 'another' }),
        ...(badge !== undefined && { badge: badge === null ? 'removed' : 'another' })
      }
      this.#deps.note({ what: 'staff-changed', detail })
    })
    this.#deps.changed()
  }

  /** By an administrator. @throws as `change`. The last one can be removed where theirs is the keychain's PIN: it is everyone's again. */
  async remove(id: string): Promise<void> {
    await inTurn(this, async () => {
      const member = this.#members.find((one) => one.id === id) ?? fail('gone', 'They are no longer on the list.')
      const others = this.#members.filter((one) => one.id !== id)
      if (!this.#isOnlyOne || id !== FIRST) this.#mustBeAdministrated(others)
      this.#mustBeReleasable(others)
      this.#write(
        () => others,
        () => void this.#meta.erase(pinKey(id))
      )
      this.#keepers.delete(id)
      this.#deps.note({ what: 'staff-removed', detail: { name: member.name, role: member.role } })
      // The keychain's PIN stays where it is the only one, and is nobody's from now on where others have theirs. A keychain that
      // fails keeps a PIN that no name belongs to.
      if (id === FIRST && others.length > 0) await this.#deps.slot.set(this.#nobodys()).catch(() => undefined)
    })
    this.#deps.changed()
  }

  /** Whose PIN is set again: an administrator's, of whom there is always one, unless the list can't be understood. */
  #heir(): Member {
    const first = { id: FIRST, name: this.#deps.firstName(), role: 'administrator' as const }
    return this.#members.find(isAdministrator) ?? first
  }

  /** @throws AppFailure `invalid` with the field; KeychainError. */
  async #setHeirs(pin: string): Promise<void> {
    const who = this.#heir()
    const after = (now: Member[]) => [who, ...now.filter(({ id }) => id !== who.id)]
    await this.#keeperOf(who.id).replace(pin, (secret) => this.#writeWithPin(after, who.id, secret))
    if (who.id !== FIRST) await this.#deps.slot.set(this.#nobodys())
    this.#deps.note({ what: 'pin-reset', detail: { how: 'after the keychain’s entry was removed', name: who.name } })
    this.#choose(who, undefined)
  }

  /** @throws AppFailure `invalid` with the field, `wrong-pin`, `pin-wait`. */
  async #setOwn(pin: string, current: string, name: string | undefined): Promise<void> {
    const refused = refusedPin(pin)
    if (refused) refuse('pin', refused)
    const { note, time } = this.#deps
    const who = this.#named(name)
    if (who?.isPinOnce && pin === current) refuse('pin', 'Choose another PIN than the one you were given.')
    // By name, as a badge is no PIN of anyone's to be replaced.
    const answer = await this.#judge(current, who?.name ?? name ?? '', true)
    if (answer.ok && who && (await this.#replaceRight(who, pin))) {
      const how = who.isPinOnce ? 'replacing a one-time PIN' : 'in place of another'
      note({ what: 'pin-set', detail: { how, name: who.name } })
      return
    }
    const { code, waitUntil } = answer.ok ? { code: 'wrong-pin' as const } : answer
    if (code === 'wrong-pin')
      note({ what: 'pin-wrong', detail: { where: 'choosing a new PIN', ...(answer.at && { name: answer.at }) } })
    const message = code === 'pin-wait' ? 'Too many wrong PINs.' : 'Wrong PIN.'
    const wait = waitUntil === undefined ? {} : { retryAfterMs: Math.max(waitUntil - time.now(), 1) }
    fail(code, message, { ...wait, fields: [{ field: 'current', message }] })
  }

  /** Whether it was: where another PIN of theirs came from the office while this one was made, that one stays. */
  async #replaceRight(who: Member, pin: string): Promise<boolean> {
    const members = (now: Member[]) => now.map((member) => (member.id === who.id ? ownPin(member) : member))
    const keeper = this.#keeperOf(who.id)
    let isReplaced = false
    await keeper.replace(pin, async (secret) => {
      // The keychain's PIN is no office's.
      if (who.id !== FIRST && !isDeepStrictEqual(this.#hashFor(who.id), keeper.right)) return
      await this.#writeWithPin(members, who.id, secret)
      isReplaced = true
    })
    return isReplaced
  }

  /** @param isReplaced whether the PIN is replaced if it is right: a one-time PIN is good for nothing else. */
  async #judge(code: string, name: string | undefined, isReplaced = false): Promise<Proof> {
    if (!this.hasNames) return this.#first.check(code)
    const member = this.#named(name)
    const keeper = await this.#judgeOf(member, name)
    const wrongBadges = this.#triesIn(BADGE_TRIES)
    const holder = name === undefined ? await this.#judgeBadge(code) : undefined
    // A code that is a PIN as well is that of who works here: nobody becomes someone else by their own PIN.
    const answer: Proof =
      holder && !(await keeper.is(code)) ? { ok: true, by: 'badge' } : await this.#judgePin(code, keeper)
    if (!answer.ok) return { ...answer, ...(member && { at: member.name }) }
    // As the list has them now: their PIN may have become a one-time PIN while it was judged, or they have gone.
    const id = (answer.by ? holder : member)?.id
    const who = this.#members.find((one) => one.id === id)
    if (!who) return { ok: false, code: 'wrong-pin', ...(member && { at: member.name }) }
    if (who.isPinOnce && !answer.by && !isReplaced) return { ok: false, code: 'pin-once', at: who.name }
    this.#meta.erase(TRIES)
    // What is right in between doesn't make wrong badges forgotten: else who has a PIN of their own could go on guessing.
    this.#meta.write(BADGE_TRIES, wrongBadges)
    // At once: a reset that comes from the office while waits end is one of who works here.
    this.#choose(who, answer.by)
    if (mayAs(who.role, 'manager')) await this.#endWaits(who)
    return answer
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
    return { ...answer, ...defined({ waitUntil: this.#later(answer.waitUntil, await this.#computersWait(keeper)) }) }
  }

  /** Whose badge it is; nobody's after too many wrong ones. */
  async #judgeBadge(code: string): Promise<Member | undefined> {
    if (code.length < SHORTEST_BADGE || !this.#members.some(({ badge }) => badge)) return undefined
    const tries = this.#triesIn(BADGE_TRIES)
    if (this.#badgeDelays.left(tries) > 0) return undefined
    this.#meta.write(BADGE_TRIES, this.#badgeDelays.begin(tries.wrong + 1))
    return this.#holderOf(code)
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

  /** The later of a moment and so many milliseconds from now; undefined where there is nothing to wait for. */
  #later(waitUntil: number | undefined, milliseconds: number): number | undefined {
    return milliseconds > 0 ? Math.max(waitUntil ?? 0, this.#deps.time.now() + milliseconds) : waitUntil
  }

  /**
   * What judges a PIN given at this name. Someone whose PIN is gone is as a name that isn't there, so that nobody is let in
   * because of it; only where nobody else could prove anything is there no PIN.
   */
  async #judgeOf(member: Member | undefined, name: string | undefined): Promise<StaffPinKeeper> {
    const its = member && this.#keeperOf(member.id)
    const isNoneElse = this.#isOnlyOne && !member?.badge
    return its && (isNoneElse || (await its.state()).isSet) ? its : this.#strangerOf(name ?? member?.name ?? '')
  }

  /** Whose badge it is. Those of one salt are compared with one hash. */
  async #holderOf(code: string): Promise<Member | undefined> {
    const badged = this.#members.flatMap((member) => (member.badge ? [{ member, badge: member.badge }] : []))
    const bySalt = Map.groupBy(badged, ({ badge: { salt, n, r, p } }) => [salt, n, r, p].join(' '))
    for (const same of bySalt.values()) {
      const [{ badge: first }] = same as [(typeof same)[number]]
      const { key } = await hashOf(code, first, () => Buffer.from(first.salt, 'hex'))
      const found = same.find(({ badge }) => timingSafeEqual(Buffer.from(badge.key, 'hex'), Buffer.from(key, 'hex')))
      if (found) return found.member
    }
    return undefined
  }

  #choose(who: Member, by: Proof['by']): void {
    const before = this.current()
    if (this.#meta.read(CURRENT, z.string()) !== who.id) this.#meta.write(CURRENT, who.id)
    if (before?.id === who.id) return
    this.#deps.note({ what: 'staff-chosen', detail: { ...(before && { from: before.name }), how: by ?? 'PIN' } })
    this.#deps.changed()
  }

  async #endWaits(who: Member): Promise<void> {
    const ended = await Promise.all(this.#all().map((keeper) => keeper.endWait()))
    if (ended.includes(true)) this.#deps.note({ what: 'pin-wait-ended', detail: { how: `${who.name}, ${who.role}` } })
    this.#forgetTries()
  }

  #forgetTries(): void {
    this.#meta.erase(TRIES)
    this.#meta.erase(BADGE_TRIES)
    const waived = Object.entries(this.#strangers()).map(([key, secret]) => [key, this.#waived(secret)])
    if (waived.length > 0) this.#meta.write(STRANGERS, Object.fromEntries(waived))
  }

  /** As `StaffPinKeeper.endWait`: the next try is taken, and what was wrong before is remembered. */
  #waived(secret: string): string {
    const kept = Tries.loose().safeParse(parsedJson(secret)).data
    return kept && new Delays(this.#deps.time).left(kept) > 0 ? JSON.stringify({ ...kept, isWaived: true }) : secret
  }

  /** The list, with the owner of the one PIN as its first administrator where there is none yet. */
  async #withFirst(): Promise<Member[]> {
    if (this.hasNames) return this.#members
    if (!(await this.#first.state()).isSet)
      fail('no-pin', 'Choose a staff PIN first. It is yours, as the administrator.')
    return [{ id: FIRST, name: this.#deps.firstName(), role: 'administrator' }]
  }

  async #withBadge(member: Member, code: string | null | undefined): Promise<Member> {
    if (code === undefined) return member
    const { badge: _before, ...without } = member
    if (code === null) return without
    if (await this.#holderOf(code)) refuse('badge', 'This badge is in use.')
    const cost = this.#deps.cost ?? FULL_COST
    const like = this.#members.find((one) => one.badge && !isCheaper(one.badge, cost))?.badge
    const random = like ? () => Buffer.from(like.salt, 'hex') : this.#deps.randomBytes
    return { ...without, badge: await hashOf(code, like ?? cost, random) }
  }

  #freeName(name: string, others: readonly Member[]): string {
    const isTaken = others.some((other) => folded(other.name) === folded(name))
    return isTaken ? refuse('name', 'Someone has this name already.') : name
  }

  #mustBeAdministrated(members: readonly Member[]): void {
    if (members.some(isAdministrator)) return
    fail('bad-input', 'Someone must remain an administrator.', { next: 'Make someone else an administrator first.' })
  }

  /** Where packages wait for another of staff, two can release. Two changes at once may have left fewer: what makes it no worse is none of it. */
  #mustBeReleasable(members: readonly Member[]): void {
    const [before, after] = [releasing(this.#members), releasing(members)]
    if (!this.release() || after.length >= 2 || after.length >= before.length) return
    fail('bad-input', 'Nobody else could release what a manager sends.', {
      next: 'Add another manager or administrator first, or set “Packages that someone else releases” to “None”.'
    })
  }

  /** By the whole name: the wrong PINs at a part of it would be counted apart, and say so whether it is one. */
  #named(name: string | undefined): Member | undefined {
    if (name === undefined) return this.current()
    const typed = folded(name.trim())
    return this.#members.find((member) => folded(member.name) === typed)
  }

  /**
   * @param change of the list as it is at that moment: another workstation's may have come meanwhile.
   * @param along written with it, or not at all.
   */
  #write(change: (now: Member[]) => Member[], along: () => void = () => undefined): void {
    this.#deps.db.transaction(() => {
      along()
      this.#meta.write(LIST, [...change(this.#members), ...this.#unread])
    })()
  }

  /** The list and a PIN, together. The keychain's goes first: that fails more easily than the database. */
  async #writeWithPin(change: (now: Member[]) => Member[], id: string, secret: string): Promise<void> {
    if (id === FIRST) await this.#deps.slot.set(secret)
    this.#write(change, () => id !== FIRST && this.#meta.write(pinKey(id), secret))
  }

  /**
   * What an office has in common: everyone with the hash of their PIN. Undefined where nobody has a name, one can't be understood, or the
   * first one's PIN is still in the keychain.
   */
  inCommon(): StaffInCommon | undefined {
    const isWhole = this.#unread.length === 0 && !this.#members.some(({ id }) => id === FIRST)
    if (!this.hasNames || !isWhole) return undefined
    const members = this.#members.map((member) => ({ ...member, ...defined({ pin: this.#hashFor(member.id) }) }))
    const once = new Set(this.#members.filter(({ isPinOnce }) => isPinOnce).map(({ id }) => id))
    const resets = this.#resets().map((reset) => (once.has(reset.member) ? reset : { ...reset, isOver: true as const }))
    return { members, ...defined({ release: this.release() }), ...(resets.length > 0 && { resets }) }
  }

  /** Takes the office's list for this workstation's. Tries that were wrong go on being counted, but at a PIN that is another. */
  take({ members, release, resets = [] }: StaffInCommon): void {
    const { db } = this.#deps
    db.transaction(() => {
      const known = new Set(this.#resets().map(({ id }) => id))
      const current = this.#meta.read(CURRENT, z.string())
      // Who works here by the old PIN does so no more, also where it is all over already.
      if (resets.some(({ id, member }) => member === current && !known.has(id))) this.#meta.write(CURRENT, '')
      if (resets.length > 0) this.#meta.write(RESETS, allResets(resets))
      const gone = this.#members.filter(({ id }) => !members.some((member) => member.id === id))
      for (const { id } of gone) this.#meta.erase(pinKey(id))
      for (const { id, pin } of members) {
        if (pin === undefined) this.#meta.erase(pinKey(id))
        else if (!isDeepStrictEqual(pin, this.#hashFor(id)))
          this.#meta.write(pinKey(id), JSON.stringify({ hash: pin, wrong: 0, triedAt: 0 }))
      }
      this.#keepRelease(release)
      this.#meta.write(
        LIST,
        members.map(({ pin: _pin, ...member }) => member)
      )
    })()
  }

  /** Which packages wait until another of staff releases them; undefined for none. */
  release(): ReleaseNeeded | undefined {
    return this.hasNames ? this.#meta.read(RELEASE, ReleaseNeeded) : undefined
  }

  /** By an administrator. @param release null for no package. @throws AppFailure `bad-input` where there is nobody else who could. */
  needRelease(release: ReleaseNeeded | null): void {
    if (release !== null && releasing(this.#members).length < 2) {
      fail('bad-input', 'Nobody else could release what a manager sends.', {
        next: 'Add a second manager or administrator first.'
      })
    }
    this.#keepRelease(release ?? undefined)
    this.#deps.note({ what: 'staff-changed', detail: { release: release ? String(release.above) : '-' } })
    this.#deps.changed()
  }

  #keepRelease(release: ReleaseNeeded | undefined): void {
    if (release) this.#meta.write(RELEASE, release)
    else this.#meta.erase(RELEASE)
  }

  /** Something of them came from the office. */
  cameFromOffice(): void {
    this.#noteResets()
    this.#deps.changed()
  }

  /** Each once, also where this workstation was off until someone had chosen their own PIN again. */
  #noteResets(): void {
    const noted = this.#meta.read(RESETS_NOTED, z.array(z.string())) ?? []
    const untold = this.#resets().filter(({ id }) => !noted.includes(id))
    for (const [index, { name, by, at }] of untold.entries()) {
      const ids = [...noted, ...untold.slice(0, index + 1).map(({ id }) => id)].slice(-2 * MOST_RESETS)
      const detail = { how: 'by the administrator’s command', name, user: by, from: new Date(at).toISOString() }
      this.#deps.note({ what: 'pin-reset', detail }, undefined, () => this.#meta.write(RESETS_NOTED, ids))
    }
  }

  #resets(): PinReset[] {
    return this.#meta.read(RESETS, z.array(PinReset)) ?? []
  }

  /** As the workstation joins an office: each PIN is one that others can have. Rejects with the keychain's error. */
  joins(): Promise<void> {
    // Of what came, and was not written down before an end.
    this.#noteResets()
    return inTurn(this, () => this.#leaveKeychain())
  }

  /** As it leaves: what was removed from the keychain is taken for that again, and not for what never was there. */
  leaves(): Promise<void> {
    return inTurn(this, async () => {
      // They are that office's. Should it come back, no list from before them brings a PIN back that they took away.
      const { members = [], resets = [] } = this.inCommon() ?? {}
      const theirs = members.filter(({ id }) => resets.some(({ member }) => member === id))
      if (theirs.length > 0) this.#meta.write(RESETS_LEFT, { members: theirs, resets })
      this.#meta.erase(RESETS)
      if (this.hasNames && (await this.#deps.slot.get()) === null) await this.#deps.slot.set(this.#nobodys())
      // Nobody was the first administrator in the office either.
      if (this.hasNames && this.#meta.read(CURRENT, z.string()) === undefined) this.#meta.write(CURRENT, '')
    })
  }

  /** Of those on this list whose PINs had been reset as this workstation left an office: the resets, and their PINs as they were then. */
  asLeft({ members }: StaffInCommon): StaffInCommon | undefined {
    const left = this.#meta.read(RESETS_LEFT, StaffInCommon)
    const isHere = (whose: string) => members.some(({ id }) => id === whose)
    const theirs = left?.members.filter(({ id }) => isHere(id)) ?? []
    if (!left || theirs.length === 0) return undefined
    return { members: theirs, resets: left.resets?.filter(({ member }) => isHere(member)) }
  }

  /** The first one's PIN goes to the others', under an id that is nobody else's elsewhere. */
  async #leaveKeychain(): Promise<void> {
    if (!this.#members.some(({ id }) => id === FIRST)) return
    const secret = await this.#deps.slot.get()
    const id = this.#deps.newId()
    this.#write(
      (now) => now.map((member) => (member.id === FIRST ? { ...member, id } : member)),
      () => {
        if (secret !== null) this.#meta.write(pinKey(id), secret)
        if (this.#meta.read(CURRENT, z.string()) === FIRST) this.#meta.write(CURRENT, id)
      }
    )
    this.#keepers.delete(FIRST)
    await this.#deps.slot.delete()
  }

  #hashFor(id: string): PinHash | undefined {
    return KeptHash.safeParse(parsedJson(this.#meta.read(pinKey(id), z.string()) ?? '')).data?.hash
  }

  get #isOnlyOne(): boolean {
    return this.#members.length === 1 && this.#unread.length === 0
  }

  /** A PIN that is the only one can be reset by signing in to this computer, unless it is a whole office's. */
  get #mayReset(): boolean {
    return this.#isOnlyOne && !this.#isOffices
  }

  get #first(): StaffPinKeeper {
    return this.#keeperOf(FIRST)
  }

  #all(): StaffPinKeeper[] {
    return [FIRST, ...this.#members.map(({ id }) => id)]
      .filter((id, index, all) => all.indexOf(id) === index)
      .map((id) => this.#keeperOf(id))
  }

  #keeperOf(id: string): StaffPinKeeper {
    const note: StaffDeps['note'] = ({ detail, ...what }, ...more) => {
      const name = this.#members.find((member) => member.id === id)?.name
      // Of one who is being added, the entry of the addition says it.
      if (name !== undefined || !this.hasNames)
        this.#deps.note({ ...what, detail: { ...detail, ...(name && { name }) } }, ...more)
    }
    return getOrMake(this.#keepers, id, () => new StaffPinKeeper({ ...this.#deps, note, slot: this.#slotOf(id) }))
  }

  /** The first PIN stays in the keychain; the others are in the database, whose key is there. */
  #slotOf(id: string): SecretSlot {
    return id === FIRST ? this.#deps.slot : this.#slotIn(pinKey(id))
  }

  #slotIn(key: string): SecretSlot {
    return {
      get: async () => this.#meta.read(key, z.string()) ?? null,
      set: async (secret) => this.#meta.write(key, secret),
      delete: async () => void this.#meta.erase(key)
    }
  }

  /** What is kept of a PIN that nothing is right for. */
  #nobodys(): string {
    const { n, r, p } = this.#deps.cost ?? FULL_COST
    const random = (bytes: number) => Buffer.from(this.#deps.randomBytes(bytes)).toString('hex')
    return JSON.stringify({ hash: { n, r, p, salt: random(16), key: random(32) }, wrong: 0, triedAt: 0 })
  }

  #strangers(): Record<string, string> {
    return this.#meta.read(STRANGERS, z.record(z.string(), z.string())) ?? {}
  }

  /** A name that isn't there: what is kept of it looks and lasts as what is kept of one that is, and nothing is right. */
  #strangerOf(name: string): StaffPinKeeper {
    const key = createHash('sha256').update(folded(name.trim())).digest('hex').slice(0, 32)
    const slot: SecretSlot = {
      get: async () => this.#strangers()[key] ?? this.#nobodys(),
      set: async (secret) => {
        const { [key]: _before, ...others } = this.#strangers()
        this.#meta.write(
          STRANGERS,
          Object.fromEntries([...Object.entries(others), [key, secret]].slice(-MOST_STRANGERS))
        )
      },
      delete: async () => undefined
    }
    return new StaffPinKeeper({ ...this.#deps, slot })
  }
}

/** The members that were kept, not yet understood; a list that can't be read counts as one, so that it isn't taken for nobody. */
function listIn(text: string | undefined): unknown[] {
  if (text === undefined) return []
  const list = parsedJson(text)
  return Array.isArray(list) ? list : [text]
}

function pinKey(id: string): string {
  return `staff-pin-${id}`
}

/** Who of them may release what another sends. */
function releasing(members: readonly Member[]): readonly Member[] {
  return members.filter(({ role }) => mayAs(role, 'manager'))
}

function isAdministrator({ role }: Member): boolean {
  return role === 'administrator'
}

/** With a PIN of their own choice, or an administrator's at the list. */
function ownPin({ isPinOnce: _isPinOnce, ...member }: Member): Member {
  return member
}

function refuse(field: string, message: string): never {
  return fail('invalid', message, { fields: [{ field, message }] })
}
