/** What happened at the service and what was done from here, as one story, newest first. */
import type { ActionView, DocumentChange } from '../../../../shared/contract/views.ts'
import { actionInWords } from '../../words/actions.ts'
import { changeInWords, changeStatus } from '../../words/changes.ts'
import { actionStatus, type StatusWords } from '../../words/statuses.ts'

export interface Happening {
  key: string
  at: number
  reference: string
  documentName: string
  status: StatusWords
  what: string
  isOwn: boolean
}

const ENDED: ReadonlySet<ActionView['state']> = new Set(['done', 'refused', 'cancelled'])

/** @param isWhole whether `changes` reach back to the first: what was done before the earliest of them belongs further down. */
export function happeningsOf(
  changes: readonly DocumentChange[],
  actions: readonly ActionView[],
  { isWhole }: { isWhole: boolean }
): Happening[] {
  const earliest = isWhole ? 0 : (changes.at(-1)?.at ?? 0)
  const done = actions.flatMap((action): Happening[] => {
    const at = action.settledAt ?? action.createdAt
    if (!ENDED.has(action.state) || at < earliest) return []
    const status = actionStatus(action.state)
    const what = `${actionInWords(action.request)}: ${status.word.toLowerCase()}.`
    const { id, reference, documentName } = action
    return [{ key: `action ${id}`, at, reference, documentName, status, what, isOwn: true }]
  })
  const happened = changes.map((change): Happening => {
    const { id, at, reference, documentName, isOwn } = change
    const status = changeStatus(change.kind)
    return { key: `change ${id}`, at, reference, documentName, status, what: changeInWords(change), isOwn }
  })
  return [...done, ...happened].sort((one, other) => other.at - one.at)
}
