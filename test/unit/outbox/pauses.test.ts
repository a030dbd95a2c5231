/**
 * How waiting packages react to a bad network, a service that asks us to wait, and one that refuses this account.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ServiceError } from '../../../src/main/core/service/errors.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
  work.outbox.configure(work.accountId, { undoSeconds: 0 })
})
afterEach(() => work.close())

const start = (Name = 'Lease') =>
  work.parts.outbox.enqueue(work.parts.drafts.save(work.accountId, forms({ items: [form({ Name })] })).id).id
const get = (id: string) => work.parts.outbox.get(id)
const box = () => work.parts.outbox.state(work.accountId)
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
/** Points the account at a port where nothing listens, as when the service or the network is down. */
const nowhere = async (baseUrl = 'http://127.0.0.1:9') => {
  await work.parts.accounts.update(work.accountId, { baseUrl })
  work.parts.clients.forget(work.accountId)
}

describe('without a connection', () => {
  test('a package waits, and is sent automatically once online again', async () => {
    await nowhere()
    const id = start()
    await expect.poll(() => box().pause).toMatchObject({ by: 'line', error: { code: 'refused' } })
    expect(get(id)).toMatchObject({ state: 'ready', hold: 'line', attempt: 0, error: { code: 'refused' } })
    expect(work.parts.drafts.list([work.accountId]).rows).toEqual([])

    await nowhere(work.line.url)
    work.outbox.connectionChanged()
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent', attempt: 1 })
    expect(box().pause).toBeUndefined()
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('sending is retried automatically after growing pauses, one package at a time', async () => {
    await nowhere()
    start('One')
    start('Two')
    const wait = () => (box().pause?.until ?? 0) - work.time.now
    const waits: number[] = []
    for (let round = 0; round < 6; round++) {
      await expect.poll(() => wait() > 100).toBe(true)
      waits.push(wait())
      await work.time.pass(wait() + 10)
    }
    expect(waits.map((wait) => Math.round(wait / 1000))).toEqual([5, 10, 20, 40, 60, 60])
    expect(box().counts).toMatchObject({ ready: 2, refused: 0, uncertain: 0 })
  })

  test('a network’s login page causes no refusal', async () => {
    work.line.setFault({ status: 307, headers: { location: 'http://login.example.com/' } })
    const id = start()
    await expect.poll(() => get(id).hold).toBe('line')
    work.line.setFault('pass')
    work.outbox.connectionChanged()
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('missing credentials hold packages back until they are entered', async () => {
    await work.accounts.update(work.accountId, { authentication: { scheme: 'bearer', token: 'made-up' } })
    await work.forgetSecrets()
    work.clients.forget(work.accountId)
    const id = start()
    await expect.poll(() => get(id)).toMatchObject({ state: 'ready', hold: 'paused', error: { code: 'keychain' } })
    expect(box().pause).toMatchObject({
      by: 'service',
      error: { next: expect.stringContaining('Enter it in Settings.') }
    })
    await work.time.pass(3_600_000)
    expect(box().pause?.until).toBeUndefined()
    expect(work.line.requests).toEqual([])
    await work.accounts.update(work.accountId, { authentication: { scheme: 'none' } })
    work.clients.forget(work.accountId)
    work.outbox.connectionChanged()
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('a new token that the keychain can’t take is waited for in the same way, not as a connection', async () => {
    const client = await work.clients.of(work.accountId)
    const error = new ServiceError({ code: 'keychain', operation: 'FormDirect/SendForms2', mayHaveArrived: false })
    const post = vi.spyOn(client, 'sendFormPackage').mockRejectedValue(error)
    const id = start()
    await expect.poll(() => get(id)).toMatchObject({ state: 'ready', hold: 'paused', error: { code: 'keychain' } })
    expect(box().pause).toMatchObject({ by: 'service', error: { next: expect.stringContaining('resume the Outbox') } })
    await work.time.pass(3_600_000)
    // The keychain would have asked each time.
    expect(post).toHaveBeenCalledOnce()
    post.mockRestore()
    work.outbox.resume(work.accountId)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('an unreachable account doesn’t stop another from sending', async () => {
    await nowhere()
    start()
    const other = await work.accounts.add({
      kind: 'service',
      name: 'Other office',
      baseUrl: work.line.url,
      authentication: { scheme: 'none' }
    })
    const { id } = work.outbox.enqueue(work.drafts.save(other.id, forms()).id)
    work.outbox.sendNow(id)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent', accountId: other.id })
  })

  test('a service that fails on every package isn’t sent all of them', async () => {
    work.line.setFault({ status: 500 }, (method) => method === 'POST')
    for (let index = 0; index < 10; index++) start(`Package ${index}`)
    await expect.poll(() => box().counts.uncertain).toBeGreaterThan(0)
    await work.time.pass(900)
    expect(posts()).toBeLessThanOrEqual(2)
    expect(box()).toMatchObject({ pause: { by: 'line' }, counts: { refused: 0 } })
  })
})

test.each([
  ['a network that requires a login', { status: 511 }],
  ['a service that asks us to wait', { status: 429, headers: { 'retry-after': '1' } }]
])('after 30 tries to post to %s, the outbox pauses until someone resumes it', async (_, fault) => {
  work.line.setFault(fault)
  const id = start()
  for (let minute = 0; minute < 45; minute++) {
    await work.time.pass(61_000)
    await new Promise((resume) => setTimeout(resume, 15))
  }
  await expect
    .poll(() => box().pause)
    .toMatchObject({ by: 'service', error: { message: expect.stringContaining('30 times') } })
  expect(get(id)).toMatchObject({ state: 'ready', hold: 'paused', attempt: 0 })
  expect(posts()).toBe(30)
})

test('a permanent redirect pauses the outbox, and the package waits', async () => {
  work.line.setFault({ status: 301, headers: { location: 'https://sign.example.com/' } })
  const id = start()
  await expect.poll(() => box().pause).toMatchObject({ by: 'service', error: { code: 'unsafe-address' } })
  expect(get(id)).toMatchObject({ state: 'ready', hold: 'paused' })
})

describe('a service that asks us to wait', () => {
  test('gets as long as it asks, and the package is sent afterwards', async () => {
    work.line.setFault({ status: 429, headers: { 'retry-after': '120' } })
    const id = start()
    await expect.poll(() => get(id)).toMatchObject({ state: 'ready', hold: 'rate-limited', attempt: 0 })
    expect(box().pause).toMatchObject({ by: 'service', error: { code: 'rate-limited' } })
    expect((box().pause?.until ?? 0) - work.time.now).toBeGreaterThan(118_000)
    work.line.setFault('pass')
    work.outbox.resume(work.accountId)
    work.outbox.connectionChanged()
    await work.time.pass(119_000)
    expect(posts()).toBe(1)
    await work.time.pass(1_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('gets half a minute if it doesn’t say how long', async () => {
    work.line.setFault({ status: 429 })
    const id = start()
    await expect.poll(() => get(id).hold).toBe('rate-limited')
    work.line.setFault('pass')
    await work.time.pass(29_000)
    expect(posts()).toBe(1)
    await work.time.pass(1_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })
})

describe('a refusal that would affect every package', () => {
  test.each([
    [402, 'payment-required'],
    [426, 'quota'],
    [401, 'unauthorised']
  ])('%i pauses the whole outbox with the reason, across a restart, until someone resumes it', async (status, code) => {
    work.line.setFault({ status })
    const id = start('One')
    await expect.poll(() => box().pause).toMatchObject({ by: 'service', error: { code } })
    const other = start('Two')
    expect(get(id)).toMatchObject({ state: 'ready', hold: 'paused', error: { code } })

    work.restart()
    work.line.setFault('pass')
    work.parts.outbox.connectionChanged()
    await work.time.pass(3_600_000)
    expect(box().pause).toMatchObject({ by: 'service', error: { code } })
    expect(posts()).toBe(1)

    work.parts.outbox.resume(work.accountId)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
    expect(await work.whenEnded(other)).toMatchObject({ state: 'sent' })
    expect(box().pause).toBeUndefined()
  })

  test('affects only its own account', async () => {
    work.line.setFault({ status: 402 })
    start()
    await expect.poll(() => box().pause?.by).toBe('service')
    const other = await work.accounts.add({ kind: 'practice', name: 'Practice' })
    expect(work.outbox.state(other.id).pause).toBeUndefined()
  })
})

describe('an outbox paused by a person', () => {
  test('sends nothing until it is resumed, even after a restart', async () => {
    work.outbox.pause(work.accountId)
    const id = start()
    expect(get(id)).toMatchObject({ state: 'ready', hold: 'paused' })
    work.restart()
    await work.time.pass(60_000)
    expect(box().pause).toMatchObject({ by: 'person' })
    expect(posts()).toBe(0)
    work.parts.outbox.resume(work.accountId)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })
})

describe('limits on sending', () => {
  test('no more packages than allowed are sent at the same time', async () => {
    work.outbox.configure(work.accountId, { concurrency: 3 })
    work.line.setFault('hang', (method) => method === 'POST')
    for (let index = 0; index < 8; index++) start(`Package ${index}`)
    await expect.poll(posts).toBe(3)
    await work.time.pass(10_000)
    expect(posts()).toBe(3)
    expect(box().counts).toMatchObject({ sending: 3, ready: 5 })
  })

  test('no more packages than allowed are sent in a minute', async () => {
    work.outbox.configure(work.accountId, { perMinute: 6, concurrency: 4 })
    for (let index = 0; index < 8; index++) start(`Package ${index}`)
    await expect.poll(() => box().counts.sent).toBe(1)
    for (let second = 10; second <= 50; second += 10) {
      await work.time.pass(10_000)
      await expect.poll(() => box().counts.sent).toBe(1 + second / 10)
    }
    expect(posts()).toBe(6)
    expect(work.outbox.state(work.accountId).pause).toBeUndefined()
  })
})
