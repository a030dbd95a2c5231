/**
 * The worker for backups and copies, in a thread of its own so that copying, sealing and checking never hold up the
 * windows.
 */
import { makeBackup, makePlanned } from '../core/backup/backup.ts'
import { stageBackup, stageCopy } from '../core/backup/restore.ts'
import { copyNow, copyViews, purgeCopies } from '../core/backup/rolling-copies.ts'
import { asAppError } from '../ipc/errors.ts'
import { answerOrders } from './worker-thread.ts'

const answers: Record<string, (ask: never) => Promise<unknown>> = {
  make: makeBackup,
  stage: stageBackup,
  plan: makePlanned,
  copy: copyNow,
  copies: copyViews,
  stageCopy,
  purgeCopies
}

answerOrders(async (name, ask) => answers[name]?.(ask as never), asAppError)
