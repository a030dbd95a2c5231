/** Backups as a person asks for them: made where they say, and one at a time opened, checked, and restored or left. */

import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { BackupContents, ChosenBackup } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { keyForRestoring, type OpenedDatabase, storedKey } from '../storage/database.ts'
import type { Keychain } from '../storage/keychain.ts'
import type { BackupOrder } from './backup.ts'
import { type CheckedBackup, decideOnRestore, type RestoreOrder } from './restore.ts'
import { openSealed } from './sealed-file.ts'

/** What the thread of backups does. */
export interface BackupQuestions {
  make: { ask: BackupOrder; answer: { bytes: number } }
  stage: { ask: RestoreOrder; answer: CheckedBackup }
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
  accountIds: () => readonly string[]
  /** The settings of this computer, without where its windows are. */
  settings: () => Record<string, unknown>
  madeBy: string
  random: (bytes: number) => Uint8Array
  newId: () => string
  note: NoteInAudit
  time: Pick<Time, 'now'>
}

interface Opened {
  id: string
  path: string
  /** Once it was checked. */
  stage?: string
  /** Keeps the key that the restored database has. */
  keepKey?: () => Promise<unknown>
}

export type Backups = ReturnType<typeof openBackups>

export function openBackups(deps: BackupsDeps) {
  const { ask, folder, keychain, time } = deps
  let opened: Opened | undefined

  function openedAs(id: string): Opened {
    return opened?.id === id ? opened : fail('gone', 'This backup is no longer open.', { next: 'Choose it again.' })
  }

  async function secrets(): Promise<Record<string, string>> {
    const all: Record<string, string> = {}
    for (const id of deps.accountIds()) {
      const secret = await keychain.accounts.get(id)
      if (secret !== null) all[id] = secret
    }
    return all
  }

  async function leave(): Promise<void> {
    const stage = opened?.stage
    opened = undefined
    if (stage) await rm(join(folder, stage), { recursive: true, force: true })
  }

  return {
    /** Whether there is anything to back up. @throws AppFailure `not-allowed` */
    checkKept(): void {
      if (deps.storage.state !== 'encrypted')
        fail('not-allowed', 'Nothing is being saved on this computer, so there’s nothing to back up.')
    },

    /** @throws AppFailure `storage`, `keychain`; FileError; what is at the path is as it was then. */
    async make(path: string, { passphrase, withSecrets }: { passphrase: string; withSecrets: boolean }): Promise<void> {
      const key = await storedKey(keychain)
      if (!key) fail('keychain', 'The key of your data isn’t in the keychain any more, so no backup was made.')
      const { madeBy, settings, note } = deps
      const facts = { madeAt: time.now(), madeBy, settings: settings() }
      await ask('make', { folder, key, path, passphrase, secrets: withSecrets ? await secrets() : {}, ...facts })
      note({ what: 'data-backed-up', detail: { file: basename(path), secrets: withSecrets ? 'yes' : 'no' } })
    },

    /** Opens a backup in place of the one before. @throws AppFailure `bad-file`; FileError. */
    async open(path: string): Promise<ChosenBackup> {
      const file = await openSealed(path)
      await file.close()
      await leave()
      opened = { id: deps.newId(), path }
      return { id: opened.id, name: basename(path), ...file.facts }
    },

    /** Writes it beside what is there, and checks all of it. @throws AppFailure `bad-file`, `keychain`, `gone`; FileError. */
    async check(id: string, passphrase: string): Promise<BackupContents> {
      const mine = openedAs(id)
      if (keychain.keeps === 'in-memory') {
        fail('keychain', 'Without a keychain, nothing that is restored could be kept on this computer.', {
          next: 'Unlock the keychain, or ask your administrator to set one up.'
        })
      }
      const { key, keep } = await keyForRestoring(deps)
      const { stage, ...contents } = await ask('stage', { folder, path: mine.path, passphrase, key, now: time.now() })
      if (opened !== mine || mine.stage) {
        await rm(join(folder, stage), { recursive: true, force: true })
        fail('gone', 'This backup is no longer open.', { next: 'Choose it again.' })
      }
      mine.stage = stage
      mine.keepKey = keep
      return contents
    },

    /** The next start puts in place what was checked. @throws AppFailure `gone`; KeychainError; FileError. */
    async restore(id: string): Promise<void> {
      const mine = openedAs(id)
      if (!mine.stage) fail('gone', 'This backup wasn’t checked yet.')
      // From here on, leaving it doesn't take away what the next start puts in place.
      opened = undefined
      try {
        await mine.keepKey?.()
        await decideOnRestore(folder, mine.stage, time.now())
      } catch (error) {
        opened ??= mine
        throw error
      }
    },

    leave: async (id: string): Promise<void> => {
      if (opened?.id === id) await leave()
    }
  }
}
