/**
 * The screen that a person signs on: our own window, filled to the screen, or the window on the second display. Tells when
 * that place is left while a person has it, and moves to our own window if the second display is lost.
 */
import { type BrowserWindow, type Display, screen } from 'electron'
import type { CounterPlace, LeftBy } from '../core/counter/deps.ts'
import { enlarged } from '../core/counter/page.ts'
import type { ClipboardAside } from './clipboard.ts'
import { applyZoom } from './own-page.ts'
import { bringForward, filled, hasFocus, isShown } from './windows.ts'

/** A window that is being dragged over two displays is on neither until it has rested, in milliseconds. */
const RESTED = 300
/** How long a window whose page was lost stays away: longer each time, unless the last one held for so long. In milliseconds. */
const AGAIN = { first: 5_000, most: 300_000, held: 60_000 }

export interface CounterPlaceDeps {
  /** The office's own window. */
  office: BrowserWindow
  settings: () => { fullScreen: boolean; useOtherDisplay: boolean }
  /** How large the office has our own pages. */
  zoom: () => number
  openPersonWindow: (display: Display) => BrowserWindow
  clipboard: Pick<ClipboardAside, 'put' | 'giveBack'>
  left: (by: LeftBy) => void
  /** Left, as the second display can't be signed on any more: from now on the person has our own window. */
  placeLost: () => void
  /** A second display came or went, or its window did. */
  changed: () => void
  failed: (error: unknown) => void
}

/** A window that a person has, and what ends that. */
interface Taken {
  window: BrowserWindow
  release: () => void
}

export class CounterWindows implements CounterPlace {
  readonly #deps: CounterPlaceDeps
  readonly #office: BrowserWindow
  #officeDisplay: number
  #person: BrowserWindow | undefined
  /** The display of the person's window. */
  #personDisplay: number | undefined
  /** A display where the system doesn't put our window, however it is asked. */
  #unusable: number | undefined
  #taken: Taken | undefined
  /** How much larger than the office has it the person wants what they read. */
  #enlarged = 1
  /** Dialogs of ours, which staff asked for, that are before the window. */
  #asking = 0
  #resting: NodeJS.Timeout | undefined
  /** Until the window on the second display is opened again; how often it was lost since it last held. */
  #again: NodeJS.Timeout | undefined
  #losses = 0

