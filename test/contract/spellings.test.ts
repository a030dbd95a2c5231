/** Answers in every spelling that the service and its framework are known to use, and some that none should. */

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readServiceDate } from '../../src/shared/model/index.ts'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { clientOf, errorOf } from './client-factory.ts'
import { body, inTurn, json, serve } from './hand-written-service.ts'
import { aDocument, aFormDirectRequest } from './sample-requests.ts'

async function documentAnswered(changes: Record<string, unknown>) {
  const service = await serve(json([aDocument(changes)]))
  const { items, problems } = await activeDocuments(clientOf(service.url), 'Progress')
  expect(problems).toEqual([])
  return items[0]
}

describe('values', () => {
  test.each([
    ['2031-03-01T10:20:30Z', Date.UTC(2031, 2, 1, 10, 20, 30)],
    ['2031-03-01T10:20:30', Date.UTC(2031, 2, 1, 10, 20, 30)],
    ['2031-03-01T10:20:30.1234567Z', Date.UTC(2031, 2, 1, 10, 20, 30, 123)],
    ['2031-03-01T10:20:30+13:00', Date.UTC(2031, 1, 28, 21, 20, 30)],
    ['2031-03-01', Date.UTC(2031, 2, 1)],
    ['03/01/2031 10:20:30', Date.UTC(2031, 2, 1, 10, 20, 30)],
    ['/Date(1930126830000-0000)/', 1930126830000],
    ['/Date(1930126830000+1300)/', 1930126830000],
    ['/Date(1930126830000)/', 1930126830000]
  ])('a due date of %s is read', async (spelled, at) => {
    const document = await documentAnswered({ DueDate: spelled })
    expect(readServiceDate(document?.DueDate)?.at).toBe(at)
  })

  test.each([true, 'true', 'True', 'TRUE', 1, '1'])('HasSigned %j is true', async (spelled) => {
    const document = await documentAnswered({ Signers: [{ HasSigned: spelled }] })
    expect(document?.Signers?.[0]?.HasSigned).toBe(true)
  })

  test.each([false, 'false', 'False', 0, '0'])('HasSigned %j is false', async (spelled) => {
    const document = await documentAnswered({ Signers: [{ HasSigned: spelled }] })
    expect(document?.Signers?.[0]?.HasSigned).toBe(false)
  })

  test.each([null, undefined, ''])('HasSigned %j is unknown', async (spelled) => {
    const document = await documentAnswered({ Signers: [{ HasSigned: spelled }] })
    expect(document?.Signers?.[0]?.HasSigned).toBeUndefined()
  })

  test.each([
    [0, 'Initialized'],
    [6, 'Signed'],
    ['12', 'Declined'],
    [13, 'Reminder'],
    ['invitation', 'Invitation'],
    [true, 'Signed'],
    ['True', 'Signed'],
    [false, undefined],
    ['Faxed', 'Faxed'],
    [99, '99']
  ])('SignedStatus %j is %j', async (spelled, name) => {
    const document = await documentAnswered({ Signers: [{ SignedStatus: spelled }] })
    expect(document?.Signers?.[0]?.SignedStatus).toBe(name)
  })

  test('an offset may be a number', async () => {
    expect((await documentAnswered({ GMT: 720 }))?.GMT).toBe('720')
  })

  test('null is absent everywhere', async () => {
    const document = await documentAnswered({ Name: null, Signers: null, Logs: null, HasFileUploaded: null })
    expect(document).not.toHaveProperty('Name')
    expect(document).not.toHaveProperty('Signers')
  })

  test('member names are found in any case', async () => {
    const service = await serve(json([{ reference: 'd-9', STATUS: 'Complete', signers: [{ firstname: 'Mia' }] }]))
    const { items } = await activeDocuments(clientOf(service.url), 'Signed')
    expect(items).toEqual([{ Reference: 'd-9', Status: 'Complete', Signers: [{ FirstName: 'Mia' }] }])
  })

  test('unknown members are kept', async () => {
    const document = await documentAnswered({ Colour: { of: 'the sky' } })
    expect(document?.Colour).toEqual({ of: 'the sky' })
  })

  test.each([true, 'True', 'branch'])('a template field’s ClientField may be %j', async (spelled) => {
    const service = await serve(json([{ Reference: 't', Fields: [{ ClientField: spelled }] }]))
    const { items } = await clientOf(service.url).getTemplateList()
    expect(items[0]?.Fields?.[0]?.ClientField).toBe(String(spelled))
  })

  test('a folder answered with null is empty', async () => {
    const service = await serve(body('null', 200, { 'content-type': 'application/json' }))
    expect(await activeDocuments(clientOf(service.url), 'InBox')).toEqual({ items: [], problems: [] })
  })

  test('a member called __proto__ doesn’t change the prototype', async () => {
    const service = await serve(body('[{"Reference":"d","__proto__":{"polluted":true}}]'))
    const { items } = await activeDocuments(clientOf(service.url), 'InBox')
    expect((items[0] as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('bodies', () => {
  const uncompressed = JSON.stringify([aDocument({ Name: 'Tāne – Ōtautahi' })])

  async function nameRead(bytes: string | Uint8Array, headers: Record<string, string>): Promise<string | undefined> {
    const service = await serve(body(bytes, 200, headers))
    const { items } = await activeDocuments(clientOf(service.url), 'InBox')
    return items[0]?.Name
  }

  test.each([
    ['as text', { 'content-type': 'text/plain' }],
    ['as HTML', { 'content-type': 'text/html; charset=utf-8' }],
    ['without a type', {}],
    ['with an unknown charset', { 'content-type': 'application/json; charset=klingon' }],
    ['with its charset quoted', { 'content-type': 'application/json; charset="UTF-8"' }]
  ])('JSON sent %s is read', async (_how, headers) => {
    expect(await nameRead(uncompressed, headers as Record<string, string>)).toBe('Tāne – Ōtautahi')
  })

  test('a byte order mark is ignored', async () => {
    expect(await nameRead(`\ufeff${uncompressed}`, { 'content-type': 'application/json' })).toBe('Tāne – Ōtautahi')
  })

  test('another charset is read as declared', async () => {
    const latin = Buffer.from(JSON.stringify([{ Reference: 'd', Name: 'Zoë' }]), 'latin1')
    expect(await nameRead(latin, { 'content-type': 'application/json; charset=iso-8859-1' })).toBe('Zoë')
  })

  test('UTF-16 is read as declared', async () => {
    const wide = Buffer.from(uncompressed, 'utf16le')
    expect(await nameRead(wide, { 'content-type': 'application/json; charset=utf-16le' })).toBe('Tāne – Ōtautahi')
  })

  test('bytes that aren’t valid UTF-8 cost a letter, not the list', async () => {
    const latin = Buffer.from(JSON.stringify([{ Reference: 'd', Name: 'Zoë' }]), 'latin1')
    expect(await nameRead(latin, { 'content-type': 'application/json' })).toBe('Zo\ufffd')
  })

  test.each([
    ['gzip', gzipSync(uncompressed)],
    ['deflate', deflateSync(uncompressed)],
    ['br', brotliCompressSync(uncompressed)]
  ])('a %s body is read', async (encoding, bytes) => {
    expect(await nameRead(bytes, { 'content-encoding': encoding })).toBe('Tāne – Ōtautahi')
  })

  test.each([
    ['empty', ''],
    ['an HTML page', '<!doctype html><title>Welcome</title>'],
    ['cut off', uncompressed.slice(0, -20)],
    ['two answers in one', `${uncompressed}${uncompressed}`],
    ['JSONP', `x(${uncompressed})`],
    ['bytes', Buffer.from([0, 255, 254, 1, 2, 3])]
  ])('a body that is %s is not JSON', async (_what, bytes) => {
    const service = await serve(body(bytes))
    const error = await errorOf(activeDocuments(clientOf(service.url), 'InBox'))
    expect(error).toMatchObject({ code: 'not-json', status: 200, mayHaveArrived: true })
    expect(error.message).not.toContain('Welcome')
  })

  test('a body declared as gzip that isn’t gzip is not JSON', async () => {
    const service = await serve(body(uncompressed, 200, { 'content-encoding': 'gzip' }))
    expect((await errorOf(activeDocuments(clientOf(service.url), 'InBox'))).code).toBe('not-json')
  })

  test.each([
    ['GetActiveDocuments', {}, ''],
    ['GetActiveDocuments', 'text', ''],
    ['GetActiveDocuments', 7, ''],
    ['Validation', [], ''],
    ['Validation', { Signatures: 'none' }, 'Signatures'],
    ['Validation', { Signatures: [{ isValid: 'maybe' }] }, 'Signatures[0].isValid']
  ])('%s answered with %j has an unexpected shape, and its place is named', async (operation, answer, path) => {
    const service = await serve(json(answer))
    const client = clientOf(service.url)
    const call = operation === 'Validation' ? client.validateSignatures('d') : activeDocuments(client, 'InBox')
    expect(await errorOf(call)).toMatchObject({ code: 'unexpected-shape', path, mayHaveArrived: true })
  })

  test('a send answered with an unexpected shape may have arrived', async () => {
    const service = await serve(json('thank you'))
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'unexpected-shape', mayHaveArrived: true })
  })
})

describe('requesting JSON by query', () => {
  const page = body('<html>Formatted for your eyes</html>', 200, { 'content-type': 'text/html' })

  test('a GET not answered in JSON is repeated once with format=json, and the account remembers it', async () => {
    const service = await serve((request, ...rest) =>
      (request.url.includes('format=json') ? json([]) : page)(request, ...rest)
    )
    let remembered = 0
    const client = clientOf(service.url, { onJsonByQuery: () => remembered++ })
    await activeDocuments(client, 'InBox', { documentLog: true })
    await client.getTemplateList()
    expect(service.requests.map(({ url }) => url)).toEqual([
      '/Document/GetActiveDocuments/InBox?DocumentLog=true',
      '/Document/GetActiveDocuments/InBox?DocumentLog=true&format=json',
      '/FormFiller/GetTemplateList?format=json'
    ])
    expect(remembered).toBe(1)
  })

  test('a 406 is repeated by query, too', async () => {
    const service = await serve(inTurn(body('', 406), json([])))
    expect(await clientOf(service.url).getTemplateList()).toEqual({ items: [], problems: [] })
  })

  test('an account that remembers uses the query immediately, for sends too', async () => {
    const service = await serve(json({ PackageReference: 'p' }))
    await clientOf(service.url, { jsonByQuery: true }).sendForms2(aFormDirectRequest())
    expect(service.requests.map(({ url }) => url)).toEqual(['/FormDirect/SendForms2?format=json'])
  })

  test('a query that doesn’t help isn’t remembered, and is tried only once', async () => {
    const service = await serve(page)
    let remembered = 0
    const client = clientOf(service.url, { onJsonByQuery: () => remembered++ })
    expect((await errorOf(client.getTemplateList())).code).toBe('not-json')
    expect(service.requests).toHaveLength(2)
    expect(remembered).toBe(0)
  })

  test('a send not answered in JSON isn’t repeated: it may have arrived', async () => {
    const service = await serve(page)
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'not-json', mayHaveArrived: true })
    expect(service.requests).toHaveLength(1)
  })
})

describe('where parsing happens', () => {
  test('the parser can be replaced, and gets the bytes and the charset', async () => {
    const service = await serve(body('anything', 200, { 'content-type': 'application/json; charset=utf-16le' }))
    const parsed: unknown[] = []
    const client = clientOf(service.url, {
      parse: async (bytes, charset) => {
        parsed.push(new TextDecoder().decode(bytes), charset)
        return [{ Reference: 't-1' }]
      }
    })
    expect((await client.getTemplateList()).items).toHaveLength(1)
    expect(parsed).toEqual(['anything', 'utf-16le'])
  })
})
