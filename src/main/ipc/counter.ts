/** Requests about signing at the counter. */
import type { Counter } from './parts.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = Extract<keyof RequestHandlers, `counter.${string}`>

export function counterHandlers(counter: Counter): Pick<RequestHandlers, Handled> {
  return {
    'counter.queue': () => counter.queue(),
    'counter.start': ({ documentReference, signer }) => counter.start(documentReference, signer),
    'counter.state': async () => counter.state(),
    'counter.show': async ({ id, bounds }) => counter.show(id, bounds),
    'counter.cover': async ({ id }) => counter.cover(id),
    'counter.end': ({ id }) => counter.end(id),
    'counter.leave': async () => {
      counter.leave()
      return null
    }
  }
}
