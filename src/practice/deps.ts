/** What the operations and the pages are given: the state, time and chance, and what is known of the call being answered. */
import type { Context } from 'hono'
import type { Address, Format } from './conventions.ts'
import type { Dialects } from './dialects.ts'
import type { Notifier } from './notify.ts'
import type { Answering } from './responses.ts'
import type { Clock, RandomBytes } from './sources.ts'
import type { PracticeState, SentPackage } from './state.ts'

export interface PracticeDeps {
  state: PracticeState
  clock: Clock
  random: RandomBytes
  notifier: Notifier
  /** To be called after anything in the state may have changed. */
  changed(): void
  /** Resolves when a package that was sent is kept: nobody is told of it before. */
  added(sent: SentPackage): Promise<void>
}

export type Env = { Variables: { address: Address; format: Format; title: string } }
export type Call = Context<Env>

/** Where the caller found this service, for addresses in answers, and how it speaks. */
export function answering(call: Call, state: PracticeState): Answering {
  const origin = new URL(call.req.url).origin + call.get('address').base
  return { account: state.account, origin, dialects: dialectsOf(state) }
}

export function dialectsOf({ conditions }: PracticeState): Dialects {
  return new Set(conditions?.dialects)
}
