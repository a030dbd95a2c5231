/**
 * The office's own window locks itself once nobody has touched the computer for as long as the office says, or as staff leaves it, and
 * stays locked over a restart. The staff's PIN opens it, and so does signing in to the computer, where the system tells of that.
 */
import type { OfficeLockState, PinState } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import { closedTo, refusedTo } from './rights.ts'
import type { Staff } from './staff.ts'
import { refusePin } from './staff-actions.ts'

/** Milliseconds between two looks at whether anyone is there. */
const LOOK_EVERY = 5_000
const KEY = 'office-locked'

export interface OfficeLockDeps {
  db: Db
  pin: Pick<Staff, 'state' | 'check' | 'canReset' | 'hasNames' | 'proved'>
  /** After how many minutes without a touch; 0 for never. */
  minutes: () => number
  /** Whether a person has the office's window: a session has its own times. */
  isHandedOver: () => boolean
  note: NoteInAudit
  time: Pick<Time, 'after' | 'now'>
  /** It was locked or opened. */
  changed: () => void
  /** What could not be kept over a restart: the disk's error. */
  trouble: (error: unknown) => void
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
    this.#cancel = this.#deps.time.after(LOOK_EVERY, () => {
      this.watch(idleSeconds)
      void this.#look(idleSeconds())
    })
  }

  stop(): void {
    this.#cancel?.()
  }

  /** Whether it is locked, and until when no PIN is taken. Never rejects: a window that can't know it would show the office. */
  async state(): Promise<OfficeLockState> {
    const { pin } = this.#deps
    const { waitUntil, asksName, needsName } = await pin.state().catch((): Partial<PinState> => ({}))
    const who = pin.proved()?.name
    const closed = closedTo(pin)
    const refused = refusedTo(pin)
    const along = defined({ waitUntil, asksName, needsName, who, closed, refused })
    return { isLocked: this.#isLocked, opensBySignIn: this.#opensBySignIn, ...along }
  }

  /** Staff leaves the computer. @throws AppFailure `no-pin`, as nothing could open it; `keychain` if the PIN can't be read. */
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

  /** Where staff have names, signing in to the computer doesn't say who of them works here now, and what they may. */
  get #opensBySignIn(): boolean {
    return this.#deps.pin.canReset && !this.#deps.pin.hasNames
  }

  /** The computer's screen was unlocked. On Linux that may be no more than a screen saver that ended, and opens nothing. */
  signedIn(): void {
    if (this.#opensBySignIn) this.#open('by signing in to the computer')
  }

  async #look(idleSeconds: number): Promise<void> {
    const { isHandedOver, minutes, pin } = this.#deps
    const after = minutes() * 60
    if (this.#isLocked || after === 0 || idleSeconds < after || isHandedOver()) return
    // Where no PIN can be read nothing could open it.
    const isSet = await pin.state().then(
      (state) => state.isSet,
      () => false
    )
    if (isSet) this.#lock({ seconds: String(Math.round(idleSeconds)) })
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
      this.#deps.trouble(error)
    }
  }
}
