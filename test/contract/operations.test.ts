/** Each operation of the reference's section 4: the request sent, and how the answer is read. */
import { describe, expect, test } from 'vitest'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { clientOf, errorOf } from './client-factory.ts'
import { body, inTurn, json, serve } from './hand-written-service.ts'
import {
  aDocument,
  aFormDirectRequest,
  aFormFillerRequest,
  aNotaryAssignment,
  aTemplateSigner,
  mia,
  someEmployers
} from './sample-requests.ts'

describe('sending', () => {
  test('SendForms2 posts the forms as the reference spells them and answers the package', async () => {
    const service = await serve(json({ PackageReference: 'p-1', PackageName: 'KS2', Documents: [aDocument()] }))
    const sent = await clientOf(`${service.url}/web/v1.4`).sendForms2(aFormDirectRequest())
    const [request] = service.requests
    expect(request).toMatchObject({ method: 'POST', url: '/web/v1.4/FormDirect/SendForms2' })
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' })
    expect(JSON.parse(request?.body ?? '')).toEqual(aFormDirectRequest())
    expect(sent.package).toMatchObject({ PackageReference: 'p-1', Documents: [{ Reference: 'd-1' }] })
    expect(sent.problems).toEqual([])
  })

  test('SendForms posts the same body to its own path and answers the documents', async () => {
    const service = await serve(json([aDocument(), aDocument({ Reference: 'd-2' })]))
    const sent = await clientOf(service.url).sendForms(aFormDirectRequest())
    expect(service.requests[0]).toMatchObject({ method: 'POST', url: '/FormDirect/SendForms' })
    expect(sent.items.map((document) => document.Reference)).toEqual(['d-1', 'd-2'])
  })

  test('Form Filler posts the templates and answers the package with its signing key', async () => {
    const signer = { ...mia, SigningKey: 'https://sign.example.org/k/1' }
    const service = await serve(json({ PackageReference: 'p-2', Documents: [aDocument({ Signers: [signer] })] }))
    const sent = await clientOf(service.url).sendTemplates(aFormFillerRequest())
    expect(service.requests[0]?.url).toBe('/FormFiller/Send')
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(aFormFillerRequest())
    expect(sent.package.Documents?.[0]?.Signers?.[0]?.SigningKey).toBe('https://sign.example.org/k/1')
  })

  test('signing keys at the top of the answer, as public clients see them, are kept there', async () => {
    const service = await serve(
      json({ Url: 'https://x.example.org', Signers: [{ ...mia, SigningKey: 'k' }], Documents: [] })
    )
    const { package: sent } = await clientOf(service.url).sendTemplates(aFormFillerRequest())
    expect(sent.Signers?.[0]?.SigningKey).toBe('k')
    expect(sent.Url).toBe('https://x.example.org')
  })

  test('one unreadable document in the answer hides neither the package nor the other documents', async () => {
    const service = await serve(json({ packagereference: 'p-1', documents: [aDocument(), { Name: 'no reference' }] }))
    const sent = await clientOf(service.url).sendForms2(aFormDirectRequest())
    expect(sent.package.PackageReference).toBe('p-1')
    expect(sent.package.Documents).toHaveLength(1)
    expect(sent.problems).toMatchObject([{ path: 'Documents[1].Reference' }])
  })

  test('a package answer without documents is accepted', async () => {
    const service = await serve(json({ QueueReference: 'q-9', Documents: null }))
    const sent = await clientOf(service.url).sendForms2(aFormDirectRequest())
    expect(sent).toEqual({ package: { QueueReference: 'q-9' }, problems: [] })
  })

  test('a request that doesn’t match the reference is never sent, and every offending field is named', async () => {
    const service = await serve(json({}))
    const request = aFormDirectRequest()
    const [form] = request.Forms
    const wrong = { ...request, Forms: [{ ...form, FormType: 'three', Signers: [{ ...mia, Email: 'mia' }], Extra: 1 }] }
    const error = await errorOf(clientOf(service.url).sendForms2(wrong as never))
    expect(error).toMatchObject({ code: 'invalid', mayHaveArrived: false, operation: 'FormDirect/SendForms2' })
    expect(error.fields?.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['Forms[0].FormType', 'Forms[0].Signers[0].Email', 'Forms[0]'])
    )
    expect(service.requests).toEqual([])
  })

  test.each([
    ['sendForms', { Forms: [] }],
    ['sendTemplates', { Templates: [{ Name: 'x' }] }],
    ['updateEmployers', { MOJ: [] }],
    ['updateSigner', { DocumentReference: '' }],
    ['extend', { DocumentReference: 'd-1' }],
    ['assignQueueDocument', { PackageReference: 'p' }],
    ['sendReminder', {}]
  ] as const)('%s refuses a wrong request before sending it', async (operation, wrong) => {
    const service = await serve(json({}))
    const call = clientOf(service.url)[operation] as (request: unknown) => Promise<unknown>
    expect(await errorOf(call(wrong))).toMatchObject({ code: 'invalid', mayHaveArrived: false })
    expect(service.requests).toEqual([])
  })
})

