/**
 * The screen that a person signs on: our own window, filled to the screen, or the window on the second display. Tells when
 * that place is left while a person has it, and moves to our own window where the second display is lost.
 */
import { type BrowserWindow, type Display, screen } from 'electron'
import type { CounterPlace, LeftBy } from '../core/counter/deps.ts'
import type { ClipboardAside } from './clipboard-aside.ts'
import { bringForward } from './foreground.ts'
import { filled, hasFocus, isShown } from './window-waits.ts'

/** A window that is being dragged over two displays is on neither until it has rested, in milliseconds. */
const RESTED = 300

export interface CounterPlaceParts {
  desk: BrowserWindow
  settings: () => { fullScreen: boolean; useOtherDisplay: boolean }
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

export function openCounterPlace(parts: CounterPlaceParts) {
  const { desk, settings, left } = parts
  let person: BrowserWindow | undefined
  /** The display of the person's window. */
  let personDisplay: number | undefined
  /** A display where the system doesn't put our window, however it is asked. */
  let unusable: number | undefined
  let deskDisplay = displayOf(desk).id
  let taken: Taken | undefined
  /** Dialogs of ours, which staff asked for, that are before the window. */
  let asking = 0
  let resting: NodeJS.Timeout | undefined

  const otherDisplay = (): Display | undefined => {
    const own = displayOf(desk).id
    return screen.getAllDisplays().find(({ id }) => id !== own && id !== unusable)
  }

  /** Opens or closes the window on the second display, as the settings and the plugs have it now. */
  function follow(): void {
    if (desk.isDestroyed()) return
    // While somebody signs, everything stays where it is, whatever is plugged in.
    if (!taken) {
      deskDisplay = displayOf(desk).id
      if (!settings().useOtherDisplay || screen.getAllDisplays().length < 2) unusable = undefined
      const wanted = settings().useOtherDisplay ? otherDisplay() : undefined
      if (person && (wanted?.id !== personDisplay || isDead(person))) closePerson()
      if (wanted && !person) open(wanted)
    }
    parts.changed()
  }

  function open(display: Display): void {
    const opened = parts.openPersonWindow(display)
    person = opened
    personDisplay = display.id
    // Where windows can't be placed (Wayland), it may lie over the office's own.
    const judge = () => {
      if (person !== opened || taken || displayOf(opened).id === display.id) return
      unusable = display.id
      closePerson()
      parts.changed()
    }
    opened.on('show', judge)
    opened.on('enter-full-screen', judge)
    opened.once('closed', () => {
      if (person !== opened) return
      person = undefined
      personDisplay = undefined
      if (taken?.window !== opened) return
      left('hidden')
      moveToDesk()
    })
  }

  function closePerson(): void {
    const closed = person
    person = undefined
    personDisplay = undefined
    if (closed && !closed.isDestroyed()) closed.destroy()
  }

  function release(): void {
    const before = taken
    taken = undefined
    before?.release()
  }

  /** Answers at once which window it is, and resolves when that can be shown on. */
  async function takeDesk(): Promise<'here'> {
    const wasFilled = desk.isFullScreen()
    let stop = () => {}
    const mine: Taken = {
      window: desk,
      release() {
        stop()
        if (!desk.isDestroyed() && !wasFilled && desk.isFullScreen()) desk.setFullScreen(false)
        void parts.clipboard.giveBack().catch(parts.failed)
      }
    }
    taken = mine
    if (settings().fullScreen && !wasFilled) await filled(desk)
    if (taken === mine) await parts.clipboard.put().catch(parts.failed)
    // Staff may have it again by now.
    if (taken !== mine || desk.isDestroyed()) return 'here'
    stop = watch(desk, left, () => asking === 0)
    // One that is not in front can't be left by another that comes to the front.
    if (!desk.isFocused()) bringForward(desk)
    return 'here'
  }

  function takeOther(window: BrowserWindow): 'other-display' {
    // The clerk works beside it in our own window: that leaves nothing.
    taken = { window, release: watch(window, left, () => false) }
    return 'other-display'
  }

  /** The second display is lost while somebody signs on it: our own window is what the person has from now on. */
  function moveToDesk(): void {
    // The page is ended while its window is there still.
    parts.placeLost()
    release()
    closePerson()
    if (!desk.isDestroyed()) void takeDesk().catch(parts.failed)
  }

  const place: CounterPlace = {
    async take() {
      release()
      follow()
      const window = person
      if (!window || !(await isShown(window))) return takeDesk()
      const isThere = person === window && displayOf(window).id === personDisplay
      return isThere ? takeOther(window) : takeDesk()
    },
    giveBack() {
      release()
      follow()
    }
  }

  function unplugged(_event: unknown, { id }: Display): void {
    if (taken && taken.window !== desk && (id === personDisplay || id === deskDisplay)) moveToDesk()
    else if (taken && id === deskDisplay) left('display')
    if (!desk.isDestroyed()) deskDisplay = displayOf(desk).id
    follow()
  }

  function moved(): void {
    clearTimeout(resting)
    resting = setTimeout(() => {
      if (desk.isDestroyed() || displayOf(desk).id === deskDisplay) return
      deskDisplay = displayOf(desk).id
      follow()
    }, RESTED)
  }

  screen.on('display-added', follow)
  screen.on('display-removed', unplugged)
  desk.on('move', moved)
  desk.once('closed', () => {
    if (taken?.window === desk) left('hidden')
    clearTimeout(resting)
    screen.off('display-added', follow)
    screen.off('display-removed', unplugged)
    closePerson()
  })

  return {
    ...place,
    follow,
    personWindow: () => person,
    /** The window isn't left by a dialog that staff has asked for; whoever is in front after it has left it. */
    async whileAsking<Answer>(work: () => Promise<Answer>): Promise<Answer> {
      asking += 1
      try {
        return await work()
      } finally {
        void hasFocus(desk).then((isFocused) => {
          asking -= 1
          if (!isFocused && asking === 0 && taken?.window === desk) left('blur')
        })
      }
    },
    /** A screen that was left is filled again as soon as staff lets the person go on. */
    keepFilled(): void {
      if (!taken || taken.window.isDestroyed()) return
      if (taken.window !== desk || settings().fullScreen) taken.window.setFullScreen(true)
    },
    /** The window that a person signs in, while one does or would. */
    window: () => taken?.window ?? person ?? desk,
    /** The name of a second display that is there now. */
    otherDisplay: (): string | undefined => otherDisplay()?.label || (otherDisplay() && 'Second display')
  }
}

const displayOf = (window: BrowserWindow): Display => screen.getDisplayMatching(window.getBounds())

const isDead = (window: BrowserWindow): boolean => window.isDestroyed() || window.webContents.isCrashed()

/** Left by another window before it, by a screen that is no longer filled, or by being out of sight. */
function watch(window: BrowserWindow, left: (by: LeftBy) => void, blurs: () => boolean): () => void {
  const blurred = () => blurs() && left('blur')
  const unfilled = () => left('full-screen')
  const hidden = () => left('hidden')
  const crashed = () => left('page')
  window.on('blur', blurred)
  window.on('leave-full-screen', unfilled)
  window.on('hide', hidden)
  window.on('minimize', hidden)
  window.webContents.on('render-process-gone', crashed)
  return () => {
    if (window.isDestroyed()) return
    window.off('blur', blurred)
    window.off('leave-full-screen', unfilled)
    window.off('hide', hidden)
    window.off('minimize', hidden)
    window.webContents.off('render-process-gone', crashed)
  }
}
