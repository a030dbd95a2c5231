/**
 * A staff PIN in the keychain or the database: sets, checks and replaces it. A try is counted in storage before it's
 * judged, so that ending the application gains nothing. If the keychain fails, its error is thrown and nothing is
 * unlocked.
 */

import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { PinState } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Keychain, SecretSlot } from '../storage/keychain.ts'
import { Delays, Tries } from './pin-delays.ts'
import { type Cost, FULL_COST, hashOf, isCheaper, matchesHash, PinHash, pinRefusal } from './pin-hash.ts'

const KeptPin = Tries.extend({ hash: PinHash })
type KeptPin = z.infer<typeof KeptPin>

export interface PinDeps {
  /** Where the PIN is stored, and whether the keychain persists it. */
  slot: SecretSlot
  keeps: Keychain['keeps']
  time: Pick<Time, 'now' | 'elapsed'>
  randomBytes: (count: number) => Uint8Array
  platform: NodeJS.Platform
  note: NoteInAudit
  /** Called when a reset or a wait began or ended. */
  changed: () => void
  cost?: Cost
}

export type PinAnswer = { ok: true } | { ok: false; code: 'wrong-pin' | 'pin-wait' | 'no-pin'; waitUntil?: number }

/**
 * Checks and changes one PIN. Calls run one after the other: two tries at the same time would both be judged as the
 * first.
 */
export class StaffPinKeeper {
  readonly #deps: PinDeps
  readonly #cost: Cost
  readonly #delays: Delays
  readonly #reset: Reset
  readonly #canReset: boolean
  #wasLocked = false
  #matchedHash: PinHash | undefined

  constructor(deps: PinDeps) {
    this.#deps = deps
    this.#cost = deps.cost ?? FULL_COST
    this.#delays = new Delays(deps.time)
    this.#reset = new Reset(deps.time)
    // Only these systems report it: see `lock-screen` and `unlock-screen` of Electron's powerMonitor.
    this.#canReset = deps.platform === 'darwin' || deps.platform === 'win32'
  }

  /** Whether this system reports that someone signed in with a password, rather than just ended a screen saver. */
  get canReset(): boolean {
    return this.#canReset
  }

  /** The stored hash that the last right PIN of this run matched; undefined if there was none. */
  get matchedHash(): PinHash | undefined {
    return this.#matchedHash
  }

