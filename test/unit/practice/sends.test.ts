import { describe, expect, it } from 'vitest'
import { aForm, anotherSigner, answered, aSigner, aTemplate, only, practice, refusal } from './practice.ts'

describe('SendForms2', () => {
  it('answers a package with its documents and their signing links', async () => {
    const office = practice()
    const answer = await answered<Record<string, unknown>>(
      await office.post('/web/v1.4/FormDirect/SendForms2', {
        Forms: [aForm({ ClientReference: 'M-1' }), aForm({ Name: 'Other', EmbedForm: false })]
      })
    )
    expect(answer).toMatchObject({
      PackageReference: expect.stringMatching(/^[\da-f-]{36}$/),
      QueueReference: expect.any(String),
      PackageName: 'Letter and 1 more',
      PackageStatus: 'Sent',
      Documents: [
        {
          Name: 'Letter',
          FormDirectReference: 'letter',
          ClientReference: 'M-1',
          Status: 'NotStart',
          PackageReference: answer.PackageReference
        },
        { Name: 'Other' }
      ]
    })
    const [embedded, mailed] = answer.Documents as { Signers: { SigningKey?: string }[] }[]
    expect(embedded?.Signers[0]?.SigningKey).toMatch(/^http:\/\/127\.0\.0\.1:4100\/web\/v1\.4\/sign\/[\w-]{43}$/)
    expect(mailed?.Signers[0]).not.toHaveProperty('SigningKey')
  })

  it('gives every signer a link of their own that works', async () => {
    const office = practice()
    const { signers } = only(await office.sendForms(aForm({ Signers: [aSigner(), anotherSigner()] })))
    const keys = signers.map((one) => one.SigningKey ?? '')
    expect(new Set(keys).size).toBe(2)
    expect(await (await office.ask(keys[1] ?? '')).text()).toContain('I am Sione Fonua')
  })

  it('asks for identity if known data, its questions or a video is requested', async () => {
    const office = practice()
    const asksForIdentity = async (more: object) =>
      only(await office.sendForms(aForm({ Signers: [aSigner(more)] }))).document.IDVerificationRequested
    expect(await asksForIdentity({})).toBe(false)
    expect(await asksForIdentity({ UseIDData: true })).toBe(true)
    expect(await asksForIdentity({ UseIDData: false, IDData: [{ Label: 'a', Value: 'b', DataType: 'text' }] })).toBe(
      false
    )
    expect(await asksForIdentity({ IDData: [{ Label: 'a', Value: 'b', DataType: 'text' }] })).toBe(true)
    expect(await asksForIdentity({ VideoConfirmation: true })).toBe(true)
  })

  it('fills a form from its employer, its XML data and its lists', async () => {
    const office = practice({ data: 'demo' })
    const sent = await answered<{ Documents: { Signers: { SigningKey: string }[] }[] }>(
      await office.post('/FormDirect/SendForms2', {
        Forms: [
          aForm({
            Name: 'Superannuation choice',
            EmployerReference: 'emp-harbour',
            XMLData:
              '<c:Client xmlns:c="x"><c:Nickname>Bo &amp; Co</c:Nickname><super_member>77</super_member></c:Client>'
          })
        ],
        ListItems: [
          { ClientField: 'BranchOffice', Item: 'Wellington', Value: 'WLG' },
          { ClientField: 'BranchOffice', Item: 'Sydney', Value: 'SYD' }
        ]
      })
    )
    const page = await (await office.ask(sent.Documents[0]?.Signers[0]?.SigningKey ?? '')).text()
    expect(page).toContain('Harbour Joinery Pty Ltd')
    expect(page).toContain('Bo &amp; Co')
    expect(page).toMatch(/name="field-\d+" value="77"/)
    expect(page).toContain('Branch office')
    expect(page).toContain('<option value="SYD">Sydney</option>')
  })

  it('sends nothing when too few documents are left in the plan', async () => {
    const office = practice()
    office.state.account.documentsLeft = 1
    expect(await refusal(await office.post('/FormDirect/SendForms2', { Forms: [aForm(), aForm()] }))).toMatchObject({
      status: 426
    })
    expect(office.state.documents).toEqual({})
    expect((await office.post('/FormDirect/SendForms2', { Forms: [aForm()] })).status).toBe(200)
    expect(await answered(await office.get('/Account/Info'))).toMatchObject({ DocumentLeft: 0, DefaultDueDate: 14 })
  })
})

