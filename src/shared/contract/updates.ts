/** Updates of Countersign itself: views and requests. */
import type { AppError } from './errors.ts'
import { answers, noInput } from './request.ts'

/** Activities that an update never interrupts. */
export type UpdateHindrance = 'counter' | 'sending' | 'downloads'

export type UpdateState =
  /**
   * not-set: no feed is configured. organisation: the organisation has turned updates off. by-hand: Countersign can't
   * replace this installation itself, for example one from an MSI or from sources.
   */
  | { state: 'off'; why: 'not-set' | 'organisation' | 'by-hand' }
  /** No newer version is known. */
  | { state: 'none' }
  | { state: 'checking' }
  /** A newer version exists, but waits until the activity has finished. */
  | { state: 'waiting'; for: UpdateHindrance; newer: string }
  /** Sizes in bytes. */
  | { state: 'downloading'; newer: string; done: number; total: number }
  /** Verified and on this computer; installed when Countersign quits (`atQuit`) or restarts. */
  | { state: 'ready'; newer: string; atQuit: boolean }

export interface UpdatesView {
  update: UpdateState
  /** When this version was built, in milliseconds since 1970 UTC; undefined if unknown. */
  builtAt?: number
  /** When the feed was last read completely. */
  checkedAt?: number
  /** Why the last check, download or installation failed. */
  problem?: AppError
}

export const updateRequests = {
  'updates.get': answers<UpdatesView>()(noInput),
  /** Reads the feed now and returns the result; a failure of the feed is its `problem`. */
  'updates.check': answers<UpdatesView>()(noInput),
  /**
   * Quits Countersign, installs the update that is ready, and restarts. Fails with `busy` while an activity would be
   * interrupted.
   */
  'updates.install': answers<void>()(noInput)
}
