// Three workstations of one office with the same rule: in a folder that they share one of them saves each file,
// whatever happens to it; in folders of their own each of them does.
import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { openPools } from '../fixtures/acting-workstations.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { openPdfServer, type PdfServer, pdfOf, sendPdf } from '../fixtures/pdf-server.ts'
import {
  newReferences,
  openSavingWorkstation,
  type SavingWorkstation,
  sharedFolder
} from '../fixtures/saving-workstations.ts'

const NAMES = ['Counter 1', 'Counter 2', 'Counter 3']
let office: TestOffice
let pools: Pool[]
let officeId: string
let server: PdfServer
let share: ReturnType<typeof sharedFolder>
let workstations: SavingWorkstation[]

beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  pools = await openPools(office, NAMES)
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))
beforeEach(async () => {
  const [pool] = pools
  if (!pool) throw new Error('There are no lines.')
  const store = openOfficeSends({ pool, key: office.key, time: { elapsed: () => performance.now() } })
  officeId = await store.account(randomUUID(), { concurrency: 1, perMinute: null })
  let count = 0
  // A report is different each time it is made.
  server = await openPdfServer((reference, response) => sendPdf(reference, response, pdfOf(`${reference} ${count++}`)))
  share = sharedFolder()
  workstations = []
})
afterEach(async () => {
  for (const one of workstations) one.close()
  await server.close()
  share.remove()
})

const workstation = (index: number) => workstations[index] ?? expect.fail('There is no such workstation.')
async function open(count: number, files: string | undefined = share.path, pattern?: string) {
  for (let index = 0; index < count; index++) {
    const pool = pools[index] ?? expect.fail('There is no such line.')
    const sign = randomBytes(4).toString('hex')
    workstations.push(
      await openSavingWorkstation({
        office,
        pool,
        officeId,
        server,
        sign,
        ...(files && { files }),
        ...(pattern && { pattern })
      })
    )
  }
}
const completes = (references: readonly string[], at: readonly SavingWorkstation[] = workstations) =>
  Promise.all(at.map((one) => one.completeDocuments(references)))
/** Notifies all workstations and lets time pass until the value is as wanted. */
const becomes = (read: () => unknown, expected: unknown, at: readonly SavingWorkstation[] = workstations) =>
  expect
    .poll(
      async () => {
        for (const one of at) await one.pass(5_000)
        return read()
      },
      { timeout: 60_000, interval: 20 }
    )
    .toEqual(expected)
const expire = () => office.sql(`UPDATE office.task SET until = now() - interval '1 ms' WHERE account = $1`, [officeId])
const tasks = () => office.sql<{ state: string }>('SELECT state FROM office.task WHERE account = $1', [officeId])
const named = (references: readonly string[]) => references.map((one) => `Lease ${one}.identity.pdf`).sort()
const done = (count: number) => Array.from({ length: count }, () => 'done')
/** Holds back the service's answers to requests from now on, until the returned function is called. */
function stalled(): () => void {
  const gate = Promise.withResolvers<void>()
  const { answer } = server
  server.answer = async (...args) => {
    await gate.promise
    await answer(...args)
  }
  return () => {
    server.answer = answer
    gate.resolve()
  }
}

