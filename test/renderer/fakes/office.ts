/** What the parts of the made-up office share: state, events, and how a call fails. */

import type { Events } from '../../../src/shared/contract/api.ts'
import type { AppError, ErrorCode } from '../../../src/shared/contract/errors.ts'
import type { Input, Reply, RequestName } from '../../../src/shared/contract/requests.ts'
import type { AccountView } from '../../../src/shared/contract/views.ts'
import type { FakeState } from '../fake-api.ts'

export type Handlers = { [Name in RequestName]: (input: Input<Name>) => Reply<Name> }

/** The handlers of one or more domains: `HandlersOf<'drafts' | 'presets'>`. */
export type HandlersOf<Domain extends string> = Pick<Handlers, Extract<RequestName, `${Domain}.${string}`>>

export interface FakeOffice {
  state: FakeState
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): void
  /** The account the call names, otherwise the chosen one. */
  chosen(): AccountView
  /** Whether the call includes this account. */
  isShown(accountId: string): boolean
  /** `prefix-1`, `prefix-2`, … */
  newId(prefix: string): string
}

/** Thrown by a handler to make the call return an error with this code. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly more: Partial<AppError>
  constructor(code: ErrorCode, more: Partial<AppError> = {}) {
    super(code)
    this.code = code
    this.more = more
  }
}

/** Returns the item with this id; fails with `gone`. */
export function byId<Item extends { id: string }>(list: readonly Item[], id: string): Item {
  const item = list.find((one) => one.id === id)
  if (!item) throw new Failure('gone')
  return item
}

/** Returns one page of a list. */
export function pageOf<Item>(list: readonly Item[], { offset, limit }: { offset: number; limit: number }): Item[] {
  return list.slice(offset, offset + limit)
}
