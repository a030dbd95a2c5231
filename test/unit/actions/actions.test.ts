/** How actions cope with failures of the network, the service or the clock, and with people acting in between. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Action, openActionRecords } from '../../../src/main/core/actions/action-records.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import type { DocumentResponse } from '../../../src/shared/model/index.ts'
import { correction, extension, type Office, openOffice } from './office.ts'

const MINUTE = 60_000
let office: Office
let reference: string
let document: DocumentResponse | undefined
let signerReference: string
beforeEach(async () => {
  office = await openOffice()
  ;[document] = await office.send(2)
  reference = document?.Reference ?? ''
  signerReference = document?.Signers?.[0]?.SignerReference ?? ''
})
afterEach(() => office.close())

const posts = (method: string) => method === 'POST'
const failing = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('This should have been refused.'),
    (error: unknown) => asAppError(error)
  )

describe('marking an action as our own', () => {
  const reports = () => office.parts.mirror.reports

  test('happens in the documents worker before it is sent, with the new due date', async () => {
    const request = extension()
    office.line.setFault('lose-answer', posts)
    expect(await office.start(reference, request)).toMatchObject({ state: 'uncertain' })
    expect(reports()).toEqual([['leaves', reference, 'extend', Date.parse(request.dueDate)]])
  })

  test('is withdrawn if the service refuses it', async () => {
    office.line.setFault({ status: 400 }, posts)
    expect(await office.start(reference, extension())).toMatchObject({ state: 'refused' })
    expect(reports().map(([what]) => what)).toEqual(['leaves', 'refused'])
  })
})

describe('pressing the button twice', () => {
  test('runs the action once, and returns its current state', async () => {
    const [id, request] = [randomUUID(), extension()]
    const both = await Promise.all([office.start(reference, request, id), office.start(reference, request, id)])
    expect(both.map((one) => one.id)).toEqual([id, id])
    expect(await office.start(reference, request, id)).toMatchObject({ id, state: 'done' })
    expect(office.taken('Extend')).toHaveLength(1)
  })

  test('a new due date for another document of the package is busy while the first is in progress', async () => {
    office.line.setFault('hang', posts)
    const first = office.start(reference, extension())
    await expect.poll(() => office.line.requests.some((one) => one.includes('Extend'))).toBe(true)
    const other = (
      await office.parts.mirror.ask('inPackage', {
        accountId: office.accountId,
        packageReference: (await office.document(reference)).PackageReference ?? ''
      })
    ).find((one) => one.document.Reference !== reference)
    const error = await failing(office.start(other?.document.Reference ?? '', extension(40)))
    expect(error).toMatchObject({ code: 'busy', message: expect.stringContaining('already in progress') })
    await office.time.pass(10_000)
    expect((await first).state).toBe('running')
    await office.startAgain()
  })
})

describe('while offline', () => {
  let otherDocument: DocumentResponse | undefined
  beforeEach(async () => {
    ;[otherDocument] = await office.send()
    await office.cutLine()
  })

  test('what didn’t leave is no longer running once the disk, which was full at that moment, has room', async () => {
    const { db } = office.parts
    db.exec(
      `CREATE TEMP TRIGGER full BEFORE UPDATE ON actions WHEN OLD.state = 'running' BEGIN SELECT RAISE(FAIL, 'disk full'); END`
    )
    const due = await office.start(reference, extension())
    const to = { signerReference: otherDocument?.Signers?.[0]?.SignerReference ?? '', signerName: 'Aroha' }
    const reminder = await office.start(otherDocument?.Reference ?? '', { kind: 'remind', ...to })
    expect([due.state, reminder.state]).toEqual(['running', 'running'])
    db.exec('DROP TRIGGER full')
    await office.time.pass(30_000)
    expect(office.actions.get(due.id).state).toBe('waiting')
    expect(office.actions.get(reminder.id)).toMatchObject({ state: 'refused', error: { code: 'refused' } })
    await office.line.comeBack()
    office.actions.connectionChanged()
    await office.until(due.id, 'done')
    expect([office.taken('Extend'), office.taken('SendReminder')].map(({ length }) => length)).toEqual([1, 0])
  })

  test('a due date and a correction wait, and are sent automatically in order once online', async () => {
    const one = await office.start(reference, extension())
    const other = await office.start(otherDocument?.Reference ?? '', correction(otherDocument))
    expect([one.state, other.state]).toEqual(['waiting', 'waiting'])
    expect(one.error).toMatchObject({ code: 'refused' })
    expect(office.actions.pending()).toEqual({ waiting: 2, running: 0, uncertain: 0 })
    await office.line.comeBack()
    office.actions.connectionChanged()
    await office.until(other.id, 'done')
    expect(office.actions.get(one.id).state).toBe('done')
    // Reported once, for the address book.
    expect(office.parts.notified.corrected).toHaveLength(1)
    expect(office.practice.recorded().map(({ operation }) => operation)).toEqual([
      'SendForms2',
      'SendForms2',
      'Extend',
      'UpdateSigner'
    ])
  })

  test('waiting actions are retried automatically, even after a restart', async () => {
    const { id } = await office.start(reference, extension())
    await office.startAgain()
    await office.line.comeBack()
    await office.time.pass(MINUTE)
    await office.until(id, 'done')
    expect(office.taken('Extend')).toHaveLength(1)
  })

  test('a notary and a reminder are refused with a reason, and never sent later', async () => {
    const notary = await office.start(reference, { kind: 'notary', notaryReference: 'n', send: false })
    const reminder = await office.start(reference, { kind: 'remind', signerReference, signerName: 'Aroha' })
    for (const { state, error } of [notary, reminder]) {
      expect(state).toBe('refused')
      expect(error?.message).toContain('won’t be retried automatically')
    }
    await office.line.comeBack()
    office.actions.connectionChanged()
    await office.time.pass(MINUTE)
    expect(office.practice.recorded().map(({ operation }) => operation)).toEqual(['SendForms2', 'SendForms2'])
  })

  test('a waiting action can be cancelled, and is then never sent', async () => {
    const { id } = await office.start(reference, extension())
    expect(office.actions.cancel(id).state).toBe('cancelled')
    await office.line.comeBack()
    office.actions.connectionChanged()
    await office.time.pass(MINUTE)
    expect(office.taken('Extend')).toEqual([])
  })

  test('a waiting action stays cancelled, whatever a check that was under way finds', async () => {
    const { id } = await office.start(reference, extension())
    await office.direct('/Document/Extend', { DocumentReference: reference, ...due(90) })
    const cancelled = office.parts.mirror.whenAsked('inPackage', () => office.actions.cancel(id))
    await office.line.comeBack()
    office.actions.connectionChanged()
    expect(await cancelled).toMatchObject({ state: 'cancelled' })
    await office.actions.close(10_000)
    expect(office.actions.get(id).state).toBe('cancelled')
  })

  test.each([
    [
      'another due date was set in the meantime',
      () => office.direct('/Document/Extend', { DocumentReference: reference, ...due(90) }),
      'Another due date was set'
    ],
    [
      'all have signed in the meantime',
      async () => {
        for (const one of Object.values(office.practice.state.documents)) one.ending = 'Complete'
      },
      'No document of this package'
    ],
    [
      'the document is gone',
      async () => {
        office.practice.state.documents = {}
      },
      'no longer in your folders'
    ]
  ])('it is refused rather than sent blindly if %s', async (_, meanwhile, words) => {
    const { id } = await office.start(reference, extension())
    await meanwhile()
    const before = office.taken('Extend').length
    await office.line.comeBack()
    office.actions.connectionChanged()
    const ended = await office.until(id, 'refused')
    expect(ended.error?.message).toContain(words)
    expect(office.taken('Extend')).toHaveLength(before)
  })

  test('a correction is refused if someone else corrected that signer in the meantime', async () => {
    const { id } = await office.start(reference, correction(document))
    const Signers = [
      { SignerReference: signerReference, FirstName: 'Ana', LastName: 'Parata', Email: 'ana@example.com' }
    ]
    await office.direct('/Document/UpdateSigner', { DocumentReference: reference, Signers })
    await office.line.comeBack()
    office.actions.connectionChanged()
    expect((await office.until(id, 'refused')).error?.message).toContain('someone else')
    expect(office.taken('UpdateSigner')).toHaveLength(1)
  })

  test('a correction keeps someone else’s changes to what it doesn’t change', async () => {
    const { FirstName = '', LastName = '', Email = '' } = document?.Signers?.[0] ?? {}
    const mobile = { FirstName, LastName, Email, MobileNumber: '0217654321' }
    const { id } = await office.start(reference, correction(document, mobile))
    const Signers = [{ SignerReference: signerReference, FirstName, LastName: 'Ngata', Email: 'ngata@example.com' }]
    await office.direct('/Document/UpdateSigner', { DocumentReference: reference, Signers })
    await office.line.comeBack()
    office.actions.connectionChanged()
    await office.until(id, 'done')
    expect((await office.document(reference)).Signers?.[0]).toMatchObject({
      LastName: 'Ngata',
      Email: 'ngata@example.com',
      MobileNumber: '0217654321'
    })
  })
})

describe('the order of requests', () => {
  test('doesn’t let a reminder overtake a waiting correction, until that is cancelled', async () => {
    await office.cutLine()
    const { id } = await office.start(reference, correction(document))
    await office.line.comeBack()
    office.line.setFault({ status: 503 }, (method) => method === 'GET')
    const request = { kind: 'remind' as const, signerReference, signerName: 'Aroha' }
    const error = await failing(office.start(reference, request))
    expect(error).toMatchObject({ code: 'busy', message: expect.stringContaining('Undo it first, or wait') })
    expect(office.taken('SendReminder')).toEqual([])
    office.actions.cancel(id)
    expect((await office.start(reference, request)).state).toBe('done')
  })

  test('applies a new due date to all documents of its package, and no others', async () => {
    const inPackage = { accountId: office.accountId, packageReference: document?.PackageReference ?? '' }
    const [, other] = await office.parts.mirror.ask('inPackage', inPackage)
    const [otherDocument] = await office.send()
    await office.cutLine()
    const { id } = await office.start(reference, extension())
    const request = correction(other?.document)
    expect(await failing(office.start(other?.document.Reference ?? '', request))).toMatchObject({ code: 'busy' })
    expect((await office.start(otherDocument?.Reference ?? '', correction(otherDocument))).state).toBe('waiting')
    office.actions.cancel(id)
    expect((await office.start(other?.document.Reference ?? '', request)).state).toBe('waiting')
    expect(await failing(office.start(reference, extension()))).toMatchObject({ code: 'busy' })
    expect(await failing(office.actions.retry(id))).toMatchObject({ code: 'busy' })
  })
})

test('a temporary failure of the documents worker delays waiting actions, and refuses none', async () => {
  await office.cutLine()
  const { id } = await office.start(reference, extension())
  const trouble = { code: 'storage' as const, message: 'The list of documents stopped working.' }
  office.parts.mirror.fail(new AppFailure(trouble))
  await office.line.comeBack()
  office.actions.connectionChanged()
  await expect.poll(() => office.actions.get(id)).toMatchObject({ state: 'waiting', error: trouble })
  office.parts.mirror.fail(undefined)
  await office.time.pass(MINUTE)
  await office.until(id, 'done')
  expect(office.taken('Extend')).toHaveLength(1)
})

const due = (days: number) => ({ DueDate: extension(days).dueDate, GMT: '0' })

describe('when the answer was lost', () => {
  test('a due date that arrived is found in the folders', async () => {
    office.line.setFault('lose-answer', posts)
    const { id } = await office.start(reference, extension())
    await office.until(id, 'done')
    expect(office.taken('Extend')).toHaveLength(1)
  })

  test('a correction that arrived is found in the folders', async () => {
    office.line.setFault('lose-answer', posts)
    const { id } = await office.start(reference, correction(document))
    await office.until(id, 'done')
  })

  test('a correction that arrived after waiting is found, even if the signers’ order changed', async () => {
    await office.cutLine()
    const { id } = await office.start(reference, correction(document))
    office.parts.mirror.turnSigners(reference)
    await office.line.comeBack()
    office.line.setFault('lose-answer', posts)
    office.actions.connectionChanged()
    await office.until(id, 'done')
    expect(office.taken('UpdateSigner')).toHaveLength(1)
  })

  test('one that didn’t arrive is refused after two checks a minute apart', async () => {
    office.line.setFault('cut', posts)
    const { id } = await office.start(reference, extension())
    await office.until(id, 'uncertain')
    const looked = () => office.line.requests.filter((one) => one.startsWith('GET')).length
    const before = looked()
    await office.actions.check(id)
    await office.time.pass(2 * MINUTE)
    await expect.poll(looked).toBeGreaterThan(before + 3)
    expect(office.actions.get(id).state).toBe('uncertain')
    await expect
      .poll(async () => {
        await office.time.pass(MINUTE)
        return office.actions.get(id)
      })
      .toMatchObject({ state: 'refused', error: { message: expect.stringContaining('wasn’t done') } })
    expect(office.taken('Extend')).toEqual([])
    office.line.setFault('pass')
    expect((await office.actions.retry(id)).state).toBe('done')
    expect(office.taken('Extend')).toHaveLength(1)
  })

  test.each([
    ['pass', 'done'],
    ['cut', 'uncertain']
  ] as const)('a result that the full disk held up says nothing about a later attempt: %s', async (fault, state) => {
    office.line.setFault('cut', posts)
    const { id } = await office.start(reference, extension())
    const { db } = office.parts
    let rejections = 0
    db.function('reject', () => void rejections++)
    db.exec(
      `CREATE TEMP TRIGGER full BEFORE UPDATE ON actions WHEN NEW.state = 'refused'
       BEGIN SELECT reject(); SELECT RAISE(FAIL, 'disk full'); END`
    )
    await expect
      .poll(async () => {
        await office.time.pass(MINUTE)
        return rejections
      })
      .toBeGreaterThan(0)
    expect(office.actions.get(id).state).toBe('uncertain')
    db.exec('DROP TRIGGER full')
    office.line.setFault(fault, posts)
    expect((await office.actions.retry(id)).state).toBe(state)
    await office.time.pass(MINUTE)
    expect(office.actions.get(id).state).toBe(state)
  })

  test('a document that someone else changed stays uncertain until a person decides', async () => {
    office.line.setFault('cut', posts)
    const { id } = await office.start(reference, extension())
    await office.direct('/Document/Extend', { DocumentReference: reference, ...due(77) })
    await office.actions.check(id)
    await office.time.pass(10 * MINUTE)
    expect(office.actions.get(id)).toMatchObject({ state: 'uncertain', error: { code: 'conflict' } })
    expect(office.actions.conclude(id, false).state).toBe('cancelled')
  })

  test('a crash during sending leaves it uncertain, until the folders show that it arrived', async () => {
    office.line.setFault('swallow-answer', posts)
    const started = office.start(reference, extension()).catch(() => undefined)
    await expect.poll(() => office.taken('Extend').length).toBe(1)
    const [running] = office.actions.list(office.accountId)
    await office.startAgain()
    await started
    await office.until(running?.id ?? '', 'done')
    expect(office.taken('Extend')).toHaveLength(1)
  })

  test('a reminder answered with an error that came as a success isn’t shown as sent', async () => {
    office.line.spoil(() => JSON.stringify({ ResponseStatus: { ErrorCode: 'Busy', Message: 'Not now.' } }))
    const reminder = await office.start(reference, { kind: 'remind', signerReference, signerName: 'Aroha' })
    expect(reminder).toMatchObject({ state: 'uncertain', error: { serviceMessage: 'Not now.' } })
    expect(office.parts.rights.of(office.accountId).reminders).toBe('unknown')
  })

  test('a notary and a reminder can’t be checked, so a person decides or repeats them', async () => {
    office.line.setFault('lose-answer', posts)
    const notary = await office.start(reference, { kind: 'notary', notaryReference: 'n', send: false })
    const reminder = await office.start(reference, { kind: 'remind', signerReference, signerName: 'Aroha' })
    expect([notary.state, reminder.state]).toEqual(['uncertain', 'uncertain'])
    expect(await failing(office.actions.check(notary.id))).toMatchObject({ code: 'conflict' })
    expect(await failing(office.start(reference, notary.request))).toMatchObject({ code: 'busy' })
    expect(office.actions.conclude(notary.id, true).state).toBe('done')
    office.line.setFault('pass')
    const [retried, pressedTwice] = await Promise.all([
      office.actions.retry(reminder.id),
      office.actions.retry(reminder.id)
    ])
    expect([retried.state, pressedTwice.id]).toEqual(['done', reminder.id])
    expect(office.taken('SendReminder')).toHaveLength(2)
  })

  test('a guest network’s login page doesn’t count as the service’s answer', async () => {
    office.line.setFault('rubbish', posts)
    const notary = await office.start(reference, { kind: 'notary', notaryReference: 'n', send: false })
    const reminder = await office.start(reference, { kind: 'remind', signerReference, signerName: 'Aroha' })
    expect([notary.state, reminder.state]).toEqual(['uncertain', 'uncertain'])
    expect(office.parts.rights.of(office.accountId).reminders).toBe('unknown')
  })

  test('a refused second attempt proves nothing about the first', async () => {
    office.line.setFault('lose-answer', posts)
    const { id } = await office.start(reference, { kind: 'remind', signerReference, signerName: 'Aroha' })
    office.line.setFault({ status: 409 }, posts)
    expect((await office.actions.retry(id)).state).toBe('uncertain')
    await office.cutLine()
    expect((await office.actions.retry(id)).state).toBe('uncertain')
    expect(office.taken('SendReminder')).toHaveLength(1)
  })
})

test('a refusal keeps the service’s reason', async () => {
  office.line.setFault({ status: 403 }, posts)
  expect(await office.start(reference, extension())).toMatchObject({ state: 'refused', error: { code: 'forbidden' } })
})

test('a rate limit delays a due date as long as requested', async () => {
  office.line.setFault({ status: 429, headers: { 'retry-after': '50' } }, posts)
  const { id, state } = await office.start(reference, extension())
  expect(state).toBe('waiting')
  office.line.setFault('pass')
  await office.time.pass(40_000)
  expect(office.actions.get(id).state).toBe('waiting')
  await office.time.pass(20_000)
  await office.until(id, 'done')
})

test('finished actions are deleted after thirty days, but uncertain ones are kept', async () => {
  const done = await office.start(reference, extension())
  office.line.setFault('lose-answer', posts)
  const lost = await office.start(reference, { kind: 'remind', signerReference, signerName: 'Aroha' })
  office.time.now += 31 * 86_400_000
  await office.startAgain()
  expect(office.actions.list(office.accountId).map(({ id }) => id)).toEqual([lost.id])
  expect(done.state).toBe('done')
})

test('an action that nobody settled stays in the list, however many were started and ended since', async () => {
  office.line.setFault('lose-answer', posts)
  const lost = await office.start(reference, { kind: 'remind', signerReference, signerName: 'Aroha' })
  const records = openActionRecords(office.parts.db)
  const { number: _, ...action } = records.find(lost.id) as Action
  for (let index = 0; index < 600; index++) {
    records.add({ ...action, id: `later ${index}` }, { Reference: `later ${index}` })
    records.change(`later ${index}`, { state: 'done', settledAt: office.time.now })
  }
  const list = office.actions.list(office.accountId)
  expect(list[0]?.id).toBe('later 599')
  expect(list.at(-1)).toMatchObject({ id: lost.id, state: 'uncertain' })
  expect(list).toHaveLength(501)
})

test('actions are deleted with their account', async () => {
  await office.start(reference, extension())
  await office.parts.accounts.remove(office.accountId)
  expect(office.actions.list(office.accountId)).toEqual([])
})
