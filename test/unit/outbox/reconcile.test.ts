/** A send whose answer was lost: its result is found out automatically, before anything is sent again. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdPendingWork } from '../../../src/main/core/backup/restore.ts'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const MINUTE = 60_000

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

const isSend = (method: string) => method === 'POST'
const get = (id: string) => work.parts.outbox.get(id)
const checks = () => work.line.requests.filter((request) => request.includes('GetActiveDocuments/InBox')).length
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length

/** A send that didn't arrive, without the application knowing. */
async function sendThatDidNotArrive(composition = forms()) {
  work.line.setFault('cut', isSend)
  const send = await work.send(composition)
  work.line.setFault('pass')
  return send
}
/** Waits until the due check is done, the first of this run, and its verdict on that send is known. */
async function whenChecked(id: string, times = 1) {
  await expect.poll(() => get(id).error?.message).toContain('checks again in a minute')
  expect(checks()).toBe(times)
  expect(work.line.requests.filter((request) => request.includes('GetActiveDocuments'))).toHaveLength(3 * times)
}

/** Returns the state after another minute, in which a check may fall due. */
async function afterMinute(id: string) {
  await work.time.pass(SECOND_CHECK_AFTER + 10)
  return get(id).state
}

describe('a send whose answer was lost', () => {
  test('is uncertain, then found in the folders automatically, and isn’t sent twice', async () => {
    work.line.setFault('lose-answer', isSend)
    const lost = await work.send(forms())
    expect(['uncertain', 'sent']).toContain(lost.state)
    await expect.poll(() => get(lost.id).state).toBe('sent')
    expect(get(lost.id).documents).toHaveLength(1)
    expect(get(lost.id).packageReference).toBeTruthy()
    expect(get(lost.id).error).toBeUndefined()
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(0)
    await work.time.pass(10 * MINUTE)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
    // The folders showed it before it was known to be ours.
    const { unread } = await work.ask('counts', { accountId: work.accountId, queries: [], now: 0, zone: 'UTC' })
    expect(unread).toBe(0)
    const changes = await work.ask('changesAfter', { after: 0, limit: 100 })
    expect(changes.filter(({ isOwn }) => !isOwn)).toEqual([])
  })

  test('isn’t sent again while the folders can’t be read, and shows the time of the next check', async () => {
    work.line.setFault('lose-answer')
    const { id } = await work.send(forms())
    work.line.setFault('rubbish')
    await expect
      .poll(async () => {
        await work.time.pass(MINUTE)
        return checks()
      })
      .toBeGreaterThan(3)
    expect(get(id)).toMatchObject({ state: 'uncertain', error: { code: 'timeout', mayHaveArrived: true } })
    expect(get(id).nextLookAt).toBeGreaterThan(work.time.now - MINUTE)
    expect(posts()).toBe(1)
    await expect(work.outbox.reconcile(id)).rejects.toMatchObject({ code: 'not-json' })
  })

  test('is found immediately when online again', async () => {
    work.line.setFault('lose-answer')
    const { id } = await work.send(forms())
    work.line.setFault('rubbish')
    await expect(work.outbox.reconcile(id)).rejects.toThrow()
    work.line.setFault('pass')
    work.outbox.connectionChanged()
    await expect.poll(() => get(id).state).toBe('sent')
  })
})