  constructor(deps: CounterPlaceDeps) {
    const { office } = deps
    this.#deps = deps
    this.#office = office
    this.#officeDisplay = displayOf(office).id
    const follow = () => this.follow()
    const unplugged = (_event: unknown, { id }: Display) => this.#unplugged(id)
    screen.on('display-added', follow)
    screen.on('display-removed', unplugged)
    office.on('move', () => this.#moved())
    office.once('closed', () => {
      if (this.#taken?.window === office) deps.left('hidden')
      clearTimeout(this.#resting)
      clearTimeout(this.#again)
      screen.off('display-added', follow)
      screen.off('display-removed', unplugged)
      this.#closePerson()
    })
  }

  /** Answers which window the person gets, and resolves when that can be shown on. */
  async take(): Promise<'here' | 'other-display'> {
    this.giveBack()
    const window = this.#person
    if (!window || !(await isShown(window))) return this.#takeOffice()
    const isThere = this.#person === window && displayOf(window).id === this.#personDisplay
    if (!isThere) return this.#takeOffice()
    // The clerk works beside it in our own window: that leaves nothing.
    this.#taken = { window, release: watch(window, this.#deps.left, () => false) }
    return 'other-display'
  }

  enlarge(factor: number): void {
    this.#enlarged = factor
    if (this.#taken) this.#show(this.#taken.window)
  }

  /** As large as its page is to be now; no more than twice, as our pages are made for that and no more. */
  #show(window: BrowserWindow): void {
    applyZoom(window, enlarged(this.#deps.zoom(), this.#enlarged))
  }

  giveBack(): void {
    const before = this.#taken?.window
    this.#release()
    if (this.#enlarged !== 1) {
      this.#enlarged = 1
      if (before) this.#show(before)
    }
    this.follow()
  }

  /** Opens or closes the window on the second display, as the settings and the plugs have it now. */
  follow(): void {
    if (this.#office.isDestroyed()) return
    // While someone signs, everything stays where it is, whatever is plugged in.
    if (!this.#taken) {
      const { useOtherDisplay } = this.#deps.settings()
      this.#officeDisplay = displayOf(this.#office).id
      if (!useOtherDisplay || screen.getAllDisplays().length < 2) this.#unusable = undefined
      const wanted = useOtherDisplay ? this.#otherDisplay() : undefined
      if (this.#person && (wanted?.id !== this.#personDisplay || isDead(this.#person))) this.#closePerson()
      if (wanted && !this.#person) this.#openPerson(wanted)
    }
    this.#deps.changed()
  }

  personWindow(): BrowserWindow | undefined {
    return this.#person
  }

  /** The window that a person signs in, while one does or would. */
  window(): BrowserWindow {
    return this.#taken?.window ?? this.#person ?? this.#office
  }

  /** The name of a second display that is there now. */
  otherDisplay(): string | undefined {
    const display = this.#otherDisplay()
    return display && (display.label || 'Second display')
  }

  /** The window isn't left by a dialog that staff has asked for; what is in front after it has left it. */
  async whileAsking<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#asking += 1
    try {
      return await work()
    } finally {
      void hasFocus(this.#office).then((isFocused) => {
        this.#asking -= 1
        if (!isFocused && this.#asking === 0 && this.#taken?.window === this.#office) this.#deps.left('blur')
      })
    }
  }

  /** A screen that was left is filled again as soon as staff lets the person go on. */
  keepFilled(): void {
    const window = this.#taken?.window
    if (!window || window.isDestroyed()) return
    if (window !== this.#office || this.#deps.settings().fullScreen) window.setFullScreen(true)
  }

  #otherDisplay(): Display | undefined {
    const own = displayOf(this.#office).id
    return screen.getAllDisplays().find(({ id }) => id !== own && id !== this.#unusable)
  }

  #openPerson(display: Display): void {
    const opened = this.#deps.openPersonWindow(display)
    const openedAt = Date.now()
    this.#person = opened
    this.#personDisplay = display.id
    // Where windows can't be placed (Wayland), it may lie over the office's own.
    const judge = () => {
      if (this.#person !== opened || this.#taken || displayOf(opened).id === display.id) return
      this.#unusable = display.id
      this.#closePerson()
      this.#deps.changed()
    }
    opened.on('show', judge)
    opened.on('enter-full-screen', judge)
    opened.once('closed', () => {
      if (this.#person !== opened) return
      this.#person = undefined
      this.#personDisplay = undefined
      if (this.#taken?.window === opened) {
        this.#deps.left('hidden')
        this.#moveToOffice()
      } else this.#openAgain(Date.now() - openedAt)
      this.#deps.changed()
    })
  }

  /** Nobody signs on it, so nothing else opens it. @param held how long it was there, in milliseconds. */
  #openAgain(held: number): void {
    if (held >= AGAIN.held) this.#losses = 0
    clearTimeout(this.#again)
    this.#again = setTimeout(() => this.follow(), Math.min(AGAIN.first * 2 ** this.#losses++, AGAIN.most))
  }

  #closePerson(): void {
    const closed = this.#person
    this.#person = undefined
    this.#personDisplay = undefined
    if (closed && !closed.isDestroyed()) closed.destroy()
  }

  #release(): void {
    const before = this.#taken
    this.#taken = undefined
    before?.release()
  }

  /** The office's own window is the person's at once; resolves when it can be shown on. */
  async #takeOffice(): Promise<'here'> {
    const { clipboard, failed, left, settings } = this.#deps
    const office = this.#office
    const wasFilled = office.isFullScreen()
    let stop = () => {}
    const mine: Taken = {
      window: office,
      release() {
        stop()
        if (!office.isDestroyed() && !wasFilled && office.isFullScreen()) office.setFullScreen(false)
        void clipboard.giveBack().catch(failed)
      }
    }
    this.#taken = mine
    if (settings().fullScreen && !wasFilled) await filled(office)
    if (this.#taken === mine) await clipboard.put().catch(failed)
    // Staff may have it again by now.
    if (this.#taken !== mine || office.isDestroyed()) return 'here'
    stop = watch(office, left, () => this.#asking === 0)
    // One that is not in front can't be left by another that comes to the front.
    if (!office.isFocused()) bringForward(office)
    return 'here'
  }

  /** The second display is lost while someone signs on it: our own window is what the person has from now on. */
  #moveToOffice(): void {
    // The page is ended while its window is there still.
    this.#deps.placeLost()
    this.#release()
    this.#closePerson()
    if (!this.#office.isDestroyed()) void this.#takeOffice().catch(this.#deps.failed)
  }

  #unplugged(id: number): void {
    const isOffice = id === this.#officeDisplay
    if (this.#taken && this.#taken.window !== this.#office && (id === this.#personDisplay || isOffice))
      this.#moveToOffice()
    else if (this.#taken && isOffice) this.#deps.left('display')
    if (!this.#office.isDestroyed()) this.#officeDisplay = displayOf(this.#office).id
    this.follow()
  }

  #moved(): void {
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      if (this.#office.isDestroyed() || displayOf(this.#office).id === this.#officeDisplay) return
      this.#officeDisplay = displayOf(this.#office).id
      this.follow()
    }, RESTED)
  }
}

const displayOf = (window: BrowserWindow): Display => screen.getDisplayMatching(window.getBounds())

const isDead = (window: BrowserWindow): boolean => window.isDestroyed() || window.webContents.isCrashed()

/** Left by another window before it, by a screen that is no longer filled, or by being out of sight. */
function watch(window: BrowserWindow, left: (by: LeftBy) => void, blurs: () => boolean): () => void {
  const hidden = () => left('hidden')
  const crashed = () => left('page')
  const told = Object.entries({
    blur: () => blurs() && left('blur'),
    'leave-full-screen': () => left('full-screen'),
    hide: hidden,
    minimize: hidden
  })
  // The declarations have an overload for each event, and none for all of them.
  for (const [event, heard] of told) window.on(event as 'blur', heard)
  window.webContents.on('render-process-gone', crashed)
  return () => {
    if (window.isDestroyed()) return
    for (const [event, heard] of told) window.off(event as 'blur', heard)
    window.webContents.off('render-process-gone', crashed)
  }
}
