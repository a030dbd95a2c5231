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

describe('sending', () => {
  test('a package that the service takes is sent, and its draft is gone', async () => {
    const send = await work.send(forms())
    expect(send).toMatchObject({ state: 'sent', title: 'Tax file declaration', who: 'Mere Tamati', attempt: 1 })
    expect(send.packageReference).toBeTruthy()
    expect(send.documents).toHaveLength(1)
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(0)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('one of which nobody can be told keeps the next from nothing', async () => {
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

  test('a Form Filler package likewise', async () => {
    expect(await work.send(templates())).toMatchObject({ state: 'sent', kind: 'form-filler' })
    expect(work.receivedRequests('Send')).toHaveLength(1)
  })

  test('signing links never leave in what the screens are shown', async () => {
    const { id } = await work.send(forms({ embedded: true }))
    const { documents } = work.outbox.get(id)
    const mirrored = await work.ask('get', { accountId: work.accountId, reference: documents[0]?.reference ?? '' })
    expect(mirrored?.document.Signers?.[0]?.SigningKey).toMatch(/^http/)
    expect(JSON.stringify([work.outbox.get(id), work.outbox.list([work.accountId], all)])).not.toContain('SigningKey')
  })

  test('a draft with missing values is not sent, and says what is missing', () => {
    const blank = draft(forms({ items: [form({ Name: '' })] }))
    expect(failure(() => work.outbox.enqueue(blank))).toMatchObject({ code: 'invalid', fields: [{ field: 'f1.Name' }] })
    expect(work.outbox.list([work.accountId], all).total).toBe(0)
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(1)
  })

  test('by when it can be signed is told as the service has it, else as it was sent, for the one that is looked at', async () => {
    const dated = await work.send(forms({ due: '2027-01-29T17:00', gmt: '780', zone: 'Pacific/Auckland' }))
    expect(work.outbox.get(dated.id).due?.at).toBe(Date.UTC(2027, 0, 29, 4))
    expect(work.outbox.list([work.accountId], all).rows[0]).not.toHaveProperty('due')
  })

  describe('the same once more', () => {
    const people = { FirstName: 'Mere', Email: 'mere.tamati@example.com' }

    test('is a draft of its own: without people, with its forms and settings', async () => {
      const { id } = await work.send(forms({ embedded: true, ReturnUrl: 'https://office.example.com/' }))
      const copy = work.drafts.get(work.outbox.duplicate(id, 'nothing').id).composition
      expect(copy).toMatchObject({ embedded: true, ReturnUrl: 'https://office.example.com/' })
      expect(copy.items[0]).toMatchObject({ Name: 'Tax file declaration', Reference: 'TFN-1' })
      expect(copy.items[0]?.signers[0]).toMatchObject({ FirstName: '', LastName: '', Email: '', MobileNumber: '' })
      expect(JSON.stringify(copy)).not.toContain(people.Email)
      expect(work.outbox.get(id).state).toBe('sent')
    })

    test('to the same people counts as a duplicate until something in it is changed', async () => {
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

    test('is seen while the first still waits, as one that waits, and no more once that was taken back', async () => {
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

  test('what is put in the outbox is remembered for the next time, and kept in the history of its draft', () => {
    const id = draft()
    work.outbox.enqueue(id)
    expect(work.noted).toEqual([work.accountId])
    expect(work.drafts.history(id)).toMatchObject([{ reason: 'send' }])
  })

  test('where its signer is led after signing is known by the document', async () => {
    const own = { embedded: true, ReturnUrl: 'https://office.example.com/paid', NotifyUrl: '' }
    const items = [form(), form({ key: 'f2', own })]
    const { documents } = await work.send(forms({ items, ReturnUrl: 'https://office.example.com/thanks' }))
    const addresses = ['https://office.example.com/thanks', 'https://office.example.com/paid']
    for (const { reference } of documents) expect(work.outbox.returnAddressesOf(reference)).toEqual(addresses)
    expect(work.outbox.returnAddressesOf('another')).toEqual([])
  })

  test('a package that the service does not want is refused, and its draft can be fixed and sent', async () => {
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

  test('a package that was refused goes again as it is when a person asks for it', async () => {
    work.line.setFault({ status: 409 })
    const { id } = await work.send(forms())
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(1)
    work.line.setFault('pass')
    expect(work.outbox.retry(id)).toMatchObject({ state: 'ready', hold: 'turn' })
    expect(work.drafts.list([work.accountId]).counts.drafts).toBe(0)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent', attempt: 1 })
  })

  test('"send again as new" makes a new draft of what was sent, and never does so by itself', async () => {
    const { id } = await work.send(forms())
    const copy = work.outbox.toDraft(id)
    expect(work.drafts.get(copy.id).composition).toEqual(forms())
    expect(work.outbox.get(id).state).toBe('sent')
    await work.time.pass(3_600_000)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('a refused package whose draft was deleted can still be made a draft again, once', async () => {
    work.line.setFault({ status: 400 })
    const { id, draftId } = await work.send(forms())
    work.drafts.remove(draftId ?? '')
    const made = work.outbox.toDraft(id)
    expect(made.id).not.toBe(draftId)
    expect(work.outbox.get(id).state).toBe('cancelled')
    expect(work.outbox.toDraft(id).id).toBe(made.id)
  })

  test('changes are reported together, and not of every send alone', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0 })
    for (let index = 0; index < 20; index++) work.outbox.enqueue(draft())
    await expect.poll(() => work.receivedRequests('SendForms2').length).toBe(20)
    await work.time.pass(200)
    expect(work.told.sends.length).toBeLessThan(20)
    expect(new Set(work.told.sends.flat()).size).toBe(20)
  })
})

describe('what belongs to the outbox', () => {
  test('a draft that waits there can be neither changed, removed nor listed', () => {
    const id = draft()
    work.outbox.enqueue(id)
    expect(failure(() => work.drafts.save(work.accountId, forms(), id))).toMatchObject({ code: 'busy' })
    expect(failure(() => work.drafts.remove(id))).toMatchObject({ code: 'busy' })
    expect(work.drafts.list([work.accountId]).rows).toEqual([])
  })

  test('a save that comes late does not bring back a draft that was sent', async () => {
    const { draftId } = await work.send(forms())
    expect(() => work.drafts.save(work.accountId, forms(), draftId)).toThrow()
    expect(work.drafts.list([work.accountId]).rows).toEqual([])
  })

  test('a send that waits, is on its way or is uncertain is not made a draft beside it', async () => {
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

  test('shows the newest first, and what is asked for', () => {
    expect(titles({})).toEqual(['Waiting', 'Guarantee 100%', 'Lease of Ōtaki Road'])
    expect(titles({ show: 'sent' })).toEqual(['Lease of Ōtaki Road'])
    expect(titles({ show: 'attention' })).toEqual(['Guarantee 100%'])
    expect(titles({ show: 'waiting' })).toEqual(['Waiting'])
  })

  test('is searched by the beginnings of words of title and signers, whatever the case and the macrons', async () => {
    const found = async (words: string, show: 'all' | 'sent' = 'all') =>
      (await work.outbox.search([work.accountId], words, { ...all, show })).rows.map(({ title }) => title)
    expect(await found('OTAKI nga')).toEqual(['Lease of Ōtaki Road'])
    expect(await found('guarantee 100%')).toEqual(['Guarantee 100%'])
    expect(await found('guarantee', 'sent')).toEqual([])
    expect(await found('lease nobody')).toEqual([])
    expect(await found('%')).toEqual([])
    expect(await found('mere')).toEqual(['Waiting', 'Guarantee 100%', 'Lease of Ōtaki Road'])
  })

  test('comes in pages, with how many there are', () => {
    expect(work.outbox.list([work.accountId], { ...all, offset: 1, limit: 1 })).toMatchObject({
      rows: [{ title: 'Guarantee 100%' }],
      total: 3
    })
    expect(work.outbox.state(work.accountId).counts).toMatchObject({ ready: 1, sent: 1, refused: 1 })
  })
})