describe('a send that did not arrive', () => {
  test('is retried automatically after two checks a minute apart, with its request and mark unchanged', async () => {
    const lost = await sendThatDidNotArrive()
    await whenChecked(lost.id)
    expect(get(lost.id)).toMatchObject({
      state: 'uncertain',
      error: { message: expect.stringContaining('checks again in a minute') }
    })
    expect((get(lost.id).nextLookAt ?? 0) - work.time.now).toBeLessThanOrEqual(SECOND_CHECK_AFTER)
    await work.time.pass(SECOND_CHECK_AFTER - 1_000)
    expect(get(lost.id).state).toBe('uncertain')
    expect(checks()).toBe(1)
    await work.time.pass(2_000)
    await expect.poll(() => get(lost.id).state).toBe('sent')
    expect(get(lost.id).attempt).toBe(2)
    expect(work.receivedRequests('SendForms2')).toMatchObject([
      { body: { Forms: [{ ClientReference: `cs-${lost.id}-1` }] } }
    ])
  })

  test('isn’t retried earlier when a person asks for more checks', async () => {
    const { id } = await sendThatDidNotArrive()
    await whenChecked(id)
    await work.outbox.reconcile(id)
    await work.time.pass(30_000)
    expect(await work.outbox.reconcile(id)).toMatchObject({ state: 'uncertain' })
    work.time.now += 10 * MINUTE
    expect(await work.outbox.reconcile(id)).toMatchObject({ state: 'uncertain' })
    expect(posts()).toBe(1)
  })

  test('needs two checks after a restart, not counting earlier ones', async () => {
    const { id } = await sendThatDidNotArrive()
    await whenChecked(id)
    await work.time.pass(50_000)
    work.restart()
    await whenChecked(id, 2)
    expect(get(id).state).toBe('uncertain')
    await work.time.pass(50_000)
    expect(get(id).state).toBe('uncertain')
    await work.time.pass(11_000)
    await expect.poll(() => get(id).state).toBe('sent')
  })

  test.each([
    ['attempted more than half an hour ago', 31 * MINUTE],
    ['with an attempt in the future, as the clock was set back,', -31 * MINUTE]
  ])('one %s waits for a person to decide', async (_, jump) => {
    const { id, draftId } = await sendThatDidNotArrive()
    await whenChecked(id)
    work.time.now += jump
    await work.time.pass(SECOND_CHECK_AFTER + 10)
    await expect.poll(() => get(id).state).toBe('not-sent')
    expect(get(id).error?.message).toContain('may have removed it')
    await work.time.pass(60 * MINUTE)
    expect(posts()).toBe(1)
    expect(work.drafts.list([work.accountId]).rows).toMatchObject([{ id: draftId }])

    // It may have turned up in that hour, so the folders are checked once more; then it is sent, however old it is.
    work.outbox.retry(id)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'uncertain' })
    expect(posts()).toBe(1)
    await expect.poll(() => afterMinute(id)).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('isn’t sent a fourth time automatically', async () => {
    work.line.setFault('cut', isSend)
    const { id } = await work.send(forms())
    await expect.poll(() => afterMinute(id)).toBe('not-sent')
    await work.time.pass(10 * MINUTE)
    expect(posts()).toBe(3)
  })

  test('isn’t retried while a document is unreadable, which doesn’t keep other sends from being found', async () => {
    work.line.spoil((body) => (body.startsWith('[') ? JSON.stringify([{ Reference: {} }, ...JSON.parse(body)]) : body))
    const { id } = await sendThatDidNotArrive()
    await expect.poll(checks).toBeGreaterThan(0)
    await expect(work.outbox.reconcile(id)).rejects.toMatchObject({ appError: { code: 'unexpected-shape' } })
    await work.time.pass(5 * MINUTE)
    expect(get(id).state).toBe('uncertain')
    expect(posts()).toBe(1)

    work.line.setFault('lose-answer', isSend)
    const arrived = await work.send(forms({ items: [form({ Name: 'Another' })] }))
    await work.time.pass(MINUTE)
    await expect.poll(() => get(arrived.id).state).toBe('sent')
  })
})

