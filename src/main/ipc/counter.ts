/** Requests about a session at the counter. What a person does is taken only from the page that they have. */
import { fail } from '../core/lib/failure.ts'
import type { Counter } from './parts.ts'
import type { RequestContext, RequestHandlers } from './registration.ts'

type Handled = `counter.${
  | 'queue'
  | 'pinEntry'
  | 'offer'
  | 'start'
  | 'state'
  | 'begin'
  | 'show'
  | 'cover'
  | 'resume'
  | 'finish'
  | 'next'
  | 'retry'
  | 'zoom'
  | 'touched'
  | 'unlock'
  | 'staff'
  | 'close'}`

export function counterHandlers(counter: Counter): Pick<RequestHandlers, Handled> {
  /** Whether the page that asks is the one where the person signs. */
  function isPersons({ from }: RequestContext): boolean {
    const place = counter.state()?.place ?? 'here'
    return from === (place === 'here' ? 'desk' : 'person')
  }

  /** @throws AppFailure `not-allowed` where another of our pages asks: the person's bounds and touches are not its own. */
  function persons(context: RequestContext): Counter {
    return isPersons(context) ? counter : fail('not-allowed', 'The person signs on the other screen.')
  }

  return {
    'counter.queue': () => counter.queue(),
    'counter.pinEntry': async (entry) => {
      counter.pinEntry(entry)
      return null
    },
    'counter.offer': ({ documentReference, signer }) => counter.offer(documentReference, signer),
    'counter.start': (wanted) => counter.start(wanted),
    // The second display is told of a session only while a person signs on it.
    'counter.state': async (_nothing, context) => {
      const state = counter.state()
      return context.from === 'person' && (!isPersons(context) || state?.phase === 'ended') ? null : state
    },
    'counter.begin': async ({ id }, context) => persons(context).begin(id),
    'counter.show': async ({ id, bounds }, context) => persons(context).show(id, bounds),
    'counter.cover': async ({ id, why }, context) => persons(context).cover(id, why),
    'counter.resume': async ({ id }, context) => persons(context).resume(id),
    'counter.finish': async ({ id }, context) => persons(context).finish(id),
    'counter.next': async ({ id }, context) => persons(context).next(id),
    'counter.retry': async ({ id }, context) => persons(context).retry(id),
    'counter.zoom': async ({ id, factor }, context) => persons(context).zoom(id, factor),
    'counter.touched': async ({ id }, context) => {
      persons(context).touched(id)
      return null
    },
    'counter.unlock': ({ id, pin }) => counter.unlock(id, pin),
    'counter.staff': ({ id, does }, { from }) => counter.staff(id, does, from),
    'counter.close': async ({ id }) => {
      counter.close(id)
      return null
    }
  }
}
