/** What an answer proves and what it doesn't: a package counts as sent, or as not sent, only if that is certain. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { outcomeOfAnswer } from '../../../src/main/core/outbox/attempts.ts'
import type { PackageResponse } from '../../../src/shared/model/index.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
  work.outbox.configure(work.accountId, { undoSeconds: 0 })
})
afterEach(() => work.close())

const isSend = (method: string) => method === 'POST'
const get = (id: string) => work.parts.outbox.get(id)
const posts = () => work.line.seen.filter((request) => request.startsWith('POST')).length
async function minutes(count: number) {
  for (let minute = 0; minute < count; minute++) {
    await work.time.pass(SECOND_CHECK_AFTER + 10)
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

describe('an answer of success', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['with a package’s reference', { PackageReference: 'p' }, 'accepted'],
    ['with its place in the queue', { QueueReference: 'q' }, 'accepted'],
    ['with a document', { Documents: [{ Reference: 'd' }] }, 'accepted'],
    ['with nothing', {}, 'uncertain'],
    ['with no document', { Documents: [] }, 'uncertain'],
    ['that names an error', { ResponseStatus: { ErrorCode: 'Busy' } }, 'uncertain'],
    ['that contradicts itself', { PackageReference: 'p', responsestatus: { errorcode: 'Busy' } }, 'uncertain'],
    ['with an empty status beside it', { PackageReference: 'p', ResponseStatus: { ErrorCode: '' } }, 'accepted']
  ])('%s', (_, response, kind) => {
    expect(outcomeOfAnswer(response as PackageResponse).kind).toBe(kind)
  })

  test('that names no package has what the service says beside it', () => {
    const said = { serviceMessage: 'Try again after six.' }
    expect(outcomeOfAnswer({}, said)).toMatchObject({ kind: 'uncertain', error: { ...said, mayHaveArrived: true } })
  })

  test('that says nothing does not make it sent, and its draft stays', async () => {
    work.line.setFault({ status: 200 }, isSend)
    const { id } = await work.send(forms())
    expect(get(id)).toMatchObject({ state: 'uncertain', error: { mayHaveArrived: true } })
    expect(work.receivedRequests('SendForms2')).toEqual([])
    work.line.setFault('pass')
    await minutes(2)
    await expect.poll(() => get(id).state).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })
})

test.each([406, 408])(
  '%i after a package was handed over leaves it uncertain, and it is never posted blindly',
  async (status) => {
    work.line.setFault({ status }, isSend)
    const { id } = await work.send(forms())
    expect(get(id)).toMatchObject({ state: 'uncertain', attempt: 1 })
    await minutes(12)
    expect(get(id).state).toBe('not-sent')
    expect(posts()).toBe(3)
  }
)

test('a refusal after an attempt that may have arrived proves nothing, until two looks do', async () => {
  work.line.setFault('cut', isSend)
  const { id } = await work.send(forms())
  work.line.setFault({ status: 409 }, isSend)
  await minutes(1)
  await expect.poll(posts).toBe(2)
  await expect.poll(() => get(id)).toMatchObject({ state: 'uncertain', attempt: 2, error: { mayHaveArrived: true } })
  await minutes(2)
  await expect.poll(() => get(id)).toMatchObject({ state: 'refused', error: { code: 'conflict' } })
  expect(posts()).toBe(2)
})

describe('an answer that the database does not take whole', () => {
  const deep = `{"Extra":${'['.repeat(1500)}${']'.repeat(1500)},`

  test('is kept without what is too much, and keeps nothing else from going', async () => {
    work.line.spoil((body) => body.replace(/^\{/, deep))
    const { id } = await work.send(forms())
    expect(get(id)).toMatchObject({ state: 'sent', documents: [{}], packageReference: expect.any(String) })
    const other = await work.send(forms({ items: [form({ Name: 'Another' })] }))
    expect(other.state).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(2)
  })
})
