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
import { writeAtomically } from '../storage/atomic-file.ts'
import { removeIfThere } from '../storage/files.ts'
import type { Keychain } from '../storage/keychain.ts'

const DECIDED_FILE = 'removal.json'
/** Files that Chromium has open and needs for a clean exit. */
const ENGINES = /^(?:Singleton\w+|lockfile)$/

const Decided = z.object({
  /** Accounts with secrets in the keychain. */
  accountIds: z.array(z.string().regex(/^[A-Za-z0-9-]{1,64}$/)),
  backups: z.array(z.object({ folder: z.string(), name: z.string().regex(/^[^/\\]+\.countersign-backup$/) }))
})
type Decided = z.infer<typeof Decided>

/** How many of each were removed, and which kinds were not removed completely. */
export interface Removed {
  files: number
  entries: number
  backups: number
  left: ('files' | 'entries' | 'backups')[]
}

/** Schedules the removal for the next start. @throws FileError: nothing is removed then. */
export async function decideOnRemoval(folder: string, decided: Decided): Promise<void> {
  await writeAtomically(join(folder, DECIDED_FILE), JSON.stringify(decided), { ifExists: 'replace' })
}

/** Returns whether this start must remove everything. A foreign file is ignored. */
export async function removalDecided(folder: string): Promise<Decided | undefined> {
  const text = await readFile(join(folder, DECIDED_FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Decided.safeParse(parsedJson(text)).data
}

/** Removes everything. Never rejects: reports what couldn't be removed. */
export async function removeEverything(
  { folder, keychain, logs }: { folder: string; keychain: Keychain; logs: readonly string[] },
  decided: Decided
): Promise<Removed> {
  const removed: Removed = { files: 0, entries: 0, backups: 0, left: [] }

  /** Counts what was removed, and records kinds that are incomplete. */
  async function each(kind: 'files' | 'entries' | 'backups', all: readonly (() => Promise<boolean>)[]): Promise<void> {
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
  await each(
    'backups',
    decided.backups.map(
      ({ folder: place, name }) =>
        () =>
          removeIfThere(join(place, name), nodeFiles)
    )
  )
  await each('entries', [
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
  await each(
    'files',
    names
      .filter((name) => name !== DECIDED_FILE && !ENGINES.test(name))
      .map((name) => async () => {
        await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3, retryDelay: 100 })
        return true
      })
  )
  await each(
    'files',
    logs.map((path) => () => removeIfThere(path, nodeFiles))
  )
  // Leftovers have been reported; they mustn't prevent the application from starting forever.
  await rm(join(folder, DECIDED_FILE), { force: true }).catch(() => undefined)
  await rmdir(folder).catch(() => undefined)
  return removed
}
