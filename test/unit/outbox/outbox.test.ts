import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { form, forms, signer, templates } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

const draft = (composition = forms()) => work.drafts.save(work.accountId, composition).id
const failure = (action: () => unknown) => {
  try {
    action()
  } catch (error) {
    return (error as { appError?: unknown }).appError
  }
  return undefined
}
const all = { show: 'all', offset: 0, limit: 100 } as const

describe('when sending', () => {
  test('an accepted package is sent, and its draft is removed', async () => {
    const send = await work.send(forms())
    expect(send).toMatchObject({ state: 'sent', title: 'Tax file declaration', who: 'Mere Tamati', attempt: 1 })
    expect(send.packageReference).toBeTruthy()
    expect(send.documents).toHaveLength(1)
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(0)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('a failing notification about one send doesn’t stop the next', async () => {
    const { outbox, accountId, disk } = work
    outbox.configure(accountId, { concurrency: 1, perMinute: null })
    disk.cannotNotify = true
    const ids = ['One', 'Two'].map((Name) => outbox.enqueue(draft(forms({ items: [form({ Name })] }))).id)
    for (const id of ids) outbox.sendNow(id)
    await expect
      .poll(async () => {
        await work.time.pass(5_000)
        return ids.map((id) => outbox.get(id).state)
      })
      .toEqual(['sent', 'sent'])
    expect(work.receivedRequests('SendForms2')).toHaveLength(2)
  })

  test('a Form Filler package is sent with its own operation', async () => {
    expect(await work.send(templates())).toMatchObject({ state: 'sent', kind: 'form-filler' })
    expect(work.receivedRequests('Send')).toHaveLength(1)
  })

  test('signing links are never included in what screens receive', async () => {
    const { id } = await work.send(forms({ embedded: true }))
    const { documents } = work.outbox.get(id)
    const mirrored = await work.ask('get', { accountId: work.accountId, reference: documents[0]?.reference ?? '' })
    expect(mirrored?.document.Signers?.[0]?.SigningKey).toMatch(/^http/)
    expect(JSON.stringify([work.outbox.get(id), work.outbox.list([work.accountId], all)])).not.toContain('SigningKey')
  })

  test('a draft with missing values isn’t sent, and the error names them', () => {
    const blank = draft(forms({ items: [form({ Name: '' })] }))
    expect(failure(() => work.outbox.enqueue(blank))).toMatchObject({ code: 'invalid', fields: [{ field: 'f1.Name' }] })
    expect(work.outbox.list([work.accountId], all).total).toBe(0)
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(1)
  })

  test('the due date sent is shown for a single send, and omitted from the list', async () => {
    const dated = await work.send(forms({ due: '2027-01-29T17:00', gmt: '780', zone: 'Pacific/Auckland' }))
    expect(work.outbox.get(dated.id).due?.at).toBe(Date.UTC(2027, 0, 29, 4))
    expect(work.outbox.list([work.accountId], all).rows[0]).not.toHaveProperty('due')
  })

  describe('duplicating a package', () => {
    const people = { FirstName: 'Mere', Email: 'mere.tamati@example.com' }

    test('creates a draft with its forms and settings but without people', async () => {
      const { id } = await work.send(forms({ embedded: true, ReturnUrl: 'https://office.example.com/' }))
      const copy = work.drafts.get(work.outbox.duplicate(id, 'nothing').id).composition
      expect(copy).toMatchObject({ embedded: true, ReturnUrl: 'https://office.example.com/' })
      expect(copy.items[0]).toMatchObject({ Name: 'Tax file declaration', Reference: 'TFN-1' })
      expect(copy.items[0]?.signers[0]).toMatchObject({ FirstName: '', LastName: '', Email: '', MobileNumber: '' })
      expect(JSON.stringify(copy)).not.toContain(people.Email)
      expect(work.outbox.get(id).state).toBe('sent')
    })

    test('with its people counts as already sent until its content changes', async () => {
      const { id } = await work.send(forms())
      const copy = work.drafts.get(work.outbox.duplicate(id, 'people and data').id).composition
      expect(copy.items[0]?.signers[0]).toMatchObject(people)
      expect(work.outbox.sameSent(work.accountId, copy)).toMatchObject({ at: expect.any(Number) })
      expect(work.outbox.sameSent(work.accountId, { ...copy, due: '2027-01-29T17:00' })).toMatchObject({
        at: expect.any(Number)
      })
      const other = work.drafts.get(work.outbox.duplicate(id, 'nothing').id).composition
      expect(work.outbox.sameSent(work.accountId, other)).toBeUndefined()
      expect(work.outbox.sameSent('another', copy)).toBeUndefined()
      work.time.now += 31 * 86_400_000
      expect(work.outbox.sameSent(work.accountId, copy)).toBeUndefined()
    })

    test('is reported while the first still waits, but not once that was undone', async () => {
      const { id } = work.outbox.enqueue(draft())
      expect(work.outbox.sameSent(work.accountId, forms())).toMatchObject({ state: 'ready' })
      work.outbox.undo(id)
      expect(work.outbox.sameSent(work.accountId, forms())).toBeUndefined()
    })
  })

  test('pressing Send twice sends once', async () => {
    const id = draft()
    const send = work.outbox.enqueue(id)
    expect(failure(() => work.outbox.enqueue(id))).toMatchObject({ code: 'busy' })
    work.outbox.sendNow(send.id)
    await work.whenEnded(send.id)
    expect(failure(() => work.outbox.enqueue(id))).toBeDefined()
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('sending remembers the values entered, and adds to the draft’s history', () => {
    const id = draft()
    work.outbox.enqueue(id)
    expect(work.noted).toEqual([work.accountId])
    expect(work.drafts.history(id)).toMatchObject([{ reason: 'send' }])
  })

  test('a document’s return addresses after signing are known', async () => {
    const own = { embedded: true, ReturnUrl: 'https://office.example.com/paid', NotifyUrl: '' }
    const items = [form(), form({ key: 'f2', own })]
    const { documents } = await work.send(forms({ items, ReturnUrl: 'https://office.example.com/thanks' }))
    const addresses = ['https://office.example.com/thanks', 'https://office.example.com/paid']
    for (const { reference } of documents) expect(work.outbox.returnAddressesOf(reference)).toEqual(addresses)
    expect(work.outbox.returnAddressesOf('another')).toEqual([])
  })

  test('a package refused by the service can be fixed in its draft and sent', async () => {
    work.line.setFault({ status: 400 })
    const id = draft()
    const { id: first } = work.outbox.enqueue(id)
    work.outbox.sendNow(first)
    expect(await work.whenEnded(first)).toMatchObject({ state: 'refused', error: { mayHaveArrived: false } })
    work.line.setFault('pass')
    work.drafts.save(work.accountId, forms({ items: [form({ Name: 'Fixed' })] }), id)
    expect(failure(() => work.outbox.retry(first))).toMatchObject({ code: 'conflict' })
    const { id: second } = work.outbox.enqueue(id)
    work.outbox.sendNow(second)
    expect(await work.whenEnded(second)).toMatchObject({ state: 'sent', title: 'Fixed' })
    expect(work.outbox.list([work.accountId], all).rows).toMatchObject([{ state: 'sent', title: 'Fixed' }])
  })

  test('a refused package can be retried unchanged', async () => {
    work.line.setFault({ status: 409 })
    const { id } = await work.send(forms())
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(1)
    work.line.setFault('pass')
    expect(work.outbox.retry(id)).toMatchObject({ state: 'ready', hold: 'turn' })
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(0)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent', attempt: 1 })
  })

  test('“send again as new” makes a new draft, which is never sent automatically', async () => {
    const { id } = await work.send(forms())
    const copy = work.outbox.toDraft(id)
    expect(work.drafts.get(copy.id).composition).toEqual(forms())
    expect(work.outbox.get(id).state).toBe('sent')
    await work.time.pass(3_600_000)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('a refused package whose draft was deleted can be made a draft again, once', async () => {
    work.line.setFault({ status: 400 })
    const { id, draftId } = await work.send(forms())
    work.drafts.remove(draftId ?? '')
    const made = work.outbox.toDraft(id)
    expect(made.id).not.toBe(draftId)
    expect(work.outbox.get(id).state).toBe('cancelled')
    expect(work.outbox.toDraft(id).id).toBe(made.id)
  })

  test('changes to many sends are reported together', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0 })
    for (let index = 0; index < 20; index++) work.outbox.enqueue(draft())
    await expect.poll(() => work.receivedRequests('SendForms2').length).toBe(20)
    await work.time.pass(200)
    expect(work.notified.sends.length).toBeLessThan(20)
    expect(new Set(work.notified.sends.flat()).size).toBe(20)
  })
})

describe('drafts in the outbox', () => {
  test('a waiting draft can’t be changed or removed, and isn’t listed', () => {
    const id = draft()
    work.outbox.enqueue(id)
    expect(failure(() => work.drafts.save(work.accountId, forms(), id))).toMatchObject({ code: 'busy' })
    expect(failure(() => work.drafts.remove(id))).toMatchObject({ code: 'busy' })
    expect(work.drafts.list([work.accountId]).rows).toEqual([])
  })

  test('a late save doesn’t bring back a sent draft', async () => {
    const { draftId } = await work.send(forms())
    expect(() => work.drafts.save(work.accountId, forms(), draftId)).toThrow()
    expect(work.drafts.list([work.accountId]).rows).toEqual([])
  })

  test('a send that is waiting or uncertain can’t be made a draft', async () => {
    const { id } = work.outbox.enqueue(draft())
    expect(failure(() => work.outbox.toDraft(id))).toMatchObject({ code: 'busy' })
    work.line.setFault('lose-answer', (method) => method === 'POST')
    work.outbox.sendNow(id)
    await work.whenEnded(id)
    expect(failure(() => work.outbox.toDraft(id))).toMatchObject({ code: 'busy' })
    expect(failure(() => work.outbox.retry(id))).toMatchObject({ code: 'busy' })
  })
})

describe('the list of sends', () => {
  beforeEach(async () => {
    await work.send(forms({ items: [form({ Name: 'Lease of Ōtaki Road', signers: [signer({ LastName: 'Ngata' })] })] }))
    work.line.setFault({ status: 400 })
    await work.send(forms({ items: [form({ Name: 'Guarantee 100%' })] }))
    work.outbox.enqueue(draft(forms({ items: [form({ Name: 'Waiting' })] })))
  })
  const titles = (query: object) =>
    work.outbox.list([work.accountId], { ...all, ...query }).rows.map(({ title }) => title)

  test('shows the newest first, and can be filtered', () => {
    expect(titles({})).toEqual(['Waiting', 'Guarantee 100%', 'Lease of Ōtaki Road'])
    expect(titles({ show: 'sent' })).toEqual(['Lease of Ōtaki Road'])
    expect(titles({ show: 'attention' })).toEqual(['Guarantee 100%'])
    expect(titles({ show: 'waiting' })).toEqual(['Waiting'])
  })

  test('is searched by prefixes in titles and signers’ names, ignoring case and macrons', async () => {
    const found = async (words: string, show: 'all' | 'sent' = 'all') =>
      (await work.outbox.search([work.accountId], words, { ...all, show })).rows.map(({ title }) => title)
    expect(await found('OTAKI nga')).toEqual(['Lease of Ōtaki Road'])
    expect(await found('guarantee 100%')).toEqual(['Guarantee 100%'])
    expect(await found('guarantee', 'sent')).toEqual([])
    expect(await found('lease nobody')).toEqual([])
    expect(await found('%')).toEqual([])
    expect(await found('mere')).toEqual(['Waiting', 'Guarantee 100%', 'Lease of Ōtaki Road'])
  })

  test('is paged, with the total', () => {
    expect(work.outbox.list([work.accountId], { ...all, offset: 1, limit: 1 })).toMatchObject({
      rows: [{ title: 'Guarantee 100%' }],
      total: 3
    })
    expect(work.outbox.state(work.accountId).counts).toMatchObject({ ready: 1, sent: 1, refused: 1 })
  })
})
