/** Updates of Countersign itself, as the screens are shown them and ask for them. */
import type { AppError } from './errors.ts'
import { answers, nothing } from './request.ts'

/** What an update never interrupts. */
export type UpdateHindrance = 'counter' | 'sending' | 'downloads'

export type UpdateState =
  /**
   * not-set: no feed is named. organisation: the organisation has said that there is none. by-hand: what runs here can't be replaced by
   * Countersign itself, as from an MSI or from sources.
   */
  | { state: 'off'; why: 'not-set' | 'organisation' | 'by-hand' }
  /** Nothing newer is known. */
  | { state: 'none' }
  | { state: 'checking' }
  /** A newer version is there, and is left alone until what is under way has ended. */
  | { state: 'waiting'; for: UpdateHindrance; newer: string }
  /** In bytes. */
  | { state: 'downloading'; newer: string; done: number; total: number }
  /** Checked, on this computer; it takes the place of this version when Countersign ends, where `atQuit`, or starts again. */
  | { state: 'ready'; newer: string; atQuit: boolean }

export interface UpdatesView {
  update: UpdateState
  /** When this version was built, in milliseconds since 1970; undefined where that isn't known. */
  builtAt?: number
  /** When the feed was last read to its end. */
  checkedAt?: number
  /** Why the last look at the feed, the last download or the last installation failed. */
  problem?: AppError
}

export const updateRequests = {
  'updates.get': answers<UpdatesView>()(nothing),
  /** Reads the feed now. Answers what is known after that; a failure of the feed is its `problem`. */
  'updates.check': answers<UpdatesView>()(nothing),
  /** Ends Countersign, installs what is ready, and starts again. Fails with `busy` while what it would interrupt is under way. */
  'updates.install': answers<void>()(nothing)
}