describe('employers', () => {
  test('UpdateEmployers posts three lists and answers all five', async () => {
    const answer = { ...someEmployers(), MOJ: [{ Reference: 'm', Name: 'M', ReportType: 'full' }], StandardMOJ: null }
    const service = await serve(json(answer))
    const { set: employers } = await clientOf(service.url).updateEmployers(someEmployers())
    expect(service.requests[0]).toMatchObject({ method: 'POST', url: '/FormDirect/UpdateEmployers' })
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(someEmployers())
    expect(employers.MOJ?.[0]?.ReportType).toBe('full')
    expect(employers.SuperFund?.[0]?.ABN).toBe('51824753556')
  })

  test('the account’s employers are read if the service provides them', async () => {
    const service = await serve(json(someEmployers()))
    const employers = await clientOf(service.url).getEmployers()
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/FormDirect/Employers' })
    expect(employers?.set.TFN?.[0]?.Name).toBe('Head office')
  })

  test('a service that doesn’t provide employers is no failure', async () => {
    const service = await serve(json({}, 404))
    expect(await clientOf(service.url).getEmployers()).toBeUndefined()
  })
})

describe('templates', () => {
  test('GetTemplateList answers the templates, field types given as names or known numbers become names, others stay as they are', async () => {
    const service = await serve(
      json([
        {
          Name: 'A',
          Reference: 'a',
          Fields: ['DropDownList', 6, '3', 'bar code ', 2].map((FieldType) => ({ FieldType }))
        },
        { Name: 'B', Reference: 'b' }
      ])
    )
    const { items, problems } = await clientOf(service.url).getTemplateList()
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/FormFiller/GetTemplateList', body: '' })
    expect(items[0]?.Fields?.map((field) => field.FieldType)).toEqual([
      'DropDownList',
      'DateInput',
      'CheckBox',
      'bar code ',
      2
    ])
    expect(items[1]).toEqual({ Name: 'B', Reference: 'b' })
    expect(problems).toEqual([])
  })
})

