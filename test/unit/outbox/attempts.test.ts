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
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
async function minutes(count: number) {
  for (let minute = 0; minute < count; minute++) {
    await work.time.pass(SECOND_CHECK_AFTER + 10)
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

describe('a successful answer', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['with a package reference is accepted', { PackageReference: 'p' }, 'accepted'],
    ['with a queue reference is accepted', { QueueReference: 'q' }, 'accepted'],
    ['with a document is accepted', { Documents: [{ Reference: 'd' }] }, 'accepted'],
    ['with no content is uncertain', {}, 'uncertain'],
    ['with an empty list of documents is uncertain', { Documents: [] }, 'uncertain'],
    ['with an error code is uncertain', { ResponseStatus: { ErrorCode: 'Busy' } }, 'uncertain'],
    [
      'with both a package reference and an error code is uncertain',
      { PackageReference: 'p', responsestatus: { errorcode: 'Busy' } },
      'uncertain'
    ],
    [
      'with an empty error code beside the package reference is accepted',
      { PackageReference: 'p', ResponseStatus: { ErrorCode: '' } },
      'accepted'
    ]
  ])('%s', (_, response, kind) => {
    expect(outcomeOfAnswer(response as PackageResponse).kind).toBe(kind)
  })

  test('without a package keeps the service’s message', () => {
    const refusal = { serviceMessage: 'Try again after six.' }
    expect(outcomeOfAnswer({}, refusal)).toMatchObject({
      kind: 'uncertain',
      error: { ...refusal, mayHaveArrived: true }
    })
  })

  test('that is empty leaves the package uncertain until the folders have been checked', async () => {
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
  'a package answered with %i stays uncertain, and is posted again only after checks',
  async (status) => {
    work.line.setFault({ status }, isSend)
    const { id } = await work.send(forms())
    expect(get(id)).toMatchObject({ state: 'uncertain', attempt: 1 })
    await minutes(12)
    expect(get(id).state).toBe('not-sent')
    expect(posts()).toBe(3)
  }
)

test('a refusal after an uncertain attempt counts only once two checks have found nothing', async () => {
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

describe('an answer that is too deeply nested for the database', () => {
  const deep = `{"Extra":${'['.repeat(1500)}${']'.repeat(1500)},`

  test('is stored without the nested part, and the next package is sent', async () => {
    work.line.spoil((body) => body.replace(/^\{/, deep))
    const { id } = await work.send(forms())
    expect(get(id)).toMatchObject({ state: 'sent', documents: [{}], packageReference: expect.any(String) })
    const other = await work.send(forms({ items: [form({ Name: 'Another' })] }))
    expect(other.state).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(2)
  })
})