describe('SendForms', () => {
  it('accepts the same request and answers only the documents', async () => {
    const office = practice()
    const documents = await answered<unknown[]>(
      await office.post('/FormDirect/SendForms', { Forms: [aForm(), aForm()] })
    )
    expect(documents).toHaveLength(2)
    expect(documents[0]).toMatchObject({ Name: 'Letter', Status: 'NotStart' })
  })
})

describe('Form Filler’s Send', () => {
  it('answers a package with the signing links also at the top', async () => {
    const office = practice()
    const sent = await office.sendTemplates({}, aTemplate())
    expect(sent.Signers?.map((one) => one.SigningKey)).toEqual(
      sent.Documents?.[0]?.Signers?.map((one) => one.SigningKey)
    )
    expect(sent.Signers?.[0]?.SigningKey).toBeTruthy()
    const mailed = await office.sendTemplates({ Embedded: false }, aTemplate())
    expect(mailed.Signers?.[0]?.SigningKey).toBeUndefined()
  })

  it('overrides the template’s fields with those sent', async () => {
    const office = practice()
    await office.sendTemplates(
      {},
      {
        Reference: 'tpl-privacy',
        Signers: [aSigner()],
        Fields: [
          {
            Label: '',
            Value: 'Phone',
            FieldType: 'RadioButton',
            IsRequired: false,
            ID: '',
            Reference: 'contact_by',
            ReadOnly: true,
            ClientField: ''
          },
          {
            Label: 'Extra',
            Value: 'Red|Green',
            FieldType: 'DropDownList',
            IsRequired: true,
            ID: 'x',
            Reference: 'x',
            ReadOnly: false,
            ClientField: 'x'
          }
        ]
      }
    )
    const [document] = Object.values(office.state.documents)
    expect(document?.name).toBe('Privacy consent')
    expect(document?.fields.map((field) => field.reference)).toEqual(['share_with', 'contact_by', 'consent', 'x'])
    expect(document?.fields[1]).toMatchObject({
      label: 'Contact me by',
      value: 'Phone',
      readOnly: true,
      required: false
    })
    expect(document?.fields[3]?.choices?.map((choice) => choice.value)).toEqual(['Red', 'Green'])
  })
})

