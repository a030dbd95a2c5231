import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import type { Settings } from '../../../src/main/core/storage/settings.ts'
import { openCrashReports } from '../../../src/main/core/support/crash-reports.ts'
import { zipReport } from '../../../src/main/core/support/report.ts'
import { temporaryFolder } from '../storage/folders.ts'

const DAY = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 10, 26)

function open(isKept = true, saved = true) {
  const folder = temporaryFolder()
  const warnings: string[] = []
  let settings = { keepsCrashReports: isKept || undefined } as Settings
  const reports = openCrashReports({
    folder,
    time: { now: () => NOW },
    settings: {
      read: () => settings,
      change: (part) => {
        settings = { ...settings, ...part } as Settings
        return saved ? { saved } : { saved, reason: 'no-space' }
      }
    }
  })
  mkdirSync(join(folder, 'completed'))
  return {
    folder,
    reports,
    warnings,
    applyPolicy: (isEnabled?: boolean) =>
      reports.applyPolicy(isEnabled, { warn: (message) => void warnings.push(message) }),
    isWanted: () => settings.keepsCrashReports === true,
    crash(name: string, daysAgo: number, text = name) {
      const path = join(folder, 'completed', name)
      writeFileSync(path, text)
      utimesSync(path, (NOW - daysAgo * DAY) / 1000, (NOW - daysAgo * DAY) / 1000)
    },
    left: () => readdirSync(join(folder, 'completed')).sort()
  }
}

test('no crash report is kept by default, and existing ones are deleted when it is switched off', async () => {
  const { reports, crash, left, isWanted } = open(false)
  crash('a.dmp', 1)
  await reports.tidy()
  expect(left()).toEqual([])
  expect(await reports.view()).toEqual({ isKept: false, reports: [] })
  await reports.setEnabled(true)
  crash('b.dmp', 1)
  await reports.tidy()
  expect([left(), isWanted()]).toEqual([['b.dmp'], true])
  await reports.setEnabled(false)
  expect([left(), isWanted()]).toEqual([[], false])
})

test('the organisation’s setting takes the place of the person’s; without one, theirs stays', async () => {
  const { applyPolicy, crash, left, isWanted, warnings } = open(true)
  crash('a.dmp', 1)
  await applyPolicy(undefined)
  expect([left(), isWanted()]).toEqual([['a.dmp'], true])
  await applyPolicy(false)
  expect([left(), isWanted()]).toEqual([[], false])
  await applyPolicy(true)
  expect(isWanted()).toBe(true)
  expect(warnings).toEqual([])
})

test('the organisation’s setting that can’t be saved is applied for this run, and logged', async () => {
  const { applyPolicy, crash, left, warnings } = open(true, false)
  crash('a.dmp', 1)
  await applyPolicy(false)
  expect(left()).toEqual([])
  expect(warnings).toEqual([expect.stringContaining('crash reports')])
})

test('the newest ten of the last month are kept, and other files are left alone', async () => {
  const { reports, crash, left } = open()
  for (let index = 0; index < 12; index++) crash(`${String(index).padStart(2, '0')}.dmp`, index)
  crash('old.dmp', 31)
  crash('metadata', 400)
  await reports.tidy()
  expect(left()).toEqual([...Array.from({ length: 10 }, (_, index) => `0${index}.dmp`), 'metadata'])
  expect((await reports.view()).reports.map(({ at }) => (NOW - at) / DAY)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('crash reports are added to a support report only on request', async () => {
  const { reports, crash } = open()
  crash('of a name.dmp', 1, 'newest')
  crash('b.dmp', 2, 'older')
  const report = { id: 'r', files: [{ name: 'summary.txt', text: 'Countersign' }] }
  expect(Object.keys(unzipSync(zipReport(report)))).toEqual(['summary.txt'])
  const unzipped = unzipSync(zipReport(report, await reports.files()))
  expect(Object.entries(unzipped).map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['summary.txt', 'Countersign'],
    ['crash 1.dmp', 'newest'],
    ['crash 2.dmp', 'older']
  ])
})

test('a missing folder has no crash reports', async () => {
  const { folder } = open()
  const reports = openCrashReports({
    folder: join(folder, 'gone'),
    time: { now: () => NOW },
    settings: { read: () => ({}) as Settings, change: () => ({ saved: true }) }
  })
  await reports.tidy()
  expect([await reports.view(), await reports.files()]).toEqual([{ isKept: false, reports: [] }, []])
})
