/**
 * Kills a process while it backs up, restores, puts a restored copy in place, migrates, rekeys the database, copies it,
 * or goes on from a copy; or fills the disk at one of its writes. Afterwards the backup must open with its passphrase,
 * and the backup and every copy must be whole. The data folder must hold either what was there, or what was restored
 * with what was there set aside; each whole, and nothing else.
 */
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeBackup } from '../../src/main/core/backup/backup.ts'
import { finishRestore, scheduleRestore, stageBackup } from '../../src/main/core/backup/restore.ts'
import { copyNow } from '../../src/main/core/backup/rolling-copies.ts'
import { connectEncrypted, type Db } from '../../src/main/core/storage/connection.ts'
import { COPIES_FOLDER, copiesIn } from '../../src/main/core/storage/copies.ts'
import { DATABASE_FILE, openDatabase } from '../../src/main/core/storage/database.ts'
import { migrations, versionOf } from '../../src/main/core/storage/migrations.ts'
import { requestKeyChange } from '../../src/main/core/storage/rekey.ts'
import { fileKeychain, lastingKeychain } from '../unit/storage/keychains.ts'
import { chanceOf } from './chance.ts'
import { begin, killed } from './killed-process.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'

/** The steps of a made-up next version, which writes as much as there is. */
export const NEXT = [
  ...migrations,
  {
    name: 'moved',
    sql: 'CREATE TABLE moved (key TEXT, value TEXT) STRICT; INSERT INTO moved SELECT key, value FROM meta'
  }
]
export const PASSPHRASE = 'a passphrase of four words'
const PROGRAM = new URL('./restoring-until-killed.ts', import.meta.url)
const BACKUP = 'office.countersign-backup'
const KEYCHAIN = 'keychain.json'
const ASIDE = 'set-aside-2026-11-25T09-30-00Z'
const WAYS = ['back up', 'restore', 'put in place', 'migrate', 'rekey', 'copy', 'use a copy'] as const
/** After these the folder may hold what was restored. */
const RESTORING: readonly Way[] = ['restore', 'put in place', 'use a copy']
export type Way = (typeof WAYS)[number]

const wrong = (words: string): Fault => ({ kind: 'wrong', words })
const lost = (words: string): Fault => ({ kind: 'lost', words })

/** On a full disk no file may exceed a random limit of up to this size, in bytes. */
const MAX_FILE_BYTES = 1_800_000
/** Errors that are right for a full disk. */
const FULL = ['no-space', 'storage', 'disk-failed', 'not-writable']

/** The rounds in which each way is killed once, and once runs on a full disk. */
export const ROUNDS_OF_ALL = 2 * WAYS.length

/**
 * Each round kills one of the ways at a random moment, or makes one of its writes fail: all ways are killed in turn,
 * then all run on a full disk.
 */
