/**
 * The port to the screen that a person signs on: this window, filled to the screen, or the second display. Whoever holds it
 * tells when the place is left, so that the page can be covered, and when the second display is lost (`placeLost` of the
 * counter): then this window is the place.
 */

export interface CounterPlace {
  /** The person gets a screen. Answers which; resolves when it is there to be shown on. */
  take(): Promise<'here' | 'other-display'>
  /** Staff has the screen again. Calling it without a `take` before is harmless. */
  giveBack(): void
}

/**
 * Why the place was left: another window came to the front, the screen is no longer filled, the window was hidden or closed,
 * a display was unplugged, the computer was locked or slept, or our own page in it ended.
 */
export type LeftBy = 'blur' | 'full-screen' | 'hidden' | 'closing' | 'display' | 'locked' | 'page'