describe('documents', () => {
  test('UpdateSigner posts the corrected signers and answers the document', async () => {
    const service = await serve(json(aDocument()))
    const request = { DocumentReference: 'd-1', Signers: [aTemplateSigner({ Email: 'mia.new@example.com' })] }
    const document = await clientOf(service.url).updateSigner(request)
    expect(service.requests[0]).toMatchObject({ method: 'POST', url: '/Document/UpdateSigner' })
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(request)
    expect(document.Reference).toBe('d-1')
  })

  test('Extend posts date and offset and answers the document', async () => {
    const service = await serve(json(aDocument({ DueDate: '2031-06-01' })))
    const request = { DocumentReference: 'd-1', DueDate: '2031-06-01T00:00:00Z', GMT: '0' }
    const document = await clientOf(service.url).extend(request)
    expect(service.requests[0]).toMatchObject({ method: 'POST', url: '/Document/Extend' })
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(request)
    expect(document.DueDate).toBe('2031-06-01')
  })

  test('GetActiveDocuments reads a folder', async () => {
    const service = await serve(json([aDocument()]))
    const { items } = await activeDocuments(clientOf(`${service.url}/Web/v1.3/`), 'Progress')
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/Web/v1.3/Document/GetActiveDocuments/Progress' })
    expect(items[0]?.Status).toBe('1 of 2 Signed')
  })

  test('GetActiveDocuments requests the log on demand', async () => {
    const service = await serve(
      json([aDocument({ Logs: [{ Name: 'Mia', Action: 'Opened', Date: '2031-01-01', GMT: 720 }] })])
    )
    const { items } = await activeDocuments(clientOf(service.url), 'Signed', { documentLog: true })
    expect(service.requests[0]?.url).toBe('/Document/GetActiveDocuments/Signed?DocumentLog=true')
    expect(items[0]?.Logs).toEqual([{ Name: 'Mia', Action: 'Opened', Date: '2031-01-01', GMT: '720' }])
  })

  test('an unreadable document in a folder is reported with its place, and the others are kept', async () => {
    const service = await serve(
      json([
        aDocument(),
        null,
        'text',
        aDocument({ Reference: 'd-4', Signers: [{ HasSigned: 'perhaps' }] }),
        aDocument({ Reference: 'd-5' })
      ])
    )
    const { items, problems } = await activeDocuments(clientOf(service.url), 'InBox')
    expect(items.map((document) => document.Reference)).toEqual(['d-1', 'd-5'])
    expect(problems.map((problem) => problem.path)).toEqual(['[1]', '[2]', '[3].Signers[0].HasSigned'])
  })

  test('a reference written as a number is read exactly, however long', async () => {
    const service = await serve(body('[{"Reference":12345678901234567891,"Name":"x","Signers":[]}]'))
    const { items } = await activeDocuments(clientOf(service.url), 'InBox')
    expect(items.map((document) => document.Reference)).toEqual(['12345678901234567891'])
  })

  test('Validation answers the signatures found', async () => {
    const answer = {
      DocumentName: 'a.pdf',
      Signatures: [{ isValid: true, SignatureTime: '2031-01-01T10:00:00', User: 'u', Signer: { ...mia, Company: 'X' } }]
    }
    const service = await serve(json(answer))
    expect(await clientOf(service.url).validateSignatures('d-1')).toEqual(answer)
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/Document/Validation/d-1' })
  })

  test('a document removed under the retention policy is not found', async () => {
    const service = await serve(json({ ResponseStatus: { ErrorCode: 'NotFound', Message: 'Document not found' } }, 404))
    const error = await errorOf(clientOf(service.url).validateSignatures('gone'))
    expect(error).toMatchObject({ code: 'not-found', status: 404, serviceMessage: 'Document not found' })
  })

  test('a reminder is sent if the service supports it', async () => {
    const service = await serve((_asked, response) => response.writeHead(204).end())
    const request = { DocumentReference: 'd-1', SignerReference: 's-1' }
    expect(await clientOf(service.url).sendReminder(request)).toBe('sent')
    expect(service.requests[0]).toMatchObject({
      method: 'POST',
      url: '/Document/SendReminder',
      body: JSON.stringify(request)
    })
  })

  test('a service without reminders is no failure', async () => {
    const service = await serve(json({}, 404))
    const request = { DocumentReference: 'd-1', SignerReference: 's-1' }
    expect(await clientOf(service.url).sendReminder(request)).toBe('unsupported')
  })

  test.each([
    ['a/b', 'a%2Fb'],
    ['a b?c#d', 'a%20b%3Fc%23d'],
    ['100%', '100%25'],
    ['Ōtautahi', '%C5%8Ctautahi'],
    ['..\\x', '..%5Cx'],
    ['...', '...']
  ])('a reference %s stays a single segment of the path', async (reference, encoded) => {
    const service = await serve(json({}))
    await clientOf(`${service.url}/web`).validateSignatures(reference)
    expect(service.requests[0]?.url).toBe(`/web/Document/Validation/${encoded}`)
  })

  test.each(['', '.', '..', '\ud800'])(
    'a reference %j that would lead to another path is never sent',
    async (reference) => {
      const service = await serve(json({}))
      const error = await errorOf(clientOf(service.url).validateSignatures(reference))
      expect(error).toMatchObject({ code: 'invalid', mayHaveArrived: false, fields: [{ field: 'DocumentReference' }] })
      expect(service.requests).toEqual([])
    }
  )
})

