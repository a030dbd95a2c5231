/**
 * The worker for backups and copies, in a thread of its own so that copying, sealing and checking never hold up the
 * windows.
 */
import { makeBackup, makePlannedBackup } from '../core/backup/backup.ts'
import { stageBackup, stageCopy } from '../core/backup/restore.ts'
import { copyNow, copyViews, purgeCopies } from '../core/backup/rolling-copies.ts'
import { asAppError } from '../core/errors/app-error.ts'
import { serveRequests } from './worker-thread.ts'

const handlers: Record<string, (ask: never) => Promise<unknown>> = {
  make: makeBackup,
  stage: stageBackup,
  plan: makePlannedBackup,
  copy: copyNow,
  copies: copyViews,
  stageCopy,
  purgeCopies
}

serveRequests(async (name, ask) => handlers[name]?.(ask as never), asAppError)
