/**
 * The status line for monitors: a judgement of what a run wrote to its file, without repeating anything that isn't of
 * the file's format.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  publishedStatusSchema,
  type StatusFacts,
  StatusFile,
  statusLine
} from '../../../src/main/core/support/status.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { temporaryFolder } from '../storage/folders.ts'

const PID = 4711
const FINE: StatusFacts = {
  version: '0.1.0',
  keychain: 'available',
  database: 'encrypted',
  troubles: [],
  accounts: [{ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', kind: 'service', signIn: 'bearer', state: 'online' }],
  sends: { waiting: 3, uncertain: 0 },
  lastBackup: null,
  policy: 'followed'
}
const [ACCOUNT] = FINE.accounts

async function written(change: Partial<StatusFacts> = {}, isOver = true) {
  const folder = temporaryFolder()
  const time = testTime()
  const file = new StatusFile({ folder, pid: PID, facts: () => ({ ...FINE, ...change }), time: time.run() })
  if (isOver) await file.end()
  else await file.whenWritten()
  return { folder, time, file }
}

function judged(folder: string, now: number, runs = true) {
  const { line, exitCode } = statusLine(folder, { now, isRunning: (pid) => runs && pid === PID })
  expect(line).not.toContain('\n')
  const status = JSON.parse(line)
  expect(z.fromJSONSchema(publishedStatusSchema() as never).safeParse(status).error).toBeUndefined()
  return { ...status, exitCode }
}

test('a healthy run reports all its facts, and so does one that has ended', async () => {
  const running = await written({}, false)
  const now = running.time.now
  expect(judged(running.folder, now)).toMatchObject({ health: 'ok', problems: [], running: true, exitCode: 0, ...FINE })
  const over = await written()
  expect(judged(over.folder, over.time.now, false)).toMatchObject({ health: 'ok', running: false, exitCode: 0 })
})

test.each<[string, Partial<StatusFacts>, string, number]>([
  ['a keychain that is locked', { keychain: 'locked' }, 'keychain-unavailable', 2],
  ['a database in memory', { database: 'memory', reason: 'key-missing' }, 'database-in-memory', 2],
  [
    'a file that was set aside',
    { troubles: [{ store: 'database', kind: 'set-aside', reason: 'damaged' }] },
    'file-trouble',
    1
  ],
  [
    'an account that is refused',
    { accounts: [{ ...ACCOUNT, state: 'refused', reason: 'unauthorised' }] as never },
    'account-refused',
    1
  ],
  [
    'an account that is offline',
    { accounts: [{ ...ACCOUNT, state: 'offline', reason: 'offline' }] as never },
    'account-offline',
    1
  ],
  ['a send in doubt', { sends: { waiting: 0, uncertain: 1 } }, 'sends-uncertain', 1],
  ['a policy that is broken', { policy: 'broken' }, 'policy-unusable', 1],
  ['a policy that is gone', { policy: 'missing' }, 'policy-unusable', 1]
])('%s is reported by a code and by the exit code', async (_what, change, problem, exitCode) => {
  const { folder, time } = await written(change, false)
  expect(judged(folder, time.now)).toMatchObject({ problems: [problem], exitCode })
})

test('while the data are locked this is reported, and nothing about accounts and packages', async () => {
  const folder = temporaryFolder()
  const time = testTime()
  const facts = () => ({ version: '0.1.0', keychain: 'locked', database: 'locked' }) as const
  const file = new StatusFile({ folder, pid: PID, facts, time: time.run() })
  await file.handOver()
  const { at: _at, ...status } = judged(folder, time.now)
  expect(status).toEqual({
    health: 'critical',
    problems: ['keychain-unavailable', 'data-locked'],
    running: true,
    exitCode: 2,
    ...facts()
  })
  await time.pass(600_000)
  expect(judged(folder, time.now)).toMatchObject({ problems: ['no-answer', 'keychain-unavailable', 'data-locked'] })
})

test('a run that stopped writing has no answer; one that is gone ended unexpectedly', async () => {
  const { folder, time } = await written({}, false)
  const later = time.now + 301_000
  expect(judged(folder, later)).toMatchObject({ problems: ['no-answer'], health: 'critical', exitCode: 2 })
  expect(judged(folder, later, false)).toMatchObject({ problems: ['ended-unexpectedly'], running: false, exitCode: 1 })
})

test('a connection problem of a run that has ended isn’t reported as current', async () => {
  const { folder, time } = await written({ accounts: [{ ...ACCOUNT, state: 'offline', reason: 'offline' }] as never })
  expect(judged(folder, time.now, false)).toMatchObject({ problems: [], exitCode: 0 })
})

test('the file is written each minute and soon after a change, readable only by its owner', async () => {
  const { folder, time, file } = await written({}, false)
  const startedAt = Date.parse(judged(folder, time.now).at)
  /** Seconds from the first time to the last. */
  const last = async () => {
    await file.whenWritten()
    return Math.floor((Date.parse(judged(folder, time.now).at) - startedAt) / 1000)
  }
  await time.pass(59_000)
  expect(await last()).toBe(0)
  await time.pass(1000)
  expect(await last()).toBe(60)
  await time.pass(6000)
  file.changed()
  expect(await last()).toBe(66)
  file.changed()
  expect(await last()).toBe(66)
  await time.pass(5000)
  expect(await last()).toBe(71)
  expect(readdirSync(folder)).toEqual(['status.json'])
  if (process.platform !== 'win32') expect(statSync(join(folder, 'status.json')).mode & 0o777).toBe(0o600)
  await file.end()
  await time.pass(600_000)
  expect(judged(folder, time.now, false)).toMatchObject({ running: false, exitCode: 0 })
})

test('a missing or foreign file is unknown, and nothing of it is repeated', async () => {
  const none = temporaryFolder()
  expect(judged(none, 0)).toEqual({
    health: 'unknown',
    problems: ['never-started'],
    running: false,
    at: null,
    exitCode: 3
  })
  const { folder, time } = await written()
  const text = readFileSync(join(folder, 'status.json'), 'utf8')
  for (const foreign of [
    '',
    '{',
    'null',
    text.replace('0.1.0', 'x'.repeat(100)),
    text.replace('"waiting"', '"Mere Tamati"'),
    ' '.repeat(300_000) + text
  ]) {
    writeFileSync(join(folder, 'status.json'), foreign)
    expect(judged(folder, time.now)).toMatchObject({ problems: ['unreadable'], at: null, exitCode: 3 })
  }
})
