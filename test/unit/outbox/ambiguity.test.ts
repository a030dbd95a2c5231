/** Packages that look alike and share a client reference: if nothing distinguishes them, a person decides. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
  work.outbox.configure(work.accountId, { undoSeconds: 0 })
})
afterEach(() => work.close())

const isSend = (method: string) => method === 'POST'
const lease = forms({ items: [form({ Name: 'Lease', ClientReference: 'MATTER-7' })] })
const get = (id: string) => work.parts.outbox.get(id)
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
async function minutes(count: number) {
  for (let minute = 0; minute < count; minute++) {
    await work.time.pass(SECOND_CHECK_AFTER + 10)
    await new Promise((resume) => setTimeout(resume, 40))
  }
}

/** The same lease sent twice by someone else, and once by us with an unknown result. */
async function doubtful() {
  for (let copy = 0; copy < 2; copy++) await work.send(lease)
  // As if another workstation had sent them, so this one has no record.
  work.db.exec('DELETE FROM sends')
  work.line.setFault('cut', isSend)
  const send = await work.send(lease)
  work.line.setFault('pass')
  await expect.poll(() => get(send.id).ambiguity?.found.length).toBe(2)
  return send
}

test('an ambiguity shows both sides without signing links, and is never retried automatically', async () => {
  const { id } = await doubtful()
  expect(get(id)).toMatchObject({
    state: 'uncertain',
    error: { mayHaveArrived: true },
    ambiguity: {
      sent: [{ name: 'Lease', signers: ['Mere Tamati <mere.tamati@example.com>'], clientReference: 'MATTER-7' }],
      found: [{ clientReference: 'MATTER-7', folder: expect.any(String) }, { begunAt: expect.any(Number) }]
    }
  })
  expect(JSON.stringify(get(id))).not.toMatch(/SigningKey|\/sign\//)
  await minutes(4)
  expect(get(id).state).toBe('uncertain')
  expect(get(id).nextLookAt).toBeUndefined()
  expect(posts()).toBe(3)
})

test('confirming that it arrived marks it as sent with the chosen document', async () => {
  const { id } = await doubtful()
  const [first] = get(id).ambiguity?.found ?? []
  await expect(work.outbox.resolveAmbiguity(id, { arrived: true, documents: ['made up'] })).rejects.toThrow()
  await expect(work.outbox.resolveAmbiguity(id, { arrived: true, documents: [] })).rejects.toThrow('invalid')
  const settled = await work.outbox.resolveAmbiguity(id, { arrived: true, documents: [first?.reference ?? ''] })
  expect(settled).toMatchObject({ state: 'sent', documents: [{ reference: first?.reference }] })
  expect(settled.packageReference).toBeTruthy()
  expect(settled.ambiguity).toBeUndefined()
  await expect(work.outbox.resolveAmbiguity(id, { arrived: false })).rejects.toThrow()
})

describe('when a person says that none of the documents shown is the package', () => {
  test('it is sent again only after two more checks, and is never matched with those documents', async () => {
    const { id } = await doubtful()
    expect(await work.outbox.resolveAmbiguity(id, { arrived: false })).toMatchObject({ state: 'not-sent' })
    await minutes(2)
    work.line.setFault('lose-answer', isSend)
    work.outbox.retry(id)
    await expect.poll(() => get(id).state).toBe('uncertain')
    expect(posts()).toBe(3)
    await minutes(2)
    await expect.poll(posts).toBe(4)
    await expect.poll(() => get(id).state).toBe('sent')
    expect(get(id).documents).toHaveLength(1)
  })

  test('it isn’t sent again if the first attempt’s document appears later', async () => {
    const { id } = await doubtful()
    const shown = get(id).ambiguity?.found.map(({ reference }) => reference)
    await work.outbox.resolveAmbiguity(id, { arrived: false })
    // The service was still working on it when the connection broke.
    const body = JSON.stringify(work.receivedRequests('SendForms2')[0]?.body)
    const headers = { 'content-type': 'application/json' }
    const late = await fetch(`${work.serviceUrl}/FormDirect/SendForms2`, { method: 'POST', headers, body })
    expect(late.status).toBe(200)
    work.outbox.retry(id)
    await minutes(1)
    await expect.poll(() => get(id).state).toBe('sent')
    expect(shown).not.toContain(get(id).documents[0]?.reference)
    expect(posts()).toBe(3)
  })
})

describe('two accounts with the same folders', () => {
  /** Sends the lease from a second account. */
  async function sentBySecond() {
    const { id: second } = await work.parts.accounts.add({
      kind: 'service',
      name: 'Second',
      baseUrl: work.line.url,
      authentication: { scheme: 'none' }
    })
    work.outbox.configure(second, { undoSeconds: 0 })
    return await work.whenEnded(work.outbox.enqueue(work.drafts.save(second, lease).id).id)
  }
  async function sentByFirstButCut() {
    work.line.setFault('cut', isSend)
    const send = await work.send(lease)
    work.line.setFault('pass')
    return send
  }

  test('what one has sent isn’t taken for a package of the other that never left', async () => {
    const theirs = await sentBySecond()
    expect(theirs.state).toBe('sent')
    const { id } = await sentByFirstButCut()
    await minutes(2)
    await expect.poll(() => get(id).state).toBe('sent')
    const [theirDocument, ours] = [theirs.id, id].map((one) => get(one).documents[0]?.reference)
    expect(ours).not.toBe(theirDocument)
    expect(work.receivedRequests('SendForms2')).toHaveLength(2)
  })

  test('if both have one in doubt, a person says whose the document is', async () => {
    work.line.setFault('lose-answer')
    const theirs = await sentBySecond()
    const { id } = await sentByFirstButCut()
    await minutes(2)
    await expect.poll(() => [id, theirs.id].map((one) => get(one).ambiguity?.found.length)).toEqual([1, 1])
    const documents = [get(id).ambiguity?.found[0]?.reference ?? '']
    await work.outbox.resolveAmbiguity(theirs.id, { arrived: true, documents })
    await expect(work.outbox.resolveAmbiguity(id, { arrived: true, documents })).rejects.toThrow('conflict')
  })

  test('a document of the other’s package can’t be chosen right after a start either', async () => {
    work.line.setFault('lose-answer')
    const theirs = await sentBySecond()
    const { id } = await sentByFirstButCut()
    await minutes(2)
    await expect.poll(() => [id, theirs.id].map((one) => get(one).ambiguity?.found.length)).toEqual([1, 1])
    const documents = [get(id).ambiguity?.found[0]?.reference ?? '']
    await work.outbox.resolveAmbiguity(theirs.id, { arrived: true, documents })
    // No folder has been read since.
    work.line.setFault('cut')
    work.restart()
    await expect(work.parts.outbox.resolveAmbiguity(id, { arrived: true, documents })).rejects.toThrow('conflict')
    expect(get(id).state).toBe('uncertain')
  })
})

describe('two identical packages with one client reference', () => {
  test('when one arrived without an answer, a person says which, and the other is sent automatically', async () => {
    work.line.setFault('rubbish', isSend)
    const first = await work.send(lease)
    work.line.setFault('lose-answer')
    const sending = work.send(lease)
    await work.time.pass(1_100)
    const second = await sending
    work.line.setFault('pass')
    await minutes(2)
    await expect.poll(() => [first, second].map(({ id }) => get(id).ambiguity?.found.length)).toEqual([1, 1])
    await minutes(3)
    expect(posts()).toBe(2)

    const reference = get(second.id).ambiguity?.found[0]?.reference ?? ''
    await work.outbox.resolveAmbiguity(second.id, { arrived: true, documents: [reference] })
    // One document can't belong to two packages.
    await expect(work.outbox.resolveAmbiguity(first.id, { arrived: true, documents: [reference] })).rejects.toThrow(
      'conflict'
    )
    expect(get(first.id).state).toBe('uncertain')
    await minutes(3)
    await expect.poll(() => get(first.id).state).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(2)
    expect(get(first.id).documents[0]?.reference).not.toBe(reference)
  })

  test.each([
    ['by its package', (body: string) => body],
    [
      'by its reference alone',
      (body: string) =>
        JSON.stringify(JSON.parse(body, (name, value) => (name === 'PackageReference' ? undefined : value)))
    ]
  ])('a document known %s is never matched with the other package', async (_, spoil) => {
    work.line.spoil(spoil)
    await work.send(lease)
    work.line.setFault('cut', isSend)
    const lost = await work.send(lease)
    work.line.setFault('pass')
    await minutes(2)
    await expect.poll(() => get(lost.id).state).toBe('sent')
    expect(work.receivedRequests('SendForms2')).toHaveLength(2)
  })
})

test('possible matches that have since disappeared prove nothing', async () => {
  const { id } = await doubtful()
  for (const reference of Object.keys(work.practice.state.documents)) delete work.practice.state.documents[reference]
  await work.outbox.reconcile(id)
  await minutes(3)
  expect(get(id)).toMatchObject({ state: 'uncertain', ambiguity: { found: [{}, {}] } })
  expect(posts()).toBe(3)
})