export async function backupChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const chance = chanceOf(seed)
  const tally = emptyTally()
  const note = notingIn(tally, say)
  const ends = { old: 0, new: 0, refused: 0 }
  const played = { killed: new Set<Way>(), full: new Set<Way>() }
  try {
    const key = randomBytes(32)
    await prepare(root, key)
    const length = new Map<Way, number>()
    for (const way of WAYS) length.set(way, await lived(root, key, way))
    for (let round = 1; round <= rounds; round++) {
      const way = WAYS[(round - 1) % WAYS.length] ?? 'back up'
      const isFull = (round - 1) % ROUNDS_OF_ALL >= WAYS.length
      const after = (chance.below(1000) / 1000) * (length.get(way) ?? 0) * 1.1
      const maxFileBytes = isFull ? chance.below(MAX_FILE_BYTES) : undefined
      const { faults, isNew, refused } = await endedIn(root, key, way, { after, maxFileBytes })
      played[isFull ? 'full' : 'killed'].add(way)
      ends[isNew ? 'new' : 'old']++
      if (refused) ends.refused++
      const how = maxFileBytes === undefined ? `after ${Math.round(after)} ms` : `at most ${maxFileBytes} bytes`
      note(faults, `round ${round}, ${way}, ${how}`)
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds`)
    }
    say(`${played.killed.size} ways were killed, ${played.full.size} ran on a full disk`)
    say(`${ends.old} times it was as before, ${ends.new} times as after; ${ends.refused} refusals of a full disk`)
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/** Prepares a data folder with "old", a backup of "new", and folders with a pending restore of it or key change. */
async function prepare(root: string, key: Buffer): Promise<void> {
  const own = await opened(join(root, 'own'), key)
  keep(own, 'new')
  await copyNow({ folder: join(root, 'own'), key, now: Date.now() })
  await rename(join(root, 'own', COPIES_FOLDER), join(root, COPIES_FOLDER))
  await backUp(join(root, 'own'), key, join(root, BACKUP))
  keep(own, 'old')
  own.close()
  await cp(join(root, 'own'), join(root, 'copied'), { recursive: true })
  await cp(join(root, COPIES_FOLDER), join(root, 'copied', COPIES_FOLDER), { recursive: true })
  await cp(join(root, 'own'), join(root, 'decided'), { recursive: true })
  const { stage } = await stageBackup({
    folder: join(root, 'decided'),
    path: join(root, BACKUP),
    passphrase: PASSPHRASE,
    key,
    now: Date.now()
  })
  await scheduleRestore(join(root, 'decided'), stage, Date.now())
  await cp(join(root, 'own'), join(root, 'asked'), { recursive: true })
  // Set aside earlier, under the current key.
  await cp(join(root, 'own'), join(root, 'asked', ASIDE), { recursive: true })
  const keychain = fileKeychain(join(root, KEYCHAIN))
  await keychain.databaseKey.set(key.toString('hex'))
  await requestKeyChange(join(root, 'asked'), keychain, randomBytes(32))
}

/** Checks that what was set aside opens when it is put back, whichever key the database has now. */
async function faultsOfAside(copy: string, folder: string): Promise<Fault[]> {
  const back = join(copy, 'put-back')
  await cp(join(folder, ASIDE), back, { recursive: true })
  const db = await opened(back, join(copy, KEYCHAIN))
  const found = storedValue(db)
  db.close()
  return found === 'old' ? [] : [lost(`what had been set aside has ${found}`)]
}

/**
 * Checks that each named copy is whole, that copies from before a migration have the old version, and that earlier
 * copies remain.
 */
async function faultsOfCopies(folder: string, way: Way, key: Buffer): Promise<Fault[]> {
  const faults: Fault[] = []
  const copies = await copiesIn(folder)
  for (const { name, version, isBeforeUpdate } of copies) {
    const db = connectEncrypted(join(folder, COPIES_FOLDER, name), key)
    const isWhole = db.pragma('integrity_check(1)', { simple: true }) === 'ok' && storedValue(db) !== undefined
    if (!isWhole || versionOf(db) !== version) faults.push(wrong(`the copy ${name} isn’t whole`))
    if (isBeforeUpdate && version !== migrations.length)
      faults.push(wrong(`the copy ${name} isn’t from before the migration`))
    db.close()
  }
  const least = FOLDERS[way] === 'copied' || way === 'migrate' ? 1 : 0
  if (copies.length < least) faults.push(lost(`${copies.length} copies are left`))
  return faults
}

export const backUp = (folder: string, key: Uint8Array, path: string) =>
  makeBackup({
    folder,
    key,
    path,
    passphrase: PASSPHRASE,
    cost: 2 ** 10,
    settings: {},
    secrets: {},
    madeAt: 1,
    madeBy: 'Chaos'
  })

/** Stores enough that copying takes a moment. */
function keep(db: Db, value: string): void {
  const write = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
  )
  db.transaction(() => {
    for (let number = 0; number < 400; number++) write.run(`kept ${number}`, value.repeat(1000))
  })()
}

/** Returns the stored value, or undefined if it isn't complete and all the same. */
function storedValue(db: Db): string | undefined {
  const all = db.prepare("SELECT DISTINCT substr(value, 1, 3) FROM meta WHERE key LIKE 'kept %'").pluck().all()
  const count = db.prepare("SELECT count(*) FROM meta WHERE key LIKE 'kept %'").pluck().get()
  return all.length === 1 && count === 400 ? String(all[0]) : undefined
}

/** @param key the key, or the path of a keychain file that outlives the process. */
async function opened(folder: string, key: Buffer | string, steps = migrations): Promise<Db> {
  const keychain =
    typeof key === 'string' ? fileKeychain(key) : lastingKeychain(new Map([['database-key', key.toString('hex')]]))
  const found = await openDatabase({ folder, keychain, random: randomBytes, clock: Date.now, steps })
  if (found.state !== 'encrypted' || found.setAside)
    throw new Error(`It is opened as ${JSON.stringify({ ...found, db: 0 })}`)
  return found.db
}

/** Returns whether the database opens with this key. */
function opens(folder: string, key: Buffer): boolean {
  try {
    connectEncrypted(join(folder, DATABASE_FILE), key).close()
    return true
  } catch {
    return false
  }
}

const FOLDERS: Record<Way, string> = {
  'back up': 'own',
  restore: 'own',
  'put in place': 'decided',
  migrate: 'own',
  rekey: 'asked',
  copy: 'copied',
  'use a copy': 'copied'
}

async function placeOf(root: string, way: Way): Promise<{ copy: string; folder: string }> {
  const copy = await mkdtemp(join(root, 'round-'))
  const folder = join(copy, 'own')
  await cp(join(root, FOLDERS[way]), folder, {
    recursive: true
  })
  await cp(join(root, BACKUP), join(copy, BACKUP))
  await cp(join(root, KEYCHAIN), join(copy, KEYCHAIN))
  return { copy, folder }
}

/** Returns how long it takes when it isn't killed, in milliseconds. */
async function lived(root: string, key: Buffer, way: Way): Promise<number> {
  const { copy, folder } = await placeOf(root, way)
  const { child, printed } = begin(PROGRAM, [way, folder, join(copy, BACKUP), key.toString('hex')])
  await printed('begins')
  const began = performance.now()
  await printed('ended done')
  await killed(child)
  await rm(copy, { recursive: true, force: true })
  return performance.now() - began
}

async function endedIn(
  root: string,
  key: Buffer,
  way: Way,
  { after, maxFileBytes }: { after: number; maxFileBytes: number | undefined }
): Promise<{ faults: Fault[]; isNew: boolean; refused: boolean }> {
  const { copy, folder } = await placeOf(root, way)
  const faults: Fault[] = []
  const isFull = maxFileBytes !== undefined
  let isNew = false
  let refused = false
  try {
    const args = [way, folder, join(copy, BACKUP), key.toString('hex')]
    const { child, printed, output } = begin(PROGRAM, args, maxFileBytes)
    await printed('begins')
    await (isFull ? printed('\nended ') : pause(after))
    await killed(child)
    const why = /\nended (.+)\n/.exec(output())?.[1]
    refused = why !== undefined && why !== 'done'
    if (refused && !(isFull && FULL.includes(why ?? ''))) faults.push(wrong(`it ended with “${why}”`))
    await finishRestore(folder)
    const steps = way === 'migrate' ? NEXT : migrations
    const db = await opened(folder, way === 'rekey' ? join(copy, KEYCHAIN) : key, steps)
    const found = storedValue(db)
    db.close()
    // On a full disk the rekeying may be abandoned, with an error.
    if (way === 'rekey' && !isFull && opens(folder, key)) faults.push(wrong('the key that it had still opens it'))
    isNew = found === 'new'
    if (found === undefined) faults.push(lost(`not all of it is there`))
    if (isNew && !RESTORING.includes(way)) faults.push(wrong(`it is another after “${way}”`))
    const names = await readdir(folder)
    if (way === 'rekey') faults.push(...(await faultsOfAside(copy, folder)))
    const aside = names.find((name) => name.startsWith('set-aside-') && name !== ASIDE)
    if (isNew !== (aside !== undefined)) faults.push(wrong(`set aside: ${aside ?? 'nothing'}, and it is ${found}`))
    if (aside) {
      const old = connectEncrypted(join(folder, aside, DATABASE_FILE), key)
      if (storedValue(old) !== 'old') faults.push(lost('what was set aside isn’t all there'))
      old.close()
    }
    const left = names.filter((name) => /^(restore|backup)|rekeyed$/.test(name))
    if (left.length > 0) faults.push(wrong(`${left.join(', ')} stayed behind`))
    faults.push(...(await faultsOfCopies(folder, way, key)))
    const into = await mkdtemp(join(copy, 'check-'))
    await stageBackup({ folder: into, path: join(copy, BACKUP), passphrase: PASSPHRASE, key, now: 1 })
  } catch (error) {
    faults.push(wrong(error instanceof Error ? error.message : String(error)))
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  return { faults, isNew, refused }
}
