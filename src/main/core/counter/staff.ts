/**
 * The staff, and how each of them proves who they are: by their own PIN, or a badge that a reader types. While nobody
 * has a name there is one PIN for all, which is enough for most offices; its owner becomes the first administrator once
 * someone is added.
 */
import { isDeepStrictEqual } from 'node:util'
import type { PinState, StaffMember, StaffRole } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import type { PinDeps } from './pin.ts'
import { FULL_COST, hashOf, isCheaper, type PinHash, pinRefusal } from './pin-hash.ts'
import { isAdministrator, type Member, type ReleaseNeeded, releasersOf, StaffList } from './staff-list.ts'
import { FIRST_ID, StaffPins } from './staff-pins.ts'
import { type Proof, StaffAuthenticator } from './staff-proof.ts'
import { StaffSync } from './staff-sync.ts'

export interface StaffDeps extends PinDeps {
  db: Db
  newId: () => string
  /** The first administrator's name, unless they choose another. */
  firstName: () => string
  /** Whether this workstation belongs to an office, which then has the list. */
  isInOffice?: () => boolean
}

export interface NewStaff {
  name: string
  role: StaffRole
  pin: string
  badge?: string | undefined
  /** With the first one added: the name of who adds them, and becomes the administrator. */
  ownName?: string | undefined
}

export interface StaffChange {
  name?: string | undefined
  role?: StaffRole | undefined
  pin?: string | undefined
  /** null removes it. */
  badge?: string | null | undefined
}

export class Staff {
  /** The parts of the list that the office's workstations share. */
  readonly sync: StaffSync
  readonly #deps: StaffDeps
  readonly #list: StaffList
  readonly #pins: StaffPins
  readonly #authenticator: StaffAuthenticator
  #wasLocked = false