describe('saving into a shared folder', () => {
  test('saves each file at one of three, and the others know at which', async () => {
    await open(3)
    const references = newReferences(8)
    await completes(references)
    await becomes(
      () => workstations.map((one) => one.states()),
      workstations.map(() => done(8))
    )
    expect(share.names()).toEqual(named(references))
    expect(server.requested.sort()).toEqual([...references].sort())
    // Only one audit trail says that it was saved.
    expect(workstations.flatMap((one) => one.auditedReferences()).sort()).toEqual([...references].sort())
    for (const reference of references) {
      const its = workstations.map((one) => one.list().find(({ documentReference }) => documentReference === reference))
      const at = its.findIndex((one) => one?.workstation === undefined)
      expect(new Set(its.map((one) => `${one?.fileName} ${one?.sha256}`)).size).toBe(1)
      expect(its.filter((one) => one?.workstation === NAMES[at])).toHaveLength(2)
    }
    const before = server.requested.length
    expect(await workstation(0).its.downloads.check(workstation(0).accountId)).toMatchObject({
      missing: [],
      altered: []
    })
    expect(server.requested).toHaveLength(before)
  })

  test('continues elsewhere when one is killed during a download, and leaves no partial file', async () => {
    await open(2)
    const go = stalled()
    const [reference = ''] = newReferences(1)
    await completes([reference], [workstation(0)])
    await becomes(() => server.requested.length, 1)
    await completes([reference], [workstation(1)])
    await expect.poll(() => workstation(1).list()[0]?.error?.message).toBe('Counter 1 is saving this file.')
    workstation(0).kill()
    await expire()
    go()
    await becomes(() => workstation(1).states(), ['done'], [workstation(1)])
    expect(share.names()).toEqual(named([reference]))
    expect(workstation(1).auditedReferences()).toEqual([reference])
    await workstation(0).startAgain()
    await becomes(
      () =>
        workstation(0)
          .list()
          .map((one) => [one.state, one.workstation]),
      [['done', 'Counter 2']]
    )
    expect(share.names()).toEqual(named([reference]))
  })

  test.each([
    ['before it has named the file', false],
    ['after it has named the file', true]
  ])('leaves exactly one file when a workstation is killed %s', async (_when, isNamed) => {
    await open(2)
    const [reference = ''] = newReferences(1)
    // It reports which file it will be, and nothing after that.
    let isReported = false
    workstation(0).setFate((name, [, , , , , sealed]) => {
      if (name === 'finish_task') return 'gone'
      isReported ||= sealed !== null
      return isReported && !isNamed ? 'hangs' : undefined
    })
    await completes([reference], [workstation(0)])
    await becomes(() => (isNamed ? share.names().length > 0 : isReported), true, [workstation(0)])
    workstation(0).kill()
    await completes([reference], [workstation(1)])
    await expire()
    await becomes(() => workstation(1).states(), ['done'], [workstation(1)])
    expect(share.names()).toEqual(named([reference]))
    expect(server.requested).toHaveLength(isNamed ? 1 : 2)
    await workstation(0).startAgain()
    workstation(0).resetFate()
    await becomes(() => workstation(0).states(), ['done'])
    expect(share.names()).toEqual(named([reference]))
  })

  test('discards a download whose claim was lost meanwhile', async () => {
    await open(2)
    const go = stalled()
    const [reference = ''] = newReferences(1)
    await completes([reference], [workstation(0)])
    await becomes(() => server.requested.length, 1, [])
    // While asleep it renews nothing.
    await expire()
    const slow = go
    server.answer = (its, response) => sendPdf(its, response, pdfOf(`${its} quick`))
    await completes([reference], [workstation(1)])
    await becomes(() => workstation(1).states(), ['done'], [workstation(1)])
    const saved = share.read(named([reference])[0] ?? '')
    slow()
    await becomes(
      () =>
        workstation(0)
          .list()
          .map((one) => [one.state, one.workstation]),
      [['done', 'Counter 2']]
    )
    expect(share.names()).toEqual(named([reference]))
    expect(share.read(named([reference])[0] ?? '')).toEqual(saved)
  })

  test('renews the claim of a slow download', async () => {
    await open(2)
    const go = stalled()
    const references = newReferences(1)
    await completes(references, [workstation(0)])
    await becomes(() => server.requested.length, 1, [])
    await office.sql(`UPDATE office.task SET until = now() + interval '5 s' WHERE account = $1`, [officeId])
    const isRenewed = async () =>
      (
        await office.sql(`SELECT until > now() + interval '1 min' AS "is" FROM office.task WHERE account = $1`, [
          officeId
        ])
      )[0]
    await becomes(isRenewed, { is: true }, [workstation(0)])
    await completes(references, [workstation(1)])
    go()
    await becomes(() => workstations.map((one) => one.states()), [['done'], ['done']])
    expect(server.requested).toHaveLength(1)
  })

  test('continues at another immediately when it is paused at one', async () => {
    await open(2)
    const go = stalled()
    const references = newReferences(1)
    await completes(references, [workstation(0)])
    await becomes(() => server.requested.length, 1, [])
    await completes(references, [workstation(1)])
    await expect.poll(() => workstation(1).list()[0]?.error?.code).toBe('busy')
    const { its, accountId } = workstation(0)
    await its.downloads.pause(accountId)
    expect(await tasks()).toEqual([{ state: 'free' }])
    go()
    await becomes(() => workstation(1).states(), ['done'], [workstation(1)])
    its.downloads.resume(accountId)
    await becomes(
      () =>
        workstation(0)
          .list()
          .map((one) => one.workstation),
      ['Counter 2']
    )
    expect(share.names()).toEqual(named(references))
  })

  test('repeats a download that a person requests again, whichever workstation saved it', async () => {
    await open(2)
    const references = newReferences(1)
    await completes(references, [workstation(0)])
    await becomes(() => workstation(0).states(), ['done'])
    await completes(references, [workstation(1)])
    await becomes(() => workstation(1).list()[0]?.workstation, 'Counter 1')
    const { its, accountId } = workstation(1)
    // As if filed elsewhere by now.
    rmSync(join(share.path, named(references)[0] ?? ''))
    await its.downloads.retry(accountId, [workstation(1).list()[0]?.id ?? ''])
    await becomes(() => server.requested.length, 2)
    await becomes(
      () =>
        workstation(1)
          .list()
          .map((one) => [one.state, one.workstation]),
      [['done', undefined]]
    )
  })

  test('doesn’t repeat a download whose file name is no longer stored', async () => {
    await open(2)
    const references = newReferences(1)
    await completes(references, [workstation(0)])
    await becomes(() => tasks().then((all) => all[0]?.state), 'done')
    await office.sql(`UPDATE office.task SET reported_at = now() - interval '91 days' WHERE account = $1`, [officeId])
    await completes(newReferences(1), [workstation(0)])
    await becomes(
      async () =>
        await office.sql(
          'SELECT count(sealed)::integer AS names, count(*)::integer FROM office.task WHERE account = $1',
          [officeId]
        ),
      [{ names: 1, count: 2 }]
    )
    await completes(references, [workstation(1)])
    await becomes(() => workstation(1).states(), [])
    expect(server.requested).toHaveLength(2)
  })

  test.each(['x\n/../../secret.pdf', '../secret.pdf', 'a/./b.pdf', '/etc/passwd', 'a\\..\\b.pdf'])(
    'ignores a name from another workstation that leads out of the folder: %j',
    async (name) => {
      await open(1)
      workstation(0).disconnect()
      const references = newReferences(1)
      await completes(references)
      await becomes(() => workstation(0).states(), ['done'])
      workstation(0).its.db.prepare('UPDATE downloads SET file_name = ?').run(name)
      workstation(0).connect()
      await becomes(tasks, [{ state: 'done' }])
      // The second one opened here is a different workstation from the one before.
      await open(2)
      await completes(references, [workstation(2)])
      await becomes(() => workstation(2).states(), [])
    }
  )

  test('treats another naming pattern as another rule', async () => {
    await open(1)
    await open(1, share.path, '{reference}')
    const [reference = ''] = newReferences(1)
    await completes([reference])
    await becomes(() => share.names(), [`Lease ${reference}.identity.pdf`, `${reference}.identity.pdf`])
  })
})

