import { describe, expect, it } from 'vitest'
import { aForm, anotherSigner, answered, aSigner, aTemplate, only, practice, refusal } from './practice.ts'

const both = { Signers: [aSigner(), anotherSigner()] }

describe('A document', () => {
  it('goes from NotStart through its signatures to Complete, and through the folders', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm(both)))
    const current = async () => {
      const now = await office.document(document.Reference)
      return [now.Status, now.Folder]
    }
    expect(await current()).toEqual(['NotStart', 'InBox'])
    await office.ask(signers[0]?.SigningKey ?? '')
    expect(await current()).toEqual(['Filling', 'Progress'])
    await office.sign(signers[0]?.SigningKey)
    expect(await current()).toEqual(['1 of 2 Signed', 'Progress'])
    await office.sign(signers[1]?.SigningKey)
    expect(await current()).toEqual(['Complete', 'Signed'])
  })

  it('says of each signer whether they have signed and can still be corrected', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm(both)))
    expect(signers.map((one) => [one.SignedStatus, one.HasSigned, one.Editable])).toEqual([
      ['Invitation', false, true],
      ['Invitation', false, true]
    ])
    office.pass(60_000)
    await office.sign(signers[0]?.SigningKey)
    const now = await office.document(document.Reference)
    expect(now.Signers?.map((one) => [one.SignedStatus, one.HasSigned, one.Editable])).toEqual([
      ['Signed', true, false],
      ['Invitation', false, true]
    ])
    expect(now.LastSignedDate).toBe(new Date(office.now()).toISOString())
    expect(now.Signers?.map((one) => one.SigningKey !== undefined)).toEqual([false, true])
  })

  it('waits in the InBox for the account’s own user', async () => {
    const office = practice()
    const { user } = office.state.account
    const { document, signers } = only(
      await office.sendTemplates({ Sequential: true }, aTemplate({ Signers: [aSigner(), user] }))
    )
    await office.sign(signers[0]?.SigningKey)
    expect((await office.document(document.Reference)).Folder).toBe('InBox')
  })

  it('keeps a log of who did what, with GMT and role, shown only on request', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm()))
    await office.sign(signers[0]?.SigningKey)
    const { Logs = [] } = await office.document(document.Reference)
    expect(Logs.map((entry) => [entry.Role, entry.Name])).toEqual([
      ['Sender', 'Robin Hart'],
      ['System', 'Practice service'],
      ['Signer', 'Aroha Parata'],
      ['Signer', 'Aroha Parata'],
      ['System', 'Practice service']
    ])
    expect(Logs.every((entry) => entry.GMT === '720' && entry.Action && entry.Date)).toBe(true)
    const [without] = await answered<{ Logs?: unknown }[]>(
      await office.get('/Document/GetActiveDocuments/Signed?DocumentLog=false')
    )
    expect(without?.Logs).toBeUndefined()
  })

  it('does not wait for an optional signer, who can still sign', async () => {
    const office = practice()
    const { document, signers } = only(
      await office.sendForms(aForm({ Signers: [aSigner(), anotherSigner({ Optional: true })] }))
    )
    expect(signers[1]?.SignedStatus).toBe('Initialized')
    await office.sign(signers[0]?.SigningKey)
    expect((await office.document(document.Reference)).Status).toBe('Complete')
    const other = only(await office.sendForms(aForm({ Signers: [aSigner(), anotherSigner({ Optional: true })] })))
    expect((await office.sign(other.signers[1]?.SigningKey)).status).toBe(302)
  })

  it('ends for everybody when one signer declines', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm(both)))
    await office.submit(`${signers[0]?.SigningKey}/decline`, { reason: 'The amount is wrong.' })
    const now = await office.document(document.Reference)
    expect(now).toMatchObject({ Status: 'Declined', Folder: 'Progress' })
    expect(now.Signers?.[0]).toMatchObject({
      SignedStatus: 'Declined',
      DeclinedReason: 'The amount is wrong.',
      Editable: false
    })
    expect(now.Signers?.[1]?.DeclinedReason).toBeUndefined()
    expect((await office.sign(signers[1]?.SigningKey)).status).toBe(409)
    expect((await office.document(document.Reference)).Status).toBe('Declined')
  })
})

