/**
 * Removes everything that Countersign keeps of a user on this computer: the data folder, the entries in the keychain, the log, and the
 * backups that were made by themselves where that is wanted. Decided on while the application works, done by the next start before
 * anything is opened; whatever ends it in between, a start after that goes on.
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
/** What the browser's engine has open, and needs to end as it should. */
const ENGINES = /^(?:Singleton\w+|lockfile)$/

const Decided = z.object({
  /** Whose secrets are in the keychain. */
  accountIds: z.array(z.string().regex(/^[A-Za-z0-9-]{1,64}$/)),
  backups: z.array(z.object({ folder: z.string(), name: z.string().regex(/^[^/\\]+\.countersign-backup$/) }))
})
type Decided = z.infer<typeof Decided>

/** How many of each are gone, and which kinds aren't all. */
export interface Removed {
  files: number
  entries: number
  backups: number
  left: ('files' | 'entries' | 'backups')[]
}

/** The next start removes everything. @throws FileError: nothing is removed then. */
export async function decideOnRemoval(folder: string, decided: Decided): Promise<void> {
  await writeAtomically(join(folder, DECIDED_FILE), JSON.stringify(decided), { ifExists: 'replace' })
}

/** Whether this start is the one that removes everything. A file that isn't ours decides nothing. */
export async function removalDecided(folder: string): Promise<Decided | undefined> {
  const text = await readFile(join(folder, DECIDED_FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Decided.safeParse(parsedJson(text)).data
}

/** Never rejects: what can’t be removed is said. */
export async function removeEverything(
  { folder, keychain, logs }: { folder: string; keychain: Keychain; logs: readonly string[] },
  decided: Decided
): Promise<Removed> {
  const removed: Removed = { files: 0, entries: 0, backups: 0, left: [] }

  /** Counts what was there, and notes what is there still. */
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
    // A keychain that can't be used has them still.
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
  // What is left was told: it mustn’t keep the application from ever starting again.
  await rm(join(folder, DECIDED_FILE), { force: true }).catch(() => undefined)
  await rmdir(folder).catch(() => undefined)
  return removed
}
