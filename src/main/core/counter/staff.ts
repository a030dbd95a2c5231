/**
 * Who of staff there is, and what each proves it by: a PIN of their own, or a badge that a reader types. With nobody named there
 * is one PIN for all, as most offices need; its owner is the first administrator once someone is added.
 */
import { isDeepStrictEqual } from 'node:util'
import type { PinState, StaffMember, StaffRole } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import type { PinDeps } from './pin.ts'
import { FULL_COST, hashOf, isCheaper, refusedPin } from './pin-hash.ts'
import { CommonStaff } from './staff-in-common.ts'
import { isAdministrator, type Member, type ReleaseNeeded, releasing, StaffList } from './staff-list.ts'
import { FIRST, StaffPins } from './staff-pins.ts'
import { type Proof, StaffProof } from './staff-proof.ts'

export interface StaffDeps extends PinDeps {
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
  /** For an office whose staff they are. */
  readonly inCommon: CommonStaff
  readonly #deps: StaffDeps
  readonly #list: StaffList
  readonly #pins: StaffPins
  readonly #proof: StaffProof
  #wasLocked = false

  constructor(deps: StaffDeps) {
    this.#deps = deps
    this.#list = new StaffList(deps)
    this.#pins = new StaffPins(deps, this.#list)
    this.#proof = new StaffProof(deps, this.#list, this.#pins)
    this.inCommon = new CommonStaff(deps, this.#list, this.#pins)
  }

  /** As `StaffList` has it. */
  get hasNames(): boolean {
    return this.#list.hasNames
  }

  /** Whether this system tells when someone signs in, by a password and not by moving the mouse. */
  get canReset(): boolean {
    return this.#pins.first.canReset
  }

  /** As `StaffList` has them. */
  current(): Member | undefined {
    return this.#list.current()
  }

  /** As `StaffList` has them. */
  proved(): Member | undefined {
    return this.#list.proved()
  }

  list(): StaffMember[] {
    const current = this.current()
    return this.#list.members.map(({ id, name, role, badge }) => ({
      ...{ id, name, role, hasBadge: badge !== undefined, isCurrent: id === current?.id }
    }))
  }

  /**
   * Of the PIN that is asked for where no name is given. Only a PIN that is the only one can be reset without an administrator,
   * and an administrator's once the keychain's entry was removed.
   */
  async state(): Promise<PinState> {
    const keeper = this.#pins.of(this.current()?.id ?? FIRST)
    const state = await keeper.state()
    if (!this.hasNames) return state
    const waitUntil = await this.#proof.waitUntil(keeper, state.waitUntil)
    const isSet = state.isSet || !this.#list.isOnlyOne || this.#list.isOffices
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
    return this.hasNames && !this.#list.isOffices && (await this.#pins.hasEmptyKeychain())
  }

  /**
   * Whether this is the PIN of who is named, of who works here now where nobody is, or anyone's badge. Who proves it works here
   * from then on; a manager or an administrator ends everyone's waiting as well.
   */
  check(code: string, name?: string): Promise<Proof> {
    return inTurn(this.#list, () => this.#proof.judge(code, name))
  }

  /**
   * As `StaffPinKeeper.set`, of one's own PIN: nobody chooses one for a name without the one that holds, and guesses count. Where
   * the keychain's entry was removed it is an administrator's, who works here from then on.
   */
  async set(pin: string, current?: string, name?: string): Promise<PinState> {
    await inTurn(this.#list, async () => {
      if (!this.hasNames) return this.#pins.first.set(pin, current)
      if (current !== undefined) return this.#setOwn(pin, current, name)
      if (name === undefined && (await this.hasLostEntry())) return this.#setHeirs(pin)
      const who = this.#list.isOnlyOne ? this.#list.named(name) : undefined
      return (who ? this.#pins.of(who.id) : this.#pins.ofStranger(name ?? '')).set(pin)
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
    await this.#pins.of(this.current()?.id ?? FIRST).reset()
    return this.state()
  }

  lockScreen(): void {
    this.#wasLocked = true
    for (const keeper of this.#pins.all()) keeper.lockScreen()
  }

  /** The computer was unlocked: nobody waits after wrong PINs any more, where the system tells of a sign-in. */
  unlockScreen(): void {
    for (const keeper of this.#pins.all()) void keeper.unlockScreen()
    if (this.canReset && this.#wasLocked) this.#proof.forgetTries()
    this.#wasLocked = false
  }

  /** @throws AppFailure `no-pin` before there is a PIN, `invalid` with fields. */
  async add({ name, role, pin, badge }: NewStaff): Promise<void> {
    await inTurn(this.#list, async () => {
      const before = await this.#withFirst()
      const id = this.#deps.newId()
      const member = { id, name: this.#freeName(name, before), role }
      const added = await this.#withBadge(member, badge)
      if (!this.hasNames) this.#list.setCurrent(FIRST)
      const after = (now: Member[]) => [...(this.hasNames ? now : before), added]
      await this.#pins.of(id).replace(pin, (secret) => this.#pins.write(after, id, secret))
      if (this.#list.isOffices) await this.#pins.leaveKeychain()
      this.#deps.note({ what: 'staff-added', detail: { name: member.name, role: member.role } })
    })
    this.#deps.changed()
  }

  /** By an administrator. @throws AppFailure `gone`, `invalid` with fields, `bad-input` where nobody could change settings any more. */
  async change(id: string, { name, role, pin, badge }: StaffChange): Promise<void> {
    await inTurn(this.#list, async () => {
      const before =
        this.#list.members.find((member) => member.id === id) ?? fail('gone', 'They are no longer on the list.')
      const others = this.#list.members.filter((member) => member.id !== id)
      if (role !== undefined && role !== 'administrator') this.#mustBeAdministrated(others)
      if (role !== undefined) this.#list.mustBeReleasable([...others, { ...before, role }])
      const next = {
        ...before,
        ...(role && { role }),
        ...(name !== undefined && { name: this.#freeName(name, others) })
      }
      const after = await this.#withBadge(pin === undefined ? next : ownPin(next), badge)
      const members = (now: Member[]) => now.map((member) => (member.id === id ? after : member))
      if (pin === undefined) this.#list.write(members)
      else await this.#pins.of(id).replace(pin, (secret) => this.#pins.write(members, id, secret))
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
    await inTurn(this.#list, async () => {
      const member = this.#list.members.find((one) => one.id === id) ?? fail('gone', 'They are no longer on the list.')
      const others = this.#list.members.filter((one) => one.id !== id)
      if (!this.#list.isOnlyOne || id !== FIRST) this.#mustBeAdministrated(others)
      this.#list.mustBeReleasable(others)
      this.#pins.remove(id, others)
      this.#deps.note({ what: 'staff-removed', detail: { name: member.name, role: member.role } })
      // The keychain's PIN stays where it is the only one, and is nobody's from now on where others have theirs. A keychain that
      // fails keeps a PIN that no name belongs to.
      if (id === FIRST && others.length > 0) await this.#pins.closeKeychain().catch(() => undefined)
    })
    this.#deps.changed()
  }

  /** As `StaffList` has it. */
  release(): ReleaseNeeded | undefined {
    return this.#list.release()
  }

  /** By an administrator. @param release null for no package. @throws AppFailure `bad-input` where there is nobody else who could. */
  needRelease(release: ReleaseNeeded | null): void {
    if (release !== null && releasing(this.#list.members).length < 2) {
      fail('bad-input', 'Nobody else could release what a manager sends.', {
        next: 'Add a second manager or administrator first.'
      })
    }
    this.#list.keepRelease(release ?? undefined)
    this.#deps.note({ what: 'staff-changed', detail: { release: release ? String(release.above) : '-' } })
    this.#deps.changed()
  }

  /** Whose PIN is set again: an administrator's, of whom there is always one, unless the list can't be understood. */
  #heir(): Member {
    const first = { id: FIRST, name: this.#deps.firstName(), role: 'administrator' as const }
    return this.#list.members.find(isAdministrator) ?? first
  }

  /** @throws AppFailure `invalid` with the field; KeychainError. */
  async #setHeirs(pin: string): Promise<void> {
    const who = this.#heir()
    const after = (now: Member[]) => [who, ...now.filter(({ id }) => id !== who.id)]
    await this.#pins.of(who.id).replace(pin, (secret) => this.#pins.write(after, who.id, secret))
    if (who.id !== FIRST) await this.#pins.closeKeychain()
    this.#deps.note({ what: 'pin-reset', detail: { how: 'after the keychain’s entry was removed', name: who.name } })
    this.#proof.choose(who, undefined)
  }

  /** @throws AppFailure `invalid` with the field, `wrong-pin`, `pin-wait`. */
  async #setOwn(pin: string, current: string, name: string | undefined): Promise<void> {
    const refused = refusedPin(pin)
    if (refused) refuse('pin', refused)
    const { note, time } = this.#deps
    const who = this.#list.named(name)
    if (who?.isPinOnce && pin === current) refuse('pin', 'Choose another PIN than the one you were given.')
    // By name, as a badge is no PIN of anyone's to be replaced.
    const answer = await this.#proof.judge(current, who?.name ?? name ?? '', true)
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
    const keeper = this.#pins.of(who.id)
    let isReplaced = false
    await keeper.replace(pin, async (secret) => {
      // The keychain's PIN is no office's.
      if (who.id !== FIRST && !isDeepStrictEqual(this.#pins.hashOf(who.id), keeper.right)) return
      await this.#pins.write(members, who.id, secret)
      isReplaced = true
    })
    return isReplaced
  }

  /** The list, with the owner of the one PIN as its first administrator where there is none yet. */
  async #withFirst(): Promise<Member[]> {
    if (this.hasNames) return this.#list.members
    if (!(await this.#pins.first.state()).isSet)
      fail('no-pin', 'Choose a staff PIN first. It is yours, as the administrator.')
    return [{ id: FIRST, name: this.#deps.firstName(), role: 'administrator' }]
  }

  async #withBadge(member: Member, code: string | null | undefined): Promise<Member> {
    if (code === undefined) return member
    const { badge: _before, ...without } = member
    if (code === null) return without
    if (await this.#proof.holderOf(code)) refuse('badge', 'This badge is in use.')
    const cost = this.#deps.cost ?? FULL_COST
    const like = this.#list.members.find((one) => one.badge && !isCheaper(one.badge, cost))?.badge
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

  /** A PIN that is the only one can be reset by signing in to this computer, unless it is a whole office's. */
  get #mayReset(): boolean {
    return this.#list.isOnlyOne && !this.#list.isOffices
  }
}

/** With a PIN of their own choice, or an administrator's at the list. */
function ownPin({ isPinOnce: _isPinOnce, ...member }: Member): Member {
  return member
}

function refuse(field: string, message: string): never {
  return fail('invalid', message, { fields: [{ field, message }] })
}
