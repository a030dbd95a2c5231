import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SETTLING_TIME } from '../../../src/main/core/outbox/outbox.ts'
import { form, forms, templates } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

const isSend = (method: string) => method === 'POST'
const draft = (composition = forms()) => work.drafts.save(work.accountId, composition).id

describe('sending', () => {
  test('a package that the service takes is sent, and its draft is gone', async () => {
    const send = await work.outbox.start(draft())
    expect(send).toMatchObject({ state: 'sent', title: 'Tax file declaration' })
    expect(send.packageReference).toBeTruthy()
    expect(send.documents).toHaveLength(1)
    expect(work.drafts.list(work.accountId)).toEqual([])
    expect(work.taken('SendForms2')).toHaveLength(1)
  })

  test('a Form Filler package likewise', async () => {
    expect(await work.outbox.start(draft(templates()))).toMatchObject({ state: 'sent', kind: 'form-filler' })
    expect(work.taken('Send')).toHaveLength(1)
  })

  test('signing links never leave in what the screens are shown', async () => {
    await work.outbox.start(draft(forms({ embedded: true })))
    const [record] = work.sends.list(work.accountId)
    expect(JSON.stringify(record)).toContain('SigningKey')
    expect(JSON.stringify(work.outbox.list(work.accountId))).not.toContain('SigningKey')
  })

  test('a draft with missing values is not sent, and says what is missing', async () => {
    const blank = draft(forms({ items: [form({ Name: '' })] }))
    await expect(work.outbox.start(blank)).rejects.toMatchObject({
      appError: { code: 'invalid', fields: [{ field: 'f1.Name' }] }
    })
    expect(work.taken('SendForms2')).toEqual([])
    expect(work.drafts.list(work.accountId)).toHaveLength(1)
  })

  test('pressing Send twice sends once', async () => {
    const id = draft()
    const [first, second] = await Promise.allSettled([work.outbox.start(id), work.outbox.start(id)])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { appError: { code: 'busy' } } })
    await expect(work.outbox.start(id)).rejects.toMatchObject({ appError: { code: 'busy' } })
    expect(work.taken('SendForms2')).toHaveLength(1)
  })
})

