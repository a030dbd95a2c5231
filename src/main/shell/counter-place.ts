/**
 * The screen that a person signs on: our own window, filled to the screen, or the window on the second display. Tells when
 * that place is left while a person has it.
 */
import { type BrowserWindow, type Display, screen } from 'electron'
import type { CounterPlace, LeftBy } from '../core/counter/counter-place.ts'
import type { ClipboardAside } from './clipboard-aside.ts'

/** How long a system may take to fill the screen, in milliseconds; some animate it, some never say that it is done. */
const FILLING_PATIENCE = 1500

export interface CounterPlaceParts {
  desk: BrowserWindow
  settings: () => { fullScreen: boolean; useOtherDisplay: boolean }
  openPersonWindow: (display: Display) => BrowserWindow
  clipboard: ClipboardAside
  left: (by: LeftBy) => void
  /** A second display came or went, or its window did. */
  changed: () => void
  failed: (error: unknown) => void
}

export type ShownPlace = ReturnType<typeof openCounterPlace>

export function openCounterPlace(parts: CounterPlaceParts) {
  const { desk, settings, left } = parts
  let person: BrowserWindow | undefined
  /** The display of the person's window; gone once it was unplugged. */
  let personDisplay: number | undefined
  /** Stops watching the place that is taken; undefined where none is. */
  let stopWatching: (() => void) | undefined
  /** A dialog of ours, which staff asked for, is before the window. */
  let isAsking = false

  const otherDisplay = (): Display | undefined => {
    const own = screen.getDisplayMatching(desk.getBounds()).id
    return screen.getAllDisplays().find(({ id }) => id !== own)
  }

  /** Opens or closes the window on the second display, as the settings and the plugs have it now. */
  function follow(): void {
    if (desk.isDestroyed()) return
    const wanted = settings().useOtherDisplay ? otherDisplay() : undefined
    // While somebody signs on it, it stays, whatever is plugged.
    if (person && !stopWatching && (!wanted || wanted.id !== personDisplay)) closePerson()
    if (wanted && !person) {
      const opened = parts.openPersonWindow(wanted)
      person = opened
      personDisplay = wanted.id
      opened.once('closed', () => {
        if (person !== opened) return
        person = undefined
        personDisplay = undefined
      })
    }
    parts.changed()
  }

  function closePerson(): void {
    const closed = person
    person = undefined
    personDisplay = undefined
    if (closed && !closed.isDestroyed()) closed.destroy()
  }

  /** Left by another window before it, by a screen that is no longer filled, or by being out of sight. */
  function watch(window: BrowserWindow, blurs: () => boolean): () => void {
    const blurred = () => blurs() && left('blur')
    const unfilled = () => left('full-screen')
    const hidden = () => left('hidden')
    const crashed = () => left('page')
    window.on('blur', blurred)
    window.on('leave-full-screen', unfilled)
    window.on('hide', hidden)
    window.on('minimize', hidden)
    window.on('closed', hidden)
    window.webContents.on('render-process-gone', crashed)
    return () => {
      if (window.isDestroyed()) return
      window.off('blur', blurred)
      window.off('leave-full-screen', unfilled)
      window.off('hide', hidden)
      window.off('minimize', hidden)
      window.off('closed', hidden)
      window.webContents.off('render-process-gone', crashed)
    }
  }

  async function takeDesk(): Promise<'here'> {
    const wasFilled = desk.isFullScreen()
    if (settings().fullScreen && !wasFilled) await filled(desk)
    await parts.clipboard.put().catch(parts.failed)
    const stop = watch(desk, () => !isAsking)
    stopWatching = () => {
      stop()
      if (!desk.isDestroyed() && !wasFilled && desk.isFullScreen()) desk.setFullScreen(false)
      void parts.clipboard.giveBack().catch(parts.failed)
    }
    return 'here'
  }

  function takeOther(window: BrowserWindow): 'other-display' {
    const stop = watch(window, () => personDisplay === undefined && !isAsking)
    stopWatching = stop
    return 'other-display'
  }

  const place: CounterPlace = {
    async take() {
      stopWatching?.()
      stopWatching = undefined
      follow()
      return person ? takeOther(person) : takeDesk()
    },
    giveBack() {
      stopWatching?.()
      stopWatching = undefined
      follow()
    }
  }

  function unplugged(_event: unknown, { id }: Display): void {
    if (id === personDisplay && stopWatching && person) {
      personDisplay = undefined
      left('display')
      // The person's page is where it was left: on the display that remains, behind our cover, for staff to go on or to end.
      person.setBounds(screen.getPrimaryDisplay().bounds)
      person.setFullScreen(true)
      person.show()
    }
    follow()
  }

  screen.on('display-added', follow)
  screen.on('display-removed', unplugged)
  desk.once('closed', () => {
    screen.off('display-added', follow)
    screen.off('display-removed', unplugged)
    closePerson()
  })

  return {
    ...place,
    follow,
    personWindow: () => person,
    /** The window isn't left by a dialog that staff has asked for. */
    async whileAsking<Answer>(work: () => Promise<Answer>): Promise<Answer> {
      isAsking = true
      try {
        return await work()
      } finally {
        isAsking = false
      }
    },
    /** A screen that was left is filled again as soon as staff lets the person go on. */
    keepFilled(): void {
      if (stopWatching && !person && settings().fullScreen && !desk.isDestroyed()) desk.setFullScreen(true)
    },
    /** The window that a person signs in, while one does or would. */
    window: () => person ?? desk,
    /** The name of a second display that is there now. */
    otherDisplay: (): string | undefined => otherDisplay()?.label || (otherDisplay() && 'Second display')
  }
}

/** Resolves once the window fills the screen, or the system doesn't say so in time. */
async function filled(window: BrowserWindow): Promise<void> {
  const done = Promise.withResolvers<void>()
  const late = setTimeout(done.resolve, FILLING_PATIENCE)
  window.once('enter-full-screen', done.resolve)
  window.setFullScreen(true)
  await done.promise
  clearTimeout(late)
  if (!window.isDestroyed()) window.off('enter-full-screen', done.resolve)
}
