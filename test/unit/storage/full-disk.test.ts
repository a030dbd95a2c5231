/**
 * A disk that is full at the first step of a write, at the second, and so on until the write succeeds: each time what
 * was there before stays whole, nothing is left over, and the person is told.
 */
import { randomBytes } from 'node:crypto'
import fs, { readdirSync, readFileSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { recoveryKeyText } from '../../../src/shared/recovery-key.ts'
import { database } from '../counter-settings/office.ts'
import { temporaryFolder } from './folders.ts'

/** What remains of the disk: this many steps. */
let left = Number.POSITIVE_INFINITY

function step(beforeFailing: () => unknown = () => undefined): void {
  left -= 1
  if (left >= 0) return
  beforeFailing()
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' })
}

// In the place of the modules, as with vi.mock(), before anything has taken the functions out of them.
const { open, rename, link } = files
const { writeSync, renameSync } = fs
Object.assign(files, {
  async open(path: string, flags: string | number, mode?: number) {
    if (typeof flags === 'number' || flags.startsWith('r')) return open(path, flags, mode)
    step()
    const file = await open(path, flags, mode)
    const [write, sync] = [file.write.bind(file), file.sync.bind(file)]
    return Object.assign(file, {
      async write(chunk: Uint8Array, from = 0, length = chunk.byteLength - from) {
        // Only half of it fits.
        if (left === 0) await write(chunk, from, length >> 1)
        step()
        return write(chunk, from, length)
      },
      async sync() {
        step()
        await sync()
      }
    })
  },
  async rename(from: string, to: string) {
    step()
    await rename(from, to)
  },
  async link(from: string, to: string) {
    step()
    await link(from, to)
  }
})
Object.assign(fs, {
  writeSync(file: number, content: Uint8Array | string, ...rest: [number, number]) {
    step(() => writeSync(file, Buffer.from(content).subarray(0, content.length >> 1)))
    return writeSync(file, content as Uint8Array, ...rest)
  },
  renameSync(from: string, to: string) {
    step()
    renameSync(from, to)
  }
})
syncBuiltinESMExports()
// Outside Electron the package `electron` exports the path of its binary, and would download the binary to find it.
vi.stubEnv('ELECTRON_OVERRIDE_DIST_PATH', '/not/needed')

const { default: Store } = await import('electron-store')
const { openSettings } = await import('../../../src/main/core/storage/settings.ts')
const { asAppError } = await import('../../../src/main/core/errors/app-error.ts')
const { FileError } = await import('../../../src/main/core/storage/file-error.ts')
const { saveAs } = await import('../../../src/main/ipc/dialogs.ts')
const { recoverable } = await import('../backup/recoverable.ts')
const { policyOffice } = await import('../organisation/policies.ts')
const { office, READY } = await import('../updates/feed-office.ts')

const FULL = 'The disk is full, so this wasn’t saved.'
const wordsOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => asAppError(error).message
  )

/**
 * Writes with room for no step, for one, and so on, and checks after each failure.
 * @param write resolves to what the person is told; undefined if all was written.
 */
async function untilItFits(write: () => Promise<string | undefined>, check: () => Promise<void>): Promise<number> {
  onTestFinished(() => {
    left = Number.POSITIVE_INFINITY
  })
  for (let room = 0; ; room++) {
    left = room
    const words = await write()
    const hasFailed = left < 0
    left = Number.POSITIVE_INFINITY
    if (!hasFailed) {
      expect(words).toBeUndefined()
      return room
    }
    expect(words).toBe(FULL)
    await check()
  }
}

/** Checks that the file is as before, with nothing beside it, which may be removed a moment later. */
function unchanged(file: string) {
  const [before, names] = [readFileSync(file), readdirSync(dirname(file))]
  return async () => {
    expect(readFileSync(file)).toEqual(before)
    await expect.poll(() => readdirSync(dirname(file)), { interval: 5 }).toEqual(names)
  }
}

test('the settings', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'settings.json')
  const open = () => openSettings({ open: () => new Store({ name: 'settings', cwd: folder }), path, clock: () => 0 })
  const { settings } = await open()
  settings.change({ theme: 'dark' })
  const steps = await untilItFits(async () => {
    const saved = settings.change({ zoom: 2 })
    return saved.saved ? undefined : asAppError(new FileError(saved.reason)).message
  }, unchanged(path))
  expect(steps).toBeGreaterThanOrEqual(2)
  expect((await open()).settings.read()).toEqual({ theme: 'dark', zoom: 2 })
})

test('the recovery keys', async () => {
  const { recovery, file, lose, recover } = await recoverable()
  const [old, key] = [recoveryKeyText(randomBytes(20)), recoveryKeyText(randomBytes(20))]
  await recovery.setPaperKey(old)
  const steps = await untilItFits(() => wordsOf(recovery.setPaperKey(key)), unchanged(file))
  expect(steps).toBe(4)
  lose()
  await recover(key)
})

test('a file that a person saves, such as an enrolment file', async () => {
  const path = join(temporaryFolder(), 'Harbour Law.countersign-enrolment')
  const kind = { name: 'Enrolment file', extensions: ['countersign-enrolment'] as [string] }
  const save = (bytes: Uint8Array) =>
    saveAs({ chooseSaveFile: async () => path }, { title: '', suggested: basename(path), kind, bytes }, () => true)
  await save(Buffer.from('the one before'))
  const bytes = randomBytes(5000)
  expect(await untilItFits(() => wordsOf(save(bytes)), unchanged(path))).toBe(4)
  expect(readFileSync(path)).toEqual(bytes)
})

test('an update, which is neither staged nor installed', async () => {
  const { updates, publish, storedFiles, installed } = await office()
  publish()
  const write = async () => {
    await updates.check()
    const { update, problem } = updates.view()
    return update.state === 'ready' ? undefined : problem?.message
  }
  const steps = await untilItFits(write, async () => expect(storedFiles()).toEqual([]))
  expect(steps).toBeGreaterThanOrEqual(3)
  expect(updates.view().update).toEqual(READY)
  expect(storedFiles()).toHaveLength(1)
  expect(installed).toEqual([])
})

test('the policy that is kept for a time without its file', async () => {
  const db = database()
  const computer = policyOffice(db)
  computer.put({ practiceOffice: false })
  await computer.start()
  // A policy that takes many pages, on a disk with room for none, for one, and so on.
  const origins = Array.from({ length: 50 }, (_, at) => `https://${'a'.repeat(60)}.${'b'.repeat(60)}.n${at}.example`)
  computer.put({ practiceOffice: false, signingOrigins: origins })
  const pages = Number(db.pragma('page_count', { simple: true }))
  let room = 0
  for (; ; room++) {
    db.pragma(`max_page_count = ${pages + room}`)
    computer.log.length = 0
    const { policy } = await computer.start()
    // It holds in any case.
    expect(policy.signingOrigins).toHaveLength(50)
    if (!computer.log.some(({ message }) => message.includes('could not be kept'))) break
    const kept = db.prepare("SELECT value FROM meta WHERE key = 'organisation-policy'").pluck().get()
    expect(kept).toContain('practiceOffice')
    expect(kept).not.toContain('signingOrigins')
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(room).toBeLessThan(100)
  }
  expect(room).toBeGreaterThan(0)
  computer.remove()
  expect((await computer.start()).policy.signingOrigins).toHaveLength(50)
})
