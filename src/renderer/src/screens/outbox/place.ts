/** Where in the outbox we are: which part, which batch, what is searched for, and the package that is open. */
import type { Input } from '../../../../shared/contract/requests.ts'
import { hrefOf, type Route } from '../../state/router.svelte.ts'

/** The parts that list packages, and the one that lists batches. */
const parts = ['all', 'attention', 'waiting', 'sent', 'batches'] as const
export type Part = (typeof parts)[number]

/** What the list of packages is asked for. */
export type SendsAsked = Omit<Input<'sends.list'>, 'offset' | 'limit'>

export interface Place {
  part: Part
  /** Only what is of this batch. */
  batch?: string | undefined
  search: string
  /** The package that is open. */
  open?: string | undefined
}

export function readPlace({ rest, query }: Route): Place {
  const part = parts.find((one) => one === query.get('show')) ?? 'all'
  return { part, batch: query.get('batch') ?? undefined, search: query.get('search') ?? '', open: rest[0] }
}

/** The address of a place, in the two parts that the router takes. */
export function pathOf({ part, batch, search, open }: Place): [rest: string[], query: Record<string, string>] {
  return [
    open === undefined ? [] : [open],
    { ...(part !== 'all' && { show: part }), ...(batch !== undefined && { batch }), ...(search && { search }) }
  ]
}

export function hrefOfPlace(place: Place): string {
  return hrefOf('outbox', ...pathOf(place))
}

/** What the list is asked for there. */
export function askedAt({ part, batch, search }: Place): SendsAsked {
  return { show: part === 'batches' ? 'all' : part, search, ...(batch !== undefined && { batchId: batch }) }
}
