/** Operations 1 and 2: which of them sends a package of forms, at services that have both, one or neither. */
import { describe, expect, test } from 'vitest'
import type { FormsBy } from '../../src/main/core/service/documents.ts'
import { clientOf, errorOf } from './client-factory.ts'
import { body, json, serve } from './hand-written-service.ts'
import { anOffice } from './practice-office.ts'
import { aFormDirectRequest } from './sample-requests.ts'

const soon = new Date(Date.now() + 5 * 24 * 3600 * 1000).toISOString()
const request = () => aFormDirectRequest({ DueDate: soon })

/** A service with given answers to the two operations, and a client that remembers what it learns. */
async function opened(answers: Record<FormsBy, Parameters<typeof serve>[0]>, remembered?: FormsBy) {
  const service = await serve((recorded, ...rest) =>
    answers[recorded.url.endsWith('SendForms2') ? 'SendForms2' : 'SendForms'](recorded, ...rest)
  )
  let by = remembered
  const client = clientOf(service.url, {
    quirks: {
      formsBy: () => by,
      onFormsBy: (operation) => {
        by = operation
      }
    }
  })
  return { client, by: () => by, operations: () => service.requests.map(({ url }) => url.replace('/FormDirect/', '')) }
}

const documents = [{ Reference: 'd-1', Name: 'Consent', PackageReference: 'p-1', Signers: [] }]
const aPackage = json({ PackageReference: 'p-1', Documents: documents })

describe('forms are sent by SendForms', () => {
  test.each([404, 405, 410, 501])('if the service answers SendForms2 with %i', async (status) => {
    const { client, by, operations } = await opened({ SendForms2: json({}, status), SendForms: json(documents) })
    const sent = await client.sendFormPackage(request())
    expect(sent.package).toMatchObject({ PackageReference: 'p-1', Documents: [{ Reference: 'd-1' }] })
    expect(operations()).toEqual(['SendForms2', 'SendForms'])
    expect(by()).toBe('SendForms')
    await client.sendFormPackage(request())
    expect(operations().slice(2)).toEqual(['SendForms'])
  })

  test('and by SendForms2 again once the service has only that', async () => {
    const { client, by, operations } = await opened({ SendForms2: aPackage, SendForms: json({}, 404) }, 'SendForms')
    await client.sendFormPackage(request())
    expect(operations()).toEqual(['SendForms', 'SendForms2'])
    expect(by()).toBe('SendForms2')
  })

  test('at a practice service in the v13 dialect', async () => {
    const { office, client } = await anOffice({ conditions: { dialects: ['v13'] } })
    const sent = await client.sendFormPackage(request())
    expect(sent.package.Documents).toHaveLength(1)
    expect(office.service.recorded().map(({ operation }) => operation)).toEqual(['SendForms'])
  })
})

describe('nothing is sent a second time', () => {
  test.each([400, 401, 402, 403, 406, 408, 409, 413, 426, 429, 500, 502, 503, 504])('after %i', async (status) => {
    const { client, by, operations } = await opened({ SendForms2: json({}, status), SendForms: json(documents) })
    expect((await errorOf(client.sendFormPackage(request()))).status).toBe(status)
    expect(operations()).toEqual(['SendForms2'])
    expect(by()).toBeUndefined()
  })

  test('after an answer that was lost or can’t be read', async () => {
    const lost = await opened({ SendForms2: (_, response) => response.destroy(), SendForms: json(documents) })
    expect((await errorOf(lost.client.sendFormPackage(request()))).mayHaveArrived).toBe(true)
    expect(lost.operations()).toEqual(['SendForms2'])
    const garbled = await opened({ SendForms2: body('<html>'), SendForms: json(documents) })
    expect((await errorOf(garbled.client.sendFormPackage(request()))).mayHaveArrived).toBe(true)
    expect(garbled.operations()).toEqual(['SendForms2'])
  })

  test('and a lost answer to the second operation leaves the package uncertain', async () => {
    const { client, by, operations } = await opened({
      SendForms2: json({}, 404),
      SendForms: (_, response) => response.destroy()
    })
    expect((await errorOf(client.sendFormPackage(request()))).mayHaveArrived).toBe(true)
    expect(operations()).toEqual(['SendForms2', 'SendForms'])
    expect(by()).toBeUndefined()
  })
})

test('a service that has neither, or lacks a form, is reported by its first answer, and nothing is remembered', async () => {
  const missing = (Message: string) => json({ ResponseStatus: { Message } }, 404)
  const { client, by } = await opened({ SendForms2: missing('No such form.'), SendForms: missing('Nothing here.') })
  const error = await errorOf(client.sendFormPackage(request()))
  expect(error).toMatchObject({
    code: 'not-found',
    serviceMessage: 'No such form.',
    operation: 'FormDirect/SendForms2'
  })
  expect(by()).toBeUndefined()
})
