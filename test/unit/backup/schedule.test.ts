import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makePlannedBackup, type PlannedOrder } from '../../../src/main/core/backup/backup.ts'
import { openBackups } from '../../../src/main/core/backup/backups.ts'
import { stageBackup } from '../../../src/main/core/backup/restore.ts'
import { BackupSchedule, type BackupScheduleDeps } from '../../../src/main/core/backup/schedule.ts'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { openJsonMeta } from '../../../src/main/core/storage/meta.ts'
import type { BackupPlan } from '../../../src/shared/contract/index.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain } from '../storage/keychains.ts'
import { LOW_COST } from './computers.ts'

const HOUR = 3_600_000
/** A Tuesday, 22:30 in Auckland. */
const NOW = Date.UTC(2026, 10, 24, 9, 30)
const PASSPHRASE = 'a passphrase of four words'
const DAILY: BackupPlan = { when: 'daily', at: '18:00', weekday: 5, keep: 3, secrets: false }

/** An office that makes real backups, into a folder that may become unavailable. */
async function office(organisation?: ReturnType<BackupScheduleDeps['organisation']>) {
  const [folder, share] = [temporaryFolder(), join(temporaryFolder(), 'share')]
  mkdirSync(share)
  const entries = new Map<string, string>()
  const lasting = lastingKeychain(entries)
  let keyReads = 0
  const backupPassphrase = {
    ...lasting.backupPassphrase,
    get() {
      keyReads++
      return lasting.backupPassphrase.get()
    },
    async set(passphrase: string) {
      await is.keychainReady
      await lasting.backupPassphrase.set(passphrase)
    }
  }
  const keychain = { ...lasting, backupPassphrase }
  const storage = await openDatabase({ folder, keychain, random: randomBytes, clock: () => NOW })
  onTestFinished(() => void storage.db.close())
  const all: BackupSchedule[] = []
  const time = testTime(NOW, over)
  const is = { busy: false, organisation, full: false, keychainReady: Promise.resolve() }
  const meta = openJsonMeta(storage.db)
  function write(key: string, value: unknown) {
    if (is.full) throw new Error('The disk is full.')
    meta.write(key, value)
  }
  let under: Promise<unknown> = Promise.resolve()
  const ask = ((_name: string, order: PlannedOrder) => {
    const made = makePlannedBackup({ ...order, cost: LOW_COST })
    under = made.catch(() => undefined)
    return made
  }) as never
  let ids = 0

  function start() {
    const run = { ...time.run(), zone: () => 'Pacific/Auckland' }
    onTestFinished(run.end)
    const shared = { ask, folder, storage, keychain, meta: { ...meta, write }, random: randomBytes, time: run }
    const made = { newId: () => `id-${++ids}`, changed: () => undefined }
    const backups = openBackups({
      ...shared,
      ...made,
      secrets: async () => ({}),
      settings: () => ({}),
      madeBy: 'Countersign',
      note: () => undefined
    })
    const schedule = new BackupSchedule({
      ...shared,
      ...made,
      backups,
      organisation: () => is.organisation,
      isBusy: () => is.busy
    })
    onTestFinished(() => schedule.close())
    all.push(schedule)
    return schedule
  }

  const schedule = start()
  /** Waits until the running backup is over, however long it takes. */
  async function over() {
    for (let isRunning = true; isRunning; ) {
      await new Promise((resolve) => setImmediate(resolve))
      await under
      const views = await Promise.all(all.map((one) => one.view()))
      isRunning = views.some((view) => view.isRunning)
    }
  }
  return {
    folder,
    share,
    entries,
    storage,
    is,
    schedule,
    start,
    over,
    keyReads: () => keyReads,
    backups: () => readdirSync(share).sort(),
    /** Sets the wall clock that much ahead, or back. */
    setAhead(milliseconds: number) {
      time.now += milliseconds
    },
    async plan(plan: Partial<BackupPlan> = {}) {
      const { id } = await schedule.offerFolder(share)
      schedule.start()
      await schedule.set({ plan: { ...DAILY, ...plan }, folderId: id, passphrase: PASSPHRASE })
      await over()
    },
    pass: time.pass
  }
}

