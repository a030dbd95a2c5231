/** Who may change the settings of the counter, and for how long (decision 34). */
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { Staff, StaffDeps } from './staff.ts'
import { FIRST } from './staff-pins.ts'

/** Milliseconds that settings stay open after they were opened, or changed. */
const OPEN_FOR = 10 * 60_000

export interface SettingsAccessDeps extends Pick<StaffDeps, 'note' | 'changed'> {
  staff: Staff
  time: Pick<Time, 'after' | 'elapsed'>
}

/** The settings of the counter are an administrator's: opened with their PIN, and closed by themselves, or with who works here next. */
export class SettingsAccess {
  readonly #deps: SettingsAccessDeps
  #opened: { at: number; by: string; cancel: () => void } | undefined

  constructor(deps: SettingsAccessDeps) {
    this.#deps = deps
  }

  /** Whether they may be changed now: before there is a PIN anyone may. */
  async isOpen(): Promise<boolean> {
    const { staff } = this.#deps
    return this.#isHeld() || (!staff.hasNames && !(await staff.state()).isSet)
  }

  /** @throws AppFailure `not-allowed` unless they are open; each change keeps them open. */
  async mustBeOpen(): Promise<void> {
    if (!(await this.isOpen()))
      fail('not-allowed', 'Unlock the counter’s settings first.', { next: 'It takes an administrator’s PIN.' })
    if (this.#opened) this.#hold()
  }

  /** Who works here has just given their PIN. @throws AppFailure `not-allowed` unless they are an administrator. */
  open(): void {
    const { note, changed } = this.#deps
    if (!this.#isAdministrators()) fail('not-allowed', 'Only an administrator can change these settings.')
    this.#hold()
    note({ what: 'settings-unlocked' })
    changed()
  }

  /** Who had them open is the first who has a name from now on, and in an office another id with it: they go on. */
  follow(): void {
    if (this.#opened) this.#hold()
  }

  /** Nobody of staff is there, or they have finished, or the time is over. */
  close(): void {
    if (!this.#opened) return
    this.#opened.cancel()
    this.#opened = undefined
    this.#deps.changed()
  }

  #hold(): void {
    const { time } = this.#deps
    this.#opened?.cancel()
    const cancel = time.after(OPEN_FOR, () => this.close())
    this.#opened = { at: time.elapsed(), by: this.#who(), cancel }
  }

  #isHeld(): boolean {
    if (!this.#opened || this.#deps.time.elapsed() - this.#opened.at >= OPEN_FOR) return false
    return this.#opened.by === this.#who() && this.#isAdministrators()
  }

  /** Where nobody has a name, it is the one who becomes the first administrator. */
  #who(): string {
    return this.#deps.staff.current()?.id ?? FIRST
  }

  #isAdministrators(): boolean {
    const { staff } = this.#deps
    return !staff.hasNames || staff.current()?.role === 'administrator'
  }
}
