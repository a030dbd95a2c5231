/**
 * What staff can do: enter their PIN and then choose, or choose from their own screen while the person has the second
 * display.
 */
import type { CounterSession } from '../../../shared/contract/index.ts'
import { callsStaff } from '../../../shared/wants-staff.ts'
import { fail } from '../lib/failure.ts'
import type { CounterDeps } from './deps.ts'
import type { Overlays } from './overlays.ts'
import type { Page } from './page.ts'
import type { SessionState } from './session-state.ts'
import type { Proof } from './staff-proof.ts'
import type { SessionParts, Turns } from './turns.ts'

export type StaffAction =
  | ('answer' | 'cover' | 'continue' | 'end' | 'allow-camera' | 'refuse-camera')
  | ('print' | 'save' | 'open-files' | 'open-folder')
/** office: the office's own window. person: the window on the second display. */
export type AskedFrom = 'office' | 'person'

export class StaffActions {
  readonly #deps: Pick<CounterDeps, 'settings' | 'savePage' | 'chooseFiles' | 'pin' | 'time'>
  readonly #state: SessionState
  readonly #page: Page
  readonly #overlays: Overlays
  readonly #turns: Turns
  readonly #onScreenReturned: () => void
  #isEnding = false
  #isPinGone = false
  /** How often the screen was left. */
  #departures = 0

  /** @param onScreenReturned called when staff has the screen again. */
  constructor({ deps, state, page, overlays }: SessionParts, turns: Turns, onScreenReturned: () => void) {
    this.#deps = deps
    this.#state = state
    this.#page = page
    this.#overlays = overlays
    this.#turns = turns
    this.#onScreenReturned = onScreenReturned
  }

  /** Whether staff has ended the session, so that nobody else gets the screen. */
  isEnding(): boolean {
    return this.#isEnding
  }

  /** Whether the last attempt found that there is no PIN any more. */
  isPinGone(): boolean {
    return this.#isPinGone
  }

  /** Called when the screen was left: a PIN that is being checked then opens nothing. */
  screenLeft(): void {
    this.#departures++
  }