describe('Signing in order', () => {
  it('invites one after another and refuses anyone out of turn', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendTemplates({ Sequential: true }, aTemplate()))
    expect(signers.map((one) => one.SignedStatus)).toEqual(['Invitation', 'Initialized'])
    const early = await office.sign(signers[1]?.SigningKey)
    expect(early.status).toBe(409)
    expect(await early.text()).toContain('Aroha Parata')
    expect((await office.document(document.Reference)).Status).toBe('NotStart')
    await office.sign(signers[0]?.SigningKey)
    expect((await office.document(document.Reference)).Signers?.[1]?.SignedStatus).toBe('Invitation')
    expect((await office.sign(signers[1]?.SigningKey)).status).toBe(302)
    expect((await office.document(document.Reference)).Status).toBe('Complete')
  })
})

describe('The due date', () => {
  it('is fourteen days after sending by default', async () => {
    const office = practice()
    const { document } = only(await office.sendForms(aForm()))
    expect(Date.parse(document.DueDate ?? '') - office.now()).toBe(14 * 24 * 60 * 60 * 1000)
  })

  it('passes into Expired, and the links say so', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm()))
    office.passDays(14)
    const now = await office.document(document.Reference)
    expect(now).toMatchObject({ Status: 'Expired', Folder: 'Progress' })
    expect(now.Signers?.[0]).toMatchObject({ SignedStatus: 'Expired', Editable: true })
    expect((await office.sign(signers[0]?.SigningKey)).status).toBe(409)
    expect(await (await office.ask(signers[0]?.SigningKey ?? '')).text()).toContain('The time to sign has passed')
  })

  it('is moved for every document of the package, and revives expired ones in their former state', async () => {
    const office = practice()
    const sent = await office.sendTemplates({ Sequential: true }, aTemplate(), aTemplate({ Name: 'Second' }))
    const [first, second] = sent.Documents ?? []
    await office.sign(first?.Signers?.[0]?.SigningKey)
    office.passDays(20)
    expect((await office.document(second?.Reference ?? '')).Status).toBe('Expired')
    const answer = await answered<object>(
      await office.post('/Document/Extend', {
        DocumentReference: second?.Reference,
        DueDate: '2026-08-01T12:00:00Z',
        GMT: '0'
      })
    )
    expect(answer).toMatchObject({
      Reference: second?.Reference,
      DueDate: '2026-08-01T12:00:00.000Z',
      Status: 'NotStart',
      GMT: '0'
    })
    const extended = await office.document(first?.Reference ?? '')
    expect(extended).toMatchObject({ DueDate: '2026-08-01T12:00:00.000Z', Status: '1 of 2 Signed' })
    expect(extended.Signers?.map((one) => one.SignedStatus)).toEqual(['Signed', 'Invitation'])
    expect((await office.sign(extended.Signers?.[1]?.SigningKey)).status).toBe(302)
  })

  it('cannot be moved to an invalid or past date, or after nothing can be signed any more', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm()))
    const extend = (DueDate: string) =>
      office.post('/Document/Extend', { DocumentReference: document.Reference, DueDate })
    for (const unreadable of ['next Friday', '31/31/2026', '2026-13-01']) {
      expect(await refusal(await extend(unreadable))).toMatchObject({
        status: 400,
        code: 'InvalidDate',
        fields: ['DueDate']
      })
    }
    expect(await refusal(await extend('2026-01-01'))).toMatchObject({ status: 400, code: 'PastDate' })
    expect((await office.document(document.Reference)).DueDate).toBe(document.DueDate)
    await office.sign(signers[0]?.SigningKey)
    expect(await refusal(await extend('2026-12-01'))).toMatchObject({ status: 409 })
    expect(
      await refusal(await office.post('/Document/Extend', { DocumentReference: 'none', DueDate: '2026-12-01' }))
    ).toMatchObject({ status: 404 })
  })

  it('without a time means the end of that day, in the user’s time zone or at the given GMT', async () => {
    const office = practice()
    const due = async (GMT?: string) => {
      const { Documents } = await answered<{ Documents: { DueDate: string }[] }>(
        await office.post('/FormDirect/SendForms2', { Forms: [aForm()], DueDate: '2026-07-01', GMT })
      )
      return Documents[0]?.DueDate
    }
    expect(await due()).toBe('2026-07-01T11:59:59.000Z')
    expect(await due('0')).toBe('2026-07-01T23:59:59.000Z')
    expect(await due('-300')).toBe('2026-07-02T04:59:59.000Z')
  })
})

