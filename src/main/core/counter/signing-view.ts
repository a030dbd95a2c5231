/**
 * The port between a signer's turn and the page it is signed on. The page is hostile: whoever shows it holds it to its
 * ground, tells what it tried, and leaves nothing of it behind.
 */
import type { AppError } from '../../../shared/contract/index.ts'

/** What happens to the page, in the order it may happen; nothing is told after `destroy` was called. */
export interface SigningViewEvents {
  loading(): void
  /**
   * There is something to read and to act on; told again where another document is shown.
   * @param origin scheme and host of the document that is shown, where the view knows them
   */
  open(origin?: string): void
  /** The page came to one of the return addresses, which was not loaded. The service has the truth; ask it. */
  returned(): void
  /** The page can't be shown (any more): it did not load, took too long, or ended. */
  failed(error: AppError): void
  /** Something the page tried and was refused, in words for people and without addresses. */
  refused(what: string): void
  /** The page asks for devices while `media` says `ask`. It waits until it is answered; once is enough. */
  asksFor(devices: readonly MediaDevice[], answer: (granted: boolean) => void): void
  /** The page got these devices. */
  granted(devices: readonly MediaDevice[]): void
  /** The person touched, typed or scrolled; at most once a second. */
  touched(): void
}

export type MediaDevice = 'camera' | 'microphone'

/**
 * Whether the page may use camera and microphone now. never: nothing in this turn asks for them, so no page may. ask: staff
 * has to say. yes: staff has said so, for this session.
 */
export type MediaRight = 'never' | 'ask' | 'yes'

/** In CSS pixels of our own page, whose zoom the view knows. */
export interface ViewBounds {
  x: number
  y: number
  width: number
  height: number
}

export interface SigningView {
  /** Puts the page at these bounds over our own and gives it the keyboard. */
  show(bounds: ViewBounds): void
  /** Takes the page from sight, and the keyboard with it; it goes on as it is. */
  cover(): void
  /** Size of what the page shows: 1 is as designed. */
  zoom(factor: number): void
  /** Prints what is shown, on the default printer and without a dialog. Rejects where it can't be printed. */
  print(): Promise<void>
  /** What is shown, as a PDF. */
  pdf(): Promise<Uint8Array>
  /** Ends the page and wipes all it kept. Resolves when nothing is left. Calling it again is harmless. */
  destroy(): Promise<void>
}

export interface SigningTurn {
  /** As `signingAddress` judged it. */
  url: string
  allowedOrigins: readonly string[]
  returnAddresses: readonly string[]
  practiceOrigin?: string
  /** See `SigningGround`. */
  linkOrigin?: string
  /** Asked anew each time the page asks. */
  media(): MediaRight
  events: SigningViewEvents
}

/** Opens the page out of sight and begins to load it. */
export type OpenSigningView = (turn: SigningTurn) => SigningView
