/**
 * The staff's PIN in the keychain: set, compared and replaced. A try is counted in the keychain before it is judged, so
 * that ending the application gains nothing; a keychain that fails answers with its error and opens nothing.
 */
import { z } from 'zod'
import type { PinState } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import type { Keychain, SecretSlot } from '../storage/keychain.ts'
import { refusedPin } from './pin-choice.ts'
import { openWaits, type WaitEffects } from './pin-delays.ts'
import { type Cost, FULL_COST, hashOf, isCheaper, isSame, PinHash } from './pin-hash.ts'
import { openPinReset } from './pin-reset.ts'
import type { PinAnswer, StaffPin } from './staff-pin.ts'

const KeptPin = z.object({
  hash: PinHash,
  wrong: z.int().min(0).max(1_000_000),
  triedAt: z.number().min(0)
})
type KeptPin = z.infer<typeof KeptPin>

export interface PinEffects extends WaitEffects {
  /** `staffPin` of the keychain, and whether that keeps it. */
  slot: SecretSlot
  keeps: Keychain['keeps']
  random: (bytes: number) => Uint8Array
  platform: NodeJS.Platform
  note: NoteInAudit
  /** Whether it may be reset has changed: what is shown of it is to be asked for again. */
  changed: () => void
  cost?: Cost
}

export interface StaffPinKeeper extends StaffPin {
  /**
   * Sets the first PIN, replaces the one given as `current`, or, while a reset is allowed, a forgotten one.
   * @throws AppFailure `invalid` with the field, `wrong-pin`, `pin-wait`; KeychainError.
   */
  set(pin: string, current?: string): Promise<PinState>
  /** The PIN was forgotten. @throws AppFailure `bad-input` where the system doesn't tell who signs in. */
  reset(): Promise<PinState>
  /** The computer was locked; it was unlocked, by somebody who can sign in to it. */
  lockScreen(): void
  unlockScreen(): void
}

export function openStaffPin(effects: PinEffects): StaffPinKeeper {
  const { slot, random, note, clock, changed, cost = FULL_COST } = effects
  const waits = openWaits(effects)
  const reset = openPinReset(effects.monotonic)
  // Only these tell of it: see `lock-screen` and `unlock-screen` of Electron's powerMonitor.
  const canReset = effects.platform === 'darwin' || effects.platform === 'win32'
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: two tries at one time would both be judged as the first of them. */
  function inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }

  /** null where there is none, undefined where it can't be understood. */
  async function read(): Promise<KeptPin | null | undefined> {
    const text = await slot.get()
    return text === null ? null : decoded(text)
  }

  const write = (kept: KeptPin) => slot.set(JSON.stringify(kept))

  async function state(): Promise<PinState> {
    const kept = await read()
    const left = kept ? waits.left(kept) : 0
    return {
      isSet: kept !== null,
      ...(left > 0 && { waitUntil: clock() + left }),
      keptIn: effects.keeps === 'in-os' ? 'keychain' : 'memory',
      reset: reset.state(),
      canReset
    }
  }

  async function judge(pin: string): Promise<PinAnswer> {
    const kept = await read()
    if (kept === null) return { ok: false, code: 'no-pin' }
    if (kept === undefined) {
      fail('keychain', 'The PIN in this computer’s keychain can’t be read. Reset it, or ask the administrator to.')
    }
    const before = waits.left(kept)
    if (before > 0) return { ok: false, code: 'pin-wait', waitUntil: clock() + before }
    const tries = waits.begin(kept.wrong + 1)
    await write({ ...kept, ...tries })
    if (!(await isSame(pin, kept.hash))) {
      const after = waits.left(tries)
      return { ok: false, code: 'wrong-pin', ...(after > 0 && { waitUntil: clock() + after }) }
    }
    const hash = isCheaper(kept.hash, cost) ? await hashOf(pin, cost, random) : kept.hash
    await write({ hash, ...waits.begin(0) })
    return { ok: true }
  }

  /** @throws AppFailure unless it is the PIN. */
  async function mustBe(current: string | undefined): Promise<void> {
    if (current === undefined) refuse('current', 'Give the PIN that holds now as well.')
    const answer = await judge(current)
    if (answer.ok || answer.code === 'no-pin') return
    const wait = answer.waitUntil === undefined ? {} : { retryAfterMs: Math.max(answer.waitUntil - clock(), 1) }
    if (answer.code === 'pin-wait') fail('pin-wait', 'After wrong PINs the next is taken only in a while.', wait)
    note({ what: 'pin-wrong', detail: { where: 'choosing a new PIN' } })
    const message = 'That isn’t the PIN that holds now.'
    fail('wrong-pin', message, { ...wait, fields: [{ field: 'current', message }] })
  }

  return {
    state: () => inTurn(state),
    check: (pin) => inTurn(() => judge(pin)),

    set: (pin, current) =>
      inTurn(async () => {
        const refused = refusedPin(pin)
        if (refused) refuse('pin', refused)
        const isFirst = (await read()) === null
        const isReset = !isFirst && reset.state() === 'allowed'
        if (!isFirst && !isReset) await mustBe(current)
        await write({ hash: await hashOf(pin, cost, random), ...waits.begin(0) })
        reset.end()
        const how = isReset ? 'after signing in to the computer' : isFirst ? 'the first' : 'in place of another'
        note({ what: isReset ? 'pin-reset' : 'pin-set', detail: { how } })
        return state()
      }),

    reset: () =>
      inTurn(async () => {
        if (!canReset) fail('bad-input', 'On this system only the administrator can reset the PIN.')
        if ((await read()) === null) return state()
        reset.ask()
        note({ what: 'pin-reset', detail: { how: 'asked for' } })
        return state()
      }),

    lockScreen() {
      if (reset.lock()) changed()
    },
    unlockScreen() {
      if (reset.unlock()) changed()
    }
  }
}

function decoded(text: string): KeptPin | undefined {
  try {
    return KeptPin.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function refuse(field: 'pin' | 'current', message: string): never {
  fail('invalid', message, { fields: [{ field, message }] })
}
