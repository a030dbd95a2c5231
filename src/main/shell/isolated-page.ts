/**
 * What a signer's page is shown in: a session of its own, a page that is held and has no document yet, and its place in a
 * window. It can be made ready before its signer's turn, for it holds nothing and may go nowhere until somebody enters.
 */
import type { BrowserWindow, Session, WebContents } from 'electron'
import type { SigningGround } from '../core/policy/navigation.ts'
import type { Lookup } from '../core/policy/private-networks.ts'
import { hold } from './page-guard.ts'
import type { Permits } from './session-policy.ts'
import { closed, makeSigningContents } from './signing-contents.ts'
import { admit, closeSigningSession, openSigningSession, type SessionEvents } from './signing-session.ts'
import { SigningPlace } from './view-bounds.ts'

/** Whose page it is: what that page may do, and who hears of it. */
export interface Occupant {
  ground: SigningGround
  permits: Permits
  session: SessionEvents
  /** The page would have printed. */
  printed(): void
  /** The page would have had the person choose a file of this computer. */
  askedForFile(): void
  /** The page is no longer held, or has gone. */
  slipped(): void
  /** The window goes, and the page with it. */
  windowClosed(): void
}

export interface RoomParts {
  window: BrowserWindow
  /** Whether its page may call others by WebRTC: only one that is granted a camera. */
  mayCall: boolean
  /** How names are looked up; by default as the browser does. */
  lookupOf?: ((opened: Session) => Lookup) | undefined
}

export class IsolatedPage {
  readonly window: BrowserWindow
  readonly contents: WebContents
  readonly place: SigningPlace
  /** Resolves when the page is held; rejects where it can't be. Nothing may be loaded before. */
  readonly held: Promise<void>
  readonly #parts: RoomParts
  readonly #session: Session
  #occupant: Occupant | undefined
  #isLost = false
  #emptying: Promise<void> | undefined

  constructor(parts: RoomParts) {
    this.#parts = parts
    this.window = parts.window
    this.#session = openSigningSession()
    const view = makeSigningContents(this.#session)
    this.contents = view.webContents
    this.place = new SigningPlace(parts.window, view, () => this.#windowClosed())
    this.contents.once('destroyed', () => this.place.leave())
    this.held = this.#hold()
    // Whoever enters hears of it; in a room that nobody entered it only says that it is of no use.
    this.held.catch(() => {
      this.#isLost = true
    })
  }

  /** Whether somebody may still enter it, to be shown in this window. */
  fits({ window, mayCall }: Pick<RoomParts, 'window' | 'mayCall'>): boolean {
    const isThere = !this.#isLost && !this.#occupant && !this.contents.isDestroyed()
    return isThere && this.window === window && this.#parts.mayCall === mayCall
  }

  /** Somebody's turn begins in it: once, and nobody else's ever after. */
  enter(occupant: Occupant): void {
    if (this.#occupant) throw new Error('This room had its signer.')
    this.#occupant = occupant
    admit(this.#session, occupant, this.#parts.lookupOf)
  }

  /** Ends the page and wipes all it kept. Resolves when nothing is left. Calling it again is harmless. */
  empty(): Promise<void> {
    this.#emptying ??= this.#empty()
    return this.#emptying
  }

  async #hold(): Promise<void> {
    await this.contents.loadURL('about:blank')
    await hold(
      this.contents,
      { call: this.#parts.mayCall },
      {
        printed: () => this.#occupant?.printed(),
        askedForFile: () => this.#occupant?.askedForFile(),
        slipped: () => {
          this.#isLost = true
          setImmediate(() => this.#occupant?.slipped())
        }
      }
    )
  }

  #windowClosed(): void {
    this.#isLost = true
    if (this.#occupant) this.#occupant.windowClosed()
    else void this.empty()
  }

  async #empty(): Promise<void> {
    this.#isLost = true
    this.place.leave()
    await closed(this.contents)
    await closeSigningSession(this.#session)
  }
}
