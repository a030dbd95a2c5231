/** A package proven not to have arrived may still appear later: a proof expires, and an attempt is never forgotten. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { forms } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const MINUTE = 60_000

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
  work.outbox.configure(work.accountId, { undoSeconds: 0 })
})
afterEach(() => work.close())

const isSend = (method: string) => method === 'POST'
const get = (id: string) => work.parts.outbox.get(id)
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
const aMoment = () => new Promise((resume) => setTimeout(resume, 50))
async function minutes(count: number) {
  for (let minute = 0; minute < count; minute++) {
    await work.time.pass(SECOND_CHECK_AFTER + 10)
    await aMoment()
  }
}
async function sendThatDidNotArrive() {
  work.line.setFault('cut', isSend)
  const send = await work.send(forms())
  work.line.setFault('pass')
  return send
}

test.each([
  ['its outbox was paused', () => undefined],
  ['the application was restarted', () => void work.restart()],
  ['the computer slept', () => work.outbox.resumed()]
])('a proof that is hours old is checked again after %s', async (_, happens) => {
  const { id } = await sendThatDidNotArrive()
  work.outbox.pause(work.accountId)
  await minutes(2)
  await expect.poll(() => get(id).state).toBe('ready')
  await work.time.pass(12 * 60 * MINUTE)
  happens()
  work.parts.outbox.resume(work.accountId)
  await expect.poll(() => get(id).state).toBe('uncertain')
  await minutes(2)
  await expect.poll(() => get(id).state).toBe('not-sent')
  expect(posts()).toBe(1)
})

test('a package that wasn’t found, was retried and then undone is kept as cancelled', async () => {
  const { id } = await sendThatDidNotArrive()
  work.time.now += 31 * MINUTE
  await minutes(2)
  await expect.poll(() => get(id).state).toBe('not-sent')
  work.outbox.pause(work.accountId)
  work.outbox.retry(id)
  work.outbox.undo(id)
  expect(get(id).state).toBe('cancelled')
})

test('a package found late counts as sent, and its draft, changed in the meantime, is kept', async () => {
  work.line.setFault('lose-answer', isSend)
  work.line.spoil((body) => (body.startsWith('[') ? '[]' : body))
  const { id, draftId = '' } = await work.send(forms())
  work.time.now += 31 * MINUTE
  await minutes(2)
  await expect.poll(() => get(id).state).toBe('not-sent')
  work.drafts.save(work.accountId, forms({ embedded: true }), draftId)
  work.line.setFault('pass')
  work.line.spoil((body) => body)
  expect(await work.outbox.reconcile(id)).toMatchObject({ state: 'sent', documents: [{}] })
  expect(work.drafts.list([work.accountId]).rows).toMatchObject([{ id: draftId }])
  expect(posts()).toBe(1)
})

test('packages that are waiting, uncertain or being stored are counted over all accounts', async () => {
  await sendThatDidNotArrive()
  work.outbox.pause(work.accountId)
  work.outbox.enqueue(work.drafts.save(work.accountId, forms()).id)
  const rows = [{ row: 1, cells: [], composition: forms() }]
  const adding = work.outbox.addBatch({ accountId: work.accountId, name: 'B', columns: [], rows, leftOut: [] })
  expect(work.outbox.pending()).toEqual({ ready: 1, sending: 0, uncertain: 1, preparing: 1 })
  await work.outbox.stop(60_000)
  expect(work.outbox.pending()).toMatchObject({ ready: 2, preparing: 0 })
  expect(await adding).toMatchObject({ total: 1 })
})
