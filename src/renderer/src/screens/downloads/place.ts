/** Where in the downloads we are: which part of the files, the rules or the check; and the file that is open. */

import type { DownloadState } from '../../../../shared/contract/views.ts'
import { hrefOf, type Route } from '../../state/router.svelte.ts'

/** The parts that files are listed in, by the states that are in each. */
export const downloadParts = {
  all: undefined,
  moving: ['running', 'waiting'],
  failed: ['failed'],
  saved: ['done'],
  stopped: ['cancelled']
} as const satisfies Record<string, readonly DownloadState[] | undefined>
export type DownloadPart = keyof typeof downloadParts

const parts = [...(Object.keys(downloadParts) as DownloadPart[]), 'rules', 'check'] as const
export type Part = (typeof parts)[number]

export interface Place {
  part: Part
  /** The download that is open. */
  open?: string | undefined
}

export function readPlace({ rest, query }: Route): Place {
  return { part: parts.find((one) => one === query.get('show')) ?? 'all', open: rest[0] }
}

/** The address of a place, in the two parts that the router takes. */
export function pathOf({ part, open }: Place): [rest: string[], query: Record<string, string>] {
  return [open === undefined ? [] : [open], part === 'all' ? {} : { show: part }]
}

export function hrefOfPlace(place: Place): string {
  return hrefOf('downloads', ...pathOf(place))
}

/** Whether a part lists files. */
export function isFiles(part: Part): part is DownloadPart {
  return part !== 'rules' && part !== 'check'
}
