/**
 * Run as a program: backs up, restores, puts a restored copy in place, migrates, rekeys the database, copies it, or
 * goes on from a copy, and says when it begins and ends. See backup.ts.
 */
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { finishRestore, scheduleRestore, stageBackup, stageCopy } from '../../src/main/core/backup/restore.ts'
import { copyNow } from '../../src/main/core/backup/rolling-copies.ts'
import { AppFailure } from '../../src/main/core/lib/failure.ts'
import { copiesIn } from '../../src/main/core/storage/copies.ts'
import { openDatabase } from '../../src/main/core/storage/database.ts'
import { faultOf } from '../../src/main/core/storage/database-fault.ts'
import { fileKeychain, lastingKeychain } from '../unit/storage/keychains.ts'
import { backUp, NEXT, PASSPHRASE, type Way } from './backup.ts'

const [way, folder = '', path = '', hex = ''] = process.argv.slice(2)
const key = Buffer.from(hex, 'hex')

function reasonOf(error: unknown): string {
  const fault = faultOf(error)
  return fault.kind === 'file' ? fault.reason : fault.because
}

const work: Record<Way, () => Promise<unknown>> = {
  'back up': () => backUp(folder, key, path),
  async restore() {
    const { stage } = await stageBackup({ folder, path, passphrase: PASSPHRASE, key, now: Date.now() })
    await scheduleRestore(folder, stage, Date.now())
    await finishRestore(folder)
  },
  copy: () => copyNow({ folder, key, now: Date.now() }),
  async 'use a copy'() {
    const [copy] = await copiesIn(folder)
    const { stage } = await stageCopy({ folder, key, name: copy?.name ?? '', now: Date.now() })
    await scheduleRestore(folder, stage, Date.now(), true)
    await finishRestore(folder)
  },
  'put in place': () => finishRestore(folder),
  async rekey() {
    const keychain = fileKeychain(join(path, '..', 'keychain.json'))
    const opened = await openDatabase({ folder, keychain, random: () => key, clock: Date.now })
    if (opened.state === 'encrypted' && opened.rekeyed?.state === 'done') await opened.rekeyed.cleanUp()
    opened.db.close()
  },
  async migrate() {
    const keychain = lastingKeychain(new Map([['database-key', hex]]))
    const { db } = await openDatabase({ folder, keychain, random: () => key, clock: Date.now, steps: NEXT })
    db.close()
  }
}

// A killed process wouldn't store it.
flushCompileCache()
writeSync(1, 'begins\n')
const why = await work[way as Way]().then(
  () => 'done',
  (error: unknown) => (error instanceof AppFailure ? error.appError.code : reasonOf(error))
)
writeSync(1, `ended ${why}\n`)
await pause(60_000)