test('the first backup is made immediately, then one each day at its time, and only the newest are kept', async () => {
  const { backups, plan, pass, schedule, share, entries } = await office()
  writeFileSync(join(share, 'Countersign of someone else.countersign-backup'), 'theirs')
  await plan()
  expect(backups()).toHaveLength(2)
  expect(backups()[0]).toMatch(/^Countersign 2026-11-24 2230 [0-9a-f]{4}\.countersign-backup$/)
  expect(await schedule.view()).toMatchObject({ next: NOW + 19.5 * HOUR, folder: 'share', hasPassphrase: true })
  await pass(19 * HOUR)
  expect(backups()).toHaveLength(2)
  await pass(HOUR)
  expect(backups()[1]).toMatch(/^Countersign 2026-11-25 1[89]/)
  for (let day = 0; day < 4; day++) await pass(24 * HOUR)
  const left = backups()
  expect(left).toHaveLength(4)
  expect(left[0]).toMatch(/2026-11-27/)
  expect(left.at(-1)).toBe('Countersign of someone else.countersign-backup')
  const path = join(share, left[2] ?? '')
  const key = Buffer.from(entries.get('database-key') ?? '', 'hex')
  await stageBackup({ folder: temporaryFolder(), path, passphrase: PASSPHRASE, key, now: NOW })
})

test.each(['made', 'refused'])(
  'after a backup was %s with the clock a year ahead, the next is still made',
  async (outcome) => {
    const { backups, plan, pass, schedule, setAhead, share } = await office()
    const YEAR = 365 * 24 * HOUR
    await plan()
    setAhead(YEAR)
    if (outcome === 'refused') renameSync(share, `${share}-away`)
    await pass(HOUR)
    if (outcome === 'refused') renameSync(`${share}-away`, share)
    expect(schedule.troubles()).toHaveLength(outcome === 'refused' ? 1 : 0)
    setAhead(-YEAR)
    const before = backups().length
    await pass(2 * HOUR)
    expect(schedule.troubles()).toEqual([])
    expect(backups()).toHaveLength(before + 1)
    // Each of the days after it, too, and no more often.
    await pass(20 * HOUR)
    expect((await schedule.view()).last?.name).toMatch(/2026-11-25 1[89]/)
  }
)

test('weekly backups are made on their day', async () => {
  const { backups, plan, pass, schedule } = await office()
  await plan({ when: 'weekly', weekday: 5 })
  const { next = 0 } = await schedule.view()
  expect(new Date(next).toISOString()).toBe('2026-11-27T05:00:00.000Z')
  await pass(2.7 * 24 * HOUR)
  expect(backups()).toHaveLength(1)
  await pass(HOUR * 6)
  expect(backups()).toHaveLength(2)
})

test('a backup missed while the application was closed or the computer asleep is made on return', async () => {
  const { backups, plan, pass, schedule, start, over } = await office()
  await plan()
  schedule.close()
  await pass(40 * HOUR)
  expect(backups()).toHaveLength(1)
  const next = start()
  next.start()
  await over()
  expect(backups()).toHaveLength(2)
})

test('a plan that is changed while a backup is made begins with a backup in its own folder', async () => {
  const { backups, over, plan, schedule, share } = await office()
  await plan()
  const other = `${share}-other`
  mkdirSync(other)
  const { id } = await schedule.offerFolder(other)
  const making = schedule.runNow()
  await schedule.set({ plan: { ...DAILY, keep: 5 }, folderId: id })
  await making
  await over()
  expect(backups()).toHaveLength(2)
  expect(readdirSync(other)).toHaveLength(1)
})

test('a plan that is changed while a backup fails begins with a backup at once, and reports no failure', async () => {
  const { over, plan, schedule, share } = await office()
  await plan()
  renameSync(share, `${share}-away`)
  const other = `${share}-other`
  mkdirSync(other)
  const { id } = await schedule.offerFolder(other)
  const making = schedule.runNow()
  await schedule.set({ folderId: id })
  await expect(making).rejects.toMatchObject({ appError: { code: 'gone' } })
  expect(schedule.troubles()).toEqual([])
  await over()
  expect(readdirSync(other)).toHaveLength(1)
})