describe('while the office’s server is unreachable', () => {
  test('files that others may save, too, wait, and are saved once', async () => {
    await open(2)
    await completes(newReferences(1))
    await becomes(() => workstations.map((one) => one.states()), [['done'], ['done']])
    for (const one of workstations) one.disconnect()
    const references = newReferences(3)
    await completes(references)
    await becomes(
      () => workstations.map((one) => one.list().filter(({ error }) => error?.code === 'offline').length),
      [3, 3]
    )
    expect(server.requested).toHaveLength(1)
    for (const one of workstations) one.connect()
    await becomes(() => workstations.map((one) => one.states()), [done(4), done(4)])
    expect(server.requested).toHaveLength(4)
    expect(share.names()).toHaveLength(4)
  })

  test('a workstation that saves alone in its folder continues, and reports this later', async () => {
    await open(1)
    workstation(0).disconnect()
    const references = newReferences(2)
    await completes(references)
    await becomes(() => workstation(0).states(), done(2))
    expect(await tasks()).toEqual([])
    workstation(0).connect()
    await becomes(tasks, [{ state: 'done' }, { state: 'done' }])
    // The same holds for one that saves there from now on.
    await open(2)
    await completes(references, [workstation(2)])
    await becomes(
      () =>
        workstation(2)
          .list()
          .map((one) => one.workstation),
      ['Counter 1', 'Counter 1']
    )
    expect(share.names()).toEqual(named(references))
  })

  test('a file that another workstation found there and reported first stays its own for a second rule', async () => {
    server.answer = async (reference, response) => sendPdf(reference, response, pdfOf(reference))
    await open(1)
    const [reference = ''] = newReferences(1)
    const own = workstation(0)
    own.disconnect()
    await completes([reference], [own])
    await becomes(() => own.states(), ['done'])
    await open(2)
    const other = workstations.at(-1) ?? own
    await completes([reference], [other])
    await becomes(() => other.states(), ['done'], [other])
    expect(share.names()).toEqual(named([reference]))
    own.connect()
    const { rules } = own.its.downloads
    const [{ folder, types, pattern, writesIndex } = expect.fail()] = rules.list(own.accountId)
    await rules.add(own.accountId, { folderId: folder.id, types: [...types], pattern, writesIndex, alsoNow: true })
    await becomes(() => rules.list(own.accountId).map(({ fetched }) => fetched), [1, 1], [own])
    // Otherwise nobody would erase it once its time is over: the other one only found it.
    expect(own.list().map((one) => one.workstation)).toEqual([undefined])
  })

  test('a saved file is still reported when the application ends or the workstation leaves', async () => {
    await open(1)
    workstation(0).setFate((name) => (name === 'finish_task' ? 'gone' : undefined))
    await completes(newReferences(1))
    await becomes(() => workstation(0).states(), ['done'])
    expect(await tasks()).toEqual([{ state: 'open' }])
    workstation(0).resetFate()
    await workstation(0).leaves()
    expect(await tasks()).toEqual([{ state: 'done' }])
    workstation(0).setFate((name) => (name === 'finish_task' ? 'gone' : undefined))
    await completes(newReferences(1))
    await becomes(() => workstation(0).states(), ['done', 'done'])
    workstation(0).resetFate()
    await workstation(0).its.downloads.close(5_000)
    expect(await tasks()).toEqual([{ state: 'done' }, { state: 'done' }])
  })
})

