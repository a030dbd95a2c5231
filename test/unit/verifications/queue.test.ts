/** When the queue sends requests: one at a time, with a pause between, and after a failure once the retry is due. */
import { expect, onTestFinished, test } from 'vitest'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { VerificationQueue } from '../../../src/main/core/verifications/verification-queue.ts'
import type { VerificationView } from '../../../src/shared/contract/index.ts'
import { testTime } from '../../fixtures/own-time.ts'

const HOUR = 3_600_000

function aQueue() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  db.exec(`INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
    VALUES ('a', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', '[]', 1, 0);
    INSERT INTO download_folders (id, path) VALUES ('f', '/srv');
    INSERT INTO download_rules (id, account_id, view_id, folder_id, types, pattern, writes_index, is_on, created_at, mirror, since_change)
    VALUES ('rule', 'a', 'v', 'f', '[]', '{document}', 0, 1, 1, 'm', 0), ('other', 'a', 'v', 'f', '[]', '{document}', 0, 1, 1, 'm', 0)`)
  const time = testTime()
  const verified: string[] = []
  let fails: AppFailure | undefined
  const queue = new VerificationQueue({
    db,
    time: time.run({ random: () => 0 }),
    changed: () => undefined,
    async verify(_accountId, reference, rule) {
      verified.push(reference)
      if (fails) throw fails
      rule?.inTransaction()
      return { id: reference } as VerificationView
    }
  })
  const add = (...references: string[]) => {
    for (const reference of references) queue.add({ accountId: 'a', reference, name: reference }, 'rule')
    queue.wake()
  }
  return {
    verified,
    add,
    queue,
    addFor(ruleId: string, reference: string) {
      queue.add({ accountId: 'a', reference, name: reference }, ruleId)
      queue.wake()
    },
    fail(error: AppFailure | undefined) {
      fails = error
    },
    async pass(milliseconds: number) {
      await time.pass(milliseconds)
      for (let turn = 0; turn < 20; turn++) await new Promise((resume) => setImmediate(resume))
    }
  }
}

test('there is a pause between two requests for an account', async () => {
  const { add, verified, pass, queue } = aQueue()
  queue.start()
  add('R1', 'R2', 'R3')
  await pass(1)
  expect(verified).toEqual(['R1'])
  await pass(400)
  expect(verified).toEqual(['R1'])
  await pass(100)
  expect(verified).toEqual(['R1', 'R2'])
  await pass(500)
  expect(verified).toEqual(['R1', 'R2', 'R3'])
  await pass(60_000)
  expect(verified).toHaveLength(3)
})

test('documents added before the queue opens wait until then', async () => {
  const { add, verified, pass, queue } = aQueue()
  add('R1')
  await pass(60_000)
  expect(verified).toEqual([])
  queue.start()
  await pass(1)
  expect(verified).toEqual(['R1'])
})

test('a service that asks us to wait gets that time, and then gets one request first', async () => {
  const { add, verified, fail, pass, queue } = aQueue()
  fail(new AppFailure({ code: 'rate-limited', message: 'Slow down.', retryAfterMs: 120_000 }))
  queue.start()
  add('R1', 'R2')
  await pass(60_000)
  // Being online again or choosing another account makes no difference either.
  queue.connectionChanged()
  await pass(59_000)
  expect(verified).toHaveLength(1)
  fail(undefined)
  await pass(1_000)
  expect(verified).toHaveLength(2)
  await pass(1_000)
  expect(new Set(verified)).toEqual(new Set(['R1', 'R2']))
  expect(queue.ofRule('rule')).toBeUndefined()
})

test('offline, retries become rarer, and happen immediately when online again', async () => {
  const { add, verified, fail, pass, queue } = aQueue()
  fail(new AppFailure({ code: 'offline', message: 'This computer is offline.' }))
  queue.start()
  add('R1')
  await pass(600_000)
  expect(verified.length).toBeLessThan(25)
  const before = verified.length
  fail(undefined)
  queue.connectionChanged()
  await pass(1_000)
  expect(verified).toHaveLength(before + 1)
})

test('a service that keeps failing is asked for a day, and then the document is given up', async () => {
  const { add, verified, fail, pass, queue } = aQueue()
  fail(new AppFailure({ code: 'server', message: 'The signing service had a problem.' }))
  queue.start()
  add('R1')
  await pass(23 * HOUR)
  expect(queue.ofRule('rule')).toMatchObject({ waiting: 1, failed: 0, problem: { code: 'server' } })
  await pass(2 * HOUR)
  expect(queue.ofRule('rule')).toMatchObject({ waiting: 0, failed: 1, problem: { code: 'server' } })
  const before = verified.length
  await pass(24 * HOUR)
  expect(verified).toHaveLength(before)
})

test('a document of two rules is tried and given up together for both', async () => {
  const { addFor, verified, fail, pass, queue } = aQueue()
  fail(new AppFailure({ code: 'server', message: 'The signing service had a problem.' }))
  queue.start()
  addFor('rule', 'R1')
  addFor('other', 'R1')
  await pass(1)
  await pass(4_000)
  expect(verified).toHaveLength(1)
  fail(new AppFailure({ code: 'not-found', message: 'There is no such document.' }))
  await pass(HOUR)
  expect(verified).toHaveLength(2)
  for (const id of ['rule', 'other']) expect(queue.ofRule(id)).toMatchObject({ waiting: 0, failed: 1 })
  fail(undefined)
  queue.retryFailed('other')
  await pass(1_000)
  expect(verified).toHaveLength(3)
  for (const id of ['rule', 'other']) expect(queue.ofRule(id)).toBeUndefined()
})