test('a planned time that comes while a backup is made on request doesn’t end the schedule', async () => {
  const { backups, over, plan, pass, schedule } = await office()
  await plan()
  const making = schedule.runNow()
  schedule.check()
  await making
  await over()
  expect(backups()).toHaveLength(2)
  await pass(20 * HOUR)
  expect(backups()).toHaveLength(3)
})

test('backups in an earlier folder are still known, so that they can be removed with everything else', async () => {
  const { backups, over, plan, schedule, share } = await office()
  await plan({ keep: 1 })
  const other = `${share}-other`
  mkdirSync(other)
  const { id } = await schedule.offerFolder(other)
  await schedule.set({ folderId: id })
  await over()
  await schedule.runNow()
  expect(schedule.existingBackups()).toEqual([
    { folder: share, name: backups()[0] },
    { folder: other, name: readdirSync(other)[0] }
  ])
})

test('a backup that is made while a new passphrase waits for the keychain is known, and removed in its turn', async () => {
  const { backups, is, over, plan, schedule } = await office()
  await plan({ keep: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  is.keychainReady = promise
  const changing = schedule.set({ passphrase: `${PASSPHRASE} and one` })
  await schedule.runNow()
  resolve()
  await changing
  await over()
  expect(backups()).toHaveLength(1)
  expect(schedule.existingBackups()).toEqual([expect.objectContaining({ name: backups()[0] })])
})

test('a passphrase that is changed while a backup is made gets a backup of its own at once', async () => {
  const { backups, over, plan, schedule, share, entries } = await office()
  await plan()
  const making = schedule.runNow()
  const passphrase = `${PASSPHRASE} and one`
  await schedule.set({ passphrase })
  await making
  await over()
  expect(backups()).toHaveLength(3)
  const key = Buffer.from(entries.get('database-key') ?? '', 'hex')
  const path = join(share, schedule.existingBackups().at(-1)?.name ?? '')
  await stageBackup({ folder: temporaryFolder(), path, passphrase, key, now: NOW })
})

test('a backup at quitting is made each time, but only if planned', async () => {
  const { backups, plan, schedule } = await office()
  await plan({ when: 'on-quit' })
  expect(backups()).toHaveLength(1)
  await schedule.runOnQuit()
  expect(backups()).toHaveLength(2)
  const daily = await office()
  await daily.plan()
  await daily.schedule.runOnQuit()
  expect(daily.backups()).toHaveLength(1)
})

test('an unavailable share is reported until a backup succeeds, also after a restart, and no folder is created in its place', async () => {
  const { backups, plan, pass, schedule, start, over, share } = await office()
  await plan()
  renameSync(share, `${share}-away`)
  await pass(20 * HOUR)
  expect(schedule.troubles()).toMatchObject([
    { kind: 'no-backup', reason: 'gone', error: { message: 'The folder for backups can’t be reached.' } }
  ])
  const { since } = schedule.troubles()[0] as { since: number }
  expect(existsSync(share)).toBe(false)
  schedule.close()
  const next = start()
  expect(next.troubles()).toMatchObject([{ since }])
  next.start()
  await pass(HOUR)
  expect(next.troubles()).toMatchObject([{ since }])
  renameSync(`${share}-away`, share)
  await pass(HOUR)
  await over()
  expect(next.troubles()).toEqual([])
  expect(backups()).toHaveLength(2)
})

test('an unwritable folder keeps the earlier backups and is reported', async () => {
  if (process.getuid?.() === 0) return
  const { backups, plan, pass, schedule, share } = await office()
  await plan({ keep: 1 })
  const before = backups()
  chmodSync(share, 0o500)
  await pass(20 * HOUR)
  chmodSync(share, 0o700)
  expect(schedule.troubles()).toMatchObject([{ kind: 'no-backup', reason: 'not-writable' }])
  expect(backups()).toEqual(before)
})

test('no backup starts during a counter session; one that is due follows it', async () => {
  const { backups, is, plan, pass, schedule, over } = await office()
  await plan()
  is.busy = true
  await pass(25 * HOUR)
  expect(backups()).toHaveLength(1)
  is.busy = false
  schedule.check()
  await over()
  expect(backups()).toHaveLength(2)
})

test('the remains of a killed backup are removed with the next, and other files are kept', async () => {
  const { plan, pass, share, storage, backups } = await office()
  await plan()
  const { mark } = JSON.parse(
    String(storage.db.prepare("SELECT value FROM meta WHERE key = 'backup-schedule'").pluck().get())
  )
  const [ours, theirs] = [`.countersign-${mark}01234567.part`, '.countersign-0123456789abcdef.part']
  for (const name of [ours, theirs]) writeFileSync(join(share, name), 'half')
  await pass(24 * HOUR)
  expect(backups()).not.toContain(ours)
  expect(backups()).toContain(theirs)
})

test('the organisation’s plan overrides a person’s, and waits for its passphrase', async () => {
  const place = temporaryFolder()
  const { schedule, over, backups, is, pass } = await office({ folder: place, when: 'daily', keep: 2 })
  schedule.start()
  await over()
  expect(schedule.troubles()).toMatchObject([{ error: { message: 'Scheduled backups need a passphrase.' } }])
  await schedule.set({ passphrase: PASSPHRASE })
  await over()
  expect(schedule.troubles()).toEqual([])
  expect(readdirSync(place)).toHaveLength(1)
  expect(await schedule.view()).toMatchObject({ plan: { when: 'daily', at: '18:00', keep: 2 } })
  is.organisation = undefined
  await pass(30 * HOUR)
  expect(readdirSync(place)).toHaveLength(1)
  expect(backups()).toEqual([])
})

test('a plan needs a folder outside the data folder and a passphrase, which is deleted when the plan is turned off', async () => {
  const { schedule, folder, share, entries, plan } = await office()
  await expect(schedule.set({ plan: DAILY, passphrase: PASSPHRASE })).rejects.toMatchObject({
    appError: { code: 'invalid' }
  })
  const { id } = await schedule.offerFolder(share)
  await expect(schedule.set({ plan: DAILY, folderId: id })).rejects.toMatchObject({
    appError: { fields: [{ field: 'passphrase' }] }
  })
  await expect(schedule.set({ folderId: 'made up' })).rejects.toMatchObject({ appError: { code: 'gone' } })
  mkdirSync(join(folder, 'inside'))
  for (const own of [folder, join(folder, 'inside')])
    await expect(schedule.offerFolder(own)).rejects.toMatchObject({ appError: { code: 'invalid' } })
  rmSync(join(folder, 'inside'), { recursive: true })
  await plan()
  expect(entries.get('backup-passphrase')).toBe(PASSPHRASE)
  expect(await schedule.set({ plan: null })).toMatchObject({ plan: null, hasPassphrase: false })
  expect(entries.has('backup-passphrase')).toBe(false)
})

test('a keychain without the passphrase is read once, however often the screens ask', async () => {
  const { schedule, keyReads } = await office()
  for (let times = 0; times < 5; times++) expect(await schedule.view()).toMatchObject({ hasPassphrase: false })
  expect(keyReads()).toBe(1)
})

test('on a full disk, where the failure can’t be stored either, it is retried every quarter of an hour and reported', async () => {
  const { plan, pass, schedule, keyReads, is, backups } = await office()
  await plan()
  is.full = true
  await pass(19.5 * HOUR)
  const before = keyReads()
  for (let minute = 0; minute < 14; minute++) await pass(60_000)
  expect(keyReads()).toBe(before)
  const troubles = schedule.troubles()
  expect(troubles).toMatchObject([{ kind: 'no-backup', store: 'backups' }])
  await pass(2 * 60_000)
  expect(keyReads()).toBe(before + 1)
  expect(schedule.troubles()).toEqual(troubles)
  is.full = false
  await pass(15 * 60_000)
  expect(backups()).toHaveLength(2)
  expect(schedule.troubles()).toEqual([])
})
