import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SendFormDirectRequest, SendFormFillerRequest } from '../../../src/shared/model/index.ts'
import { aForm, answered, aSigner, aTemplate, only, practice, refusal } from './practice.ts'

describe('A request from an older client', () => {
  it('is read whatever the case of its member names, and recorded as sent', async () => {
    const office = practice()
    await answered(
      await office.post('/FormDirect/SendForms2', {
        forms: [
          {
            name: 'Letter',
            REFERENCE: 'r',
            embedform: 'True',
            formType: '4',
            signers: [{ firstname: 'A', LASTNAME: 'B', eMail: 'a@example.com', useIdData: 'false', middleName: null }]
          }
        ],
        dueDate: '06/30/2026 17:30:00',
        gmt: 720
      })
    )
    expect(office.service.recorded()).toEqual([
      {
        operation: 'SendForms2',
        at: office.now(),
        body: {
          Forms: [
            {
              Name: 'Letter',
              Reference: 'r',
              EmbedForm: true,
              FormType: 4,
              Signers: [{ FirstName: 'A', LastName: 'B', Email: 'a@example.com', UseIDData: false }]
            }
          ],
          DueDate: '06/30/2026 17:30:00',
          GMT: '720'
        }
      }
    ])
    const [document] = await office.documents()
    expect(document?.DueDate).toBe('2026-06-30T05:30:00.000Z')
  })

  it('may lack every optional member, FormType and EmbedForm too, or leave it empty', async () => {
    const office = practice()
    const bare = { Name: 'Letter', Reference: 'r', Signers: [aSigner()] }
    const empty = {
      ...bare,
      FormType: '',
      EmbedForm: '',
      ReturnUrl: '',
      NotifyUrl: '',
      XMLData: '',
      EmployerReference: '',
      ClientReference: ''
    }
    const sent = await office.sendForms(bare, empty)
    expect(sent.Documents).toHaveLength(2)
    expect(sent.Documents?.[0]?.Signers?.[0]?.SigningKey).toBeUndefined()
    await answered(
      await office.post('/FormFiller/Send', {
        Templates: [{ Reference: 'deed', Signers: [aSigner()] }],
        DueDate: '',
        GMT: '',
        Embedded: ''
      })
    )
  })

  it('may name a field type by number, and ClientField by a boolean', async () => {
    const office = practice()
    const Fields = [
      { Label: 'When', Value: '', FieldType: 6, IsRequired: 'true', Reference: 'when', ClientField: true },
      { Label: 'What', FieldType: '1', ID: 'what' },
      { Label: 'Which', FieldType: 'checkbox', Reference: 'which' }
    ]
    await answered(await office.post('/FormFiller/Send', { Templates: [aTemplate({ Fields })] }))
    const [document] = Object.values(office.state.documents)
    expect(document?.fields.map((field) => field.type)).toEqual(['DateInput', 'MultiLineText', 'CheckBox'])
    expect(document?.fields[0]).toMatchObject({ required: true, clientField: 'true' })
  })

  it('is refused completely if a field’s type is invalid', async () => {
    const office = practice()
    const Fields = [
      { FieldType: 'Text', Reference: 'a' },
      { FieldType: 2, Reference: 'b' }
    ]
    const Templates = [aTemplate(), aTemplate({ Fields })]
    const refused = await refusal(await office.post('/FormFiller/Send', { Templates }))
    expect([refused.status, refused.fields]).toEqual([400, ['Templates[1].Fields[1].FieldType']])
    expect(Object.values(office.state.documents)).toEqual([])
  })

  it('may write the day first if the user’s DateFormat does', async () => {
    const office = practice()
    office.state.account.dateFormat = 'dd/MM/yyyy'
    await office.sendForms(aForm())
    const [document] = await office.documents()
    const extended = await answered<{ DueDate: string }>(
      await office.post('/Document/Extend', {
        DocumentReference: document?.Reference,
        DueDate: '25/12/2026 12:00',
        GMT: '0'
      })
    )
    expect(extended.DueDate).toBe('2026-12-25T12:00:00.000Z')
  })
})

describe('A request with members missing', () => {
  it('is refused with each missing member named', async () => {
    const office = practice()
    const Forms = [
      {
        Name: 'Letter',
        Signers: [
          { FirstName: 'A', Email: 'nobody' },
          { LastName: '', Email: null }
        ]
      },
      { Reference: 'r', Signers: [] },
      7
    ]
    expect(await refusal(await office.post('/FormDirect/SendForms2', { Forms }))).toEqual({
      status: 400,
      code: 'NotEmpty',
      message: `'Reference' must not be empty.`,
      fields: [
        'Forms[0].Reference',
        'Forms[0].Signers[0].LastName',
        'Forms[0].Signers[0].Email',
        'Forms[0].Signers[1].FirstName',
        'Forms[0].Signers[1].LastName',
        'Forms[0].Signers[1].Email',
        'Forms[1].Name',
        'Forms[1].Signers',
        'Forms[2]'
      ]
    })
    expect(office.state.documents).toEqual({})
  })

  it.each([
    ['/FormDirect/SendForms2', {}, ['Forms']],
    ['/FormDirect/SendForms', { Forms: 'all' }, ['Forms']],
    ['/FormFiller/Send', { Templates: [{}] }, ['Templates[0].Reference', 'Templates[0].Signers']],
    ['/Document/UpdateSigner', {}, ['DocumentReference', 'Signers']],
    ['/Document/Extend', { DocumentReference: 'x' }, ['DueDate']],
    [
      '/Notary/AssignQueueDocument',
      { Send: 'maybe' },
      ['PackageReference', 'DocumentReference', 'NotaryReference', 'Send']
    ],
    ['/FormDirect/UpdateEmployers', { TFN: [{ Reference: 'x' }] }, ['TFN[0].Name']]
  ])('is refused by %s', async (path, body, fields) => {
    const office = practice()
    expect(await refusal(await office.post(path, body))).toMatchObject({ status: 400, fields })
  })

  it('is refused if an e-mail address is only spaces', async () => {
    const office = practice()
    const Forms = [aForm({ Signers: [aSigner({ Email: '  ' })] })]
    expect(await refusal(await office.post('/FormDirect/SendForms2', { Forms }))).toMatchObject({
      status: 400,
      code: 'NotEmpty',
      fields: ['Forms[0].Signers[0].Email']
    })
  })

  it('is also refused if its due date is unreadable or has passed', async () => {
    const office = practice()
    for (const DueDate of ['soon', '2026-02-30', '2020-01-01', '/Date(8640000000000000)/']) {
      expect(await refusal(await office.post('/FormDirect/SendForms2', { Forms: [aForm()], DueDate }))).toMatchObject({
        status: 400,
        fields: ['DueDate']
      })
    }
    expect(office.state.documents).toEqual({})
  })
})

