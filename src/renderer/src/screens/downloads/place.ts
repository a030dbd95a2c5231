/** The current place in the downloads: a part of the files, the rules or verification, and the open file. */

import type { DownloadState } from '../../../../shared/contract/views.ts'
import { hrefOf, type Route } from '../../state/router.svelte.ts'

/** The parts of the list, each with the states it contains. */
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
  open?: string | undefined
}

export function readPlace({ rest, query }: Route): Place {
  return { part: parts.find((one) => one === query.get('show')) ?? 'all', open: rest[0] }
}

/** Returns a place's address as the router's path and query. */
export function pathOf({ part, open }: Place): [rest: string[], query: Record<string, string>] {
  return [open === undefined ? [] : [open], part === 'all' ? {} : { show: part }]
}

export function hrefOfPlace(place: Place): string {
  return hrefOf('downloads', ...pathOf(place))
}

export function isFileList(part: Part): part is DownloadPart {
  return part !== 'rules' && part !== 'check'
}