describe('recipients', () => {
  const answer = [
    {
      NotificationRecipients: [{ ...mia, IsReviewer: 'True', RecipientReference: 'r-1' }],
      CompletionRecipients: [{ ...mia, IsDefault: false }]
    }
  ]

  test('GetRecipients is tried first', async () => {
    const service = await serve(json(answer))
    const { items } = await clientOf(service.url).getRecipients()
    expect(service.requests.map(({ url }) => url)).toEqual(['/Recipient/GetRecipients'])
    expect(items[0]?.NotificationRecipients?.[0]).toMatchObject({ IsReviewer: true, RecipientReference: 'r-1' })
  })

  test.each([404, 405])('Recipients is called if GetRecipients answers %i', async (status) => {
    const service = await serve(inTurn(json({}, status), json(answer)))
    const { items } = await clientOf(service.url).getRecipients()
    expect(service.requests.map(({ url }) => url)).toEqual(['/Recipient/GetRecipients', '/Recipient/Recipients'])
    expect(items[0]?.CompletionRecipients?.[0]?.IsDefault).toBe(false)
  })

  test('another refusal of GetRecipients is reported, not hidden by a second call', async () => {
    const service = await serve(json({}, 403))
    expect((await errorOf(clientOf(service.url).getRecipients())).code).toBe('forbidden')
    expect(service.requests).toHaveLength(1)
  })
})

describe('notary and account', () => {
  test('AssignQueueDocument posts the assignment and answers the package', async () => {
    const answer = { PackageReference: 'p-1', PackageName: 'Deed', PackageStatus: 'Queued', DocumentIDs: ['d-1', 7] }
    const service = await serve(json(answer))
    const assigned = await clientOf(service.url).assignQueueDocument(aNotaryAssignment())
    expect(service.requests[0]).toMatchObject({ method: 'POST', url: '/Notary/AssignQueueDocument' })
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(aNotaryAssignment())
    expect(assigned.DocumentIDs).toEqual(['d-1', '7'])
  })

  test('the service’s account information is read', async () => {
    const service = await serve(
      json({ DefaultDueDate: 14, IsAdmin: 'true', DocumentLeft: '3', DateFormat: 'dd/MM/yyyy' })
    )
    const info = await clientOf(service.url).getAccountInfo()
    expect(service.requests[0]?.url).toBe('/Account/Info')
    expect(info).toEqual({ DefaultDueDate: '14', IsAdmin: true, DocumentLeft: 3, DateFormat: 'dd/MM/yyyy' })
  })

  test('one unreadable member of the account information doesn’t affect the others', async () => {
    const service = await serve(
      json({ DefaultDueDate: [14], IsAdmin: 'perhaps', DocumentLeft: 'many', DateFormat: { day: 1 }, MaxUploadSize: 7 })
    )
    expect(await clientOf(service.url).getAccountInfo()).toEqual({ MaxUploadSize: '7' })
  })

  test('a service without account information is no failure', async () => {
    const service = await serve(json({}, 404))
    expect(await clientOf(service.url).getAccountInfo()).toBeUndefined()
  })
})
