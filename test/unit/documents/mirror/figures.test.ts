/** The overview's figures before the index is loaded: read from disk, and always equal to what the index counts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentsInMemory, openDocuments } from '../../../../src/main/core/documents/mirror/database.ts'
import type { Db } from '../../../../src/main/core/storage/connection.ts'
import { DocumentQuery, IDENTITY_STATES, STATUS_FAMILIES } from '../../../../src/shared/contract/index.ts'
import { temporaryFolder } from '../../storage/folders.ts'
import { lease, someOffice, workerOffice } from '../worker-office.ts'

const accountId = 'office'
const key = { key: new Uint8Array(32).fill(7), isNew: false }
const some = { query: DocumentQuery.parse({}) }

/** The overview after a start: first from the stored figures, then from the index. */
async function overviews(db: Db, now: number) {
  const office = workerOffice(db)
  const moment = { accountId, now, zone: 'Pacific/Auckland' }
  const order: string[] = []
  const note = (name: string) => () => void order.push(name)
  const counted = office.ask('counts', { ...moment, queries: [] }).then(note('index'))
  const stored = await office.ask('overview', { ...moment, stuckDays: 2 })
  note('kept')()
  await counted
  return { stored, index: await office.ask('overview', { ...moment, stuckDays: 2 }), order }
}

test('the figures are available before the index is', async () => {
  const office = workerOffice()
  await office.read('Progress', someOffice(1, 3000))
  const { stored, index, order } = await overviews(office.db, office.clock())
  expect(order).toEqual(['kept', 'index'])
  expect(stored).toEqual(index)
  expect(stored.states.reduce((sum, { count }) => sum + count, 0)).toBe(3000)
})

const step = fc.oneof(
  fc.record({ what: fc.constantFrom('look', 'look elsewhere', 'answer of ours'), round: fc.nat(9) }),
  fc.record({ what: fc.constantFrom('read', 'unread', 'gone', 'renamed', 'other service', 'erased', 'failed write') })
)

test('the stored figures equal the index’s counts after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const office = workerOffice()
      await office.read('Progress', someOffice(0, 12))
      for (const { what, ...more } of steps) {
        const round = 'round' in more ? more.round : 0
        const moment = { accountId, now: office.tick(), zone: 'UTC' }
        if (what === 'look') await office.read('Progress', someOffice(round, 12))
        if (what === 'look elsewhere') await office.read('Signed', someOffice(round, 3))
        if (what === 'answer of ours')
          await office.acts(lease('of ours', { Status: round < 5 ? 'Complete' : 'Declined' }))
        if (what === 'read' || what === 'unread')
          await office.ask('markRead', { ...moment, some, read: what === 'read' })
        if (what === 'gone') await office.ask('markGone', { accountId, since: office.tick(), now: office.tick() })
        if (what === 'renamed')
          await office.ask('foldersChanged', { accountId, folders: ['PROGRESS', 'Signed'], isOtherService: false })
        if (what === 'other service')
          await office.ask('foldersChanged', { accountId, folders: ['Progress'], isOtherService: true })
        if (what === 'erased') await office.ask('erase', { accountId })
        if (what === 'failed write') {
          office.db.exec(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON changes BEGIN SELECT RAISE(ABORT, 'disk full'); END"
          )
          await office.read('Progress', someOffice(10, 12)).catch(() => undefined)
          office.db.exec('DROP TRIGGER full')
        }
      }
      const { stored, index } = await overviews(office.db, office.tick())
      expect(stored).toEqual(index)
    }),
    { numRuns: 60 }
  )
})

test('a file without figures, or with older ones, is counted by the index, which then stores them', async () => {
  for (const older of ['', JSON.stringify([STATUS_FAMILIES.toReversed(), IDENTITY_STATES])]) {
    const office = workerOffice()
    await office.read('Progress', someOffice(1, 500))
    office.db.exec('UPDATE figures SET family = 0, flags = 0')
    office.db.prepare('UPDATE mirror SET figures = ?').run(older)
    const first = await overviews(office.db, office.clock())
    expect(first.stored).toEqual(first.index)
    office.db.prepare('DELETE FROM index_rows').run()
    const second = await overviews(office.db, office.clock())
    expect(second.stored).toEqual(first.index)
  }
})

test('a removed account is forgotten before the index is loaded, and isn’t in it', async () => {
  const office = workerOffice()
  await office.read('Progress', someOffice(1, 600))
  await office.read('Progress', someOffice(1, 600), { accountId: 'left' })
  office.startAgain()
  const pruned = office.ask('keepOnly', { accountIds: [accountId] })
  expect(await office.counts('left')).toMatchObject({ folders: {} })
  await pruned
  expect(await office.counts()).toMatchObject({ folders: { Progress: 600 } })
  office.startAgain()
  expect(await office.counts('left')).toMatchObject({ folders: {} })
})

/** Starts a process that takes over one answer after another, and kills it right after it reports the n-th. */
async function readAndKill(folder: string, from: number, killAfter: number): Promise<number> {
  const program = fileURLToPath(new URL('reading-until-killed.ts', import.meta.url))
  const child = spawn(process.execPath, [program, folder, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let result = from
  for await (const line of createInterface({ input: child.stdout })) {
    result = Number(line)
    // It is now taking over the next one.
    if (result >= from + killAfter) child.kill('SIGKILL')
  }
  expect((await ended)[1]).toBe('SIGKILL')
  return result + 1
}

test('an application killed while reading counts the documents as stored', async () => {
  const folder = temporaryFolder()
  let round = 0
  for (const killAfter of [0, 2, 5]) {
    round = await readAndKill(folder, round, killAfter)
    const { db, state } = await openDocuments({ folder, key, time: Date })
    const { stored, index } = await overviews(db, Date.parse('2026-11-25T00:00:00Z'))
    db.close()
    expect(state).toBe('file')
    expect(stored).toEqual(index)
    expect(stored.states.reduce((sum, { count }) => sum + count, 0)).toBe(400)
  }
}, 60_000)

test('without documents there is nothing to wait for', async () => {
  const { stored, index } = await overviews(documentsInMemory(), 0)
  expect(stored).toEqual(index)
})
