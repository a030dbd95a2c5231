/**
 * A rule that verifies the signatures of each document as it completes: once, even if the application ends in between.
 */
import { describe, expect, test } from 'vitest'
import { aDocument } from '../../fixtures/download-office.ts'
import { anOffice, NOT_VALID, open, VALID } from './office.ts'

type Office = Awaited<ReturnType<typeof anOffice>>

async function withRule(options: Parameters<Office['addRule']>[0] = {}) {
  const at = await anOffice()
  await at.office.showDocuments([open('R1'), open('R2'), aDocument('OLD')])
  at.begin()
  await at.addRule(options)
  const complete = (...references: string[]) =>
    at.office.showDocuments(
      ['R1', 'R2'].map((one) => (references.includes(one) ? aDocument(one) : open(one))).concat([aDocument('OLD')])
    )
  return { ...at, at, complete }
}

/** Waits until the rule has counted these. */
const until = (at: Office, rule: object) => expect.poll(() => at.rule(), { timeout: 50_000 }).toMatchObject(rule)
/** Waits until everything that might follow from what happened so far is done. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 80))

describe('a verifying rule', () => {
  test('verifies a document when it completes, and records that it did', async () => {
    const { at, complete } = await withRule()
    await complete('R1')
    await until(at, { verifications: { done: 1, waiting: 0, failed: 0 } })
    expect((await at.ofDocument('R1')).last).toMatchObject({
      by: 'rule',
      documentName: 'Lease R1',
      found: { valid: 3 }
    })
    expect(at.office.notes).toMatchObject([
      { what: 'signatures-verified', documentReference: 'R1', detail: { by: 'rule' } }
    ])
    await at.office.showDocuments([aDocument('R1', { MatterNumber: 'M-2' }), open('R2'), aDocument('OLD')])
    await settled()
    expect(at.server.validated).toEqual(['R1'])
    expect(at.server.requested).toEqual([])
  })

  test('ignores documents completed before it was added, unless requested', async () => {
    const { at } = await withRule()
    await settled()
    expect(at.server.validated).toEqual([])
    const { at: immediate } = await withRule({ alsoNow: true })
    await until(immediate, { verifications: { done: 1 } })
    expect(immediate.server.validated).toEqual(['OLD'])
  })

  test('verifies in addition to downloading files', async () => {
    const { at, complete } = await withRule({ types: ['pdf', 'verification'] })
    await complete('R1')
    await until(at, { fetched: 1, verifications: { done: 1 } })
  })

  test('verifies documents without an identity check, too', async () => {
    const { at } = await withRule()
    await at.office.showDocuments([aDocument('R1', { IDVerificationRequested: false }), open('R2'), aDocument('OLD')])
    await until(at, { verifications: { done: 1 } })
  })

  test('verifies a document once, even if several rules want it', async () => {
    const { at, complete } = await withRule()
    await at.addRule()
    await complete('R1')
    await until(at, { verifications: { done: 1 } })
    await settled()
    expect(at.server.validated).toEqual(['R1'])
  })

  test.each([
    [
      'turned off',
      (at: Office, id: string) => void at.office.downloads.rules.change(at.office.accountId, id, { isOn: false })
    ],
    ['removed', (at: Office, id: string) => at.office.downloads.rules.remove(at.office.accountId, id)]
  ])('verifies a document, once, even if the rule that queued it first was %s', async (_what, end) => {
    const { at, complete } = await withRule()
    const { id: first } = at.rule()
    const { id: second } = await at.addRule()
    const rules = () => at.office.downloads.rules.list(at.office.accountId)
    const found = (id: string) => rules().find((rule) => rule.id === id)?.verifications
    at.server.validate = (_reference, response) => response.writeHead(401).end()
    await complete('R1')
    await expect.poll(() => [found(first)?.waiting, found(second)?.waiting], { timeout: 50_000 }).toEqual([1, 1])
    await until(at, { verifications: { problem: { code: 'unauthorised' } } })
    end(at, first)
    const before = at.server.validated.length
    at.answer(VALID)
    at.office.verificationQueue.connectionChanged()
    await expect.poll(() => found(second), { timeout: 50_000 }).toEqual({ done: 1, waiting: 0, failed: 0 })
    for (const { id } of rules()) at.office.downloads.rules.change(at.office.accountId, id, { isOn: true })
    await settled()
    for (const { id } of rules()) expect(found(id)).toEqual({ done: 1, waiting: 0, failed: 0 })
    expect(at.server.validated).toHaveLength(before + 1)
    expect((await at.ofDocument('R1')).total).toBe(1)
  })

  test('counts a document that another rule verified', async () => {
    const { at, complete } = await withRule()
    await complete('R1')
    await until(at, { verifications: { done: 1 } })
    const { id } = await at.addRule({ alsoNow: true })
    const second = () => at.office.downloads.rules.list(at.office.accountId).find((rule) => rule.id === id)
    await expect.poll(second, { timeout: 50_000 }).toMatchObject({ verifications: { done: 2, waiting: 0 } })
    expect(at.server.validated.toSorted()).toEqual(['OLD', 'R1'])
  })

  test('that previously downloaded catches up on verifications', async () => {
    const { at, complete } = await withRule({ types: ['pdf'] })
    await complete('R1')
    await until(at, { fetched: 1 })
    at.office.downloads.rules.change(at.office.accountId, at.rule().id, { types: ['verification'] })
    await until(at, { verifications: { done: 1 } })
    expect(at.server.validated).toEqual(['R1'])
  })

  test('that is turned off requests nothing, and catches up when turned on', async () => {
    const { at, complete } = await withRule()
    const { id } = at.rule()
    at.office.downloads.rules.change(at.office.accountId, id, { isOn: false })
    await complete('R1')
    await settled()
    expect(at.server.validated).toEqual([])
    at.office.downloads.rules.change(at.office.accountId, id, { isOn: true })
    await until(at, { verifications: { done: 1 } })
  })

  test('that is removed requests nothing more, and its results stay', async () => {
    const { at, complete } = await withRule()
    await complete('R1')
    await until(at, { verifications: { done: 1 } })
    at.server.validate = (_reference, response) => response.writeHead(503).end()
    await complete('R1', 'R2')
    await until(at, { verifications: { waiting: 1 } })
    at.office.downloads.rules.remove(at.office.accountId, at.rule().id)
    expect(at.office.db.prepare('SELECT count(*) FROM verification_jobs').pluck().get()).toBe(0)
    expect((await at.ofDocument('R1')).total).toBe(1)
  })
})

describe('ending the application', () => {
  test('between receiving and storing an answer repeats the request, without duplicates', async () => {
    const { at, complete } = await withRule()
    const answered = Promise.withResolvers<void>()
    at.server.validate = (_reference, _response, answer) => {
      answer(VALID)
      // The answer has left the service, but none of it is on disk yet.
      at.office.kill()
      answered.resolve()
    }
    await complete('R1')
    await answered.promise
    at.answer(VALID)
    await at.startAgain()
    expect((await at.ofDocument('R1')).total).toBe(0)
    at.begin()
    await until(at, { verifications: { done: 1, waiting: 0 } })
    await settled()
    expect(at.server.validated).toEqual(['R1', 'R1'])
    expect((await at.ofDocument('R1')).total).toBe(1)
    expect((await at.office.audit.list('', 0, 10)).total).toBe(1)
    expect(await at.office.audit.check()).toMatchObject({ isWhole: true })
  })

  test('after storing the answer causes no further request', async () => {
    const { at, complete } = await withRule()
    await complete('R1')
    await until(at, { verifications: { done: 1 } })
    await at.startAgain()
    at.begin()
    await at.office.showDocuments([aDocument('R1'), open('R2'), aDocument('OLD')])
    await settled()
    expect(at.server.validated).toEqual(['R1'])
  })

  test('normally interrupts a request, which is repeated in the next run', async () => {
    const { at, complete } = await withRule()
    const requested = Promise.withResolvers<void>()
    at.server.validate = () => requested.resolve()
    await complete('R1')
    await requested.promise
    await at.office.verificationQueue.close(1_000)
    expect(at.rule().verifications).toMatchObject({ done: 0, waiting: 1, failed: 0 })
    at.answer(VALID)
    await at.startAgain()
    at.begin()
    await until(at, { verifications: { done: 1 } })
  })
})

describe('a service that doesn’t answer', () => {
  test('is asked again later', async () => {
    const { at, complete } = await withRule()
    let requests = 0
    at.server.validate = (_reference, response, answer) => {
      requests += 1
      if (requests > 4) answer(VALID)
      else response.writeHead(503).end()
    }
    await complete('R1')
    await until(at, { verifications: { done: 1, failed: 0 } })
  })

  test.each([
    [401, 'unauthorised'],
    [402, 'payment-required']
  ])('because of %i is left alone until the account is fixed', async (status, code) => {
    const { at, complete } = await withRule()
    at.server.validate = (_reference, response) => response.writeHead(status).end()
    await complete('R1', 'R2')
    await until(at, { verifications: { waiting: 2, problem: { code } } })
    const before = at.server.validated.length
    await settled()
    expect(at.server.validated).toHaveLength(before)
    at.answer(VALID)
    at.office.verificationQueue.connectionChanged()
    await until(at, { verifications: { done: 2, waiting: 0 } })
    expect(at.rule().verifications).not.toHaveProperty('problem')
  })

  test('because of 429 gets the time that it asks for', async () => {
    const { at, complete } = await withRule()
    at.server.validate = (_reference, response) => response.writeHead(429, { 'retry-after': '3600' }).end()
    await complete('R1', 'R2')
    await until(at, { verifications: { waiting: 2, problem: { code: 'rate-limited' } } })
    await settled()
    expect(at.server.validated).toHaveLength(1)
  })

  test('because the document is gone is reported by the rule, and can be asked again', async () => {
    const { at, complete } = await withRule()
    at.server.validate = (_reference, response) => response.writeHead(404).end()
    await complete('R1')
    await until(at, { verifications: { done: 0, waiting: 0, failed: 1, problem: { code: 'not-found' } } })
    await settled()
    expect(at.server.validated).toEqual(['R1'])
    at.answer(VALID)
    await complete('R1', 'R2')
    await until(at, { verifications: { done: 1, failed: 1 } })
    // The failure stays counted, but a later success clears the problem.
    expect(at.rule().verifications).not.toHaveProperty('problem')
    at.office.downloads.rules.retryVerifications(at.office.accountId, at.rule().id)
    await until(at, { verifications: { done: 2, failed: 0 } })
  })

  test('because a network’s login page does instead gives up no document', async () => {
    const { at, complete } = await withRule()
    at.server.validate = (_reference, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>')
    await complete('R1')
    await until(at, { verifications: { waiting: 1, problem: { code: 'not-json' } } })
  })
})

test('an invalid result of a rule is notified once, and one found by a person isn’t', async () => {
  const { at, complete } = await withRule()
  at.answer(NOT_VALID)
  await at.verify('R2')
  await complete('R1')
  await until(at, { verifications: { done: 1 } })
  const unnotified = at.verifications.unnotified()
  expect(unnotified).toMatchObject([{ reference: 'R1', documentName: 'Lease R1', signatures: 3, notValid: 1 }])
  const { verifications } = await at.startAgain()
  expect(verifications.unnotified()).toEqual(unnotified)
  verifications.markNotified(unnotified)
  expect(verifications.unnotified()).toEqual([])
})

test('documents are verified one after the other', async () => {
  const { at, complete } = await withRule()
  let underWay = 0
  let most = 0
  at.server.validate = async (_reference, _response, answer) => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay -= 1
    answer(VALID)
  }
  await complete('R1', 'R2')
  await until(at, { verifications: { done: 2 } })
  expect(most).toBe(1)
})
