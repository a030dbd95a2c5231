/** Dependencies of operations and pages: the state, time, randomness, and the current call. */
import type { Context } from 'hono'
import type { Address, Format } from './conventions.ts'
import type { Dialects } from './dialects.ts'
import type { Notifier } from './notify.ts'
import type { AnswerContext } from './responses.ts'
import type { Clock, RandomBytes } from './sources.ts'
import type { PracticeState, SentPackage } from './state.ts'

export interface PracticeDeps {
  state: PracticeState
  clock: Clock
  random: RandomBytes
  notifier: Notifier
  /** Must be called after anything in the state may have changed. */
  stateChanged(): void
  /** Resolves once a sent package is stored; nobody learns of it before that. */
  packageSent(sent: SentPackage): Promise<void>
}

export type Env = { Variables: { address: Address; format: Format; title: string } }
export type Call = Context<Env>

/** Returns this service's address as the caller sees it, and its dialects. */
export function answerContextOf(call: Call, state: PracticeState): AnswerContext {
  const origin = new URL(call.req.url).origin + call.get('address').base
  return { account: state.account, origin, dialects: dialectsOf(state) }
}

export function dialectsOf({ conditions }: PracticeState): Dialects {
  return new Set(conditions?.dialects)
}