describe('After the retention period', () => {
  it('a document is gone, and Validation answers not found', async () => {
    const office = practice({ retentionDays: 30 })
    const { document, signers } = only(await office.sendForms(aForm()))
    await office.sign(signers[0]?.SigningKey)
    office.passDays(29)
    expect((await office.get(`/Document/Validation/${document.Reference}`)).status).toBe(200)
    office.passDays(1)
    expect(await refusal(await office.get(`/Document/Validation/${document.Reference}`))).toMatchObject({
      status: 404,
      code: 'DocumentNotFound'
    })
    expect(await office.documents()).toEqual([])
    expect(office.state.packages).toEqual({})
    expect((await office.ask(signers[0]?.SigningKey ?? '')).status).toBe(404)
  })

  it('an unopened document leaves, counted from its due date', async () => {
    const office = practice({ retentionDays: 30 })
    await office.sendForms(aForm())
    office.passDays(43)
    expect(await office.documents()).toHaveLength(1)
    office.passDays(1)
    expect(await office.documents()).toEqual([])
  })
})

describe('Correcting a signer', () => {
  const update = (office: ReturnType<typeof practice>, DocumentReference: string | undefined, ...Signers: object[]) =>
    office.post('/Document/UpdateSigner', { DocumentReference, Signers })

  it('changes who is invited; a new e-mail address ends the old link', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm(both)))
    const [first] = signers
    const changed = aSigner({
      SignerReference: first?.SignerReference,
      FirstName: 'Arohanui',
      Email: 'new@example.com',
      MobileNumber: '021012345'
    })
    const answer = await answered<{ Signers: { FirstName: string; SigningKey: string }[] }>(
      await update(office, document.Reference, changed)
    )
    expect(answer.Signers[0]).toMatchObject({
      FirstName: 'Arohanui',
      Email: 'new@example.com',
      MobileNumber: '021012345',
      SignedStatus: 'Invitation'
    })
    expect(answer.Signers[1]).toMatchObject({ FirstName: 'Sione' })
    expect((await office.ask(first?.SigningKey ?? '')).status).toBe(404)
    expect((await office.sign(first?.SigningKey)).status).toBe(404)
    expect((await office.sign(answer.Signers[0]?.SigningKey)).status).toBe(302)
  })

  it('keeps the link when only the name was wrong', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm()))
    await answered(await update(office, document.Reference, aSigner({ FirstName: 'Ārohanui' })))
    expect(await (await office.ask(signers[0]?.SigningKey ?? '')).text()).toContain('Ārohanui')
  })

  it('is refused if one of them has signed, and then changes nobody', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm(both)))
    await office.sign(signers[0]?.SigningKey)
    const [one, other] = signers
    const response = await update(
      office,
      document.Reference,
      anotherSigner({ SignerReference: other?.SignerReference, FirstName: 'X' }),
      aSigner({ SignerReference: one?.SignerReference, FirstName: 'Y' })
    )
    expect(await refusal(response)).toMatchObject({ status: 409, code: 'SignerNotEditable' })
    expect((await office.document(document.Reference)).Signers?.map((signer) => signer.FirstName)).toEqual([
      'Aroha',
      'Sione'
    ])
  })

  it('finds the signer by reference, otherwise by e-mail, and refuses an ambiguous one', async () => {
    const office = practice()
    const { document } = only(await office.sendForms(aForm(both)))
    expect(
      await refusal(await update(office, document.Reference, aSigner({ SignerReference: 'nobody' })))
    ).toMatchObject({ status: 400, fields: ['Signers[0].SignerReference'] })
    expect(
      await refusal(await update(office, document.Reference, aSigner({ Email: 'third@example.com' })))
    ).toMatchObject({ status: 400, fields: ['Signers[0].SignerReference'] })
    expect((await update(office, document.Reference, aSigner({ LastName: 'Ngata' }))).status).toBe(200)
    expect((await update(office, 'none', aSigner())).status).toBe(404)
  })
})

describe('A reminder', () => {
  it('counts up, and is refused if it would be pointless', async () => {
    const office = practice()
    const { document, signers } = only(await office.sendForms(aForm()))
    const remind = () =>
      office.post('/Document/SendReminder', {
        DocumentReference: document.Reference,
        SignerReference: signers[0]?.SignerReference
      })
    const statuses: unknown[] = []
    for (let time = 0; time < 4; time++) {
      statuses.push((await answered<{ Signers: { SignedStatus: string }[] }>(await remind())).Signers[0]?.SignedStatus)
    }
    expect(statuses).toEqual(['Reminder1', 'Reminder2', 'Reminder', 'Reminder'])
    await office.sign(signers[0]?.SigningKey)
    expect((await remind()).status).toBe(409)
  })
})
