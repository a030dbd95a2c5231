/** Any request that the model accepts arrives at the practice service as meant, field for field. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { isServiceError, type ServiceClient } from '../../src/main/core/service/index.ts'
import * as model from '../../src/shared/model/index.ts'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { arbitraryOf } from './arbitrary-of-schema.ts'
import { anOffice } from './practice-office.ts'

type Send = (client: ServiceClient, request: never) => Promise<unknown>

const operations: [name: string, schema: z.ZodType, send: Send][] = [
  ['SendForms2', model.SendFormDirectRequest, (client, request) => client.sendForms2(request)],
  ['SendForms', model.SendFormDirectRequest, (client, request) => client.sendForms(request)],
  ['Send', model.SendFormFillerRequest, (client, request) => client.sendTemplates(request)],
  ['UpdateEmployers', model.UpdateEmployersRequest, (client, request) => client.updateEmployers(request)],
  ['UpdateSigner', model.UpdateSignerRequest, (client, request) => client.updateSigner(request)],
  ['Extend', model.ExtendRequest, (client, request) => client.extend(request)],
  ['AssignQueueDocument', model.AssignQueueDocumentRequest, (client, request) => client.assignQueueDocument(request)],
  ['SendReminder', model.SendReminderRequest, (client, request) => client.sendReminder(request)]
]

describe('any request that the model accepts', () => {
  test.each(operations)('arrives at %s as it was meant', async (operation, schema, send) => {
    const { office, client } = await anOffice({ data: 'empty', notify: async () => new Response() })
    await fc.assert(
      fc.asyncProperty(arbitraryOf(schema), async (request) => {
        const before = office.service.recorded().length
        // The service may refuse its content (an unreadable date, a missing document), but has still read it.
        await send(client, request as never).catch((error: unknown) => {
          if (!isServiceError(error) || error.mayHaveArrived) throw error
          expect(error.status).toBeGreaterThanOrEqual(400)
        })
        const recorded = office.service.recorded()
        expect(recorded.length).toBe(Math.min(before + 1, 1000))
        expect(recorded.at(-1)).toMatchObject({ operation })
        // Normalised as JSON, which has no -0.
        expect(recorded.at(-1)?.body).toEqual(JSON.parse(JSON.stringify(request)))
      }),
      { numRuns: 120 }
    )
  })

  test('keeps every signer as sent, in the answer and in the folder', async () => {
    const { client } = await anOffice({ data: 'empty', notify: async () => new Response() })
    const signer = arbitraryOf(model.FormSigner)
    await fc.assert(
      fc.asyncProperty(fc.array(signer, { minLength: 1, maxLength: 3 }), async (Signers) => {
        const form = { Name: 'Form', FormType: 1, Reference: 'F1', EmbedForm: false, ClientReference: 'draft', Signers }
        const { package: sent, problems } = await client.sendForms2({ Forms: [form] })
        expect(problems).toEqual([])
        const reference = sent.Documents?.[0]?.Reference
        const folders = await Promise.all(['InBox', 'Progress'].map((folder) => activeDocuments(client, folder)))
        const found = folders.flatMap(({ items }) => items).find((document) => document.Reference === reference)
        const people = (signers: { FirstName?: unknown; LastName?: unknown; Email?: unknown }[] = []) =>
          signers.map(({ FirstName, LastName, Email }) => [FirstName, LastName, Email])
        expect(people(found?.Signers)).toEqual(people(Signers))
        expect(found?.ClientReference).toBe('draft')
      }),
      { numRuns: 40 }
    )
  })
})