describe('when the line fails', () => {
  test('where nothing listens the send is refused, its draft is kept, and it can go again', async () => {
    const id = draft()
    await work.line.close()
    expect(await work.outbox.start(id)).toMatchObject({ state: 'refused', error: { mayHaveArrived: false } })
    expect(work.drafts.get(id).composition).toEqual(forms())
    expect(work.taken('SendForms2')).toEqual([])
  })

  test('a send whose answer was lost is uncertain, is found in the folders, and went once', async () => {
    work.line.fault('lose-answer', isSend)
    const id = draft()
    const lost = await work.outbox.start(id)
    expect(lost).toMatchObject({ state: 'uncertain', error: { mayHaveArrived: true } })
    await expect(work.outbox.start(id)).rejects.toMatchObject({ appError: { code: 'busy' } })
    expect(work.drafts.list(work.accountId)).toEqual([])

    work.line.fault('pass')
    const found = await work.outbox.reconcile(lost.id)
    expect(found.state).toBe('sent')
    expect(found.documents).toHaveLength(1)
    expect(work.taken('SendForms2')).toHaveLength(1)
  })

  test('a send that was cut before it arrived takes two looks, a minute apart, to be called not sent', async () => {
    work.line.fault('cut', isSend)
    const id = draft()
    const lost = await work.outbox.start(id)
    expect(lost.state).toBe('uncertain')
    work.line.fault('pass')
    expect(await work.outbox.reconcile(lost.id)).toMatchObject({ state: 'uncertain' })
    expect(await work.outbox.reconcile(lost.id)).toMatchObject({ state: 'uncertain' })
    work.time.now += SETTLING_TIME
    expect(await work.outbox.reconcile(lost.id)).toMatchObject({ state: 'not-sent' })

    expect(work.outbox.again(lost.id).id).toBe(id)
    expect(await work.outbox.start(id)).toMatchObject({ state: 'sent' })
    expect(work.taken('SendForms2')).toHaveLength(1)
  })

  test('as long as the folders cannot be read, it stays uncertain', async () => {
    work.line.fault('lose-answer', isSend)
    const lost = await work.outbox.start(draft())
    work.line.fault('rubbish')
    await expect(work.outbox.reconcile(lost.id)).rejects.toMatchObject({ code: 'not-json' })
    work.time.now += 2 * SETTLING_TIME
    await expect(work.outbox.reconcile(lost.id)).rejects.toMatchObject({ code: 'not-json' })
    expect(work.outbox.get(lost.id).state).toBe('uncertain')
    expect(() => work.outbox.again(lost.id)).toThrow()
  })

  test('a document that cannot be read hides nothing that was found, and proves nothing that was not', async () => {
    work.line.fault('lose-answer', isSend)
    const lost = await work.outbox.start(draft())
    work.line.fault('pass')
    work.line.spoil((body) => (body.startsWith('[') ? JSON.stringify([{ Reference: {} }, ...JSON.parse(body)]) : body))
    expect(await work.outbox.reconcile(lost.id)).toMatchObject({ state: 'sent' })

    work.line.fault('cut', isSend)
    const cut = await work.outbox.start(draft(forms({ items: [form({ Name: 'Another' })] })))
    work.line.fault('pass')
    await expect(work.outbox.reconcile(cut.id)).rejects.toMatchObject({ appError: { code: 'unexpected-shape' } })
    expect(work.outbox.get(cut.id).state).toBe('uncertain')
  })

  test('without credentials nothing leaves, so nothing is uncertain', async () => {
    await work.accounts.update(work.accountId, { authentication: { scheme: 'bearer', token: 'made-up' } })
    await work.forgetSecrets()
    work.clients.forget(work.accountId)
    expect(await work.outbox.start(draft())).toMatchObject({ state: 'refused', error: { mayHaveArrived: false } })
    expect(work.line.seen).toEqual([])
  })

  test("where the office's own reference is on an earlier document too, name, signers and time decide", async () => {
    const withOwn = (Name: string) => forms({ items: [form({ Name, ClientReference: 'MATTER-7' })] })
    await work.outbox.start(draft(withOwn('Lease')))
    work.line.fault('cut', isSend)
    const lost = await work.outbox.start(draft(withOwn('Guarantee')))
    work.line.fault('pass')
    expect((await work.outbox.reconcile(lost.id)).state).toBe('uncertain')
  })

  test('an answer that is not the service’s leaves it uncertain: something may stand between', async () => {
    work.line.fault('rubbish', isSend)
    expect(await work.outbox.start(draft())).toMatchObject({ state: 'uncertain', error: { code: 'not-json' } })
  })
})

describe('when the application ends while sending', () => {
  test('the send is uncertain after the next start, and is not sent again by itself', async () => {
    work.line.fault('hang', isSend)
    const id = draft()
    void work.outbox.start(id).catch(() => undefined)
    while (!work.line.seen.some((request) => request.startsWith('POST')))
      await new Promise((wait) => setTimeout(wait, 10))

    const next = work.startAgain()
    next.outbox.takeUpInterrupted()
    const [send] = next.outbox.list(work.accountId)
    expect(send).toMatchObject({ state: 'uncertain', draftId: id })
    expect(next.drafts.list(work.accountId)).toEqual([])
    await expect(next.outbox.start(id)).rejects.toMatchObject({ appError: { code: 'busy' } })
    expect(work.line.seen.filter((request) => request.startsWith('POST'))).toHaveLength(1)
  })

  test('a save that comes late does not bring back a draft that was sent or deleted', async () => {
    const sent = draft()
    await work.outbox.start(sent)
    expect(() => work.drafts.save(work.accountId, forms(), sent)).toThrow()
    const deleted = draft()
    work.drafts.remove(deleted)
    expect(() => work.drafts.save(work.accountId, forms(), deleted)).toThrow()
    expect(work.drafts.list(work.accountId)).toEqual([])
  })

  test('a draft is saved for its own account only', async () => {
    const mine = draft()
    const other = await work.accounts.add({ kind: 'practice', name: 'Practice' })
    expect(() => work.drafts.save(other.id, forms(), mine)).toThrow()
  })

  test('a draft that is uncertain can be neither changed nor removed', async () => {
    work.line.fault('lose-answer', isSend)
    const id = draft()
    await work.outbox.start(id)
    expect(() => work.drafts.save(work.accountId, forms(), id)).toThrow()
    expect(() => work.drafts.remove(id)).toThrow()
  })
})
