/** Backups at a user's request: made at a chosen place; and one at a time opened, checked, and restored or closed. */

import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { BackupContents, ChosenBackup } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { keyForRestoring, type OpenedDatabase, storedKey } from '../storage/database.ts'
import type { Keychain } from '../storage/keychain.ts'
import type { openJsonMeta } from '../storage/meta.ts'
import { BACKUP_EXTENSION, type BackupOrder, type PlannedBackup, type PlannedOrder } from './backup.ts'
import { type CheckedBackup, type RestoreOrder, scheduleRestore } from './restore.ts'
import type { CopyQuestions } from './rolling-copies.ts'
import { openSealed } from './sealed-file.ts'

/** Requests to the backup thread. */
export interface BackupQuestions extends CopyQuestions {
  make: { ask: BackupOrder; answer: { bytes: number; path: string } }
  stage: { ask: RestoreOrder; answer: CheckedBackup }
  plan: { ask: PlannedOrder; answer: PlannedBackup }
}

export interface BackupsDeps {
  ask: <Name extends keyof BackupQuestions>(
    name: Name,
    ask: BackupQuestions[Name]['ask']
  ) => Promise<BackupQuestions[Name]['answer']>
  /** The data folder. */
  folder: string
  storage: Pick<OpenedDatabase, 'state'>
  keychain: Keychain
  /** The accounts' secrets that a backup may contain, by id. @throws KeychainError */
  secrets: () => Promise<Record<string, string>>
  /** This computer's settings, without window positions. */
  settings: () => Record<string, unknown>
  madeBy: string
  random: (bytes: number) => Uint8Array
  newId: () => string
  note: NoteInAudit
  meta: ReturnType<typeof openJsonMeta>
  changed: () => void
  time: Pick<Time, 'now'>
}

interface OpenBackup {
  id: string
  path: string
  /** Set once it was checked. */
  stage?: string
  /** Stores the restored database's key; see `keyForRestoring`. */
  storeKey?: () => Promise<(() => Promise<void>) | undefined>
}

const LAST_BACKUP_KEY = 'backup-last'
const LastBackup = z.object({ at: z.number(), name: z.string() })

export type Backups = ReturnType<typeof openBackups>

export function openBackups(deps: BackupsDeps) {
  const { ask, folder, keychain, time } = deps
  let opened: OpenBackup | undefined

  function requireOpen(id: string): OpenBackup {
    return opened?.id === id ? opened : refuseClosed()
  }

  function checkedBackup(id: string): OpenBackup & { stage: string } {
    const backup = requireOpen(id)
    return { ...backup, stage: backup.stage ?? fail('gone', 'This backup hasn’t been checked yet.') }
  }

  /** Prepares a backup, except for its path and passphrase. @throws AppFailure `keychain`. */
  async function prepareOrder(withSecrets: boolean): Promise<Omit<BackupOrder, 'path' | 'passphrase'>> {
    const key = await storedKey(keychain)
    if (!key) fail('keychain', 'The key to your data isn’t in the keychain any more, so no backup was made.')
    const { madeBy, settings } = deps
    const facts = { madeAt: time.now(), madeBy, settings: settings() }
    return { folder, key, secrets: withSecrets ? await deps.secrets() : {}, ...facts }
  }

  function recordMade(name: string, withSecrets: boolean): void {
    deps.meta.write(LAST_BACKUP_KEY, { at: time.now(), name } satisfies z.infer<typeof LastBackup>)
    deps.note({ what: 'data-backed-up', detail: { file: name, secrets: withSecrets ? 'yes' : 'no' } })
    deps.changed()
  }

  async function closeOpen(): Promise<void> {
    const stage = opened?.stage
    opened = undefined
    if (stage) await rm(join(folder, stage), { recursive: true, force: true })
  }

  return {
    /** Checks whether there is anything to back up. @throws AppFailure `not-allowed` */
    checkBackupPossible(): void {
      if (deps.storage.state !== 'encrypted')
        fail('not-allowed', 'Nothing is being saved on this computer, so there’s nothing to back up.')
    },

    /**
     * Makes a backup. @param path as the user chose it; if it has the extension, they have confirmed replacing an
     * existing file. @returns its file name. @throws AppFailure `storage`, `keychain`; FileError. An existing file is
     * unchanged then.
     */
    async make(
      path: string,
      { passphrase, withSecrets }: { passphrase: string; withSecrets: boolean }
    ): Promise<string> {
      const hasEnding = path.toLowerCase().endsWith(`.${BACKUP_EXTENSION}`)
      const made = await ask('make', {
        ...(await prepareOrder(withSecrets)),
        path: hasEnding ? path : `${path}.${BACKUP_EXTENSION}`,
        ifExists: hasEnding ? 'replace' : 'number',
        passphrase
      })
      const name = basename(made.path)
      recordMade(name, withSecrets)
      return name
    },

    prepareOrder,
    recordMade,
    /** The newest backup made here. */
    last: () => deps.meta.read(LAST_BACKUP_KEY, LastBackup),

    /** Opens a backup, closing the previous one. @throws AppFailure `bad-file`; FileError. */
    async open(path: string): Promise<ChosenBackup> {
      const file = await openSealed(path)
      await file.close()
      await closeOpen()
      opened = { id: deps.newId(), path }
      return { id: opened.id, name: basename(path), ...file.facts }
    },

    /**
     * Unpacks the backup next to the current data, and checks all of it. @throws AppFailure `bad-file`, `keychain`,
     * `gone`; FileError.
     */
    async check(id: string, passphrase: string): Promise<BackupContents> {
      const backup = requireOpen(id)
      if (keychain.keeps === 'in-memory') {
        fail('keychain', 'Without a keychain, nothing that is restored could be kept on this computer.', {
          next: 'Unlock the keychain, or ask your administrator to set one up.'
        })
      }
      const { key, keep } = await keyForRestoring(deps)
      const { stage, ...contents } = await ask('stage', { folder, path: backup.path, passphrase, key, now: time.now() })
      if (opened !== backup || backup.stage) {
        await rm(join(folder, stage), { recursive: true, force: true })
        refuseClosed()
      }
      backup.stage = stage
      backup.storeKey = keep
      return contents
    },

    /** @throws AppFailure `gone` if this backup isn't open and checked. */
    requireChecked(id: string): void {
      checkedBackup(id)
    },

    /**
     * Schedules the checked backup to be restored at the next start. Call when the application ends, as every later
     * start would restore it. @throws AppFailure `gone`; KeychainError; FileError.
     */
    async restore(id: string): Promise<void> {
      const { stage, storeKey } = checkedBackup(id)
      // From here on, `closeOpen` mustn't delete what the next start will restore.
      opened = undefined
      const eraseKey = (await storeKey?.()) ?? refuseClosed()
      try {
        await scheduleRestore(folder, stage, time.now())
      } catch (error) {
        // With another key, the next start would take the current data for damaged, and set them aside.
        await eraseKey().catch(() => undefined)
        throw error
      }
    },

    close: async (id: string): Promise<void> => {
      if (opened?.id === id) await closeOpen()
    }
  }
}

function refuseClosed(): never {
  fail('gone', 'This backup is no longer open.', { next: 'Choose it again.' })
}
