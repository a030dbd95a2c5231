/**
 * Claims in a watched folder that aren't ours: another workstation works on them, and they are left alone. One that nobody
 * has finished for days is told of, since nobody may know that it is there.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { Claim } from './claiming.ts'
import type { Folder } from './folders.ts'
import type { Journal } from './journal.ts'

const DAY = 86_400_000
/** A workstation may be switched off over a long weekend. */
const LEFT_AFTER = 4 * DAY

export interface StrangerParts {
  journal: Journal
  clock: () => number
  newId: () => string
  changed: () => void
}

export function openStrangers({ journal, clock, newId, changed }: StrangerParts) {
  function tell(folderId: string, told: string, name: string): void {
    const at = clock()
    const error: AppError = { code: 'bad-file', message: LEFT }
    journal.together(() => {
      journal.claim({ id: told, batchId: newId(), folderId, name, seen: { size: 0 } }, at)
      journal.made(told, { outcome: 'failed', count: 0, draftIds: [], error, report: '' }, at)
      journal.finish(told)
    })
    changed()
  }

  return {
    look({ id: folderId }: Folder, claims: readonly Claim[]): void {
      for (const { id, name, at } of claims) {
        const ours = journal.find(id)
        // It was given up while it was out of sight, and is there again.
        if (ours?.folderId === folderId && ours.state === 'finished') journal.reopen(id)
        if (ours || clock() - at < LEFT_AFTER) continue
        const told = `left-${id}`
        if (!journal.find(told)) tell(folderId, told, name)
      }
    }
  }
}

const LEFT =
  'Another workstation began with this file days ago and has not finished it, so it is still in the folder “.countersign”. Start Countersign there; if that workstation is gone, look whether something came of the file, and drop it again if nothing did.'
