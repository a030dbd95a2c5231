/** Decides who may change the counter's settings, and for how long (decision 34). */
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { Staff, StaffDeps } from './staff.ts'
import { FIRST_ID } from './staff-pins.ts'

/** Milliseconds that the settings stay unlocked after they were unlocked or changed. */
const OPEN_FOR = 10 * 60_000

export interface SettingsAccessDeps extends Pick<StaffDeps, 'note' | 'changed'> {
  staff: Staff
  time: Pick<Time, 'after' | 'elapsed'>
}

/**
 * Access to the counter's settings, which are an administrator's: unlocked with their PIN, and locked again after a
 * while or when someone else works here.
 */
export class SettingsAccess {
  readonly #deps: SettingsAccessDeps
  #unlocked: { at: number; by: string; cancel: () => void } | undefined
  #timesClosed = 0

  constructor(deps: SettingsAccessDeps) {
    this.#deps = deps
  }

  /** Whether the settings may be changed now. Before there is a PIN, anyone may. */
  async isOpen(): Promise<boolean> {
    const { staff } = this.#deps
    return this.#isUnlocked() || (!staff.hasNames && !(await staff.state()).isSet)
  }

  /** Keeps the settings unlocked for another change. @throws AppFailure `not-allowed` unless they are unlocked. */
  async mustBeOpen(): Promise<void> {
    if (!(await this.isOpen()))
      fail('not-allowed', 'Unlock the counter’s settings first.', { next: 'This needs an administrator’s PIN.' })
    if (this.#unlocked) this.#extend()
  }

  /**
   * Unlocks the settings; the person who works here has just entered their PIN. @throws AppFailure `not-allowed` unless they
   * are an administrator.
   */
  open(): void {
    const { note, changed } = this.#deps
    if (!this.#isAdministrator()) fail('not-allowed', 'Only an administrator can change these settings.')
    this.#extend()
    note({ what: 'settings-unlocked' })
    changed()
  }

  /**
   * Call before a PIN is checked. Returns what unlocks the settings once it proved right, as `open`; but not if they
   * were locked meanwhile: staff may have gone while it was checked.
   */
  opening(): () => void {
    const timesClosed = this.#timesClosed
    return () => {
      if (this.#timesClosed === timesClosed) this.open()
    }
  }

  /**
   * Keeps the settings unlocked for the same person, who has got a new id as the first one with a name, or in an
   * office.
   */
  followNewId(): void {
    if (this.#unlocked) this.#extend()
  }

  /** Locks the settings: staff has gone or finished, or the time is over. */
  close(): void {
    this.#timesClosed++
    if (!this.#unlocked) return
    this.#unlocked.cancel()
    this.#unlocked = undefined
    this.#deps.changed()
  }

  #extend(): void {
    const { time } = this.#deps
    this.#unlocked?.cancel()
    const cancel = time.after(OPEN_FOR, () => this.close())
    this.#unlocked = { at: time.elapsed(), by: this.#currentId(), cancel }
  }

  #isUnlocked(): boolean {
    if (!this.#unlocked || this.#deps.time.elapsed() - this.#unlocked.at >= OPEN_FOR) return false
    return this.#unlocked.by === this.#currentId() && this.#isAdministrator()
  }

  /** While nobody has a name, it's the person who becomes the first administrator. */
  #currentId(): string {
    return this.#deps.staff.current()?.id ?? FIRST_ID
  }

  #isAdministrator(): boolean {
    const { staff } = this.#deps
    return !staff.hasNames || staff.current()?.role === 'administrator'
  }
}