describe('a send whose account names a folder that the service doesn’t have', () => {
  const useFolders = (folders: string[]) => work.parts.accounts.update(work.accountId, { folders })
  /** Lets minutes pass until a person is asked about a send. */
  const whenAsked = (id: string) =>
    expect
      .poll(
        async () => {
          await work.time.pass(MINUTE)
          return get(id).ambiguity
        },
        { timeout: 20_000 }
      )
      .toMatchObject({ found: [], missingFolders: ['Archive'] })

  /** Lets minutes pass until a look lacked the folder, and nobody was asked yet. */
  const whenMissed = async (id: string) => {
    await expect
      .poll(async () => (await afterMinute(id)) && get(id).error?.code, { timeout: 20_000 })
      .toBe('incomplete')
    expect(get(id).ambiguity).toBeUndefined()
  }

  test('is put to a person, who can say that it didn’t arrive', async () => {
    await useFolders(['InBox', 'Progress', 'Signed', 'Archive'])
    const { id, draftId } = await sendThatDidNotArrive()
    await whenAsked(id)
    expect(get(id)).toMatchObject({ state: 'uncertain', error: { code: 'incomplete', mayHaveArrived: true } })
    expect(await work.outbox.reconcile(id)).toMatchObject({ state: 'uncertain' })
    expect(await work.outbox.resolveAmbiguity(id, { arrived: false })).toMatchObject({ state: 'not-sent' })
    expect(work.outbox.toDraft(id)).toMatchObject({ id: draftId })
    expect(posts()).toBe(1)
  })

  test('isn’t put to a person again about the same folders, and leaves when they send it again', async () => {
    await useFolders(['InBox', 'Progress', 'Signed', 'Archive'])
    const { id } = await sendThatDidNotArrive()
    await whenAsked(id)
    await work.outbox.resolveAmbiguity(id, { arrived: false })
    work.outbox.retry(id)
    await expect.poll(() => afterMinute(id)).toBe('sent')
    expect(posts()).toBe(2)
  })

  test('isn’t sent again by itself if there is no answer again after that', async () => {
    await useFolders(['InBox', 'Progress', 'Signed', 'Archive'])
    const { id } = await sendThatDidNotArrive()
    await whenAsked(id)
    await work.outbox.resolveAmbiguity(id, { arrived: false })
    work.line.setFault('cut', isSend)
    work.outbox.retry(id)
    await expect.poll(() => afterMinute(id)).toBe('not-sent')
    await work.time.pass(5 * MINUTE)
    expect(posts()).toBe(2)
  })

  test('or that it arrived, without its documents', async () => {
    await useFolders(['InBox', 'Progress', 'Signed', 'Archive'])
    const { id } = await sendThatDidNotArrive()
    await whenAsked(id)
    expect(await work.outbox.resolveAmbiguity(id, { arrived: true, documents: [] })).toMatchObject({
      state: 'sent',
      documents: []
    })
    expect(posts()).toBe(1)
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(0)
  })

  // It used to be sent again by itself. But the folder may have been renamed at the service: without its name the folders
  // are complete and lack a package that did arrive.
  test.each([
    ['once a person was asked', whenAsked],
    ['before', whenMissed]
  ])('isn’t sent again by itself if that name is removed %s, and a person can send it again', async (_, isMissing) => {
    await useFolders(['InBox', 'Progress', 'Signed', 'Archive'])
    const { id } = await sendThatDidNotArrive()
    await isMissing(id)
    await useFolders(['InBox', 'Progress', 'Signed'])
    await expect.poll(() => afterMinute(id)).toBe('not-sent')
    for (let minute = 0; minute < 5; minute++) expect(await afterMinute(id)).toBe('not-sent')
    expect(get(id).ambiguity).toBeUndefined()
    expect(posts()).toBe(1)
    work.outbox.retry(id)
    await expect.poll(() => afterMinute(id)).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('is found in the other folders', async () => {
    await useFolders(['InBox', 'Progress', 'Signed', 'Archive'])
    work.line.setFault('lose-answer', isSend)
    const { id } = await work.send(forms())
    await expect.poll(() => afterMinute(id)).toBe('sent')
    expect(posts()).toBe(1)
  })
})

describe('a package that waited in a backup', () => {
  /** Starts with the data of a backup made so long ago, in which a package waited. */
  async function restored(madeBefore: number): Promise<string> {
    const { accountId, drafts, outbox, time } = work
    outbox.pause(accountId)
    const { id } = outbox.enqueue(drafts.save(accountId, forms()).id)
    await time.pass(MINUTE)
    holdPendingWork(work.parts.db, { now: time.now, madeAt: time.now - madeBefore })
    work.restart()
    await expect.poll(checks).toBe(1)
    await expect.poll(() => get(id).error?.message).toContain('checks again in a minute')
    await time.pass(SECOND_CHECK_AFTER + 10)
    await expect.poll(checks).toBe(2)
    return id
  }

  test('doesn’t leave again on resuming if the backup is old: its documents may have been removed since', async () => {
    const id = await restored(10 * 24 * 60 * MINUTE)
    await expect.poll(() => get(id).state).toBe('not-sent')
    work.parts.outbox.resume(work.accountId)
    await work.time.pass(10 * MINUTE)
    expect(posts()).toBe(0)
    // A person decides.
    work.parts.outbox.retry(id)
    await expect
      .poll(async () => {
        await work.time.pass(MINUTE)
        return get(id).state
      })
      .toBe('sent')
  })

  test('leaves on resuming if the backup was made just before', async () => {
    const id = await restored(5 * MINUTE)
    await expect.poll(() => get(id).state).toBe('ready')
    expect(posts()).toBe(0)
    work.parts.outbox.resume(work.accountId)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })
})

describe('a document that is nested extremely deeply', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)

  test('doesn’t keep the folders from being read and a send from being found', async () => {
    work.line.spoil((body) =>
      body.startsWith('[') ? `[{"Reference":"deep","Other":${deep}}${body === '[]' ? ']' : `,${body.slice(1)}`}` : body
    )
    work.line.setFault('lose-answer', isSend)
    const lost = await work.send(forms())
    await work.time.pass(MINUTE)
    await expect.poll(() => get(lost.id).state).toBe('sent')
    expect(posts()).toBe(1)
  })
})

describe('several uncertain sends', () => {
  test('share one check, and each is matched with its own package', async () => {
    work.outbox.configure(work.accountId, { concurrency: 4, undoSeconds: 0 })
    work.line.setFault('lose-answer', isSend)
    const ids = ['One', 'Two', 'Three', 'Four'].map(
      (Name) => work.outbox.enqueue(work.drafts.save(work.accountId, forms({ items: [form({ Name })] })).id).id
    )
    await expect.poll(() => ids.filter((id) => get(id).state === 'sent').length).toBe(4)
    expect(ids.flatMap((id) => get(id).documents)).toHaveLength(4)
    expect(new Set(ids.map((id) => get(id).packageReference)).size).toBe(4)
    expect(checks()).toBeLessThan(4)
  })
})

test('an answer that isn’t the service’s leaves the package uncertain', async () => {
  work.line.setFault('rubbish', isSend)
  const { id, state, error } = await work.send(forms())
  expect({ state, code: error?.code }).toEqual({ state: 'uncertain', code: 'not-json' })
  expect(get(id).state).toBe('uncertain')
})
