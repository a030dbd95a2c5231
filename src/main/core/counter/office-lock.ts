/**
 * Locks the office's own window once nobody has touched the computer for as long as the office has set, or when staff
 * leaves. The lock outlasts a restart. It opens with the staff's PIN, or by signing in to the computer if the system
 * reports that.
 */
import type { OfficeLockState, PinState } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import { closedScreens, refusedRequests } from './rights.ts'
import type { Staff } from './staff.ts'
import { refusePin } from './staff-actions.ts'

/** Milliseconds between checks of whether anyone is there. */
const CHECK_INTERVAL = 5_000
const KEY = 'office-locked'

export interface OfficeLockDeps {
  db: Db
  pin: Pick<Staff, 'state' | 'check' | 'canReset' | 'hasNames' | 'authenticated'>
  /** Minutes without a touch until it locks; 0 for never. */
  minutes: () => number
  /** Whether a person has the office's window: a session has its own idle times. */
  isHandedOver: () => boolean
  note: NoteInAudit
  time: Pick<Time, 'after' | 'now'>
  changed: () => void
  /** Called with the disk's error if the lock couldn't be stored for a restart. */
  onError: (error: unknown) => void
}

export class OfficeLock {
  readonly #deps: OfficeLockDeps
  readonly #meta: ReturnType<typeof openMeta>
  #isLocked: boolean
  #cancel: (() => void) | undefined

  constructor(deps: OfficeLockDeps) {
    this.#deps = deps
    this.#meta = openMeta(deps.db)
    this.#isLocked = this.#meta.read(KEY) !== undefined
  }

  get isLocked(): boolean {
    return this.#isLocked
  }

  /** @param idleSeconds how long nobody has touched the computer. */
  watch(idleSeconds: () => number): void {
    this.#cancel = this.#deps.time.after(CHECK_INTERVAL, () => {
      this.watch(idleSeconds)
      void this.#checkIdle(idleSeconds)
    })
  }

  stop(): void {
    this.#cancel?.()
  }

  /**
   * Returns whether the window is locked, and until when no PIN is accepted. Never rejects: a window that couldn't find
   * out would show the office.
   */
  async state(): Promise<OfficeLockState> {
    const { pin } = this.#deps
    const { waitUntil, asksName, needsName } = await pin.state().catch((): Partial<PinState> => ({}))
    const who = pin.authenticated()?.name
    const closed = closedScreens(pin)
    const refused = refusedRequests(pin)
    const details = defined({ waitUntil, asksName, needsName, who, closed, refused })
    return { isLocked: this.#isLocked, opensBySignIn: this.#opensBySignIn, ...details }
  }

  /**
   * Locks the window for staff who leave the computer. @throws AppFailure `no-pin`, as nothing could open it;
   * `keychain` if the PIN can't be read.
   */
  async lock(): Promise<OfficeLockState> {
    const { isSet } = await this.#deps.pin.state()
    if (!isSet) fail('no-pin', 'Countersign can’t be locked, as there is no staff PIN yet.')
    this.#lock({ how: 'by staff' })
    return this.state()
  }

  /** @throws AppFailure `wrong-pin`, `pin-wait`; `keychain` if the PIN can't be read. */
  async unlock(pin: string, name?: string): Promise<OfficeLockState> {
    const { note, time } = this.#deps
    const answer = this.#isLocked ? await this.#deps.pin.check(pin, name) : undefined
    // Without a PIN nobody could ever open it.
    if (answer && !answer.ok && answer.code !== 'no-pin') {
      if (answer.code === 'wrong-pin')
        note({ what: 'pin-wrong', detail: { where: 'Countersign was locked', ...(answer.at && { name: answer.at }) } })
      refusePin(answer, time.now())
    }
    if (answer) this.#open(answer.ok ? 'with the PIN' : 'without a PIN, as it was removed')
    return this.state()
  }

  /** If staff have names, signing in to the computer doesn't prove which of them works here, nor what they may do. */
  get #opensBySignIn(): boolean {
    return this.#deps.pin.canReset && !this.#deps.pin.hasNames
  }

  /**
   * Called when the computer's screen was unlocked. On Linux that may be just the end of a screen saver, and opens
   * nothing.
   */
  screenUnlocked(): void {
    if (this.#opensBySignIn) this.#open('by signing in to the computer')
  }

  async #checkIdle(idleSeconds: () => number): Promise<void> {
    const { isHandedOver, minutes, pin } = this.#deps
    const after = minutes() * 60
    if (this.#isLocked || after === 0 || idleSeconds() < after || isHandedOver()) return
    // If no PIN can be read, nothing could open the lock.
    const isSet = await pin.state().then(
      (state) => state.isSet,
      () => false
    )
    // Someone may be back by now: a keychain that is locked answers only once they have seen its prompt.
    const seconds = idleSeconds()
    if (isSet && seconds >= after) this.#lock({ seconds: String(Math.round(seconds)) })
  }

  #lock(detail: Record<string, string>): void {
    if (this.#isLocked || this.#deps.isHandedOver()) return
    this.#isLocked = true
    this.#keep(() => this.#meta.write(KEY, 'yes'))
    this.#deps.note({ what: 'office-locked', detail })
    this.#deps.changed()
  }

  #open(how: string): void {
    if (!this.#isLocked) return
    this.#isLocked = false
    this.#keep(() => this.#meta.erase(KEY))
    this.#deps.note({ what: 'office-unlocked', detail: { how } })
    this.#deps.changed()
  }

  #keep(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#deps.onError(error)
    }
  }
}
