/** Which spellings of the data type are tried with a service, and which refusal is reported in the end. */
import { describe, expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { clientOf, errorOf } from '../../contract/client-factory.ts'
import { type Answering, body, json, serve } from '../../contract/hand-written-service.ts'
import { aPdf } from './identity/a-pdf.ts'

const refusal = (status: number, message: string, field?: string) =>
  json(
    { ResponseStatus: { Message: message, ...(field && { Errors: [{ FieldName: field, Message: message }] }) } },
    status
  )

/** Answers by the spelling of the data type. */
const bySpelling =
  (lower: Answering, upper: Answering): Answering =>
  (request, ...rest) =>
    (/(?:PDF|JSON)$/.test(request.url) ? upper : lower)(request, ...rest)

async function opened(answering: Answering, dataTypeSpelling?: 'lower' | 'upper' | 'lower-then-upper') {
  const service = await serve(answering)
  const client = clientOf(service.url, { dataTypeSpelling })
  return {
    client,
    spellings: () => service.requests.map(({ url }) => url.split('/').at(-1))
  }
}

const notFound = body('<h1>Not found</h1>', 404)

describe('a service without a set spelling', () => {
  test('is called with lower case, and only that if it works', async () => {
    const { client, spellings } = await opened(body(aPdf))
    await client.downloadIDVerificationPdf('d-1')
    expect(spellings()).toEqual(['pdf'])
  })

  test('isn’t considered to know a spelling because of a web page in its place', async () => {
    let isSignedIn = false
    const page = body('<form>Sign in<input type="password"></form>', 200, { 'content-type': 'text/html' })
    const { client, spellings } = await opened((...args) =>
      (isSignedIn ? bySpelling(notFound, body(aPdf)) : page)(...args)
    )
    await errorOf(client.downloadIDVerificationPdf('d-1'))
    isSignedIn = true
    await client.downloadIDVerificationPdf('d-1')
    expect(spellings()).toEqual(['pdf', 'pdf', 'PDF'])
  })

  test.each([
    ['has no such address', notFound],
    ['has no such address for GET', body('', 405)],
    ['doesn’t know the spelling', refusal(400, 'Requested value ‘pdf’ was not found', 'IDVerificationDataType')]
  ])('that %s is called with upper case, and from then on only that', async (_what, lower) => {
    const { client, spellings } = await opened(
      bySpelling(lower, (one, ...rest) => (one.url.endsWith('PDF') ? body(aPdf) : json([{ DocId: '1' }]))(one, ...rest))
    )
    await client.downloadIDVerificationPdf('d-1')
    await client.downloadIDVerificationPdf('d-2')
    expect((await client.getIDVerification('d-1')).items).toEqual([{ DocId: '1' }])
    expect(spellings()).toEqual(['pdf', 'PDF', 'PDF', 'JSON'])
  })

  test('that once accepted a spelling isn’t called with another', async () => {
    let answer: Answering = body(aPdf)
    const { client, spellings } = await opened((...call) => answer(...call))
    await client.downloadIDVerificationPdf('d-1')
    answer = refusal(404, 'Removed')
    expect((await errorOf(client.downloadIDVerificationPdf('d-2'))).status).toBe(404)
    expect(spellings()).toEqual(['pdf', 'pdf'])
  })

  test.each([401, 402, 403, 409, 410, 426])('that refuses with %i isn’t called a second time', async (status) => {
    const { client, spellings } = await opened(body('', status))
    expect((await errorOf(client.getIDVerification('d-1'))).status).toBe(status)
    expect(spellings()).toEqual(['json'])
  })
})

describe('the refusal reported', () => {
  const unknownWord = refusal(400, 'IDVerificationDataType must be pdf or json.', 'IDVerificationDataType')
  const unknownUpper = refusal(400, '‘PDF’ is no data type')
  const removed = refusal(404, 'Removed under the retention policy')

  test.each<[string, Answering, Answering, number, string | undefined]>([
    [
      'a removed document, whatever the answer to the other spelling',
      removed,
      unknownUpper,
      404,
      'Removed under the retention policy'
    ],
    [
      'a removed document, if the other spelling leads nowhere',
      removed,
      notFound,
      404,
      'Removed under the retention policy'
    ],
    [
      'a removed document, if only the other spelling is known',
      unknownWord,
      removed,
      404,
      'Removed under the retention policy'
    ],
    [
      'a removed document, if the first spelling leads nowhere',
      notFound,
      removed,
      404,
      'Removed under the retention policy'
    ],
    ['a right that is lacking, where only the other word is known', notFound, body('', 403), 403, undefined],
    ['a service that is away when it is asked again', notFound, body('', 503), 503, undefined],
    [
      'an unknown spelling, if neither is known',
      unknownWord,
      unknownUpper,
      400,
      'IDVerificationDataType must be pdf or json.'
    ],
    ['an address that leads nowhere, where neither leads anywhere', notFound, notFound, 404, undefined]
  ])('is of %s', async (_what, lower, upper, status, serviceMessage) => {
    const { client, spellings } = await opened(bySpelling(lower, upper))
    const error = await errorOf(client.downloadIDVerificationPdf('d-1'))
    expect({ status: error.status, serviceMessage: error.serviceMessage }).toEqual({ status, serviceMessage })
    expect(new Set(spellings())).toEqual(new Set(['pdf', 'PDF']))
    if (status === 404) expect(asAppError(error).message).toContain('or it was deleted after a time')
  })
})

test.each([
  ['lower', 'pdf'],
  ['upper', 'PDF']
] as const)('a service set to %s case is called only in that case', async (setting, word) => {
  const { client, spellings } = await opened(notFound, setting)
  expect((await errorOf(client.downloadIDVerificationPdf('d-1'))).status).toBe(404)
  expect(spellings()).toEqual([word])
})
