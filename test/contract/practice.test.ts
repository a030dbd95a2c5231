/**
 * The client against the practice service over HTTP: each operation, under several base paths, with every
 * authentication scheme.
 */
import { describe, expect, test } from 'vitest'
import { createAuthentication } from '../../src/main/core/service/index.ts'
import { readServiceDate } from '../../src/shared/model/index.ts'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { aKey, clientOf, errorOf, noAuthentication } from './client-factory.ts'
import { anOffice, authenticationFor, type SchemeName, schemeNames } from './practice-office.ts'
import { aFormDirectRequest, aFormFillerRequest, mia, someEmployers, tom } from './sample-requests.ts'

const soon = new Date(Date.now() + 5 * 24 * 3600 * 1000).toISOString()

const ways = schemeNames.flatMap((scheme) =>
  (['', '/web/v1.4', '/Web/v1.3'] as const).map((basePath) => [scheme, basePath] as const)
)

describe.each(ways)('with authentication %s, under the base path “%s”', (scheme: SchemeName, basePath) => {
  const opened = () => anOffice(basePath ? { basePath } : {}, scheme)
  const formDirect = () => aFormDirectRequest({ DueDate: soon })

  test('SendForms2 creates a package whose documents appear in the folders', async () => {
    const { client } = await opened()
    const { package: sent, problems } = await client.sendForms2(formDirect())
    expect(problems).toEqual([])
    expect(sent.PackageReference).toBeTruthy()
    expect(sent.Documents).toMatchObject([{ ClientReference: 'draft-17', FormDirectReference: 'KS2' }])
    const { items } = await activeDocuments(client, 'Progress')
    const { items: untouched } = await activeDocuments(client, 'InBox')
    const references = [...items, ...untouched].map((document) => document.Reference)
    expect(references).toContain(sent.Documents?.[0]?.Reference)
  })

  test('SendForms takes the same request and answers the documents', async () => {
    const { client } = await opened()
    const { items, problems } = await client.sendForms(formDirect())
    expect(problems).toEqual([])
    expect(items).toMatchObject([{ ClientReference: 'draft-17', Signers: [mia] }])
  })

  test('an embedded form’s signer gets a signing key', async () => {
    const { client } = await opened()
    const request = formDirect()
    request.Forms = request.Forms.map((form) => ({ ...form, EmbedForm: true }))
    const { package: sent } = await client.sendForms2(request)
    expect(sent.Documents?.[0]?.Signers?.[0]?.SigningKey).toMatch(/^https?:\/\//)
  })

  test('Form Filler sends templates, in order', async () => {
    const { client } = await opened()
    const { package: sent, problems } = await client.sendTemplates(aFormFillerRequest({ Embedded: true }))
    expect(problems).toEqual([])
    const [document] = sent.Documents ?? []
    expect(document?.Signers?.map(({ FirstName, SignedStatus }) => [FirstName, SignedStatus])).toEqual([
      ['Mia', 'Invitation'],
      ['Tom', 'Initialized']
    ])
    const due = readServiceDate(document?.DueDate)?.at ?? 0
    expect(Math.round((due - Date.now()) / 86_400_000)).toBe(14)
  })

  test('the templates are listed', async () => {
    const { client } = await opened()
    const { items, problems } = await client.getTemplateList()
    expect(problems).toEqual([])
    expect(items.length).toBeGreaterThan(0)
    expect(items.every((template) => template.Reference !== '')).toBe(true)
  })

  test('employers are saved', async () => {
    const { client } = await opened()
    const { set: saved } = await client.updateEmployers(someEmployers())
    expect(saved.SuperFund).toContainEqual(someEmployers().SuperFund?.[0])
    expect((await client.getEmployers())?.set.TFN).toContainEqual(someEmployers().TFN?.[0])
  })

  test('a signer’s address is corrected', async () => {
    const { client } = await opened()
    const { items } = await client.sendForms(formDirect())
    const [document] = items
    const corrected = await client.updateSigner({
      DocumentReference: document?.Reference ?? '',
      Signers: [
        { ...mia, Email: 'mia.right@example.com', SignerReference: document?.Signers?.[0]?.SignerReference ?? '' }
      ]
    })
    expect(corrected.Signers?.[0]?.Email).toBe('mia.right@example.com')
  })

  test('extending one document moves every document of its package', async () => {
    const { client } = await opened()
    const request = formDirect()
    request.Forms = [...request.Forms, { ...request.Forms[0], Name: 'Second' } as (typeof request.Forms)[0]]
    const { items } = await client.sendForms(request)
    const later = '2032-06-01T10:00:00Z'
    const answered = await client.extend({ DocumentReference: items[0]?.Reference ?? '', DueDate: later, GMT: '0' })
    expect(readServiceDate(answered.DueDate)?.at).toBe(Date.parse(later))
    const folders = await Promise.all(['InBox', 'Progress'].map((folder) => activeDocuments(client, folder)))
    const second = folders.flatMap((folder) => folder.items).find((one) => one.Reference === items[1]?.Reference)
    expect(readServiceDate(second?.DueDate)?.at).toBe(Date.parse(later))
  })

  test('every folder is read, with its log on demand', async () => {
    const { client } = await opened()
    for (const folder of ['InBox', 'Progress', 'Signed']) {
      const { items, problems } = await activeDocuments(client, folder, { documentLog: true })
      expect(problems).toEqual([])
      expect(items.length).toBeGreaterThan(0)
      expect(items.every((document) => (document.Logs?.length ?? 0) > 0)).toBe(true)
    }
    const without = await activeDocuments(client, 'Signed')
    expect(without.items.every((document) => document.Logs === undefined)).toBe(true)
  })

  test('ID-verification data is available as PDF and as records', async () => {
    const { client, office } = await opened()
    const { items: sent } = await client.sendForms(formDirect())
    const reference = sent[0]?.Reference ?? ''
    expect((await errorOf(client.getIDVerification(reference))).code).toBe('not-found')
    // The signer proves their identity, as on the signing page.
    const [signer] = office.service.state.documents[reference]?.signers ?? []
    Object.assign(signer ?? {}, { identifiedAt: Date.now() })
    const download = await client.downloadIDVerificationPdf(reference)
    const pieces: Uint8Array[] = []
    for await (const piece of download.bytes) pieces.push(piece)
    const pdf = Buffer.concat(pieces)
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(pdf.subarray(-10).toString()).toContain('%%EOF')
    const records = await client.getIDVerification(reference)
    expect(records.problems).toEqual([])
    expect(records.items).toMatchObject([{ UserFirstName: 'Mia', PortraitImage: expect.any(String) }])
  })

  test('signatures are verified', async () => {
    const { client } = await opened()
    const { items } = await activeDocuments(client, 'Signed')
    const result = await client.validateSignatures(items[0]?.Reference ?? '')
    expect(result.Signatures?.length).toBeGreaterThan(0)
  })

  test('recipients are listed', async () => {
    const { client } = await opened()
    const { items, problems } = await client.getRecipients()
    expect(problems).toEqual([])
    expect(items[0]?.NotificationRecipients?.length).toBeGreaterThan(0)
    expect(items[0]?.CompletionRecipients?.length).toBeGreaterThan(0)
  })

  test('a document is assigned to a notary', async () => {
    const { client, office } = await opened()
    const { package: sent } = await client.sendForms2(formDirect())
    const assignment = {
      PackageReference: sent.PackageReference ?? '',
      DocumentReference: sent.Documents?.[0]?.Reference ?? '',
      NotaryReference: 'notary-4',
      Send: true
    }
    const assigned = await client.assignQueueDocument(assignment)
    expect(assigned).toMatchObject({
      PackageReference: sent.PackageReference,
      DocumentIDs: [assignment.DocumentReference]
    })
    expect(office.service.recorded().at(-1)?.body).toEqual(assignment)
  })

  test('account information is provided, and a reminder is sent', async () => {
    const { client } = await opened()
    expect(await client.getAccountInfo()).toMatchObject({ DateFormat: expect.any(String), IsAdmin: true })
    const { items } = await client.sendForms(formDirect())
    const [document] = items
    const SignerReference = document?.Signers?.[0]?.SignerReference ?? ''
    const reminded = client.sendReminder({ DocumentReference: document?.Reference ?? '', SignerReference })
    expect(await reminded).toBe('sent')
  })
})

describe('the fallback path for recipients', () => {
  test('gives the same answer if the service lacks the first path', async () => {
    const { client, office } = await anOffice()
    const withoutFirst: typeof fetch = (url, init) =>
      String(url).includes('GetRecipients') ? Promise.resolve(new Response('', { status: 404 })) : fetch(url, init)
    const otherClient = clientOf(office.url, { fetch: withoutFirst as never })
    expect(await otherClient.getRecipients()).toEqual(await client.getRecipients())
  })
})

describe('who is given access', () => {
  test.each([
    ['api-key', noAuthentication],
    ['bearer', noAuthentication],
    ['bearer', authenticationFor('api-key')],
    ['api-key', authenticationFor('none')]
  ] as const)('an office that requires %s refuses others', async (scheme, authentication) => {
    const { client, office } = await anOffice({}, scheme, { authentication })
    const error = await errorOf(client.sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'unauthorised', status: 401, mayHaveArrived: false })
    expect(error.serviceMessage).toBeTruthy()
    expect(office.service.recorded()).toEqual([])
  })

  test('a request whose clock is an hour off is refused', async () => {
    const authentication = createAuthentication({ scheme: 'api-key', ...aKey }, { clock: () => Date.now() - 3_600_000 })
    const { client } = await anOffice({}, 'api-key', { authentication })
    expect((await errorOf(client.getTemplateList())).code).toBe('unauthorised')
  })
})

