/** Requests about the address where other software can hint that something happened. */
import type { Hints } from '../core/documents/polling/hints.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `hints.${string}`>

export function hintHandlers(hints: Hints): Pick<RequestHandlers, Handled> {
  return {
    'hints.get': async () => hints.view(),
    'hints.set': ({ listening }) => hints.set(listening)
  }
}