describe('Other records', () => {
  it('lists templates with every type of field, and one entry without signers and fields', async () => {
    const office = practice()
    const templates = await answered<{ Reference: string; Signers?: unknown[]; Fields?: { FieldType: string }[] }[]>(
      await office.get('/FormFiller/GetTemplateList')
    )
    expect(templates.length).toBeGreaterThan(12)
    const types = new Set(templates.flatMap((one) => one.Fields ?? []).map((field) => field.FieldType))
    expect([...types].sort()).toEqual(['CheckBox', 'DateInput', 'DropDownList', 'MultiLineText', 'RadioButton', 'Text'])
    expect(templates.filter((one) => !one.Fields && !one.Signers)).toHaveLength(1)
  })

  it('keeps employers by their reference, with one default per list', async () => {
    const office = practice()
    const update = async (TFN: object[]) =>
      answered<{ TFN: object[]; MOJ: object[]; SuperFund: object[] }>(
        await office.post('/FormDirect/UpdateEmployers', { TFN })
      )
    const added = await update([{ Reference: 'new', Name: 'New', IsDefault: true, ABN: '1' }])
    expect(added.TFN).toMatchObject([
      { Reference: 'emp-harbour', IsDefault: false },
      { Reference: 'new', IsDefault: true, ABN: '1' }
    ])
    const changed = await update([{ Reference: 'new', Name: 'Newer' }])
    expect(changed.TFN).toHaveLength(2)
    expect(changed.TFN[1]).toEqual({ Reference: 'new', Name: 'Newer' })
    expect(changed.MOJ).toHaveLength(1)
    expect(await answered(await office.get('/FormDirect/Employers'))).toEqual(changed)
  })

  it('answers the same recipients on both paths', async () => {
    const office = practice()
    const one = await answered<object[]>(await office.get('/Recipient/GetRecipients'))
    expect(one).toEqual(await answered(await office.get('/Recipient/Recipients')))
    expect(one[0]).toMatchObject({
      NotificationRecipients: [{ RecipientReference: 'rcp-robin' }, {}, {}],
      CompletionRecipients: [{}, {}]
    })
  })

  it('records who is to notarise a document, and shows it in the log', async () => {
    const office = practice()
    const { document } = only(await office.sendForms(aForm()))
    const assign = (more: object) =>
      office.post('/Notary/AssignQueueDocument', {
        PackageReference: document.PackageReference,
        DocumentReference: document.Reference,
        NotaryReference: 'n-1',
        Send: true,
        ...more
      })
    expect(await answered(await assign({}))).toEqual({
      PackageReference: document.PackageReference,
      PackageName: 'Letter',
      PackageStatus: 'Sent',
      DocumentIDs: [document.Reference]
    })
    await answered(await assign({ NotaryReference: 'n-2', Send: false }))
    expect(office.state.notary).toMatchObject([{ notaryReference: 'n-2', send: false }])
    expect(
      (await office.document(document.Reference)).Logs?.filter((entry) => entry.Role === 'Notary').map(
        (entry) => entry.Action
      )
    ).toEqual([expect.stringContaining('n-1'), expect.stringContaining('n-2')])
    expect((await assign({ PackageReference: '__proto__' })).status).toBe(404)
    expect((await assign({ DocumentReference: 'constructor' })).status).toBe(404)
  })

  it('verifies each signature, and says when a document was altered', async () => {
    const office = practice()
    const { document, signers } = only(
      await office.sendForms(aForm({ Signers: [aSigner({ SignerType: 'Client' }), anotherSigner()] }))
    )
    const validation = async () =>
      answered<{ Signatures: { isValid: boolean }[]; DocumentURL: string }>(
        await office.get(`/Document/Validation/${document.Reference}`)
      )
    expect((await validation()).Signatures).toEqual([])
    await office.sign(signers[0]?.SigningKey)
    const one = await validation()
    expect(one).toMatchObject({
      DocumentName: 'Letter',
      Signatures: [
        {
          isValid: true,
          User: 'Aroha Parata',
          SignatureTime: new Date(office.now()).toISOString(),
          Signer: { FirstName: 'Aroha', SignerType: 'Client', HasSigned: true }
        }
      ]
    })
    const copy = await office.ask(one.DocumentURL)
    expect(copy.headers.get('content-type')).toBe('application/pdf')
    expect((await copy.text()).slice(0, 5)).toBe('%PDF-')
    expect((await office.ask(`${one.DocumentURL}x`)).status).toBe(404)
    const stored = office.state.documents[document.Reference]
    if (stored) stored.altered = true
    expect((await validation()).Signatures[0]?.isValid).toBe(false)
    expect((await office.get('/Document/Validation/__proto__')).status).toBe(404)
  })

  it('refuses an unknown folder', async () => {
    const office = practice()
    expect(await refusal(await office.get('/Document/GetActiveDocuments/Archive'))).toMatchObject({
      status: 400,
      fields: ['Folder']
    })
    expect((await office.get('/Document/GetActiveDocuments/inbox')).status).toBe(200)
  })
})
