/**
 * Removes everything that Countersign stores for a user on this computer: the data folder, keychain entries, the log
 * and, if wanted, automatic backups. Requested while the application runs, and done by the next start before anything
 * is opened; if interrupted, a later start continues.
 */
import * as nodeFiles from 'node:fs/promises'
import { readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../lib/json-scanning.ts'
import { type Time, within } from '../lib/time.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import { DATABASE_FILE } from '../storage/database.ts'
import { FileError } from '../storage/file-error.ts'
import { exists, removeIfExists } from '../storage/files.ts'
import type { Keychain } from '../storage/keychain.ts'

const DECISION_FILE = 'removal.json'
/** Files that Chromium has open and needs for a clean exit. */
const CHROMIUM_FILES = /^(?:Singleton\w+|lockfile)$/

const RemovalDecision = z.object({
  /** Accounts with secrets in the keychain. */
  accountIds: z.array(z.string().regex(/^[A-Za-z0-9-]{1,64}$/)),
  /** Whether these are all accounts of the database in the folder; it may not have been open. */
  knowsAccounts: z.boolean().default(true),
  backups: z.array(z.object({ folder: z.string(), name: z.string().regex(/^[^/\\]+\.countersign-backup$/) }))
})
type RemovalDecision = z.infer<typeof RemovalDecision>

/**
 * How many of each were removed, and which kinds were not removed completely. `unknown entries`: the keychain may have
 * secrets of accounts that only another database knew; it can't be asked which entries it has.
 */
export interface Removed {
  files: number
  entries: number
  backups: number
  left: ('files' | 'entries' | 'unknown entries' | 'backups')[]
  /** Folders that still have backups, or may have: nothing here knows them afterwards. */
  backupsLeftIn: string[]
}

/** Schedules the removal for the next start. @throws FileError: nothing is removed then. */
export async function scheduleRemoval(folder: string, decided: RemovalDecision): Promise<void> {
  await writeAtomically(join(folder, DECISION_FILE), JSON.stringify(decided), { ifExists: 'replace' })
}

/** Returns whether this start must remove everything. A foreign file is ignored. */
export async function scheduledRemoval(folder: string): Promise<RemovalDecision | undefined> {
  const text = await readFile(join(folder, DECISION_FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : RemovalDecision.safeParse(parsedJson(text)).data
}

/** How long the disk of backups may take for one of them, in milliseconds: a network disk may not answer at all. */
const DISK_TIMEOUT = 30_000

interface BackupDisk {
  unlink: (path: string) => Promise<void>
  stat: (path: string) => Promise<unknown>
}

interface RemovalDeps {
  folder: string
  keychain: Keychain
  logs: readonly string[]
  time: Pick<Time, 'after'>
  /** The files of backups. */
  files?: BackupDisk
}

/** Removes everything. Never rejects: reports what couldn't be removed. */
export async function removeEverything(
  { folder, keychain, logs, time, files = nodeFiles }: RemovalDeps,
  decided: RemovalDecision
): Promise<Removed> {
  const removed: Removed = { files: 0, entries: 0, backups: 0, left: [], backupsLeftIn: [] }
  /** Folders whose disk has been asked and hasn't answered. */
  const unanswered = new Set<string>()

  /** @throws the system's error; or if the disk doesn't answer, and then at once for others in the same folder. */
  async function removeBackup(place: string, name: string): Promise<boolean> {
    if (unanswered.has(place)) throw new FileError('away')
    unanswered.add(place)
    const removing = removeFrom(place, name, files)
    const answered = removing.catch(() => undefined).then(() => unanswered.delete(place))
    await within(DISK_TIMEOUT, answered, time)
    if (unanswered.has(place)) throw new FileError('away')
    return removing
  }

  /** Counts what was removed, and records kinds that are incomplete. */
  async function removeEach(
    kind: 'files' | 'entries' | 'backups',
    all: readonly (() => Promise<boolean>)[]
  ): Promise<void> {
    for (const remove of all) {
      try {
        if (await remove()) removed[kind]++
      } catch {
        if (!removed.left.includes(kind)) removed.left.push(kind)
      }
    }
  }

  const { accounts, databaseKey, nextDatabaseKey, staffPin, auditAnchor, auditKey, backupPassphrase, proxies, office } =
    keychain
  await removeEach(
    'backups',
    decided.backups.map(
      ({ folder: place, name }) =>
        () =>
          removeBackup(place, name).catch((error: unknown) => {
            if (!removed.backupsLeftIn.includes(place)) removed.backupsLeftIn.push(place)
            throw error
          })
    )
  )
  await removeEach('entries', [
    // A keychain that can't be used still has its entries.
    async () => (keychain.keeps === 'in-os' ? false : Promise.reject(new Error('in memory'))),
    ...decided.accountIds.map((id) => async () => {
      if ((await accounts.get(id)) === null) return false
      await accounts.delete(id)
      return true
    }),
    ...[databaseKey, nextDatabaseKey, staffPin, auditAnchor, auditKey, backupPassphrase, proxies, office].map(
      (slot) => async () => {
        if ((await slot.get()) === null) return false
        await slot.delete()
        return true
      }
    )
  ])
  const names = await readdir(folder).catch(() => [])
  if (!decided.knowsAccounts || (await hasEarlierDatabase(folder, names))) removed.left.push('unknown entries')
  await removeEach(
    'files',
    names
      .filter((name) => name !== DECISION_FILE && !CHROMIUM_FILES.test(name))
      .map((name) => async () => {
        await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3, retryDelay: 100 })
        return true
      })
  )
  await removeEach(
    'files',
    logs.map((path) => () => removeIfExists(path, nodeFiles))
  )
  // Leftovers have been reported; they mustn't prevent the application from starting forever.
  await rm(join(folder, DECISION_FILE), { force: true }).catch(() => undefined)
  await rmdir(folder).catch(() => undefined)
  return removed
}

/** Returns whether it existed. @throws the system's error, also if its folder, such as a share, can't be reached. */
async function removeFrom(folder: string, name: string, files: BackupDisk): Promise<boolean> {
  const existed = await removeIfExists(join(folder, name), files)
  if (!existed) await files.stat(folder)
  return existed
}

/** Whether a database was set aside, by a restore for example; its accounts may have been others. Never rejects. */
async function hasEarlierDatabase(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const isThere = () => exists(join(folder, name, DATABASE_FILE), nodeFiles).catch(() => true)
    if (name.startsWith('set-aside-') && (await isThere())) return true
  }
  return false
}