  state(): Promise<PinState> {
    return inTurn(this, () => this.#state())
  }

  /**
   * Checks a PIN. After wrong ones the next is accepted only after a delay, which grows and outlives the application; a
   * right one clears it. Concurrent calls are judged one after the other.
   */
  check(pin: string): Promise<PinAnswer> {
    return inTurn(this, () => this.#judge(pin))
  }

  /**
   * Sets the first PIN, replaces the one given as `current`, or, while a reset is allowed, replaces a forgotten one.
   * @throws AppFailure `invalid` with the field, `wrong-pin`, `pin-wait`; KeychainError.
   */
  set(pin: string, current?: string): Promise<PinState> {
    return inTurn(this, async () => {
      const refusal = pinRefusal(pin)
      if (refusal) refuse('pin', refusal)
      const isFirst = (await this.#read()) === null
      const isReset = !isFirst && this.#reset.state() === 'allowed'
      if (!isFirst && !isReset) await this.#mustMatch(current)
      await this.#write({ hash: await this.#hashOf(pin), ...this.#delays.begin(0) })
      this.#reset.end()
      const how = isReset ? 'after signing in to the computer' : isFirst ? 'the first' : 'in place of another'
      this.#deps.note({ what: isReset ? 'pin-reset' : 'pin-set', detail: { how } })
      return this.#state()
    })
  }

  /** Begins the reset of a forgotten PIN. @throws AppFailure `bad-input` if the system doesn't report sign-ins. */
  reset(): Promise<PinState> {
    return inTurn(this, async () => {
      if (!this.#canReset)
        fail('bad-input', 'Only your administrator can reset the PIN on this computer.', {
          next: 'Ask your administrator.'
        })
      if ((await this.#read()) === null) return this.#state()
      this.#reset.ask()
      this.#deps.note({ what: 'pin-reset', detail: { how: 'asked for' } })
      return this.#state()
    })
  }

  /**
   * Sets another PIN for an administrator, without the current one.
   * @param store stores the secret; passed by callers who store something else with it.
   * @throws AppFailure `invalid`; KeychainError; what `store` throws.
   */
  replace(pin: string, store = (secret: string): unknown => this.#deps.slot.set(secret)): Promise<void> {
    return inTurn(this, async () => {
      const refusal = pinRefusal(pin)
      if (refusal) refuse('pin', refusal)
      const kept: KeptPin = { hash: await this.#hashOf(pin), ...this.#delays.begin(0) }
      await store(JSON.stringify(kept))
    })
  }

  /** Whether a code that has proved to be something else (a badge) is also this PIN. Counts no try. */
  matches(pin: string): Promise<boolean> {
    return inTurn(this, async () => {
      const kept = await this.#read()
      return kept ? matchesHash(pin, kept.hash) : false
    })
  }

  /** Returns how many tries in a row have failed. */
  wrongInARow(): Promise<number> {
    return inTurn(this, async () => (await this.#read())?.wrong ?? 0)
  }

  /**
   * Ends the wait for someone entitled to: the next PIN is accepted at once; if it's wrong, the delay is as long as
   * ever. Returns whether there was a wait.
   */
  endWait(): Promise<boolean> {
    return inTurn(this, async () => {
      const kept = await this.#read()
      if (!kept || this.#delays.remaining(kept) === 0) return false
      await this.#write({ ...kept, isWaived: true })
      this.#deps.changed()
      return true
    })
  }

  screenLocked(): void {
    this.#wasLocked = true
    if (this.#reset.lock()) this.#deps.changed()
  }

  /**
   * Called when the computer was unlocked. Anyone who can sign in to it needn't wait after wrong PINs. On a system that
   * doesn't report sign-ins, it may have been just a screen saver. Never rejects.
   */
  async screenUnlocked(): Promise<void> {
    if (this.#reset.unlock()) this.#deps.changed()
    if (!this.#canReset || !this.#wasLocked) return
    this.#wasLocked = false
    // A keychain that fails here fails wherever a PIN is entered, and is reported there.
    const hasEnded = await this.endWait().catch(() => false)
    if (hasEnded) this.#deps.note({ what: 'pin-wait-ended', detail: { how: 'by signing in to the computer' } })
  }

  async #state(): Promise<PinState> {
    const kept = await this.#read()
    const remaining = kept ? this.#delays.remaining(kept) : 0
    return {
      isSet: kept !== null,
      ...(remaining > 0 && { waitUntil: this.#deps.time.now() + remaining }),
      keptIn: this.#deps.keeps === 'in-os' ? 'keychain' : 'memory',
      reset: this.#reset.state(),
      canReset: this.#canReset
    }
  }

  async #judge(pin: string): Promise<PinAnswer> {
    const kept = await this.#read()
    if (kept === null) return { ok: false, code: 'no-pin' }
    if (kept === undefined) {
      fail('keychain', 'The PIN in this computer’s keychain can’t be read.', {
        next: 'Reset it, or ask your administrator.'
      })
    }
    const before = this.#delays.remaining(kept)
    if (before > 0) return { ok: false, code: 'pin-wait', waitUntil: this.#deps.time.now() + before }
    const tries = this.#delays.begin(kept.wrong + 1)
    await this.#write({ hash: kept.hash, ...tries })
    if (!(await matchesHash(pin, kept.hash))) {
      const after = this.#delays.remaining(tries)
      return { ok: false, code: 'wrong-pin', ...(after > 0 && { waitUntil: this.#deps.time.now() + after }) }
    }
    const hash = isCheaper(kept.hash, this.#cost) ? await this.#hashOf(pin) : kept.hash
    // Another PIN may have come from the office meanwhile: it stays, and it's the one to check.
    if (!isDeepStrictEqual((await this.#read())?.hash, kept.hash)) return this.#judge(pin)
    await this.#write({ hash, ...this.#delays.begin(0) })
    this.#matchedHash = hash
    return { ok: true }
  }

  /** @throws AppFailure unless `current` is the PIN. */
  async #mustMatch(current: string | undefined): Promise<void> {
    if (current === undefined) refuse('current', 'Enter the current PIN.')
    const answer = await this.#judge(current)
    if (answer.ok || answer.code === 'no-pin') return
    const { waitUntil } = answer
    const wait = waitUntil === undefined ? {} : { retryAfterMs: Math.max(waitUntil - this.#deps.time.now(), 1) }
    if (answer.code === 'pin-wait') fail('pin-wait', 'Too many wrong PINs.', wait)
    this.#deps.note({ what: 'pin-wrong', detail: { where: 'choosing a new PIN' } })
    const message = 'Wrong PIN.'
    fail('wrong-pin', message, { ...wait, fields: [{ field: 'current', message }] })
  }

  #hashOf(pin: string): Promise<PinHash> {
    return hashOf(pin, this.#cost, this.#deps.randomBytes)
  }

  /** null if there is no PIN, undefined if what is stored can't be understood. */
  async #read(): Promise<KeptPin | null | undefined> {
    const text = await this.#deps.slot.get()
    try {
      return text === null ? null : KeptPin.safeParse(JSON.parse(text)).data
    } catch {
      return undefined
    }
  }

  #write(kept: KeptPin): Promise<void> {
    return this.#deps.slot.set(JSON.stringify(kept))
  }
}

function refuse(field: 'pin' | 'current', message: string): never {
  fail('invalid', message, { fields: [{ field, message }] })
}

/**
 * The longest time from the request to the unlocking: a request from long ago must not let in someone who doesn't know
 * of it.
 */
const ASKED_FOR = 10 * 60_000
const ALLOWED_FOR = 2 * 60_000

/**
 * The reset of a forgotten PIN, open to anyone who can sign in to this computer. After the request the computer has to
 * be locked and unlocked; then they have two minutes to choose a new PIN.
 */
class Reset {
  readonly #time: PinDeps['time']
  #stage: { is: 'asked' | 'locked' | 'allowed'; since: number } | undefined

  constructor(time: PinDeps['time']) {
    this.#time = time
  }

  state(): PinState['reset'] {
    const found = this.#now()
    if (!found) return 'none'
    return found.is === 'allowed' ? 'allowed' : 'asked'
  }

  ask(): void {
    this.#stage = { is: 'asked', since: this.#time.elapsed() }
  }

  /** Returns whether that changed anything. */
  lock(): boolean {
    const found = this.#now()
    if (!found) return false
    // If they lock the computer instead of using the reset, the next unlocking allows it again.
    this.#stage = { is: 'locked', since: found.is === 'allowed' ? this.#time.elapsed() : found.since }
    return true
  }

  /** Returns whether that changed anything. */
  unlock(): boolean {
    if (this.#now()?.is !== 'locked') return false
    this.#stage = { is: 'allowed', since: this.#time.elapsed() }
    return true
  }

  end(): void {
    this.#stage = undefined
  }

  #now() {
    const { is, since } = this.#stage ?? {}
    const maxAge = is === 'allowed' ? ALLOWED_FOR : ASKED_FOR
    if (since !== undefined && this.#time.elapsed() - since >= maxAge) this.#stage = undefined
    return this.#stage
  }
}