describe('refusals', () => {
  test('a missing document is not found', async () => {
    const { client } = await anOffice()
    const errors = await Promise.all(
      [
        client.validateSignatures('gone'),
        client.downloadIDVerificationPdf('gone'),
        client.getIDVerification('gone'),
        client.extend({ DocumentReference: 'gone', DueDate: '2032-01-01' })
      ].map(errorOf)
    )
    for (const error of errors) expect(error).toMatchObject({ code: 'not-found', mayHaveArrived: false })
  })

  test('an unreadable due date is invalid, and the field is named', async () => {
    const { client } = await anOffice()
    const error = await errorOf(client.sendForms2(aFormDirectRequest({ DueDate: 'next Friday' })))
    expect(error).toMatchObject({ code: 'invalid', status: 400, fields: [{ field: 'DueDate' }] })
  })

  test('a signer who has signed can no longer be corrected', async () => {
    const { client } = await anOffice()
    const { items } = await activeDocuments(client, 'Signed')
    const [document] = items
    const SignerReference = document?.Signers?.[0]?.SignerReference ?? ''
    const request = { DocumentReference: document?.Reference ?? '', Signers: [{ ...tom, SignerReference }] }
    expect(await errorOf(client.updateSigner(request))).toMatchObject({ code: 'conflict', mayHaveArrived: false })
  })

  test('either all of several corrected signers are accepted or none', async () => {
    const { client } = await anOffice()
    const { items } = await client.sendForms(aFormDirectRequest({ DueDate: soon }))
    const [document] = items
    const signer = {
      ...mia,
      Email: 'mia.right@example.com',
      SignerReference: document?.Signers?.[0]?.SignerReference ?? ''
    }
    for (const other of [
      { ...tom, SignerReference: 'nobody' },
      { ...signer, Email: 'mia.other@example.com' }
    ]) {
      const request = { DocumentReference: document?.Reference ?? '', Signers: [signer, other] }
      expect(await errorOf(client.updateSigner(request))).toMatchObject({ code: 'invalid', mayHaveArrived: false })
    }
    const folders = await Promise.all(['InBox', 'Progress'].map((folder) => activeDocuments(client, folder)))
    const after = folders.flatMap((folder) => folder.items).find(({ Reference }) => Reference === document?.Reference)
    expect(after?.Signers?.[0]?.Email).toBe(document?.Signers?.[0]?.Email)
  })

  test('an exhausted plan is reported as quota', async () => {
    const { client, office } = await anOffice()
    office.service.state.account.documentsLeft = 0
    const error = await errorOf(client.sendForms2(aFormDirectRequest({ DueDate: soon })))
    expect(error).toMatchObject({ code: 'quota', status: 426, mayHaveArrived: false })
  })

  test('an unknown folder is invalid', async () => {
    const { client } = await anOffice()
    expect((await errorOf(activeDocuments(client, 'Attic'))).code).toBe('invalid')
  })
})

describe('many documents', () => {
  test('five thousand are all read', async () => {
    const { client } = await anOffice({ data: 5000 })
    const folders = await Promise.all(['InBox', 'Progress', 'Signed'].map((folder) => activeDocuments(client, folder)))
    expect(folders.flatMap(({ problems }) => problems)).toEqual([])
    const references = new Set(folders.flatMap(({ items }) => items.map((document) => document.Reference)))
    expect(references.size).toBe(5000)
  })
})
