/** The staff's PIN, as a session needs it. */
import type { PinState } from '../../../shared/contract/index.ts'

export type PinAnswer = { ok: true } | { ok: false; code: 'wrong-pin' | 'pin-wait' | 'no-pin'; waitUntil?: number }

export interface StaffPin {
  state(): Promise<PinState>
  /**
   * Whether this is the PIN. Wrong ones make the next be taken only later, with delays that grow and outlive the application;
   * a right one forgets them. Two asked at one time are judged one after the other.
   */
  check(pin: string): Promise<PinAnswer>
}