  constructor(deps: StaffDeps) {
    this.#deps = deps
    this.#list = new StaffList(deps)
    this.#pins = new StaffPins(deps, this.#list)
    this.#authenticator = new StaffAuthenticator(deps, this.#list, this.#pins)
    this.sync = new StaffSync(deps, this.#list, this.#pins)
  }

  get hasNames(): boolean {
    return this.#list.hasNames
  }

  /** Whether this system reports that someone signed in with a password, rather than just ended a screen saver. */
  get canReset(): boolean {
    return this.#pins.first.canReset
  }

  current(): Member | undefined {
    return this.#list.current()
  }

  authenticated(): Member | undefined {
    return this.#list.authenticated()
  }

  list(): StaffMember[] {
    const current = this.current()
    return this.#list.members.map(({ id, name, role, badge }) => ({
      id,
      name,
      role,
      hasBadge: badge !== undefined,
      isCurrent: id === current?.id
    }))
  }

  /**
   * Returns the state of the PIN that's asked for if no name is given. Without an administrator, only a PIN that is the
   * only one can be reset; an administrator's can be, too, once the keychain's entry was removed.
   */
  async state(): Promise<PinState> {
    const keeper = this.#pins.of(this.current()?.id ?? FIRST_ID)
    const state = await keeper.state()
    if (!this.hasNames) return state
    const waitUntil = await this.#authenticator.waitUntil(keeper, state.waitUntil)
    const isSet = state.isSet || !this.#list.hasOneMember || this.#list.isInOffice
    const needsName = this.current() === undefined ? (true as const) : undefined
    const named = { ...state, asksName: true as const, isSet, ...defined({ needsName, waitUntil }) }
    // A keychain that fails says so wherever its PIN is asked for.
    if (named.isSet && (await this.hasLostKeychainEntry().catch(() => false)))
      return { ...named, canReset: false, reset: 'allowed', resetOf: this.#recoveryAdministrator().name }
    return { ...named, ...(!this.#mayReset && { canReset: false, reset: 'none' }) }
  }

  /**
   * Whether the keychain's entry was removed although staff have names. Only someone who can sign in to the computer
   * can do that: it is the way back for an office in which no administrator knows their PIN.
   */
  async hasLostKeychainEntry(): Promise<boolean> {
    // An office's PINs aren't in any keychain: signing in to one of its computers must not give access to an
    // administrator's PIN for the whole office.
    return this.hasNames && !this.#list.isInOffice && (await this.#pins.hasEmptyKeychain())
  }

  /**
   * Checks a code: the PIN of the person named, of the person who works here now if nobody is named, or anyone's badge. The
   * person it proves works here from then on; a manager or an administrator also ends everyone's waits.
   */
  check(code: string, name?: string): Promise<Proof> {
    return inTurn(this.#list, () => this.#authenticator.judge(code, name))
  }

  /**
   * Sets one's own PIN, as `StaffPinKeeper.set`: it takes the name's current PIN, and guesses are counted. If the
   * keychain's entry was removed, sets an administrator's PIN, who works here from then on.
   */
  async set(pin: string, current?: string, name?: string): Promise<PinState> {
    await inTurn(this.#list, async () => {
      if (!this.hasNames) return this.#pins.first.set(pin, current)
      if (current !== undefined) return this.#setOwn(pin, current, name)
      if (name === undefined && (await this.hasLostKeychainEntry())) return this.#setRecoveryPin(pin)
      const who = this.#list.hasOneMember ? this.#list.memberNamed(name) : undefined
      return (who ? this.#pins.of(who.id) : this.#pins.ofStranger(name ?? '')).set(pin)
    })
    return this.state()
  }

  /**
   * Begins a reset, as `StaffPinKeeper.reset`. @throws AppFailure `bad-input` if an administrator can set a new PIN
   * instead.
   */
  async reset(): Promise<PinState> {
    if (this.hasNames && !this.#mayReset) {
      fail('bad-input', 'Only an administrator can set a new PIN for you.', {
        next: 'Ask an administrator to set it in Settings → Counter.'
      })
    }
    await this.#pins.of(this.current()?.id ?? FIRST_ID).reset()
    return this.state()
  }

  screenLocked(): void {
    this.#wasLocked = true
    for (const keeper of this.#pins.all()) keeper.screenLocked()
  }

  /** Called when the computer was unlocked: ends every wait after wrong PINs, if the system reports sign-ins. */
  screenUnlocked(): void {
    for (const keeper of this.#pins.all()) void keeper.screenUnlocked()
    if (this.canReset && this.#wasLocked) this.#authenticator.forgetTries()
    this.#wasLocked = false
  }

  /** Adds someone to the list. @throws AppFailure `no-pin` before there is a PIN, `invalid` with fields. */
  async add({ name, role, pin, badge, ownName }: NewStaff): Promise<void> {
    await inTurn(this.#list, async () => {
      const first = await this.#membersOrFirst(ownName)
      const withName = (others: readonly Member[]) => ({ name: this.#uniqueName(name, others), role })
      withName(first)
      const id = this.#deps.newId()
      const badgeHash = await this.#badgeOf(badge)
      if (!this.hasNames) this.#list.setCurrent(FIRST_ID)
      // The office's list may have changed while a code was hashed.
      const after = (now: Member[]) => {
        const others = this.hasNames ? now : first
        return [...others, { id, ...withName(others), ...(badgeHash && { badge: badgeHash }) }]
      }
      await this.#pins.of(id).replace(pin, (secret) => this.#pins.write(after, id, secret))
      if (this.#list.isInOffice) await this.#pins.moveOutOfKeychain()
      this.#deps.note({ what: 'staff-added', detail: { name, role } })
    })
    this.#deps.changed()
  }

  /**
   * Changes someone; for administrators. @throws AppFailure `gone`, `invalid` with fields, `bad-input` if nobody could
   * change settings any more.
   */
  async change(id: string, { name, role, pin, badge }: StaffChange): Promise<void> {
    await inTurn(this.#list, async () => {
      const changed = (now: readonly Member[], badgeHash?: PinHash | null) => {
        const before =
          now.find((member) => member.id === id) ?? fail('gone', 'This staff member is no longer on the list.')
        const others = now.filter((member) => member.id !== id)
        if (role !== undefined && role !== 'administrator') this.#mustKeepAdministrator(others)
        if (role !== undefined) this.#list.mustKeepReleasers([...others, { ...before, role }])
        const next = {
          ...before,
          ...(role && { role }),
          ...(name !== undefined && { name: this.#uniqueName(name, others) })
        }
        return { before, after: withBadge(pin === undefined ? next : withoutOneTimePin(next), badgeHash) }
      }
      let step = changed(this.#list.members)
      const badgeHash = await this.#badgeOf(badge)
      const members = (now: Member[]) => {
        // The office's list may have changed while a code was hashed.
        step = changed(now, badgeHash)
        return now.map((member) => (member.id === id ? step.after : member))
      }
      if (pin === undefined) this.#list.write(members)
      else await this.#pins.of(id).replace(pin, (secret) => this.#pins.write(members, id, secret))
      const { before, after } = step
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

  /**
   * Removes someone; for administrators. The last person can be removed if theirs is the keychain's PIN, which is then
   * everyone's again. @throws as `change`.
   */
  async remove(id: string): Promise<void> {
    await inTurn(this.#list, async () => {
      const member =
        this.#list.members.find((one) => one.id === id) ?? fail('gone', 'This staff member is no longer on the list.')
      const others = this.#list.members.filter((one) => one.id !== id)
      if (!this.#list.hasOneMember || id !== FIRST_ID) this.#mustKeepAdministrator(others)
      this.#list.mustKeepReleasers(others)
      this.#pins.remove(id, others)
      this.#deps.note({ what: 'staff-removed', detail: { name: member.name, role: member.role } })
      // If others remain, the keychain's PIN is replaced with one that no code matches; if it was the only one, it
      // stays. If the keychain fails, it keeps a PIN that belongs to no name.
      if (id === FIRST_ID && others.length > 0) await this.#pins.blockKeychainPin().catch(() => undefined)
    })
    this.#deps.changed()
  }

  releaseNeeded(): ReleaseNeeded | undefined {
    return this.#list.releaseNeeded()
  }

  /**
   * Sets which packages need a release; for administrators. @param release null for none. @throws AppFailure
   * `bad-input` if nobody else could release them.
   */
  setReleaseNeeded(release: ReleaseNeeded | null): void {
    if (release !== null && releasersOf(this.#list.members).length < 2) {
      fail('bad-input', 'Nobody else could release what a manager sends.', {
        next: 'Add a second manager or administrator first.'
      })
    }
    const before = this.#list.releaseNeeded()
    this.#list.setReleaseNeeded(release ?? undefined)
    const rule = (needed: ReleaseNeeded | null | undefined) => (needed ? String(needed.above) : '-')
    this.#deps.note({ what: 'staff-changed', detail: { releaseBefore: rule(before), release: rule(release) } })
    this.#deps.changed()
  }

  /** The person whose PIN is set again: an administrator. There's always one, unless the list can't be understood. */
  #recoveryAdministrator(): Member {
    const first = { id: FIRST_ID, name: this.#deps.firstName(), role: 'administrator' as const }
    return this.#list.members.find(isAdministrator) ?? first
  }

  /** @throws AppFailure `invalid` with the field; KeychainError. */
  async #setRecoveryPin(pin: string): Promise<void> {
    const who = this.#recoveryAdministrator()
    const after = (now: Member[]) => [who, ...now.filter(({ id }) => id !== who.id)]
    await this.#pins.of(who.id).replace(pin, (secret) => this.#pins.write(after, who.id, secret))
    if (who.id !== FIRST_ID) await this.#pins.blockKeychainPin()
    this.#deps.note({ what: 'pin-reset', detail: { how: 'after the keychain’s entry was removed', name: who.name } })
    this.#authenticator.choose(who, undefined)
  }

  /** @throws AppFailure `invalid` with the field, `wrong-pin`, `pin-wait`. */
  async #setOwn(pin: string, current: string, name: string | undefined): Promise<void> {
    const refusal = pinRefusal(pin)
    if (refusal) refuse('pin', refusal)
    const { note, time } = this.#deps
    const who = this.#list.memberNamed(name)
    if (who?.isPinOnce && pin === current) refuse('pin', 'Choose a different PIN from the one you were given.')
    // With a name, as a badge isn't a PIN that could be replaced.
    const answer = await this.#authenticator.judge(current, who?.name ?? name ?? '', true)
    if (answer.ok && who && (await this.#replaceIfUnchanged(who, pin))) {
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

  /** Returns whether the PIN was replaced: if the office sent another one while this was being made, that one stays. */
  async #replaceIfUnchanged(who: Member, pin: string): Promise<boolean> {
    const members = (now: Member[]) => now.map((member) => (member.id === who.id ? withoutOneTimePin(member) : member))
    const keeper = this.#pins.of(who.id)
    let isReplaced = false
    await keeper.replace(pin, async (secret) => {
      // The keychain's PIN never comes from an office.
      if (who.id !== FIRST_ID && !isDeepStrictEqual(this.#pins.hashOf(who.id), keeper.matchedHash)) return
      await this.#pins.write(members, who.id, secret)
      isReplaced = true
    })
    return isReplaced
  }

  /** Returns the list; if it's empty, the owner of the one PIN as its first administrator. */
  async #membersOrFirst(ownName?: string): Promise<Member[]> {
    if (this.hasNames) return this.#list.members
    if (!(await this.#pins.first.state()).isSet)
      fail('no-pin', 'Choose a staff PIN first. It becomes yours, as the administrator.')
    return [{ id: FIRST_ID, name: ownName ?? this.#deps.firstName(), role: 'administrator' }]
  }

  /** Returns what is kept of a badge's code; null and undefined as they are. @throws AppFailure `invalid` if it's in use. */
  async #badgeOf(code: string | null | undefined): Promise<PinHash | null | undefined> {
    if (code === undefined || code === null) return code
    if (await this.#authenticator.holderOf(code)) refuse('badge', 'This badge is in use.')
    const cost = this.#deps.cost ?? FULL_COST
    const saltSource = this.#list.members.find((one) => one.badge && !isCheaper(one.badge, cost))?.badge
    const random = saltSource ? () => Buffer.from(saltSource.salt, 'hex') : this.#deps.randomBytes
    return hashOf(code, saltSource ?? cost, random)
  }

  #uniqueName(name: string, others: readonly Member[]): string {
    const isTaken = others.some((other) => folded(other.name) === folded(name))
    return isTaken ? refuse('name', 'Someone has this name already.') : name
  }

  #mustKeepAdministrator(members: readonly Member[]): void {
    if (members.some(isAdministrator)) return
    fail('bad-input', 'Someone must remain an administrator.', { next: 'Make someone else an administrator first.' })
  }

  /** A PIN that is the only one can be reset by signing in to this computer, unless it's a whole office's. */
  get #mayReset(): boolean {
    return this.#list.hasOneMember && !this.#list.isInOffice
  }
}

/** @param badge null removes it; undefined keeps what there is. */
function withBadge({ badge: before, ...member }: Member, badge: PinHash | null | undefined): Member {
  return { ...member, ...defined({ badge: badge === undefined ? before : (badge ?? undefined) }) }
}

/** The PIN is now their own choice, or an administrator's in the list. */
function withoutOneTimePin({ isPinOnce: _isPinOnce, ...member }: Member): Member {
  return member
}

function refuse(field: string, message: string): never {
  return fail('invalid', message, { fields: [{ field, message }] })
}