test('a restored server is told again which files exist, before another workstation saves them', async () => {
  await open(2)
  const references = newReferences(2)
  await completes(references, [workstation(0)])
  await becomes(() => workstation(0).states(), done(2))
  await becomes(tasks, [{ state: 'done' }, { state: 'done' }])
  await office.sql('DELETE FROM office.task WHERE account = $1', [officeId])
  workstation(0).restoreServer()
  await becomes(tasks, [{ state: 'done' }, { state: 'done' }])
  workstation(1).restoreServer()
  await completes(references, [workstation(1)])
  await becomes(
    () =>
      workstation(1)
        .list()
        .map((one) => one.workstation),
    ['Counter 1', 'Counter 1']
  )
  expect(server.requested).toHaveLength(2)
})

describe('saving into separate folders', () => {
  test('saves each file at each workstation, even if the paths are equal', async () => {
    await open(2, '')
    const references = newReferences(2)
    await completes(references)
    await becomes(() => workstations.map((one) => one.states()), [done(2), done(2)])
    for (const one of workstations) {
      expect(
        readdirSync(one.files)
          .filter((name) => !name.startsWith('.'))
          .sort()
      ).toEqual(named(references))
    }
    expect(workstations.flatMap((one) => one.list().map((its) => its.workstation))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  test('gives a folder a new identifier if someone deleted the old one', async () => {
    await open(1)
    await completes(newReferences(1))
    await becomes(() => workstation(0).states(), ['done'])
    rmSync(join(share.path, '.countersign-office'), { recursive: true })
    await completes(newReferences(1))
    await becomes(() => workstation(0).states(), ['done', 'done'])
    expect(readdirSync(join(share.path, '.countersign-office'))).toHaveLength(2)
  })
})
