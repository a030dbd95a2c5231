/**
 * The application ends at any step, or the disk is full when an answer has to be stored: nothing is lost or sent twice.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

const isSend = (method: string) => method === 'POST'
const get = (id: string) => work.parts.outbox.get(id)
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
const start = (composition = forms()) =>
  work.parts.outbox.enqueue(work.parts.drafts.save(work.accountId, composition).id)
const aMoment = () => new Promise((resume) => setTimeout(resume, 50))

describe('when the application ends', () => {
  test('during the undo period, the send still waits after the restart, and is sent once', async () => {
    const { id } = start()
    await work.time.pass(4_000)
    work.restart()
    expect(get(id)).toMatchObject({ state: 'ready', hold: 'undo' })
    expect(() => work.parts.drafts.remove(get(id).draftId ?? '')).toThrow()
    await work.time.pass(6_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('in mid-send and nothing arrived, the send is uncertain, and retried once that is confirmed', async () => {
    work.line.setFault('hang', isSend)
    const { id, draftId } = start()
    work.outbox.sendNow(id)
    await expect.poll(posts).toBe(1)
    work.restart()
    expect(get(id)).toMatchObject({ state: 'uncertain', draftId, attempt: 1, error: { mayHaveArrived: true } })
    expect(work.parts.drafts.list([work.accountId]).rows).toEqual([])
    expect(() => work.parts.outbox.enqueue(draftId ?? '')).toThrow()
    work.line.setFault('pass')
    await aMoment()
    expect(posts()).toBe(1)
    await work.time.pass(SECOND_CHECK_AFTER + 10)
    await expect.poll(() => get(id)).toMatchObject({ state: 'sent', attempt: 2 })
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('after the service accepted the send, it is found in the folders and not sent again', async () => {
    work.line.setFault('swallow-answer', isSend)
    const { id } = start()
    work.outbox.sendNow(id)
    await expect.poll(() => work.receivedRequests('SendForms2').length).toBe(1)
    work.restart()
    await expect.poll(() => get(id).state).toBe('sent')
    await work.time.pass(10 * SECOND_CHECK_AFTER)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('repeatedly while a send is uncertain, the send is still found', async () => {
    work.line.setFault('swallow-answer', isSend)
    const { id } = start()
    work.outbox.sendNow(id)
    await expect.poll(() => work.receivedRequests('SendForms2').length).toBe(1)
    for (let round = 0; round < 4; round++) work.restart()
    await expect.poll(() => get(id).state).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('normally, a send in progress may finish first, and no new one starts', async () => {
    work.outbox.configure(work.accountId, { concurrency: 1, undoSeconds: 0 })
    const first = start()
    await expect.poll(() => get(first.id).state).not.toBe('ready')
    const second = start()
    await work.outbox.stop(60_000)
    expect(get(first.id).state).toBe('sent')
    expect(get(second.id).state).toBe('ready')
    await aMoment()
    expect(posts()).toBe(1)
  })

  test('normally, but a send in progress takes too long, that send is uncertain at the next start', async () => {
    work.line.setFault('hang', isSend)
    const { id } = start()
    work.outbox.sendNow(id)
    await expect.poll(posts).toBe(1)
    const stopped = work.outbox.stop(3_000)
    await work.time.pass(3_000)
    await stopped
    work.restart()
    expect(get(id).state).toBe('uncertain')
  })
})

describe('when the disk is full', () => {
  /** Keeps the database from growing from now on. */
  const fill = () => void work.db.pragma(`max_page_count = ${work.db.pragma('page_count', { simple: true })}`)
  const makeRoom = () => void work.db.pragma('max_page_count = 1000000')
  const many = forms({
    embedded: true,
    items: [form({ signers: Array.from({ length: 60 }, (_, index) => signer({ key: `s${index}` })) })]
  })

  test('a package can’t be put in the outbox, the error says so, and the draft is kept', () => {
    const id = work.drafts.save(work.accountId, many).id
    fill()
    expect(() => work.outbox.enqueue(id)).toThrow(/full/)
    makeRoom()
    expect(work.drafts.get(id).composition).toEqual(many)
    expect(work.outbox.enqueue(id).state).toBe('ready')
  })

  test('an answer that can’t be stored is kept and stored later, and the package isn’t sent again', async () => {
    const { id } = start(many)
    fill()
    work.outbox.sendNow(id)
    await expect.poll(() => get(id).error?.code).toBe('no-space')
    expect(get(id).state).toBe('sending')
    await work.time.pass(120_000)
    expect(get(id).state).toBe('sending')
    makeRoom()
    await work.time.pass(61_000)
    await expect.poll(() => get(id).state).toBe('sent')
    expect(get(id).documents).toHaveLength(1)
    expect(get(id).error).toBeUndefined()
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('and the application ends before there is space, the send is found in the folders', async () => {
    const { id } = start(many)
    fill()
    work.outbox.sendNow(id)
    await expect.poll(() => get(id).error?.code).toBe('no-space')
    work.restart()
    expect(get(id).state).toBe('uncertain')
    await expect.poll(() => get(id).state).toBe('sent')
    await work.time.pass(10 * SECOND_CHECK_AFTER)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })
})