  /**
   * Checks the PIN, which opens staff's choice, or gives the screen back at the end. Wrong ones are recorded and
   * counted.
   * @throws AppFailure `wrong-pin`, `pin-wait`, `no-pin`; `keychain` if the PIN can't be read.
   */
  async unlock(pin: string, name?: string): Promise<CounterSession> {
    const state = this.#state
    if (this.#isOver()) return state.shown
    const departures = this.#departures
    const answer = await this.#deps.pin.check(pin, name)
    this.#isPinGone = !answer.ok && answer.code === 'no-pin'
    // Much may have happened meanwhile: the current state counts.
    if (this.#isOver()) return state.shown
    if (!answer.ok) return this.#rejectPin(answer, name)
    state.note('unlocked', { phase: state.shown.phase, ...(answer.by && { how: answer.by }) })
    state.update({ pinWaitUntil: undefined })
    await this.#turns.finishIfAnswered()
    // If the screen was left meanwhile, staff has to enter the PIN again.
    if (this.#isOver() || departures !== this.#departures) return state.shown
    if (state.shown.phase !== 'return') return this.#overlays.cover('staff', 'not locked')
    this.#onScreenReturned()
    return state.shown
  }

  /** @throws AppFailure `not-allowed`, `gone`, and the error of printing or saving. */
  async act(action: StaffAction, from: AskedFrom): Promise<CounterSession> {
    if (this.#isOver()) return this.#state.shown
    this.#mustBeAllowed(from)
    await this.#carryOut(action, from)
    return this.#state.shown
  }

  async #carryOut(action: StaffAction, from: AskedFrom): Promise<void> {
    switch (action) {
      case 'answer':
        if (callsStaff(this.#state.shown)) this.#state.update({ isAnswered: true })
        return
      case 'cover':
        return this.#cover()
      case 'continue':
      case 'refuse-camera':
        return this.#overlays.resume('staff')
      case 'allow-camera':
        return this.#overlays.allowCamera()
      case 'end':
        return this.#end(from)
      case 'print':
        return this.#print()
      case 'save':
        return this.#save(from)
      case 'open-files':
        return this.#openFiles('files', from)
      case 'open-folder':
        return this.#openFiles('folder', from)
    }
  }

  #cover(): void {
    const before = this.#state.shown
    this.#overlays.cover('away', 'locked', 'office')
    if (before !== this.#state.shown && before.cover !== 'away')
      this.#state.noteTurn('left', before.current, { by: 'staff' })
  }

  async #end(from: AskedFrom): Promise<void> {
    this.#isEnding = true
    await this.#turns.stop()
    // If the screen was left meanwhile, staff has to enter the PIN again.
    if (this.#state.shown.phase === 'return' && this.#isAllowed(from)) this.#onScreenReturned()
  }

  async #print(): Promise<void> {
    this.#mustAllowKeeping()
    const { current } = this.#state.shown
    await this.#page.print()
    this.#state.noteTurn('page-printed', current)
  }

  async #save(from: AskedFrom): Promise<void> {
    this.#mustAllowKeeping()
    const { current } = this.#state.shown
    const bytes = await this.#page.pdf()
    if (!bytes) return
    try {
      // Staff, and the page, may be gone since the PDF was requested.
      this.#mustBeAllowed(from)
      if (this.#state.shown.current !== current) fail('gone', NO_PAGE)
      this.#mustHavePage()
      const isSaved = await this.#deps.savePage(bytes, `${this.#state.turnOf(current).documentName}.pdf`)
      if (isSaved) this.#state.noteTurn('page-saved', current)
    } finally {
      bytes.fill(0)
    }
  }

  /** Opens files, or a folder's files, for the current turn: the person may give one of them to the page. */
  async #openFiles(what: 'files' | 'folder', from: AskedFrom): Promise<void> {
    if (!this.#deps.settings().mayGiveFiles) fail('not-allowed', 'Giving files to signing pages is turned off.')
    this.#mustHavePage()
    const { current } = this.#state.shown
    const opened = await this.#deps.chooseFiles(what)
    if (!opened) return
    // Staff, and the page, may be gone since the dialog opened.
    this.#mustBeAllowed(from)
    if (this.#state.shown.current !== current) fail('gone', NO_PAGE)
    this.#mustHavePage()
    const isOpen = await this.#page.files.open(opened).catch(() => {
      return fail('bad-file', 'The folder couldn’t be read.', {
        next: 'Copy the files to this computer and try again.'
      })
    })
    // Reading a folder may take longer than the turn.
    if (!isOpen) fail('gone', NO_PAGE)
    this.#state.noteTurn('files-opened', current, { files: String(this.#page.files.offered([]).length) })
    this.#overlays.filesOpened()
  }

  #isOver(): boolean {
    return this.#state.shown.phase === 'ended'
  }

  #isAllowed(from: AskedFrom): boolean {
    const { cover, place } = this.#state.shown
    return cover === 'staff' || (from === 'office' && place === 'other-display')
  }

  #mustBeAllowed(from: AskedFrom): void {
    if (!this.#isAllowed(from)) fail('not-allowed', 'Enter the staff PIN first.')
  }

  #mustAllowKeeping(): void {
    if (!this.#deps.settings().mayKeepPages) fail('not-allowed', 'Printing and saving signing pages is turned off.')
    this.#mustHavePage()
  }

  #mustHavePage(): void {
    if (!this.#page.isOpen()) fail('gone', NO_PAGE)
  }

  #rejectPin(answer: RefusedPin, name: string | undefined): never {
    if (answer.code === 'wrong-pin') this.#state.note('pin-wrong', answer.at ? { name: answer.at } : {})
    // A wait for another name doesn't keep anyone else from the PIN pad.
    if (name === undefined) this.#state.update({ pinWaitUntil: answer.waitUntil })
    return refusePin(answer, this.#deps.time.now())
  }
}

type RefusedPin = Extract<Proof, { ok: false }>

/**
 * @throws AppFailure with the answer's code: why the PIN was refused, and how many milliseconds the next has to wait.
 */
export function refusePin({ code, waitUntil }: RefusedPin, now: number): never {
  const wait = waitUntil === undefined ? {} : { retryAfterMs: Math.max(0, waitUntil - now) }
  return fail(code, REFUSED[code], code === 'wrong-pin' || code === 'pin-wait' ? wait : {})
}

const NO_PAGE = 'No page is open.'
const REFUSED = {
  'wrong-pin': 'Wrong PIN.',
  'pin-wait': 'Too many wrong PINs.',
  'pin-once': 'This is a one-time PIN. Use it to choose your own.',
  'no-pin': 'The staff PIN was removed from this computer. Close Countersign and open it again.'
}