describe('An arbitrary request', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
  const person = { FirstName: text, MiddleName: some(fc.string()), LastName: text, Email: fc.constant('a@example.com') }
  const invitee = {
    ...person,
    MobileNumber: some(fc.string()),
    ClientReference: some(fc.string()),
    ShareUsers: some(fc.array(fc.record({ ...person, IsOwner: some(fc.boolean()) }), { maxLength: 2 }))
  }
  const form = fc.record({
    Name: text,
    FormType: fc.integer(),
    Reference: text,
    EmbedForm: fc.boolean(),
    ReturnUrl: some(fc.string()),
    XMLData: some(fc.string()),
    EmployerReference: some(fc.string()),
    Signers: fc.array(
      fc.record({
        ...invitee,
        SignerType: some(fc.string()),
        UseIDData: some(fc.boolean()),
        Optional: some(fc.boolean()),
        IDData: some(
          fc.array(fc.record({ Label: text, Value: text, DataType: fc.constantFrom('text', 'date', 'email') }), {
            maxLength: 2
          })
        )
      }),
      { minLength: 1, maxLength: 3 }
    )
  })
  const template = fc.record({
    Name: text,
    Reference: text,
    ClientReference: some(fc.string()),
    Signers: fc.array(
      fc.record({ ...invitee, SignerReference: some(fc.string()), VideoConfirmationEnabled: some(fc.boolean()) }),
      { minLength: 1, maxLength: 3 }
    ),
    Fields: fc.array(
      fc.record({
        Label: fc.string(),
        Value: fc.string(),
        FieldType: fc.constantFrom('Text', 'RadioButton', 'DateInput', 'CheckBox'),
        IsRequired: fc.boolean(),
        ID: fc.string(),
        Reference: text,
        ReadOnly: fc.boolean(),
        ClientField: fc.string()
      }),
      { maxLength: 3 }
    )
  })
  const last = (office: ReturnType<typeof practice>) => office.service.recorded().at(-1)?.body

  it('is recorded with every member intact: forms', async () => {
    const office = practice()
    const lists = some(fc.array(fc.record({ ClientField: text, Item: text, Value: fc.string() }), { maxLength: 3 }))
    const request = fc.record({
      Forms: fc.array(form, { minLength: 1, maxLength: 2 }),
      GMT: some(fc.string()),
      ListItems: lists
    })
    await fc.assert(
      fc.asyncProperty(request, async (generated) => {
        const sent = SendFormDirectRequest.parse(JSON.parse(JSON.stringify(generated)))
        await answered(await office.post('/FormDirect/SendForms2', sent))
        expect(last(office)).toEqual(sent)
      }),
      { numRuns: 150 }
    )
  })

  it('is recorded with every member intact: templates', async () => {
    const office = practice()
    const request = fc.record({
      Templates: fc.array(template, { minLength: 1, maxLength: 2 }),
      Sequential: some(fc.boolean()),
      NotifyUrl: some(fc.constant('')),
      Embedded: some(fc.boolean())
    })
    await fc.assert(
      fc.asyncProperty(request, async (generated) => {
        const sent = SendFormFillerRequest.parse(JSON.parse(JSON.stringify(generated)))
        await answered(await office.post('/FormFiller/Send', sent))
        expect(last(office)).toEqual(sent)
      }),
      { numRuns: 150 }
    )
  })

  it('of any JSON at all is answered without failing', async () => {
    const office = practice()
    const paths = [
      '/FormDirect/SendForms2',
      '/FormFiller/Send',
      '/Document/UpdateSigner',
      '/Document/Extend',
      '/Notary/AssignQueueDocument',
      '/FormDirect/UpdateEmployers'
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue(), async (path, body) => {
        expect((await office.post(path, body)).status).toBeLessThan(500)
      }),
      { numRuns: 200 }
    )
  })

  it('gets a reference for each signer, or keeps the one sent', async () => {
    const office = practice()
    const { signers } = only(
      await office.sendTemplates({}, aTemplate({ Signers: [aSigner({ SignerReference: 'tenant' }), aSigner()] }))
    )
    expect(signers[0]?.SignerReference).toBe('tenant')
    expect(signers[1]?.SignerReference).toMatch(/^[\da-f-]{36}$/)
  })
})
