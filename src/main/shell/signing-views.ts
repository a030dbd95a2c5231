/**
 * The signing pages of one counter: each in a room of its own. One room can be made ready while the screen changes hands, so
 * that a signer waits for their page alone.
 */
import type { BrowserWindow, Session } from 'electron'
import type { OpenSigningView } from '../core/counter/deps.ts'
import type { Lookup } from '../core/policy/private-networks.ts'
import { IsolatedPage } from './isolated-page.ts'
import { ShownSigningView } from './signing-view.ts'

export interface SigningViewsParts {
  /** The window over whose page the next signing page lies. */
  window: () => BrowserWindow
  /** How long a page may take until there is something to see, in milliseconds. */
  patienceMs: number
  /** How names are looked up; by default as the browser does. */
  lookupOf?: (opened: Session) => Lookup
}

export interface SigningViews {
  /** Makes a room ready for whoever is next. Calling it again is harmless. */
  prepare(): void
  /** Nobody is next: a room that was made ready goes, as one that was used. */
  drop(): void
  open: OpenSigningView
}

export function signingViewsOf({ window, patienceMs, lookupOf }: SigningViewsParts): SigningViews {
  let ready: IsolatedPage | undefined

  function drop(): void {
    const unused = ready
    ready = undefined
    void unused?.empty()
  }

  function roomFor(wanted: { window: BrowserWindow; mayCall: boolean }): IsolatedPage {
    const room = ready?.fits(wanted) ? ready : undefined
    if (room) ready = undefined
    else drop()
    return room ?? new IsolatedPage({ ...wanted, lookupOf })
  }

  return {
    prepare() {
      // Whether a page is granted a camera is known when its turn begins; most are not.
      const wanted = { window: window(), mayCall: false }
      if (!wanted.window.isDestroyed() && !ready?.fits(wanted)) ready = roomFor(wanted)
    },
    drop,
    open(turn) {
      const room = roomFor({ window: window(), mayCall: turn.media() !== 'never' })
      return new ShownSigningView({ room, patienceMs }, turn)
    }
  }
}
