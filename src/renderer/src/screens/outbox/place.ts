/** The current place in the outbox: part, batch, search, and open package. */
import type { Input } from '../../../../shared/contract/requests.ts'
import { hrefOf, type Route } from '../../state/router.svelte.ts'

/** The parts that list packages, and the one that lists batches. */
const parts = ['all', 'attention', 'waiting', 'sent', 'batches'] as const
export type Part = (typeof parts)[number]

export type SendsQuery = Omit<Input<'sends.list'>, 'offset' | 'limit'>

export interface Place {
  part: Part
  /** Restricts the list to this batch. */
  batch?: string | undefined
  search: string
  open?: string | undefined
}

export function readPlace({ rest, query }: Route): Place {
  const part = parts.find((one) => one === query.get('show')) ?? 'all'
  return { part, batch: query.get('batch') ?? undefined, search: query.get('search') ?? '', open: rest[0] }
}

/** Returns a place's address as the router's path and query. */
export function pathOf({ part, batch, search, open }: Place): [rest: string[], query: Record<string, string>] {
  return [
    open === undefined ? [] : [open],
    { ...(part !== 'all' && { show: part }), ...(batch !== undefined && { batch }), ...(search && { search }) }
  ]
}

export function hrefOfPlace(place: Place): string {
  return hrefOf('outbox', ...pathOf(place))
}

export function queryAt({ part, batch, search }: Place): SendsQuery {
  return { show: part === 'batches' ? 'all' : part, search, ...(batch !== undefined && { batchId: batch }) }
}
